"""Widgets in a notebook that is opened again without its kernel, and in other front ends."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import NoReturn
from urllib.request import urlopen

import nbformat
import pytest
from nbconvert import HTMLExporter
from playwright.sync_api import Browser, Page

from tools.lab import Lab, free_port

CELL = """\
import bnlab
from bnlab.widgets import NetworkGraph
net = bnlab.load_network("asia")
graph = NetworkGraph(net, data=net.sample(1000, seed=1))
graph.observe_state("xray", "yes")
graph"""
MISSING = "Error displaying widget"


def test_a_notebook_that_is_opened_again_or_exported_shows_the_stored_picture(
    lab: Lab, page: Page, screenshot: Callable[[str], None]
) -> None:
    notebook = lab.run(page, "again.ipynb", [CELL])
    notebook.output(0).locator("svg").first.wait_for()
    page.evaluate("() => window.jupyterapp.commands.execute('docmanager:save')")
    page.wait_for_function("() => !window.jupyterapp.shell.currentWidget.context.model.dirty")
    again = lab.open(page, "again.ipynb")  # whose kernel has none of the widgets, like one that has just been started
    picture = again.output(0).locator("img")
    picture.wait_for()
    screenshot("stored_picture")
    assert "lung: yes 49%" in str(picture.get_attribute("alt"))
    text = again.output(0).inner_text()
    assert "Given xray = yes" in text
    assert "Still picture of a widget" in text
    assert MISSING not in text
    html, _ = HTMLExporter().from_notebook_node(nbformat.read(lab.root / "again.ipynb", as_version=4))
    assert "Probabilities: asia: yes 1%, no 99%" in html
    assert "lung: yes 49%, no 51%" in html
    assert "Still picture of a widget" in html


@contextmanager
def served(command: list[str], folder: Path) -> Iterator[str]:
    """Address of a server whose files are in a folder."""
    port = free_port()
    names = ("JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR", "IPYTHONDIR")
    private = {name: str(folder / name.lower()) for name in names}
    with (folder / "log").open("wb") as log:
        server = subprocess.Popen(
            [sys.executable, "-m", *command, "--no-browser", f"--port={port}"],
            cwd=folder,
            env={**os.environ, **private},
            stdout=log,
            stderr=log,
        )
    try:
        deadline = time.monotonic() + 120
        while time.monotonic() < deadline and server.poll() is None:
            try:
                urlopen(f"http://127.0.0.1:{port}/", timeout=120).close()
                break
            except OSError:
                time.sleep(0.2)
        else:
            raise RuntimeError((folder / "log").read_text()[-2000:])
        yield f"http://127.0.0.1:{port}"
    finally:
        server.terminate()
        try:
            server.wait(60)
        finally:
            server.kill()


@pytest.fixture
def graph_notebook(tmp_path: Path) -> Path:
    """Notebook with one widget, not run yet."""
    cell = nbformat.v4.new_code_cell(CELL)
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    path = tmp_path / "graph.ipynb"
    nbformat.write(nbformat.v4.new_notebook(cells=[cell], metadata={"kernelspec": kernel}), path)
    return path


@pytest.fixture
def other_page(browser: Browser) -> Iterator[Page]:
    """Page for front ends that are not ours: Voilà requests fonts of another host, and Notebook 7 logs an error."""
    context = browser.new_context(viewport={"width": 1280, "height": 900}, reduced_motion="reduce")
    yield context.new_page()
    context.close()


def needed(package: str, left_out: Callable[[str, str], NoReturn]) -> None:
    if find_spec(package) is None:
        left_out(f"widgets in {package}", f"pip install {package}")


@pytest.mark.slow  # another server and page, which change with their versions
def test_widgets_work_in_notebook_7(
    graph_notebook: Path, other_page: Page, left_out: Callable[[str, str], NoReturn]
) -> None:
    needed("notebook", left_out)
    options = ["--allow-root", "--IdentityProvider.token=", "--JupyterNotebookApp.expose_app_in_browser=True"]
    with served(["notebook", *options], graph_notebook.parent) as url:
        other_page.goto(f"{url}/notebooks/{graph_notebook.name}")
        other_page.wait_for_function("() => window.jupyterapp?.shell?.currentWidget?.sessionContext", timeout=60_000)
        other_page.evaluate("() => window.jupyterapp.shell.currentWidget.sessionContext.ready")
        other_page.evaluate("() => { window.jupyterapp.commands.execute('notebook:run-all-cells'); }")
        works(other_page)


@pytest.mark.slow
def test_widgets_work_in_voila(
    graph_notebook: Path, other_page: Page, left_out: Callable[[str, str], NoReturn]
) -> None:
    needed("voila", left_out)
    with served(["voila", str(graph_notebook)], graph_notebook.parent) as url:
        other_page.goto(f"{url}/", timeout=120_000)
        works(other_page)


def works(page: Page) -> None:
    """A click on a state reaches the kernel, and its answer reaches the page."""
    page.locator(".bn-bar").first.wait_for(timeout=120_000)
    assert "Given xray = yes" in page.locator("body").inner_text()
    page.get_by_role("button", name="Clear evidence").click()
    page.wait_for_function("() => !document.body.innerText.includes('Given xray = yes')")
