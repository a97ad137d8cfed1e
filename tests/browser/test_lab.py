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
