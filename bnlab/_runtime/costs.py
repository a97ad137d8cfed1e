"""How long work takes, from short runs on few of the variables and rows."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass
from math import log
from time import perf_counter, process_time
from typing import NamedTuple

from bnlab._runtime.budget import written_size

FEW, FEW_ROWS = 10, 1000
"""Variables and rows of the first short run."""
BUDGET = 0.6
"""Seconds that all short runs may take."""
A_RUN = 0.05
"""Seconds after which a short run ends early if it knows how much is left."""
MORE_VARIABLES, MORE_ROWS = 2, 4
"""Factors from one short run to the next."""
RUN_GROWTH = 2.0
"""Power of the number of variables that tells whether the next short run is short enough."""
ROWS_GROWTH = 1.2
"""Power of the number of rows with which time grows: more rows show more edges, and leave the processor's cache."""
MOST_ROWS_GROWTH = 2.5
"""Greatest power that two short runs may show."""
ROWS_ANYWAY = 10_000
"""Rows that take as long as all else that a count takes."""
RESOLUTION = 1e-6
"""Least seconds that a `Watch` shows, so that the times of two runs have a ratio."""
BYTES_A_ROW = 20
"""Memory of counting beside bitmaps, in tables of terms and buffers."""
MANY = 1 << 28
"""Pairs of variables times rows, from which on work may take a minute."""
LONG = 60.0
"""Seconds of work that is announced."""
SHORT = LONG / 20
"""Seconds of work that is not, by any of the short runs."""

logger = logging.getLogger("bnlab")


@dataclass(frozen=True)
class Estimate:
    """What a run of a learner takes, within a factor of about three.

    Attributes
    ----------
    algorithm : str
    seconds : float
    memory : float
        Bytes beyond those of the table.
    at_least : bool
        Whether the time is a lower bound, because the rest depends on the data.
    """

    algorithm: str
    seconds: float
    memory: float
    at_least: bool = False

    def __str__(self) -> str:
        """Both in words, rounded."""
        time = in_words(self.seconds, self.at_least)
        return f"{self.algorithm}: {time}, about {written_size(self.memory)} of memory"


class Watch:
    """Seconds since it was made, without compilation and without those in which the processor worked for others."""

    compiling = 0.0
    """Seconds that this process has spent on compilation, which happens once and says nothing about the rest."""

    def __init__(self) -> None:
        self._begun = perf_counter(), process_time(), Watch.compiling

    def __call__(self) -> float:
        """Less of the time on the clock and of the processor time, of which threads take more."""
        clock, processor, compiling = self._begun
        return max(min(perf_counter() - clock, process_time() - processor) - (Watch.compiling - compiling), RESOLUTION)


class Spent(NamedTuple):
    """Seconds of a run, those of repeats, such as restarts, apart; and the families that it scored."""

    once: float
    repeats: float = 0.0
    families: int = 0


class Growth(NamedTuple):
    """How the seconds grow: relative sizes of the work on n variables, powers of n for repeats, and of the rows."""

    once: Callable[[int], float]
    repeats: float = 2.0
    rows: float = ROWS_GROWTH
    repeats_read_rows: bool = True

    def with_rows(self, few: int, many: int) -> float:
        """How many times as long it takes with many rows as with few."""
        return float(((many + ROWS_ANYWAY) / (few + ROWS_ANYWAY)) ** self.rows)


