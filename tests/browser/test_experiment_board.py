"""The experiment board in a real JupyterLab: keys, a look, a run from the board, and what it must not do."""

from __future__ import annotations

from pathlib import Path
from time import perf_counter

from playwright.sync_api import Page, expect

from tests.browser.audit import stops
from tests.browser.shown import middle_of
from tools.lab import Lab

TOP = Path(__file__).parents[2]
PATIENCE_S = 120
"""Seconds that a busy machine may take for one thing."""
RECORDS = TOP / "notebooks" / "results" / "matuszak2012"
SET_UP = f"""\
import shutil
from bnlab.papers import ExperimentBoard
shutil.copytree({str(RECORDS)!r}, "records", dirs_exist_ok=True)
board = ExperimentBoard("matuszak2012", "records")
board"""
HOSTILE = f"""\
import sys
from bnlab.papers import ExperimentBoard
sys.path.insert(0, {str(TOP)!r})
from tests.papers.toy_rerun import Toy
toy = ExperimentBoard(Toy(), processes=0)
toy.run()
toy.wait(60)
toy.selected = [toy.to_frame().group.iloc[-1], "A"]
toy.view = "forest"
toy"""


def test_a_cell_is_looked_at_and_run_from_the_board(lab: Lab, page: Page, console: list[str]) -> None:
    notebook = lab.run(page, "board.ipynb", [SET_UP])
    shown = notebook.output(0)
    cell = shown.get_by_role("button", name="simple, Chow-Liu:")
    expect(cell).to_contain_text("0.73", timeout=1000 * PATIENCE_S)

    shown.locator("select").first.focus()
    reached = stops(page, 6)
    assert all(stop["shown"] for stop in reached), reached

    shown.get_by_role("button", name="simple, K2, file order:").focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    expect(cell).to_be_focused()
    page.keyboard.press("Enter")
    expect(cell).to_have_attribute("aria-pressed", "true", timeout=1000 * PATIENCE_S)
    expect(shown).to_contain_text("Recomputed; the stored record agrees", timeout=1000 * PATIENCE_S)
    assert notebook.python("board.selected") == ["simple", "Chow-Liu"]
    assert notebook.python("board.network.truth is not None")
    expect(shown.locator("svg", has_text="Sprinkler")).to_be_visible()
    expect(shown.get_by_role("region", name="Code that runs this cell again")).to_contain_text("'Chow-Liu'")

    stored = notebook.python("sum(1 for line in open('records/table1.jsonl'))")
    seeds = shown.get_by_role("spinbutton")
    seeds.fill("22")
    seeds.press("Enter")
    # A click overtakes a change that waits for a busy kernel.
    end = perf_counter() + PATIENCE_S
    while notebook.python("board.runs") != 22:
        assert perf_counter() < end, "the number of runs has not arrived"
        page.wait_for_timeout(50)
    assert "✓ agrees" in shown.inner_text()
    shown.get_by_text("What the columns are").click()
    expect(shown.get_by_text("Tree of greatest likelihood.")).to_be_visible()
    shown.get_by_role("button", name="Run selected").click()
    expect(shown.get_by_text("Ran 2 of 2 runs.")).to_be_visible(timeout=1000 * PATIENCE_S)
    assert notebook.python("board.to_frame().query(\"group == 'simple' and item == 'Chow-Liu'\").runs.tolist()") == [22]
    assert notebook.python("sum(1 for line in open('records/table1.jsonl'))") == stored + 2

    page.set_viewport_size({"width": 500, "height": 900})
    scroll = shown.locator(".bnlab-grid")
    expect(scroll).to_be_visible()
    # JupyterLab and the graph measure the new width one after the other.
    fits = "element => element.scrollWidth <= element.clientWidth + 1"
    page.wait_for_function(fits, arg=shown.element_handle(), timeout=1000 * PATIENCE_S)


def test_names_are_text_and_the_forest_plot_answers_to_clicks(lab: Lab, page: Page, console: list[str]) -> None:
    notebook = lab.run(page, "hostile.ipynb", [HOSTILE])
    toy = notebook.output(0)
    expect(toy.locator(".js-plotly-plot")).to_contain_text("<img src=x onerror=alert(1)>", timeout=1000 * PATIENCE_S)
    expect(toy.locator("table", has_text="predicted")).to_contain_text("<img src=x onerror=alert(1)>")
    assert toy.locator("img[src=x]").count() == 0

    points = toy.locator(".js-plotly-plot .scatterlayer .trace .points path")
    notebook.python("setattr(toy, 'selected', ['plain', 'A'])")
    page.mouse.click(*middle_of(points.last))
    chosen = toy.get_by_text("<img src=x onerror=alert(1)> · B")
    expect(chosen).to_be_visible(timeout=1000 * PATIENCE_S)
    assert notebook.python("toy.selected") == ["<img src=x onerror=alert(1)>", "B"]
