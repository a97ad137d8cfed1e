"""The front door of edge probabilities, and what its result answers."""

from __future__ import annotations

from functools import partial
from math import prod

import networkx as nx
import numpy as np
import pytest

import bnlab
from bnlab.graphs import Dag
from bnlab.graphs.edge_rules import EdgeRules
from bnlab.learners import Bootstrap, partition_sampler
from bnlab.learners.posterior.candidates import candidate_parents
from bnlab.scores import K2, EdgePrior, local_scores
from bnlab.search import run
from tests.learners.posterior.test_exact import every_graph
from tests.learners.small_problems import random_knowledge, random_table
from tests.soak import times

ASIA = bnlab.load_network("asia").sample(500, seed=1)
CANCER = bnlab.load_network("cancer").sample(500, seed=1)


@pytest.fixture(scope="module")
def sampled():
    return bnlab.edge_probabilities(ASIA, "mcmc", draws=200, moves=20)


@pytest.mark.parametrize("options", [{}, {"method": "mcmc", "draws": 40}, {"method": "bootstrap", "replicates": 5}])
def test_every_method_has_the_same_kind_of_result(options):
    found = bnlab.edge_probabilities(CANCER, **options)
    frame = found.to_frame()
    assert list(frame.index) == list(frame.columns) == list(CANCER.names)
    np.testing.assert_array_equal(frame, found.arcs)
    assert found.errors.shape == found.arcs.shape
    assert (found.strength <= 1 + 1e-9).all()
    assert isinstance(found.consensus(0.5), Dag)
    assert found.method == options.get("method", "exact")
    assert found.method in repr(found) or found.graphs
    assert found.edge_list()["strength"].max() == found.strength.max()


def test_only_samples_have_errors():
    assert not bnlab.edge_probabilities(CANCER).errors.any()
    found = bnlab.edge_probabilities(CANCER, "bootstrap", replicates=5)
    np.testing.assert_allclose(found.errors, np.sqrt(found.arcs * (1 - found.arcs) / 5))


def test_options_reach_the_score_and_the_search():
    k2 = bnlab.edge_probabilities(CANCER, score="k2")
    np.testing.assert_array_equal(k2.arcs, bnlab.edge_probabilities(CANCER, score=K2()).arcs)
    assert (k2.arcs != bnlab.edge_probabilities(CANCER, ess=10.0).arcs).any()
    assert not bnlab.edge_probabilities(CANCER, max_parents=0).arcs.any()
    only = bnlab.edge_probabilities(CANCER, within=[("Cancer", "Xray")])
    assert [tuple(pair) for pair in np.argwhere(only.arcs)] == [(2, 3), (3, 2)]
    frame = bnlab.edge_probabilities(CANCER.to_pandas())
    np.testing.assert_array_equal(frame.arcs, bnlab.edge_probabilities(CANCER).arcs)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"method": "exakt"}, "did you mean 'exact'"),
        ({"score": "bdu"}, "did you mean"),
        ({"structure_prior": "graph"}, "'graphs' .* or 'orders'"),
        ({"method": "bootstrap", "structure_prior": "orders"}, "a bootstrap has no prior"),
        ({"method": "mcmc", "drows": 10}, "did you mean 'draws'"),
        ({"draws": 10}, "'draws' is no option of 'exact'"),
        ({"method": "mcmc", "draws": 3}, "draws=3: it must be at least 4"),
        ({"method": "mcmc", "chains": 0}, "chains=0"),
        ({"method": "mcmc", "candidates": 0}, "candidates=0"),
        ({"max_parents": -1}, "max_parents=-1"),
        ({"ess": 0.0}, "ess"),
        ({"knowledge": bnlab.Knowledge(required=[("a", "b")])}, "no variable 'a'"),
        ({"knowledge": bnlab.Knowledge(required=[("Xray", "Cancer")]), "max_parents": 0}, "required parents"),
    ],
)
def test_wrong_arguments_are_refused_with_a_way_out(arguments, message):
    with pytest.raises(ValueError, match=message):
        bnlab.edge_probabilities(CANCER, **arguments)


