"""How long work on many variables takes, from short runs on few of them."""

from __future__ import annotations

import logging
from collections.abc import Callable
from time import perf_counter

FEW, SOME = 8, 20
"""Least numbers of variables of the two short runs."""
FEW_OF, SOME_OF = 40, 10
"""Of many variables the short runs take one of so many."""
LEAST_GROWING = 0.3
"""Least part of the seconds of the second run that grows with the number of variables."""
MANY = 1 << 30
"""Pairs of variables times rows, from which on work may take a minute."""
LONG = 60.0
"""Seconds of work that is announced."""

logger = logging.getLogger("bnlab")


def short_sizes(n: int) -> tuple[int, int]:
    """Numbers of variables of the two short runs for work on n.

    Examples
    --------
    >>> short_sizes(37), short_sizes(5000)
    ((8, 20), (125, 500))
    """
    return max(FEW, n // FEW_OF), max(SOME, n // SOME_OF)


def extrapolated(few: tuple[int, float], some: tuple[int, float], n: int, power: float) -> float:
    """Seconds for n variables: some that do not depend on their number, and some that grow with a power of it.

    Parameters
    ----------
    few, some : (int, float)
        Number of variables and seconds of two short runs.
    n : int
    power : float
    """
    (m, seconds), (m_few, seconds_few) = some, few
    if n <= m:
        return seconds
    growing = (seconds - seconds_few) / (m**power - m_few**power) if m > m_few else 0.0
    # The short runs of a busy machine may say that nothing grows.
    growing = max(growing, LEAST_GROWING * seconds / m**power)
    return float(seconds + growing * (n**power - m**power))


def may_be_long(n: int, n_rows: int) -> bool:
    """Whether work on a table of n variables may take a minute."""
    return n * n * n_rows >= MANY


def say_if_long(what: str, n: int, n_rows: int, power: float, run_on: Callable[[int], object]) -> None:
    """Log a warning before work that takes more than a minute, with an estimate.

    Parameters
    ----------
    what : str
        What begins, for the message.
    n, n_rows : int
        Size of the table.
    power : float
        Power of the number of variables with which the time grows.
    run_on : callable
        Does the work on the first variables, so many.
    """
    if not may_be_long(n, n_rows):
        return
    run_on(FEW)  # which may compile

    def short_run(m: int) -> tuple[int, float]:
        begun = perf_counter()
        run_on(m)
        return m, perf_counter() - begun

    few, some = short_sizes(n)
    seconds = extrapolated(short_run(few), short_run(some), n, power)
    if seconds > LONG:
        logger.warning(
            "bnlab begins %s on %s variables and %s rows, which takes about %s. Ctrl-C ends it; fewer variables "
            "(table.select) take less.",
            what,
            f"{n:,}",
            f"{n_rows:,}",
            written_time(seconds),
        )


def written_time(seconds: float) -> str:
    """Seconds, minutes or hours.

    Examples
    --------
    >>> written_time(0.02), written_time(12.3), written_time(300), written_time(9000)
    ('less than 1 s', '12 s', '5 min', '2.5 h')
    """
    if seconds < 1:
        return "less than 1 s"
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"
