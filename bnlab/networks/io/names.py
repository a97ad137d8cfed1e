"""Names and states as text, for the formats that hold nothing else."""

from __future__ import annotations

import re
from collections.abc import Sequence

from bnlab.data.variable import Variable, shortened


def state_texts(variable: Variable, format: str) -> list[str]:
    """States of a variable as text; ValueError if two have the same."""
    texts = [str(state) for state in variable.states]
    if len(set(texts)) < len(texts):
        raise ValueError(
            f"variable {variable.name!r} has the states {shortened(variable.states)}: two have the same text, "
            f"which {format} cannot distinguish; rename one."
        )
    return texts


def plain_names(names: Sequence[str]) -> list[str]:
    """Names that are identifiers of ASCII characters and differ: a name that is none becomes ``x`` and its number.

    Examples
    --------
    >>> plain_names(["rain", "chest pain", "x2", "2nd"])
    ['rain', 'x2_', 'x2', 'x4']
    """
    return _plain(names, [name.isascii() and name.isidentifier() and name.lower() not in _WORDS for name in names], "x")


def plain_states(states: Sequence[str]) -> list[str]:
    """States of ASCII letters, digits and underscores that differ: any other becomes ``s`` and its number.

    Examples
    --------
    >>> plain_states(["<5", "5", "(5, 9]"])
    ['s1', '5', 's3']
    """
    return _plain(states, [re.fullmatch("[A-Za-z0-9_]+", state) is not None for state in states], "s")


def _plain(names: Sequence[str], are_plain: Sequence[bool], letter: str) -> list[str]:
    taken = {name for name, is_plain in zip(names, are_plain, strict=True) if is_plain}
    found = []
    for number, (name, is_plain) in enumerate(zip(names, are_plain, strict=True), start=1):
        new = name if is_plain else f"{letter}{number}"
        while not is_plain and new in taken:
            new += "_"
        found.append(new)
    return found


_WORDS = frozenset(
    (
        *("class", "data", "default", "discrete", "function", "label", "net", "network", "node", "potential"),
        *("probability", "property", "states", "table", "type", "utility", "variable"),
    )
)
