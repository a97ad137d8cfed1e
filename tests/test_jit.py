"""Machine code on disk is a convenience: where it cannot be kept or read, functions are compiled anew."""

from __future__ import annotations

import errno
import importlib.util
import logging
from collections.abc import Callable
from pathlib import Path

import numba
import pytest

from bnlab._jit import njit

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
