"""Directed acyclic graphs on named variables: the structures of Carvalho 2009, section 2."""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from bnlab._runtime.budget import check_memory
from bnlab._runtime.cached import cached_property
from bnlab._runtime.names import check_text, nearest
from bnlab.graphs.families import checked_parents, cycle_message, is_edge, parents_of_edges, reachable

if TYPE_CHECKING:
    import networkx as nx

GraphLike: TypeAlias = "Dag | HasDag | nx.DiGraph | Iterable[tuple[str, str]]"

_SHOWN = 60


@dataclass(frozen=True, init=False, repr=False)
class Dag:
    """Directed acyclic graph; immutable, hashable, equal when names, their order and edges are equal.

    Parameters
    ----------
    names : sequence of str, length n
        The variables, in the order that indices refer to.
    parents : sequence of iterables of int, length n, or of (parent, child) pairs of names
        Indices of the parents of each variable, or the edges, as for `from_edges`; repeated ones count once.

    Attributes
    ----------
    names : tuple of str
    parents : tuple of tuple of int
        Ascending within each variable.

    Raises
    ------
    ValueError
        If a name repeats, an index is out of range, or the edges close a cycle, which the message writes out.
    TypeError
        If a name is not a string or an index not an integer.

    Examples
    --------
    >>> dag = Dag(["X", "Y", "Z", "W"], [(), (), (0, 1), (2,)])
    >>> dag
    Dag(4 nodes, 3 edges: [X][Y][Z|X:Y][W|Z])
    >>> dag.edges
    (('X', 'Z'), ('Y', 'Z'), ('Z', 'W'))
    >>> dag.ancestors_of("W")
    ('X', 'Y', 'Z')
    >>> dag == Dag(["X", "Y", "Z", "W"], [("X", "Z"), ("Y", "Z"), ("Z", "W")])
    True
    """

    names: tuple[str, ...]
    parents: tuple[tuple[int, ...], ...]

    def __init__(self, names: Sequence[str], parents: Iterable[Iterable[int]] | Iterable[tuple[str, str]]) -> None:
        names = checked_names(names)
        families: Sequence[Any] = tuple(parents)
        # Parents by name would not pass for edges: some variable has none.
        if all(map(is_edge, families)):
            families = parents_of_edges(names, families)
        object.__setattr__(self, "names", names)
        object.__setattr__(self, "parents", checked_parents(names, families))
        _ = self.topological_order  # raises when there is none

    @classmethod
    def from_edges(cls, names: Sequence[str], edges: Iterable[tuple[str, str]]) -> Dag:
        """Graph with the given (parent, child) pairs of names; a repeated pair counts once.

        Raises
        ------
        ValueError
            If a pair names an unknown variable, or as for `Dag`.

        Examples
        --------
        >>> Dag.from_edges(["A", "B", "C"], [("C", "A")])
        Dag(3 nodes, 1 edge: [A|C][B][C])
        """
        names = checked_names(names)
        return cls(names, parents_of_edges(names, edges))

    @classmethod
    def empty(cls, names: Sequence[str]) -> Dag:
        """Graph without edges."""
        return cls(names, [()] * len(names))

    @classmethod
    def from_networkx(cls, graph: nx.DiGraph, names: Sequence[str] | None = None) -> Dag:
        """Graph with the nodes and edges of a `networkx.DiGraph`, in its order of nodes or that of `names`.

        Raises
        ------
        ValueError
            If `names` are not exactly the nodes, or as for `Dag`.
        TypeError
            If the graph is undirected or a node is not a string.
        """
        if not graph.is_directed():
            raise TypeError("the networkx graph is undirected: a Dag needs a DiGraph, whose edges have a direction.")
        dag = cls.from_edges(tuple(graph.nodes), graph.edges())
        return dag if names is None else dag.reordered(names)

    def __len__(self) -> int:
        """Return the number of nodes."""
        return len(self.names)

    def __repr__(self) -> str:
        """Counts, then each variable with its parents, as R's bnlearn writes a model string."""
        return f"Dag({counted(len(self), 'node')}, {counted(len(self.edges), 'edge')}: {self._model_string()})"

    def _model_string(self) -> str:
        families = (
            f"[{name}|{':'.join(self.names[p] for p in parents)}]" if parents else f"[{name}]"
            for name, parents in zip(self.names[:_SHOWN], self.parents, strict=False)
        )
        return "".join(families) + ("…" if len(self) > _SHOWN else "")

    @cached_property
    def _positions(self) -> dict[str, int]:
        return {name: i for i, name in enumerate(self.names)}

    @cached_property
    def _children(self) -> tuple[tuple[int, ...], ...]:
        children: list[list[int]] = [[] for _ in self.names]
        for child, parents in enumerate(self.parents):
            for parent in parents:
                children[parent].append(child)
        return tuple(map(tuple, children))

    @cached_property
    def edges(self) -> tuple[tuple[str, str], ...]:
        """Pairs (parent, child) of names, ordered by parent, then child, in node order."""
        return tuple((self.names[u], self.names[v]) for u, children in enumerate(self._children) for v in children)

    @cached_property
    def topological_order(self) -> tuple[int, ...]:
        """Indices of the nodes, parents before children, the smallest index first among those ready."""
        waiting = [len(parents) for parents in self.parents]
        ready = [i for i, count in enumerate(waiting) if count == 0]
        order: list[int] = []
        while ready:
            u = heapq.heappop(ready)
            order.append(u)
            for v in self._children[u]:
                waiting[v] -= 1
                if waiting[v] == 0:
                    heapq.heappush(ready, v)
        if len(order) < len(self):
            raise ValueError(cycle_message(self.names, self.parents, set(range(len(self))) - set(order)))
        return tuple(order)

    def index(self, name: str) -> int:
        """Position of a variable in `names`.

        Raises
        ------
        ValueError
            If there is no such variable.
        """
        try:
            return self._positions[name]
        except (KeyError, TypeError):
            raise ValueError(f"no variable {name!r} in this graph; {nearest(name, self.names)}") from None

    def parents_of(self, name: str) -> tuple[str, ...]:
        """Names of the parents, in node order."""
        return self._named(self.parents[self.index(name)])

    def children_of(self, name: str) -> tuple[str, ...]:
        """Names of the children, in node order."""
        return self._named(self._children[self.index(name)])

    def ancestors_of(self, name: str) -> tuple[str, ...]:
        """Names of all other nodes with a directed path to this one, in node order."""
        return self._named(reachable(self.parents, self.index(name)))

    def descendants_of(self, name: str) -> tuple[str, ...]:
        """Names of all other nodes with a directed path from this one, in node order."""
        return self._named(reachable(self._children, self.index(name)))

    def _named(self, nodes: Iterable[int]) -> tuple[str, ...]:
        return tuple(self.names[i] for i in nodes)

    def adjacency(self) -> NDArray[np.bool_]:
        """Matrix of edges.

        Returns
        -------
        ndarray of bool, shape (n, n)
            [u, v] is true when u -> v; a new array at every call.

        Raises
        ------
        ValueError
            If it would need more memory than one operation may have.
        """
        check_memory(len(self) ** 2, f"the matrix of {len(self)} nodes", "`edges` and `parents` hold the edges alone")
        matrix = np.zeros((len(self), len(self)), dtype=np.bool_)
        for child, parents in enumerate(self.parents):
            matrix[list(parents), child] = True
        return matrix

    def reordered(self, names: Sequence[str]) -> Dag:
        """Return the same edges with the variables in another order.

        Raises
        ------
        ValueError
            If `names` are not exactly the variables of this graph.

        Examples
        --------
        >>> Dag.from_edges(["A", "B"], [("A", "B")]).reordered(["B", "A"])
        Dag(2 nodes, 1 edge: [B|A][A])
        """
        if tuple(names) == self.names:
            return self
        names = checked_names(names)
        check_same_variables(self.names, names)
        return Dag.from_edges(names, self.edges)

    def to_networkx(self) -> nx.DiGraph:
        """Convert to a `networkx.DiGraph` whose nodes are the names, in the same order."""
        import networkx as nx

        graph = nx.DiGraph()
        graph.add_nodes_from(self.names)
        graph.add_edges_from(self.edges)
        return graph


