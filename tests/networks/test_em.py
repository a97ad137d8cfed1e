"""Expectation-maximisation: against direct maximisation, against all completions of each row, and its guarantees."""

from itertools import product
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy.optimize import minimize

import bnlab
from bnlab.data import Table, Variable, remove_values
from bnlab.networks import (
    BayesianNetwork,
    BDeuPrior,
    Dirichlet,
    ExpectationMaximization,
    MarginalPseudoRows,
    MaximumLikelihood,
    asia,
    cancer,
    fit,
)
from bnlab.search import Trace, run
from tests.networks.gaps import CHAIN, COLLIDER, completions, probability, small_table, with_gaps


def log_likelihood(net, table):
    return sum(np.log(sum(probability(net, row) for row in rows)) for rows in completions(table))


def brute_force_step(net, table, alpha):
    """Step of the algorithm by adding up the completions of every row, weighted by their probability."""
    counts = [np.full(cpt.shape, float(alpha)) for cpt in net.cpts]
    for rows in completions(table):
        weights = np.array([probability(net, row) for row in rows])
        for row, weight in zip(rows, weights / weights.sum(), strict=True):
            for i, parents in enumerate(net.dag.parents):
                counts[i][tuple(row[v] for v in (*parents, i))] += weight
    return BayesianNetwork(net.dag, net.variables, [c / c.sum(axis=-1, keepdims=True) for c in counts])


@pytest.mark.parametrize("edges", [COLLIDER, CHAIN, [], [("c", "a"), ("c", "b"), ("a", "b")]])
@pytest.mark.parametrize("alpha", [0, 0.5])
def test_each_step_is_that_over_all_completions_of_the_rows(edges, alpha):
    net, table = small_table(edges, seed=3)
    smoothing = Dirichlet(alpha) if alpha else MaximumLikelihood()
    search = ExpectationMaximization(net.dag, table, smoothing, start=net)
    state = search.init()
    for _ in range(4):
        state, progress = search.step(state)
        prior = sum(alpha * np.log(cpt).sum() for cpt in net.cpts)
        assert progress.scores[0] == pytest.approx(log_likelihood(net, table) + prior, rel=1e-12)
        net = brute_force_step(net, table, alpha)
        for found, expected in zip(state.tables, net.cpts, strict=True):
            np.testing.assert_allclose(found, expected, atol=1e-12)


def test_the_tables_are_those_of_pyagrum_from_the_same_start():
    golden = pd.read_csv(Path(__file__).parent.parent / "golden" / "em_cancer_pyagrum.csv")
    net = cancer()
    table = remove_values(net.sample(2000, seed=1), 0.15, "mcar", seed=1)

    def tables(column: str) -> list[np.ndarray]:
        cells = dict(iter(golden.groupby("variable")[column]))
        return [cells[name].to_numpy().reshape(cpt.shape) for name, cpt in zip(net.names, net.cpts, strict=True)]

    start = BayesianNetwork(net.dag, net.variables, tables("start"))
    found = run(ExpectationMaximization(net.dag, table, start=start, tolerance=1e-13))
    for cpt, first, expected in zip(found.cpts, start.cpts, tables("estimate"), strict=True):
        np.testing.assert_allclose(cpt, expected, atol=1e-8)
        assert np.abs(cpt - first).max() > 1e-3


