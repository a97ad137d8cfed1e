"""Names of learners, scores and options in different spellings, and suggestions for mistyped ones."""

from collections.abc import Collection, Iterable
from difflib import get_close_matches
from typing import Any

_SHOWN = 30

ABBREVIATIONS = {
    "bestorderscoresearch": "boss",
    "cl": "chow-liu",
    "chowliutree": "chow-liu",
    "hc": "hill-climbing",
    "hillclimb": "hill-climbing",
    "loglik": "ll",
    "loglikelihood": "ll",
    "mdl": "bic",
    "obs": "ordering-search",
    "orderingbasedsearch": "ordering-search",
}
"""Common abbreviations and other names, in lower case letters and digits."""


def known_name(name: object, known: Iterable[str], what: str, also: str = "") -> str:
    """Known name that matches `name`, ignoring case, hyphens, underscores and spaces; `ABBREVIATIONS` match too.

    TypeError if it is no string, ValueError with similar names if none matches. The message begins with `what` and ends
    with `also`.

    Examples
    --------
    >>> known_name("Hill_Climbing", ["hill-climbing", "k2"], "algorithm")
    'hill-climbing'
    >>> known_name("hill-climber", ["hill-climbing", "k2"], "algorithm")
    Traceback (most recent call last):
    ...
    ValueError: algorithm='hill-climber': did you mean 'hill-climbing'?
    """
    names = list(known)
    if not isinstance(name, str):
        raise TypeError(f"{what}={name!r} is not a name: give a string; {nearest('', names)}{also}")
    if name in names:
        return name
    letters = _letters(name)
    matches = {letters, _letters(ABBREVIATIONS.get(letters, ""))} - {""}
    for candidate in names:
        if _letters(candidate) in matches:
            return candidate
    raise ValueError(f"{what}={name!r}: {nearest(name, names)}{also}")


def _letters(name: str) -> str:
    """Letters and digits of a name, in lower case."""
    return "".join(filter(str.isalnum, name.lower()))


def nearest(name: object, known: Iterable[str]) -> str:
    """Sentence that suggests the known names closest to `name`, or lists all of them, up to 30, if none is close.

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


def check_known(name: object, known: Collection[Any], what: str) -> None:
    """Raise a ValueError for an unknown name; the message begins with `what` and suggests similar names.

    Examples
    --------
    >>> check_known("sampel", ("map", "sample"), "method='sampel'")
    Traceback (most recent call last):
    ...
    ValueError: method='sampel': did you mean 'sample'?
    """
    if name not in known:
        raise ValueError(f"{what}: {nearest(name, map(str, known))}")