def test_a_property_of_a_graph_has_the_share_of_the_samples_that_have_it(sampled):
    names = list(ASIA.names)
    graphs = [nx.DiGraph([(names[u], names[v]) for u, v in np.argwhere(graph)]) for graph in sampled.samples]
    for graph in graphs:
        graph.add_nodes_from(names)
    path = np.mean([nx.has_path(graph, "smoke", "dysp") for graph in graphs])
    assert sampled.probability(lambda dag: "smoke" in dag.ancestors_of("dysp")) == pytest.approx(path)
    assert sampled.ancestors().loc["smoke", "dysp"] == pytest.approx(path)
    assert sampled.probability(lambda dag: True) == 1.0

    def in_blanket(graph, a, b):
        return b in graph.pred[a] or b in graph.succ[a] or any(b in graph.pred[child] for child in graph.succ[a])

    for a, b in [("tub", "lung"), ("smoke", "either"), ("asia", "dysp")]:
        expected = np.mean([in_blanket(graph, a, b) for graph in graphs])
        assert sampled.markov_blankets().loc[a, b] == pytest.approx(expected)
    assert not np.diagonal(sampled.markov_blankets()).any()


def test_sampled_graphs_are_given_as_dags(sampled):
    every = sampled.dags()
    assert len(every) == 800
    np.testing.assert_array_equal([dag.adjacency() for dag in every], sampled.samples)
    assert sampled.dags(3) == [every[0], every[400], every[-1]]
    with pytest.raises(ValueError, match="most=0"):
        sampled.dags(0)


def test_without_sampled_graphs_other_properties_are_refused():
    exact = bnlab.edge_probabilities(CANCER)
    for answer in (exact.ancestors, exact.markov_blankets, exact.dags, lambda: exact.probability(lambda dag: True)):
        with pytest.raises(ValueError, match="method='mcmc'"):
            answer()


def test_candidates_are_the_neighbours_in_a_good_network_and_then_the_best_others():
    net = bnlab.load_network("alarm")
    phi = local_scores(net.sample(2000, seed=1), "bdeu", ess=1.0)
    allowed = ~np.eye(37, dtype=bool)
    allowed[:, 5] = False
    required = np.zeros((37, 37), dtype=bool)
    rules = EdgeRules(required, allowed, np.full(37, 36))
    least = candidate_parents(phi, rules, 8, 4).others[36][0]
    required[least, 36] = True
    chosen = candidate_parents(phi, rules, 8, 4)
    assert least in chosen.core[36]
    assert chosen.core[5] == chosen.others[5] == ()
    assert max(map(len, chosen.core)) == 8
    for v, (core, others) in enumerate(zip(chosen.core, chosen.others, strict=True)):
        assert list(core) == sorted(set(core) - {v})
        assert not set(core) & set(others)
        assert v == 5 or set(core) | set(others) | {v} == set(range(37)), "there is room for all others"
    assert not chosen.odds.any()
    found = [u in chosen.core[v] for v in range(37) if v != 5 for u in net.dag.parents[v]]
    assert np.mean(found) > 0.9
    assert candidate_parents(phi, rules, 36, 4).core[0] == tuple(range(1, 37))
    with pytest.raises(ValueError, match="candidates=0: variable 36 has 1 required parents"):
        candidate_parents(phi, rules, 0, 4)


