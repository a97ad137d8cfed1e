"""What every test shares: no deadlines, and honesty about what was left out."""

from __future__ import annotations

import os
from collections.abc import Callable, Generator
from contextlib import suppress
from functools import cache, partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NoReturn, TypeVar

import pytest
from hypothesis import settings

T = TypeVar("T")

LEFT_OUT = "left out: "
TESTS = Path(__file__).parent / "tests"
BROWSER = TESTS / "browser"
DETAILS = TESTS.parent / "notebooks" / "details"
LONG = [
    *(TESTS / "widgets", TESTS / "_runtime", TESTS / "test_kills.py", TESTS / "test_import_time.py"),
    *(TESTS / "test_portable.py", TESTS / "counts" / "test_dask.py", TESTS / "learners", TESTS / "papers"),
]
"""Folders and files that take longest."""
KERNEL_MEGABYTES = 1000
"""Maximum memory of a notebook's kernel, MiB; the machine that Binder lends has little more."""

# The first example of a property compiles kernels; seeded, so that two runs of one state of the code agree.
settings.register_profile("bnlab", deadline=None, derandomize=True)
settings.load_profile("bnlab")


def leave_out(what: str, how: str) -> NoReturn:
    """Skip because the machine lacks something, and have the last lines say so; with ``CI=true`` fail instead."""
    message = f"{LEFT_OUT}{what} ({how})"
    if os.environ.get("CI") == "true":
        pytest.fail(message, pytrace=False)
    pytest.skip(message)


def pytest_configure(config: pytest.Config) -> None:
    """Let a notebook's kernel start again: on a busy machine another may take its port, or it comes too late."""
    if config.pluginmanager.hasplugin("nbval"):
        from nbval import plugin

        plugin.RunningKernel = partial(in_three_attempts, partial(start_offline, plugin.RunningKernel))


def start_offline(start: Callable[..., T], *args: Any, **kwargs: Any) -> T:
    """Start a process that finds no downloaded data and no network, but the machine code that was compiled before."""
    from bnlab.engine.compiled import cache_folder

    with pytest.MonkeyPatch.context() as environment:
        environment.setenv("NUMBA_CACHE_DIR", str(Path(cache_folder()).parent))
        environment.setenv("XDG_CACHE_HOME", empty_folder().name)
        environment.setenv("HTTPS_PROXY", "http://127.0.0.1:9")  # nothing answers there
        return start(*args, **kwargs)


@cache
def empty_folder() -> TemporaryDirectory[str]:
    """Folder that is deleted when the tests end."""
    return TemporaryDirectory()


def in_three_attempts(make: Callable[..., T], *args: Any, **kwargs: Any) -> T:
    """Result of a call, made anew after each of two RuntimeErrors."""
    for _ in range(2):
        with suppress(RuntimeError):
            return make(*args, **kwargs)
    return make(*args, **kwargs)


@pytest.fixture(scope="session")
def left_out() -> Callable[[str, str], NoReturn]:
    """Call ``left_out(what, how)`` when the machine lacks what a test needs; `how` says how to get it."""
    return leave_out


@pytest.hookimpl(wrapper=True)
def pytest_fixture_setup(request: pytest.FixtureRequest) -> Generator[None, Any, Any]:
    """Leave out a test marked `needs_data` whose fixture needs third-party data that cannot be had here."""
    return (yield from _with_data(request.node))


