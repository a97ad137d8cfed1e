"""Estimated marginals, against exact ones."""

from __future__ import annotations

import numpy as np
import pytest

from bnlab.data import Variable
from bnlab.graphs import Dag
from bnlab.networks import BayesianNetwork, ImpossibleEvidence, asia


def grid(side: int) -> BayesianNetwork:
    """A grid whose largest clique has about 2**side cells; each node tends to agree with its parents."""
    at = {(i, j): i * side + j for i in range(side) for j in range(side)}
    parents = [[at[p] for p in ((i - 1, j), (i, j - 1)) if p in at] for i, j in at]
    tables = {0: [0.5, 0.5], 1: [[0.8, 0.2], [0.2, 0.8]], 2: [[[0.9, 0.1], [0.5, 0.5]], [[0.5, 0.5], [0.1, 0.9]]]}
    names = [f"x{i},{j}" for i, j in at]
    variables = [Variable(name, ("no", "yes")) for name in names]
    return BayesianNetwork(Dag(names, parents), variables, [tables[len(p)] for p in parents])


@pytest.mark.parametrize(
    "evidence",
    [{}, {"dysp": "yes"}, {"xray": {"yes": 0.9, "no": 0.2}, "smoke": "no"}, {"either": ["yes", "no"], "bronc": "yes"}],
)
def test_estimates_are_within_their_standard_errors(evidence) -> None:
    net = asia()
    exact = net.posterior(evidence, method="exact")
    assert exact.errors == {}
    deviations = []
    for seed in range(5):
        found = net.posterior(evidence, method="estimate", seed=seed)
        assert found.log_probability == pytest.approx(exact.log_probability, abs=0.1)
        for name in net.names:
            assert found.marginals[name].sum() == pytest.approx(1)
            assert found.errors[name].max() <= 0.03
            deviations += list(np.abs(found.marginals[name] - exact.marginals[name]) / (found.errors[name] + 1e-12))
    assert max(deviations) < 4.5


def test_a_seed_gives_the_same_estimates() -> None:
    one, other = (asia().posterior({"dysp": "yes"}, method="estimate", seed=3) for _ in range(2))
    assert all(np.array_equal(one.marginals[name], other.marginals[name]) for name in one.marginals)


def test_where_exact_tables_are_too_large_the_posterior_is_estimated() -> None:
    net = grid(22)
    with pytest.raises(ValueError, match="exact inference needs tables of"):
        net.posterior({"x0,0": "yes"}, method="exact")
    found = net.posterior({"x0,0": "yes"})
    assert found.errors
    assert found.marginals["x0,0"].tolist() == [0, 1]
    assert found.marginals["x0,1"] == pytest.approx([0.2, 0.8], abs=5 * found.errors["x0,1"].max())


def test_estimates_of_a_small_grid_agree_with_exact_inference() -> None:
    net = grid(5)
    evidence = {"x4,4": "yes", "x2,2": {"yes": 3, "no": 1}}
    exact, found = net.posterior(evidence), net.posterior(evidence, method="estimate")
    for name in net.names:
        assert found.marginals[name] == pytest.approx(exact.marginals[name], abs=5 * found.errors[name].max() + 1e-12)


def test_evidence_with_which_hardly_a_sample_agrees_is_refused() -> None:
    net = grid(14)
    with pytest.raises(ValueError, match="worth fewer than 10 independent ones"):
        net.posterior({name: "yes" if k % 2 else "no" for k, name in enumerate(net.names[2::3])}, method="estimate")
    with pytest.raises(ImpossibleEvidence):
        net.posterior({"x0,0": []}, method="estimate")


def test_an_unknown_method_is_refused() -> None:
    with pytest.raises(ValueError, match="method='gibbs'"):
        asia().posterior(method="gibbs")