FOUR = ASIA.select(["smoke", "lung", "bronc", "dysp"])
KNOWN = [
    bnlab.Knowledge(required=[("dysp", "smoke")]),
    bnlab.Knowledge(required=[("smoke", "dysp"), ("lung", "dysp")], forbidden=[("bronc", "smoke")]),
    bnlab.Knowledge(tiers=[["smoke"], ["lung", "bronc"], ["dysp"]]),
    bnlab.Knowledge(max_parents={"dysp": 1, None: 2}),
    bnlab.Knowledge(required=[("smoke", "lung"), ("bronc", "dysp")]),
    bnlab.Knowledge(within=[("smoke", "lung"), ("lung", "dysp"), ("smoke", "dysp")], required=[("dysp", "lung")]),
]


def by_brute_force(known: bnlab.Knowledge, prior: str | EdgePrior) -> np.ndarray:
    """Sum over all DAGs of four nodes, of which those that break a rule are left out."""
    phi = local_scores(FOUR, "bdeu", ess=1.0)
    weights, arcs = 0.0, np.zeros((4, 4))
    for bits, orders in zip(*every_graph(4), strict=True):
        dag = Dag(FOUR.names, [[u for u in range(4) if row >> u & 1] for row in bits])
        if not known.violations(dag):
            weight = np.exp(sum(map(phi, range(4), dag.parents)) + 600) * (orders if prior == "orders" else 1)
            if isinstance(prior, EdgePrior):
                weight *= odds_by_formula(prior, dag)
            weights += weight
            arcs += weight * dag.adjacency()
    return arcs / weights


@pytest.mark.parametrize("prior", ["graphs", "orders"])
@pytest.mark.parametrize("known", KNOWN, ids=str)
def test_with_knowledge_the_posterior_is_that_of_the_graphs_that_agree(known, prior):
    expected = by_brute_force(known, prior)
    exact = bnlab.edge_probabilities(FOUR, structure_prior=prior, knowledge=known)
    np.testing.assert_allclose(exact.arcs, expected, atol=1e-8)
    sampled = bnlab.edge_probabilities(FOUR, "mcmc", structure_prior=prior, knowledge=known, draws=500, moves=5)
    np.testing.assert_allclose(sampled.arcs, expected, atol=0.05)
    assert sampled.probability(lambda dag: not known.violations(dag)) == 1.0


def odds_by_formula(prior: EdgePrior, dag: Dag) -> float:
    """Product of p / (1 - p) over the edges of a graph."""
    p = [prior.probabilities.get(edge, prior.default) for edge in dag.edges]
    return prod(q / (1 - q) for q in p)


@pytest.mark.parametrize(
    "prior",
    [
        EdgePrior({("dysp", "smoke"): 0.9, ("lung", "bronc"): 0.01}, default=0.2),
        EdgePrior({("smoke", "lung"): 0.999, ("lung", "smoke"): 0.001}),
    ],
    ids=repr,
)
@pytest.mark.parametrize("known", [bnlab.Knowledge(), KNOWN[1]], ids=str)
def test_a_prior_of_edges_weighs_every_graph_by_its_prior_probability(prior, known):
    expected = by_brute_force(known, prior)
    assert np.abs(expected - by_brute_force(known, "graphs")).max() > 0.02
    exact = bnlab.edge_probabilities(FOUR, structure_prior=prior, knowledge=known)
    np.testing.assert_allclose(exact.arcs, expected, atol=1e-8)
    sampled = bnlab.edge_probabilities(FOUR, "mcmc", structure_prior=prior, knowledge=known, draws=500, moves=5)
    np.testing.assert_allclose(sampled.arcs, expected, atol=0.05)


def test_a_bootstrap_gives_the_learner_a_prior_of_edges():
    never = EdgePrior({}, default=1e-300)
    assert not bnlab.edge_probabilities(FOUR, "bootstrap", structure_prior=never, replicates=5).arcs.any()


