"""MIT's penalty: chi-square quantiles of the parents by falling arity."""

from __future__ import annotations

from itertools import permutations

import pytest
from scipy.stats import chi2

from bnlab.data import Table
from bnlab.scores import MIT, LocalScores
from bnlab.scores.mit import penalty


def test_falling_arity_is_the_order_that_costs_most() -> None:
    arities = (2, 5, 3, 2)
    costs = {order: penalty(0.99, 3, order) for order in permutations(arities)}
    assert max(costs.values()) == costs[5, 3, 2, 2] > min(costs.values())


@pytest.mark.parametrize("alpha", [1e-6, 0.5, 0.9, 0.999999])
@pytest.mark.parametrize("arity", [2, 10, 1000, 10**6, 10**9])
def test_the_penalty_of_one_parent_is_the_chi_square_quantile(alpha: float, arity: int) -> None:
    assert penalty(alpha, 2, (arity,)) == pytest.approx(chi2.ppf(alpha, arity - 1), rel=1e-9)


def test_huge_degrees_of_freedom_stay_finite_and_near_their_mean() -> None:
    arities = (4,) * 31
    freedom = 4.0**31 - 1
    assert penalty(0.99, 2, arities) == pytest.approx(freedom, rel=1e-3)


def test_parents_of_one_state_are_free(four: Table) -> None:
    assert penalty(0.99, 4, (1, 1)) == 0.0
    assert penalty(0.99, 4, (3, 1)) == penalty(0.99, 4, (3,))
    assert penalty(0.99, 1, (3, 2)) == 0.0


def test_without_parents_the_score_is_exactly_zero(four: Table) -> None:
    assert LocalScores(four, MIT()).many([(i, ()) for i in range(4)]).tolist() == [0.0] * 4


@pytest.mark.parametrize("alpha", [0, 1, -0.5, 1.5, float("nan")])
def test_a_confidence_level_lies_between_zero_and_one(alpha: float) -> None:
    with pytest.raises(ValueError, match="between 0 and 1"):
        MIT(alpha)


def test_a_confidence_level_is_a_number() -> None:
    with pytest.raises(TypeError, match="alpha=None is not a number"):
        MIT(None)  # type: ignore[arg-type]
