"""HTML tables for light and dark notebooks, legible without their styles too."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas as pd

# Translucent, to suit any background; texts say the same as the colours.
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
    """Difference with its sign; zero has none.

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
    """HTML table of a data frame, with all texts escaped.

    Parameters
    ----------
    frame : DataFrame
        Its index is not shown.
    formats : mapping of str to callable, optional
        For some columns, a function from a value to its text. Missing values are blank.
    grounds : callable
        Function from the name of a column and the text of a cell to the background colour of the cell, or None.
    right : collection of str
        Columns of text to right-align, as numbers are.
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
        _aligned([columns, *([text.replace("\n", " ") for text in row] for row in texts)]),
    )


def _aligned(rows: list[list[str]]) -> str:
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return "\n".join("  ".join(map(str.rjust, row, widths)) for row in rows)
