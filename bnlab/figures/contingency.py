"""Contingency tables: confusion matrices, and the counts behind a test."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from bnlab.data.load import as_table
from bnlab.figures.table import HtmlTable, html_table
from bnlab.figures.theme import BLUE, VERMILLION, translucent

if TYPE_CHECKING:
    from bnlab.citests import CITest
    from bnlab.data import Table

MOST_STRATA = 6
_DARKEST = 0.6
_CELL_STYLE = "padding: 2px 6px; text-align: right"


def confusion_table(counts: pd.DataFrame, *, caption: str = "Test rows by class and prediction.") -> HtmlTable:
    """Confusion matrix whose cells are darker the more rows of their class they hold; hits are blue, errors red.

    Parameters
    ----------
    counts : DataFrame of int
        Rows are the true classes, columns the predicted ones.
    caption : str
    """
    shares = counts.to_numpy() / np.maximum(counts.sum(axis=1).to_numpy(), 1)[:, None]
    recall = [counts.loc[name].get(name, 0) / max(int(counts.loc[name].sum()), 1) for name in counts.index]
    lines = []
    for i, name in enumerate(counts.index):
        cells = "".join(
            _cell(int(counts.iloc[i, j]), shares[i, j], str(name), str(column))
            for j, column in enumerate(counts.columns)
        )
        lines.append(
            f'<tr><th scope="row" style="{_CELL_STYLE}">{escape(str(name))}</th>{cells}'
            f'<td style="{_CELL_STYLE}; padding-left: 14px">{recall[i]:.0%}</td></tr>'
        )
    corner, last = f'style="{_CELL_STYLE}">Class \\ predicted', f'style="{_CELL_STYLE}; padding-left: 14px">Recall'
    head = "".join(f'<th scope="col" style="{_CELL_STYLE}">{escape(str(column))}</th>' for column in counts.columns)
    html = (
        '<table style="border-collapse: collapse; font-variant-numeric: tabular-nums; line-height: 1.4">'
        f'<caption style="text-align: left">{escape(caption)}</caption>'
        f'<thead><tr><th scope="col" {corner}</th>{head}<th scope="col" {last}</th></tr></thead>'
        f"<tbody>{''.join(lines)}</tbody></table>"
    )
    return HtmlTable(html, counts.to_string())


def _cell(count: int, share: float, true: str, predicted: str) -> str:
    ground = translucent(BLUE if true == predicted else VERMILLION, round(_DARKEST * share**0.5, 3))
    title = escape(f"{count:,} rows of class {true} predicted as {predicted}, {share:.1%} of the class")
    return f'<td style="{_CELL_STYLE}; background: {ground}" title="{title}">{f"{count:,}" if count else "·"}</td>'


def contingency_data(test: CITest, data: Table | pd.DataFrame) -> pd.DataFrame:
    """Counts behind a test, one row per configuration of the given variables and state of x.

    Parameters
    ----------
    test : CITest
        From `bnlab.citests.G2Tester.test` on these data.
    data : Table or DataFrame

    Returns
    -------
    DataFrame
        A column for each given variable, a column for x, and a column of counts for each state of y. Only
        configurations that occur, those with the most rows first.
    """
    data = as_table(data)
    given, states = list(test.z), data.variables[data.index(test.y)].states
    frame = data.select([*given, test.x, test.y]).to_pandas()
    counts = frame.groupby([*given, test.x, test.y], observed=True, sort=True).size().unstack(test.y, fill_value=0)
    counts = counts.reindex(columns=list(states), fill_value=0)
    if given:
        totals = counts.sum(axis=1).groupby(level=given, observed=True).transform("sum")
        counts = counts.iloc[(-totals.to_numpy()).argsort(kind="stable")]
    named = counts.rename(columns=lambda state: f"{test.y} = {state}").rename_axis(columns=None).reset_index()
    return named.astype(dict.fromkeys((*given, test.x), str))


def contingency_table(test: CITest, data: Table | pd.DataFrame, *, most: int = MOST_STRATA) -> HtmlTable:
    """Table of the counts behind a test.

    Parameters
    ----------
    test, data
        As for `contingency_data`.
    most : int
        Maximum number of configurations, those with the most rows first; the caption counts the others.
    """
    counts = contingency_data(test, data)
    strata = counts.groupby(list(test.z), sort=False).ngroup() if test.z else counts.index * 0
    left = int(max(strata)) + 1 - most
    rest = f" Another {left:,} configurations that occur are not shown." if left > 0 else ""
    given = ", ".join(test.z) or "nothing"
    return html_table(counts[strata < most], caption=f"Rows by {test.x} and {test.y}, given {given}.{rest}")
