"""Rows with gaps where probabilities leave the range of floats, against sums of logarithms and fractions."""

from __future__ import annotations

from itertools import product
from math import fsum, inf, log

import numpy as np
import pytest
from scipy.special import logsumexp

import bnlab
from bnlab.data import Table, Variable
from bnlab.networks import BayesianNetwork, ExpectationMaximization, ImpossibleEvidence, impute
from tests.networks.test_underflow import exact_joint, extreme_network, recursions

CHILDREN = 1000


def table_of(net: BayesianNetwork, rows: np.ndarray) -> Table:
    """Table of rows of codes, shape (rows, n), in which -1 is a missing value."""
    columns = [np.where(column < 0, r, column) for column, r in zip(rows.T, net.arities, strict=True)]
    return Table(net.variables, columns, gaps=True)


def expected_counts(net: BayesianNetwork, table: Table) -> list[np.ndarray]:
    search = ExpectationMaximization(net.dag, table, start=net)
    return [
        counts.dense().reshape(cpt.shape) for counts, cpt in zip(search.counts(search.init()), net.cpts, strict=True)
    ]


class Hub:
    """A hub of three states with many children; inference by sums of logarithms over the states of the hub."""

    def __init__(self, strength: float, seed: int) -> None:
        rng = np.random.default_rng(seed)
        names = ["hub", *(f"x{i}" for i in range(CHILDREN))]
        tables = rng.dirichlet(np.ones(2), (CHILDREN, 1)) * np.exp(rng.normal(0, strength, (CHILDREN, 3, 2)))
        self.tables = tables / tables.sum(axis=2, keepdims=True)
        self.prior = np.array([0.2, 0.5, 0.3])
        variables = [Variable("hub", (0, 1, 2)), *(Variable(name, (0, 1)) for name in names[1:])]
        dag = bnlab.Dag(names, [(), *[(0,)] * CHILDREN])
        self.net = BayesianNetwork(dag, variables, [self.prior, *self.tables])

    def logs(self, row: np.ndarray, best: bool = False) -> np.ndarray:
        """Log of P(hub, observed values), or of its greatest completion, for each state of the hub."""
        found = []
        for h in range(3):
            terms = [log(self.prior[h])] if row[0] in (-1, h) else [-inf]
            for table, state in zip(self.tables, row[1:], strict=True):
                terms.append(log(table[h, state]) if state >= 0 else log(table[h].max()) if best else 0.0)
            found.append(fsum(terms))
        return np.array(found)


@pytest.fixture(scope="module", params=[0.02, 3.0])
def hub(request: pytest.FixtureRequest) -> Hub:
    return Hub(request.param, seed=7)


@pytest.fixture(scope="module")
def hub_rows(hub: Hub) -> np.ndarray:
    """Rows with every kind of gaps: the hub, some or all children, both, neither."""
    rng = np.random.default_rng(1)
    sample = hub.net.sample(12, seed=3)
    rows = np.stack([sample.column(i).astype(int) for i in range(CHILDREN + 1)], axis=1)
    rows[:8, 0] = -1
    for r, share in enumerate([0, 0, 0.1, 0.5, 0.9, 0.99, 0.999, 1, 0.1, 0.9, 1, 0]):
        rows[r, 1:][rng.random(CHILDREN) < share] = -1
    return rows


def test_rows_of_a_hub_have_the_log_likelihood_of_sums_of_logarithms(hub: Hub, hub_rows: np.ndarray) -> None:
    expected = [logsumexp(hub.logs(row)) for row in hub_rows]
    assert hub.net.log_likelihood(table_of(hub.net, hub_rows)) == pytest.approx(expected, rel=1e-13, abs=1e-10)


def test_expected_counts_of_a_hub_equal_sums_of_logarithms(hub: Hub, hub_rows: np.ndarray) -> None:
    classes, children = np.zeros(3), np.zeros((CHILDREN, 3, 2))
    for row in hub_rows:
        logs = hub.logs(row)
        shares = np.exp(logs - logsumexp(logs))
        classes += shares
        given = np.where(row[1:, None, None] < 0, hub.tables, np.eye(2)[row[1:]][:, None, :])
        children += shares[None, :, None] * given
    found = expected_counts(hub.net, table_of(hub.net, hub_rows))
    assert found[0] == pytest.approx(classes, abs=1e-10)
    assert np.abs(np.array(found[1:]) - children).max() < 1e-10


def test_a_hub_is_filled_in_by_its_most_probable_value(hub: Hub, hub_rows: np.ndarray) -> None:
    filled = impute(hub.net, table_of(hub.net, hub_rows))
    for r, row in enumerate(hub_rows):
        completed = np.array([int(filled.column(i)[r]) for i in range(CHILDREN + 1)])
        assert (completed[row >= 0] == row[row >= 0]).all()
        assert hub.logs(completed).max() == pytest.approx(hub.logs(row, best=True).max(), rel=1e-13)


