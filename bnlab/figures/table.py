"""Tables as HTML that reads in a light and a dark notebook, and where styles are dropped."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas as pd

# Translucent, so that they lie on any background; what they say is also said in words.
GOOD, BAD = "rgba(27, 93, 228, 0.16)", "rgba(189, 48, 9, 0.20)"


@dataclass(frozen=True)
class HtmlTable:
    """Table for a notebook, with its plain text."""

    html: str
    text: str

    def __repr__(self) -> str:
        """The plain text."""
        return self.text

    def _repr_mimebundle_(self, **_: Any) -> dict[str, str]:
        return {"text/html": self.html, "text/plain": self.text}


def signed(value: float, digits: int = 2) -> str:
    """Difference with its sign, zero without one.

    Examples
    --------
    >>> signed(-1234.5), signed(0.001), signed(3, 0)
    ('−1,234.50', '0.00', '+3')
    """
    rounded = round(float(value), digits) + 0.0
    return f"{rounded:{'+' if rounded else ''},.{digits}f}".replace("-", "−")


def html_table(
    frame: pd.DataFrame,
    *,
    formats: Mapping[str, Callable[[Any], str]] | None = None,
    grounds: Callable[[str, str], str | None] = lambda column, text: None,
    right: Collection[str] = (),
    caption: str = "",
) -> HtmlTable:
    """Table of a frame's columns; every text in it is escaped.

    Parameters
    ----------
    frame : DataFrame
        Without its index.
    formats : mapping of str to callable, optional
        From a value of a column to its text. A missing value is left blank.
    grounds : callable
        From the name of a column and the text of a cell to the colour behind the cell, or None.
    right : collection of str
        Columns of text to align right, as numbers are.
    caption : str
    """
    formats = formats or {}
    columns = [str(column) for column in frame.columns]
    styles = [
        f"padding: 3px 10px; text-align: {'right' if dtype.kind in 'if' or column in right else 'left'}"
        for column, dtype in zip(columns, frame.dtypes, strict=True)
    ]
    texts = [
        ["" if value != value else formats.get(column, str)(value) for column, value in zip(columns, row, strict=True)]
        for row in frame.itertuples(index=False, name=None)
    ]

    def cell(column: str, style: str, text: str) -> str:
        ground = grounds(column, text)
        lines = "<br>".join(map(escape, text.split("\n")))
        return f'<td style="{style}{f"; background: {ground}" if ground else ""}">{lines}</td>'

    head = "".join(f'<th scope="col" style="{s}">{escape(c)}</th>' for c, s in zip(columns, styles, strict=True))
    body = "".join(f"<tr>{''.join(map(cell, columns, styles, row))}</tr>" for row in texts)
    title = f'<caption style="text-align: left">{escape(caption)}</caption>' if caption else ""
    return HtmlTable(
        f'<table style="border-collapse: collapse">{title}<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>',
        _lined_up([columns, *([text.replace("\n", " ") for text in row] for row in texts)]),
    )


def _lined_up(rows: list[list[str]]) -> str:
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return "\n".join("  ".join(map(str.rjust, row, widths)) for row in rows)
