"""Variables, edges and orders from arguments of a caller, and the edges that a search may use."""

from __future__ import annotations

import logging
import operator
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, TypeAlias

import numpy as np

from bnlab._runtime.budget import check_memory, check_pairs
from bnlab._runtime.cached import cached_property
from bnlab._runtime.names import nearest
from bnlab._runtime.values import at_least
from bnlab.data.variable import shortened
from bnlab.graphs.checks import check_same_variables
from bnlab.graphs.dag import Dag, GraphLike, as_dag
from bnlab.graphs.edge_rules import EdgeRules
from bnlab.graphs.foreign import foreign_edges
from bnlab.graphs.knowledge import Knowledge
from bnlab.graphs.pdag import HasPdag, Pdag, as_pdag
from bnlab.learners.types import Mask, ParentTuples, Phi, ScoreSearch

if TYPE_CHECKING:
    import networkx as nx

logger = logging.getLogger("bnlab")

Node: TypeAlias = int | str
Edge: TypeAlias = tuple[Node, Node]

_BYTES_OF_MASKS = 4


Within: TypeAlias = "HasPdag | Pdag | Dag | nx.Graph | Collection[Edge] | Mask | None"
Known: TypeAlias = "Knowledge | EdgeRules | None"


def allowed_edges(within: Within, n: int, names: Sequence[str] | None = None) -> Mask:
    """Edges that a search may use.

    Parameters
    ----------
    within : SuperStructure, Pdag, Dag, networkx.Graph, pairs, ndarray of bool of shape (n, n), or None
        The result of `bnlab.skeleton`, or another graph: a directed edge may be used as it points, an undirected edge
        either way. Pairs of names or indices, such as the `edges` of a graph, may be used either way, and no other
        edges. [u, v] of a matrix stands for u -> v. None allows all edges.
    n : int
        Number of variables.
    names : sequence of str, optional
        Their names; a graph must then have the same names, in any order.

    Returns
    -------
    ndarray of bool, shape (n, n)
        [u, v] is true when u -> v may be used; false on the diagonal.

    Raises
    ------
    ValueError
        If the graph is on other variables, or the matrix would not fit into memory.
    TypeError
        If `within` is none of these.

    Examples
    --------
    >>> allowed_edges(Pdag(["X", "Y", "Z"], directed=[(0, 2)], undirected=[(0, 1)]), 3).astype(int)
    array([[0, 1, 1],
           [1, 0, 0],
           [0, 0, 0]])
    >>> allowed_edges([("Z", "X")], 3, ["X", "Y", "Z"]).astype(int)
    array([[0, 0, 1],
           [0, 0, 0],
           [1, 0, 0]])
    """
    check_pairs(n, _BYTES_OF_MASKS)
    if within is None:
        allowed = np.ones((n, n), dtype=np.bool_)
    elif isinstance(within, np.ndarray):
        if within.dtype != np.bool_:
            raise TypeError(f"within is a matrix of {within.dtype}: a matrix says by bool which edges may be used.")
        if within.shape != (n, n):
            raise ValueError(f"within has the shape {within.shape}: for {n} variables it is ({n}, {n}).")
        allowed = within.copy()
    else:
        try:
            graph = _as_pdag(within, n, names)
            if names is not None:
                check_same_variables(graph.names, names)
            elif len(graph) != n:
                raise ValueError(
                    f"the graph has {len(graph)} nodes, but there are {n} variables: both must be the same."
                )
        except ValueError as error:
            raise ValueError(f"within: {error}") from None
        position = {name: i for i, name in enumerate(graph.names if names is None else names)}
        place = [position[name] for name in graph.names]
        allowed = np.zeros((n, n), dtype=np.bool_)
        for u, v in graph.directed | graph.undirected:
            allowed[place[u], place[v]] = True
            allowed[place[v], place[u]] |= (u, v) in graph.undirected
    np.fill_diagonal(allowed, False)
    return allowed


