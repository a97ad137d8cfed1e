from itertools import product

import numpy as np
import pytest
from scipy.optimize import minimize

from bnlab.data import Table, Variable
from bnlab.graphs import Dag
from bnlab.networks import BayesianNetwork, Dirichlet, fit, noisy_or

FEVER, FLU = Variable("fever", ("yes", "no")), Variable("flu", (False, True))
COLD, SUN = Variable("cold", ("no", "yes")), Variable("sun", ("strong", "weak"))
EFFECTS = {"flu": 0.8, "cold": 0.5, "sun": 0.25}
ON = {"sun": "strong"}
DAG = Dag.from_edges(["flu", "cold", "sun", "fever"], [(name, "fever") for name in EFFECTS])


def test_the_table_is_the_distribution_of_independent_causes():
    table = noisy_or(FEVER, [FLU, COLD, SUN], EFFECTS, leak=0.1, on=ON)
    assert table.shape == (2, 2, 2, 2)
    np.testing.assert_allclose(table.sum(axis=-1), 1)
    for given in product(*(v.states for v in (FLU, COLD, SUN))):
        present = [given[0] is True, given[1] == "yes", given[2] == "strong"]
        chances = [0.1, *(e for e, there in zip(EFFECTS.values(), present, strict=True) if there)]
        # The child is on if any cause acts: the sum over all ways in which the causes act or not.
        acting = 0.0
        for acts in product((0, 1), repeat=len(chances)):
            acting += any(acts) * float(np.prod([c if a else 1 - c for a, c in zip(acts, chances, strict=True)]))
        at = tuple(v.code(state) for v, state in zip((FLU, COLD, SUN), given, strict=True))
        assert table[(*at, FEVER.code("yes"))] == pytest.approx(acting)


def network():
    variables = [FLU, COLD, SUN, FEVER]
    tables = [[0.6, 0.4], [0.5, 0.5], [0.3, 0.7], noisy_or(FEVER, [FLU, COLD, SUN], EFFECTS, leak=0.1, on=ON)]
    return BayesianNetwork(DAG, variables, tables)


def test_the_fit_has_the_greatest_likelihood_of_all_noisy_ors():
    table = network().sample(400, seed=2)
    found = fit(DAG, table, noisy_or={"fever": ON})
    columns = [table.column(name) for name in ("flu", "cold", "sun", "fever")]

    def loss(x):
        leak, *effects = 1 / (1 + np.exp(-x))
        cpt = noisy_or(FEVER, [FLU, COLD, SUN], dict(zip(EFFECTS, effects, strict=True)), leak=leak, on=ON)
        return -np.log(cpt[tuple(columns)]).sum()

    best = min(
        (
            minimize(loss, start, method="Nelder-Mead", options={"maxiter": 4000, "xatol": 1e-8, "fatol": 1e-10})
            for start in np.random.default_rng(1).normal(size=(4, 4))
        ),
        key=lambda r: r.fun,
    )
    own = -np.log(found.cpt("fever")[tuple(columns)]).sum()
    assert own == pytest.approx(best.fun, abs=1e-5)
    np.testing.assert_array_equal(found.cpt("flu"), fit(DAG, table).cpt("flu"))


def test_many_rows_give_the_effects_back_and_unseen_causes_have_none():
    table = network().sample(100_000, seed=4)
    found = fit(DAG, table, noisy_or={"fever": ON})
    np.testing.assert_allclose(found.cpt("fever"), network().cpt("fever"), atol=0.02)
    never = Table([FLU, FEVER], [[0, 0, 0, 0], [0, 1, 1, 1]])  # no row has the flu
    cpt = fit([("flu", "fever")], never, noisy_or=["fever"]).cpt("fever")
    np.testing.assert_allclose(cpt, [[0.25, 0.75], [0.25, 0.75]])
    assert (fit([("flu", "fever")], never, Dirichlet(1), noisy_or=["fever"]).cpt("fever") > 0).all()


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: noisy_or(FEVER, [SUN], {"sun": 0.5}), "which of .* means “on”"),
        (lambda: noisy_or(FEVER, [FLU], {}), "parent 'flu' of 'fever' has none"),
        (lambda: noisy_or(FEVER, [FLU], {"flue": 0.5}), "did you mean 'flu'"),
        (lambda: noisy_or(FEVER, [FLU], {"flu": 1.5}), "no probability"),
        (lambda: noisy_or(Variable("x", "abc"), [], {}), "has 3 states"),
        (lambda: fit(DAG, network().sample(5, seed=1), noisy_or=["fewer"]), "did you mean 'fever'"),
        (lambda: fit(DAG, network().sample(5, seed=1), noisy_or=["fever"]), "means “on”"),
        (
            lambda: fit([("flu", "fever")], Table([FLU, FEVER], [[0, 2], [0, 1]], gaps=True), noisy_or=["fever"]),
            "fitted to complete rows",
        ),
    ],
)
def test_what_is_no_noisy_or_is_refused(call, words):
    with pytest.raises(ValueError, match=words):
        call()
