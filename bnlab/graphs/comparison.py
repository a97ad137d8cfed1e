"""How far a learned graph is from the true one (Villanueva and Maciel 2012; Tsamardinos et al. 2006).

References
----------
E. Villanueva, C. D. Maciel. Optimized algorithm for learning Bayesian network super-structures. 2012.
I. Tsamardinos, L. E. Brown, C. F. Aliferis. The max-min hill-climbing Bayesian network structure learning
algorithm. Machine Learning 65, 2006 (structural Hamming distance).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from bnlab.graphs.checks import check_same_variables
from bnlab.graphs.dag import Dag, GraphLike, names_of
from bnlab.graphs.pdag import Pdag, as_graph, as_pdag, essential_graph

Pair: TypeAlias = frozenset[str]


@dataclass(frozen=True, repr=False)
class Comparison:
    """Learned graph against true graph.

    Attributes
    ----------
    tp, fp, fn : int
        Edges of both skeletons, of the learned one only, of the true one only; directions do not count.
    sn : float
        Sn = TP / (TP + FN), "recall" elsewhere; 1 if the true graph has no edge.
    sp : float
        Sp = TP / (TP + FP) as Villanueva and Maciel define it: "precision" elsewhere, and not the
        specificity TN / (TN + FP). 1 if the learned graph has no edge.
    shd : int or None
        Structural Hamming distance of the DAGs: edges missing, extra or reversed, one each.
    shd_cpdag : int
        The same between the essential graphs: pairs of nodes without the same edge (none, undirected, or
        directed one way), one each; 0 exactly when the graphs are Markov equivalent. A `Pdag` counts as an essential
        graph.
    reversed : int or None
        Edges of both skeletons whose directions differ.

    `shd` and `reversed` are None when either graph is a `Pdag`.
    """

    tp: int
    fp: int
    fn: int
    sn: float
    sp: float
    shd: int | None
    shd_cpdag: int
    reversed: int | None

    def __repr__(self) -> str:
        """Counts as they are, ratios to four digits; first the distance of what data can decide."""
        return (
            f"Comparison(shd_cpdag={self.shd_cpdag}, shd={self.shd}, reversed={self.reversed}, tp={self.tp}, "
            f"fp={self.fp}, fn={self.fn}, sn={self.sn:.4g}, sp={self.sp:.4g})"
        )


def compare(learned: GraphLike | Pdag, true: GraphLike | Pdag) -> Comparison:
    """Count the edges found, invented, missed and reversed.

    Parameters
    ----------
    learned, true : Dag, networkx.DiGraph, (parent, child) pairs of names, or Pdag
        On the same variables, in any order; at most one of them as pairs. With a `Pdag`, which may be a skeleton or an
        essential graph, directions count in `shd_cpdag` alone.

    Raises
    ------
    ValueError
        If the graphs are on different variables, or as for `as_dag`.
    TypeError
        If one of them is not a graph.

    Examples
    --------
    >>> true = Dag.from_edges(["A", "B", "C"], [("A", "B"), ("B", "C")])
    >>> compare([("B", "A"), ("A", "C")], true)
    Comparison(shd_cpdag=2, shd=3, reversed=1, tp=1, fp=1, fn=1, sn=0.5, sp=0.5)
    """
    names = names_of(true) or names_of(learned)
    a, b = _as_graph(learned, names), _as_graph(true, names)
    found, real = _edges_by_pair(a), _edges_by_pair(b)
    tp, fp, fn = len(found.keys() & real), len(found.keys() - real), len(real.keys() - found)
    shd = n_reversed = None
    if isinstance(a, Dag) and isinstance(b, Dag):
        shd = _distance(found, real)
        n_reversed = shd - fp - fn
    classes = [graph if isinstance(graph, Pdag) else essential_graph(graph) for graph in (a, b)]
    shd_cpdag = _distance(*map(_edges_by_pair, classes))
    sn, sp = (tp / (tp + misses) if tp + misses else 1.0 for misses in (fn, fp))
    return Comparison(tp, fp, fn, sn, sp, shd, shd_cpdag, n_reversed)


def _as_graph(graph: GraphLike | Pdag, names: tuple[str, ...] | None) -> Dag | Pdag:
    found = as_graph(graph, names)
    if isinstance(found, Pdag):
        check_same_variables(found.names, names or ())
    return found


def _edges_by_pair(graph: Dag | Pdag) -> dict[Pair, tuple[str, ...]]:
    """Edge of each adjacent pair: (parent, child), or () for an undirected one."""
    pdag = as_pdag(graph)
    edges: dict[Pair, tuple[str, ...]] = {frozenset(edge): edge for edge in pdag.directed_edges}
    return edges | {frozenset(edge): () for edge in pdag.undirected_edges}


def _distance(a: dict[Pair, tuple[str, ...]], b: dict[Pair, tuple[str, ...]]) -> int:
    return sum(a.get(pair) != b.get(pair) for pair in a.keys() | b.keys())