@pytest.mark.parametrize("edges", [[("a", "b")], COLLIDER, CHAIN])
def test_the_result_maximises_the_likelihood_of_the_observed_values(edges):
    net, table = small_table(edges, seed=5, arities=(2, 2, 2))
    search = ExpectationMaximization(net.dag, table, tolerance=1e-13, restarts=2)
    found = run(search)
    every = list(product(*(range(r) for r in table.arities)))
    agrees = np.array([[row in rows for row in every] for rows in completions(table)], dtype=float)
    cells = [
        [np.ravel_multi_index([row[v] for v in (*p, i)], net.cpts[i].shape) for row in every]
        for i, p in enumerate(net.dag.parents)
    ]

    def loss(logits):
        shares, joint = 1 / (1 + np.exp(-logits)), np.ones(len(every))
        for cpt, cell in zip(net.cpts, cells, strict=True):
            part, shares = shares[: cpt.size // 2], shares[cpt.size // 2 :]
            joint *= np.stack([part, 1 - part], axis=-1).ravel()[cell]
        return -np.log(agrees @ joint).sum()

    size = sum(cpt.size // 2 for cpt in net.cpts)
    rng = np.random.default_rng(0)
    direct = [minimize(loss, rng.normal(size=size), method="L-BFGS-B").fun for _ in range(3)]
    assert log_likelihood(found, table) == pytest.approx(-min(direct), abs=1e-4)


@pytest.mark.parametrize(
    "smoothing", [MaximumLikelihood(), Dirichlet(1), Dirichlet(0.1), BDeuPrior(4), MarginalPseudoRows(5)]
)
def test_the_objective_never_falls(smoothing):
    net = asia()
    table = with_gaps(net.sample(400, seed=2), 0.3, seed=2)
    trace = Trace()
    trace.run(ExpectationMaximization(net.dag, table, smoothing, tolerance=1e-9))
    assert len(trace.scores) > 5
    assert (np.diff(trace.scores) >= -1e-8).all()


def test_the_likelihood_never_falls_in_any_run_and_the_best_run_counts():
    net = asia()
    table = with_gaps(net.sample(200, seed=4), 0.5, seed=4)
    search = ExpectationMaximization(net.dag, table, restarts=3, seed=1)
    state, ends, scores = search.init(), [], [[]]
    while not search.is_done(state):
        before = state.run
        state, progress = search.step(state)
        scores[-1].append(progress.scores[0])
        if state.run > before:
            ends.append(progress.scores[0])
            scores.append([])
    assert len(ends) == 4
    assert all((np.diff(part) >= -1e-8).all() for part in scores if part)
    assert state.best_objective == max(ends)
    assert sum(np.log(p) for p in probabilities(search.result(state), table)) >= max(ends) - 1e-8


def probabilities(net, table):
    frame = table.to_pandas()
    tree = bnlab.networks.JunctionTree(net)
    for row in frame.itertuples(index=False):
        evidence = {name: value for name, value in row._asdict().items() if value == value}
        yield np.exp(tree.log_probability(evidence))


def test_without_missing_values_the_tables_are_the_relative_frequencies():
    net = asia()
    table = net.sample(500, seed=1)
    for smoothing in (None, Dirichlet(1), BDeuPrior(2), MarginalPseudoRows(5)):
        found = run(ExpectationMaximization(net.dag, table, smoothing))
        for a, b in zip(found.cpts, fit(net.dag, table, smoothing).cpts, strict=True):
            np.testing.assert_allclose(a, b, atol=1e-12)


def test_a_variable_that_is_never_observed_is_learned_from_a_random_start():
    rng = np.random.default_rng(1)
    hidden = rng.integers(0, 2, 500)
    columns = [np.where(rng.random(500) < 0.1, 1 - hidden, hidden) for _ in range(3)]
    variables = [Variable(name, (0, 1)) for name in "hxyz"]
    table = Table(variables, [np.full(500, 2), *columns], gaps=True)
    net = fit([("h", "x"), ("h", "y"), ("h", "z")], table, restarts=3, seed=2)
    for name in "xyz":
        assert np.sort(net.cpt(name)[:, 0]).tolist() == pytest.approx([0.1, 0.9], abs=0.06)


def test_a_node_of_one_state_and_many_small_probabilities_are_no_obstacle():
    variables = [Variable("one", ("only",)), *(Variable(f"x{i}", (0, 1)) for i in range(1200))]
    rng = np.random.default_rng(0)
    columns = [[0, 1, 0], *(rng.integers(0, 3, 3) for _ in range(1200))]
    edges = [("one", "x0"), *((f"x{i}", f"x{i + 1}") for i in range(1199))]
    search = ExpectationMaximization(edges, Table(variables, columns, gaps=True), max_iterations=3)
    assert np.isfinite(run(search).cpt("x5")).all()


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"restarts": -1}, ValueError, "restarts=-1: it must be at least 0"),
        ({"restarts": 1.5}, TypeError, "restarts=1.5 is not an integer: give one of at least 0"),
        ({"seed": None}, TypeError, "seed=None is not an integer"),
        ({"max_iterations": 0}, ValueError, "max_iterations=0"),
        ({"max_iterations": "all"}, TypeError, "max_iterations='all' is not an integer"),
        ({"tolerance": 0}, ValueError, "tolerance=0"),
        ({"tolerance": "small"}, ValueError, "tolerance='small': a number greater than 0"),
        ({"start": asia()}, ValueError, "network of the same graph"),
        ({"start": asia().dag}, ValueError, "network of the same graph"),
        ({"smoothing": 1}, TypeError, r"smoothing=1: give an object such as .* Dirichlet\(1\)"),
    ],
)
def test_options_out_of_range_or_of_another_type_are_refused(options, error, message):
    net, table = small_table(CHAIN, seed=1)
    with pytest.raises(error, match=message):
        ExpectationMaximization(net.dag, table, **options)


