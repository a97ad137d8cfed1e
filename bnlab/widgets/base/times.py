"""Times in words."""

from __future__ import annotations

LEAST = 0.01


def duration(seconds: float) -> str:
    """Time that is left, roughly.

    Examples
    --------
    >>> duration(0.4), duration(75), duration(400), duration(8000)
    ('less than 1 s', '75 s', '7 min', '2.2 h')
    """
    if seconds < 1:
        return "less than 1 s"
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"


def spent(seconds: float) -> str:
    """Time that something took.

    Examples
    --------
    >>> spent(0.004), spent(0.25), spent(1234.5)
    ('less than 0.01 s', '0.25 s', '1,234.50 s')
    """
    return f"{seconds:,.2f} s" if seconds >= LEAST else f"less than {LEAST} s"
