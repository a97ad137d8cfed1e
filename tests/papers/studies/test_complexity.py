"""Running times: what is run, and the exponents of made-up times."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from bnlab.counts.memory import MemorySource
from bnlab.learners import optimal_branching
from bnlab.papers.base.grid import RecordFile
from bnlab.papers.experiments import PAPERS
from bnlab.papers.studies.complexity import CLAIMS, DESIGN, SIZES, STORED, chain_table, evaluate, exponents
from bnlab.scores import LL, LocalScores
from tests.papers.base.test_experiment import RESULTS


def test_the_optimal_branching_of_a_chain_is_a_path() -> None:
    phi = LocalScores(MemorySource(chain_table(12, 500, 0), threads=1), LL())
    assert optimal_branching(phi, 12, root=0) == ((), *((i,) for i in range(11)))


@pytest.mark.parametrize("algorithm", SIZES)
def test_every_algorithm_takes_time(algorithm: str) -> None:
    assert evaluate({"algorithm": algorithm, "n": 8, "rows": 100, "seed": 0})["seconds"] > 0


def test_exponents_are_those_of_the_times() -> None:
    cells = [cell for part in STORED for cell in part.design.cells(**part.values)]
    rng = np.random.default_rng(0)
    times = [
        1e-7
        * np.prod([cell[size] ** (power - 0.5) for size, power in CLAIMS[cell["algorithm"]][1].items()])
        * np.exp(rng.normal(0, 0.05))
        for cell in cells
    ]
    found = exponents(pd.DataFrame(cells).assign(seconds=times))
    assert (found.exponent - found.claimed + 0.5).abs().max() < 0.1
    assert found.within.all()
    assert ((found.low < found.exponent) & (found.exponent < found.high)).all()
    slow = exponents(
        pd.DataFrame(cells).assign(seconds=[t * cell["n"] ** 2 for t, cell in zip(times, cells, strict=True)])
    )
    assert not slow.within.xs("n", level="size").any()
    assert set(DESIGN.axes) == {"algorithm", "n", "rows", "seed"}


def test_every_cell_has_its_stored_record() -> None:
    assert "complexity" not in PAPERS
    for part in STORED:
        grid = part.grid(RESULTS / "complexity")
        assert grid.is_done(grid.init()), part.values
    assert len(RecordFile(RESULTS / "complexity" / "times.jsonl").load()) > 100
