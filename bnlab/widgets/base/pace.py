"""When to draw again while a search runs."""

from __future__ import annotations

from math import inf
from time import perf_counter

CURVE_FRAME, GRAPH_FRAME = 0.09, 0.3
"""Seconds between two pictures of a curve and of a graph while a search runs; ten curves a second with all."""
CURVE_SHARE, GRAPH_SHARE = 0.05, 0.025
"""Of its time that a search gives up, at most, to have its curve and its graph drawn."""


class Pace:
    """When to draw again: at most every `frame` seconds, and seldom enough that drawing takes a share of the time.

    A single slow picture (memory is tidied up now and then) counts as at most twice the one before.
    """

    def __init__(self, share: float, frame: float) -> None:
        self._share, self._frame = share, frame
        self._next, self._usual = 0.0, inf

    def due(self) -> bool:
        """Whether it is time."""
        return perf_counter() >= self._next

    def took(self, seconds: float) -> None:
        """Note how long drawing took."""
        self._usual = min(seconds, 2 * self._usual)
        self._next = perf_counter() + max(self._frame - seconds, self._usual / self._share)
