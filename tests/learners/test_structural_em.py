"""Structural expectation-maximisation: against learners on complete rows, and other treatments of missing values."""

import pytest

import bnlab
from bnlab.counts import count_source
from bnlab.data import remove_values
from bnlab.graphs import Dag, compare
from bnlab.learners import StructuralEM, make_search
from bnlab.networks import asia, cancer
from bnlab.papers.studies.missing_values import incomplete_table
from bnlab.scores import PNAL, local_scores
from bnlab.search import Search, iterate, run
from tests.networks.gaps import with_gaps


@pytest.mark.parametrize(
    ("learner", "options"),
    [
        ("hill-climbing", {"max_parents": 3, "seed": 3}),
        ("hill-climbing", {"score": "bdeu", "ess": 4}),
        ("chow-liu", {}),
        ("branching", {"score": "nml"}),
        ("ckg", {"k": 2, "score": "mit"}),
        ("boss", {"restarts": 2, "score": "aic"}),
        ("k2", {}),
        ("exact", {"max_parents": 2}),
        ("ordering-search", {"k": 2, "restarts": 2}),
    ],
)
def test_on_complete_rows_the_graph_is_that_of_the_learner(learner, options):
    table = asia().sample(400, seed=2)
    assert bnlab.learn(table, "structural-em", learner=learner, draws=2, **options) == bnlab.learn(
        table, learner, **options
    )


def test_the_graph_fits_the_complete_data_better_than_those_of_complete_rows_or_a_missing_state():
    net = bnlab.load_network("child")
    complete = net.sample(2000, seed=1)
    table = with_gaps(complete, 0.2, seed=1)
    frame = table.to_pandas()
    graph = bnlab.learn(table, "structural-em", learner="hill-climbing", ties="columns")
    same = bnlab.learn(complete, "hill-climbing", ties="columns")
    for missing in ("drop", "state"):
        other = bnlab.learn(bnlab.load_data(frame, missing=missing), "hill-climbing")
        assert bnlab.score(other, complete) < bnlab.score(graph, complete)
    assert bnlab.score(graph, complete) > 1.01 * bnlab.score(same, complete)
    assert compare(graph, net.dag).shd <= 1.5 * compare(same, net.dag).shd


@pytest.mark.parametrize(
    ("network", "mechanism", "sample", "how"),
    [("cancer", "mar", 2, "fill"), ("child", "mnar", 3, "state")],
)
def test_the_score_is_at_least_that_of_the_graph_of_single_imputation_or_a_missing_state(
    network, mechanism, sample, how
):
    net = bnlab.load_network(network)
    table = incomplete_table(net, {"mechanism": mechanism, "share": 0.4, "sample": sample})[1].take(slice(1000))
    frame = table.to_pandas()
    if how == "fill":
        frame = frame.fillna({name: frame[name].mode()[0] for name in frame})
    treated = bnlab.learn(bnlab.load_data(frame, missing="state"), "hill-climbing")
    only = bnlab.Knowledge(required=treated.edges, within=treated)
    nearly = 2.0  # nats that the few iterations of the parameters in a round may leave
    assert _best(table) >= _best(table, knowledge=only) - nearly


def test_of_few_variables_it_finds_a_graph_as_good_as_the_true_one_which_its_runs_alone_do_not():
    net = bnlab.load_network("earthquake")
    table = incomplete_table(net, {"mechanism": "mar", "share": 0.1, "sample": 1})[1]
    only = bnlab.Knowledge(required=net.dag.edges, within=net.dag)
    true = _best(table, learner="exact", knowledge=only)
    search = make_search(table, "structural-em", learner="exact")
    states = [state for state, _ in iterate(search)]
    four_runs = next(state for state in states if state.run == 4)
    assert four_runs.best < true - 2.0
    assert states[-1].best >= true - 2.0


def test_of_few_variables_it_drops_the_edges_that_the_counts_show_though_the_observed_values_do_not():
    net = bnlab.load_network("survey")
    table = incomplete_table(net, {"mechanism": "mar", "share": 0.4, "sample": 5})[1].take(slice(300))
    empty = _best(table, learner="exact", knowledge=bnlab.Knowledge(within=Dag.from_edges(net.names, [])))
    search = make_search(table, "structural-em", learner="exact")
    states = [state for state, _ in iterate(search)]
    four_runs = next(state for state in states if state.run == 4)
    assert four_runs.best < empty - 5.0
    assert states[-1].best >= empty
    assert len(Dag(net.names, states[-1].best_parents).edges) < len(Dag(net.names, four_runs.best_parents).edges)


