"""JupyterLab driven from Python: a server of its own, and one notebook in a page of a headless browser.

The server listens on a free port of 127.0.0.1, keeps all of its files in one folder, and asks nothing of the network.
"""

from __future__ import annotations

import ast
import json
import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import nbformat
from playwright.sync_api import Locator, Page

import bnlab

START_TIMEOUT = 120
CELL_TIMEOUT = 120
LOCAL_HOSTS = {"127.0.0.1", "localhost", None, ""}

OVERRIDES = {
    # Off-screen cells would be taken out of the page, and a test would not find them.
    "@jupyterlab/notebook-extension:tracker": {"windowingMode": "none"},
    "@jupyterlab/apputils-extension:notification": {
        "checkForUpdates": False,
        "doNotDisturbMode": True,
        "fetchNews": "false",
    },
}

# While JupyterLab changes its theme, the colours are those of the new one and the name is that of the old one.
THEMED = """
(name) => {
  const [red] = getComputedStyle(document.body).backgroundColor.match(/\\d+/g).map(Number);
  return document.body.dataset.jpThemeName === name && red > 127 === name.endsWith("Light");
}
"""

HAS_KERNEL = "() => Boolean(window.jupyterapp.shell.currentWidget?.sessionContext?.session?.kernel)"
OPEN_ANOTHER = """
async (path) => {
  const { shell, commands } = window.jupyterapp;
  const { context, sessionContext } = shell.currentWidget;
  const { kernel } = sessionContext.session;
  const code = "__import__('ipywidgets').Widget.close_all(); get_ipython().run_line_magic('reset', '-f')";
  const asBefore = "__spec__ = None"; // without it no process can be spawned
  await kernel.requestExecute({ code: `${code}; ${asBefore}`, silent: true }).done;
  context.model.dirty = false; // closing would ask whether to save
  shell.currentWidget.close();
  shell.expandLeft();
  const shown = await commands.execute("docmanager:open", { path, kernel: { id: kernel.id } });
  await shown.context.ready;
  await shown.sessionContext.ready;
}
"""


def leaves_the_machine(url: str) -> bool:
    """Whether a request to `url` would go to another machine.

    Examples
    --------
    >>> leaves_the_machine("http://127.0.0.1:8888/lab"), leaves_the_machine("data:text/css,a")
    (False, False)
    >>> leaves_the_machine("wss://cdn.example.org/socket")
    True
    """
    parts = urlsplit(url)
    return parts.scheme in {"http", "https", "ws", "wss"} and parts.hostname not in LOCAL_HOSTS


