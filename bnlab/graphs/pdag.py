"""Partially directed graphs and Markov equivalence (Carvalho 2009, section 2.2; Chickering 1995).

References
----------
T. Verma, J. Pearl. Equivalence and synthesis of causal models. UAI 1990.
D. M. Chickering. A transformational characterization of equivalent Bayesian network structures. UAI 1995.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import comb
from typing import Any, Protocol, runtime_checkable

from bnlab._runtime.budget import check_memory
from bnlab.graphs.checks import checked_parents
from bnlab.graphs.dag import Dag, GraphLike, as_dag, counted, names_of
from bnlab.graphs.dot import format_dot
from bnlab.graphs.foreign import foreign_edges
from bnlab.graphs.orientation import Pair, oriented

_SHOWN = 60
BYTES_A_V_STRUCTURE = 96
"""Size of a tuple of three names and its place in another tuple."""


@dataclass(frozen=True, init=False, repr=False)
class Pdag:
    """Graph with directed and undirected edges and no directed cycle (Carvalho 2009, Definition 2.14).

    Parameters
    ----------
    names : sequence of str, length n
    directed : iterable of (int, int)
        Pairs (u, v) of indices for u -> v.
    undirected : iterable of (int, int)
        Pairs of indices in either order.
    conflicts : iterable of (int, int)
        Those of the undirected edges for which data give contradictory directions, as tests sometimes do.

    Attributes
    ----------
    names : tuple of str
    directed : frozenset of (int, int)
    undirected : frozenset of (int, int)
        Pairs (i, j) with i < j.
    conflicts : frozenset of (int, int)
        Some of them.

    Raises
    ------
    ValueError
        If two edges join the same nodes, a conflict is no undirected edge, or as for `Dag`.

    Examples
    --------
    >>> Pdag(["X", "Y", "Z"], directed=[(0, 2)], undirected=[(2, 1)])
    Pdag(3 nodes, 2 edges: X -> Z, Y - Z)
    """

    names: tuple[str, ...]
    directed: frozenset[tuple[int, int]]
    undirected: frozenset[tuple[int, int]]
    conflicts: frozenset[tuple[int, int]] = frozenset()

    def __init__(
        self,
        names: Sequence[str],
        directed: Iterable[tuple[int, int]] = (),
        undirected: Iterable[tuple[int, int]] = (),
        conflicts: Iterable[tuple[int, int]] = (),
    ) -> None:
        arrows = Dag(names, _families(names, directed))
        lines = checked_parents(arrows.names, _families(names, ((min(pair), max(pair)) for pair in undirected)))
        object.__setattr__(self, "names", arrows.names)
        object.__setattr__(self, "directed", index_pairs(arrows.parents))
        object.__setattr__(self, "undirected", index_pairs(lines))
        object.__setattr__(self, "conflicts", frozenset((min(pair), max(pair)) for pair in conflicts))
        if beyond := self.conflicts - self.undirected:
            u, v = min(beyond)
            raise ValueError(f"conflict ({u}, {v}): a conflict is one of the undirected edges.")
        for u, v in self.directed:
            if (min(u, v), max(u, v)) in self.undirected:
                raise ValueError(f"{names[u]} -> {names[v]} is also undirected: an edge is one or the other.")

    @classmethod
    def from_dag(cls, dag: Dag) -> Pdag:
        """Return the same graph, with every edge directed."""
        return cls(dag.names, directed=index_pairs(dag.parents))

    def to_dot(self) -> str:
        """Text of the graph in DOT, the language of Graphviz; undirected edges have no arrowhead."""
        return format_dot(self.names, self.directed_edges, self.undirected_edges)

    def __len__(self) -> int:
        """Return the number of nodes."""
        return len(self.names)

    def __repr__(self) -> str:
        """Counts, then the directed edges, then the undirected ones."""
        contradictory = set(self.conflicting_edges)
        edges = [f"{u} -> {v}" for u, v in self.directed_edges]
        edges += [f"{u} - {v}{' (conflict)' * ((u, v) in contradictory)}" for u, v in self.undirected_edges]
        shown = ", ".join(edges[:_SHOWN]) + (", …" if len(edges) > _SHOWN else "")
        return f"Pdag({counted(len(self), 'node')}, {counted(len(edges), 'edge')}{shown and ': ' + shown})"

    @property
    def directed_edges(self) -> tuple[tuple[str, str], ...]:
        """Pairs (u, v) of names for u -> v, in node order of u, then v."""
        return tuple((self.names[u], self.names[v]) for u, v in sorted(self.directed))

    @property
    def undirected_edges(self) -> tuple[tuple[str, str], ...]:
        """Pairs of names, the earlier node first, in node order."""
        return tuple((self.names[i], self.names[j]) for i, j in sorted(self.undirected))

    @property
    def edges(self) -> tuple[tuple[str, str], ...]:
        """All edges, the directed ones first."""
        return self.directed_edges + self.undirected_edges

    @property
    def conflicting_edges(self) -> tuple[tuple[str, str], ...]:
        """Those of the undirected edges for which data give contradictory directions."""
        return tuple((self.names[i], self.names[j]) for i, j in sorted(self.conflicts))


@runtime_checkable
class HasPdag(Protocol):
    """A graph that is more than its edges, such as the super-structure of a constraint-based learner."""

    def to_pdag(self) -> Pdag:
        """Return the graph alone."""


def as_pdag(graph: Any) -> Pdag:
    """Convert a Pdag, a Dag, an object with `to_pdag`, or a graph of another package to a Pdag.

    Examples
    --------
    >>> as_pdag(Dag.from_edges("XY", [("X", "Y")]))
    Pdag(2 nodes, 1 edge: X -> Y)
    """
    if isinstance(graph, Pdag):
        return graph
    if isinstance(graph, Dag):
        return Pdag.from_dag(graph)
    found = foreign_edges(graph)  # first, because models of pgmpy have a to_pdag of their own
    if found is None:
        return graph.to_pdag() if isinstance(graph, HasPdag) else Pdag.from_dag(as_dag(graph))
    position = {node: i for i, node in enumerate(found.names)}
    undirected = {(position[u], position[v]) for u, v in found.undirected}
    return Pdag(
        list(position),
        directed={(position[u], position[v]) for u, v in found.directed},
        undirected={(min(edge), max(edge)) for edge in undirected},
    )


def as_graph(graph: Any, names: Sequence[str] | None = None) -> Dag | Pdag:
    """Convert any graph to a Dag, or to a Pdag if it has undirected edges.

    Examples
    --------
    >>> as_graph("dag { A -> B }"), as_graph("pdag { A -- B }")
    (Dag(2 nodes, 1 edge: [A][B|A]), Pdag(2 nodes, 1 edge: A - B))
    """
    if isinstance(graph, Pdag | Dag):
        return as_dag(graph, names) if isinstance(graph, Dag) else graph
    found = foreign_edges(graph)
    return as_pdag(graph) if found is not None and found.undirected else as_dag(graph, names)


def skeleton(graph: GraphLike | Pdag) -> Pdag:
    """Return the graph with all edges undirected.

    Examples
    --------
    >>> skeleton(Dag.from_edges("XYZ", [("X", "Z"), ("Z", "Y")]))
    Pdag(3 nodes, 2 edges: X - Z, Y - Z)
    """
    pdag = graph if isinstance(graph, Pdag) else Pdag.from_dag(as_dag(graph))
    return Pdag(pdag.names, undirected=pdag.directed | pdag.undirected)


def v_structures(graph: GraphLike) -> tuple[tuple[str, str, str], ...]:
    """Find all X -> Z <- Y whose X and Y are not adjacent (Carvalho 2009, Definition 2.12).

    Returns
    -------
    tuple of (str, str, str)
        Names (X, Z, Y), X before Y in node order; sorted by Z, then X, then Y, in node order.

    Raises
    ------
    ValueError
        If they may need more memory than one operation may use: a node with k parents has up to k (k - 1) / 2.

    Examples
    --------
    >>> v_structures(Dag.from_edges("XYZ", [("X", "Z"), ("Y", "Z")]))
    (('X', 'Z', 'Y'),)
    """
    dag = as_dag(graph)
    most = sum(comb(len(parents), 2) for parents in dag.parents)
    check_memory(BYTES_A_V_STRUCTURE * most, f"the {most:.3g} pairs of parents of one node", "select fewer variables")
    return tuple(
        (dag.names[x], dag.names[z], dag.names[y])
        for z, parents in enumerate(dag.parents)
        for x, y in combinations(parents, 2)
        if x not in dag.parents[y] and y not in dag.parents[x]
    )


def essential_graph(graph: GraphLike, experiments: Iterable[Collection[str]] = ()) -> Pdag:
    """Return the graph that represents all DAGs equivalent to this one (Carvalho 2009, Definition 2.16).

    Edges that all of them share are directed ("compelled"), the others undirected. Also known as the CPDAG.

    Parameters
    ----------
    graph : Dag, networkx.DiGraph, iterable of (parent, child) names, or anything with a `dag`
    experiments : iterable of collections of str
        For each experiment the variables that were set in it, as `Table.experiments` names them. An edge of which one
        end alone was set in some experiment is directed: setting a cause changes its effect, not the other way round
        (Hauser and Bühlmann, Characterization and greedy learning of interventional Markov equivalence classes of
        directed acyclic graphs, JMLR 13, 2012).

    Examples
    --------
    Z -> W is compelled though it belongs to no v-structure (Carvalho 2009, after Definition 2.15):

    >>> essential_graph(Dag.from_edges("XYZWU", [("X", "Z"), ("Z", "W"), ("Y", "Z"), ("Y", "U")]))
    Pdag(5 nodes, 4 edges: X -> Z, Y -> Z, Z -> W, Y - U)

    An experiment that sets Y decides on its edges, and with them on others:

    >>> chain = Dag.from_edges("XYZ", [("X", "Y"), ("Y", "Z")])
    >>> essential_graph(chain), essential_graph(chain, [{"Y"}])
    (Pdag(3 nodes, 2 edges: X - Y, Y - Z), Pdag(3 nodes, 2 edges: X -> Y, Y -> Z))
    """
    dag = as_dag(graph)
    return Pdag(dag.names, *arrows_and_lines(dag, set_apart(dag, experiments)))


def arrows_and_lines(dag: Dag, known: Collection[Pair]) -> tuple[frozenset[Pair], frozenset[Pair]]:
    """Edges of the class of a DAG, some of whose edges are known, with a direction and without, as pairs of indices."""
    arrows = index_pairs(_compelled_parents(dag))
    lines = index_pairs(dag.parents) - arrows
    if not lines.isdisjoint(known):
        arrows, lines, _ = oriented(len(dag), lines, arrows.union(known))
    return arrows, lines


def set_apart(dag: Dag, experiments: Iterable[Collection[str]]) -> set[Pair]:
    """Edges, as pairs of indices, of which one end alone was set in some experiment."""
    targets = [{dag.index(name) for name in together} for together in experiments]
    return {(u, v) for u, v in index_pairs(dag.parents) if any((u in some) != (v in some) for some in targets)}


def completed(graph: Pdag, directed: Iterable[tuple[int, int]]) -> Pdag:
    """Direct some undirected edges of an essential graph, and all edges whose direction then follows.

    Parameters
    ----------
    graph : Pdag
    directed : iterable of (int, int)
        Pairs (u, v) of indices for u -> v, adjacent in the graph; some DAG that the graph represents has all of them.

    Raises
    ------
    ValueError
        If directions contradict each other.

    Examples
    --------
    >>> lines = Pdag("XYZ", undirected=[(0, 1), (1, 2)])
    >>> completed(lines, [(0, 1)])
    Pdag(3 nodes, 2 edges: X -> Y, Y -> Z)
    """
    arrows, lines, conflicts = oriented(len(graph), graph.undirected, (*graph.directed, *directed))
    if conflicts:
        u, v = min(conflicts)
        raise ValueError(
            f"no graph has these directions: they contradict each other at the edge of {graph.names[u]!r} and "
            f"{graph.names[v]!r}. Leave one of them out."
        )
    return Pdag(graph.names, arrows, lines)


def markov_equivalent(a: GraphLike, b: GraphLike) -> bool:
    """Whether two DAGs have the same skeleton and v-structures (Verma and Pearl; Carvalho 2009, Theorem 2.13).

    Raises
    ------
    ValueError
        If they are on different variables; the order of the variables does not matter.

    Examples
    --------
    >>> markov_equivalent(Dag.from_edges("XY", [("X", "Y")]), [("Y", "X")])
    True
    """
    names = names_of(a) or names_of(b)
    a, b = as_dag(a, names), as_dag(b, names)
    return skeleton(a) == skeleton(b) and v_structures(a) == v_structures(b)


def _compelled_parents(dag: Dag) -> list[set[int]]:
    """Chickering's Label-Edges, one step for each node y: its latest parent x decides on all edges into y.

    Either every edge into y is compelled, or exactly those from the compelled parents of x.
    """
    rank = {node: position for position, node in enumerate(dag.topological_order)}
    compelled: list[set[int]] = [set() for _ in dag.names]
    for y in dag.topological_order:
        parents = set(dag.parents[y])
        if parents:
            x = max(parents, key=rank.__getitem__)
            passed_on = compelled[x] <= parents <= {x, *dag.parents[x]}
            compelled[y] = compelled[x] if passed_on else parents
    return compelled


def index_pairs(parents: Sequence[Iterable[int]]) -> frozenset[Pair]:
    """Edges (u, v) as pairs of indices, from the parents of each node."""
    return frozenset((u, v) for v, family in enumerate(parents) for u in family)


def _families(names: Sequence[str], pairs: Iterable[Pair]) -> list[list[int]]:
    """Parents of each node, from pairs of indices."""
    parents: list[list[int]] = [[] for _ in names]
    for u, v in pairs:
        if not 0 <= v < len(names):
            raise ValueError(f"edge ({u}, {v}): {len(names)} variables have indices 0 to {len(names) - 1}.")
        parents[v].append(u)
    return parents


def python_code(graph: Dag | Pdag) -> str:
    """Code that assigns an equal graph to `dag` (a `Pdag`: to `pdag`); every name in it is quoted.

    Examples
    --------
    >>> print(python_code(Dag.from_edges(["A", 'say "B"'], [("A", 'say "B"')])))
    from bnlab.graphs import Dag
    <BLANKLINE>
    dag = Dag.from_edges(
        [
            'A',
            'say "B"',
        ],
        [
            ('A', 'say "B"'),
        ],
    )
    <BLANKLINE>
    """
    names = _listed(graph.names)
    if isinstance(graph, Dag):
        return f"from bnlab.graphs import Dag\n\ndag = Dag.from_edges(\n    {names},\n    {_listed(graph.edges)},\n)\n"
    directed, undirected = (_listed(sorted(pairs)) for pairs in (graph.directed, graph.undirected))
    conflicts = f"    conflicts={_listed(sorted(graph.conflicts))},\n" if graph.conflicts else ""
    return (
        f"from bnlab.graphs import Pdag\n\npdag = Pdag(\n    {names},\n"
        f"    directed={directed},\n    undirected={undirected},\n{conflicts})\n"
    )


def _listed(items: Iterable[object]) -> str:
    lines = "".join(f"        {item!r},\n" for item in items)
    return f"[\n{lines}    ]" if lines else "[]"
