"""Compiled functions are compiled once, and anew when a function that they call has changed."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path

import numba
import pytest

from bnlab._runtime.jit import njit


def test_a_kernel_is_compiled_once_for_numbers_written_in_calls_and_for_variables() -> None:
    plus = njit()(lambda x, y: x + y)

    def three_sums(x):
        start = -1
        for _ in range(2):
            start = plus(start, x)
        return plus(x, 1) + plus(2, start)

    assert njit()(three_sums)(3) == 11
    assert plus.signatures == [(numba.int64, numba.int64)]


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