class ShortRun(NamedTuple):
    """A short run: numbers of variables and rows, the seconds of the whole run, and the power of rows that it shows."""

    n: int
    n_rows: int
    spent: Spent
    rows_growth: float = 0.0

    def seconds(self, n: int, n_rows: int, growth: Growth) -> float:
        """Seconds of a run on other numbers of variables and rows."""
        once = self.spent.once * growth.once(n) / growth.once(self.n)
        repeats = self.spent.repeats * (n / self.n) ** growth.repeats
        more = max(growth.with_rows(self.n_rows, n_rows), (n_rows / self.n_rows) ** self.rows_growth)
        return float(once * more + repeats * (more if growth.repeats_read_rows else 1.0))

    def with_growth(self, shorter: ShortRun | None) -> ShortRun:
        """Run with the power of rows that a shorter one shows, which is great where more rows show more edges."""
        if shorter is None or shorter.n < self.n or shorter.n_rows == self.n_rows:
            return self._replace(rows_growth=shorter.rows_growth) if shorter else self
        more = log(sum(self.spent[:2]) / sum(shorter.spent[:2])) / log(self.n_rows / shorter.n_rows)
        return self._replace(rows_growth=min(more, MOST_ROWS_GROWTH))

    def with_repeats(self, shorter: ShortRun | None, growth: Growth) -> ShortRun:
        """Run that ended before the first repeat, with those of a shorter run."""
        if shorter is None or self.spent.repeats:
            return self
        repeats = ShortRun(shorter.n, shorter.n_rows, Spent(0.0, shorter.spent.repeats))
        return self._replace(spent=self.spent._replace(repeats=repeats.seconds(self.n, self.n_rows, growth)))


def longest_run(
    run_on: Callable[[int, int], Spent], n: int, n_rows: int, growth: Growth, enough: float = 0.0
) -> ShortRun:
    """Longest of several short runs on more and more of n variables and of the rows.

    Parameters
    ----------
    run_on : callable (variables, rows) -> Spent
        Does the work on the first variables and rows, and tells how long the whole of it takes.
    n, n_rows : int
    growth : Growth
    enough : float
        Seconds: work that takes less needs no further short run.
    """
    m, rows = min(n, FEW), min(n_rows, FEW_ROWS)
    run_on(m, rows)  # which may compile
    budget, before, shorter = Watch(), None, None
    while True:
        begun = budget()
        found = ShortRun(m, rows, run_on(m, rows)).with_repeats(shorter, growth).with_growth(shorter)
        took = budget() - begun
        if (m, rows) == (n, n_rows) or found.seconds(n, n_rows, growth) < enough:
            return found
        wider = (n / m) ** RUN_GROWTH >= growth.with_rows(rows, n_rows)  # what is farther from the whole grows next
        after = (min(n, MORE_VARIABLES * m), rows) if wider else (m, min(n_rows, MORE_ROWS * rows))
        longer = took * (after[0] / m) ** RUN_GROWTH * growth.with_rows(rows, after[1])
        if budget() + longer <= BUDGET:
            (m, rows), before, shorter = after, None, found
        elif before is None and budget() + took <= BUDGET:
            before = found  # A first run of a kind loads what later ones have.
        else:
            return min(before or found, found, key=lambda short: sum(short.spent[:2]))


def may_be_long(n: int, n_rows: int) -> bool:
    """Whether work on a table of n variables may take a minute."""
    return n * n * n_rows >= MANY


def say_if_long(what: str, n: int, n_rows: int, seconds: float, at_least: bool = False) -> None:
    """Log a warning before work that takes more than a minute, or of which nobody knows how long it takes.

    Parameters
    ----------
    what : str
        What begins, for the message.
    n, n_rows : int
        Size of the table.
    seconds : float
    at_least : bool
        Whether the time is a lower bound.
    """
    if seconds > LONG or at_least:
        logger.warning(
            "bnlab begins %s on %s variables and %s rows, which takes %s. Ctrl-C ends it; fewer variables "
            "(table.select) take less.",
            what,
            f"{n:,}",
            f"{n_rows:,}",
            in_words(seconds, at_least),
        )


def in_words(seconds: float, at_least: bool = False) -> str:
    """Seconds as an estimate, or as a lower bound.

    Examples
    --------
    >>> in_words(0.5), in_words(300), in_words(0.5, at_least=True)
    ('less than 1 s', 'about 5 min', 'at least 1 s, or hours')
    """
    if at_least:
        return f"at least {written_time(max(seconds, 1.0))}, or hours"
    return f"{'about ' if seconds >= 1 else ''}{written_time(seconds)}"


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
