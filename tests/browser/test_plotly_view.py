"""A chart of plotly worked by keys alone, in a page with a model made of plain values."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import Page, expect

from bnlab.widgets import PlotlyView
from tests.browser.audit import FOCUS, nameless_controls
from tests.browser.shown import Drawn

HOSTILE = "<img src=x onerror=alert(1)>"
CURVES = {
    "data": [
        {"type": "scatter", "name": "first", "x": [1, 2, 3], "y": [1, None, 2], "hovertemplate": "first at %{x}"},
        {"type": "scatter", "x": [1, 2, 3], "y": [2, 2, 2], "hoverinfo": "skip"},
        {"type": "scatter", "name": HOSTILE, "x": [1, 3], "y": [3, 4], "text": [HOSTILE] * 2, "hoverinfo": "text+name"},
    ],
    "layout": {"title": {"text": "Two curves"}, "height": 300},
}
BARS = {
    "data": [
        {
            "type": "bar",
            "orientation": "h",
            "x": [3, 1],
            "y": ["A", "B"],
            "hovertemplate": "%{y} is %{x}<extra></extra>",
        }
    ],
    "layout": {"title": {"text": "Bars"}, "height": 300},
}
MAP = {
    "data": [
        {
            "type": "heatmap",
            "z": [[1, 2], [3, 4]],
            "x": ["a", "b"],
            "y": ["c", "d"],
            "hovertemplate": "%{z}<extra></extra>",
        }
    ],
    "layout": {"title": {"text": "Map"}, "height": 300},
}
LABELLED = 160
"""Milliseconds after which the label of the last key is there."""


class Chart(Drawn):
    """A figure drawn in a page, with the keys on it."""

    def __init__(self, page: Page, figure: dict[str, Any]) -> None:
        super().__init__(page, PlotlyView(figure))
        self.chart = page.locator(".bnlab-chart")
        page.locator("button", has_text="before").focus()
        page.keyboard.press("Tab")
        expect(self.chart).to_be_focused()

    def press(self, *keys: str) -> None:
        super().press(*keys)
        self.page.wait_for_timeout(LABELLED)

    @property
    def spoken(self) -> str:
        return self.page.locator(".bnlab-chart-spoken").inner_text().strip()

    @property
    def label(self) -> str:
        return self.page.locator(".hoverlayer").text_content() or ""

    def range(self) -> list[float]:
        return list(self.page.evaluate("() => document.querySelector('.bnlab-chart')._fullLayout.xaxis.range"))


def test_keys_go_over_points_and_curves_speak_the_label_that_is_shown_zoom_and_hide(page: Page) -> None:
    chart = Chart(page, CURVES)
    assert "Two curves. Left and right arrow" in (chart.chart.get_attribute("aria-label") or "")
    assert page.evaluate(FOCUS)["shown"]
    assert nameless_controls(page, page.locator("#place")) == []
    chart.press("ArrowRight")
    assert chart.spoken == "first, first at 1"
    assert "first at 1" in chart.label
    assert chart.get("hovered")["x"] == 1
    chart.press("ArrowRight")
    assert chart.spoken == "first, first at 3", "a gap is no point"
    chart.press("ArrowRight")
    assert chart.spoken == "first, first at 3"
    chart.press("ArrowDown")
    assert chart.spoken == HOSTILE, "what has no label is left out"
    assert chart.get("hovered")["y"] == 4
    chart.press("Home")
    assert chart.get("hovered")["y"] == 3
    assert page.locator("img").count() == 0
    chart.press("Enter")
    assert chart.get("clicked") == {**chart.get("hovered"), "trace_index": 2, "index": 0}
    chart.press("Escape")
    assert chart.spoken == chart.label == ""
    assert chart.get("hovered") is None
    keys_zoom_and_hide_curves(chart)
    chart.ends_cleanly()
    chart = Chart(page, BARS)
    assert not chart.asked_for_plotly, "all charts of a page share it"
    keys_go_over_bars_and_cells(chart)
    bar = page.locator(".bnlab-chart .modebar-group").first
    page.mouse.move(1, 1)
    expect(bar).to_have_css("opacity", "0")
    page.locator(".bnlab-chart .main-svg").first.hover(force=True)
    expect(bar).to_have_css("opacity", "1")
    chart.ends_cleanly()


def keys_zoom_and_hide_curves(chart: Chart) -> None:
    whole = chart.range()
    chart.press("+", "+")
    near = chart.range()
    assert near[1] - near[0] < 0.8 * (whole[1] - whole[0])
    chart.press("ArrowRight")
    assert chart.spoken != "first, first at 1", "a point that cannot be seen is left out"
    chart.press("0")
    assert chart.range() == pytest.approx(whole)
    chart.press("ArrowRight", "h")
    assert chart.spoken == "The curve is hidden."
    chart.press("ArrowRight")
    assert HOSTILE in chart.spoken
    chart.press("s", "ArrowUp")
    assert "first at" in chart.spoken


def keys_go_over_bars_and_cells(chart: Chart) -> None:
    chart.press("ArrowRight")
    assert chart.spoken == "A is 3"
    chart.press("End")
    assert chart.spoken == "B is 1"
    chart.set(figure=MAP)
    chart.press("Escape", "ArrowRight")
    assert chart.spoken == "1"
    chart.press("ArrowUp", "ArrowRight")
    assert chart.spoken == "4"
    assert chart.get("hovered")["index"] == [1, 1]
    chart.set(figure={"data": [], "layout": {}})
    chart.press("ArrowRight", "Enter", "h", "+")
    assert chart.spoken == "There are no points to go to."
    assert chart.page.locator("[role=alert]").inner_text() == ""
    chart.set(figure=BARS)
