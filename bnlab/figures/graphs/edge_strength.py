"""How strong each edge of a graph is in data: what it adds to a score, mutual information, and the G2 test."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np

from bnlab.figures.scores.graph_scores import GraphScores
from bnlab.graphs.dag import Dag

if TYPE_CHECKING:
    from bnlab.citests.g2 import G2

Strength: TypeAlias = Literal["gain", "mutual-information", "p-value"]


@dataclass(frozen=True)
class EdgeStrength:
    """Numbers of one edge u -> v.

    Attributes
    ----------
    gains : dict of str to float
        For each score, the local score of v with u among its parents less that without, in nats.
    mutual_information : float
        Of u and v alone, in nats.
    conditional_information : float
        Of u and v given the other parents of v, in nats.
    statistic, df, log_p : float, int, float
        G2 test of u and v given the other parents of v: its statistic, degrees of freedom, and ln p.
    """

    gains: dict[str, float]
    mutual_information: float
    conditional_information: float
    statistic: float
    df: int
    log_p: float

    @property
    def p_value(self) -> float:
        """p-value of the test; 0.0 where it underflows."""
        return float(np.exp(self.log_p))


class EdgeStrengths:
    """Strengths of the edges of any graph on some data.

    Parameters
    ----------
    scores : GraphScores
        Holds the data.

    Examples
    --------
    >>> from bnlab.data import Table, Variable
    >>> bit = ("0", "1")
    >>> columns = [0] * 15 + [1] * 15, [0] * 10 + [1] * 5 + [0] * 3 + [1] * 12
    >>> table = Table([Variable("X", bit), Variable("Y", bit)], columns)
    >>> strength = EdgeStrengths(GraphScores(table)).of(Dag.from_edges("XY", [("X", "Y")]), 0, 1)
    >>> round(strength.p_value, 6), round(strength.mutual_information, 6), round(strength.gains["bic"], 3)
    (0.008399, 0.115773, 1.773)
    """

    def __init__(self, scores: GraphScores) -> None:
        # Its special functions take a fifth of a second to load, which no graph without data must wait for.
        from bnlab.citests.g2_tester import G2Tester

        self.scores = scores
        self._tester = G2Tester(scores.source, rows_per_cell=0, memo=0)

    def of(self, dag: Dag, u: int, v: int) -> EdgeStrength:
        """Numbers of the edge u -> v of a graph."""
        cells = 2 * self.scores.source.n_rows
        alone, given = self._test(dag, u, v, ()), self._test(dag, u, v, dag.parents[v])
        gains = dict(zip(self.scores.scores, self.scores.gain(dag, u, v).tolist(), strict=True))
        information = alone.statistic / cells, given.statistic / cells
        return EdgeStrength(gains, *information, given.statistic, given.df, given.log_p)

    def values(self, dag: Dag, kind: Strength, score: str) -> dict[tuple[str, str], float]:
        """Strength of every edge of a graph: nats of gain, nats of information, or the p-value."""
        measures: dict[Strength, Callable[[int, int], float]] = {
            "gain": lambda u, v: float(self.scores.gain(dag, u, v)[self.scores.scores.index(score)]),
            "mutual-information": lambda u, v: self._test(dag, u, v, ()).statistic / (2 * self.scores.source.n_rows),
            "p-value": lambda u, v: self._test(dag, u, v, dag.parents[v]).p_value,
        }
        pairs = [(u, v) for v, parents in enumerate(dag.parents) for u in parents]
        return {(dag.names[u], dag.names[v]): measures[kind](u, v) for u, v in pairs}

    def _test(self, dag: Dag, u: int, v: int, given: Iterable[int]) -> G2:
        others = [dag.names[p] for p in given if p != u]
        return self._tester.test(dag.names[u], dag.names[v], others).outcome
