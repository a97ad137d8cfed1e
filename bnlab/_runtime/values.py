"""Plain values for files and Python code, rules that check them, and tables of entries with such options."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from math import isfinite
from reprlib import Repr
from sys import float_info
from typing import Any, SupportsIndex, TypeVar

import numpy as np

from bnlab._runtime.names import known_name

DEPTH = 3
"""Maximum depth of nested lists; a list of orders of the variables has depth 2."""
WHOLE_BITS = 63
_short = Repr()
_short.maxstring = _short.maxother = _short.maxlong = 60


def shown(value: object) -> str:
    """Value in the form for error messages: on one line, and shortened."""
    return _short.repr(value)


def check_unicode(what: str, text: str) -> None:
    r"""Refuse text with half of a surrogate pair, which files, data frames and pages cannot hold.

    Examples
    --------
    >>> check_unicode("a name", "喫煙")
    >>> check_unicode("name", "caf\udce9")
    Traceback (most recent call last):
        ...
    ValueError: name 'caf\udce9' holds '\udce9', half of a character: read its file in its own encoding, or rename it.
    """
    try:
        text.encode()
    except UnicodeEncodeError as error:
        half = f"{shown(text)} holds {text[error.start]!r}, half of a character"
        raise ValueError(f"{what} {half}: read its file in its own encoding, or rename it.") from None


def check_text(field: str, value: Any) -> str:
    """String that any text file can hold; ValueError, which begins with `field`, for any other value."""
    if not isinstance(value, str):
        raise ValueError(f"{field} = {shown(value)}: text is needed.")
    if "\0" in value:
        raise ValueError(f"{field} = {shown(value)}: no text file holds a NUL; use other characters.")
    check_unicode(f"{field} =", value)
    return str.__str__(value)


def plain(field: str, value: Any, depth: int = DEPTH) -> Any:
    """Value made of exactly Python's own str, bool, int, float, None, tuple and dict.

    Lists and arrays become tuples. ValueError, which begins with `field`, if there is anything else, such as a number
    that is not finite, or if collections are nested deeper than `depth`.

    Examples
    --------
    >>> plain("x", [np.int64(2), np.str_("a"), np.array([0.5])])
    (2, 'a', (0.5,))
    """
    if isinstance(value, (np.ndarray, np.generic)):
        value = value.tolist()
    if isinstance(value, str):
        return check_text(field, value)
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, int):
        return int(value)
    if isinstance(value, float) and isfinite(value):
        return float(value)
    if depth and isinstance(value, (list, tuple)):
        return tuple(plain(field, item, depth - 1) for item in value)
    if depth and isinstance(value, Mapping):
        return {check_text(field, key): plain(field, item, depth - 1) for key, item in value.items()}
    raise ValueError(f"{field} = {shown(value)}: only text, finite numbers, and lists of them can be saved.")


def literal(value: Any) -> str:
    r"""Python source of a plain value; ValueError for any other.

    Examples
    --------
    >>> literal({"it's": [1, np.float64(0.5)]})
    '{"it\'s": (1, 0.5)}'
    """
    return repr(plain("value", value))


@dataclass(frozen=True)
class Kind:
    """Rule for a plain value: as text and as a function, and whether its strings are names of variables."""

    words: str
    holds: Callable[[Any], bool]
    variables: bool = False

    def checked(self, field: str, value: Any) -> Any:
        """Value as a plain value; ValueError, which begins with `field`, if it breaks the rule."""
        value = plain(field, value)
        if not self.holds(value):
            raise ValueError(f"{field} = {shown(value)}: {self.words}.")
        return value

    def __or__(self, other: Kind) -> Kind:
        """Values of either kind."""
        return Kind(
            f"{self.words}; or {other.words}",
            lambda value: self.holds(value) or other.holds(value),
            self.variables or other.variables,
        )


def whole(least: int) -> Kind:
    """Whole numbers from `least` up to the largest that compiled loops can count."""
    words = f"a whole number, at least {least} and below 2**{WHOLE_BITS}"
    return Kind(words, lambda value: type(value) is int and least <= value < 1 << WHOLE_BITS)


def number(least: float, most: float | None = None) -> Kind:
    """Finite numbers from `least` to `most`."""
    bound = float_info.max if most is None else most
    words = f"a finite number, at least {least:g}" + ("" if most is None else f" and at most {most:g}")
    return Kind(words, lambda value: type(value) in (int, float) and least <= value <= bound)


def one_of(*names: str) -> Kind:
    """One of several strings."""
    return Kind(f"one of {', '.join(map(repr, names))}", lambda value: isinstance(value, str) and value in names)


def list_of(words: str, holds: Callable[[Any], bool], *, variables: bool = False) -> Kind:
    """Tuples of values that follow a rule."""
    return Kind(f"a list of {words}", lambda value: isinstance(value, tuple) and all(map(holds, value)), variables)


def _is_string(value: Any) -> bool:
    return isinstance(value, str)


def _is_pair(value: Any) -> bool:
    return isinstance(value, tuple) and len(value) == 2 and all(map(_is_string, value))


def _is_node(value: Any) -> bool:
    return _is_string(value) or whole(0).holds(value)


FLAG = Kind("true or false", lambda value: isinstance(value, bool))
NAMES = list_of("names", _is_string)
NUMBERS = list_of("finite numbers", number(-float_info.max).holds)
VARIABLE = Kind("the name of a variable", _is_string, variables=True)
ORDER = list_of("variables, by name or number", _is_node, variables=True)
ORDERS = list_of("orders of the variables", ORDER.holds, variables=True)
PAIRS = list_of("pairs of names of variables, such as the edges of a graph", _is_pair, variables=True)


def strings_in(value: Any) -> Iterator[str]:
    """Strings in a plain value."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, tuple):
        for item in value:
            yield from strings_in(item)