def _as_pdag(within: Any, n: int, names: Sequence[str] | None) -> Pdag:
    if isinstance(within, (Pdag, Dag, HasPdag)) or foreign_edges(within) is not None:
        return as_pdag(within)
    if isinstance(within, str) or not isinstance(within, Iterable):
        raise TypeError(
            f"within is a {type(within).__name__}: give what bnlab.skeleton returns, a Pdag, a Dag, "
            "a networkx graph, pairs of names or a bool matrix."
        )
    pairs = list(within)
    if wrong := [edge for edge in pairs if isinstance(edge, str) or not isinstance(edge, Iterable)]:
        raise TypeError(f"within holds {wrong[0]!r}: its edges are pairs of names or indices.")
    found = as_edges(map(tuple, pairs), n, names)
    return Pdag(names or [str(i) for i in range(n)], undirected={(min(edge), max(edge)) for edge in found})


def as_edges(edges: Iterable[Edge], n: int, names: Sequence[str] | None) -> list[tuple[int, int]]:
    """Edges as pairs of indices.

    Raises
    ------
    ValueError
        If a node is unknown or an edge is not a pair.
    """
    found = []
    for edge in edges:
        if isinstance(edge, str) or len(edge) != 2:
            raise ValueError(f"edge {edge!r}: an edge is a pair, (parent, child).")
        found.append((as_node(edge[0], n, names), as_node(edge[1], n, names)))
        if found[-1][0] == found[-1][1]:
            raise ValueError(f"edge {edge!r}: a variable cannot be its own parent.")
    return found


def as_order(order: Sequence[Node], n: int, names: Sequence[str] | None) -> list[int]:
    """Order of the variables as indices.

    Raises
    ------
    ValueError
        If it does not name each of them once.
    TypeError
        If it is no list of variables.
    """
    if not isinstance(order, Iterable):
        raise TypeError(f"order {order!r}: an order is a list of the {n} variables.")
    found = [as_node(node, n, names) for node in order]
    if sorted(found) != list(range(n)):
        raise ValueError(f"order {tuple(order)!r}: an order names each of the {n} variables once.")
    return found


def as_node(node: Node, n: int, names: Sequence[str] | None) -> int:
    """Index of a variable given by index or name.

    Raises
    ------
    ValueError
        If there is no such variable.
    TypeError
        If it is neither an index nor a name.
    """
    if isinstance(node, str):
        if names is None or node not in names:
            raise ValueError(f"no variable {node!r}: {nearest(node, names or ())}")
        return list(names).index(node)
    try:
        index = operator.index(node)
    except TypeError:
        raise TypeError(f"variable {node!r}: give the name of a variable or its number.") from None
    if not 0 <= index < n:
        raise ValueError(f"variable {index} is out of range: {n} variables have indices 0 to {n - 1}.")
    return index


def acyclic_parents(
    parents: GraphLike | Sequence[Iterable[int]], n: int, what: str, names: Sequence[str] | None = None
) -> ParentTuples:
    """Parents of each variable of a given graph, in any form that `as_dag` takes, or as indices; checked to be acyclic.

    Raises
    ------
    ValueError
        If they close a cycle, or are not those of n variables. The message begins with `what` and shows the variables
        by `names` if these are known.
    """
    try:
        called = names[:n] if names is not None and len(names) >= n else [str(i) for i in range(n)]
        given = parents if isinstance(parents, (list, tuple)) else as_dag(parents, names).parents
        return Dag(called, given).parents
    except ValueError as error:
        raise ValueError(f"{what}: {error}") from None


def edge_rules(
    n: int,
    names: Sequence[str] | None = None,
    *,
    within: Within = None,
    knowledge: Known = None,
    max_parents: int | None = None,
) -> EdgeRules:
    """Rules of the edges from all arguments of a caller.

    Parameters
    ----------
    n : int
        Number of variables.
    names : sequence of str, optional
        Their names, which `knowledge` needs.
    within
        As for `allowed_edges`.
    knowledge : Knowledge or EdgeRules, optional
    max_parents : int, optional
        Maximum number of parents of every variable.

    Raises
    ------
    ValueError
        If a required edge is not in `within`, a variable has more required parents than `max_parents`, or as for
        `allowed_edges` and `Knowledge.resolved`.
    TypeError
        If one of them is of the wrong type.

    Examples
    --------
    >>> edge_rules(3, "abc", within=[("a", "b")], knowledge=Knowledge(forbidden=[("b", "a")])).allowed.astype(int)
    array([[0, 1, 0],
           [0, 0, 0],
           [0, 0, 0]])
    """
    most = max(n - 1, 0)
    limit = most if max_parents is None else min(at_least("max_parents", max_parents, 0), most)
    allowed = allowed_edges(within, n, names)
    rules = EdgeRules(np.zeros((n, n), dtype=np.bool_), allowed, np.full(n, limit, dtype=np.int64))
    if knowledge is None:
        return rules
    known = resolved_rules(knowledge, names)
    return known if within is None and limit == most else rules.combined(known, names)


