"""Background knowledge: edges that a network must have, may not have, or may have in one direction only."""

from __future__ import annotations

import operator
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from itertools import product
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from bnlab._runtime.budget import check_pairs
from bnlab._runtime.names import nearest
from bnlab.graphs.checks import CycleError, is_edge
from bnlab.graphs.dag import Dag, GraphLike, as_dag
from bnlab.graphs.edge_rules import EdgeRules, too_many
from bnlab.graphs.foreign import foreign_edges
from bnlab.graphs.pdag import HasPdag, Pdag, as_pdag, completed, essential_graph

if TYPE_CHECKING:
    import networkx as nx

Pairs: TypeAlias = tuple[tuple[str, str], ...]
_BYTES_A_PAIR = 12


@dataclass(frozen=True, init=False, repr=False)
class Knowledge:
    """What is known about the edges of a network before the data are seen; an immutable value.

    Every learner takes it as `knowledge=` and returns only networks that agree with it.

    Parameters
    ----------
    required : iterable of (str, str)
        Edges (parent, child) that the network must have.
    forbidden : iterable of (str, str)
        Edges that it must not have; the reverse edge stays possible.
    tiers : iterable of iterables of str
        Groups of variables in causal or temporal order: no edge leads from a later group to an earlier one. Variables
        in no group are unrestricted.
    max_parents : int or mapping of str to int, optional
        Maximum number of parents, of all variables or by variable. The key None stands for all others.
    within : SuperStructure, Pdag, Dag, networkx.Graph or pairs of names, optional
        The only edges that may be used: directed edges in their direction, others in either direction.

    Attributes
    ----------
    required, forbidden : tuple of (str, str)
        Sorted. A direction that a directed graph `within` leaves out is among the forbidden edges.
    tiers : tuple of tuple of str
    limits : tuple of (str or None, int)
        The items of `max_parents`.
    within : tuple of (str, str), or None
        Sorted pairs that may be joined, in alphabetical order each.

    Raises
    ------
    ValueError
        If rules contradict each other; the error names both.
    TypeError
        If an edge is not a pair of names, or a maximum is not an integer.

    Examples
    --------
    >>> before = Knowledge(tiers=[["Smoker", "Pollution"], ["Cancer"], ["Xray", "Dyspnoea"]])
    >>> both = before | Knowledge(required=[("Smoker", "Cancer")], max_parents=2)
    >>> both.violations([("Xray", "Cancer")])
    ("required edge 'Smoker' -> 'Cancer' is missing", "edge 'Xray' -> 'Cancer' is not allowed")
    >>> Knowledge(required=[("a", "b")], forbidden=[("a", "b")])
    Traceback (most recent call last):
    ...
    ValueError: edge 'a' -> 'b' is required and forbidden: remove it from one of them.
    """

    required: Pairs
    forbidden: Pairs
    tiers: tuple[tuple[str, ...], ...]
    limits: tuple[tuple[str | None, int], ...]
    within: Pairs | None

    def __init__(
        self,
        required: Iterable[tuple[str, str]] = (),
        forbidden: Iterable[tuple[str, str]] = (),
        tiers: Iterable[Iterable[str]] = (),
        max_parents: int | Mapping[Any, int] | None = None,
        within: HasPdag | Pdag | Dag | nx.Graph | Collection[tuple[str, str]] | None = None,
    ) -> None:
        required_edges, forbidden_edges = _edges("required", required), _edges("forbidden", forbidden)
        pairs, reverse = (None, set()) if within is None else _allowed_pairs(within)
        limits = {} if max_parents is None else max_parents if isinstance(max_parents, Mapping) else {None: max_parents}
        most = ((name, _checked_limit(name, limit)) for name, limit in limits.items())
        object.__setattr__(self, "required", tuple(sorted(required_edges)))
        object.__setattr__(self, "forbidden", tuple(sorted(forbidden_edges | reverse)))
        object.__setattr__(self, "tiers", tuple(map(_checked_tier, tiers)))
        object.__setattr__(self, "limits", tuple(sorted(most, key=lambda item: (item[0] is not None, item[0] or ""))))
        object.__setattr__(self, "within", None if pairs is None else tuple(sorted(pairs)))
        self._check(forbidden_edges)

    @classmethod
    def from_dict(cls, parts: Mapping[str, Any]) -> Knowledge:
        """Create the value from its `dataclasses.asdict`, also after it was saved as JSON.

        Raises
        ------
        ValueError, TypeError
            As for `Knowledge`, and when a part is missing or unknown.

        Examples
        --------
        >>> from dataclasses import asdict
        >>> some = Knowledge(required=[("a", "b")], max_parents={None: 3, "b": 1})
        >>> Knowledge.from_dict(asdict(some)) == some
        True
        """
        known = [field.name for field in fields(cls)]
        if set(parts) != set(known):
            raise ValueError(f"knowledge has the parts {', '.join(map(repr, parts))}: it needs {', '.join(known)}.")
        limits = parts["limits"]
        if not all(isinstance(limit, (tuple, list)) and len(limit) == 2 for limit in limits):
            raise ValueError("limits: pairs of a name, or None, and a number are needed.")
        return cls(parts["required"], parts["forbidden"], parts["tiers"], dict(limits) or None, parts["within"])

    @property
    def max_parents(self) -> dict[str | None, int]:
        """Maximum number of parents by variable; None stands for all others."""
        return dict(self.limits)

    def __repr__(self) -> str:
        """Code that makes an equal value."""
        most: Any = self.max_parents
        given = {
            "required": list(self.required),
            "forbidden": list(self.forbidden),
            "tiers": [list(tier) for tier in self.tiers],
            "max_parents": most[None] if set(most) == {None} else most or None,
        }
        parts = [f"{name}={value!r}" for name, value in given.items() if value or value == 0]
        if self.within is not None:
            parts.append(f"within={list(self.within)!r}")
        return f"Knowledge({', '.join(parts)})"

    def __or__(self, other: Knowledge) -> Knowledge:
        """Knowledge of both. Tiers of the second that differ from those of the first become forbidden edges.

        Raises
        ------
        ValueError
            If they contradict each other.
        """
        if not isinstance(other, Knowledge):
            return NotImplemented
        tiers = self.tiers or other.tiers
        backward = _backward_edges(other.tiers) if tiers != other.tiers else ()
        forbidden = {*self.forbidden, *other.forbidden, *backward}
        within = self.within if other.within is None else other.within
        if self.within is not None and other.within is not None:
            within = tuple(set(self.within) & set(other.within))
        limits = (self.max_parents, other.max_parents)
        most = {
            name: min(some.get(name, some.get(None, 0)) for some in limits if name in some or None in some)
            for name in {**limits[0], **limits[1]}
        }
        return Knowledge({*self.required, *other.required}, forbidden, tiers, most or None, within)

    @property
    def names(self) -> tuple[str, ...]:
        """Variables that the rules mention, sorted."""
        pairs = (*self.required, *self.forbidden, *(self.within or ()), *self.tiers)
        return tuple(sorted({name for group in pairs for name in group} | {n for n, _ in self.limits if n is not None}))

    def resolved(self, names: Sequence[str] | None) -> EdgeRules:
        """Return the rules as matrices over the variables of a table or graph.

        Parameters
        ----------
        names : sequence of str, length n

        Raises
        ------
        ValueError
            If a variable is not among the names, or there are too many names for matrices of all pairs.

        Examples
        --------
        >>> rules = Knowledge(required=[("a", "b")], max_parents={"c": 0}).resolved("abc")
        >>> rules.required.astype(int).tolist(), rules.allowed.astype(int).tolist(), rules.limits.tolist()
        ([[0, 1, 0], [0, 0, 0], [0, 0, 0]], [[0, 1, 0], [0, 0, 0], [1, 1, 0]], [2, 2, 0])
        """
        if names is None:
            raise ValueError("knowledge names variables, but the local score has no names: give a phi with `names`.")
        n = len(names)
        check_pairs(n, _BYTES_A_PAIR)
        place = {name: i for i, name in enumerate(names)}
        for name in self.names:
            if name not in place:
                raise ValueError(f"knowledge: no variable {name!r}; {nearest(name, names)}")
        required, forbidden = np.zeros((2, n, n), dtype=np.bool_)
        joined = np.full((n, n), self.within is None)
        np.fill_diagonal(joined, False)
        for matrix, pairs in ((required, self.required), (forbidden, self.forbidden), (joined, self.within or ())):
            for u, v in pairs:
                matrix[place[u], place[v]] = True
        tier = np.full(n, -1)
        for k, group in enumerate(self.tiers):
            tier[[place[name] for name in group]] = k
        forbidden |= (tier[:, None] > tier) & (tier >= 0)
        most = self.max_parents
        others = most.get(None, n)
        limits = np.minimum([most.get(name, others) for name in names], max(n - 1, 0)).astype(np.int64)
        rules = EdgeRules(required, (joined | joined.T) & ~forbidden, limits)
        return rules.combined(rules, names)

    def violations(self, graph: GraphLike) -> tuple[str, ...]:
        """Violations of this knowledge by a graph, one sentence each; empty if there are none.

        Parameters
        ----------
        graph : Dag, networkx.DiGraph, iterable of (parent, child) names, or anything with a `dag`
            Pairs of names may leave out variables.

        Raises
        ------
        ValueError
            If a variable of this knowledge is not in the graph.
        """
        if not isinstance(graph, Dag) and isinstance(graph, Collection) and all(map(is_edge, graph)):
            pairs = list(graph)
            dag = Dag.from_edges(sorted({*self.names, *(name for pair in pairs for name in pair)}), pairs)
        else:
            dag = as_dag(graph)
        return self.resolved(dag.names).violations(dag.parents, dag.names)

    def essential_graph(self, graph: GraphLike, experiments: Iterable[Collection[str]] = ()) -> Pdag:
        """Return the graph that represents all equivalent DAGs that agree with this knowledge (Meek 1995).

        An edge is directed if all of them agree on its direction, and undirected otherwise. Limits on the number of
        parents determine no direction here.

        Parameters
        ----------
        graph : Dag, or what `as_dag` takes
            It agrees with this knowledge.
        experiments : iterable of collections of str
            As for `bnlab.graphs.essential_graph`.

        Raises
        ------
        ValueError
            If it disagrees.

        Examples
        --------
        >>> chain = Dag.from_edges("XYZ", [("X", "Y"), ("Y", "Z")])
        >>> Knowledge().essential_graph(chain), Knowledge(forbidden=[("Y", "X")]).essential_graph(chain)
        (Pdag(3 nodes, 2 edges: X - Y, Y - Z), Pdag(3 nodes, 2 edges: X -> Y, Y -> Z))
        """
        dag = as_dag(graph)
        if wrong := self.violations(dag):
            raise ValueError(f"the graph disagrees with the knowledge: {wrong[0]}.")
        return self.directed(essential_graph(dag, experiments))

    def directed(self, graph: Pdag) -> Pdag:
        """Return an equivalence class with the directions that this knowledge decides, and those that follow.

        Raises
        ------
        ValueError
            If they contradict each other.

        Examples
        --------
        >>> lines = Pdag("XYZ", undirected=[(0, 1), (1, 2)])
        >>> Knowledge(required=[("Y", "X")]).directed(lines)
        Pdag(3 nodes, 2 edges: Y -> X, Y - Z)
        """
        both_ways = (*graph.undirected, *((v, u) for u, v in graph.undirected))
        return completed(graph, self.decided(graph.names, both_ways))

    def decided(self, names: Sequence[str], pairs: Iterable[tuple[int, int]]) -> set[tuple[int, int]]:
        """Pairs (u, v) of indices whose reverse these rules forbid; limits on the number of parents decide nothing."""
        edges = Knowledge(self.required, self.forbidden, self.tiers, within=self.within)
        allowed = edges.resolved(names).allowed
        return {(u, v) for u, v in pairs if not allowed[v, u]}

    def _check(self, forbidden: set[tuple[str, str]]) -> None:
        """Refuse rules that contradict each other."""
        tier: dict[str, int] = {}
        for k, group in enumerate(self.tiers, 1):
            for name in group:
                if name in tier:
                    raise ValueError(f"{name!r} is in tier {tier[name]} and in tier {k}: a variable is in one tier.")
                tier[name] = k
        for u, v in self.required:
            if (u, v) in forbidden:
                raise ValueError(f"edge {u!r} -> {v!r} is required and forbidden: remove it from one of them.")
            if tier.get(u, 0) > tier.get(v, len(self.tiers)):
                raise ValueError(
                    f"required edge {u!r} -> {v!r} leads from tier {tier[u]} back to tier {tier[v]}: move a variable "
                    "to another tier, or do not require it."
                )
            if (u, v) in self.forbidden or (self.within is not None and (min(u, v), max(u, v)) not in self.within):
                raise ValueError(
                    f"required edge {u!r} -> {v!r} is outside `within`: add it there, or do not require it."
                )
        families: dict[str, list[str]] = {}
        for u, v in self.required:
            families.setdefault(v, []).append(u)
        most = self.max_parents
        for v, family in families.items():
            limit = most.get(v, most.get(None, len(family)))
            if len(family) > limit:
                raise ValueError(too_many(repr(v), list(map(repr, family)), limit))
        try:
            Dag.from_edges(self.names, self.required)
        except CycleError as error:
            raise ValueError(f"the required edges close a cycle, {error.cycle}: do not require one of them.") from None


