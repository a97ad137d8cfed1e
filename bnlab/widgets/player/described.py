"""Adapters for any search: descriptions of its states, its steps as points of a curve, and its seed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass, replace
from math import inf
from typing import Any, Protocol, runtime_checkable

from bnlab.graphs import Dag, Pdag
from bnlab.search import Described, Policies, Progress, Undescribed


@runtime_checkable
class CountsIterations(Protocol):
    """A state of a search that knows its iteration."""

    iteration: int


@runtime_checkable
class HasBestScore(Protocol):
    """A state of a search that knows the score of the best graph so far."""

    best_score: float


@runtime_checkable
class Advances(Protocol):
    """A search whose steps are blocks of `B` iterations, and which can make fewer of them."""

    B: int

    def advance(self, state: Any, steps: int) -> tuple[Any, Progress]:
        """Make up to so many iterations."""


@runtime_checkable
class HasTimeLimit(Protocol):
    """A search that ends after a number of seconds, if it is not None."""

    time_limit: float | None


def time_limit_of(search: Any) -> float:
    """Seconds after which a search ends; infinite for no limit."""
    limit = search.time_limit if isinstance(search, HasTimeLimit) else None
    return inf if limit is None else float(limit)


def described(search: Any) -> Described:
    """The search itself if it describes its progress, otherwise a description without work, graph and policies."""
    return search if isinstance(search, Described) else Undescribed()


def progress(info: Any, steps: int) -> Progress:
    """Point of a curve for a report of `Search.step`; the iteration is the number of steps if the report has none."""
    return info if isinstance(info, Progress) else Progress(steps, (), float("-inf"))


def edge_kinds(graph: Dag | Pdag, policies: Policies | None) -> Mapping[tuple[str, str], str] | None:
    """Kind of each edge, "permanent" or "chosen"; None for a search without permanent edges."""
    if policies is None or policies.edges is None or not isinstance(graph, Dag):
        return None
    permanent = {(graph.names[u], graph.names[v]) for u, v in policies.permanent}
    return {edge: "permanent" if edge in permanent else "chosen" for edge in graph.edges}


def seed_of(search: Any) -> int | None:
    """Seed of a search; None if it has none or is not a dataclass, because only dataclasses are copied with a new seed.

    Examples
    --------
    >>> from bnlab.learners.k2 import K2Search
    >>> seed_of(K2Search(lambda child, parents: 0.0, 3, seed=5))
    5
    """
    names = {field.name for field in fields(search)} if is_dataclass(search) else set()
    return search.seed if "seed" in names else None


def reseeded(search: Any, shift: int) -> Any:
    """The same search with its seed increased by `shift`; at least 0."""
    seed = seed_of(search)
    return search if seed is None or shift == 0 else replace(search, seed=max(seed + shift, 0))
