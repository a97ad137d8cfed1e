"""The search player in a browser: its three modules with models made of plain values, and once in JupyterLab."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import Page, expect

from bnlab.search import Event, Progress
from bnlab.widgets import ConvergencePlot, PolicyMap
from bnlab.widgets.player.bar import PlayerBar
from bnlab.widgets.player.curve import Curve
from tests.browser.shown import Shown
from tools.lab import Lab

HOSTILE = "<img src=x onerror=alert(1)>"
INK = """
() => {
  const canvas = document.querySelector("canvas");
  const pixels = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data;
  const colours = new Map();
  for (let k = 0; k < pixels.length; k += 4) {
    if (pixels[k + 3] < 250) continue;
    const key = [pixels[k], pixels[k + 1], pixels[k + 2]].map((c) => c.toString(16).padStart(2, "0")).join("");
    colours.set(key, (colours.get(key) ?? 0) + 1);
  }
  return Object.fromEntries([...colours].sort((a, b) => b[1] - a[1]).slice(0, 40));
}
"""


@pytest.fixture
def plot() -> ConvergencePlot:
    plot = ConvergencePlot(baselines={HOSTILE: -40.0}, truth=-10.0)
    for i, name in enumerate(["chen", HOSTILE]):
        curve = plot.follow(name, Curve(), ["A", HOSTILE])
        for k in range(100):
            score = -100.0 + 0.8 * k + 10 * i
            events = (Event(k + 1, "converged", 0, 1),) if k == 50 else ()
            curve.add(Progress(k + 1, (score,), score, events), seconds=0.1)
    plot.refresh()
    return plot


def test_curves_are_drawn_in_their_colours_and_switched_off_in_the_legend(page: Page, plot: ConvergencePlot) -> None:
    shown = Shown(page, plot)
    first, second = (curve["colour"].removeprefix("#") for curve in plot.curves)
    ink = page.evaluate(INK)
    assert ink[first] > 100
    assert ink[second] > 100
    chip = page.get_by_role("button", name=HOSTILE)
    expect(chip).to_have_attribute("aria-pressed", "true")
    chip.click()
    shown.settle()
    assert shown.get("hidden") == [HOSTILE]
    expect(chip).to_have_attribute("aria-pressed", "false")
    assert page.evaluate(INK).get(second, 0) == 0
    chip.click()
    assert shown.get("hidden") == []
    assert page.locator("img").count() == 0
    expect(page.get_by_role("img")).to_have_attribute(
        "aria-label", f"Convergence, score in nats against iteration. {plot.description}"
    )
    shown.ends_cleanly()


def test_mouse_and_keys_zoom_and_move_the_moment(page: Page, plot: ConvergencePlot) -> None:
    shown = Shown(page, plot)
    box = shown.box()
    middle = box["y"] + 100
    page.mouse.move(box["x"] + 300, middle)
    page.mouse.down()
    page.mouse.move(box["x"] + 350, middle)
    page.mouse.move(box["x"] + 500, middle)
    page.mouse.up()
    low, high = shown.get("x_range")
    assert 20 < low < high < 95
    page.locator("canvas").dblclick(position={"x": 400, "y": 100})
    assert shown.get("x_range") is None
    page.mouse.click(box["x"] + 400, middle)
    shown.settle()
    moment = shown.get("moment")
    assert 30 < moment < 90
    page.locator("canvas").focus()
    page.keyboard.press("Shift+ArrowLeft")
    assert shown.get("moment") == moment - 1
    page.keyboard.press("+")
    low, high = shown.get("x_range")
    assert low < moment - 1 < high
    assert high - low == pytest.approx(50, abs=1)
    page.keyboard.press("0")
    assert shown.get("x_range") is None
    page.keyboard.press("Home")
    assert shown.get("moment") == 0
    page.keyboard.press("End")
    assert shown.get("moment") is None


def test_the_slider_and_the_buttons_say_and_set_what_is_shown(page: Page, plot: ConvergencePlot) -> None:
    shown = Shown(page, plot)
    slider = page.get_by_role("slider", name="Moment, in iterations")
    expect(slider).to_have_attribute("aria-valuetext", "following the search")
    expect(page.locator("output")).to_have_text("now, 100")
    slider.focus()
    page.keyboard.press("ArrowLeft")
    shown.settle()
    assert shown.get("moment") == 99
    expect(page.locator("output")).to_have_text("iteration 99")
    page.get_by_role("button", name="Follow").click()
    assert shown.get("moment") is None
    page.get_by_role("button", name="seconds").click()
    assert shown.get("by") == "seconds"
    shown.settle()
    expect(page.get_by_role("button", name="seconds")).to_have_attribute("aria-pressed", "true")


def test_the_readout_tells_scores_and_events_under_the_mouse(page: Page, plot: ConvergencePlot) -> None:
    shown = Shown(page, plot)
    box = shown.box()
    page.mouse.move(box["x"] + 400, box["y"] + 100)
    shown.settle()
    readout = page.locator(".bnlab-readout")
    expect(readout).to_contain_text("iteration ")
    expect(readout).to_contain_text(f"{HOSTILE}: −")
    for x in range(300, 600, 4):
        page.mouse.move(box["x"] + x, box["y"] + 100)
        shown.settle()
        if "permanent" in str(readout.text_content()):
            break
    expect(readout).to_contain_text(f"permanent edge A → {HOSTILE}")
    page.mouse.move(0, 0)
    expect(readout).to_be_hidden()


def test_the_heat_map_tells_single_decisions_to_mouse_and_keys(page: Page) -> None:
    view = PolicyMap(["A", HOSTILE, "C"])
    view.show(np.array([[0.25, 0.5, 0.25], [0.0, 1.0, 0.0], [0.1, 0.2, 0.7]]), permanent=[(2, 0)])
    shown = Shown(page, view, width=500)
    says = page.locator(".bnlab-says")
    expect(says).to_have_text("3 of 3 decisions active, mean entropy 0.61 nats")
    page.locator("canvas").focus()
    for key, words in (
        ("ArrowDown", "A → A: itself"),
        ("ArrowRight", f"A → {HOSTILE}: τ = 0.500"),
        ("ArrowRight", "A → C: τ = 0.250"),
        ("ArrowRight", "A → none: τ = 0.250"),
    ):
        page.keyboard.press(key)
        expect(says).to_have_text(words)
    for key in ("ArrowDown", "ArrowDown", "ArrowLeft", "ArrowLeft", "ArrowLeft"):
        page.keyboard.press(key)
    expect(says).to_have_text("C → A: permanent edge")
    colours = page.evaluate(INK)
    assert colours["1b5de4"] > 30, "the permanent edge"
    assert colours["bf8a1c"] > 100, "the decision that is certain"
    assert page.locator("img").count() == 0
    shown.ends_cleanly()


def test_what_cannot_be_drawn_is_said_and_the_next_curves_are_drawn(page: Page, plot: ConvergencePlot) -> None:
    shown = Shown(page, plot)
    baselines = shown.get("baselines")
    shown.set(baselines={"broken": None, "text": {}}, unit=None, marks=None)
    expect(page.get_by_role("alert")).to_contain_text("This could not be drawn")
    shown.set(baselines=baselines, unit="score in nats", marks={})
    expect(page.get_by_role("alert")).to_be_hidden()
    shown.ends_cleanly()


def test_runs_have_shapes_of_their_own_beside_their_colours(page: Page, plot: ConvergencePlot) -> None:
    Shown(page, plot)
    assert page.locator(".bnlab-legend .bnlab-swatch").all_text_contents() == ["●", "■"]


def test_buttons_ask_and_are_off_when_there_is_nothing_to_ask(page: Page) -> None:
    row = {"name": HOSTILE, "colour": "#1b5de4", "iteration": 1250, "best": -1234.5, "gap": 2.5, "seconds": 1.25}
    known = {"done": 5, "total": 20, "unit": "targets", "left": 125.0, "ended": False}
    bar = PlayerBar([HOSTILE], seed=3)
    bar.runs = [row | known]
    shown = Shown(page, bar)
    for name in ("Play", "Step", "Reset"):
        page.get_by_role("button", name=name).click()
    assert shown.asked() == ["play", "step", "reset"]
    expect(page.get_by_role("button", name="Stop")).to_be_disabled()
    shown.set(playing=True, status="Running.")
    expect(page.get_by_role("status")).to_have_text("Running.")
    expect(page.get_by_role("button", name="Step")).to_be_disabled()
    for name in ("Pause", "Stop"):
        page.get_by_role("button", name=name).click()
    assert shown.asked() == ["pause", "stop"]
    shown.set(playing=False, finished=True)
    expect(page.get_by_role("button", name="Play")).to_be_disabled()
    expect(page.locator("td")).to_have_text(
        [HOSTILE, "1,250", "−1,234.50", "2.50 %", "1.25", "5 of 20 targets, 2 min left"]
    )
    shown.set(runs=[row | known | {"seconds": 0.004}])
    expect(page.locator("td").nth(4)).to_have_text("<0.01")
    page.get_by_label("Seed").fill("12")
    page.get_by_label("Seed").press("Enter")
    page.get_by_label("Speed").select_option("10 steps per second")
    assert (shown.get("seed"), shown.get("speed")) == (12, 10)
    shown.set(seed=None)
    expect(page.get_by_label("Seed")).to_be_hidden()
    expect(page.get_by_label("Compare with true network")).to_be_hidden()
    assert page.locator("img").count() == 0
    shown.ends_cleanly()


TWO_SEARCHES = """\
import bnlab
from bnlab.learners import make_search
from bnlab.skeletons import make_search as skeleton_search
from bnlab.widgets import SearchPlayer
table = bnlab.load_network("asia").sample(500, seed=1)
player = SearchPlayer({
    "climb": make_search(table, "hc"),
    "chen": make_search(table, "chen", variant="paper", seed=1),
    "skeleton": skeleton_search(table, "OptHPC"),
})
player.play()
player.wait(60)"""


def test_policies_are_on_the_page_only_with_the_search_they_belong_to(
    lab: Lab, page: Page, console: list[str], screenshot: Callable[[str], Path]
) -> None:
    notebook = lab.open(page, lab.write("two_searches.ipynb", [TWO_SEARCHES, "player"]))
    page.evaluate("() => window.jupyterapp.commands.execute('application:toggle-left-area')")
    notebook.run_all_cells()
    shown = notebook.output(1)
    policies, graph = shown.locator(".bnlab-policies canvas"), shown.locator("svg", has_text="smoke")
    for theme, width in (("light", 1300), ("dark", 700)):
        page.set_viewport_size({"width": width, "height": 1500})
        notebook.theme(theme)
        for name in ("chen", "climb", "chen", "skeleton"):
            shown.get_by_label("Show run").select_option(name)
            expect(shown.get_by_text(f"{name}: iteration")).to_be_visible()
            expect(graph).to_be_visible()
            if name == "chen":
                expect(policies).to_be_visible()
                expect(shown.get_by_text("Policies: probability of each child")).to_be_visible()
                page.wait_for_function("() => document.querySelector('.bnlab-policies canvas').height > 100")
            else:
                expect(policies).to_be_hidden()
                expect(shown.get_by_text("Policies", exact=False)).to_be_hidden()
            screenshot(f"two-searches-{theme}-{name}")


SET_UP = """\
import bnlab
from bnlab.learners.chen.search import paper_search
from bnlab.widgets import SearchPlayer
net = bnlab.load_network("asia")
table = net.sample(2000, seed=1)
phi = bnlab.scores.local_scores(table, "k2")
player = SearchPlayer(paper_search(phi, 8, beta=0.001, Q=10_000, seed=1), truth=net, speed=20)"""


def test_a_search_is_played_paused_and_resumed_in_the_notebook(
    lab: Lab, page: Page, screenshot: Callable[[str], Path]
) -> None:
    errors: list[str] = []
    page.on("console", lambda message: errors.append(message.text) if message.type == "error" else None)
    notebook = lab.open(page, lab.write("player.ipynb", [SET_UP, "player"]))
    page.evaluate("() => window.jupyterapp.commands.execute('application:toggle-left-area')")
    notebook.run_all_cells()
    shown = notebook.output(1)
    expect(shown.get_by_role("status").first).to_have_text("Ready.")
    shown.get_by_role("button", name="Play").click()
    expect(shown.get_by_role("button", name="Pause")).to_be_visible()
    page.wait_for_function("() => Number(document.querySelector('.bnlab-moment input').max) >= 500")
    assert notebook.python("1 + 1") == 2, "the kernel answers while the search runs"
    shown.get_by_role("button", name="Pause").click()
    expect(shown.get_by_role("status").first).to_contain_text("Paused at iteration")
    paused = notebook.python("player.iteration")
    page.wait_for_timeout(300)
    assert notebook.python("player.iteration") == paused >= 500
    shown.get_by_role("slider", name="Moment, in iterations").focus()
    page.keyboard.press("Home")
    page.wait_for_timeout(400)
    assert notebook.python("player.moment") == 0
    expect(shown.get_by_text("iteration 0")).to_have_count(2)
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
        assert screenshot(f"search-player-{theme}-{width}").stat().st_size > 10_000
    assert not errors