@runtime_checkable
class HasDag(Protocol):
    """What has a graph, such as a BayesianNetwork; it stands for its graph wherever a graph is expected."""

    @property
    def dag(self) -> Dag:
        """The graph."""


def as_dag(graph: GraphLike, names: Sequence[str] | None = None) -> Dag:
    """Read whatever stands for a graph as a `Dag`.

    Parameters
    ----------
    graph : Dag, networkx.DiGraph, iterable of (parent, child) names, or what has a `dag`, such as a BayesianNetwork
    names : sequence of str, optional
        The variables and their order in the answer; needed for pairs, where a variable may have no edge.

    Raises
    ------
    ValueError
        If the graph is on other variables than `names`, pairs come without names, or as for `Dag`.
    TypeError
        If `graph` is none of these.

    Examples
    --------
    >>> as_dag([("rain", "wet")], names=["rain", "sun", "wet"])
    Dag(3 nodes, 1 edge: [rain][sun][wet|rain])
    """
    if isinstance(graph, HasDag):
        graph = graph.dag
    if isinstance(graph, Dag):
        return graph if names is None else graph.reordered(names)
    if is_networkx(graph):
        return Dag.from_networkx(graph, names)
    if isinstance(graph, str) or not isinstance(graph, Iterable):
        raise TypeError(
            f"{graph!r} is not a directed graph: give a Dag, a networkx.DiGraph, or (parent, child) pairs of names"
            f"{_way_to_dag(graph)}."
        )
    if names is None:
        raise ValueError(
            "(parent, child) pairs do not tell which variables there are: Dag.from_edges(names, pairs) does."
        )
    return Dag.from_edges(names, graph)


