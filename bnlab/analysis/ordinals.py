"""Natural order of states: words of known scales, months, days of the week, and ranges of numbers."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache

import pandas as pd

MOST = 60
"""Maximum number of states that are put in order."""
# Scales from low to high. Words separated by a bar have the same place and must not occur together.
SCALES = (
    "zero, very low, low, rather low, medium|moderate|middle|average|normal, rather high, high, very high",
    "tiny, very small, small, medium|middle, large|big, very large, huge",
    "none, very mild, mild, moderate, severe, very severe, critical",
    "none, a little|slight|slightly, some, moderate, much|a lot, very much",
    "xxs, xs, s, m, l, xl, xxl, xxxl",
    "never, almost never, very rarely, rarely|seldom, occasionally, sometimes, frequently, often, very often|usually, "
    "almost always|nearly always, always",
    "strongly disagree|completely disagree|totally disagree, disagree, somewhat disagree|slightly disagree, "
    "neutral|neither agree nor disagree|neither|undecided|unsure, somewhat agree|slightly agree, agree, "
    "strongly agree|completely agree|totally agree",
    "very dissatisfied, dissatisfied, somewhat dissatisfied, neutral|neither satisfied nor dissatisfied, "
    "somewhat satisfied, satisfied, very satisfied",
    "very bad|terrible, bad, fair|ok|okay|average|neutral, good, very good, excellent",
    "very poor, poor, fair|average, good, very good, excellent|outstanding",
    "very unlikely, unlikely, neutral|possible, likely, very likely",
    "not at all, a little|slightly, somewhat|moderately, quite a bit|very, very much|extremely",
    "unimportant|not important, slightly important, moderately important, important, very important",
    "decreased|decreasing|falling, stable|unchanged|same|constant, increased|increasing|rising",
    "child, teenager|adolescent, adult, senior|elderly",
    "young, middle aged|middle, old",
    "primary, secondary, tertiary",
    "first, second, third, fourth, fifth, sixth, seventh, eighth, ninth, tenth",
    "morning, noon, afternoon, evening, night",
    "spring, summer, autumn|fall, winter",
    "monday|mon|montag|mo, tuesday|tue|tues|dienstag|di, wednesday|wed|mittwoch|mi, thursday|thu|thurs|donnerstag|do, "
    "friday|fri|freitag|fr, saturday|sat|samstag|sonnabend|sa, sunday|sun|sonntag|so",
    "january|jan|januar|jänner, february|feb|februar, march|mar|märz|mär|mrz, april|apr, may|mai, june|jun|juni, "
    "july|jul|juli, august|aug, september|sep|sept, october|oct|oktober|okt, november|nov, december|dec|dezember|dez",
    "sehr niedrig, niedrig|gering, mittel, hoch, sehr hoch",
    "klein, mittel, groß",
    "nie|niemals, fast nie, selten, manchmal|gelegentlich, oft|häufig, sehr oft|fast immer, immer",
    "stimme überhaupt nicht zu|stimme gar nicht zu, stimme nicht zu, stimme eher nicht zu, neutral|teils teils|"
    "weder noch, stimme eher zu, stimme zu, stimme voll zu|stimme voll und ganz zu",
    "sehr schlecht, schlecht, mittel|mittelmäßig, gut, sehr gut",
)
_RANGE = re.compile(
    r"(?P<mark>[<≤>≥]=?|under|below|up to|over|above)?\s*"
    r"(?P<low>[+-]?\d+(?:[.,]\d+)?)\s*(?:%|years?|yrs?)?"
    r"(?:\s*(?:-|–|to|bis)\s*(?P<high>\d+(?:[.,]\d+)?)\s*(?:%|years?|yrs?)?|\s*(?P<more>\+|and more|and over|or more))?"
)
_BELOW = ("<", "≤", "under", "below", "up to")


@cache
def _places() -> tuple[dict[str, int], ...]:
    """Position of each word on each scale."""
    return tuple(
        {word.strip(): place for place, words in enumerate(scale.split(",")) for word in words.split("|")}
        for scale in SCALES
    )


def natural_order(states: Sequence[str]) -> tuple[str, ...] | None:
    """States in their natural order; None if no order is known.

    Case, hyphens and underscores are ignored. The states must be words of the same scale, or ranges of numbers such as
    "<18", "18-29" and "65+".

    Examples
    --------
    >>> natural_order(["High", "Low", "Medium"])
    ('Low', 'Medium', 'High')
    >>> natural_order(["10-19", "20+", "0-9"])
    ('0-9', '10-19', '20+')
    >>> natural_order(["red", "green"])
    """
    if not 2 <= len(states) <= MOST:
        return None
    words = [re.sub(r"[\s_/-]+", " ", state).strip().casefold() for state in states]
    if len(words) == 2 and max(map(len, words)) <= 2:  # two codes of one or two letters can mean anything
        return None
    for scale in _places():
        if all(word in scale for word in words):
            return _sorted(states, [scale[word] for word in words])
    ranges = [_RANGE.fullmatch(state.strip().casefold()) for state in states]
    if not all(ranges) or not any(found and (found["mark"] or found["high"] or found["more"]) for found in ranges):
        return None
    return _sorted(states, [_bounds(found) for found in ranges if found])


def _bounds(found: re.Match[str]) -> tuple[float, int]:
    """Lower bound of a range, and the side of it on which the range lies."""
    low, mark = float(found["low"].replace(",", ".")), found["mark"] or ""
    return low, -1 if mark.rstrip("=") in _BELOW else 1 if mark or found["more"] else 0


def _sorted(states: Sequence[str], places: Sequence[object]) -> tuple[str, ...] | None:
    """States sorted by their positions; None if two have the same position."""
    by_place = dict(zip(places, states, strict=True))
    return tuple(by_place[place] for place in sorted(by_place)) if len(by_place) == len(states) else None  # type: ignore[type-var]


def order_of(column: pd.Series) -> tuple[str, ...] | None:
    """Natural order of the values of a column; None if there is none, or the column declares its own order."""
    if isinstance(column.dtype, pd.CategoricalDtype):
        return None if column.cat.ordered else _order(column.cat.categories.tolist())
    if column.dtype != "object" and not isinstance(column.dtype, pd.StringDtype):
        return None
    try:
        first = column.head(1000).dropna().unique().tolist()
        if len(first) > 1 and _order(first) is None:  # avoids a search of long columns
            return None
        return _order(column.dropna().unique().tolist())
    except TypeError:  # values that cannot be compared
        return None


def _order(states: list[object]) -> tuple[str, ...] | None:
    words = [state for state in states if isinstance(state, str)]
    return natural_order(words) if len(words) == len(states) else None


def in_natural_order(frame: pd.DataFrame) -> pd.DataFrame:
    """Convert columns of words with a natural order to ordered categoricals.

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"risk": ["low", "high", "medium"], "eyes": ["blue", "brown", "blue"]})
    >>> in_natural_order(frame)["risk"].cat.categories.tolist()
    ['low', 'medium', 'high']
    """
    orders = {name: order for name in frame.columns if (order := order_of(frame[name])) is not None}
    return frame.astype({name: pd.CategoricalDtype(order, ordered=True) for name, order in orders.items()})
