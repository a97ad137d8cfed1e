"""Reported and reproduced numbers as tables."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from bnlab.figures.labels import score_label
from bnlab.figures.table import BAD, GOOD, HtmlTable, html_table, signed

if TYPE_CHECKING:
    import pandas as pd

MARKS = {True: "✓", False: "✗", None: ""}
GROUNDS = {"✓": GOOD, "✗": BAD}


def forest_table(
    table: pd.DataFrame,
    *,
    corner: str = "group",
    verdicts: tuple[str, str] = ("inside", "outside"),
    describe: Callable[[str], str] = lambda group: group,
    unit: str = "",
) -> HtmlTable:
    """Table of reported → reproduced, a row a group and a column an item, marked ✓ or ✗.

    Parameters
    ----------
    table : DataFrame
        From `bnlab.experiments.experiment.Experiment.table`, all of it or some rows.
    corner : str
        What groups are.
    verdicts : (str, str)
        Names for a number that is reproduced, and for one that is not.
    describe : callable
        From a group to its description, where its name is only a key.
    unit : str
        Of the numbers, for the caption.
    """
    import pandas as pd

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
        pd.DataFrame(rows, columns=[corner, *items]),
        grounds=lambda _, text: GROUNDS.get(text[-1:]),
        caption=(f"Reported → reproduced, {unit}. " if unit else "") + counted_inside(table, verdicts),
    )


def counted_inside(table: pd.DataFrame, verdicts: tuple[str, str]) -> str:
    """Number of rows that are reproduced, in a sentence.

    Examples
    --------
    >>> import pandas as pd
    >>> table = pd.DataFrame({"inside": [True, False, None]}, dtype=object)
    >>> counted_inside(table, ("inside", "outside"))
    '1 inside, 1 outside, 1 not run.'
    """
    words = {True: verdicts[0], False: verdicts[1], None: "not run"}
    counts = {key: sum(value is key for value in table.inside) for key in words}
    return ", ".join(f"{counts[key]} {word}" for key, word in words.items() if counts[key] or key is not None) + "."


def comparison_rows(data: pd.DataFrame) -> pd.DataFrame:
    """Accuracies beside the reported ones as rows of a forest plot.

    Parameters
    ----------
    data : DataFrame
        Such as `bnlab.experiments.carvalho2009.table2` gives, of one protocol: the last two columns before "published"
        name the group and the item.

    Returns
    -------
    DataFrame
        As `bnlab.experiments.experiment.Experiment.table`.
    """
    group, item = data.columns[: data.columns.get_loc("published")][-2:]
    table = data.assign(group=data[group], item=data[item].map(score_label), runs=data.seeds)
    table["low"], table["high"] = data.published - data.half_width, data.published + data.half_width
    table["inside"] = data.inside.astype(object)
    table["text"] = [f"{row.published:.2f}\n→ {row.rerun:.2f}" for row in data.itertuples()]
    table["note"] = [f"{seeds} runs" for seeds in data.seeds]
    return table


def comparison_matrix(data: pd.DataFrame) -> HtmlTable:
    """Table with a row a data set and a column a score: reported → reproduced, marked ✓ or ✗.

    Parameters
    ----------
    data : DataFrame
        As for `comparison_rows`.
    """
    return forest_table(comparison_rows(data), corner="dataset", unit="%")


def comparison_table(data: pd.DataFrame) -> HtmlTable:
    """Table *reported | reproduced | difference | inside its interval?*, one row a number.

    Parameters
    ----------
    data : DataFrame
        As for `comparison_rows`; all columns before "published" name a number.
    """
    naming = list(data.columns[: data.columns.get_loc("published")])
    shown = data[naming].assign(
        reported=[f"{v:.2f} ± {half:.2f}" for v, half in zip(data.published, data.half_width, strict=True)],
        reproduced=data.rerun,
        difference=data.difference,
        inside=["✓ inside" if inside else "✗ outside" for inside in data.inside],
    )
    return html_table(
        shown.rename(columns={"inside": "inside its interval?"}),
        formats={"reproduced": "{:.2f}".format, "difference": signed},
        grounds=lambda _, text: GROUNDS.get(text[:1]),
        caption=counted_inside(data.astype({"inside": object}), ("inside", "outside")),
    )
