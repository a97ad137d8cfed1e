"""Cross-validated log-likelihood of a structure, against counts that are made by hand."""

from __future__ import annotations

import numpy as np
import pytest

from bnlab.data import five_fold
from bnlab.networks import Dirichlet, MaximumLikelihood, asia, held_out


def test_it_equals_sums_over_rows_with_probabilities_from_the_other_folds() -> None:
    table = asia().sample(103, seed=3)
    edges = [("smoke", "lung"), ("smoke", "bronc"), ("lung", "xray"), ("bronc", "xray")]
    frame = table.to_pandas().astype(str)
    arities = dict(zip(table.names, table.arities, strict=True))
    logs = []
    for train, test in five_fold(103, seed=7, k=4):
        known = frame.iloc[train]
        for _, row in frame.iloc[test].iterrows():
            total = 0.0
            for name in table.names:
                parents = [u for u, v in edges if v == name]
                alike = known[np.logical_and.reduce([known[p] == row[p] for p in parents])] if parents else known
                total += np.log(((alike[name] == row[name]).sum() + 1) / (len(alike) + arities[name]))
            logs.append(total)
    assert held_out(edges, table, Dirichlet(1.0), folds=4, seed=7) == pytest.approx(np.mean(logs), abs=1e-9)


def test_the_true_structure_predicts_better_than_too_few_and_too_many_edges() -> None:
    net = asia()
    table = net.sample(2000, seed=1)
    none = [("asia", "tub")]
    dense = [(u, v) for i, u in enumerate(table.names) for v in table.names[i + 1 :]]
    assert held_out(net, table) > held_out(none, table)
    assert held_out(net, table) > held_out(dense, table)


def test_missing_values_and_impossible_rows_are_handled_as_elsewhere() -> None:
    table = asia().sample(200, seed=2)
    assert held_out(asia(), table, MaximumLikelihood()) == -np.inf
    frame = table.to_pandas().astype(object)
    frame.iloc[::7, 3] = np.nan
    from bnlab.data import load_data

    some = load_data(frame, missing="keep")
    assert np.isfinite(held_out([("smoke", "lung")], some))


def test_options_out_of_range_are_named() -> None:
    with pytest.raises(TypeError, match=r"folds=2.5 is not an integer"):
        held_out([], asia().sample(20, seed=1), folds=2.5)  # type: ignore[arg-type]
    for options, message in (({"folds": 0}, "folds=0"), ({"folds": 21}, "k=21"), ({"seed": -1}, "seed=-1")):
        with pytest.raises(ValueError, match=message):
            held_out([], asia().sample(20, seed=1), **options)
