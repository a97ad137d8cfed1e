"""Entries of the tables of learners and scores: names, labels, and options with their ranges and descriptions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np

from bnlab._runtime.names import known_name
from bnlab._runtime.values import Kind, check_text, number, shown, whole


@dataclass(frozen=True)
class Option:
    """An option of a learner or a score.

    Attributes
    ----------
    name : str
    words : str
        What it means, as a phrase.
    label : str
        What forms call it; "" for an option that forms do not show.
    value : float or None
        What a form suggests; None leaves it to the algorithm.
    least, most, whole
        Range of a number, and whether it is an integer.
    rule : Kind, optional
        What values must be if they are not such a number.
    saved : bool
        Whether a session file can hold it.
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
        """What its values must be."""
        if self.rule is not None:
            return self.rule
        return whole(int(self.least)) if self.whole else number(self.least, self.most)

    def checked(self, value: Any) -> float | int | None:
        """Number as the algorithm takes it, from a number or from its text.

        Raises
        ------
        ValueError
            When it is no such number, or out of range.
        """
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
    """A learner or a score in its table.

    Attributes
    ----------
    name, label : str
        What code and forms call it.
    words : str
        What it does, in a sentence.
    options : tuple of Option
    """

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
        """What the values of each option must be, of those that a session file can hold."""
        return {option.name: option.kind for option in self.options if option.saved}


E = TypeVar("E", bound=Entry)


def table_of(*entries: E) -> dict[str, E]:
    """Entries by their names."""
    return {entry.name: entry for entry in entries}


def entry_of(table: Mapping[str, E], name: str, what: str) -> E:
    """Entry with a name, see `bnlab._runtime.names.known_name`; ValueError when there is none."""
    return table[known_name(check_text(what, name), table, what)]


def _read_number(text: str) -> float | str:
    for read in (int, float):
        try:
            return read(text)
        except ValueError:
            continue
    return text
