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
    grounds: Callable[[Any, str], str | None] = lambda row, column: None,
    right: Collection[str] = (),
    caption: str = "",
) -> HtmlTable:
    """Table of a frame's columns; every text in it is escaped.

    Parameters
    ----------
    frame : DataFrame
        Without its index.
    formats : mapping of str to callable, optional
        From a value of a column to its text; numbers are aligned right, whatever their format.
    right : collection of str
        Columns of text to align right too.
    grounds : callable
        From a row (a named tuple of the frame) and the name of a column to the colour behind the cell, or None.
    caption : str
    """
    formats = formats or {}
    columns = [str(column) for column in frame.columns]
    numeric = {name for name, dtype in zip(columns, frame.dtypes, strict=True) if dtype.kind in "if"} | set(right)

    def cell(row: Any, column: str, value: Any) -> str:
        text = "" if value != value else formats.get(column, str)(value)
        ground = grounds(row, column)
        style = f"text-align: {'right' if column in numeric else 'left'}" + (
            f"; background: {ground}" if ground else ""
        )
        lines = "<br>".join(map(escape, text.split("\n")))
        return f'<td style="{style}">{lines}</td>'

    head = "".join(
        f'<th scope="col" style="text-align: {"right" if c in numeric else "left"}">{escape(c)}</th>' for c in columns
    )
    body = "".join(
        f"<tr>{''.join(cell(row, c, value) for c, value in zip(columns, row, strict=True))}</tr>"
        for row in frame.itertuples(index=False)
    )
    title = f'<caption style="text-align: left">{escape(caption)}</caption>' if caption else ""
    shown = frame.copy()
    for column, form in formats.items():
        shown[column] = [("" if v != v else form(v)) for v in frame[column]]
    return HtmlTable(
        f'<table style="border-collapse: collapse">{title}<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>',
        shown.to_string(index=False),
    )
