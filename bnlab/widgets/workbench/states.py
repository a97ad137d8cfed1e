"""States of one column in a workbench: a table that renames, merges and orders them."""

from __future__ import annotations

from itertools import islice

import numpy as np

from bnlab._runtime.names import nearest
from bnlab.analysis.preparation_editor import PreparationEditor
from bnlab.data.table import Table
from bnlab.widgets.base import controls as kit

CHANGES = ("state", "up", "down", "merge", "reset-states")
"""Controls that change the states of a column; a colon and the first state in the data follow."""
RENAME = "New name; states of the same name are merged"
LISTED = 60
"""Maximum number of states that can be changed here; code can change the others."""


def state_lines(preparing: PreparationEditor, table: Table, column: str) -> kit.Lines:
    """States of a variable with their rows and the controls that change them."""
    variable, codes = table.variables[table.index(column)], table.column(column)
    rows = dict(zip(map(str, variable.states), np.bincount(codes, minlength=variable.arity).tolist(), strict=False))
    listed = [(state, data) for state, data in preparing.states(column).items() if state in rows]
    most = max(rows.values()) or 1
    shown = list(islice(listed, LISTED))
    more, changed = len(listed) - len(shown), column in preparing.preparation.states
    heads = ("State", "Order", "Rows", *(["In the data"] if changed else []))
    lines: list[tuple[str, list[kit.Cell]]] = [
        (
            data[0],
            [
                [kit.bare(kit.text(f"state:{data[0]}", f"Name of {state}", state, RENAME))],
                _order(state, data[0], i, len(listed)),
                [kit.progress(f"share:{data[0]}", state, rows[state] / most, f"{rows[state]:,}")],
                *([", ".join(data)] if changed else []),
            ],
        )
        for i, (state, data) in enumerate(shown)
    ]
    return [
        [kit.table("states", f"States of {column}", heads, lines, left=("Order", "In the data"))],
        [kit.message("others", f"and {more:,} further states")] if more else [],
        [kit.button("reset-states", "Reset states", "Take the states of the data again")] if changed else [],
    ]


def _order(state: str, key: str, place: int, count: int) -> list[kit.Control]:
    """Buttons that move a state and merge it."""
    texts = {"up": f"Move {state} up", "down": f"Move {state} down", "merge": f"Merge {state} with the state above"}
    symbols = {"up": "↑", "down": "↓", "merge": "⤒"}
    return [
        kit.button(
            f"{change}:{key}",
            text,
            text,
            enabled=place < count - 1 if change == "down" else place > 0,
            symbol=symbols[change],
        )
        for change, text in texts.items()
    ]


def changed_states(preparing: PreparationEditor, column: str, change: str, key: str, value: str) -> dict[str, str]:
    """New states by the current ones, in order, after the use of a control; ValueError for an empty name.

    Examples
    --------
    >>> import pandas as pd
    >>> editor = PreparationEditor.suggested(pd.DataFrame({"x": list("abcabc"), "y": list("ababab")}))
    >>> changed_states(editor, "x", "up", "c", "")
    {'a': 'a', 'c': 'c', 'b': 'b'}
    >>> changed_states(editor, "x", "merge", "c", "")
    {'a': 'a', 'b': 'b', 'c': 'b'}
    """
    if change == "reset-states":
        return {}
    current = preparing.states(column)
    names = list(current)
    i = next((k for k, data in enumerate(current.values()) if key in data), None)
    if i is None:
        raise ValueError(f"column {column!r} has no state {key!r}: {nearest(key, current)}")
    new = dict(zip(names, names, strict=True))
    if change == "state":
        if not value.strip():
            raise ValueError(f"{names[i]!r} of {column!r}: a state needs a name.")
        new[names[i]] = value.strip()
        return new
    other = i + (1 if change == "down" else -1)
    if not 0 <= other < len(names):
        raise ValueError(f"{names[i]!r} of {column!r}: there is no state beyond it.")
    if change == "merge":
        new[names[i]] = names[other]
        return new
    names[i], names[other] = names[other], names[i]
    return {name: name for name in names}
