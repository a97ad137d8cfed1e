"""The front door to Chen's search: as published, or with the best readings and a climb from its best network."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from functools import partial
from typing import Any

import numpy as np

from bnlab._runtime.names import check_known
from bnlab.graphs.dag import Dag
from bnlab.learners.chain import Chain, ChainState
from bnlab.learners.chen.readings import Readings
from bnlab.learners.chen.search import ChenSearch, paper_search
from bnlab.learners.hill_climbing.search import HillClimbing
from bnlab.learners.types import ParentTuples, Phi
from bnlab.search import Progress, Snapshot, Work

BEST: dict[str, Any] = {"beta": "data", "limit": "moves", "answer": "best"}
"""Readings that end nearest to the true network: the rate follows from the data, and Q counts the moves of a node."""
VARIANTS = ("default", "paper")


def chen_search(phi: Phi, n: int, *, variant: str = "default", **options: Any) -> ChenThenClimb | ChenSearch:
    """Chen's search in one of its variants.

    Parameters
    ----------
    phi : callable (child, parents) -> float
        Local score φ_i(Π_i, T), greater is better.
    n : int
        Number of variables, at least two.
    variant : "default" or "paper"
        With the readings `BEST` and followed by a climb; or `paper_search`, as published.
    **options
        Parameters of `ChenSearch` and of `Readings`.

    Raises
    ------
    ValueError, TypeError
        If the variant or one of its options is unknown, or as for `ChenSearch`.

    Examples
    --------
    >>> gain = np.array([[0, 5, 0], [6, 0, 3], [-2, 9, 0]])
    >>> from bnlab.search import run
    >>> run(chen_search(lambda child, parents: float(sum(gain[j, child] for j in parents)), 3))
    ((), (0, 2), (0,))
    """
    check_known(variant, VARIANTS, f"variant={variant!r}")
    known = {f.name for kind in (ChenSearch, Readings) for f in fields(kind)} - {"phi", "n", "readings"}
    for name in options:
        check_known(name, known, f"{name!r} is no option of Chen's search")
    if variant == "paper":
        return paper_search(phi, n, **options)
    search = paper_search(phi, n, **{**BEST, **options})
    return ChenThenClimb(search, partial(_climb, search))


@dataclass(frozen=True, eq=False)
class ChenThenClimb(Chain):
    """Chen's search, and hill climbing from its result.

    The state shows what each has reached: `first` is the `ChenState`, whose `best_score` is that of Chen's search
    alone, and `second` the state of the climb.
    """

    def step(self, state: ChainState) -> tuple[ChainState, Progress]:
        """Make a step; moves of the climb are numbered after the iterations of Chen's search."""
        after, info = super().step(state)
        if state.second is None:
            return after, info
        before = state.first.iteration
        events = tuple(event._replace(iteration=event.iteration + before) for event in info.events)
        best = max(info.best_score, state.first.best_score)
        return after, replace(info, iteration=info.iteration + before, best_score=best, events=events)

    def snapshot(self, state: ChainState) -> Snapshot:
        """Snapshot of the present search; the climb is one unit of work, because its number of moves is unknown."""
        found = super().snapshot(state)
        return found if state.second is None else replace(found, work=Work(int(self.is_done(state)), 1, "climbs"))

    def graph_of(self, sketch: Any, names: Sequence[str]) -> Dag:
        """Network of either search."""
        search: ChenSearch = self.first
        return search.graph_of(sketch, names) if isinstance(sketch, np.ndarray) else super().graph_of(sketch, names)


def _climb(search: ChenSearch, found: ParentTuples) -> HillClimbing:
    return HillClimbing(search.phi, search.n, start=found, knowledge=search.rules)
