"""Confusion matrix as a table: test rows by their class and the predicted one."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

import numpy as np

from bnlab.figures.table import HtmlTable
from bnlab.figures.theme import BLUE, VERMILLION, translucent

if TYPE_CHECKING:
    import pandas as pd

_DARKEST = 0.6


def confusion_table(counts: pd.DataFrame, *, caption: str = "Test rows by class and prediction.") -> HtmlTable:
    """Table whose cells are the darker the more rows of their class they hold; hits are blue, errors red.

    Parameters
    ----------
    counts : DataFrame of int
        Rows are the true classes, columns the predicted ones.
    caption : str
    """
    shares = counts.to_numpy() / np.maximum(counts.sum(axis=1).to_numpy(), 1)[:, None]
    recall = [counts.loc[name].get(name, 0) / max(int(counts.loc[name].sum()), 1) for name in counts.index]
    style = "padding: 2px 6px; text-align: right"
    lines = []
    for i, name in enumerate(counts.index):
        cells = "".join(
            _cell(int(counts.iloc[i, j]), shares[i, j], str(name), str(column))
            for j, column in enumerate(counts.columns)
        )
        lines.append(
            f'<tr><th scope="row" style="{style}">{escape(str(name))}</th>{cells}'
            f'<td style="{style}; padding-left: 14px">{recall[i]:.0%}</td></tr>'
        )
    corner, last = f'style="{style}">class \\ predicted', f'style="{style}; padding-left: 14px">right'
    head = "".join(f'<th scope="col" style="{style}">{escape(str(column))}</th>' for column in counts.columns)
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
    style = f"padding: 2px 6px; text-align: right; background: {ground}"
    return f'<td style="{style}" title="{title}">{f"{count:,}" if count else "·"}</td>'
