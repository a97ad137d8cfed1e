from collections import Counter
from itertools import product

import numpy as np
import pytest
from scipy.optimize import minimize

from bnlab.data import Table, Variable
from bnlab.graphs import Dag
from bnlab.networks import BayesianNetwork, Dirichlet, ExpectationMaximization, fit, noisy_or
from bnlab.networks.noisy_or import single_causes
from bnlab.search import run

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


def gappy(n, share, seed):
    """Rows of the network, of whose values a share is missing at random."""
    table, rng = network().sample(n, seed=seed), np.random.default_rng(seed)
    columns = [np.where(rng.random(n) < share, 2, table.column(name)) for name in table.names]
    return Table(table.variables, columns, gaps=True)


def observed_log_likelihood(rows, probabilities, leak, effects):
    """Log-likelihood of rows with gaps: the sum over all complete rows that agree, by enumeration."""
    cpt = noisy_or(FEVER, [FLU, COLD, SUN], dict(zip(EFFECTS, effects, strict=True)), leak=leak, on=ON)
    joint = cpt * np.einsum("i,j,k->ijk", *([1 - p, p] for p in probabilities))[..., None]
    total = 0.0
    for row, times in rows.items():
        total += times * np.log(joint[tuple(slice(None) if k == 2 else k for k in row)].sum())
    return total


def test_with_missing_values_the_likelihood_of_what_was_observed_rises_to_its_maximum():
    table = gappy(300, 0.25, seed=3)
    rows = Counter(zip(*(table.column(name).tolist() for name in table.names), strict=True))
    search = ExpectationMaximization(DAG, table, tolerance=1e-11).with_noisy_or({"fever": ON})
    state, seen = search.init(), []
    while not search.is_done(state):
        state, progress = search.step(state)
        seen.append(progress.scores[0])
    assert (np.diff(seen) > -1e-7).all()

    def loss(x):
        p = 1 / (1 + np.exp(-x))
        return -observed_log_likelihood(rows, p[:3], p[3], p[4:])

    starts = np.random.default_rng(1).normal(size=(3, 7))
    ends = [minimize(loss, start, method="L-BFGS-B", options={"ftol": 1e-13}) for start in starts]
    best = min(ends, key=lambda r: r.fun)
    found = search.result(state)
    flu, cold, sun, fever = found.cpts
    effects, leak = single_causes(fever, FEVER, [FLU, COLD, SUN], ON)
    np.testing.assert_allclose(fever, noisy_or(FEVER, [FLU, COLD, SUN], effects, leak=leak, on=ON), atol=1e-9)
    own = observed_log_likelihood(rows, [flu[1], cold[1], sun[1]], leak, effects.values())
    assert own == pytest.approx(-best.fun, abs=1e-4)
    assert own == pytest.approx(found.log_likelihood(table).sum())
    assert fit(DAG, table, noisy_or={"fever": ON}).log_likelihood(table).sum() == pytest.approx(own, abs=0.01)


def test_the_run_with_missing_values_starts_from_a_noisy_or_and_without_any_it_is_the_fit_to_complete_rows():
    table = gappy(200, 0.3, seed=5)
    search = ExpectationMaximization(DAG, table, restarts=1).with_noisy_or({"fever": ON})
    start = ExpectationMaximization(DAG, table, start=fit(DAG, table)).with_noisy_or({"fever": ON})
    for first in (search.init(), start.init()):
        effects, leak = single_causes(first.tables[3], FEVER, [FLU, COLD, SUN], ON)
        expected = noisy_or(FEVER, [FLU, COLD, SUN], effects, leak=leak, on=ON)
        np.testing.assert_allclose(first.tables[3], expected, atol=1e-6)
    complete = network().sample(200, seed=6)
    search = ExpectationMaximization(DAG, complete, Dirichlet(1)).with_noisy_or({"fever": ON})
    expected = fit(DAG, complete, Dirichlet(1), noisy_or={"fever": ON})
    for own, other in zip(run(search).cpts, expected.cpts, strict=True):
        np.testing.assert_allclose(own, other, atol=1e-9)


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
            lambda: fit([("sun", "fever")], Table([SUN, FEVER], [[0, 2], [0, 1]], gaps=True), noisy_or=["fever"]),
            "means “on”",
        ),
    ],
)
def test_what_is_no_noisy_or_is_refused(call, words):
    with pytest.raises(ValueError, match=words):
        call()