def _way_to_dag(graph: Any) -> str:
    """Say how to get a Dag from what is none."""
    if isinstance(graph, str):
        return f"; bnlab.load_network({graph!r}) reads a network by its name"
    if hasattr(graph, "to_pdag") or hasattr(graph, "undirected"):
        return "; bnlab.learn(data, within=graph) finds the directions of undirected edges"
    return ""


def as_dags(a: GraphLike, b: GraphLike) -> tuple[Dag, Dag]:
    """Read two graphs on the same variables, both in the order of the first that tells its variables.

    Raises
    ------
    ValueError, TypeError
        As for `as_dag`.
    """
    names = names_of(a) or names_of(b)
    return as_dag(a, names), as_dag(b, names)


def names_of(graph: Any) -> tuple[str, ...] | None:
    """Variables of a graph in their order; None for pairs, which do not tell."""
    if is_networkx(graph):
        return tuple(graph.nodes)
    return getattr(graph, "names", None)


def is_networkx(graph: Any) -> bool:
    """Whether an object is a networkx graph, found out without importing networkx."""
    return hasattr(graph, "is_directed") and hasattr(graph, "nodes") and hasattr(graph, "edges")


def checked_names(names: Sequence[str]) -> tuple[str, ...]:
    """Names as a tuple, once they are known to be distinct strings.

    Raises
    ------
    TypeError
        If a name is not a string.
    ValueError
        If a name repeats or holds half of a surrogate pair.
    """
    names = tuple(names)
    for name in names:
        if not isinstance(name, str):
            raise TypeError(f"name {name!r}: a variable's name is a string; str(name) makes it one.")
        check_text(name, "name")
    if len(set(names)) < len(names):
        repeated = sorted({name for name in names if names.count(name) > 1})
        raise ValueError(f"names {', '.join(map(repr, repeated))} repeat: each variable has a name of its own.")
    return names


def check_same_variables(found: Sequence[str], wanted: Sequence[str]) -> None:
    """Check that two lists of names hold the same variables, in whatever order.

    Raises
    ------
    ValueError
        If they do not; the message says which names are on one side only.
    """
    missing = [name for name in wanted if name not in set(found)]
    extra = [name for name in found if name not in set(wanted)]
    if missing or extra:
        lacks = [f"it lacks {_listed(missing)}"] if missing else []
        has = [f"it has {_listed(extra)}, which is not among them"] if extra else []
        raise ValueError(
            f"the graph is on other variables than the data or the graph beside it: {'; '.join(lacks + has)}. Both "
            "need the same variables: table.select(names) leaves columns out, Dag(names, edges) adds nodes."
        )


def _listed(names: Sequence[str], most: int = 5) -> str:
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(map(repr, names[:most])) + more


def counted(number: int, noun: str) -> str:
    """Write a number with its noun, in the plural where it needs one."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