def test_a_hub_is_drawn_with_its_probability_given_the_row(hub: Hub, hub_rows: np.ndarray) -> None:
    n = 500
    drawn = impute(hub.net, table_of(hub.net, np.repeat(hub_rows[3:4], n, axis=0)), "sample", seed=2).column(0)
    logs = hub.logs(hub_rows[3])
    shares = np.exp(logs - logsumexp(logs))
    assert np.bincount(drawn, minlength=3) / n == pytest.approx(shares, abs=4 * np.sqrt(0.25 / n))


def test_a_chain_of_three_thousand_equals_the_forward_and_backward_recursions() -> None:
    n, share, rng = 3_000, 0.5, np.random.default_rng(1)
    steps = rng.dirichlet(np.full(3, 0.3), (n, 3))
    names = [f"x{i}" for i in range(n)]
    dag = bnlab.Dag(names, [(i - 1,) if i else () for i in range(n)])
    net = BayesianNetwork(dag, [Variable(name, (0, 1, 2)) for name in names], [steps[0, 0], *steps[1:]])
    sample = net.sample(1, seed=1)
    row = np.array([int(sample.column(i)[0]) for i in range(n)])
    row[rng.random(n) < share] = -1
    seen = np.where(row[:, None] < 0, 1.0, np.eye(3)[row])
    forward, backward, logs = recursions(steps, seen)
    best = np.zeros(3)
    for i in range(n):
        with np.errstate(divide="ignore"):
            step = np.log(steps[i] if i else np.diag(steps[0, 0]))
            best = (best[:, None] + step).max(axis=0) + np.log(seen[i])
    pairs = forward[:-1, :, None] * steps[1:] * (seen * backward)[1:, None, :]
    pairs /= pairs.sum(axis=(1, 2), keepdims=True)
    table = table_of(net, row[None, :])
    assert net.log_likelihood(table)[0] == pytest.approx(fsum(logs), rel=1e-13, abs=1e-10)
    assert np.abs(np.array(expected_counts(net, table)[1:]) - pairs).max() < 1e-10
    assert net.log_likelihood(impute(net, table))[0] == pytest.approx(best.max(), rel=1e-12)


@pytest.mark.parametrize("seed", [2, 5])
def test_every_pattern_of_gaps_equals_the_joint_in_fractions(seed: int) -> None:
    """Tables of five nodes with zeros, ones and numbers down to 1e-300; all 32 patterns."""
    net, rng = extreme_network(seed), np.random.default_rng(seed)
    joint, n = exact_joint(net), len(net)
    rows = np.array(list(product((0, -1), repeat=n)))
    rows = np.where(rows < 0, -1, np.stack([rng.integers(r, size=len(rows)) for r in net.arities], axis=1))
    cuts = [joint[tuple(slice(k, k + 1) if k >= 0 else slice(None) for k in row)] for row in rows]
    expected = [log(c.sum().numerator) - log(c.sum().denominator) if c.sum() else -inf for c in cuts]
    assert net.log_likelihood(table_of(net, rows)) == pytest.approx(expected, rel=1e-12, abs=1e-12)
    for row, cut in zip(rows, cuts, strict=True):
        if cut.sum():
            table = table_of(net, row[None, :])
            for i, (parents, found) in enumerate(zip(net.dag.parents, expected_counts(net, table), strict=True)):
                sums = np.zeros(net.cpts[i].shape)
                for cell in np.ndindex(*net.arities):
                    if all(k in (-1, state) for k, state in zip(row, cell, strict=True)):
                        sums[tuple(cell[v] for v in (*parents, i))] += float(joint[cell] / cut.sum())
                assert np.abs(found - sums).max() < 1e-12
            best, drawn = impute(net, table), impute(net, table, "sample")
            best = tuple(int(best.column(i)[0]) for i in range(n))
            assert float(joint[best] / cut.max()) == pytest.approx(1)
            assert joint[tuple(int(drawn.column(i)[0]) for i in range(n))] > 0


def test_a_start_under_which_a_row_is_impossible_is_refused() -> None:
    variables = [Variable("x", (0, 1)), Variable("y", (0, 1))]
    dag = bnlab.Dag.from_edges("xy", [("x", "y")])
    start = BayesianNetwork(dag, variables, [[1.0, 0.0], [[0.5, 0.5], [0.5, 0.5]]])
    table = Table(variables, [[0, 1, 0], [0, 2, 2]], gaps=True)
    with pytest.raises(ImpossibleEvidence, match="x = 1 has probability 0"):
        bnlab.search.run(ExpectationMaximization(dag, table, start=start))
