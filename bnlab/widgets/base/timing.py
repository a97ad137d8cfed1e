"""When to draw again while a search runs, and texts of times."""

from __future__ import annotations

from collections.abc import Callable
from time import perf_counter

GRAPH_FRAME = 0.3
"""Minimum seconds between two drawings of a graph while a search runs."""
CURVE_SHARE, GRAPH_SHARE = 0.05, 0.025
"""Maximum shares of its time that a search spends on drawing its curve and its graph."""
LEAST = 0.01
"""Smallest number of seconds that is shown."""


class Pace:
    """When to draw again: at most every `frame` seconds, and so that drawing takes at most a share of the time.

    A single slow drawing, such as the first one, counts as at most twice the previous one.
    """

    def __init__(self, share: float, frame: float) -> None:
        self._share, self._frame = share, frame
        self._next, self._usual = 0.0, share * frame

    def due(self) -> bool:
        """Whether to draw now."""
        return perf_counter() >= self._next

    def took(self, seconds: float) -> None:
        """Record the time of a drawing."""
        self._usual = min(seconds, 2 * self._usual)
        self._next = perf_counter() + max(self._frame - seconds, self._usual / self._share)

    def draw(self, act: Callable[[], object]) -> None:
        """Draw if it is due."""
        if self.due():
            begun = perf_counter()
            act()
            self.took(perf_counter() - begun)


def spent(seconds: float) -> str:
    """Text of a duration.

    Examples
    --------
    >>> spent(0.004), spent(0.25), spent(1234.5)
    ('less than 0.01 s', '0.25 s', '1,234.50 s')
    """
    return f"{seconds:,.2f} s" if seconds >= LEAST else f"less than {LEAST} s"


def written_time(seconds: float) -> str:
    """Seconds, minutes, hours or days.

    Examples
    --------
    >>> written_time(0.02), written_time(12.3), written_time(300), written_time(9000)
    ('less than 1 s', '12 s', '5 min', '2.5 h')
    """
    if seconds < 1:
        return "less than 1 s"
    if seconds < 90:
        return f"{seconds:.0f} s"
    if seconds < 5400:
        return f"{seconds / 60:.0f} min"
    return f"{seconds / 3600:.1f} h" if seconds < 172_800 else f"{seconds / 86_400:,.0f} days"
