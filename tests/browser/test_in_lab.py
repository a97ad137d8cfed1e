"""What a reader does in JupyterLab, from the tour to a reloaded page, with eyes of any kind and without a mouse."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from playwright.sync_api import Page, expect

from tests.browser.audit import faint_texts, nameless_controls, stops
from tests.browser.shown import drag, middle_of, node_of
from tools.lab import Lab

TOUR = Path(__file__).parents[2] / "notebooks" / "00_tour.ipynb"
SET_UP = """\
import bnlab
from time import sleep
from bnlab.learners.hill_climbing.search import HillClimbing
from bnlab.learners.chen.search import ChenSearch
from bnlab.widgets import NetworkGraph, PlotlyView, SearchPlayer
net = bnlab.load_network("asia")
table = net.sample(2000, seed=1)
phi = bnlab.scores.local_scores(table, "k2")
graph = NetworkGraph(net, table, truth=net)
search = ChenSearch(phi, 8, beta=1e-5, Q=500, B=50, seed=1)
player = SearchPlayer({"chen": search, "climb": HillClimbing(phi, 8, restarts=3)}, truth=net, speed=10)
chart = PlotlyView({"data": [{"y": [1, 3, 2], "name": "a"}], "layout": {"title": {"text": "Three points"}}})"""


def test_the_tour_runs_and_nothing_goes_wrong_in_the_page(lab: Lab, page: Page, console: list[str]) -> None:
    page.set_viewport_size({"width": 1300, "height": 1600})
    notebook = lab.open(page, lab.copy(TOUR))
    notebook.run_all_cells(timeout=240)
    expect(page.locator(".jp-OutputArea-output[data-mime-type='application/vnd.jupyter.stderr']")).to_have_count(0)
    expect(page.locator(".jupyter-widgets").first).to_be_visible()


def test_what_was_done_is_there_again_after_the_page_is_reloaded(lab: Lab, page: Page, console: list[str]) -> None:
    page.set_viewport_size({"width": 1300, "height": 2400})
    notebook = lab.run(page, "again.ipynb", [SET_UP, "graph", "player"])
    shown, below = notebook.output(1), notebook.output(2)
    expect(node_of(shown, "asia")).to_be_visible()
    x, y = middle_of(node_of(shown, "asia").locator(".bn-name"))
    drag(page, (x, y), (x + 60, y + 90))
    node_of(shown, "smoke").locator(".bn-bar").first.click()
    expect(shown.locator(".bn-status")).to_contain_text("Given smoke = yes")
    shown.locator(".bn-edge", has_text="smoke → bronc").locator(".bn-hit").dispatch_event("click")
    shown.locator(".bnlab-detail").get_by_role("button", name="Reverse").click()
    expect(shown.locator(".bn-status")).to_contain_text("reverse smoke → bronc")
    node_of(shown, "dysp").locator(".bn-name").click()
    below.get_by_role("button", name="Play").click()
    expect(below.get_by_role("button", name="Pause")).to_be_visible()
    page.wait_for_function("() => Number(document.querySelector('.bnlab-slider input').max) >= 30")
    below.get_by_role("button", name="Pause").click()
    expect(below.get_by_role("status").first).to_contain_text("Paused")
    paused, place = notebook.python("player.iteration"), notebook.python("graph.view.positions")
    assert set(place) == {"asia"}

    page.evaluate("() => window.jupyterapp.commands.execute('docmanager:save')")
    notebook = lab.open(page, "again.ipynb", reload=True)
    shown, below = notebook.output(1), notebook.output(2)
    expect(node_of(shown, "smoke")).to_have_class("bn-node bn-kind-evidence")
    expect(node_of(shown, "dysp")).to_have_attribute("aria-pressed", "true")
    expect(shown.locator(".bn-edge", has_text="bronc → smoke")).to_have_count(1)
    x, y = (f"{value:g}" for value in place["asia"])
    expect(node_of(shown, "asia")).to_have_attribute("transform", f"translate({x} {y})")
    expect(shown.locator(".bnlab-detail").get_by_role("heading", name="dysp")).to_be_visible()
    expect(below.get_by_role("status").first).to_contain_text("Paused")
    assert notebook.python("player.iteration") == paused

    shown.get_by_role("button", name="Undo").click()
    expect(shown.locator(".bn-edge", has_text="smoke → bronc")).to_have_count(1)
    notebook.python("setattr(player, 'speed', 0)")
    below.get_by_role("button", name="Play").click()
    assert notebook.python("player.wait(60)") is True
    expect(below.get_by_role("status").first).to_contain_text("Finished")


def test_texts_stand_out_controls_have_names_and_focus_is_seen(
    lab: Lab, page: Page, console: list[str], screenshot: Callable[[str], Path]
) -> None:
    page.set_viewport_size({"width": 1300, "height": 2600})
    cells = [SET_UP, "graph.evidence = {'xray': 'yes'}\ngraph.selected_node = 'lung'\ngraph"]
    notebook = lab.run(page, "seen.ipynb", [*cells, "player.step()\nplayer", "chart"])
    shown = page.locator(".jp-OutputArea-output .jupyter-widgets")
    expect(notebook.output(3).locator(".main-svg").first).to_be_visible(timeout=60_000)
    for theme in ("light", "dark"):
        notebook.theme(theme)
        page.wait_for_timeout(300)
        seen, faint = faint_texts(page, shown)
        assert seen > 100
        assert not faint, theme
        assert screenshot(f"widgets-{theme}").stat().st_size > 10_000
    assert not nameless_controls(page, shown)

    notebook.output(1).locator(".bn-search").focus()
    reached = stops(page, 12)
    assert all(stop["shown"] for stop in reached), reached
    assert any("bn-node" in stop["what"] for stop in reached)
    assert any("bnlab-detail" in stop["what"] for stop in reached)
    notebook.output(2).get_by_role("button", name="Play").focus()
    reached = []
    while len(reached) < 50 and sum("bnlab-chart" in stop["what"] for stop in reached) < 2:
        reached += stops(page, 1)
    assert all(stop["shown"] for stop in reached), reached
    assert len(reached) < 50, "curves and policies are among them"

    # A zoom of 200 % leaves half as many pixels.
    notebook.widen()
    page.set_viewport_size({"width": 650, "height": 1300})
    page.wait_for_timeout(300)
    for cell in (1, 2, 3):
        wide = notebook.output(cell).evaluate("(place) => place.scrollWidth - place.clientWidth")
        assert wide <= 1, f"cell {cell} must be scrolled sideways"
    assert screenshot("widgets-zoomed").stat().st_size > 10_000
