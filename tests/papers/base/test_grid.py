"""A grid's records are stored one by one, and a killed run goes on where it stopped."""

from concurrent.futures import ThreadPoolExecutor
from itertools import islice

import pytest

from bnlab.papers.base.grid import Grid, RecordFile
from bnlab.search import iterate, run

CELLS = [{"dataset": name, "seed": seed} for name in ("a", "b") for seed in range(3)]


@pytest.fixture
def file(tmp_path):
    return RecordFile(tmp_path / "deep" / "records.jsonl")


def counted(calls):
    def evaluate(cell):
        calls.append(dict(cell))
        return {"value": ord(cell["dataset"]) + cell["seed"]}

    return evaluate


def test_a_stopped_grid_runs_only_the_cells_that_are_left(file):
    calls = []
    grid = Grid(CELLS, counted(calls), file)
    for _ in islice(iterate(grid), 4):
        pass
    table = run(Grid(CELLS, counted(calls), file))
    assert calls == CELLS
    assert table.value.tolist() == [97, 98, 99, 98, 99, 100]


def test_a_record_cut_short_by_a_kill_is_run_again(file):
    run(Grid(CELLS, counted([]), file))
    content = file.path.read_bytes()
    file.path.write_bytes(content[:-5])
    calls = []
    table = run(Grid(CELLS, counted(calls), file))
    assert calls == CELLS[-1:]
    assert len(table) == len(CELLS) == len(file.load())


def test_an_executor_gives_the_same_records(file):
    grid = Grid(CELLS, counted([]), file)
    with ThreadPoolExecutor(2) as pool:
        *_, (state, _) = grid.finish(pool, grid.init())
    assert grid.result(state).equals(run(Grid(CELLS, counted([]))))
    assert grid.init() == state


def test_records_of_other_cells_are_left_alone(file):
    run(Grid(CELLS, counted([]), file))
    table = run(Grid(CELLS[:2], counted([]), file))
    assert table.seed.tolist() == [0, 1]
    assert len(file.load()) == len(CELLS)
