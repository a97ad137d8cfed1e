"""Details of a node or an edge of a network as plain values for a page, and the strength of edges in data."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from bnlab.counts.types import FamilyCounts, FloatArray
from bnlab.data.variable import Variable
from bnlab.figures.labels import score_label
from bnlab.figures.scores.graph_scores import GraphScores
from bnlab.figures.table import signed
from bnlab.graphs.dag import Dag, counted
from bnlab.graphs.pdag import Pdag
from bnlab.networks.network import BayesianNetwork

if TYPE_CHECKING:
    from bnlab.citests.g2 import G2

Strength: TypeAlias = Literal["gain", "mutual-information", "p-value"]

MOST_ROWS = 48
MOST_STATES = 40
ROUNDING = 1e-10  # percent by which a sum of probabilities may differ from 100


class EdgeStrength(NamedTuple):
    """Numbers of one edge u -> v.

    Attributes
    ----------
    gains : dict of str to float
        For each score, the local score of v with u among its parents minus that without it, in nats.
    mutual_information : float
        Of u and v alone, in nats.
    conditional_information : float
        Of u and v given the other parents of v, in nats.
    statistic, df, log_p : float, float, float
        G2 test of u and v given the other parents of v: its statistic, degrees of freedom, and ln p.
    """

    gains: dict[str, float]
    mutual_information: float
    conditional_information: float
    statistic: float
    df: float
    log_p: float

    @property
    def p_value(self) -> float:
        """p-value of the test; 0.0 where it underflows."""
        return float(np.exp(self.log_p))


class EdgeStrengths:
    """Strengths of the edges of graphs on some data.

    Parameters
    ----------
    scores : GraphScores
        Scores on the data.

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
        # Imported here because its special functions take a fifth of a second to load; graphs without data need none.
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


def neighbours(graph: Dag | Pdag, name: str) -> dict[str, list[str]]:
    """Names around a node: parents, children, those joined without a direction, and the Markov blanket of a Dag.

    Examples
    --------
    >>> neighbours(Dag.from_edges("ABC", [("A", "C"), ("B", "C")]), "A")
    {'parents': [], 'children': ['C'], 'Markov blanket': ['B', 'C']}
    """
    if isinstance(graph, Dag):
        parents, children = graph.parents_of(name), graph.children_of(name)
        blanket = {*parents, *children, *(p for child in children for p in graph.parents_of(child))} - {name}
        ordered = [other for other in graph.names if other in blanket]
        return {"parents": list(parents), "children": list(children), "Markov blanket": ordered}
    return {
        "parents": [u for u, v in graph.directed_edges if v == name],
        "children": [v for u, v in graph.directed_edges if u == name],
        "neighbours": [u if v == name else v for u, v in graph.undirected_edges if name in (u, v)],
    }


def state_rows(
    variable: Variable,
    *,
    counts: NDArray[Any] | None = None,
    prior: FloatArray | None = None,
    posterior: FloatArray | None = None,
    observed: int | None = None,
) -> list[dict[str, Any]]:
    """One record per state: its name, count, probability before and after evidence, and whether it is observed."""
    return [
        {
            "name": str(state),
            "count": None if counts is None else f"{int(counts[k]):,}",
            "before": None if prior is None else float(prior[k]),
            "after": None if posterior is None else float(posterior[k]),
            "text": "" if posterior is None else probability(float(posterior[k])),
            "observed": k == observed,
        }
        for k, state in enumerate(variable.states[:MOST_STATES])
    ]


def cpt_rows(
    net: BayesianNetwork, i: int, counts: FamilyCounts | None = None, *, first: int | None = None
) -> dict[str, Any]:
    """Probability table of a node, a row per configuration of its parents; of many rows, those seen most often.

    With `first`, the rows from this one on, in their order.

    Returns
    -------
    dict
        ``parents`` and ``states`` (names), ``rows`` (each with ``when``, ``p``, ``text`` and, with counts, ``rows``),
        and ``note``, which says how many rows are not shown.
    """
    parents = [net.variables[p] for p in net.dag.parents[i]]
    cpt = net.cpts[i].reshape(-1, net.arities[i])
    seen = None if counts is None else dict(zip(counts.configurations.tolist(), counts.n_ij.tolist(), strict=True))
    chosen = _shown_rows(len(cpt), seen) if first is None else [*range(len(cpt))[first : first + MOST_ROWS]]
    digits = np.array(np.unravel_index(chosen, [p.arity for p in parents])).T if parents else np.empty((1, 0), int)
    rows = [
        {
            "when": [str(parent.states[k]) for parent, k in zip(parents, when, strict=True)],
            "p": cpt[code, :MOST_STATES].tolist(),
            "text": [probability(p) for p in cpt[code, :MOST_STATES].tolist()],
            "rows": None if seen is None else f"{seen.get(code, 0):,}",
        }
        for code, when in zip(chosen, digits.tolist(), strict=True)
    ]
    states = [str(state) for state in net.variables[i].states[:MOST_STATES]]
    shown = len(chosen) if first is None else len(cpt)
    note = _note(len(cpt), shown, seen is not None, net.arities[i])
    return {"parents": [parent.name for parent in parents], "states": states, "rows": rows, "note": note}


