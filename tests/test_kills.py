"""Processes killed at random moments: what goes on afterwards ends as if nothing had happened."""

from __future__ import annotations

import os
import random
import signal
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import bnlab
from bnlab.checkpoint import load_state, resume, save_state
from bnlab.experiments.grid import Grid, RecordFile
from bnlab.learners import Bootstrap, HillClimbing, paper_search
from bnlab.scores import local_scores
from bnlab.search import iterate, run
from tests.faults import disk_of

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


def child(work: Callable[[], Any]) -> int:
    """Start the work in a process of its own; its id."""
    pid = os.fork()
    if pid == 0:
        try:
            work()
            os._exit(0)
        finally:
            os._exit(1)
    return pid


def killed_until_done(work: Callable[[], Any], seed: int) -> int:
    """Do the work in processes that are killed at random moments until one lives to its end; how many were."""
    draw, kills, longest = random.Random(seed), 0, 0.003
    while True:
        pid = child(work)
        time.sleep(draw.uniform(0, longest))
        os.kill(pid, signal.SIGKILL)
        status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
        if status == 0:
            return kills
        assert status == -signal.SIGKILL
        kills += 1
        longest *= 1.1


def measured(begun: Path, cell: dict[str, int]) -> dict[str, Any]:
    """Note that a cell was begun, and take a moment for it."""
    with begun.open("a") as file:
        file.write(f"{cell['seed']}\n")
    time.sleep(0.001)
    return {"value": np.random.default_rng(cell["seed"]).random(3).tolist()}


@pytest.mark.parametrize("seed", range(3))
def test_a_grid_killed_again_and_again_has_every_record_once(tmp_path: Path, seed: int) -> None:
    begun, path = tmp_path / "begun", tmp_path / "records.jsonl"
    kills = killed_until_done(lambda: run(Grid(CELLS, partial(measured, begun), RecordFile(path))), seed)
    assert kills > 0
    expected = run(Grid(CELLS, partial(measured, tmp_path / "other")))
    assert RecordFile(path).load() == expected.to_dict("records")
    assert len(begun.read_text().splitlines()) <= len(CELLS) + kills


@pytest.mark.parametrize("kill", [False, True])
def test_processes_on_one_file_share_the_work(tmp_path: Path, kill: bool) -> None:
    begun, path = tmp_path / "begun", tmp_path / "records.jsonl"

    def work() -> None:
        run(Grid(CELLS, partial(measured, begun), RecordFile(path)))

    others = [child(partial(killed_until_done, work, seed) if kill else work) for seed in (1, 2)]
    work()
    assert [os.waitpid(pid, 0)[1] for pid in others] == [0, 0]
    records = RecordFile(path).load()
    assert sorted(record["seed"] for record in records) == list(range(len(CELLS)))
    expected = run(Grid(CELLS, partial(measured, tmp_path / "other"))).to_dict("records")
    assert sorted(records, key=lambda record: record["seed"]) == expected


@pytest.mark.parametrize("name", SEARCHES)
@pytest.mark.parametrize("seconds", [0.0, 0.01])
def test_a_search_killed_again_and_again_ends_as_an_unbroken_one(tmp_path: Path, name: str, seconds: float) -> None:
    search = SEARCHES[name]
    *_, (expected, _) = iterate(search)
    save_state(("", expected), tmp_path / "expected")

    def work() -> None:
        for _ in resume(search, tmp_path / "state", seconds=seconds):
            pass

    assert killed_until_done(work, seed=7) > 0
    assert (tmp_path / "state").read_bytes() == (tmp_path / "expected").read_bytes()


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


def test_a_full_disk_leaves_the_last_whole_state(tmp_path: Path) -> None:
    search, path = SEARCHES["bootstrap"], tmp_path / "state"
    first = next(resume(search, path, seconds=0.0))[0]
    for size in (0, 1, path.stat().st_size // 2, path.stat().st_size - 1):
        with disk_of(size), pytest.raises(OSError, match="File too large"):
            list(resume(search, path, seconds=0.0))
        assert load_state(path)[1].done == first.done
        assert [file.name for file in tmp_path.iterdir()] == ["state"]


def test_a_full_disk_leaves_the_old_study_and_network(tmp_path: Path) -> None:
    from bnlab.analysis import Study

    study, net = Study(source="before"), bnlab.load_network("cancer")
    study.save(tmp_path / "study.json")
    net.to_bif(tmp_path / "net.bif")
    with disk_of(50):
        with pytest.raises(OSError, match="File too large"):
            Study(source="after").save(tmp_path / "study.json")
        with pytest.raises(OSError, match="File too large"):
            bnlab.load_network("asia").to_bif(tmp_path / "net.bif")
    assert Study.open(tmp_path / "study.json") == study
    assert bnlab.load_network(tmp_path / "net.bif") == net
    assert len(list(tmp_path.iterdir())) == 2
