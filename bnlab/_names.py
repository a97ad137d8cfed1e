"""Suggest what a mistyped name may have meant."""

from collections.abc import Iterable
from difflib import get_close_matches


def nearest(name: object, known: Iterable[str]) -> str:
    """Sentence that offers the known names closest to `name`, or all of them when none is close.

    Examples
    --------
    >>> nearest("alrm", ["alarm", "asia", "child"])
    "did you mean 'alarm'?"
    >>> nearest("x", ["k2", "bic"])
    'known names: bic, k2'
    """
    names = sorted(known)
    close = get_close_matches(str(name).lower(), [n.lower() for n in names], n=3)
    original = {n.lower(): n for n in names}
    if close:
        return "did you mean " + " or ".join(repr(original[c]) for c in close) + "?"
    return "known names: " + ", ".join(names)