def test_random_knowledge_with_a_prior_of_edges_is_a_sum_over_the_graphs_that_agree():
    for seed in range(times(3, 200)):
        rng = np.random.default_rng(seed)
        pairs = [(u, v) for u in FOUR.names for v in FOUR.names if u != v]
        prior = EdgePrior({pair: float(rng.uniform(0.05, 0.95)) for pair in pairs})
        known = random_knowledge(seed, FOUR.names)
        exact = bnlab.edge_probabilities(FOUR, structure_prior=prior, knowledge=known)
        np.testing.assert_allclose(exact.arcs, by_brute_force(known, prior), atol=1e-8)


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"structure_prior": "orders"},
        {"method": "mcmc", "chains": 1, "draws": 4, "moves": 4},
        {"method": "bootstrap", "replicates": 2},
    ],
    ids=str,
)
def test_no_edge_probability_breaks_what_is_known(options):
    for seed in range(times(10, 10_000)):
        table = random_table(seed)
        known = random_knowledge(seed, table.names)
        arcs = bnlab.edge_probabilities(table, knowledge=known, **options).arcs
        if "replicates" in options:  # limits of parents settle no direction of an edge in a graph of the bootstrap
            known = bnlab.Knowledge(known.required, known.forbidden, known.tiers, within=known.within)
        rules = known.resolved(table.names)
        np.testing.assert_allclose(arcs[rules.required], 1.0, atol=1e-6)
        assert not arcs[~rules.allowed].any(), (seed, known)
        assert (arcs.sum(axis=0) <= rules.limits + 1e-6).all(), (seed, known)  # those of a sample are of 32 bits


@pytest.mark.parametrize("algorithm", ["structural-em", "available-cases"])
def test_a_bootstrap_of_incomplete_rows_runs_a_learner_for_them(algorithm):
    table = bnlab.data.remove_values(FOUR.take(slice(200)), 0.1, seed=2)
    found = bnlab.edge_probabilities(table, "bootstrap", score="bic", algorithm=algorithm, replicates=2)
    learner = partial(bnlab.learn, algorithm=algorithm, score="bic", max_parents=4)
    np.testing.assert_array_equal(found.arcs, run(Bootstrap(table, learner, replicates=2)).arcs)


def test_the_sampler_scores_networks_of_its_families():
    known = bnlab.Knowledge(required=[("smoke", "lung")])
    sampler = partition_sampler(FOUR, draws=20, knowledge=known)
    dag = Dag(FOUR.names, [("smoke", "lung"), ("bronc", "dysp")])
    assert sampler.score_of(dag.parents) == pytest.approx(bnlab.score(dag, FOUR, "bdeu", ess=1.0))
    assert sampler.score_of(Dag(FOUR.names, [("bronc", "dysp")]).parents) is None
    assert sampler.score_of(Dag(FOUR.names, [("lung", "smoke")]).parents) is None


@pytest.mark.parametrize(
    ("algorithm", "score"), [("chow-liu", "ll"), ("branching", "bdeu"), ("ckg", "bdeu"), ("ordering-search", "bdeu")]
)
def test_a_bootstrap_runs_learners_without_an_option_for_the_number_of_parents(algorithm, score):
    found = bnlab.edge_probabilities(FOUR, "bootstrap", score=score, algorithm=algorithm, replicates=2)
    learner = partial(bnlab.learn, algorithm=algorithm, score=score)
    np.testing.assert_array_equal(found.arcs, run(Bootstrap(FOUR, learner, replicates=2)).arcs)
    with pytest.raises(ValueError, match=f"'max_parents' is no option of '{algorithm}'"):
        bnlab.edge_probabilities(FOUR, "bootstrap", score=score, algorithm=algorithm, max_parents=2, replicates=2)


@pytest.mark.parametrize("method", ["exact", "mcmc", "bootstrap"])
@pytest.mark.parametrize("score", ["k2", bnlab.scores.BDeu(2.0)])
def test_an_equivalent_sample_size_that_a_score_does_not_take_is_refused(method, score):
    with pytest.raises(ValueError, match="ess"):
        bnlab.edge_probabilities(FOUR, method, score=score, ess=4.0)
