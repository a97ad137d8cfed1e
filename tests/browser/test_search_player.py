"""The search player in a browser: its three modules with models made of plain values, and once in JupyterLab."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
from playwright.sync_api import Locator, Page, expect

from bnlab.figures.searches.curve import Curve
from bnlab.search import Event, Policies, Progress, Work
from bnlab.widgets import ConvergencePlot, PolicyMap
from bnlab.widgets.player.views import RunRow, table_html
from tests.browser.audit import scrolling_boxes
from tests.browser.shown import Drawn, box_of
from tools.lab import Lab

HOSTILE = "<img src=x onerror=alert(1)>"


def two_runs() -> ConvergencePlot:
    plot = ConvergencePlot(baselines={HOSTILE: -40.0}, truth=-10.0)
    for i, name in enumerate(["chen", HOSTILE]):
        curve = plot.follow(name, Curve(["A", HOSTILE]))
        for k in range(100):
            score = -100.0 + 0.8 * k + 10 * i
            events = (Event(k + 1, "converged", 0, 1),) if k == 50 else ()
            curve.add(Progress(k + 1, (score,), score, events), seconds=0.1)
    plot.refresh()
    return plot


def test_curves_have_shapes_are_hidden_zoomed_clicked_and_followed_by_slider_and_keys(page: Page) -> None:
    plot = two_runs()
    shown = Drawn(page, plot)
    ends = [trace for trace in plot.figure["data"] if trace["mode"] == "lines+markers"]
    assert [trace["marker"]["symbol"] for trace in ends] == ["circle", "square"]
    for words in ("Thin: score of the iteration", "Thick: best so far", "Permanent edge"):
        expect(page.locator(".bnlab-chart .legendtext", has_text=words)).to_have_count(1)
    lines = page.locator(".bnlab-chart .scatterlayer .js-line")
    expect(lines).to_have_count(6)
    page.wait_for_timeout(300)
    page.locator(".bnlab-chart .legendtoggle").nth(1).click(force=True)
    expect(lines).to_have_count(3, timeout=10_000)
    assert HOSTILE in page.locator(".bnlab-chart .legendtext").all_text_contents()
    assert page.locator("img").count() == 0
    expect(page.locator(".bnlab-chart")).to_have_attribute(
        "aria-label", re.compile("Convergence, score in nats against iteration. chen: 100 iterations")
    )
    shown.ends_cleanly()

    slider_and_list_say_and_set_what_is_shown(Drawn(page, plot))
    mouse_chooses_a_moment_and_zooms(Drawn(page, plot))


def mouse_chooses_a_moment_and_zooms(shown: Drawn) -> None:
    page = shown.page
    box = box_of(page.locator(".bnlab-chart .nsewdrag"))
    middle = box["y"] + box["height"] / 2
    page.mouse.move(box["x"] + 0.3 * box["width"], middle)
    page.wait_for_timeout(200)
    page.mouse.down()
    page.mouse.up()
    page.wait_for_function("() => model.state.clicked !== null")
    assert 20 < shown.get("clicked")["x"] < 40
    page.wait_for_timeout(500)
    page.mouse.down()
    page.mouse.move(box["x"] + 0.4 * box["width"], middle)
    page.mouse.move(box["x"] + 0.6 * box["width"], middle)
    page.mouse.up()
    page.wait_for_function("() => model.state.x_range !== null")
    low, high = shown.get("x_range")
    assert 20 < low < high < 75
    page.get_by_role("button", name="Show all").click()
    assert shown.get("x_range") is None
    page.locator(".bnlab-chart").focus()
    page.keyboard.press("ArrowRight")
    expect(page.locator(".bnlab-chart-spoken")).to_contain_text("chen, score")
    shown.ends_cleanly()


def slider_and_list_say_and_set_what_is_shown(shown: Drawn) -> None:
    page = shown.page
    slider, follow = page.get_by_role("slider", name="Iteration"), page.get_by_role("button", name="Follow")
    expect(slider).to_have_attribute("aria-valuetext", "100")
    expect(follow).to_be_disabled()
    slider.focus()
    page.keyboard.press("ArrowLeft")
    shown.settle()
    assert shown.get("moment") == 99
    expect(page.get_by_role("spinbutton", name="Iteration")).to_have_value("99")
    page.get_by_role("spinbutton", name="Iteration").fill("250")
    page.keyboard.press("Enter")
    assert shown.get("moment") == 100, "not beyond the end"
    follow.click()
    assert shown.get("moment") is None
    page.get_by_label("Score against").select_option("Seconds")
    assert shown.get("by") == "seconds"
    expect(page.get_by_role("button", name="Show all")).to_be_disabled()
    shown.ends_cleanly()


def test_the_heat_map_says_single_decisions_to_keys(page: Page) -> None:
    view = PolicyMap(["A", HOSTILE, "C"])
    tau = np.array([[0.25, 0.5, 0.25], [0.0, 1.0, 0.0], [0.1, 0.2, 0.7]])
    view.show(Policies(tau, np.ones(3, dtype=bool), np.arange(9).reshape(3, 3) == 6))  # C -> A is settled
    shown = Drawn(page, view, width=500)
    chart = page.locator(".bnlab-chart")
    expect(chart).to_have_attribute("aria-label", re.compile("3 of 3 decisions active, mean entropy 0.61 nats"))
    chart.focus()
    spoken = page.locator(".bnlab-chart-spoken")
    for key, words in (
        ("ArrowRight", f"A → {HOSTILE}, τ = 0.500"),
        ("ArrowRight", "A → C, τ = 0.250"),
        ("ArrowRight", "A → none, τ = 0.250"),
        ("ArrowDown", f"{HOSTILE} → none, τ = 1.000"),
        ("ArrowDown", "C → none, τ = 0.700"),
        ("ArrowLeft", f"C → {HOSTILE}, τ = 0.200"),
    ):
        page.keyboard.press(key)
        expect(spoken).to_have_text(words)
    assert page.locator("img").count() == 0
    shown.ends_cleanly()


def test_the_table_of_runs_tells_how_far_they_are(page: Page) -> None:
    work = Work(5, 20, "targets")
    row = RunRow(HOSTILE, "#1b5de4", "●", 1250, -1234.5, 2.5, "proved best", 1.25, work, 125.0, False)
    page.set_content(table_html([row]))
    expect(page.locator("td")).to_have_text(
        [f"● {HOSTILE}", "1,250", "−1,234.50", "2.50 %", "proved best", "1.25", "5 of 20 targets, 2 min left"]
    )
    expect(page.get_by_role("progressbar", name=f"Progress of {HOSTILE}")).to_be_visible()
    page.set_content(table_html([row._replace(gap=None, optimal="", seconds=0.004, work=None)]))
    expect(page.locator("td")).to_have_text([f"● {HOSTILE}", "1,250", "−1,234.50", "<0.01", "Running"])
    assert page.locator("img").count() == 0


SET_UP = """\
import bnlab
from bnlab.learners import make_search
from bnlab.learners.chen.search import paper_search
from bnlab.skeletons import make_search as skeleton_search
from bnlab.widgets import SearchPlayer
net = bnlab.load_network("asia")
table = net.sample(2000, seed=1)
phi = bnlab.scores.local_scores(table, "k2")
player = SearchPlayer(paper_search(phi, 8, beta=0.001, Q=500, seed=1), truth=net, speed=50)
several = SearchPlayer({
    "climb": make_search(table, "hc"),
    "chen": make_search(table, "chen", variant="paper", seed=1),
    "skeleton": skeleton_search(table, "OptHPC"),
})
several.play()
several.wait(60)"""


def test_a_search_is_played_paused_and_resumed_in_the_notebook(
    lab: Lab, page: Page, console: list[str], screenshot: Callable[[str], Path]
) -> None:
    notebook = lab.run(page, "player.ipynb", [SET_UP, "player", "several"], wide=True)
    shown = notebook.output(1)
    expect(shown.get_by_role("status").first).to_have_text("Ready.")
    shown.get_by_role("button", name="Play").click()
    expect(shown.get_by_role("button", name="Pause")).to_be_visible()
    page.wait_for_function("() => Number(document.querySelector('.bnlab-slider input').max) >= 60")
    assert notebook.python("1 + 1") == 2, "the kernel answers while the search runs"
    shown.get_by_role("button", name="Pause").click()
    expect(shown.get_by_role("status").first).to_contain_text("Paused at iteration")
    paused = notebook.python("player.iteration")
    page.wait_for_timeout(300)
    assert notebook.python("player.iteration") == paused >= 60
    shown.get_by_role("slider", name="Iteration").focus()
    page.keyboard.press("Home")
    page.wait_for_timeout(400)
    assert notebook.python("player.moment") == 0
    expect(shown.get_by_text("Iteration 0 (past)")).to_be_visible()
    shown.get_by_role("button", name="Follow").click()
    notebook.python("setattr(player, 'speed', 0)")
    shown.get_by_role("button", name="Play").click()
    assert notebook.python("player.wait(60)") is True
    expect(shown.get_by_role("status").first).to_contain_text("Finished at iteration")
    assert notebook.python("player.iteration") > paused
    for theme, width in (("light", 1300), ("dark", 700)):
        page.set_viewport_size({"width": width, "height": 1500})
        notebook.theme(theme)
        page.wait_for_timeout(700)
        assert not scrolling_boxes(page, shown)
        assert screenshot(f"search-player-{theme}-{width}").stat().st_size > 10_000
    policies_are_there_only_with_the_search_they_belong_to(notebook.output(2))


def policies_are_there_only_with_the_search_they_belong_to(shown: Locator) -> None:
    policies, graph = shown.locator("svg.main-svg", has_text="none").first, shown.locator(".bn-view", has_text="smoke")
    for name in ("chen", "climb", "chen", "skeleton"):
        shown.get_by_label("Show run").select_option(name)
        expect(shown.get_by_text(f"{name}: iteration")).to_be_visible()
        expect(graph).to_be_visible()
        if name == "chen":
            expect(policies).to_be_visible()
            expect(shown.get_by_text("Policies: probability of each child")).to_be_visible()
            assert box_of(policies)["height"] > 100
        else:
            expect(policies).to_be_hidden()
            expect(shown.get_by_text("Policies: probability of each child")).to_be_hidden()