@pytest.hookimpl(wrapper=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> Generator[None, Any, Any]:
    """Leave out a test marked `needs_data` when third-party data cannot be had here."""
    return (yield from _with_data(pyfuncitem))


def _with_data(node: pytest.Item | pytest.Collector) -> Generator[None, Any, Any]:
    from bnlab.data.catalogue import DataUnavailable

    try:
        return (yield)
    except DataUnavailable as missing:
        if node.get_closest_marker("needs_data") is None:
            raise
        data_missing(missing)


def data_missing(reason: object) -> NoReturn:
    """Leave out a test for want of third-party data."""
    if os.environ.get("CI") == "true":
        leave_out("third-party data", str(reason))
    leave_out("what needs third-party data", "connect to the network, or set BNLAB_DATA to a folder that has them")


@pytest.hookimpl(optionalhook=True, tryfirst=True)
def pytest_xdist_auto_num_workers() -> int:
    """One process more than cores, of which at most four are used: the browser tests wait for pages and kernels.

    Each process imports all tests, which takes as long as running hundreds of them. Fewer where there is less than
    1 GiB of memory for each.
    """
    from bnlab._runtime.budget import memory_budget
    from bnlab._runtime.threads import available_cores

    return max(1, min(available_cores() + 1, 5, memory_budget() // 2**30))


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Give each process whole files, and whole parts of the browser tests, so that what they share starts once."""
    from xdist.scheduler import LoadFileScheduling

    class Scheduling(LoadFileScheduling):
        def _split_scope(self, nodeid: str) -> str:
            return place_of_browser_test(nodeid) or super()._split_scope(nodeid)

    return Scheduling(config, log) if config.getvalue("dist") == "loadfile" else None


def place_of_browser_test(nodeid: str) -> str:
    """Part of the browser tests that a test belongs to, their files in turn; empty for another test.

    Each part starts JupyterLab and two browsers once: there are two parts only where cores would wait for one.
    """
    from bnlab._runtime.threads import available_cores

    parts = 2 if available_cores() > 2 else 1
    files = sorted(BROWSER.glob("test_*.py"))
    path = TESTS.parent / nodeid.partition("::")[0]
    return f"browser {files.index(path) % parts}" if path in files else ""


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Mark the cells of notebooks that need data which do not come with the package, and those of details as slow.

    What the details examine has a test or the notebook of its paper too. Cells tagged `nightly`, and those that need
    them, are left to `make nightly`. Browser tests, notebooks, and then what else takes longest, go first, so that no
    core is idle at the end.
    """
    left = [] if os.environ.get("BNLAB_NIGHTLY") else [item for item in items if "nightly" in tags_of(item)]
    config.hook.pytest_deselected(items=left)
    items[:] = [item for item in items if item not in left]
    for item in items:
        if any(not_bundled(name) for name in data_of(item)):
            item.add_marker("needs_data")
        if item.path.is_relative_to(DETAILS):
            item.add_marker("slow")
    items.sort(key=lambda item: place_in_line(item.path))


@cache
def place_in_line(path: Path) -> int:
    """Place of a file: browser tests, notebooks, what is in `LONG`, and what is not."""
    if path.is_relative_to(BROWSER) or path.suffix == ".ipynb":
        return -2 if path.is_relative_to(BROWSER) else -1
    return next((i for i, long in enumerate(LONG) if path.is_relative_to(long)), len(LONG))


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Leave out a notebook, before its kernel starts, whose metadata name data that cannot be had here."""
    for name in data_of(item):
        if missing := why_missing(name):
            data_missing(missing)


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_teardown(item: pytest.Item, nextitem: pytest.Item | None) -> None:
    """Fail at the end of a notebook whose kernel needed too much memory."""
    kernel = getattr(item.parent, "kernel", None)
    if kernel is not None and (nextitem is None or nextitem.parent is not item.parent):
        check_memory(kernel.km.provisioner.pid)


def check_memory(pid: int) -> None:
    """Fail if a process has ever had more than `KERNEL_MEGABYTES` in memory; not every system keeps the number."""
    from bnlab.papers.base.processes import peak_megabytes

    peak = peak_megabytes(pid)
    if peak is not None and peak > KERNEL_MEGABYTES:
        pytest.fail(f"the kernel of the notebook needed {peak:,.0f} MB, more than {KERNEL_MEGABYTES:,}", pytrace=False)


def data_of(item: pytest.Item) -> list[str]:
    """Names of data in the metadata of the notebook that a test is a cell of."""
    notebook = getattr(item.parent, "nb", None)
    return notebook.metadata.get("bnlab", {}).get("data", []) if notebook else []


def tags_of(item: pytest.Item) -> list[str]:
    """Tags of the cell of a notebook that a test is."""
    cell = getattr(item, "cell", None)
    return cell.metadata.get("tags", []) if cell else []


@cache
def files_named(name: str) -> list[str]:
    """Files of the catalogue of this name; those of the first kind, if a large network has the name of a data set."""
    from bnlab.data.catalogue import entries

    found = [entry for entry in entries() if entry.name == name]
    return [entry.file for entry in found if entry.kind == found[0].kind]


def not_bundled(name: str) -> bool:
    """Whether a file of this name has to be downloaded."""
    from bnlab.data.catalogue import bundled_content

    return any(bundled_content(file) is None for file in files_named(name))


@cache
def why_missing(name: str) -> str:
    """Download what the catalogue has under `name`; why that failed, empty when all of it is here."""
    from bnlab.data.catalogue import DataUnavailable, fetch

    if not files_named(name):
        return f"the catalogue has no {name!r}"
    try:
        for file in files_named(name):
            fetch(file)
    except DataUnavailable as error:
        return str(error)
    return ""


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> Generator[None, None, None]:
    """End with one line that names what did not run here."""
    yield
    reasons = [
        report.longrepr[2].removeprefix("Skipped: ")
        for report in terminalreporter.stats.get("skipped", [])
        if isinstance(report.longrepr, tuple)
    ]
    named = dict.fromkeys(r.removeprefix(LEFT_OUT) for r in reasons if r.startswith(LEFT_OUT))
    if named:
        terminalreporter.write_line(f"Left out here: {'; '.join(named)}.", yellow=True)