def free_port() -> int:
    """A port of the loopback interface that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@contextmanager
def jupyterlab(folder: Path) -> Iterator[Lab]:
    """Run JupyterLab with its files below `folder`; kernels and server end with the context."""
    root = folder / "root"
    settings = folder / "settings"
    for needed in (root, settings):
        needed.mkdir(parents=True)
    (settings / "overrides.json").write_text(json.dumps(OVERRIDES))
    # As an installed wheel has it; a source tree that was installed before has none yet, or an older one.
    extension = Path(bnlab.__file__).parent / "widgets" / "lab"
    shutil.copytree(extension, folder / "jupyter_data_dir" / "labextensions" / "bnlab")
    port = free_port()
    private = {
        name: str(folder / name.lower())
        for name in ("JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR", "IPYTHONDIR")
    } | {"JUPYTER_PREFER_ENV_PATH": "0"}
    command = [
        *(sys.executable, "-m", "jupyterlab", "--no-browser", "--allow-root"),
        *("--ServerApp.ip=127.0.0.1", f"--ServerApp.port={port}", "--ServerApp.port_retries=0"),
        *(f"--ServerApp.root_dir={root}", "--IdentityProvider.token=", "--ServerApp.open_browser=False"),
        *(f"--LabApp.app_settings_dir={settings}", f"--LabApp.user_settings_dir={folder / 'user'}"),
        *(f"--LabApp.workspaces_dir={folder / 'workspaces'}", "--LabApp.expose_app_in_browser=True"),
        *("--LabApp.extension_manager=readonly", "--LabApp.news_url=None"),
        "--LabApp.check_for_updates_class=jupyterlab.NeverCheckForUpdate",
    ]
    log = folder / "server.log"
    with log.open("wb") as output:
        server = subprocess.Popen(
            command, cwd=root, env={**os.environ, **private}, stdout=output, stderr=subprocess.STDOUT
        )
    try:
        lab = Lab(f"http://127.0.0.1:{port}", root)
        _wait_until_ready(lab.url, server, log)
        yield lab
    finally:
        server.terminate()
        try:
            server.wait(20)
        except subprocess.TimeoutExpired:
            server.kill()
            server.wait()


def _wait_until_ready(url: str, server: subprocess.Popen[bytes], log: Path) -> None:
    deadline = time.monotonic() + START_TIMEOUT
    while time.monotonic() < deadline and server.poll() is None:
        try:
            with urllib.request.urlopen(f"{url}/api/status", timeout=5):
                return
        except OSError:
            time.sleep(0.1)
    raise RuntimeError(f"JupyterLab did not start; its log ends:\n{log.read_text()[-2000:]}")


class Lab:
    """A running JupyterLab.

    Attributes
    ----------
    url : str
        Where it listens.
    root : Path
        The folder it shows.
    """

    def __init__(self, url: str, root: Path) -> None:
        self.url = url
        self.root = root

    def write(self, name: str, cells: Sequence[str]) -> str:
        """Write a notebook with these code cells below `root`; returns its name."""
        notebook = nbformat.v4.new_notebook(
            cells=[nbformat.v4.new_code_cell(source) for source in cells],
            metadata={"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}},
        )
        nbformat.write(notebook, self.root / name)
        return name

    def copy(self, path: Path) -> str:
        """Copy a notebook, and the results folder beside it, below `root`; returns its name."""
        shutil.copy(path, self.root / path.name)
        results = path.parent / "results"
        if results.is_dir():
            shutil.copytree(results, self.root / "results", dirs_exist_ok=True)
        return path.name

    def open(self, page: Page, name: str, *, reload: bool = False) -> LabNotebook:
        """Show a notebook of `root` in `page` and wait for its kernel.

        A page that shows JupyterLab already keeps it and its kernel, if that runs, without the widgets and the names of
        the notebook before, because both take seconds to start; `reload` loads the page anew.
        """
        shows_lab = page.url.startswith(f"{self.url}/lab")
        if reload or not shows_lab or not page.evaluate(HAS_KERNEL):
            page.goto(f"{self.url}/lab/tree/{name}?reset")
            page.wait_for_function("() => window.jupyterapp?.shell?.currentWidget?.sessionContext", timeout=60_000)
            page.evaluate("() => window.jupyterapp.shell.currentWidget.sessionContext.ready")
        else:
            page.evaluate(OPEN_ANOTHER, name)
        page.wait_for_selector(".jp-Notebook .jp-Cell")
        notebook = LabNotebook(page)
        notebook.wait_idle()
        return notebook

    def run(
        self, page: Page, name: str, cells: Sequence[str], *, wide: bool = False, timeout: float = CELL_TIMEOUT
    ) -> LabNotebook:
        """Write a notebook, show it in `page`, with `wide` beside no list of files, and run all of its cells."""
        notebook = self.open(page, self.write(name, cells))
        if wide:
            notebook.widen()
        notebook.run_all_cells(timeout)
        return notebook


class LabNotebook:
    """The notebook that a page shows.

    Attributes
    ----------
    page : playwright.sync_api.Page
    """

    def __init__(self, page: Page) -> None:
        self.page = page

    def run_all_cells(self, timeout: float = CELL_TIMEOUT) -> None:
        """Run all cells and wait, at most `timeout` seconds, until the last has answered."""
        self.page.evaluate(
            "() => { window.bnlabRan = false;"
            " window.jupyterapp.commands.execute('notebook:run-all-cells')"
            ".finally(() => { window.bnlabRan = true; }); }"
        )
        self.page.wait_for_function("() => window.bnlabRan", timeout=timeout * 1000)
        self.wait_idle(timeout)

    def wait_idle(self, timeout: float = CELL_TIMEOUT) -> None:
        """Wait, at most `timeout` seconds, until the kernel has nothing left to do."""
        self.page.wait_for_function(
            "() => window.jupyterapp.shell.currentWidget.sessionContext.session?.kernel?.status === 'idle'",
            timeout=timeout * 1000,
        )

    def python(self, expression: str) -> Any:
        """Value of an expression in the kernel; a literal (numbers, strings, lists and dicts of them)."""
        answer = self.page.evaluate(
            """async (expression) => {
                const kernel = window.jupyterapp.shell.currentWidget.sessionContext.session.kernel;
                const request = {code: '', store_history: false, user_expressions: {value: expression}};
                const reply = await kernel.requestExecute(request).done;
                return reply.content.user_expressions.value;
            }""",
            expression,
        )
        if answer["status"] != "ok":
            raise RuntimeError(f"{expression}: {answer['ename']}: {answer['evalue']}")
        return ast.literal_eval(answer["data"]["text/plain"])

    def output(self, cell: int) -> Locator:
        """What the code cell number `cell` (from 0) shows below itself."""
        return self.page.locator(".jp-CodeCell").nth(cell).locator(".jp-Cell-outputArea")

    def widen(self) -> None:
        """Close the list of files on the left."""
        self.page.evaluate("() => window.jupyterapp.shell.collapseLeft()")

    def theme(self, theme: str) -> None:
        """Switch JupyterLab to its "light" or "dark" theme, and wait until the page has its colours."""
        name = f"JupyterLab {theme.capitalize()}"
        if not self.page.evaluate(THEMED, name):
            self.page.evaluate("(theme) => window.jupyterapp.commands.execute('apputils:change-theme', {theme})", name)
        self.page.wait_for_function(THEMED, arg=name)
