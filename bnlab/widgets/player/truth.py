"""The true network: its graph, its score, or neither."""

from __future__ import annotations

from dataclasses import dataclass
from math import isfinite
from typing import Any

from bnlab.graphs import Dag, as_dag
from bnlab.widgets.player.run import Run


@dataclass(frozen=True)
class Truth:
    """The true network.

    Attributes
    ----------
    graph : Dag, optional
    score : float, optional
    """

    graph: Dag | None = None
    score: float | None = None

    @classmethod
    def of(cls, given: Any, run: Run) -> Truth:
        """Truth from a score, or from a network, scored as a search scores networks.

        Raises
        ------
        ValueError
            If the score is not finite, or the network is on other variables than the search.
        """
        if given is None:
            return cls()
        if isinstance(given, int | float):
            if not isfinite(given):
                raise ValueError(f"truth={given!r}: a score is finite; give the network, or leave it out.")
            return cls(score=float(given))
        _, present, _ = run.at(None)
        dag = as_dag(given, None if present is None else present.names)
        return cls(dag, None if present is None else run.score_of(dag.parents))

    def gap(self, score: float | None) -> float | None:
        """How far a score is behind, in percent of the true network's; None where one of them is not known."""
        if score is None or self.score is None or self.score == 0:
            return None
        return 100.0 * (self.score - score) / abs(self.score)
