"""Values missing not at random: the likelihood by hand, known mechanisms, and when structural EM takes the model."""

from itertools import product

import numpy as np
import pytest

import bnlab
from bnlab.counts.incomplete import AvailableCases
from bnlab.data import Table, Variable, remove_values
from bnlab.graphs import Dag, compare
from bnlab.learners import make_search
from bnlab.learners.indicators import MissingIndicators
from bnlab.networks import BayesianNetwork, BDeuPrior, ExpectationMaximization, MaximumLikelihood, asia, fit
from bnlab.papers.studies.missing_values import incomplete_table
from bnlab.search import iterate, run

ON = {"not_at_random": True}


def star(seed=1, children=3):
    """Network of a variable of three states with children that tell much of it."""
    rng = np.random.default_rng(seed)
    names = ("x", *(f"y{i}" for i in range(children)))
    variables = [Variable("x", (0, 1, 2)), *(Variable(name, (0, 1)) for name in names[1:])]
    high = [np.clip(np.array([0.1, 0.5, 0.9]) + 0.08 * rng.standard_normal(3), 0.03, 0.97) for _ in names[1:]]
    cpts = [np.array([0.6, 0.25, 0.15]), *(np.stack([1 - p, p], axis=1) for p in high)]
    return BayesianNetwork(Dag.from_edges(names, [("x", y) for y in names[1:]]), variables, cpts)


def hidden(table, chances, seed=1):
    """Table in which the first variable is missing with a chance that depends on its value."""
    gone = np.random.default_rng(seed).random(table.n_rows) < np.array(chances)[table.column(0)]
    first = np.where(gone, table.arities[0], table.column(0))
    return Table(table.variables, [first, *(table.column(i) for i in range(1, table.n_variables))], gaps=True)


def indicators_of(table):
    return MissingIndicators(table, AvailableCases(table).with_missing_state)


def search_of(net, table):
    """Expectation-maximisation of the tables of a network and of the mechanism, which starts as if at random."""
    indicators = indicators_of(table)
    start = indicators.added(fit(net.dag, table, BDeuPrior()), indicators.constant)
    return ExpectationMaximization(
        start.dag, indicators.table, MaximumLikelihood(), tolerance=1e-9, max_iterations=5000, start=start
    )


def test_the_likelihood_is_the_sum_over_the_missing_values_and_never_falls():
    net = star(children=2)
    table = remove_values(net.sample(60, seed=2), 0.3, "mnar", seed=2)
    search, objectives, networks = search_of(net, table), [], []
    for state, progress in iterate(search):
        objectives.append(progress.scores[0])
        networks.append(search.result(state))
    assert (np.diff(objectives) >= -1e-9).all()
    assert objectives[-1] > objectives[0] + 0.1
    for before, objective in [(networks[0], objectives[1]), (networks[3], objectives[4])]:
        model = BayesianNetwork(net.dag, net.variables, before.cpts[:3])
        assert objective == pytest.approx(by_hand(model, before.cpts[3:], table), rel=1e-9)


def by_hand(net, rho, table):
    columns = [table.column(i) for i in range(table.n_variables)]
    total = 0.0
    for row in zip(*columns, strict=True):
        missing = [code == arity for code, arity in zip(row, table.arities, strict=True)]
        states = [range(r) if gone else [code] for code, gone, r in zip(row, missing, table.arities, strict=True)]
        probability = 0.0
        for full in product(*states):
            joint = np.prod([net.cpts[i][tuple(full[v] for v in (*net.dag.parents[i], i))] for i in range(len(full))])
            probability += joint * np.prod([rho[i][value, int(missing[i])] for i, value in enumerate(full)])
        total += np.log(probability)
    return total


@pytest.mark.parametrize("chances", [(0.1, 0.3, 0.7), (0.6, 0.2, 0.1), (0.3, 0.3, 0.3)])
def test_a_known_mechanism_and_the_probabilities_behind_it_are_found_again(chances):
    net = star()
    table = hidden(net.sample(40_000, seed=3), chances)
    found = run(search_of(net, table))
    np.testing.assert_allclose(found.cpts[-1][:, 1], chances, atol=0.05)
    np.testing.assert_allclose(found.cpts[0], net.cpts[0], atol=0.02)
    if len(set(chances)) > 1:
        at_random = fit(net.dag, table)
        assert np.abs(at_random.cpts[0] - net.cpts[0]).max() > 2 * np.abs(found.cpts[0] - net.cpts[0]).max()


def test_where_nothing_depends_on_a_variable_its_chance_of_being_missing_stays():
    net = BayesianNetwork(Dag.from_edges(["x"], []), [Variable("x", (0, 1, 2))], [np.array([0.6, 0.3, 0.1])])
    table = hidden(net.sample(1000, seed=4), (0.1, 0.2, 0.6))
    indicators = indicators_of(table)
    np.testing.assert_allclose(run(search_of(net, table)).cpts[1], indicators.constant[0], atol=2e-3)


