"""Ctrl-C ends long work, and a search that was stopped goes on to the same end."""

from __future__ import annotations

import gc
import signal
import threading
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import bnlab
from bnlab._runtime.interrupts import reraise_interrupts, run_interruptible
from bnlab.checkpoint import save_state
from bnlab.citests.g2_tester import G2Tester
from bnlab.data import Table, Variable
from bnlab.learners import Bootstrap, HillClimbing, K2Search, paper_search
from bnlab.papers.base.grid import Grid, RecordFile
from bnlab.scores import local_scores
from bnlab.search import iterate, run
from bnlab.skeletons import OptHPC

AGAIN = 0.25
"""Seconds until Ctrl-C is pressed again: Python drops what is raised in a callback of a weak reference."""


def random_table(n: int, n_rows: int, arity: int) -> Table:
    rng = np.random.default_rng(n)
    variables = [Variable(f"v{i}", tuple(range(arity))) for i in range(n)]
    return Table(variables, [rng.integers(0, arity, n_rows).astype(np.uint8) for _ in range(n)])


TABLE = random_table(20, 4_000, 2)


def ctrl_c(work: Callable[[], Any], after: float) -> bool:
    """Do the work and press Ctrl-C, so many seconds after it begins, until it ends; whether it was interrupted."""
    before = signal.getsignal(signal.SIGINT)
    callbacks, gc.callbacks[:] = gc.callbacks[:], []  # Python drops what is raised in one, and hypothesis has one
    ended = threading.Event()

    def handle(*_: object) -> None:
        raise KeyboardInterrupt

    def press() -> None:
        ended.wait(after)
        while not ended.is_set():
            signal.pthread_kill(threading.main_thread().ident, signal.SIGINT)
            ended.wait(AGAIN)

    thread = threading.Thread(target=press)
    signal.signal(signal.SIGINT, handle)
    try:
        thread.start()
        work()
        return False
    except KeyboardInterrupt:
        return True
    finally:
        signal.signal(signal.SIGINT, lambda *_: None)
        ended.set()
        thread.join()
        signal.signal(signal.SIGINT, before)
        gc.callbacks[:] = callbacks


ENDLESS: dict[str, Callable[[], Any]] = {
    "hill climbing": partial(bnlab.learn, TABLE, "hill-climbing", restarts=10**9),
    "best order score search": partial(bnlab.learn, TABLE, "boss", restarts=10**9),
    "bootstrap": partial(bnlab.edge_probabilities, TABLE, "bootstrap", replicates=10**7),
    "sampler": partial(bnlab.edge_probabilities, TABLE, "mcmc", draws=10**5, moves=10**4),
    "a wait in a thread": partial(run_interruptible, threading.Event().wait),
}


@pytest.mark.parametrize("name", ENDLESS)
def test_work_without_an_end_is_ended_by_ctrl_c(name: str) -> None:
    assert ctrl_c(ENDLESS[name], after=0.3)


PHI = local_scores(TABLE, "k2")
SEARCHES = {
    "hill climbing": HillClimbing(PHI, 20, tabu=4, restarts=1),
    "K2": K2Search(PHI, 20, orders=30),
    "Chen": paper_search(PHI, 20, seed=1, max_iterations=5_000),
    "bootstrap": Bootstrap(TABLE, partial(bnlab.learn, algorithm="chow-liu"), replicates=10),
    "OptHPC": OptHPC(G2Tester(TABLE, 0.5)),
}


@pytest.mark.parametrize("name", SEARCHES)
def test_a_search_stopped_within_a_step_goes_on_to_the_same_end(name: str, tmp_path: Path) -> None:
    search = SEARCHES[name]
    expected = run(search)
    state, after = search.init(), 0.0002

    def go_on() -> None:
        nonlocal state
        for reached, _ in iterate(search, state):
            state = reached

    while not search.is_done(state):
        before = state
        ctrl_c(go_on, after)
        after = after * 2 if state is before else after * 1.2
    found = search.result(state)
    if name == "OptHPC":  # the results of pairs may be in another order
        assert found == expected
        return
    save_state([expected], tmp_path / "expected")
    save_state([found], tmp_path / "found")
    assert (tmp_path / "found").read_bytes() == (tmp_path / "expected").read_bytes()


def test_a_grid_stopped_within_a_cell_keeps_those_before(tmp_path: Path) -> None:
    cells = [{"seed": seed} for seed in range(30)]

    def evaluate(cell: dict[str, int]) -> dict[str, float]:
        time.sleep(0.003)
        return {"value": float(np.random.default_rng(cell["seed"]).random())}

    path = tmp_path / "records.jsonl"
    kept: list[dict[str, float]] = []
    while len(kept) < 3:  # a busy machine may not come so far in one go
        ctrl_c(lambda: run(Grid(cells, evaluate, RecordFile(path))), after=0.03)
        before, kept = kept, RecordFile(path).load()
        assert kept[: len(before)] == before
    table = run(Grid(cells, evaluate, RecordFile(path)))
    assert table.equals(run(Grid(cells, evaluate)))
    assert RecordFile(path).load()[: len(kept)] == kept


def test_an_interrupt_of_compiled_code_is_no_system_error() -> None:
    with pytest.raises(KeyboardInterrupt), reraise_interrupts():
        raise SystemError("returned a result with an exception set") from KeyboardInterrupt()
    with pytest.raises(KeyboardInterrupt), reraise_interrupts():
        raise RuntimeError("cannot release un-acquired lock") from KeyboardInterrupt()
    with pytest.raises(SystemError, match="another"), reraise_interrupts():
        raise SystemError("another")


def test_the_result_and_the_error_of_a_thread_are_the_callers() -> None:
    assert run_interruptible(max, 2, 3) == 3
    with pytest.raises(ZeroDivisionError):
        run_interruptible(divmod, 1, 0)