def _best(table, learner="hill-climbing", **options):
    search = make_search(table, "structural-em", learner=learner, **options)
    return [state for state, _ in iterate(search)][-1].best


def test_the_same_seed_gives_the_same_graph_and_the_search_can_be_watched():
    table = with_gaps(cancer().sample(200, seed=3), 0.2, seed=3)
    search = make_search(table, "structural_EM", learner="branching", seed=4)
    assert isinstance(search, Search)
    state, steps = search.init(), []
    assert Dag(table.names, search.result(state)).edges == ()
    while not search.is_done(state):
        state, progress = search.step(state)
        steps.append(progress)
        assert progress.best_score == state.best
    assert [p.iteration for p in steps if len(p.scores)] == list(range(1, len(steps) - 3))
    assert sum(not len(p.scores) for p in steps) == 4  # each run begins with a graph of its own
    assert Dag(table.names, search.result(state)) == bnlab.learn(table, "structural-em", learner="branching", seed=4)
    once = make_search(table, "structural-em", rounds=1)
    assert sum(state.run <= 4 for state, _ in iterate(once)) == 8  # a start and a round of each run; pairs follow


def test_the_learner_may_be_any_search_over_counts():
    table = with_gaps(cancer().sample(200, seed=3), 0.2, seed=3)
    search = StructuralEM(
        table,
        lambda source: make_search(source, "hill-climbing", score="bdeu", ess=2),
        scores=lambda source: local_scores(source, "bdeu", ess=2),
        seed=1,
    )
    assert run(search) == run(make_search(table, "structural-em", learner="hill-climbing", score="bdeu", ess=2, seed=1))


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"learner": "pc"}, ValueError, "learner='pc'"),
        ({"draws": 0}, ValueError, "draws=0"),
        ({"rounds": 0}, ValueError, "rounds=0"),
        ({"score": "bid"}, ValueError, "score='bid'"),
        ({"depth": 3}, ValueError, "'depth' is no option of 'exact'"),
    ],
)
def test_wrong_options_are_refused_before_any_work(options, error, message):
    table = with_gaps(asia().sample(20, seed=1), 0.2, seed=1)
    with pytest.raises(error, match=message):
        make_search(table, "structural-em", **options)


@pytest.mark.parametrize("algorithm", ["structural-em", "available-cases"])
def test_counts_alone_have_no_missing_values(algorithm):
    with pytest.raises(TypeError, match="give a Table"):
        make_search(count_source(asia().sample(20, seed=1)), algorithm)


@pytest.mark.parametrize("learner", ["hill-climbing", "boss", "branching", "chow-liu", "k2"])
def test_available_cases_of_complete_rows_give_the_graph_of_the_learner(learner):
    table = asia().sample(400, seed=2)
    score = {} if learner == "chow-liu" else {"score": "bic"}
    options = {"learner": learner, **score}
    assert bnlab.learn(table, "available-cases", **options) == bnlab.learn(table, learner, **score)


def test_the_penalty_of_available_cases_leaves_out_false_edges_that_bic_adds():
    net = bnlab.load_network("child")
    table = remove_values(net.sample(2000, seed=1), 0.2, seed=1)
    graph = bnlab.learn(table, "available-cases", learner="hill-climbing")
    assert graph == bnlab.learn(table, "available-cases", learner="hill-climbing", score=PNAL(20))
    by_bic = bnlab.learn(table, "available-cases", learner="hill-climbing", score="bic")
    assert compare(graph, net.dag).fp < compare(by_bic, net.dag).fp


def test_a_table_with_missing_values_is_learned_from_without_naming_an_algorithm(caplog):
    table = with_gaps(bnlab.load_network("earthquake").sample(300, seed=3), 0.2, seed=3)
    with caplog.at_level("INFO", "bnlab"):
        graph = bnlab.learn(table)
    assert graph == bnlab.learn(table, "structural-em", learner="exact", max_parents=4)
    assert graph == bnlab.learn(table, "structural-em")
    assert "structural expectation-maximisation" in caplog.text


def test_every_network_of_a_search_that_is_stopped_agrees_with_knowledge():
    table = with_gaps(asia().sample(300, seed=1), 0.1, seed=1)
    known = bnlab.Knowledge(forbidden=[(u, v) for u in table.names for v in table.names if u != v and u != "either"])
    search = make_search(table, "structural-em", learner="branching", knowledge=known, rounds=2)
    for state, _ in iterate(search):
        assert known.violations(Dag(table.names, search.result(state))) == ()