@pytest.mark.parametrize("options", [{"restarts": -1}, {"seed": -1}])
def test_options_are_checked_for_complete_rows_too(options):
    with pytest.raises(ValueError, match="=-1: it must be at least 0"):
        fit(asia().dag, asia().sample(5, seed=1), **options)


def test_only_a_table_or_a_data_frame_is_taken():
    net, table = small_table(CHAIN, seed=1)
    with pytest.raises(TypeError, match="type BayesianNetwork: a Table or a DataFrame is needed"):
        ExpectationMaximization(net.dag, net)
    with pytest.raises(ValueError, match=r'missing values: make a Table with .*"keep"'):
        ExpectationMaximization(net.dag, table.to_pandas())


def test_what_needs_too_large_cliques_is_refused():
    names = [f"x{i}" for i in range(400)]
    table = Table([Variable(name, (0, 1, 2)) for name in names], [[0, 3]] * 400, gaps=True)
    edges = [(names[i], names[k]) for i in range(400) for k in (i + 1, i + 20) if k < 400]
    with pytest.raises(ValueError, match=r"exact inference .*tables of .* cells"):
        fit(edges, table)


def test_a_run_ends_where_nothing_can_improve() -> None:
    certain = Table([Variable("x", ("a",)), Variable("y", (0, 1))], [[0, 0, 1], [0, 0, 0]], gaps=True)
    search = ExpectationMaximization([("x", "y")], certain)
    state, steps = search.init(), 0
    while not search.is_done(state):
        state, _ = search.step(state)
        steps += 1
    assert steps < 10  # the log-likelihood is 0, of which any share is 0
    assert search.result(state).cpt("y").tolist() == [[1, 0]]


def test_a_variable_that_only_rows_of_weight_zero_show_starts_as_one_that_none_shows() -> None:
    x, hidden, y = (Variable(name, (0, 1)) for name in ("x", "hidden", "y"))
    table = Table([x, hidden, y], [[0, 0, 1, 1, 0], [2, 2, 2, 2, 1], [0, 0, 1, 1, 1]], gaps=True)
    edges = [("hidden", "x"), ("hidden", "y")]
    found = bnlab.networks.fit(edges, table.with_weights([3, 3, 3, 3, 0]))
    alone = bnlab.networks.fit(edges, table.take(range(4)).with_weights([3, 3, 3, 3]))
    assert found == alone
    assert found.cpt("x")[0] != pytest.approx(found.cpt("x")[1], abs=0.1)  # from equal tables it would learn nothing
