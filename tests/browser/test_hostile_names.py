"""Names with every kind of quote and mark in a browser: pictures, charts and reports."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pandas as pd
import pytest
from playwright.sync_api import Page, expect

from bnlab.analysis import Preparation, Recipe, Study
from bnlab.figures.report import study_report
from bnlab.figures.scores.differences import contributions_json
from bnlab.figures.scores.symlog import LONGEST
from bnlab.figures.searches.curve import Curve
from bnlab.graphs import Dag
from bnlab.search import Progress
from bnlab.widgets import ConvergencePlot, GraphView, PlotlyView
from tests.browser.shown import Shown, choose
from tests.browser.test_plotly_view import Chart
from tests.hostile_names import NAMES, STUDIED, TEXT

NODES = list(NAMES.values())
# Plotly shows a line break as a blank, and the longest name needs no chart.
ROWS = [name for name in TEXT.values() if not set(name) & set("\n\u2028\u2029\x85") and len(name) <= LONGEST]
SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture(autouse=True)
def no_markup(page: Page, no_dialogs: None) -> Iterator[None]:
    """No name may become an element of any of the pages."""
    yield
    assert page.locator("[onerror], #place script, #place iframe, #place a, #place b").count() == 0


def test_a_graph_shows_moves_and_saves_every_name(page: Page, console: list[str]) -> None:
    dag = Dag(NODES, [(i - 1,) if i % 8 else () for i in range(len(NODES))])
    (u, v), tag, bars = dag.edges[0], NAMES["tag"], {"states": NODES, "p": [1 / len(NODES)] * len(NODES)}
    told = {"kinds": {(u, v): f"<b>{tag}"}, "bars": {"constructor": bars}, "status": tag}
    shown = Shown(page, GraphView.from_graph(dag, **told, editable=True), width=None)
    expect(page.get_by_role("status")).to_have_text(tag)
    expect(page.locator(".bn-chip").first).to_have_text(f"<b>{tag} 1")
    titles = page.locator(".bn-node > title").evaluate_all("(all) => all.map((one) => one.textContent)")
    assert titles == NODES
    shown.set(hovered=tag)
    page.get_by_label("Find a node").fill(tag)
    page.keyboard.press("Enter")
    assert shown.get("selected") == [tag]
    page.locator(".bn-edge").first.dispatch_event("click")
    assert shown.get("selected_edge") == [u, v]
    node = page.locator(".bn-node").nth(NODES.index("constructor"))
    before = node.get_attribute("transform")
    node.locator(".bn-name").click()
    page.keyboard.press("Control+ArrowRight")
    page.wait_for_function("() => Object.hasOwn(model.state.positions, 'constructor')")
    assert node.get_attribute("transform") != before
    shown.set(positions={})
    expect(node).to_have_attribute("transform", str(before))
    for name, begins in (("SVG", b"<svg"), ("PNG", b"\x89PNG")):
        with page.expect_download() as waiting:
            choose(page, "Export", name)
        assert Path(waiting.value.path()).read_bytes().startswith(begins)
        if name == "SVG":
            root = ElementTree.parse(waiting.value.path()).getroot()
            assert len(list(root.iter(f"{SVG}title"))) > len(NODES)


def test_names_in_charts_are_as_they_are(page: Page, console: list[str]) -> None:
    differences = np.arange(1.0, len(ROWS) + 1)
    data = pd.DataFrame({name: differences + k for k, name in enumerate(ROWS[:3])}, index=pd.Index(ROWS, dtype=object))
    Chart(page, contributions_json(data, ROWS[0], "bic", most=len(ROWS)))
    ticks = page.locator(".ytick text").evaluate_all("(all) => all.map((one) => one.textContent)")
    # Rows without a text of their own are told apart by what takes no room.
    assert sorted(tick.strip("\u200b") for tick in ticks) == sorted(name.strip("\u200b") for name in ROWS)

    names = ["%{y}: %{x}", "$x$ and $y$", "constructor", "<b>&amp;"]
    figures = {
        name: contributions_json(pd.DataFrame({name: [1.0], "other": [2.0]}, index=["node"]), name, "bic")
        for name in names
    }
    chart = Chart(page, figures[names[0]])
    for name, figure in figures.items():
        chart.set(figure=figure, description=PlotlyView(figure).description)
        expect(page.locator(".legendtext").first).to_have_text(name)
        chart.press("Escape", "ArrowRight")
        assert chart.spoken.startswith(f"{name}, node: ")
        assert f"“{name}”" in str(chart.chart.get_attribute("aria-label"))

    plot = ConvergencePlot(baselines={"constructor": -5.0, "y" * 5000: -6.0})
    for name in ("toString", "__proto__"):
        plot.follow(name, Curve()).add(Progress(2, (-9.0, -7.0), -7.0), seconds=0.5)
    plot.refresh()
    Chart(page, plot.figure)
    texts = page.locator(".legendtext").all_text_contents()
    assert {"toString", "__proto__"} <= set(texts)
    assert any(text.startswith("constructor") for text in page.locator(".annotation-text").all_text_contents())


def test_a_report_in_a_browser_shows_every_name_and_picture(page: Page, console: list[str], tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({name: rng.choice([name, "other"], 40) for name in STUDIED})
    preparation = Preparation(leave_out=tuple(STUDIED[10:]))
    table = preparation.apply(frame)
    study = Study(preparation=preparation)
    for name in (NAMES["tag"], NAMES["script"]):
        study = study.with_result(name, Recipe("chow-liu"), Recipe("chow-liu").learn(table))
    study_report(study, frame, title=NAMES["script"]).save(tmp_path / "report.html")
    page.goto((tmp_path / "report.html").as_uri())
    text = page.evaluate("() => [...document.querySelectorAll('td')].map((cell) => cell.textContent)")
    # A page has no carriage return.
    assert {name.replace("\n", "") for name in STUDIED if "\r" not in name} <= set(text)
    assert page.title() == NAMES["script"]
    pictures = page.locator("img")
    assert pictures.count() >= 2
    assert pictures.evaluate_all("(all) => all.every((one) => one.complete && one.naturalWidth > 10)")
    assert page.locator("script, a, iframe").count() == 0
