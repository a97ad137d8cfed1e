"""Processes killed at random moments: what goes on afterwards ends as if nothing had happened."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import bnlab
from bnlab.checkpoint import load_state, resume, save_state
from bnlab.learners import Bootstrap, HillClimbing, paper_search
from bnlab.papers.base.grid import Grid, RecordFile
from bnlab.scores import local_scores
from bnlab.search import iterate, run
from tests.kills import KILLS, STUCK_S, killed_until_done

pytestmark = [
    pytest.mark.skipif(not hasattr(os, "fork"), reason="kills a forked process"),
    pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning"),
]
CELLS = [{"seed": seed} for seed in range(40)]
TABLE = bnlab.load_network("asia").sample(300, seed=5)
PHI = local_scores(TABLE, "k2")
SEARCHES = {
    "bootstrap": Bootstrap(TABLE, partial(bnlab.learn, algorithm="chow-liu"), replicates=40),
    "Chen": paper_search(PHI, 8, seed=1, B=2),
}


def repeated(killed: Callable[[int], int]) -> None:
    """Begin anew until there were KILLS kills."""
    kills, seeds = 0, count()
    while kills < KILLS:
        kills += killed(next(seeds))


def measured(begun: Path, cell: dict[str, int]) -> dict[str, Any]:
    """Note that a cell was begun, and take a moment for it."""
    with begun.open("a") as file:
        file.write(f"{cell['seed']}\n")
    time.sleep(0.001)
    return {"value": np.random.default_rng(cell["seed"]).random(3).tolist()}


def test_a_grid_killed_again_and_again_has_every_record_once(tmp_path: Path) -> None:
    expected = run(Grid(CELLS, partial(measured, tmp_path / "other")))

    def killed(seed: int) -> int:
        begun, path = tmp_path / f"begun {seed}", tmp_path / f"records {seed}"
        kills = killed_until_done(lambda: run(Grid(CELLS, partial(measured, begun), RecordFile(path))), seed)
        assert RecordFile(path).load() == expected.to_dict("records")
        assert len(begun.read_text().splitlines()) <= len(CELLS) + kills
        return kills

    repeated(killed)


@pytest.mark.parametrize("name", SEARCHES)
def test_a_search_killed_again_and_again_ends_as_an_unbroken_one(tmp_path: Path, name: str) -> None:
    search = SEARCHES[name]
    *_, (expected, _) = iterate(search)
    save_state(("", expected), tmp_path / "expected")

    def killed(seed: int) -> int:
        path = tmp_path / f"state {seed}"
        kills = killed_until_done(lambda: list(resume(search, path, seconds=0.0)), seed)
        assert path.read_bytes() == (tmp_path / "expected").read_bytes()
        return kills

    repeated(killed)
    assert len(left_in(tmp_path)) <= 1


def left_in(folder: Path) -> list[str]:
    """Temporary files of killed processes; the next process that writes removes them."""
    return [path.name for path in folder.glob(".bnlab-*.part")]


def test_an_interrupted_search_has_its_last_state_in_the_file(tmp_path: Path) -> None:
    search = HillClimbing(PHI, 8)
    steps = resume(search, tmp_path / "state", seconds=1000.0)
    for _ in range(3):
        state, _ = next(steps)
    with pytest.raises(KeyboardInterrupt):
        steps.throw(KeyboardInterrupt)
    assert load_state(tmp_path / "state") == ("", state)
    assert run(search, state) == search.result(list(resume(search, tmp_path / "state"))[-1][0])


def test_the_file_of_another_search_is_refused(tmp_path: Path) -> None:
    list(resume(SEARCHES["bootstrap"], tmp_path / "state", of="asia"))
    with pytest.raises(ValueError, match="holds the state of another search than of='alarm'"):
        next(resume(SEARCHES["bootstrap"], tmp_path / "state", of="alarm"))
    (tmp_path / "state").write_bytes(b"damaged")
    with pytest.raises(ValueError, match="is no whole file"):
        next(resume(SEARCHES["bootstrap"], tmp_path / "state", of="asia"))


WORKBENCH = """
import bnlab

workbench = bnlab.Workbench(bnlab.load_network("asia").sample(2000, seed=1))
workbench.learn("chow-liu")
workbench.bootstrap(replicates=1_000_000, wait=False)
print("begun", flush=True)
workbench.wait()
"""


def test_a_workbench_that_is_ended_leaves_no_file_and_no_process(tmp_path: Path) -> None:
    command, environment = [sys.executable, "-c", WORKBENCH], {**os.environ, "TMPDIR": str(tmp_path)}
    with subprocess.Popen(command, stdout=subprocess.PIPE, env=environment, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline()
        process.terminate()
        process.communicate(timeout=STUCK_S)  # the output ends with the last process that has it
    assert process.returncode == -signal.SIGTERM
    assert list(tmp_path.iterdir()) == []
