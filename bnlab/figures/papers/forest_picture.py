"""Forest plot as a picture, for where no chart runs: the still form of `forest_figure`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from bnlab.figures.papers.forest import ABREAST, Panel, forest_panels, words
from bnlab.figures.picture import Picture
from bnlab.figures.svg import document, element, label, number, shortened, text_width, written
from bnlab.figures.theme import BLUE, GREY, INK, VERMILLION

if TYPE_CHECKING:
    import pandas as pd

WIDTH = 900.0
ROW, HEADING, BELOW, TOP, PAD = 17.0, 24.0, 26.0, 66.0, 14.0
SIZE = 11.0
LONGEST = 26

Across = Callable[[float], float]


def forest_picture(
    table: pd.DataFrame,
    *,
    title: str = "",
    unit: str = "",
    verdicts: tuple[str, str] = ("inside", "outside"),
    abreast: int = ABREAST,
) -> Picture:
    """Draw each printed interval with its rerun, dark on white.

    Parameters
    ----------
    table, title, unit, verdicts
        As for `forest_figure`.
    abreast : int
        Panels side by side at most.
    """
    panels = forest_panels(table)
    columns = max(1, min(abreast, len(panels)))
    wide = (WIDTH - PAD) / columns
    parts: list[str] = []
    y = TOP
    for k in range(0, len(panels), columns):
        band = panels[k : k + columns]
        for column, panel in enumerate(band):
            parts += _panel(panel, PAD + column * wide, y, wide - PAD)
        y += HEADING + BELOW + ROW * max(len(panel.rows) for panel in band)
    inside = sum(value is True for value in table.inside)
    run = int(table.rerun.notna().sum())
    summary = f"{title + ': ' if title else ''}{inside} of {run} reruns {verdicts[0]}"
    svg = document(
        WIDTH,
        y,
        element("rect", width=WIDTH, height=y, rx=8, fill="#ffffff"),
        label(title, PAD, 20, size=14, colour=INK, anchor="start") if title else "",
        *_legend(verdicts, unit),
        *parts,
        title=summary,
        description="; ".join(words(row) for row in table.itertuples()),
    )
    return Picture(svg, summary, WIDTH)


def _panel(panel: Panel, left: float, top: float, width: float) -> Iterator[str]:
    names = [shortened(str(item), LONGEST) for item in panel.rows["item"]]
    start = left + min(max(text_width(name, SIZE) for name in names) + 8, 0.5 * width)
    bottom = top + HEADING + ROW * len(names)

    def across(value: float) -> float:
        return start + (value - panel.low) / (panel.high - panel.low) * (left + width - start)

    yield label(shortened(panel.group, LONGEST), start, top + 12, size=SIZE + 1.5, colour=INK, anchor="start")
    for tick in _ticks(panel.low, panel.high):
        x = across(tick)
        yield _line(x, top + HEADING - 4, x, bottom, "#e2e2e2", 1)
        yield label(f"{tick:g}", x, bottom + 9, size=SIZE - 1, colour=INK)
    for k, row in enumerate(panel.rows.itertuples()):
        y = top + HEADING + (k + 0.5) * ROW
        yield label(names[k], start - 6, y, size=SIZE, colour=INK, anchor="end")
        yield element("g", element("title", written(words(row))), *_row(row, y, across))


def _row(row: Any, y: float, across: Across) -> Iterator[str]:
    low, high = across(row.low), across(row.high)
    yield element("rect", x=low, y=y - 4, width=max(high - low, 1), height=8, fill="#cfcfcf")
    yield _line(across(row.published), y - 5, across(row.published), y + 5, "#5f5f5f", 2)
    if row.inside is not None:
        yield _line(across(row.least), y, across(row.greatest), y, GREY, 1.6)
        yield _mark(across(row.rerun), y, inside=row.inside)


def _mark(x: float, y: float, *, inside: bool) -> str:
    if inside:
        return element("circle", cx=x, cy=y, r=4, fill=BLUE)
    ends = [(x - 4, y - 4, x + 4, y + 4), (x - 4, y + 4, x + 4, y - 4)]
    return element("g", *(_line(*pair, VERMILLION, 2.4) for pair in ends))


def _line(x1: float, y1: float, x2: float, y2: float, stroke: str, width: float) -> str:
    return element("line", x1=x1, y1=y1, x2=x2, y2=y2, stroke=stroke, stroke_width=width)


def _legend(verdicts: tuple[str, str], unit: str) -> Iterator[str]:
    x, y = PAD, 44.0
    entries = [
        ("printed", element("rect", x=0, y=-4, width=18, height=8, fill="#cfcfcf") + _line(9, -5, 9, 5, "#5f5f5f", 2)),
        (f"rerun {verdicts[0]}", _mark(9, 0, inside=True)),
        (f"rerun {verdicts[1]}", _mark(9, 0, inside=False)),
        ("reach of the runs", _line(0, 0, 18, 0, GREY, 1.6)),
    ]
    for text, mark in entries:
        yield element("g", mark, transform=f"translate({number(x)},{number(y)})")
        yield label(text, x + 24, y, size=SIZE, colour=INK, anchor="start")
        x += text_width(text, SIZE) + 46
    yield label(unit, WIDTH - PAD, y, size=SIZE, colour=INK, anchor="end") if unit else ""


def _ticks(low: float, high: float) -> list[float]:
    """About four round numbers."""
    span = high - low
    magnitude = 10.0 ** int(f"{span / 4:e}".partition("e")[2])
    step = next(m * magnitude for m in (1, 2, 5, 10) if span / (m * magnitude) <= 5)
    first = int(-(-low // step))
    return [round(k * step, 10) for k in range(first, int(high // step) + 1)]
