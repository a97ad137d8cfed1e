"""What a player shows of any search: how the search describes its states, and its steps as points of a curve."""

from __future__ import annotations

from collections.abc import Mapping
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
class Scored(Protocol):
    """Information on a step that tells the scores of the present and of the best graph."""

    score: float
    best_score: float


def described(search: Any) -> Described:
    """The search itself where it describes its progress, otherwise a description without work, graph and policies."""
    return search if isinstance(search, Described) else Undescribed()


def progress(info: Any, steps: int) -> Progress:
    """Point of a curve for a step; a step without a score has none.

    Parameters
    ----------
    info : anything
        Second value of `Search.step`.
    steps : int
        Number of steps, this one included: the iteration where the step does not know it.
    """
    if isinstance(info, Progress):
        return info
    if isinstance(info, Scored):
        return Progress(steps, (float(info.score),), float(info.best_score))
    return Progress(steps, (), float("-inf"))


def edge_kinds(graph: Dag | Pdag, policies: Policies | None) -> Mapping[tuple[str, str], str] | None:
    """Kind of each edge, "permanent" or "chosen"; None for a search without permanent edges."""
    if policies is None or policies.edges is None or not isinstance(graph, Dag):
        return None
    permanent = {(graph.names[u], graph.names[v]) for u, v in policies.permanent}
    return {edge: "permanent" if edge in permanent else "chosen" for edge in graph.edges}
