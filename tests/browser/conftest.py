"""A browser page that trusts nobody, and a JupyterLab to look at.

A test takes `page`, which fails it at the end for any uncaught error in the page and for any request that leaves the
machine, and `lab` (`tools.lab.Lab`): ``lab.run(page, "a.ipynb", ["1 + 1"])`` or ``lab.open(page, lab.copy(path))``
gives the notebook with `run_all_cells`, `wait_idle`, `python`, `output` and `theme`.
`screenshot(name)` keeps a picture to look at in screenshots/.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import NoReturn

import pytest
from playwright.sync_api import (
    Browser,
    ConsoleMessage,
    Dialog,
    Error,
    Page,
    Request,
    WebSocket,
    expect,
    sync_playwright,
)

from tools.browser import FLAGS, HOW, find_chromium
from tools.lab import Lab, jupyterlab, leaves_the_machine

HERE = Path(__file__).parent
SLOW = 30_000
"""Milliseconds until something that a test expects is missing, on a busy machine too."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark all tests of this folder; one that fails is run again, twice at most, which the summary counts."""
    for item in items:
        if HERE in item.path.parents:
            item.add_marker(pytest.mark.browser)
            item.add_marker(pytest.mark.flaky(reruns=2))


@pytest.fixture(scope="session")
def chromium(left_out: Callable[[str, str], NoReturn]) -> str:
    """Path of the browser."""
    return find_chromium() or left_out("browser tests", HOW)


# Not for the whole session: playwright keeps an event loop running in this thread while it is open,
# and tests of other folders start their own.
@pytest.fixture(scope="package")
def launch(chromium: str) -> Iterator[Callable[[], Browser]]:
    """Start a headless Chromium."""
    expect.set_options(timeout=SLOW)
    with sync_playwright() as playwright:
        yield lambda: playwright.chromium.launch(executable_path=chromium, args=FLAGS)


@pytest.fixture(scope="package")
def browser(launch: Callable[[], Browser]) -> Iterator[Browser]:
    """Headless Chromium."""
    with closing(launch()) as browser:
        yield browser


VIEWPORT = {"width": 1280, "height": 900}


@pytest.fixture(scope="package")
def lab_page(browser: Browser) -> Iterator[Page]:
    """Page for all tests of this folder that take `lab` too: JupyterLab and a kernel take seconds to load."""
    with browser.new_context(viewport=VIEWPORT, reduced_motion="reduce") as context:
        yield context.new_page()


@pytest.fixture(scope="package")
def other_page(launch: Callable[[], Browser]) -> Iterator[Page]:
    """Page for all tests of this folder that do not: a new profile takes longer than most of them.

    Its browser is its own, for one page of a browser has the focus.
    """
    with closing(launch()) as browser:
        yield browser.new_page(viewport=VIEWPORT, reduced_motion="reduce")


@pytest.fixture
def page(request: pytest.FixtureRequest) -> Iterator[Page]:
    """`lab_page`, or `other_page` without what was in it; at the end there must have been no error and no outside
    request.
    """
    if "lab" in request.fixturenames:
        page = request.getfixturevalue("lab_page")
        page.mouse.move(1, 1)
    else:
        page = request.getfixturevalue("other_page")
        page.goto("about:blank")
    page.set_viewport_size(VIEWPORT)
    page.emulate_media(reduced_motion="reduce")
    wrong: list[str] = []

    def watch(asked: Request | WebSocket) -> None:
        if leaves_the_machine(asked.url):
            wrong.append(f"request to {asked.url}")

    def note(error: Error) -> None:
        if not is_of_the_lab(error):
            wrong.append(f"page error: {error}\n{error.stack}")

    listeners = {"pageerror": note, "request": watch, "websocket": watch}
    for event, listener in listeners.items():
        page.on(event, listener)
    yield page
    for event, listener in listeners.items():
        page.remove_listener(event, listener)
    assert not wrong, "\n".join(wrong)


LAB_ERRORS = ("'removeChild' on 'Node'", "null (reading 'widgets')")
"""A node that JupyterLab's React lost, and a panel that was closed while the manager of widgets looked into it."""

LAB_MESSAGES = (
    ("reading 'processLuminoMessage'", "/static/lab/jlab_core."),
    ("Could not add child view to box", "/jupyterlab-manager/"),
)
"""Errors that JupyterLab writes to the console, and the code that writes them: a message to a panel was on its way
while the panel closed, or a child was being made for it. A child that fails in our code also tells its own error."""


def is_of_the_lab(error: Error) -> bool:
    """Whether an error that is known from JupyterLab comes from its own code alone."""
    places = [line for line in (error.stack or "").splitlines() if "http" in line and line.lstrip().startswith("at ")]
    known = any(text in error.message for text in LAB_ERRORS)
    return known and bool(places) and all("/static/lab/" in at or "/jupyterlab-manager/" in at for at in places)


@pytest.fixture
def console(page: Page) -> Iterator[list[str]]:
    """Errors that the page writes to its console; at the end there must be none but JupyterLab's own."""
    errors: list[str] = []

    def note(message: ConsoleMessage) -> None:
        of_the_lab = any(text in message.text and place in message.text for text, place in LAB_MESSAGES)
        if message.type == "error" and not of_the_lab:
            errors.append(message.text)

    page.on("console", note)
    yield errors
    page.remove_listener("console", note)
    assert not errors


@pytest.fixture
def no_dialogs(page: Page) -> Iterator[None]:
    """Dismiss the dialogs that the page opens; at the end there must have been none, for no name may run as code."""
    opened: list[str] = []

    def note(dialog: Dialog) -> None:
        opened.append(dialog.message)
        dialog.dismiss()

    page.on("dialog", note)
    yield
    page.remove_listener("dialog", note)
    assert not opened


@pytest.fixture(scope="package")
def lab(tmp_path_factory: pytest.TempPathFactory, chromium: str) -> Iterator[Lab]:
    """JupyterLab on a folder of its own."""
    with jupyterlab(tmp_path_factory.mktemp("lab")) as running:
        yield running


@pytest.fixture
def screenshot(page: Page, pytestconfig: pytest.Config) -> Callable[[str], Path]:
    """Keep a picture of the page in screenshots/ (not under version control)."""

    def keep(name: str) -> Path:
        path = pytestconfig.rootpath / "screenshots" / f"{name}.png"
        page.screenshot(path=path, animations="disabled")
        return path

    return keep
