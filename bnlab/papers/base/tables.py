"""Tables of reported and reproduced numbers."""

from __future__ import annotations

from collections.abc import Callable

import pandas as pd

from bnlab.figures.labels import capitalised
from bnlab.figures.table import BAD, GOOD, HtmlTable, html_table

MARKS = {True: "✓", False: "✗", None: ""}
GROUNDS = {"✓": GOOD, "✗": BAD}


def forest_table(
    table: pd.DataFrame,
    *,
    corner: str = "group",
    verdicts: tuple[str, str] = ("agrees", "differs"),
    describe: Callable[[str], str] = lambda group: group,
) -> HtmlTable:
    """Table of reported → reproduced numbers, marked ✓ or ✗, one row per group and one column per item.

    Parameters
    ----------
    table : DataFrame
        From `bnlab.papers.base.experiment.Experiment.table`, all of it or some rows.
    corner : str
        Name of what the groups are.
    verdicts : (str, str)
        Verbs for a number that is reproduced, and for one that is not.
    describe : callable
        Function from a group to its description, for groups whose name is only a key.
    """
    items = list(dict.fromkeys(table["item"]))
    # The numbers and their mark stay on one line.
    cells = {
        (row.group, row.item): f"{row.text} {MARKS[row.inside]}".rstrip().replace(" ", "\u00a0")
        for row in table.itertuples()
    }
    rows = [
        ["\n".join(dict.fromkeys((group, describe(group)))), *(cells.get((group, item), "") for item in items)]
        for group in dict.fromkeys(table.group)
    ]
    return html_table(
        pd.DataFrame(rows, columns=[capitalised(corner), *items]),
        grounds=lambda _, text: GROUNDS.get(text[-1:]),
        caption=agreement(table, verdicts),
    )


def agreement(table: pd.DataFrame, verdicts: tuple[str, str]) -> str:
    """Number of rows that are reproduced, in a sentence.

    Examples
    --------
    >>> import pandas as pd
    >>> table = pd.DataFrame({"inside": [True, False, None]}, dtype=object)
    >>> agreement(table, ("agrees", "differs")), agreement(table[:2], ("holds in most cases", "fails"))
    ('1 of 2 agree, 1 not run.', '1 of 2 hold in most cases.')
    >>> agreement(table[2:], ("agrees", "differs"))
    '1 not run.'
    """
    good, bad, idle = (sum(value is key for value in table.inside) for key in (True, False, None))
    verb, *rest = verdicts[0].split(" ", 1)
    judged = [" ".join([f"{good} of {good + bad}", verb.removesuffix("s"), *rest])] if good + bad else []
    return ", ".join([*judged, *([f"{idle} not run"] if idle else [])]) + "."
