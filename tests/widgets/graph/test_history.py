"""Versions of an edited graph and its network: undo, redo, and what a refused edit leaves."""

from __future__ import annotations

import pytest

from bnlab.graphs import Dag
from bnlab.graphs.editing import Edit
from bnlab.widgets.graph.history import EditHistory, Version

CHAIN = Dag.from_edges("ABCD", [("A", "B"), ("B", "C"), ("C", "D")])


def test_undo_and_redo_go_through_all_steps() -> None:
    history = EditHistory.begin(Version(CHAIN))
    graphs = [history.dag]
    for edit in (Edit("delete", "A", "B"), Edit("add", "A", "C"), Edit("reverse", "C", "D")):
        history = history.edit(edit)
        graphs.append(history.dag)
    assert (history.last, history.next, history.start.dag) == ("reverse C -> D", "", CHAIN)
    for dag in graphs[-2::-1]:
        history = history.undo()
        assert history.dag == dag
    assert (history.last, history.next) == ("", "delete A -> B")
    for dag in graphs[1:]:
        history = history.redo()
        assert history.dag == dag
        assert history.before.dag == graphs[graphs.index(dag) - 1]


def test_an_edit_after_undo_forgets_what_was_undone() -> None:
    history = EditHistory.begin(Version(CHAIN)).edit(Edit("delete", "A", "B")).undo().edit(Edit("delete", "B", "C"))
    assert history.steps == ("delete B -> C",)
    with pytest.raises(ValueError, match="nothing to redo"):
        history.redo()


def test_another_graph_is_a_step_and_the_same_graph_is_none() -> None:
    history = EditHistory.begin(Version(CHAIN)).replace(Dag.empty("ABCD"))
    assert history.dag.edges == ()
    assert history.undo().dag == CHAIN
    assert history.replace(Dag.empty("ABCD")) is history
