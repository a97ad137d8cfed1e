"""Calibration of probabilities of edges: counts, scores, and what is stored."""

from __future__ import annotations

import numpy as np
import pytest

import bnlab
from bnlab.papers.studies import calibration
from bnlab.papers.studies.calibration import counts_by_probability, evaluate, records_frame, reliability
from tests.papers.base.test_experiment import RESULTS

FOLDER = RESULTS / "edge_confidence"


def test_a_cell_holds_the_probabilities_against_the_true_graph() -> None:
    cell = {"network": "asia", "rows": 300, "method": "exact", "prior": "graphs", "seed": 2}
    record = {**cell, **evaluate(cell)}
    net = bnlab.load_network("asia")
    arcs = bnlab.edge_probabilities(net.sample(300, seed=2), max_parents=3).arcs
    for what, given, exists in (
        ("edges", arcs[~np.eye(8, dtype=bool)], net.dag.adjacency()[~np.eye(8, dtype=bool)]),
        (
            "pairs",
            (arcs + arcs.T)[np.triu_indices(8, 1)],
            (net.dag.adjacency() | net.dag.adjacency().T)[np.triu_indices(8, 1)],
        ),
    ):
        assert sum(record[what]["count"]) == len(given)
        row = records_frame([record], what).iloc[0]
        assert row.brier == pytest.approx(((given - exists) ** 2).mean())
        assert row.skill == pytest.approx(1 - row.brier / exists.var())
        points = reliability([record], what)
        assert points["count"].sum() == len(given)
        assert (points.given * points["count"]).sum() == pytest.approx(given.sum())
        assert (points.observed * points["count"]).sum() == pytest.approx(exists.sum())
        chosen = (given >= 0.1) & (given < 0.2)
        assert points.query("0.1 <= given < 0.2").observed.item() == pytest.approx(exists[chosen].mean())


def test_probabilities_that_hold_lie_within_the_intervals() -> None:
    rng = np.random.default_rng(1)
    given = rng.random(20_000)
    record = {"method": "made up", "edges": counts_by_probability(given, rng.random(20_000) < given)}
    points = reliability([record])
    assert ((points.low < points.given) & (points.given < points.high)).mean() >= 0.85
    wrong = {"method": "made up", "edges": counts_by_probability(given, rng.random(20_000) < given**3)}
    assert (reliability([wrong]).query("0.2 < given < 0.9").high < 0.8).all()


def test_an_unknown_outcome_is_refused() -> None:
    with pytest.raises(ValueError, match="what='arcs': did you mean 'pairs'"):
        reliability([], "arcs")


def test_every_cell_has_its_stored_record() -> None:
    for part in calibration.STORED:
        grid = part.grid(FOLDER)
        assert grid.is_done(grid.init())
    frame = records_frame(FOLDER / "calibration.jsonl")
    assert len(frame) == len(calibration.DESIGN.cells())
    # More rows teach more, by every method on every network.
    skill = frame.groupby(["network", "method", "rows"]).skill.mean().unstack("rows")
    assert (skill[10_000] > skill[100]).all()


def test_a_small_cell_gives_its_stored_record_again() -> None:
    cell = {"network": "asia", "rows": 1000, "method": "exact", "prior": "graphs", "seed": 1}
    stored = calibration.STORED[0].grid(FOLDER).init()
    record = next(r for r in stored.values() if all(r[name] == value for name, value in cell.items()))
    again = evaluate(cell)
    for what in calibration.WHAT:
        np.testing.assert_allclose(again[what]["given"], record[what]["given"], atol=1e-5)
        assert again[what]["true"] == record[what]["true"]
