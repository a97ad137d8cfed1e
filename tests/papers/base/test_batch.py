"""Cells run in one go: on processes that can be ended, into files, with the time that is left."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Mapping
from concurrent.futures import BrokenExecutor
from functools import partial
from itertools import count, islice
from pathlib import Path
from time import sleep
from typing import Any

import pytest

from bnlab.papers.base.batch import Batch
from bnlab.papers.base.experiment import Records
from bnlab.papers.base.grid import RecordFile
from bnlab.papers.base.processes import Processes
from tests.papers.toy_rerun import Toy

WAY = "plain way"
ROOT = Path(__file__).parents[3]
TWELVE_CELLS = """
import sys
from pathlib import Path

from bnlab.papers.base.experiment import Records
from bnlab.papers.base.processes import Processes
from tests.papers.base.test_batch import batch_of
from tests.papers.toy_rerun import Toy

pool = Processes(2)
for record in batch_of(Records(Toy(0.2), Path(sys.argv[1])), 12).run(pool.executor):
    print(record["seed"], flush=True)
"""
ONE_CELL = """
import signal

signal.signal(signal.SIGINT, signal.default_int_handler)  # ignored by what a shell starts in the background

from bnlab.papers.base.processes import in_own_process
from tests.papers.base.test_batch import begun_and_not_done

in_own_process(begun_and_not_done, {})
"""


def begun_and_not_done(cell: Mapping[str, Any]) -> dict[str, Any]:
    print("begun", flush=True)
    sleep(60)
    return dict(cell)


def started(code: str, *arguments: str) -> subprocess.Popen[str]:
    """Python in a process of its own; its output ends with the last process that has it."""
    command = [sys.executable, "-c", code, *arguments]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    options: dict[str, Any] = {"stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL, "text": True}
    return subprocess.Popen(command, cwd=ROOT, env=environment, **options)


def batch_of(records: Records, runs: int = 4) -> Batch:
    return Batch(records, WAY, records.experiment.cells(WAY, "plain", "A", runs))


def test_what_is_run_is_among_the_records_and_in_the_file(tmp_path: Path) -> None:
    records = Records(Toy(), tmp_path)
    batch = batch_of(records)
    assert [record["seed"] for record in batch.run()] == [0, 1, 2, 3]
    assert (batch.done, batch.total, batch.left) == (4, 4, [])
    assert len(records) == len(RecordFile(tmp_path / "toy.jsonl").load()) == 4
    assert batch_of(Records(Toy(), tmp_path)).total == 0


def test_a_run_that_is_left_goes_on_where_it_was(tmp_path: Path) -> None:
    steps = batch_of(Records(Toy(), tmp_path)).run()
    list(islice(steps, 2))
    steps.close()  # type: ignore[attr-defined]
    rest = batch_of(Records(Toy(), tmp_path))
    assert [cell["seed"] for cell in rest.left] == [2, 3]
    list(rest.run())
    assert sorted(record["seed"] for record in RecordFile(tmp_path / "toy.jsonl").load()) == [0, 1, 2, 3]


def test_a_cell_that_two_rows_share_is_run_once() -> None:
    toy = Toy()
    cells = [cell for item in "AB" for cell in toy.cells(WAY, "plain", item, 3)]
    assert Batch(Records(toy), WAY, cells).total == 3


def test_records_that_someone_else_has_written_meanwhile_are_taken(tmp_path: Path) -> None:
    late = batch_of(Records(Toy(), tmp_path))
    list(batch_of(Records(Toy(), tmp_path), 3).run())
    assert [record["seed"] for record in late.run()] == [3]
    assert late.done == 4


def test_a_cell_is_expected_to_take_as_long_as_those_before_it(monkeypatch: pytest.MonkeyPatch) -> None:
    # A second passes between two looks at the clock.
    monkeypatch.setattr("bnlab.papers.base.batch.perf_counter", partial(next, count()))
    batch = batch_of(Records(Toy()))
    assert batch.seconds_left() is None
    steps = iter(batch.run())
    next(steps)
    assert batch.seconds_left() == 3.0
    next(steps)
    assert batch.seconds_left() == 2.0


def test_processes_can_be_ended_in_the_middle_and_used_again() -> None:
    pool = Processes(1)
    futures = [pool.submit(sleep, 600), pool.submit(sleep, 600)]
    pool.kill()
    for future in futures:
        with pytest.raises(BrokenExecutor):
            future.result(timeout=500)
    assert pool.submit(max, 3, 5).result(timeout=500) == 5
    pool.kill()


def test_an_interrupt_leaves_the_processes_alone() -> None:
    pool = Processes(1)
    child = pool.submit(os.getpid).result(timeout=500)
    os.kill(child, signal.SIGINT)
    assert pool.submit(os.getpid).result(timeout=500) == child
    pool.kill()


def test_cells_run_in_other_processes(tmp_path: Path) -> None:
    pool = Processes(2)
    records = Records(Toy(), tmp_path)
    assert sorted(record["hits"][0] for record in batch_of(records).run(pool.executor)) == [50, 51, 52, 53]
    pool.kill()


def test_a_run_in_processes_that_is_killed_loses_no_record_and_leaves_no_process(tmp_path: Path) -> None:
    ended = 3
    with started(TWELVE_CELLS, str(tmp_path)) as run:
        assert run.stdout is not None
        told = [run.stdout.readline() for _ in range(ended)]
        run.kill()
        told += run.communicate(timeout=500)[0].splitlines()
    records = Records(Toy(), tmp_path)
    kept = [record["seed"] for record in records]
    assert {int(seed) for seed in told} <= set(kept)
    assert ended <= len(kept) < 12
    assert sorted([*kept, *(record["seed"] for record in batch_of(records, 12).run())]) == list(range(12))
    assert len(RecordFile(tmp_path / "toy.jsonl").load()) == 12


def test_the_process_of_a_cell_ends_when_the_one_that_started_it_is_interrupted() -> None:
    with started(ONE_CELL) as run:
        assert run.stdout is not None
        assert run.stdout.readline() == "begun\n"
        sleep(1.0)  # by then it waits for the cell: what is interrupted is the wait, not the start of the process
        run.send_signal(signal.SIGINT)
        run.communicate(timeout=500)
        assert run.returncode not in (0, None)


def test_no_process_at_all_is_refused() -> None:
    with pytest.raises(ValueError, match="at least one"):
        Processes(0)
