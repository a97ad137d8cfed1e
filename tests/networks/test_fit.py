from __future__ import annotations

import numpy as np
import pytest

from bnlab.counts.chunked import ChunkedSource
from bnlab.counts.types import FamilyCounts
from bnlab.data import Table, Variable
from bnlab.networks import (
    BDeuPrior,
    Dirichlet,
    MarginalPseudoRows,
    MaximumLikelihood,
    asia,
    fit,
    simple,
)

# A child of 3 states under a parent of 3 of which the last is never seen: 6 rows, child marginal 3/6, 2/6, 1/6.
COUNTS = FamilyCounts(np.array([[3, 1, 0], [0, 1, 1]]), np.array([0, 1]), (3,))
BY_HAND = [
    (MaximumLikelihood(), [[3 / 4, 1 / 4, 0], [0, 1 / 2, 1 / 2], [1 / 3, 1 / 3, 1 / 3]]),
    (Dirichlet(1), [[4 / 7, 2 / 7, 1 / 7], [1 / 5, 2 / 5, 2 / 5], [1 / 3, 1 / 3, 1 / 3]]),
    (
        BDeuPrior(ess=9),
        [[4 / 7, 2 / 7, 1 / 7], [1 / 5, 2 / 5, 2 / 5], [1 / 3, 1 / 3, 1 / 3]],
    ),
    (
        MarginalPseudoRows(),
        [
            [(3 + 5 / 2) / 9, (1 + 5 / 3) / 9, (5 / 6) / 9],
            [(5 / 2) / 7, (1 + 5 / 3) / 7, (1 + 5 / 6) / 7],
            [1 / 2, 1 / 3, 1 / 6],
        ],
    ),
]


@pytest.mark.parametrize(("smoothing", "by_hand"), BY_HAND, ids=lambda x: type(x).__name__)
def test_tables_equal_those_computed_by_hand(smoothing, by_hand):
    assert smoothing.cpt(COUNTS) == pytest.approx(np.array(by_hand))
    assert smoothing.rows(COUNTS) == pytest.approx(np.array(by_hand[:2]))
    assert smoothing.unobserved(COUNTS) == pytest.approx(by_hand[2])


@pytest.mark.parametrize(("smoothing", "_"), BY_HAND, ids=lambda x: type(x).__name__)
def test_a_family_without_rows_is_uniform(smoothing, _):
    empty = FamilyCounts(np.zeros((0, 4), dtype=np.int64), np.zeros(0, dtype=np.int64), (2, 2))
    assert smoothing.cpt(empty) == pytest.approx(np.full((2, 2, 4), 0.25))


@pytest.mark.parametrize("smoothing", [Dirichlet, BDeuPrior, MarginalPseudoRows])
@pytest.mark.parametrize("value", [0, -1, float("nan"), float("inf")])
def test_pseudo_counts_must_be_positive(smoothing, value):
    with pytest.raises(ValueError, match="greater than 0"):
        smoothing(value)


def test_axes_of_fitted_tables_are_parents_then_child():
    a, b, c = (Variable(name, tuple(range(r))) for name, r in (("a", 2), ("b", 3), ("c", 2)))
    table = Table([a, b, c], [[0, 1, 1, 1], [2, 0, 0, 1], [1, 0, 1, 1]])
    net = fit([("b", "c"), ("a", "c")], table)
    by_hand = np.full((2, 3, 2), 0.5)
    by_hand[0, 2] = by_hand[1, 1] = [0, 1]
    assert net.cpt("c") == pytest.approx(by_hand)
    assert net.cpt("b") == pytest.approx([0.5, 0.25, 0.25])


@pytest.mark.parametrize("net", [asia(), simple()], ids=["asia", "simple"])
def test_large_samples_give_the_parameters_back(net):
    table = net.sample(200_000, seed=1)
    fitted = fit(net.dag, table, Dirichlet(0.5))
    for i, (found, true) in enumerate(zip(fitted.cpts, net.cpts, strict=True)):
        parents = [table.column(p).astype(int) for p in net.dag.parents[i]]
        shape = true.shape[:-1]
        code = np.ravel_multi_index(parents, shape) if parents else np.zeros(len(table), dtype=int)
        n_ij = np.bincount(code, minlength=int(np.prod(shape))).reshape(shape)[..., None]
        assert (np.abs(found - true) <= 5 * np.sqrt(true * (1 - true) / (n_ij + 1)) + 3 / (n_ij + 2)).all()


def test_graphs_of_other_variables_and_wrong_smoothing_are_refused():
    table = asia().sample(10, seed=1)
    with pytest.raises(ValueError, match="other variables"):
        fit(simple().dag, table)
    with pytest.raises(TypeError, match=r"Dirichlet\(1\)"):
        fit(asia().dag, table, "mle")


def test_a_table_too_large_is_refused_before_counting():
    variables = [Variable(f"x{i}", (0, 1)) for i in range(30)]
    table = Table(variables, [[0, 1]] * 30)
    with pytest.raises(ValueError, match="give it fewer parents"):
        fit([(f"x{i}", "x29") for i in range(29)], table)


def test_a_source_gives_the_same_network_as_its_table():
    net = asia()
    table = net.sample(500, seed=1)
    halves = [table.take(slice(0, 200)), table.take(slice(200, None))]
    assert fit(net.dag, ChunkedSource(lambda: halves)) == fit(net.dag, table)


def test_more_parents_than_a_table_has_axes_are_refused():
    names = [f"v{i}" for i in range(70)]
    table = Table([Variable(name, ("only",)) for name in names], list(np.zeros((70, 3), np.uint8)))
    with pytest.raises(ValueError, match=r"node 'v69' with 69 parents: .* give it fewer parents"):
        fit([(name, "v69") for name in names[:-1]], table)
