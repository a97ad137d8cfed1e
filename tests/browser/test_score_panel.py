"""The score panel and its charts in a real JupyterLab."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.audit import nameless_controls, scrolling_boxes, stops
from tests.browser.shown import box_of, middle_of
from tools.lab import Lab, LabNotebook

FIRST_DRAWING = 30_000
"""Milliseconds that plotly.js may take to arrive on a busy machine."""

SET_UP = """\
import bnlab
from bnlab.widgets import NetworkGraph, ScorePanel
net = bnlab.load_network("asia")
table = net.sample(2000, seed=1)
panel = ScorePanel(table, {"true": net, "tree": bnlab.learn(table, "chow-liu"), "empty": []})
graph = NetworkGraph(net)
panel.link(graph)"""

DRAWN_TO_WIDTH = """() => [...document.querySelectorAll(".js-plotly-plot")].every((chart) => {
  const drawn = chart.querySelector(".main-svg");
  return drawn !== null && Math.abs(drawn.clientWidth - chart.clientWidth) <= 1;
})"""


def charts(place: Locator) -> Locator:
    return place.locator(".js-plotly-plot")


def test_the_panel_answers_to_keys_code_and_a_linked_graph_and_fits_its_place(
    lab: Lab, page: Page, console: list[str], screenshot: Callable[[str], Path]
) -> None:
    notebook = lab.run(page, "panel.ipynb", [SET_UP, "panel", "graph"])
    shown = notebook.output(1)
    expect(charts(shown)).to_have_count(4, timeout=FIRST_DRAWING)
    title = charts(shown).nth(1).locator(".gtitle")
    expect(title).to_have_text("Difference from the best network")
    expect(charts(shown).first.locator(".gtitle")).to_have_text("Best network over ess, under BDeu")
    expect(charts(shown).first.get_by_text("ess = 1", exact=True)).to_be_attached()
    row = shown.locator("tr", has_text="BDeu").first
    expect(row).to_contain_text("BDeu(1)")

    shown.get_by_role("slider").first.press("ArrowRight")
    expect(row).to_contain_text("BDeu(1.12)")
    assert notebook.python("panel.ess") == 1.12
    expect(charts(shown).first.get_by_text("ess = 1.12", exact=True)).to_be_attached()
    number = notebook.python("f\"{panel.to_frame().loc['true', 'bdeu']:,.2f}\"").replace("-", "−")
    expect(row).to_contain_text(number)

    typed = shown.locator("input[type=number]").first
    typed.fill("64")
    typed.press("Enter")
    expect(row).to_contain_text("BDeu(64)")
    assert notebook.python("panel.ess") == 64

    shown.locator("select").first.select_option("tree")
    expect(title).to_have_text("Difference from “tree”")
    assert notebook.python("panel.reference") == "tree"

    tree = shown.get_by_role("button", name="tree")
    expect(tree).to_have_attribute("aria-pressed", "true")
    tree.press("Space")
    expect(tree).to_have_attribute("aria-pressed", "false")
    assert list(notebook.python("panel.selected")) == ["true", "empty"]
    tree.press("Enter")
    expect(tree).to_have_attribute("aria-pressed", "true")

    shown.get_by_role("slider").nth(2).press("ArrowLeft")
    expect(shown.locator("caption").first).to_contain_text("the first 1,780 of 2,000 rows")

    expect(shown.get_by_role("slider", name="alpha, Confidence level")).to_have_count(1)
    expect(shown.get_by_role("spinbutton", name="rows, Number of first rows")).to_have_count(1)
    assert not nameless_controls(page, shown)
    shown.get_by_role("slider").first.focus()
    reached = stops(page, 7)
    assert all(stop["shown"] for stop in reached), reached

    notebook.python("setattr(panel, 'ess', 30)")
    expect(row).to_contain_text("BDeu(30)")
    page.wait_for_timeout(500)
    assert notebook.python("panel.score") == "bdeu"
    assert notebook.python("panel.ess") == 30, "the slider's steps do not change what code has set"

    notebook.widen()
    for theme, width in (("light", 1600), ("dark", 600)):
        page.set_viewport_size({"width": width, "height": 1400})
        notebook.theme(theme)
        page.wait_for_function(DRAWN_TO_WIDTH)
        check_places(shown, side_by_side=width == 1600)
        page.wait_for_timeout(500)  # rows of controls fold after the charts
        assert not scrolling_boxes(page, shown)
        assert screenshot(f"score-panel-{theme}-{width}").stat().st_size > 10_000

    a_node_lights_up_in_graph_and_panel(notebook)
    notebook.python("setattr(panel.state.content, 'tables', lambda _: 1 / 0)")
    shown.get_by_role("slider").first.press("ArrowLeft")
    expect(shown.get_by_role("alert")).to_have_text("Not shown: division by zero")
    assert notebook.python("1 + 1") == 2


def a_node_lights_up_in_graph_and_panel(notebook: LabNotebook) -> None:
    page, shown, drawn = notebook.page, notebook.output(1), notebook.output(2)
    page.set_viewport_size({"width": 1500, "height": 3200})
    nodes = charts(shown).nth(2)
    expect(nodes.locator(".barlayer")).to_be_attached(timeout=FIRST_DRAWING)
    expect(nodes.locator(".shapelayer path")).to_have_count(0)
    drawn.locator(".bn-node").filter(has=page.get_by_text("xray", exact=True)).first.hover()
    expect(nodes.locator(".shapelayer path")).to_have_count(1)
    assert notebook.python("panel.hovered") == "xray"

    page.mouse.move(1, 1)
    expect(nodes.locator(".shapelayer path")).to_have_count(0)
    page.wait_for_timeout(500)
    bars = nodes.locator(".barlayer .point path:visible").all()
    middle = middle_of(next(bar for bar in bars if box_of(bar)["width"] > 40))
    page.mouse.move(middle[0] - 3, middle[1])
    page.mouse.move(*middle, steps=3)
    expect(drawn.locator(".bn-node.bn-hovered")).to_have_count(1)
    assert notebook.python("graph.view.hovered") == notebook.python("panel.hovered") is not None
    page.mouse.move(1, 1)


def check_places(shown: Locator, *, side_by_side: bool) -> None:
    """Check that charts lie within the output, and beside or below each other."""
    place, *boxes = (box_of(one) for one in (shown, *charts(shown).all()))
    first, second, third, _ = boxes
    for box in boxes:
        assert box["x"] >= place["x"] - 1
        assert box["x"] + box["width"] <= place["x"] + place["width"] + 1
        assert box["width"] > 250
    if side_by_side:
        assert second["x"] >= first["x"] + first["width"] - 1
        assert third["x"] == pytest.approx(first["x"], abs=2)
    else:
        assert second["y"] >= first["y"] + first["height"] - 1
