"""Versions of a graph that is edited with its probabilities, with undo and redo."""

from __future__ import annotations

from typing import NamedTuple

from bnlab._runtime.history import History
from bnlab.graphs.dag import Dag
from bnlab.graphs.editing import Edit, edited
from bnlab.networks.network import BayesianNetwork


class Version(NamedTuple):
    """A graph, and a network whose families keep their tables in it (`bnlab.networks.fit.FamilyTables`), or None."""

    dag: Dag
    net: BayesianNetwork | None = None


class EditHistory(History[Version]):
    """Versions of all editing steps, descriptions of the changes, and the current step; an immutable value.

    Examples
    --------
    >>> history = EditHistory.begin(Version(Dag.empty("AB"))).edit(Edit("add", "A", "B"))
    >>> history.dag.edges, history.undo().dag.edges, history.undo().redo() == history
    ((('A', 'B'),), (), True)
    """

    @property
    def dag(self) -> Dag:
        """Current graph."""
        return self.now.dag

    def edit(self, edit: Edit) -> EditHistory:
        """Change one edge (ValueError as for `edited`); undone steps can no longer be redone."""
        return self.step(self.now._replace(dag=edited(self.dag, edit)), str(edit))

    def replace(self, dag: Dag, words: str = "another graph") -> EditHistory:
        """Add another graph on the same names as the next step; an equal graph changes nothing."""
        return self if dag == self.dag else self.step(self.now._replace(dag=dag), words)

    def take(self, net: BayesianNetwork, words: str) -> EditHistory:
        """Add a network, whose tables or variables are others, as the next step."""
        return self.step(Version(net.dag, net), words)
