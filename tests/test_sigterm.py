"""SIGTERM ends a process at once: what was saved is whole, and no temporary file and no other process is left."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from functools import partial
from pathlib import Path

import pytest

import bnlab
from bnlab.checkpoint import load_state, resume
from bnlab.learners import Bootstrap
from bnlab.search import run

ROOT = Path(__file__).parents[1]
BOOTSTRAP = """
import sys
from bnlab.checkpoint import resume
from tests.test_sigterm import search

for state, _ in resume(search(), sys.argv[1], seconds=0.0):
    print(state.done, flush=True)
"""
WORKBENCH = """
import bnlab

workbench = bnlab.Workbench(bnlab.load_network("asia").sample(2000, seed=1))
workbench.learn("chow-liu")
workbench.bootstrap(replicates=1_000_000, wait=False)
print("begun", flush=True)
workbench.wait()
"""


def search() -> Bootstrap:
    table = bnlab.load_network("asia").sample(300, seed=5)
    return Bootstrap(table, partial(bnlab.learn, algorithm="chow-liu"), replicates=200)


def ended(code: str, path: Path, lines: int) -> int:
    """Run Python until it has said so many lines and then end it; its exit code, when all its processes are gone."""
    command = [sys.executable, "-c", code, str(path)]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    with subprocess.Popen(command, stdout=subprocess.PIPE, cwd=ROOT, env=environment, text=True) as process:
        assert process.stdout is not None
        for _ in range(lines):
            assert process.stdout.readline()
        process.terminate()
        process.communicate(timeout=500)  # the output ends with the last process that has it
        return process.returncode


@pytest.mark.skipif(sys.platform == "win32", reason="there are no signals")
def test_a_search_that_is_ended_goes_on_from_its_last_state(tmp_path: Path) -> None:
    path = tmp_path / "state"
    assert ended(BOOTSTRAP, path, lines=5) == -signal.SIGTERM
    of, state = load_state(path)
    assert of == ""
    assert 5 <= state.done < 200
    *_, (last, _) = resume(search(), path, seconds=0.0)
    assert search().result(last).edge_list().equals(run(search()).edge_list())
    assert [file.name for file in tmp_path.iterdir()] == ["state"]


@pytest.mark.skipif(sys.platform == "win32", reason="there are no signals")
def test_a_workbench_that_is_ended_leaves_no_file_and_no_process(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    assert ended(WORKBENCH, tmp_path, lines=1) == -signal.SIGTERM
    assert list(tmp_path.iterdir()) == []
