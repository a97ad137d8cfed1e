"""Printed numbers and their reruns as one small table, a row a group and a column an item."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from bnlab.figures.table import BAD, GOOD, HtmlTable, html_table

if TYPE_CHECKING:
    import pandas as pd

MARKS = {True: "✓", False: "✗", None: ""}


def forest_table(
    table: pd.DataFrame,
    *,
    corner: str = "group",
    verdicts: tuple[str, str] = ("inside", "outside"),
    told: Callable[[str], str] = lambda group: group,
) -> HtmlTable:
    """Table of printed → rerun, marked ✓ or ✗.

    Parameters
    ----------
    table : DataFrame
        From `bnlab.experiments.rerun.Rerun.table`, all of it or some rows.
    corner : str
        What groups are.
    verdicts : (str, str)
        What a rerun that is as printed is called, and one that is not.
    told : callable
        What a group stands for, where its name is a mere key.
    """
    import pandas as pd

    items = list(dict.fromkeys(table["item"]))
    cells = {(row.group, row.item): _cell(row.text, row.inside) for row in table.itertuples()}
    groups = list(dict.fromkeys(table.group))
    frame = pd.DataFrame(
        [
            ["\n".join(dict.fromkeys((group, told(group)))), *(cells.get((group, item), "") for item in items)]
            for group in groups
        ],
        columns=[corner, *items],
    )
    return html_table(
        frame,
        grounds=lambda _, text: {MARKS[True]: GOOD, MARKS[False]: BAD}.get(text[-1:]),
        caption=counted_inside(table, verdicts),
    )


def _cell(text: str, inside: bool | None) -> str:
    """Numbers with their mark, which stays beside them."""
    return f"{text} {MARKS[inside]}".rstrip().replace(" ", "\u00a0")


def counted_inside(table: pd.DataFrame, verdicts: tuple[str, str]) -> str:
    """How many reruns are as printed, in a sentence.

    Examples
    --------
    >>> import pandas as pd
    >>> table = pd.DataFrame({"inside": [True, False, None]}, dtype=object)
    >>> counted_inside(table, ("inside", "outside"))
    '1 inside, 1 outside, 1 not run.'
    """
    counts = [
        (verdicts[0], sum(value is True for value in table.inside)),
        (verdicts[1], sum(value is False for value in table.inside)),
        ("not run", sum(value is None for value in table.inside)),
    ]
    parts = [f"{number} {word}" for word, number in counts if number or word != "not run"]
    return ", ".join(parts) + "."