def test_the_penalty_is_that_of_the_best_other_explanation_and_of_the_mechanism():
    table = incomplete_table(asia(), {"mechanism": "mar", "share": 0.2, "sample": 1})[1]
    gone = {i: (table.column(i) == 2) for i, name in enumerate(table.names) if name in table.gaps}
    n, expected = table.n_rows, 0.0

    def bic(indicator, group):
        total = -0.5 * len(np.unique(group)) * np.log(n)
        for value in np.unique(group):
            counts = np.bincount(indicator[group == value], minlength=2)
            total += sum(c * np.log(c / counts.sum()) for c in counts if c)
        return total

    for i, indicator in gone.items():
        groups = [np.zeros(n, int), *(table.column(z) for z in range(8) if z != i)]
        expected += max(bic(indicator, group) for group in groups) + np.log(n)  # rho has two chances
    assert indicators_of(table).penalty == pytest.approx(expected, rel=1e-9)


def test_names_of_indicators_are_new_ones():
    variables = [Variable("x", (0, 1)), Variable("missing x", (0, 1))]
    table = Table(variables, [[0, 1, 2], [2, 1, 0]], gaps=True)
    assert len({*indicators_of(table).table.names}) == 4


def states_of(table, **options):
    return [state for state, _ in iterate(make_search(table, "structural-em", **options))]


def best_state(table, **options):
    return states_of(table, **options)[-1]


def cancer_table(mechanism, rows=500):
    cell = {"mechanism": mechanism, "share": 0.2, "sample": 1}
    return incomplete_table(bnlab.load_network("cancer"), cell)[1].take(slice(rows))


def test_the_model_comes_after_the_other_runs_which_it_does_not_change():
    table = cancer_table("mnar")
    plain, more = states_of(table), states_of(table, **ON)
    before = [summary(state) for state in plain if state.run < 4]
    assert [summary(state) for state in more if state.run < 4] == before
    assert all(state.mechanism == () for state in [*plain, *(state for state in more if state.run < 4)])
    assert {len(state.mechanism) for state in more if state.run == 4 and state.start} == {5}


def summary(state):
    return (state.parents, state.seen, state.run, state.since, state.reached, state.best, state.best_parents)


def test_complete_rows_have_nothing_to_model():
    table = asia().sample(300, seed=1)
    assert len(states_of(table, **ON)) == len(states_of(table))
    assert bnlab.learn(table, "structural-em", **ON) == bnlab.learn(table, "exact", max_parents=7)


@pytest.mark.parametrize("rows", [1, 200])
def test_a_variable_may_have_no_values_at_all(rows):
    table = cancer_table("mnar", rows)
    columns = [np.full(rows, 2), *(table.column(i) for i in range(1, 5))]
    gone = Table(table.variables, columns, gaps=True)
    state = best_state(gone, draws=2, **ON)
    assert state.best_parents[0] == ()
    assert np.isfinite(state.best)


def test_knowledge_is_kept():
    knowledge = bnlab.Knowledge(required=[("Xray", "Smoker")], forbidden=[("Cancer", "Xray"), ("Xray", "Cancer")])
    search = make_search(cancer_table("mnar"), "structural-em", knowledge=knowledge, draws=1, rounds=2, **ON)
    rules = knowledge.resolved(search.variable_names())
    for state, _ in iterate(search):
        assert state.best_parents is None or rules.violations(state.best_parents) == ()


def test_at_random_the_model_is_not_taken_and_the_graph_stays():
    table = cancer_table("mar")
    plain, more = best_state(table), best_state(table, **ON)
    assert more.best_mechanism == ()
    assert (more.best, more.best_parents) == (plain.best, plain.best_parents)


def test_not_at_random_the_model_is_taken_and_the_graph_is_nearer():
    net = bnlab.load_network("child")
    table = incomplete_table(net, {"mechanism": "mnar", "share": 0.2, "sample": 1})[1].take(slice(1000))
    plain, more = (best_state(table, learner="hill-climbing", **options) for options in ({}, ON))
    assert plain.best_mechanism == ()
    assert len(more.best_mechanism) == 20
    assert more.best > plain.best + 50
    distance = [compare(Dag(table.names, state.best_parents), net.dag).shd_cpdag for state in (plain, more)]
    assert distance[1] < distance[0]
    # Rare states are missing up to four times as often.
    cause = net.names.index("LVH")
    assert more.best_mechanism[cause][:, 1] == pytest.approx(true_chances(net, table, cause), abs=0.1)


def true_chances(net, table, i):
    complete = net.sample(table.n_rows, seed=1)
    return [
        float((table.column(i) == table.arities[i])[complete.column(i) == k].mean()) for k in range(table.arities[i])
    ]
