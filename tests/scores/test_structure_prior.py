"""Priors of edges: their formula over all graphs of three nodes, and their place in local scores and learners."""

from __future__ import annotations

import pickle
from math import exp, log, prod

import numpy as np
import pytest

import bnlab
from bnlab.graphs import Dag, markov_equivalent
from bnlab.learners import BestOrderSearch, HillClimbing
from bnlab.scores import BIC, K2, BDeu, DifferencePrior, EdgePrior, LocalScores, local_scores
from bnlab.scores.structure_prior import DecomposablePrior
from bnlab.search import run
from tests.learners.small_problems import every_dag
from tests.scores.small_tables import make_table

TABLE = make_table((2, 3, 2), 40, seed=5)
NAMES = TABLE.names
DAGS = [Dag(NAMES, parents) for parents in every_dag(3)]
PAIRS = [(u, v) for u in NAMES for v in NAMES if u != v]
PRIOR = EdgePrior({("V0", "V1"): 0.9, ("V1", "V0"): 0.05, ("V2", "V1"): 0.7}, default=0.3)


def chance(prior: EdgePrior, dag: Dag) -> float:
    """Probability of a graph by the formula, times a constant."""
    p = {pair: prior.probabilities.get(pair, prior.default) for pair in PAIRS}
    return prod(p[pair] if pair in dag.edges else 1 - p[pair] for pair in PAIRS)


@pytest.mark.parametrize("prior", [PRIOR, EdgePrior({}), EdgePrior({}, default=0.1)], ids=repr)
def test_the_prior_of_all_graphs_of_three_nodes_is_the_formula(prior):
    expected = np.array([chance(prior, dag) for dag in DAGS])
    found = np.exp([prior(dag) for dag in DAGS])
    assert len(DAGS) == 25
    np.testing.assert_allclose(found / found.sum(), expected / expected.sum(), rtol=1e-12)


def test_the_posterior_is_prior_times_likelihood_over_all_graphs():
    expected = np.array([chance(PRIOR, dag) * exp(bnlab.score(dag, TABLE, "bdeu", ess=2.0)) for dag in DAGS])
    scores = np.array([bnlab.score(dag, TABLE, "bdeu", ess=2.0, structure_prior=PRIOR) for dag in DAGS])
    found = np.exp(scores - scores.max())
    np.testing.assert_allclose(found / found.sum(), expected / expected.sum(), rtol=1e-9)


@pytest.mark.parametrize("prior", [PRIOR, DifferencePrior(0.2, DAGS[-1]), DifferencePrior(3.0)], ids=repr)
def test_local_scores_add_up_to_the_score_with_the_prior(prior):
    phi = local_scores(TABLE, "bdeu", structure_prior=prior)
    phi_alone = local_scores(TABLE, "bdeu", structure_prior=prior)
    assert isinstance(prior, DecomposablePrior)
    differences = [phi.total(dag.parents) - bnlab.score(dag, TABLE, "bdeu", structure_prior=prior) for dag in DAGS]
    np.testing.assert_allclose(differences, differences[0], atol=1e-9)
    families = [(1, ()), (1, (0,)), (1, (0, 2)), (2, (1,))]
    np.testing.assert_allclose(phi.many(families), [phi_alone(*family) for family in families], rtol=1e-12)
    np.testing.assert_array_equal(phi.many(families), pickle.loads(pickle.dumps(phi)).many(families))
    toggled = phi.toggled([(1, (0,))], [(0, 2)])[0]
    np.testing.assert_allclose(toggled, phi.many([(1, ()), (1, (0, 2)), (1, (0,))]), rtol=1e-12)


def test_the_difference_prior_is_an_edge_prior():
    kappa, near = 0.2, DAGS[-1]
    same = EdgePrior(dict.fromkeys(near.edges, 1 / (1 + kappa)), default=kappa / (1 + kappa))
    np.testing.assert_allclose(DifferencePrior(kappa, near).log_odds(NAMES), same.log_odds(NAMES))