def _shown_rows(q: int, seen: Mapping[int, int] | None) -> list[int]:
    if q <= MOST_ROWS or seen is None:
        return list(range(min(q, MOST_ROWS)))
    most_seen = sorted(seen, key=lambda code: (-seen[code], code))[:MOST_ROWS]
    unseen = islice((code for code in range(q) if code not in seen), MOST_ROWS - len(most_seen))
    return [*most_seen, *unseen]


def _note(q: int, shown: int, by_count: bool, r: int) -> str:
    parts = []
    if shown < q:
        which = "those that the data show most often" if by_count else "the first"
        parts.append(f"{shown} of {q:,} configurations of the parents, {which}; {q - shown:,} are not shown.")
    if r > MOST_STATES:
        parts.append(f"{MOST_STATES} of {r:,} states; {r - MOST_STATES:,} are not shown.")
    return " ".join(parts)


def edge_numbers(strength: EdgeStrength) -> list[dict[str, str]]:
    """Strength of an edge as rows of label, value and explanation."""
    given = f"{strength.conditional_information:.4g} nats"
    test = f"{strength.statistic:,.2f} on {strength.df} df"
    rows = [
        ("Mutual information", f"{strength.mutual_information:.4g} nats", "Of the two nodes alone"),
        ("… given other parents", given, "Given the other parents of the child"),
        ("G² test", test, "Test of independence given the other parents of the child"),
        ("p-value", p_value_text(strength.log_p), "Of the G² test"),
    ]
    return [{"label": label, "value": value, "tip": tip} for label, value, tip in rows]


def removal(strength: EdgeStrength) -> list[dict[str, Any]]:
    """Change of each score when the edge is removed."""
    return [
        {"label": score_label(name), "change": change(-gain), "better": gain < 0}
        for name, gain in strength.gains.items()
    ]


def score_rows(names: Sequence[str], now: FloatArray, before: FloatArray, start: FloatArray) -> list[dict[str, Any]]:
    """Change of each score from the graph before, and from the first graph, to the current one."""
    return [
        {
            "label": score_label(name),
            "last": change(value - old),
            "start": change(value - first),
            "way": int(np.sign(round(value - old, 2))),
            "way_start": int(np.sign(round(value - first, 2))),
        }
        for name, value, old, first in zip(names, now.tolist(), before.tolist(), start.tolist(), strict=True)
    ]


def summary(graph: Dag | Pdag, n_parameters: int | None, n_rows: int | None) -> str:
    """Size of a graph in one line."""
    edges = len(graph.edges) if isinstance(graph, Dag) else len(graph.directed) + len(graph.undirected)
    parts = [counted(len(graph), "node"), counted(edges, "edge")]
    if n_parameters is not None:
        parts.append(f"{n_parameters:,} free parameters")
    if n_rows is not None:
        parts.append(f"{n_rows:,} rows")
    return ", ".join(parts)


def probability(p: float) -> str:
    """Probability in percent; only an impossible state reads 0, and only a certain one 100.

    Examples
    --------
    >>> probability(0.25), probability(0.00001), probability(0.99999), probability(1.0), probability(0.0)
    ('25.0', '<0.1', '>99.9', '100', '0')
    """
    percent = 100 * p
    if percent == 0.0 or percent > 100 - ROUNDING:
        return f"{percent:.0f}"
    if percent < 0.05:
        return "<0.1"
    return ">99.9" if percent >= 99.95 else f"{percent:.1f}"


def nats(value: float) -> str:
    """Score with a true minus sign, two digits after the point while they fit.

    Examples
    --------
    >>> nats(-4518.496), nats(-208322.371), nats(-1054321.7)
    ('−4,518.50', '−208,322.4', '−1,054,322')
    """
    digits = 2 if abs(value) < 1e5 else 1 if abs(value) < 1e6 else 0
    return f"{value + 0.0:,.{digits}f}".replace("-", "−")


def change(value: float) -> str:
    """Difference of scores with its sign, two digits after the point while they fit.

    Examples
    --------
    >>> change(-6.518), change(-1234.56), change(-45504.63)
    ('−6.52', '−1,234.6', '−45,505')
    """
    return signed(value, 2 if abs(value) < 1e3 else 1 if abs(value) < 1e4 else 0)


def p_value_text(log_p: float) -> str:
    """p-value from its logarithm, also where it underflows.

    Examples
    --------
    >>> p_value_text(-2.0), p_value_text(-5000.0)
    ('0.135', '1e−2171')
    """
    text = f"{np.exp(log_p):.3g}" if log_p > -600 else f"1e{round(log_p / np.log(10))}"
    return text.replace("-", "−")
