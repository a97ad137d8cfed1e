"""The ground under the widget tests: a notebook runs in a real JupyterLab and the page is watched."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tools.lab import Lab

TABLE = "import pandas as pd\npd.DataFrame({'score': ['k2', 'bdeu'], 'nats': [-1.5, -2.25]})"


def test_a_notebook_runs_and_shows_what_it_computes(lab: Lab, page: Page, screenshot: Callable[[str], Path]) -> None:
    notebook = lab.open(page, lab.write("sum.ipynb", ["total = 1 + 1\nprint('total', total)", TABLE]))
    notebook.run_all_cells()
    expect(notebook.output(0)).to_contain_text("total 2")
    expect(notebook.output(1).locator("td")).to_have_text(["k2", "-1.50", "bdeu", "-2.25"])
    assert notebook.python("total") == 2
    colours = set()
    for theme in ("light", "dark"):
        notebook.theme(theme)
        colours.add(page.evaluate("() => getComputedStyle(document.querySelector('.jp-Notebook')).backgroundColor"))
        assert screenshot(f"lab-{theme}").stat().st_size > 10_000
    assert len(colours) == 2


def test_an_expression_that_fails_in_the_kernel_says_so(lab: Lab, page: Page) -> None:
    notebook = lab.open(page, lab.write("empty.ipynb", ["pass"]))
    with pytest.raises(RuntimeError, match="NameError"):
        notebook.python("nowhere_defined")


def test_the_kernel_is_this_environment(lab: Lab, page: Page) -> None:
    notebook = lab.open(page, lab.write("kernel.ipynb", ["import sys"]))
    notebook.run_all_cells()
    assert notebook.python("sys.prefix") == sys.prefix


FIGURES = """\
import plotly.graph_objects as go
import bnlab
from bnlab.data import remove_values
from bnlab.figures import gaps_figure, network_picture
net = bnlab.load_network("asia")
gaps_figure(remove_values(net.sample(500, seed=1), 0.2, "mcar", seed=1))"""


def test_figures_and_pictures_are_dark_in_a_dark_theme_and_those_of_others_stay_as_they_are(
    lab: Lab, page: Page, screenshot: Callable[[str], Path]
) -> None:
    notebook = lab.open(page, lab.write("figures.ipynb", [FIGURES, "network_picture(net)", "go.Figure(go.Bar(y=[1]))"]))
    notebook.run_all_cells()
    own, picture = notebook.output(0).locator(".bnlab-figure"), notebook.output(1).locator("img")
    expect(own.locator(".main-svg").first).to_be_visible()
    expect(notebook.output(2).locator(".main-svg").first).to_be_visible()
    expect(notebook.output(2).locator(".bnlab-figure")).to_have_count(0)
    for theme, drawn in (("light", "none"), ("dark", "invert(0.88) hue-rotate(180deg)")):
        notebook.theme(theme)
        expect(own).to_have_css("filter", drawn)
        expect(picture).to_have_css("filter", drawn)
        screenshot(f"figures-{theme}")