@pytest.mark.parametrize("score", ["bdeu", "k2"])
@pytest.mark.parametrize("algorithm", ["exact", "hill-climbing", "boss", "ordering-search"])
def test_learners_find_the_best_of_all_graphs_under_the_prior(algorithm, score):
    for seed in range(3):
        rng = np.random.default_rng(seed)
        prior = EdgePrior({pair: float(rng.uniform(0.001, 0.999)) for pair in PAIRS}, default=0.5)
        best = max(bnlab.score(dag, TABLE, score, structure_prior=prior) for dag in DAGS)
        options = {"tabu": 5, "restarts": 5} if algorithm == "hill-climbing" else {}
        found = bnlab.learn(TABLE, algorithm, score=score, structure_prior=prior, **options)
        assert bnlab.score(found, TABLE, score, structure_prior=prior) == pytest.approx(best, abs=1e-6)


@pytest.mark.parametrize("make", [HillClimbing, BestOrderSearch])
@pytest.mark.parametrize("score", [BDeu(ess=4.0), K2()], ids=repr)
def test_the_compiled_engine_finds_the_networks_of_the_readable_one(make, score):
    table = make_table((2, 3, 2, 4, 2, 2), 500, seed=2)
    pairs = [(u, v) for u in table.names for v in table.names if u != v]
    for seed in range(5):
        rng = np.random.default_rng(seed)
        prior = EdgePrior({pair: 1 / (1 + exp(rng.normal(0, 8))) for pair in pairs})
        phi = local_scores(table, score, structure_prior=prior)
        assert phi.compiled() is not None
        readable = make(lambda child, parents, phi=phi: phi(child, parents), phi.n, restarts=2)
        found = run(make(phi, phi.n, restarts=2))
        assert found == run(readable)
        assert found != run(make(local_scores(table, score), phi.n, restarts=2))


def test_equivalent_graphs_score_the_same_where_both_directions_are_as_probable():
    both_ways = EdgePrior({("V0", "V1"): 0.8, ("V1", "V0"): 0.8}, default=0.3)
    assert local_scores(TABLE, "bdeu", structure_prior=both_ways).score_equivalent
    assert not local_scores(TABLE, "bdeu", structure_prior=PRIOR).score_equivalent
    for a in DAGS:
        for b in DAGS:
            if markov_equivalent(a, b):
                scores = [bnlab.score(dag, TABLE, "bdeu", structure_prior=both_ways) for dag in (a, b)]
                assert scores[0] == pytest.approx(scores[1], rel=1e-12)


def test_its_text_is_code_that_makes_an_equal_prior():
    assert eval(repr(PRIOR), {"EdgePrior": EdgePrior}) == PRIOR
    assert hash(eval(repr(PRIOR), {"EdgePrior": EdgePrior})) == hash(PRIOR)
    assert PRIOR(Dag.from_edges(NAMES, [("V0", "V1")])) == pytest.approx(log(9))


@pytest.mark.parametrize(
    ("make", "kind", "message"),
    [
        (lambda: EdgePrior({("a", "b"): 1.0}), ValueError, "'a' -> 'b': probability 1.0: it must be between 0 and 1"),
        (lambda: EdgePrior({}, default=0), ValueError, "default: probability 0: it must be between"),
        (lambda: EdgePrior({("a", "a"): 0.5}), ValueError, "a variable cannot be its own parent"),
        (lambda: EdgePrior({"ab": 0.5}), TypeError, "'ab' is no edge: a key is a pair of names"),
        (lambda: EdgePrior({("a", "b"): "x"}), TypeError, "is not a number"),
        (lambda: EdgePrior({("V0", "W1"): 0.5}).log_odds(NAMES), ValueError, "edge prior: no variable 'W1'"),
        (lambda: bnlab.learn(TABLE, structure_prior=PRIOR), ValueError, "score 'bic' is not Bayesian"),
        (lambda: LocalScores(TABLE, BIC(), structure_prior=PRIOR), ValueError, "score 'bic' is not Bayesian"),
        (lambda: local_scores(TABLE, "k2", structure_prior=len), TypeError, "need a prior that is a product over"),
    ],
)
def test_what_is_no_prior_is_refused(make, kind, message):
    with pytest.raises(kind, match=message):
        make()
