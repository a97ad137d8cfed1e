"""Machine code on disk is a convenience: where it cannot be kept or read, functions are compiled anew."""

from __future__ import annotations

import errno
import gc
import importlib.util
import logging
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from threading import Event, Thread, Timer

import numba
import pytest
from numba.core.registry import CPUDispatcher

from bnlab._runtime.jit import njit

CODE = "def plus_one(x):\n    return x + 1\n"


@pytest.fixture
def compiled(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[], int]:
    """Compile a function, as a new session would, and call it."""
    monkeypatch.setattr(numba.config, "CACHE_DIR", str(tmp_path / "cache"))
    source = tmp_path / "kernel_of_a_test.py"
    source.write_text(CODE)

    def session() -> int:
        spec = importlib.util.spec_from_file_location("kernel_of_a_test", source)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        function = njit()(module.plus_one)
        result = function(1)
        session.hits = sum(function.stats.cache_hits.values())
        return result

    return session


def files(folder: Path, suffix: str) -> list[Path]:
    return list((folder / "cache").rglob(f"*.{suffix}"))


@pytest.fixture
def keyboard() -> Iterator[None]:
    """Hear Ctrl-C, which a process that a shell started in the background ignores."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("keyboard")
def test_ctrl_c_is_heard_while_a_kernel_compiles_and_the_kernel_is_whole_after_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    compiling, go_on = Event(), Event()
    lower = CPUDispatcher.compile

    def slow(self: CPUDispatcher, signature: object) -> object:
        compiling.set()
        assert go_on.wait(60)
        return lower(self, signature)

    monkeypatch.setattr(CPUDispatcher, "compile", slow)
    kernel = njit()(plus_two)
    main = threading.main_thread().ident

    def press() -> None:
        compiling.wait(60)
        signal.pthread_kill(main, signal.SIGINT)

    thread = Thread(target=press)
    gc.disable()  # Python drops what is raised in a callback of the collector, and hypothesis has one
    try:
        thread.start()
        with pytest.raises(KeyboardInterrupt):
            kernel(1)
        thread.join()
    finally:
        gc.enable()
    assert not go_on.is_set()
    go_on.set()
    assert kernel(1) == 3


def plus_two(x: int) -> int:
    return x + 2


@pytest.mark.usefixtures("keyboard")
def test_a_kernel_of_somebody_else_may_call_one_of_ours() -> None:
    ours = njit()(plus_two)

    @numba.njit  # type: ignore[untyped-decorator]
    def theirs(x: int) -> int:
        return 2 * ours(x)

    stuck = Timer(60, signal.raise_signal, (signal.SIGINT,))
    stuck.start()
    try:
        assert theirs(1) == 6
    except KeyboardInterrupt:
        pytest.fail("two threads wait for each other's lock of the compiler")
    finally:
        stuck.cancel()


@pytest.mark.parametrize("suffix", ["nbi", "nbc"])
def test_a_damaged_file_is_replaced(
    compiled: Callable[[], int], tmp_path: Path, suffix: str, caplog: pytest.LogCaptureFixture
) -> None:
    assert compiled() == 2
    for file in files(tmp_path, suffix):
        file.write_bytes(file.read_bytes()[:100])
    with caplog.at_level(logging.WARNING, logger="bnlab"):
        assert compiled() == 2
    assert "compiling anew" in caplog.text
    assert compiled.hits == 0
    assert compiled() == 2
    assert compiled.hits == 1


TWICE = "@njit()\ndef twice(x):\n    return 2 * {}(x)\n"
BELOW = "@njit()\ndef below(x):\n    return plus(x)\n"


@pytest.mark.parametrize("changed", ["return x + STEP", "return x + 2"], ids=["a number", "a function"])
@pytest.mark.parametrize(
    "caller", [TWICE.format("plus"), TWICE.format("below") + BELOW], ids=["directly", "by a third"]
)
def test_what_is_called_from_another_file_is_compiled_anew_when_it_changes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caller: str, changed: str
) -> None:
    monkeypatch.setattr(numba.config, "CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.syspath_prepend(tmp_path)
    package = tmp_path / "package_of_a_test"
    package.mkdir()
    begin = "from bnlab._runtime.jit import njit\n"
    (package / "__init__.py").write_text("")
    (package / "caller.py").write_text(f"{begin}from package_of_a_test.callee import plus\n{caller}")

    def session(step: int, body: str) -> tuple[int, int]:
        callee, text = package / "callee.py", f"{begin}STEP = {step}\n@njit()\ndef plus(x):\n    {body}\n"
        if not callee.exists() or callee.read_text() != text:
            callee.write_text(text)
        importlib.invalidate_caches()
        for name in [name for name in sys.modules if name.startswith(package.name)]:
            del sys.modules[name]
        function = importlib.import_module("package_of_a_test.caller").twice
        return function(1), sum(function.stats.cache_hits.values())

    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    assert session(1, "return x + STEP") == (4, 0)
    assert session(1, "return x + STEP") == (4, 1)
    assert session(2, changed) == (6, 0)


def test_a_full_disk_is_no_obstacle(
    compiled: Callable[[], int], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    from numba.core import caching

    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(caching.IndexDataCacheFile, "save", full)
    with caplog.at_level(logging.WARNING, logger="bnlab"):
        assert compiled() == 2
    assert "cannot be kept in" in caplog.text
    assert files(tmp_path, "nbc") == []
