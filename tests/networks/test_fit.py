from __future__ import annotations

import numpy as np
import pytest

from bnlab.counts.chunked import ChunkedSource
from bnlab.counts.source import count_source
from bnlab.counts.types import FamilyCounts
from bnlab.data import Table, Variable, concat
from bnlab.networks import (
    BDeuPrior,
    Dirichlet,
    MarginalPseudoRows,
    MaximumLikelihood,
    Smoothing,
    asia,
    fit,
    simple,
)

ASIA = asia()
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


def test_axes_of_fitted_tables_are_parents_then_child():
    a, b, c = (Variable(name, tuple(range(r))) for name, r in (("a", 2), ("b", 3), ("c", 2)))
    table = Table([a, b, c], [[0, 1, 1, 1], [2, 0, 0, 1], [1, 0, 1, 1]])
    net = fit([("b", "c"), ("a", "c")], table)
    by_hand = np.full((2, 3, 2), 0.5)
    by_hand[0, 2] = by_hand[1, 1] = [0, 1]
    assert net.cpt("c") == pytest.approx(by_hand)
    assert net.cpt("b") == pytest.approx([0.5, 0.25, 0.25])


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


def test_expert_counts_count_like_further_rows():
    table = ASIA.sample(200, seed=3)
    extra = ASIA.sample(40, seed=4)
    dag = ASIA.dag
    counts = count_source(extra).count(list(enumerate(dag.parents)))
    columns = [np.concatenate([table.column(i), extra.column(i)]) for i in range(len(dag))]
    both = fit(dag, Table(table.variables, columns), Dirichlet(1))
    for i, name in enumerate(dag.names):
        expert = counts[i].dense()
        found = fit(dag, table, Dirichlet(1), prior={name: expert})
        np.testing.assert_allclose(found.cpts[i], both.cpts[i])
        for j in set(range(len(dag.names))) - {i}:
            np.testing.assert_array_equal(found.cpts[j], fit(dag, table, Dirichlet(1)).cpts[j])


def test_expert_counts_by_states_equal_those_of_an_array():
    table = ASIA.sample(100, seed=5)
    array = np.zeros((2, 2, 2))  # either, given tub and lung
    array[0, 1] = 3, 1
    by_states = {("yes", "no"): {"yes": 3, "no": 1}}
    assert ASIA.dag.parents_of("either") == ("tub", "lung")
    np.testing.assert_array_equal(
        fit(ASIA.dag, table, prior={"either": by_states}).cpt("either"),
        fit(ASIA.dag, table, prior={"either": array}).cpt("either"),
    )
    root = fit(ASIA.dag, table, prior={"smoke": {"yes": 300}}).cpt("smoke")
    yes = int((table.column("smoke") == 0).sum())
    np.testing.assert_allclose(root, [(yes + 300) / 400, (100 - yes) / 400])


def test_expert_counts_with_missing_values_reach_the_fixed_point_of_their_own_steps():
    x, y = Variable("x", ("a", "b")), Variable("y", (0, 1))
    gaps = Table([x, y], [[0, 0, 1, 2], [0, 1, 2, 1]], gaps=True)
    found = fit([("x", "y")], gaps, prior={"x": {"a": 2, "b": 1}, "y": {"a": {0: 1}, "b": {1: 2}}})
    px, py = found.cpt("x"), found.cpt("y")
    # Row 3 has y = 1 alone, row 2 has x = b alone: expected counts by Bayes' rule.
    share = px * py[:, 1] / (px @ py[:, 1])
    nx = np.array([2, 1]) + [2, 1] + share
    ny = np.array([[1 + 1, 1 + share[0]], [py[1, 0], py[1, 1] + 2 + share[1]]])
    np.testing.assert_allclose(px, nx / nx.sum(), atol=1e-4)
    np.testing.assert_allclose(py, ny / ny.sum(axis=1, keepdims=True), atol=1e-4)


@pytest.mark.parametrize(
    ("prior", "words"),
    [
        ({"lungs": {"yes": 1}}, "did you mean 'lung'"),
        ({"lung": {"maybe": {"yes": 1}}}, "no state 'maybe'"),
        ({"lung": {"yes": 3}}, "give the counts by the states of 'lung'"),
        ({"lung": {("yes", "no"): {"yes": 3}}}, r"a state of each parent is needed, in the order \(smoke\)"),
        ({"lung": [1.0, 2.0]}, r"has the shape \(2,\): \(2, 2\) is needed"),
        ({"smoke": {"yes": -1}}, "a finite number of at least 0"),
        ({"smoke": [float("inf"), 1]}, "a finite number of at least 0"),
        ({"smoke": "many"}, "numbers are needed"),
        ([1, 2], "by the names of nodes"),
    ],
)
def test_wrong_expert_counts_are_refused(prior, words):
    with pytest.raises(ValueError, match=words):
        fit(ASIA.dag, ASIA.sample(10, seed=1), prior=prior)


@pytest.mark.parametrize("smoothing", [None, Dirichlet(1), BDeuPrior(2), MarginalPseudoRows(5)])
def test_expert_counts_are_smoothed_alike_with_and_without_missing_values(smoothing: Smoothing | None) -> None:
    whole = Table([Variable("x", (0, 1)), Variable("y", (0, 1))], [[0, 0, 1, 1, 0], [0, 1, 1, 1, 0]])
    empty = Table(whole.variables, [[2], [2]], gaps=True)  # a row that says nothing
    prior = {"y": {0: {0: 50}}}
    found = fit([("x", "y")], concat([whole, empty]), smoothing, prior=prior)
    for table, wanted in zip(found.cpts, fit([("x", "y")], whole, smoothing, prior=prior).cpts, strict=True):
        assert table == pytest.approx(wanted, abs=1e-4)


@pytest.mark.parametrize("smoothing", [Dirichlet, BDeuPrior, MarginalPseudoRows])
@pytest.mark.parametrize("weight", [0, -1.0, np.nan, np.inf, "1", None])
def test_a_weight_of_pseudo_counts_is_a_positive_number(smoothing: type[Smoothing], weight: object) -> None:
    with pytest.raises(ValueError, match=r"(alpha|ess|m)=.*: a number greater than 0 is needed"):
        smoothing(weight)  # type: ignore[call-arg]
