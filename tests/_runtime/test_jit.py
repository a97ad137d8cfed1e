"""Machine code on disk is a convenience: where it cannot be kept or read, functions are compiled anew."""

from __future__ import annotations

import errno
import gc
import importlib.util
import logging
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from ctypes import CFUNCTYPE
from pathlib import Path
from threading import Event, Thread, Timer

import nbformat
import numba
import pytest
from nbclient import NotebookClient
from numba.core.compiler_lock import global_compiler_lock
from numba.core.registry import CPUDispatcher

from bnlab._runtime import jit
from bnlab._runtime.jit import njit
from bnlab.counts.engine import kernels
from bnlab.counts.engine.compiling import is_compiled, say_if_compiling

CODE = "def plus_one(x):\n    return x + 1\n"


@pytest.fixture
def compiled(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[], int]:
    """Compile a function, as a new session would, and call it."""
    monkeypatch.setattr(numba.config, "CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    monkeypatch.setattr(jit, "_warned", set())
    source = tmp_path / "kernel_of_a_test.py"
    source.write_text(CODE)

    def session() -> int:
        spec = importlib.util.spec_from_file_location("kernel_of_a_test", source)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        function = njit()(module.plus_one)
        result = function(1)
        session.kept = function.stats.cache_path is not None
        session.hits = sum(function.stats.cache_hits.values())
        return result

    return session


def files(folder: Path, suffix: str) -> list[Path]:
    return list((folder / "cache").rglob(f"*.{suffix}"))


def test_a_kernel_is_compiled_once_for_numbers_written_in_calls_and_for_variables() -> None:
    plus = njit()(lambda x, y: x + y)

    def three_sums(x):
        start = -1
        for _ in range(2):
            start = plus(start, x)
        return plus(x, 1) + plus(2, start)

    assert njit()(three_sums)(3) == 11
    assert plus.signatures == [(numba.int64, numba.int64)]


@pytest.fixture
def keyboard() -> Iterator[None]:
    """Hear Ctrl-C, which a process that a shell started in the background ignores."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def test_no_garbage_is_collected_while_a_kernel_compiles_and_it_is_again_afterwards(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(numba.config, "CACHE_DIR", str(tmp_path))
    while_compiling = []

    def note(phase: str, info: dict[str, int]) -> None:
        while_compiling.append(global_compiler_lock.is_locked())

    plus = njit()(lambda x, y: x + y)
    gc.callbacks.append(note)
    try:
        assert plus(1, 2) == 3
    finally:
        gc.callbacks.remove(note)
    assert not plus.stats.cache_hits
    assert not any(while_compiling)
    assert gc.isenabled()


@pytest.mark.usefixtures("keyboard")
def test_ctrl_c_is_heard_while_a_kernel_compiles_and_the_kernel_is_whole_after_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    compiling, go_on = Event(), Event()
    lower = CPUDispatcher.compile

    @CFUNCTYPE(None)
    def optimise() -> None:
        compiling.set()
        go_on.wait(60)

    def slow(self: CPUDispatcher, signature: object) -> object:
        optimise()  # as LLVM calls back, where Python drops an exception
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


def flipped(content: bytes) -> bytes:
    """Content with one bit changed in the middle."""
    middle = len(content) // 2
    return content[:middle] + bytes([content[middle] ^ 1]) + content[middle + 1 :]


DAMAGE: dict[str, Callable[[bytes], bytes]] = {
    "cut short": lambda content: content[:100],
    "empty": lambda content: b"",
    "text": lambda content: b"no code",
    "zeros": lambda content: content[:500] + bytes(len(content) - 1000) + content[-500:],
    "one bit": flipped,
}


@pytest.mark.parametrize(
    ("suffix", "damage"), [("nbi", "cut short"), ("nbi", "empty"), *(("nbc", way) for way in DAMAGE)]
)
def test_a_damaged_file_is_replaced(
    compiled: Callable[[], int], tmp_path: Path, suffix: str, damage: str, caplog: pytest.LogCaptureFixture
) -> None:
    assert compiled() == 2
    for file in files(tmp_path, suffix):
        file.write_bytes(DAMAGE[damage](file.read_bytes()))
    with caplog.at_level(logging.WARNING, logger="bnlab"):
        assert compiled() == 2
    assert "compiling anew" in caplog.text
    assert compiled.hits == 0
    assert compiled() == 2
    assert compiled.hits == 1


def test_code_of_an_older_source_is_not_run(compiled: Callable[[], int], tmp_path: Path) -> None:
    """As it is left by a kill between the two files that numba writes, the index first."""
    assert compiled() == 2
    old = {file: file.read_bytes() for file in files(tmp_path, "nbc")}
    (tmp_path / "kernel_of_a_test.py").write_text(CODE.replace("x + 1", "x + 7"))
    assert compiled() == 8
    for file, content in old.items():
        file.write_bytes(content)
    assert compiled() == 8


def test_all_kernels_of_a_damaged_folder_are_one_warning(
    compiled: Callable[[], int], tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    compiled()
    for _ in range(3):
        for file in files(tmp_path, "nbc"):
            file.write_bytes(b"no code")
        compiled()
    assert [record.levelname for record in caplog.records if "compiling anew" in record.message] == ["WARNING"]


@pytest.mark.parametrize("home", ["no folder", "a file"])
def test_where_no_folder_can_be_written_functions_are_compiled_in_silence(
    compiled: Callable[[], int],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    capfd: pytest.CaptureFixture[str],
    home: str,
) -> None:
    (tmp_path / "a file").touch()
    (tmp_path / "__pycache__").touch()
    for variable in ("HOME", "XDG_CACHE_HOME", "LOCALAPPDATA"):
        monkeypatch.setenv(variable, str(tmp_path / "a file" / "below" if home == "no folder" else tmp_path / "a file"))
    monkeypatch.setattr(numba.config, "CACHE_DIR", str(tmp_path / "a file"))
    assert compiled() == 2
    assert not compiled.kept
    assert caplog.records == []
    assert capfd.readouterr() == ("", "")


def test_one_is_told_that_each_session_compiles_where_no_code_can_be_kept(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(kernels, "count_bitmaps", numba.njit(plus_two))
    assert not is_compiled()
    say_if_compiling.__wrapped__()
    assert "in each session" in caplog.text
    assert "NUMBA_CACHE_DIR" in caplog.text
    assert kernels.count_bitmaps(1) == 3
    assert is_compiled(), "it is in this process"


IN_A_NOTEBOOK = """
import threading, numba
from bnlab.counts.engine import compiling, kernels
kernels.count_bitmaps = numba.njit(lambda x: x + 1)
say = compiling.say_if_compiling.__wrapped__
thread = threading.Thread(target=say)
thread.start(), thread.join()
say()
"""


def test_in_a_notebook_it_is_told_in_one_quiet_line_and_widgets_tell_it_themselves() -> None:
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(IN_A_NOTEBOOK)])
    (output,) = NotebookClient(notebook, kernel_name="python3").execute().cells[0].outputs
    assert output.name == "stdout"
    assert output.text.count("bnlab compiles") == 1


TWICE = "@njit()\ndef twice(x):\n    return 2 * {}\n"
BELOW = "@njit()\ndef below(x):\n    return plus(x)\n"


@pytest.mark.parametrize(
    ("caller", "decorator", "changed"),
    [
        (TWICE.format("plus(x)"), "njit()", "return x + STEP"),
        (TWICE.format("plus(x)"), "njit()", "return x + 2"),
        (TWICE.format("below(x)") + BELOW, "njit()", "return x + STEP"),
        (TWICE.format("(x + STEP)"), "njit()", "return x + STEP"),
        (TWICE.format("plus(x)"), "register_jitable", "return x + 2"),
    ],
    ids=["a number of a kernel", "a kernel", "a kernel of a third one", "a number", "a function"],
)
def test_what_is_used_from_another_file_is_compiled_anew_when_it_changes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caller: str, decorator: str, changed: str
) -> None:
    monkeypatch.setattr(numba.config, "CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.syspath_prepend(tmp_path)
    package = tmp_path / "package_of_a_test"
    package.mkdir()
    begin = "from numba.extending import register_jitable\nfrom bnlab._runtime.jit import njit\n"
    (package / "__init__.py").write_text("")
    (package / "caller.py").write_text(f"{begin}from package_of_a_test.callee import STEP, plus\n{caller}")

    def session(step: int, body: str) -> tuple[int, int]:
        callee, text = package / "callee.py", f"{begin}STEP = {step}\n@{decorator}\ndef plus(x):\n    {body}\n"
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


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no locks of files that end with a process")
def test_a_kernel_that_another_process_compiles_is_waited_for(tmp_path: Path) -> None:
    source = tmp_path / "kernel_of_a_test.py"
    source.write_text(
        "import numpy as np\nfrom bnlab._runtime.jit import njit\n\n"
        "@njit()\ndef least(n):\n    return np.sort(-np.arange(n))[0]\n\n"
        "print('ready', flush=True)\ninput()\nleast(3)\n"
        "print(sum(least.stats.cache_hits.values()), flush=True)\n"
    )
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path / "cache"), "PYTHONDONTWRITEBYTECODE": "1"}

    def start() -> subprocess.Popen[str]:
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
        process = subprocess.Popen([sys.executable, str(source)], env=environment, **pipes)
        assert process.stdout.readline() == "ready\n"
        return process

    with ExitStack() as stack:
        processes = [stack.enter_context(start()) for _ in range(3)]
        for process in processes:
            process.stdin.write("\n")
            process.stdin.flush()
        assert sorted(int(process.stdout.readline()) for process in processes) == [0, 1, 1]
