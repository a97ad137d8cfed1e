"""Sweeps in trees of cliques, against sums over all joint states of the nodes."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from bnlab.engine import propagate
from bnlab.networks.propagation import Propagation, shares, summed

ARITIES = (2, 3, 2, 1, 4, 2)
SCOPES = ((0,), (0, 1), (1, 2), (2, 4), (0, 4), (5,))


def factors(seed: int) -> list[tuple[np.ndarray, tuple[int, ...]]]:
    rng = np.random.default_rng(seed)
    tables = [rng.random([ARITIES[v] for v in scope]) * 0.9 for scope in SCOPES]
    for table in tables:
        table[rng.random(table.shape) < 0.1] = 0.0
    return list(zip(tables, SCOPES, strict=True))


def joint_of(given: list[tuple[np.ndarray, tuple[int, ...]]], row: list[int]) -> np.ndarray:
    """Product of all factors for each joint state of the nodes, 0 where it does not agree with the row."""
    joint = np.zeros(ARITIES)
    for states in product(*map(range, ARITIES)):
        if all(k in (r, state) for k, r, state in zip(row, ARITIES, states, strict=True)):
            joint[states] = np.prod([table[tuple(states[v] for v in scope)] for table, scope in given])
    return joint


def rows(seed: int) -> list[list[int]]:
    """Rows in which about half of the values are missing; that is, equal to the arity."""
    rng = np.random.default_rng(seed)
    return [[r if rng.random() < 0.5 else int(rng.integers(r)) for r in ARITIES] for _ in range(30)] + [list(ARITIES)]


@pytest.mark.parametrize("seed", range(5))
def test_sums_and_marginals_of_rows_equal_those_of_all_joint_states(seed: int) -> None:
    given = factors(seed)
    tree = Propagation(SCOPES, ARITIES)
    numbers, codes = tree.product(given), np.array(rows(seed)).T
    logs = tree.log_probabilities(numbers, codes)
    found, again = tree.marginals(numbers, codes, range(6))
    assert again.tolist() == logs.tolist()
    for r, row in enumerate(codes.T.tolist()):
        joint = joint_of(given, row)
        with np.errstate(divide="ignore"):
            assert logs[r] == pytest.approx(np.log(joint.sum()), abs=1e-12)
        for v in (0, 1, 2, 4, 5):
            if joint.sum() == 0:
                assert np.isnan(found[v][r]).all()
            else:
                expected = joint.sum(axis=tuple(u for u in range(6) if u != v)) / joint.sum()
                assert found[v][r] == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("seed", range(5))
def test_expected_counts_are_weighted_sums_over_rows(seed: int) -> None:
    given = [(table + 0.01, scope) for table, scope in factors(seed)]
    tree = Propagation(SCOPES, ARITIES)
    codes = np.array(rows(seed)).T
    weights = np.random.default_rng(seed).random(codes.shape[1])
    found, log_likelihood = tree.expected(tree.product(given), codes, weights)
    expected, logs = [np.zeros(table.shape) for table, _ in given], 0.0
    for weight, row in zip(weights, codes.T.tolist(), strict=True):
        joint = joint_of(given, row)
        logs += weight * np.log(joint.sum())
        for counts, scope in zip(expected, SCOPES, strict=True):
            counts += weight * joint.sum(axis=tuple(u for u in range(6) if u not in scope)) / joint.sum()
    assert log_likelihood == pytest.approx(logs, abs=1e-10)
    for counts, other in zip(found, expected, strict=True):
        assert counts == pytest.approx(other, abs=1e-10)


@pytest.mark.parametrize("seed", range(5))
def test_the_greatest_and_the_drawn_completions_are_those_of_all_joint_states(seed: int) -> None:
    given = [(table + 0.01, scope) for table, scope in factors(seed)]
    tree = Propagation(SCOPES, ARITIES)
    numbers, codes = tree.product(given), np.array(rows(seed)).T
    best = tree.completed(numbers, codes, "map", [np.random.default_rng(0)])[0]
    times = 400
    drawn = tree.completed(numbers, codes, "sample", [np.random.default_rng(k) for k in range(times)])
    for r, row in enumerate(codes.T.tolist()):
        joint = joint_of(given, row)
        assert joint[tuple(best[:, r])] == pytest.approx(joint.max())
        shown = np.zeros(ARITIES)
        for rows_ in drawn:
            shown[tuple(rows_[:, r])] += 1 / times
        assert np.abs(shown - joint / joint.sum()).max() < 5 * np.sqrt(0.25 / times)


def test_numbers_far_below_the_range_of_floats_are_added_and_divided() -> None:
    """Two cells of 2**-2000 and 2**-2001, beside one of 2**-5000."""
    exact = [(2.0**-1000, 2.0**-1000), (2.0**-1000, 2.0**-1001), (2.0**-1000, 2.0**-1000)]
    tables = [np.array([pair[k] for pair in exact]) for k in (0, 1)] + [np.array([1, 1, 2.0**-1000])] * 3
    tree = Propagation([(0,)] * 5, [3])
    numbers = tree.product([(table, (0,)) for table in tables])
    assert shares(numbers, (0,)) == pytest.approx([2 / 3, 1 / 3, 0])
    value, power = summed(numbers, (0,))[0]
    assert np.log2(value) + 512 * power == pytest.approx(-2000 + np.log2(1.5))
    log_probability, _ = tree.sweep(numbers, np.array([2]), both=False)
    assert log_probability == pytest.approx(-5000 * np.log(2), rel=1e-14)


def test_a_number_has_one_pair_of_value_and_power() -> None:
    tree = Propagation([(0,)] * 3, [4])
    factor = (np.array([1.0, 2.0**-256, 2.0**-257, 0.0]), (0,))
    numbers = tree.product([factor, (np.ones(4), (0,)), (np.ones(4), (0,))])
    assert numbers.tolist() == [[1, 0], [2.0**-256, 0], [2.0**255, -1], [0, propagate.LOWEST]]
