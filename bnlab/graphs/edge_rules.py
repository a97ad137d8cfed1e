"""Which edges a network must have and may have, as matrices: background knowledge as learners use it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from bnlab.graphs.checks import CycleError
from bnlab.graphs.paths import children_of, parents_first, reachable

Mask: TypeAlias = NDArray[np.bool_]


class EdgeRules(NamedTuple):
    """Rules that the edges of a network follow.

    Attributes
    ----------
    required, allowed : ndarray of bool, shape (n, n)
        Whether u -> v must be used, and whether it may; [u, v]. A required edge is allowed.
    limits : ndarray of int64, shape (n,)
        Maximum number of parents of each variable.
    """

    required: Mask
    allowed: Mask
    limits: NDArray[np.int64]

    @property
    def parents(self) -> tuple[tuple[int, ...], ...]:
        """Required parents of each variable, ascending."""
        families: list[list[int]] = [[] for _ in self.limits]
        for u, v in zip(*(found.tolist() for found in self.required.nonzero()), strict=True):
            families[v].append(u)
        return tuple(map(tuple, families))

    @property
    def possible_parents(self) -> tuple[tuple[int, ...], ...]:
        """Allowed parents of each variable, ascending."""
        return tuple(tuple(np.flatnonzero(column).tolist()) for column in self.allowed.T)

    def combined(self, other: EdgeRules, names: Sequence[str] | None = None) -> EdgeRules:
        """Return the rules of both.

        Edges that no such network can have are not allowed either: the reverse of a path of required edges, and further
        parents of a variable whose required parents reach its maximum.

        Raises
        ------
        ValueError
            If a required edge is not allowed, required edges close a cycle, or a variable has too many of them.

        Examples
        --------
        >>> free = EdgeRules(np.zeros((3, 3), dtype=bool), ~np.eye(3, dtype=bool), np.full(3, 2))
        >>> chain = np.array([[0, 1, 0], [0, 0, 1], [0, 0, 0]], dtype=bool)
        >>> free.combined(free._replace(required=chain)).allowed.astype(int)
        array([[0, 1, 1],
               [0, 0, 1],
               [0, 0, 0]])
        """
        required, allowed = self.required | other.required, self.allowed & other.allowed
        limits = np.minimum(self.limits, other.limits)
        if (outside := required & ~allowed).any():
            u, v = np.argwhere(outside)[0].tolist()
            raise ValueError(
                f"required edge {_shown(u, names)} -> {_shown(v, names)} may not be used: `within`, an order or a "
                "forbidden edge rules it out. Do not require it, or allow it."
            )
        counts = required.sum(axis=0)
        if counts.any():
            families = self._replace(required=required).parents
            for v in np.flatnonzero(counts > limits).tolist():
                parents = [_shown(u, names) for u in families[v]]
                raise ValueError(too_many(_shown(v, names), parents, int(limits[v])))
            if rest := set(range(len(limits))) - set(parents_first(families, range(len(limits)))):
                raise CycleError(tuple(map(str, range(len(limits)) if names is None else names)), families, rest)
            children = children_of(families)
            for v in np.flatnonzero(required.any(axis=1)).tolist():
                allowed[reachable(children, [v]), v] = False
        full = counts >= limits
        allowed[:, full] = required[:, full]
        return EdgeRules(required, allowed, limits)

    def permuted(self, order: Sequence[int]) -> EdgeRules:
        """Return the rules with the variables in another order: variable k becomes `order[k]`."""
        place = np.ix_(list(order), list(order))
        return EdgeRules(self.required[place], self.allowed[place], self.limits[list(order)])

    def ordered(self, order: Sequence[int]) -> tuple[int, ...]:
        """Order that has each variable after its required parents and is otherwise as close to `order` as possible."""
        return parents_first(self.parents, order)

    def along(self, order: Sequence[int]) -> tuple[int, ...]:
        """Order that permits every edge allowed in one direction only, otherwise as close to `order` as possible.

        If these edges close a cycle, the result is that of `ordered`.

        Examples
        --------
        >>> free = EdgeRules(np.zeros((3, 3), dtype=bool), ~np.eye(3, dtype=bool), np.full(3, 2))
        >>> tiers = np.array([[0, 0, 0], [1, 0, 1], [1, 0, 0]], dtype=bool)
        >>> free._replace(allowed=tiers).along(range(3))
        (1, 2, 0)
        """
        one_way = self.allowed & ~self.allowed.T
        found = parents_first([np.flatnonzero(column).tolist() for column in one_way.T], order)
        return found if len(found) == len(order) else self.ordered(order)

    def violations(self, parents: Sequence[Iterable[int]], names: Sequence[str] | None = None) -> tuple[str, ...]:
        """Violations of these rules by a graph, one sentence each.

        Parameters
        ----------
        parents : sequence of iterables of int, length n
        names : sequence of str, optional
        """
        edge = np.zeros_like(self.required)
        for v, family in enumerate(parents):
            edge[list(family), v] = True

        def shown(edges: Mask) -> list[str]:
            return [f"edge {_shown(u, names)} -> {_shown(v, names)}" for u, v in np.argwhere(edges).tolist()]

        missing = (f"required {text} is missing" for text in shown(self.required & ~edge))
        extra = (f"{text} is not allowed" for text in shown(edge & ~self.allowed))
        over_limit = np.flatnonzero(edge.sum(axis=0) > self.limits).tolist()
        return (*missing, *extra, *(f"{_shown(v, names)} has more than {self.limits[v]} parents" for v in over_limit))


def _shown(v: int, names: Sequence[str] | None) -> str:
    return str(v) if names is None else repr(names[v])


def too_many(child: str, parents: Sequence[str], limit: int) -> str:
    """Text of the error about a variable with too many required parents; names are given as displayed."""
    return (
        f"{child} has {len(parents)} required parents, {', '.join(parents)}, but may have {limit}: raise the maximum "
        "number of parents, or require fewer."
    )
