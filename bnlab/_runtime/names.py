"""Suggest what a mistyped name may have meant."""

from collections.abc import Iterable
from difflib import get_close_matches

_SHOWN = 30


def nearest(name: object, known: Iterable[str]) -> str:
    """Sentence that offers the known names closest to `name`, or all of them, up to 30, when none is close.

    Examples
    --------
    >>> nearest("alrm", ["alarm", "asia", "child"])
    "did you mean 'alarm'?"
    >>> nearest("x", ["k2", "bic"])
    'known names: bic, k2'
    >>> nearest("zzz", [f"x{k:03}" for k in range(500)])[-17:]
    'x029 and 470 more'
    """
    names = sorted(known)
    close = get_close_matches(str(name).lower(), [n.lower() for n in names], n=3)
    original = {n.lower(): n for n in names}
    if close:
        return "did you mean " + " or ".join(repr(original[c]) for c in close) + "?"
    more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    return "known names: " + ", ".join(names[:_SHOWN]) + more