def _edges(what: str, edges: Iterable[Any]) -> set[tuple[str, str]]:
    if isinstance(edges, str) or not isinstance(edges, Iterable):
        raise TypeError(f"{what}={edges!r}: give pairs of names, [(parent, child), ...].")
    found = set()
    for edge in edges:
        if not is_edge(edge):
            raise TypeError(f"{what} holds {edge!r}: an edge is a pair of names, (parent, child).")
        if edge[0] == edge[1]:
            raise ValueError(f"{what} holds {tuple(edge)!r}: a variable cannot be its own parent.")
        found.add((edge[0], edge[1]))
    return found


def _checked_tier(tier: Any) -> tuple[str, ...]:
    names = None if isinstance(tier, str) or not isinstance(tier, Iterable) else tuple(tier)
    if names is None or not all(isinstance(name, str) for name in names):
        raise TypeError(f"tiers holds {tier!r}: a tier is a list of names, such as ['a', 'b'].")
    return names


def _checked_limit(name: Any, limit: Any) -> int:
    if name is not None and not isinstance(name, str):
        raise TypeError(f"max_parents has the key {name!r}: a key is the name of a variable, or None for all others.")
    where = "max_parents" if name is None else f"max_parents of {name!r}"
    try:
        number = operator.index(limit)
    except TypeError:
        raise TypeError(f"{where} is {limit!r}: it must be an integer.") from None
    if isinstance(limit, bool) or number < 0:
        raise ValueError(f"{where} is {limit!r}: it must be at least 0.")
    return number


def _allowed_pairs(within: Any) -> tuple[set[tuple[str, str]], set[tuple[str, str]]]:
    """Pairs that may be joined, and the directions among them that a directed graph leaves out."""
    if isinstance(within, (Pdag, Dag, HasPdag)) or foreign_edges(within) is not None:
        graph = as_pdag(within)
        directed, undirected = set(graph.directed_edges), graph.undirected_edges
    else:
        directed, undirected = set(), tuple(_edges("within", within))
    pairs = {(min(pair), max(pair)) for pair in (*directed, *undirected)}
    return pairs, {(v, u) for u, v in directed}


def _backward_edges(tiers: Sequence[Sequence[str]]) -> set[tuple[str, str]]:
    """Edges from later tiers to earlier ones."""
    return {pair for k, tier in enumerate(tiers) for earlier in tiers[:k] for pair in product(tier, earlier)}
