"""Sampled edge probabilities against exact ones, and the contract of a search."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import bnlab
from bnlab.data import Table, Variable
from bnlab.graphs import Dag
from bnlab.learners import PartitionSampler, edge_probabilities, partition_sampler
from bnlab.learners.posterior.exact import exact_probabilities
from bnlab.learners.posterior.families import FamilyScores, FamilyScoring
from bnlab.learners.types import as_local_scores
from bnlab.networks import BayesianNetwork
from bnlab.search import iterate, run
from tests.learners.small_problems import RandomScores
from tests.soak import times

ASIA = bnlab.load_network("asia").sample(500, seed=1)


def families(n, seed, candidates=None):
    phi = RandomScores(n, seed)
    phi.scores = {family: score / 8 for family, score in phi.scores.items()}
    every = tuple(tuple(u for u in range(n) if u != v) for v in range(n))
    return run(FamilyScoring(as_local_scores(phi, n), candidates or every, n))


def random_network(seed):
    """Ten variables of two or three states, about one and a half parents each."""
    draw = np.random.default_rng([seed, 10])
    names = [f"X{i}" for i in range(10)]
    place = draw.permutation(10)
    edges = [(names[place[u]], names[place[v]]) for v in range(10) for u in range(v) if draw.random() < 0.33]
    dag = Dag.from_edges(names, edges)
    arities = draw.choice([2, 3], 10)
    tables = [draw.dirichlet(np.ones(arities[v]), tuple(arities[list(p)])) for v, p in enumerate(dag.parents)]
    variables = [Variable(name, tuple(range(r))) for name, r in zip(names, arities, strict=True)]
    return BayesianNetwork(dag, variables, tables)


@pytest.mark.parametrize("prior", ["graphs", "orders"])
@pytest.mark.parametrize("seed", range(times(1, 10)))
def test_samples_agree_with_exact_probabilities_of_ten_variables(seed, prior):
    table = random_network(seed).sample(300, seed=seed)
    exact = edge_probabilities(table, structure_prior=prior)
    found = edge_probabilities(table, "mcmc", structure_prior=prior, seed=seed, moves=times(30, 100))
    assert np.abs(found.arcs - exact.arcs).max() < 0.02
    assert found.diagnostics["r_hat"] < 1.05
    assert found.diagnostics["ess"] > 400
    assert found.errors.max() < 0.03
    assert np.abs(found.samples.mean(axis=0) - exact.arcs).max() < 0.05


def independent_bits(n, seed):
    """Few rows: every edge has some probability, and pairs of parents gain by chance."""
    rows = np.random.default_rng(seed).integers(0, 2, (n, 25))
    return Table([Variable(f"v{i}", (0, 1)) for i in range(n)], list(rows))


def test_no_probability_of_many_variables_is_further_from_the_exact_one_than_its_error_says():
    table, options = independent_bits(13, 13), {"max_parents": 2, "structure_prior": "orders"}
    exact = edge_probabilities(table, **options).arcs
    found = edge_probabilities(table, "mcmc", draws=800, moves=30, candidates=8, **options)
    assert (np.abs(found.arcs - exact) < 0.03 + found.errors).all()
    assert exact.max() > 0.1
    assert (found.arcs[~np.eye(13, dtype=bool)] > 0).all(), "no edge is left out"
    assert found.errors.max() >= 0.03


def test_edges_that_are_left_out_have_an_error_near_or_above_their_probability(monkeypatch):
    """With room for no other candidate than those of the core."""
    monkeypatch.setattr("bnlab.learners.posterior.candidates.MOST", 8)
    table = independent_bits(14, 1)
    exact = edge_probabilities(table, max_parents=2).arcs
    found = edge_probabilities(table, "mcmc", max_parents=2, draws=200, moves=30, candidates=8)
    never = (found.arcs == 0) & ~np.eye(14, dtype=bool)
    assert never.sum() == 14 * 5
    assert (exact <= found.errors + 0.03)[never].all()
    assert exact[never].max() > 0.05


@pytest.mark.parametrize("prior", ["graphs", "orders"])
def test_samples_of_sets_with_one_parent_outside_the_core_agree_with_the_sum_over_these(prior):
    phi = RandomScores(5, 6)
    phi.scores = {family: score / 8 for family, score in phi.scores.items()}
    core = tuple(tuple(u for u in range(5) if u not in (v, (v + 1) % 5, (v + 2) % 5)) for v in range(5))
    others = tuple(tuple(sorted({(v + 1) % 5, (v + 2) % 5})) for v in range(5))
    scored = run(FamilyScoring(as_local_scores(phi, 5), core, 4, others=others))
    assert [len(bits) for bits in scored.bits] == [12] * 5
    expected, _ = exact_probabilities(scored, prior)
    found = run(PartitionSampler(scored, prior, draws=1000, moves=10))
    np.testing.assert_allclose(found.arcs, expected, atol=0.03)


@pytest.mark.parametrize("prior", ["graphs", "orders"])
def test_errors_are_as_great_as_reported(prior):
    """Sums over many small posteriors: a wrong acceptance probability would shift them by more than their errors."""
    ratios = []
    for seed in range(times(5, 100)):
        scored = families(5, seed)
        exact, _ = exact_probabilities(scored, prior)
        found = run(PartitionSampler(scored, prior, moves=5, seed=seed))
        some = found.errors > 1e-3
        ratios.append((found.arcs - exact)[some] / found.errors[some])
    assert np.sqrt(np.mean(np.concatenate(ratios) ** 2)) == pytest.approx(1.0, abs=0.4)


@pytest.mark.parametrize("prior", ["graphs", "orders"])
def test_samples_keep_to_the_candidates(prior):
    scored = families(4, 2, candidates=((1,), (0, 3), (0, 1, 3), ()))
    found = run(PartitionSampler(scored, prior, draws=400, moves=5))
    np.testing.assert_allclose(found.arcs, exact_probabilities(scored, prior)[0], atol=0.05)
    assert not found.arcs[:, 3].any()
    assert not found.arcs[2].any()


@pytest.mark.parametrize("prior", ["graphs", "orders"])
def test_parents_that_all_sets_of_a_variable_have_are_required(prior):
    """Two required edges, whose layers no single variable can change."""
    every = families(4, 3)
    required = ((), (), (0,), (1,))
    kept = [
        np.array([all(row >> of_v.index(u) & 1 for u in parents) for row in bits], dtype=bool)
        for bits, of_v, parents in zip(every.bits, every.candidates, required, strict=True)
    ]
    scored = FamilyScores(
        every.candidates,
        tuple(bits[mask] for bits, mask in zip(every.bits, kept, strict=True)),
        tuple(scores[mask] for scores, mask in zip(every.scores, kept, strict=True)),
    )
    assert scored.required == required
    exact, _ = exact_probabilities(scored, prior)
    assert [exact[0, 2], exact[1, 3]] == pytest.approx([1.0, 1.0])
    found = run(PartitionSampler(scored, prior, draws=1000, moves=5, seed=1))
    assert found.samples[:, 0, 2].all()
    assert found.samples[:, 1, 3].all()
    np.testing.assert_allclose(found.arcs, exact, atol=0.05)


def test_required_parents_that_close_a_cycle_are_refused():
    cycle = FamilyScores(((1,), (0,)), (np.array([1]),) * 2, (np.zeros(1),) * 2)
    with pytest.raises(ValueError, match="cycle"):
        PartitionSampler(cycle)


def test_annealing_leads_chains_out_of_a_mode_that_is_not_the_best():
    """Without it three of these six stay 58 nats below the others."""
    part = [
        *("KINKEDTUBE", "MINVOL", "INTUBATION", "PRESS", "DISCONNECT", "VENTMACH"),
        *("VENTTUBE", "VENTLUNG", "VENTALV", "EXPCO2", "MINVOLSET"),
    ]
    table = bnlab.load_network("alarm").sample(10_000, seed=0).select(part)
    found = run(partition_sampler(table, draws=20, burn_in=200, moves=50, chains=6, seed=4))
    assert np.ptp(found.chains.scores[:, -20:].mean(axis=1)) < 5
    phi = bnlab.scores.local_scores(table, "bdeu", ess=1.0)
    for score, graph in zip(found.chains.scores[:, -1], found.samples[19::20], strict=True):
        assert score == pytest.approx(sum(phi(v, tuple(np.flatnonzero(graph[:, v]))) for v in range(11)))
    assert (found.chains.scores[:, 0] < found.chains.scores[:, -1] - 100).all(), "the first power is small"


def test_the_course_of_the_chains_ends_with_the_diagnostics():
    sampler = partition_sampler(ASIA, draws=60, chains=3, moves=10)
    found = run(sampler)
    chains = found.chains
    assert (chains.scores.shape, chains.burn_in) == ((3, 100), 40)
    assert (chains.draws[-1], chains.r_hat[-1]) == (60, found.diagnostics["r_hat"])
    phi = bnlab.scores.local_scores(ASIA, "bdeu", ess=1.0)
    graph = found.samples[-1]
    score = sum(phi(v, tuple(np.flatnonzero(graph[:, v]))) for v in range(8))
    assert chains.scores[-1, -1] == pytest.approx(score)


@pytest.mark.parametrize("prior", ["graphs", "orders"])
@pytest.mark.parametrize("n", [1, 2])
def test_one_or_two_variables_have_samples(n, prior):
    scored = families(n, 0)
    found = run(PartitionSampler(scored, prior, draws=1000, moves=5))
    np.testing.assert_allclose(found.arcs, exact_probabilities(scored, prior)[0], atol=0.03)


def test_another_seed_gives_other_samples_and_chains_differ():
    one, other = (run(partition_sampler(ASIA, draws=20, chains=2, seed=seed)).samples for seed in (0, 1))
    assert (one != other).any()
    assert (one[:20] != one[20:]).any()


def test_an_executor_gives_the_same_states():
    sampler = partition_sampler(ASIA, draws=40, chains=3, moves=10)
    with ThreadPoolExecutor(2) as executor:
        found = list(sampler.run_on(executor))
    for (state, progress), (expected, info) in zip(found, iterate(sampler), strict=True):
        np.testing.assert_array_equal(state.layers, expected.layers)
        assert progress.best_score == info.best_score
    np.testing.assert_array_equal(sampler.result(found[-1][0]).samples, run(sampler).samples)


def test_a_sampled_graph_never_scores_more_than_the_best():
    sampler = partition_sampler(ASIA, draws=100)
    best = bnlab.learners.optimum(ASIA, score="bdeu", ess=1.0, max_parents=4)
    for _, progress in iterate(sampler):
        assert max(progress.scores) <= progress.best_score <= best.score + 1e-6
    assert progress.best_score == pytest.approx(best.score, abs=1e-6)


def test_before_the_first_draw_nothing_is_known():
    sampler = partition_sampler(ASIA, draws=20)
    found = sampler.result(sampler.init())
    assert (found.graphs, found.samples) == (0, None)
    assert np.isnan(found.diagnostics["r_hat"])
    assert not found.arcs.any()


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        (lambda layers: layers[:1], "not integers of shape"),
        (lambda layers: layers.astype(np.float64), "not integers of shape"),
        (lambda layers: layers + 1, "numbered from 0"),
        (lambda layers: np.full_like(layers, 99), "numbered from 0"),
    ],
)
def test_the_state_of_another_search_is_refused(change, fault):
    sampler = partition_sampler(ASIA, draws=20)
    state = sampler.init()
    with pytest.raises(ValueError, match=f"the state is not one of this search: .*{fault}"):
        sampler.step(state._replace(layers=change(state.layers)))
    orders = partition_sampler(ASIA, draws=20, structure_prior="orders")
    with pytest.raises(ValueError, match="a layer of an order has two variables"):
        orders.step(orders.init()._replace(layers=np.zeros((4, 8), dtype=np.int64)))


def test_too_many_samples_are_refused(monkeypatch):
    monkeypatch.setenv("BNLAB_MEMORY", "10M")
    with pytest.raises(ValueError, match="take fewer draws"):
        partition_sampler(ASIA, draws=100_000)


def test_directions_that_data_leave_open_are_drawn_apart_from_each_other():
    bits = np.random.default_rng(0).integers(0, 2, (2, 60))
    table = Table([Variable(name, (0, 1)) for name in "abcd"], [bits[0], bits[0], bits[1], bits[1]])
    found = edge_probabilities(table, "mcmc", within=[("a", "b"), ("c", "d")], draws=1000)
    together = np.histogram2d(found.samples[:, 0, 1], found.samples[:, 2, 3], bins=2)[0] / len(found.samples)
    np.testing.assert_allclose(together, 0.25, atol=0.05)  # every reversal is accepted