def resolved_rules(knowledge: Knowledge | EdgeRules, names: Sequence[str] | None) -> EdgeRules:
    """Rules of knowledge; TypeError if it is none, ValueError as for `Knowledge.resolved`."""
    if isinstance(knowledge, EdgeRules):
        return knowledge
    if not isinstance(knowledge, Knowledge):
        raise TypeError(f"knowledge is a {type(knowledge).__name__}: give a bnlab.Knowledge.")
    return knowledge.resolved(names)


def leave_constant_alone(names: Sequence[str], constant: Sequence[int], knowledge: Known) -> Known:
    """Knowledge under which constant variables get no edges but required ones, which a log message says.

    Rows that show one state of a variable, or none, are no evidence for or against its edges. A prior alone would
    decide on them.

    Parameters
    ----------
    names : sequence of str
    constant : sequence of int
        Such as `CountSource.constant`.
    knowledge : Knowledge or EdgeRules, optional

    Examples
    --------
    >>> leave_constant_alone(("site", "rain", "wet"), [0], None).allowed.astype(int)
    array([[0, 0, 0],
           [0, 0, 1],
           [0, 1, 0]])
    """
    if not constant:
        return knowledge
    logger.info(
        "the rows show one state of %s: there are no edges to learn", shortened(tuple(names[v] for v in constant))
    )
    rules = resolved_rules(Knowledge() if knowledge is None else knowledge, names)
    allowed, alone = rules.allowed.copy(), list(constant)
    allowed[alone], allowed[:, alone] = False, False
    return rules._replace(allowed=allowed | rules.required)


def start_without_constant(start: Any, names: Sequence[str], constant: Sequence[int], rules: EdgeRules) -> ParentTuples:
    """First network without the edges of constant variables that `leave_constant_alone` excludes, as parents by index.

    Samples and folds of the rows may show one state of a variable that has edges in a network of all rows.

    Examples
    --------
    >>> rules = leave_constant_alone(("site", "rain", "wet"), [0], None)
    >>> start_without_constant([("site", "wet"), ("rain", "wet")], ("site", "rain", "wet"), [0], rules)
    ((), (), (1,))
    """
    alone = {*constant}
    return tuple(
        tuple(u for u in parents if rules.allowed[u, v] or alone.isdisjoint((u, v)))
        for v, parents in enumerate(acyclic_parents(start, len(names), "start", names))
    )


@dataclass(frozen=True)
class Restricted(ScoreSearch):
    """Base of searches with rules of edges: required edges, allowed edges and a maximum number of parents."""

    phi: Phi
    n: int
    max_parents: int | None = field(default=None, kw_only=True)
    within: Within = field(default=None, kw_only=True)
    knowledge: Known = field(default=None, kw_only=True)
    bytes_an_edge: ClassVar[int] = 200
    """Bytes for each edge that may be used: 65 to 110 by compiled code, else up to 330 (60 to 120 binary variables)."""
    bytes_another_pair: ClassVar[int] = _BYTES_OF_MASKS
    """Bytes for a pair of variables that may not be joined."""

    @cached_property
    def rules(self) -> EdgeRules:
        """Rules of edges by the numbers of the variables."""
        rules = edge_rules(
            self.n,
            self.variable_names(),
            within=self.within,
            knowledge=self.knowledge,
            max_parents=self.max_parents,
        )
        edges = int(rules.allowed.sum())
        check_memory(
            self.bytes_an_edge * edges + self.bytes_another_pair * (self.n**2 - edges),
            f"work on {edges:,} edges of {self.n} variables",
            "select fewer variables (table.select)",
        )
        return rules