@dataclass(frozen=True)
class Option:
    """An option of a learner or a score: its name, and its meaning as a phrase.

    Forms show it under its `label`, if it has one, and suggest `value`; None leaves that to the algorithm. Values
    follow `rule`, or are numbers from `least` to `most`, integers if `whole`. A session file can hold them if `saved`.
    """

    name: str
    words: str
    label: str = ""
    value: float | None = None
    least: float = 0
    most: float | None = None
    whole: bool = True
    rule: Kind | None = None
    saved: bool = True

    @property
    def kind(self) -> Kind:
        """Rule for its values."""
        if self.rule is not None:
            return self.rule
        return whole(int(self.least)) if self.whole else number(self.least, self.most)

    def checked(self, value: Any) -> float | int | None:
        """Number for the algorithm, from a number or its text; ValueError if it is no number or out of range."""
        if value is None or value == "":
            return None
        given = value
        if isinstance(value, str):
            value = _read_number(value)
        elif isinstance(value, np.generic):
            value = value.item()
        if self.whole and isinstance(value, float) and value.is_integer():
            value = int(value)
        if not self.kind.holds(value):
            raise ValueError(f"{self.label} = {shown(given)}: {self.kind.words}.")
        return int(value) if self.whole else float(value)


@dataclass(frozen=True)
class Entry:
    """A learner or a score in its table: its name in code, its label in forms, and a sentence that describes it."""

    name: str
    label: str
    words: str
    options: tuple[Option, ...] = ()

    @property
    def shown_options(self) -> tuple[Option, ...]:
        """Options that forms show."""
        return tuple(option for option in self.options if option.label)

    @property
    def kinds(self) -> dict[str, Kind]:
        """Rule for the values of each option that a session file can hold."""
        return {option.name: option.kind for option in self.options if option.saved}


E = TypeVar("E", bound=Entry)


def table_of(*entries: E) -> dict[str, E]:
    """Entries by their names."""
    return {entry.name: entry for entry in entries}


def entry_of(table: Mapping[str, E], name: str, what: str) -> E:
    """Entry with a name, see `bnlab._runtime.names.known_name`; ValueError if there is none."""
    return table[known_name(check_text(what, name), table, what)]


def at_least(name: str, value: Any, least: int) -> int:
    """Value of an option that counts something.

    Raises
    ------
    TypeError
        If it is not an integer.
    ValueError
        If it is less than `least`.
    """
    if isinstance(value, bool) or not isinstance(value, (int, SupportsIndex)):  # int first, because this check is fast
        raise TypeError(f"{name}={shown(value)} is not an integer: give one of at least {least}.")
    number = operator.index(value)
    if number < least:
        raise ValueError(f"{name}={value}: it must be at least {least}.")
    return number


def check_counts(least: int, **values: int) -> None:
    """Check options that count something with `at_least`."""
    for name, value in values.items():
        at_least(name, value, least)


def check_optional_counts(least: int, **values: int | None) -> None:
    """As `check_counts`; None means not set."""
    check_counts(least, **{name: value for name, value in values.items() if value is not None})


def _read_number(text: str) -> float | str:
    for read in (int, float):
        try:
            return read(text)
        except ValueError:
            continue
    return text
