"""Ordering search from the breadth-first order, and k by description length: one cell, and the summary."""

from __future__ import annotations

import pandas as pd
import pytest

import bnlab
from bnlab.papers.carvalho2007.combine import METHODS, differences, evaluate, records_frame

CELL = {"network": "asia", "rows": 200, "seed": 3}


def test_a_cell_holds_the_scores_of_the_learned_networks() -> None:
    record = {**CELL, **evaluate(CELL)}
    data = bnlab.load_network("asia").sample(200, seed=3)
    found = records_frame([record]).set_index("method")
    graph = bnlab.learn(data, "ordering-search", k=2, restarts=1, start="bfs", seed=3)
    assert found.mdl["ordering search, breadth-first start"] == pytest.approx(bnlab.score(graph, data) / 200, abs=1e-5)
    assert found.mdl["ordering search, breadth-first start"] >= found.mdl["C2G, breadth first"] - 1e-9
    fixed = found.mdl[["LL, k = 1", "LL, k = 2", "LL, k = 3"]].max()
    assert found.mdl["LL, k by MDL"] >= fixed
    assert (found.held_out < 0).all()
    assert found.index.tolist() == list(METHODS)


def test_differences_compare_the_same_samples() -> None:
    values = {"a": [1.0, 2.0, 4.0], "b": [0.5, 2.0, 5.0]}
    frame = pd.DataFrame(
        [
            {"network": "asia", "rows": 100, "seed": seed, "method": method, "mdl": value}
            for method, own in values.items()
            for seed, value in enumerate(own)
        ]
    )
    row = differences(frame, ["b"], "a").loc[(100, "b")]
    assert row[["samples", "better", "equal", "worse"]].tolist() == [3, 1, 1, 1]
    assert row.difference == pytest.approx(0.5 / 3)
