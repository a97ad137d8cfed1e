"""Directed acyclic graphs on named variables: the structures of Carvalho 2009, section 2."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from copy import copy
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from bnlab._runtime.budget import check_memory
from bnlab._runtime.cached import cached_property
from bnlab._runtime.names import nearest
from bnlab.graphs.checks import (
    CycleError,
    check_same_variables,
    checked_names,
    checked_parents,
    is_edge,
    parents_of_edges,
)
from bnlab.graphs.dot import format_dot
from bnlab.graphs.foreign import foreign_edges
from bnlab.graphs.paths import children_of, parents_first, reachable

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
    undecided : iterable of (str, str) pairs, optional
        Edges whose direction data do not decide, as for `with_undecided`.

    Attributes
    ----------
    names : tuple of str
    parents : tuple of tuple of int
        Ascending within each variable.
    undecided : frozenset of (str, str), or None
        For a learned graph, the edges whose direction is that of one graph of its equivalence class alone, and which
        are drawn without an arrowhead; `bnlab.graphs.member` is the graph without this mark. None for any other graph.

    Raises
    ------
    ValueError
        If a name repeats, an index is out of range, or the edges close a cycle; the message shows the cycle.
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
    undecided: frozenset[tuple[str, str]] | None = field(default=None, compare=False)

    def __init__(
        self,
        names: Sequence[str],
        parents: Iterable[Iterable[int]] | Iterable[tuple[str, str]],
        undecided: Iterable[tuple[str, str]] | None = None,
    ) -> None:
        names = checked_names(names)
        families: Sequence[Any] = tuple(parents)
        # Parent sets of names cannot look like edges: some variable has no parents.
        if all(map(is_edge, families)):
            families = parents_of_edges(names, families)
        object.__setattr__(self, "names", names)
        object.__setattr__(self, "parents", checked_parents(names, families))
        _ = self.topological_order  # raises CycleError if there is none
        marked = None if undecided is None else frozenset(undecided) & frozenset(self.edges)
        object.__setattr__(self, "undecided", marked)

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

    def to_dot(self) -> str:
        """Text of the graph in DOT, the language of Graphviz; `as_dag` reads it back.

        Examples
        --------
        >>> dag = Dag(["A", "B"], [("A", "B")])
        >>> as_dag(dag.to_dot()) == dag
        True
        """
        return format_dot(self.names, self.edges)

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
        families = zip(self.names[:_SHOWN], self.parents, strict=False)
        model = "".join(f"[{v}{'|' if ps else ''}{':'.join(self.names[p] for p in ps)}]" for v, ps in families)
        model += "…" if len(self) > _SHOWN else ""
        return f"Dag({counted(len(self), 'node')}, {counted(len(self.edges), 'edge')}: {model})"

    @cached_property
    def _positions(self) -> dict[str, int]:
        return {name: i for i, name in enumerate(self.names)}

    @cached_property
    def _children(self) -> tuple[tuple[int, ...], ...]:
        return children_of(self.parents)

    @cached_property
    def edges(self) -> tuple[tuple[str, str], ...]:
        """Pairs (parent, child) of names, ordered by parent, then child, in node order."""
        return tuple((self.names[u], self.names[v]) for u, children in enumerate(self._children) for v in children)

    @cached_property
    def topological_order(self) -> tuple[int, ...]:
        """Indices of the nodes, parents before children, the smallest index first among those ready."""
        order = parents_first(self.parents, range(len(self)), self._children)
        if len(order) < len(self):
            raise CycleError(self.names, self.parents, set(range(len(self))) - set(order))
        return order

    def index(self, name: str) -> int:
        """Position of a variable in `names`; ValueError, which suggests similar names, if it is unknown."""
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
        return self._named(reachable(self.parents, [self.index(name)]))

    def descendants_of(self, name: str) -> tuple[str, ...]:
        """Names of all other nodes with a directed path from this one, in node order."""
        return self._named(reachable(self._children, [self.index(name)]))

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
            If it would need more memory than one operation may use.
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
        return Dag.from_edges(names, self.edges).with_undecided(self.undecided)

    def with_undecided(self, edges: Iterable[tuple[str, str]] | None) -> Dag:
        """Return the same graph, of which data do not decide the direction of some edges; None removes the mark.

        Pairs that are not edges of the graph do not count.

        Examples
        --------
        >>> chain = Dag("XYZ", [("X", "Y"), ("Y", "Z")])
        >>> marked = chain.with_undecided([("X", "Y")])
        >>> marked == chain, marked.undecided
        (True, frozenset({('X', 'Y')}))
        """
        marked = None if edges is None else frozenset(edges) & frozenset(self.edges)
        if marked == self.undecided:
            return self
        new = copy(self)
        object.__setattr__(new, "undecided", marked)
        return new

    def to_networkx(self) -> nx.DiGraph:
        """Convert to a `networkx.DiGraph` whose nodes are the names, in the same order."""
        import networkx as nx

        graph = nx.DiGraph()
        graph.add_nodes_from(self.names)
        graph.add_edges_from(self.edges)
        return graph


@runtime_checkable
class HasDag(Protocol):
    """Object with a graph, such as a BayesianNetwork; accepted wherever a graph is."""

    @property
    def dag(self) -> Dag:
        """The graph."""


def as_dag(graph: GraphLike, names: Sequence[str] | None = None) -> Dag:
    """Convert a graph in any accepted form to a `Dag`.

    Parameters
    ----------
    graph : Dag, iterable of (parent, child) names, object with a `dag`, or graph of another package
        Such as a BayesianNetwork, or what `bnlab.graphs.foreign.foreign_edges` knows: graphs of networkx, pgmpy,
        pyAgrum and causal-learn, a DataFrame of 0 and 1, and text of bnlearn, DOT and DAGitty.
    names : sequence of str, optional
        The variables and their order in the result; needed for pairs, because a variable may have no edge.

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
    if not isinstance(graph, Dag) and isinstance(graph, HasDag) and isinstance(graph.dag, Dag):
        graph = graph.dag
    if isinstance(graph, Dag):
        return graph if names is None else graph.reordered(names)
    found = foreign_edges(graph)
    if found is not None and (found.undirected or is_networkx(graph)):
        if found.undirected and not type(graph).__module__.startswith("networkx"):
            edge = " - ".join(map(str, found.undirected[0]))
            raise TypeError(
                f"the graph has undirected edges, such as {edge}: here each edge needs a direction; "
                "bnlab.learn(data, within=graph) finds them."
            )
        return Dag.from_networkx(graph, names)
    if found is not None:
        dag = Dag.from_edges(found.names, found.directed)
        return dag if names is None else dag.reordered(names)
    if isinstance(graph, str) or not isinstance(graph, Iterable):
        named = f"bnlab.load_network({graph!r}) reads a network by its name"
        undirected = (
            "bnlab.learn(data, within=graph) finds the directions of undirected edges, and bnlab.graphs.member(graph) "
            "is one graph of an equivalence class"
        )
        raise TypeError(
            f"{graph!r} is not a directed graph: give a Dag, a networkx.DiGraph, or (parent, child) pairs of names; "
            f"{named if isinstance(graph, str) else undirected}."
        )
    if names is None:
        raise ValueError("(parent, child) pairs do not name all variables: Dag.from_edges(names, pairs) does.")
    return Dag.from_edges(names, graph)


@runtime_checkable
class HasNames(Protocol):
    """Object on named variables: a Dag, a Pdag, a network, a table."""

    @property
    def names(self) -> tuple[str, ...]:
        """The variables, in order."""


def names_of(graph: Any) -> tuple[str, ...] | None:
    """Variables of a graph in their order; None for pairs, which do not name all of them."""
    if isinstance(graph, HasNames):
        return graph.names
    found = foreign_edges(graph)
    return None if found is None else found.names


def is_networkx(graph: Any) -> bool:
    """Whether an object is a networkx graph; networkx is not imported for that."""
    networkx = sys.modules.get("networkx")
    return networkx is not None and isinstance(graph, networkx.Graph)


def counted(number: int, noun: str) -> str:
    """Write a number with its noun, in the plural unless it is 1."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def listed(names: Sequence[str]) -> str:
    """Write names as a list with "and".

    Examples
    --------
    >>> listed(["a"]), listed(["a", "b", "c"])
    ('a', 'a, b and c')
    """
    return " and ".join(filter(None, [", ".join(names[:-1]), *names[-1:]]))
