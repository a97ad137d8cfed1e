"""Names: as people write those of learners, and what a mistyped one may have meant."""

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
"""Usual short or other names, in lower case letters and digits."""


def known_name(name: object, known: Iterable[str], what: str, also: str = "") -> str:
    """Known name that is meant: case, hyphens, underscores and spaces do not matter, and `ABBREVIATIONS` count.

    TypeError if it is no string, ValueError with the nearest names if none is meant; `what` begins and `also` ends it.

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
    spelt = _letters(name)
    wanted = {spelt, _letters(ABBREVIATIONS.get(spelt, ""))} - {""}
    for own in names:
        if _letters(own) in wanted:
            return own
    raise ValueError(f"{what}={name!r}: {nearest(name, names)}{also}")


def _letters(name: str) -> str:
    """Letters and digits of a name, in lower case."""
    return "".join(filter(str.isalnum, name.lower()))


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


def check_known(name: object, known: Collection[Any], what: str) -> None:
    """Raise a ValueError, which `what` begins and the nearest known names end, for a name that is not known.

    Examples
    --------
    >>> check_known("sampel", ("map", "sample"), "method='sampel'")
    Traceback (most recent call last):
    ...
    ValueError: method='sampel': did you mean 'sample'?
    """
    if name not in known:
        raise ValueError(f"{what}: {nearest(name, map(str, known))}")
