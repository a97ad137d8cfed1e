"""Cross-validation of learners, against loops by hand and scikit-learn's measures."""

from __future__ import annotations

import pickle

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from sklearn import metrics

import bnlab
from bnlab.analysis import Recipe, cross_validate
from bnlab.analysis.validation import Candidate, CrossValidationSearch
from bnlab.analysis.validation_result import corrected_interval, wilson
from bnlab.data import Table, five_fold
from bnlab.graphs import Dag, essential_graph
from bnlab.graphs.confidence import arcs_of
from bnlab.networks import BDeuPrior, MaximumLikelihood, asia, fit
from bnlab.search import iterate

LEARNERS = ["chow-liu", "hill-climbing"]


@pytest.fixture(scope="module")
def table() -> Table:
    return asia().sample(203, seed=5)


@pytest.fixture(scope="module")
def found(table: Table) -> bnlab.analysis.CrossValidation:
    return cross_validate(table, LEARNERS, target="dysp", folds=4, repeats=2, seed=3)


def splits(table: Table) -> list[tuple[np.ndarray, np.ndarray]]:
    labels = table.column("dysp")
    return [each for seed in (3, 4) for each in five_fold(203, seed, labels, 4, every_row=True)]


def test_every_learner_learns_anew_in_every_fold_and_predicts_each_row_once_a_repeat(table, found) -> None:
    for learner in LEARNERS:
        logs, shares = np.full((2, 203), np.nan), np.full((2, 203, 2), np.nan)
        for number, (train, test) in enumerate(splits(table)):
            dag = bnlab.learn(table.take(train), learner)
            assert found.graphs[learner][number] == dag
            net = fit(dag, table.take(train), BDeuPrior(1.0))
            assert np.isnan(logs[number // 4, test]).all()
            logs[number // 4, test] = net.log_likelihood(table.take(test))
            shares[number // 4, test] = net.predict_proba(table.take(test), "dysp")
        np.testing.assert_array_equal(found.log_likelihoods[learner], logs)
        np.testing.assert_array_equal(found.probabilities[learner], shares)


def test_a_learner_never_sees_the_rows_of_its_fold_and_always_all_states() -> None:
    frame = pd.DataFrame({"row": [f"r{i}" for i in range(30)], "x": list("ab") * 15, "y": list("abb") * 10})
    table = bnlab.load_data(frame.astype("category"))
    seen = []

    def learner(part: Table) -> Dag:
        assert part.arities == table.arities
        seen.append(set(part.to_pandas()["row"]))
        return Dag.from_edges(part.names, [("x", "y")])

    result = cross_validate(table, learner, folds=3)
    for fold, rows in enumerate(seen):
        own = set(frame["row"][result.fold_of[0] == fold])
        assert own | rows == set(frame["row"])
        assert not own & rows
    assert np.isfinite(result.log_likelihoods["learner"]).all()


def test_measures_are_those_of_scikit_learn(table, found) -> None:
    truth = table.column("dysp").astype(int)
    for (learner, repeat, fold), row in found.measures().iterrows():
        test = found.fold_of[repeat] == fold
        own, shares = truth[test], found.probabilities[learner][repeat, test]
        assert row["accuracy"] == metrics.accuracy_score(own, shares.argmax(axis=1))
        assert row["log_loss"] == pytest.approx(metrics.log_loss(own, shares, labels=[0, 1]))
        assert row["brier"] == pytest.approx(2 * metrics.brier_score_loss(own, shares[:, 1]))
        assert row["auc"] == pytest.approx(metrics.roc_auc_score(own, shares[:, 1]))
        assert row["log_likelihood"] == pytest.approx(found.log_likelihoods[learner][repeat, test].mean())


def test_the_table_has_means_and_paired_differences_with_corrected_intervals(found) -> None:
    frame, summary = found.measures(), found.summary(confidence=0.9)
    for measure in ("log_likelihood", "brier", "edges"):
        tree, climbed = (frame[measure].xs(name).to_numpy() for name in LEARNERS)
        row = summary.loc[measure, "hill-climbing"]
        assert row["mean"] == pytest.approx(climbed.mean())
        gaps = climbed - tree
        error = gaps.std(ddof=1) * np.sqrt(1 / 8 + 1 / 3)
        low, high = stats.t.interval(0.9, 7, gaps.mean(), error)
        assert [row["difference_low"], row["difference_high"]] == pytest.approx([low, high])
        assert row["p"] == pytest.approx(2 * stats.t.sf(abs(gaps.mean()) / error, 7))
        assert (summary.loc[measure, "chow-liu"][["difference", "p"]] == [0, 1]).all()
    other = found.summary("hill-climbing", confidence=0.9)
    np.testing.assert_allclose(
        other.xs("chow-liu", level="learner")["difference"], -summary.xs("hill-climbing", level="learner")["difference"]
    )


def test_intervals_without_enough_values_are_not_known() -> None:
    assert corrected_interval(np.array([np.nan, 3.0]), 5, 0.95)[:2] == pytest.approx((3.0, np.nan), nan_ok=True)
    assert np.isnan(corrected_interval(np.array([-np.inf, 3.0]), 5, 0.95).low)
    assert np.isnan(corrected_interval(np.array([2.0, 2.0]), 5, 0.95).p)


def test_the_interval_of_a_share_is_that_of_scipy() -> None:
    for hits, rows in ((0, 7), (3, 10), (10, 10)):
        interval = stats.binomtest(hits, rows).proportion_ci(method="wilson")
        assert wilson(hits / rows, rows) == pytest.approx(interval, abs=1e-12)


def test_curves_are_those_of_all_held_out_rows(table, found) -> None:
    hits = np.tile(table.column("dysp") == table.variables[7].code("yes"), 2)
    k = table.variables[7].code("yes")
    curves, bins = found.roc("yes"), found.calibration("yes", bins=5)
    for learner in LEARNERS:
        shares = found.probabilities[learner][..., k].ravel()
        for row in curves[curves.learner == learner].itertuples():
            called = shares >= row.threshold
            assert row.true_positive_rate == pytest.approx((called & hits).sum() / hits.sum())
            assert row.false_positive_rate == pytest.approx((called & ~hits).sum() / (~hits).sum())
        own = bins[bins.learner == learner]
        assert own["rows"].sum() == 203
        for row in own.itertuples():
            lower = np.floor(row.predicted * 5) / 5
            inside = (shares >= lower) & (shares < lower + 0.2)
            assert row.observed == pytest.approx(hits[inside].mean())
            assert row.predicted == pytest.approx(shares[inside].mean())


def test_the_stability_of_edges_counts_open_directions_half(found) -> None:
    for learner in LEARNERS:
        expected = np.mean([arcs_of(essential_graph(dag)) for dag in found.graphs[learner]], axis=0)
        np.testing.assert_allclose(found.stability(learner).arcs, expected)
    assert found.stability().graphs == 8
    known = bnlab.Knowledge(required=[("smoke", "bronc")])
    data = bnlab.load_network("asia").sample(300, seed=1)
    result = cross_validate(data, "chow-liu", folds=2, knowledge=known)
    u, v = data.names.index("smoke"), data.names.index("bronc")
    assert (result.stability().arcs[u, v], result.stability().arcs[v, u]) == (1, 0)


def test_recipes_graphs_functions_and_the_default_learner_are_compared(table) -> None:
    graph = Dag.from_edges(table.names, [("smoke", "lung")])
    learners = {
        "recipe": Recipe("hill-climbing", "bdeu", {"ess": 4}),
        "graph": graph,
        "function": lambda part: bnlab.learn(part, "hill-climbing", score="bdeu", ess=4),
        "named": "hill-climbing",
        "recommended": None,
    }
    result = cross_validate(table, learners, score="bdeu", ess=4, folds=3)
    assert result.graphs["recipe"] == result.graphs["function"] == result.graphs["named"]
    assert set(result.graphs["graph"]) == {graph}
    assert result.target is None
    assert set(result.measures().columns) == {"log_likelihood", "edges"}
    assert cross_validate(table, folds=2).learners == ("default",)
    assert cross_validate(table, Recipe("chow-liu"), folds=2).learners == ("chow-liu",)
    assert cross_validate(table, graph, folds=2).learners == ("graph",)


def test_missing_values_are_learned_and_predicted_where_present(table) -> None:
    frame = table.head(100).to_pandas().astype(object)
    frame.iloc[::7, 7] = None
    frame.iloc[::5, 2] = None
    gaps = bnlab.load_data(frame, missing="keep")
    graph = Dag.from_edges(gaps.names, [("bronc", "dysp")])
    result = cross_validate(gaps, {"em": None, "graph": graph}, target="dysp", folds=2, rounds=1, draws=1)
    assert np.isfinite(result.log_likelihoods["em"]).all()
    test = result.fold_of[0] == 0
    net = fit(graph, gaps.take(~test), BDeuPrior(1.0))
    np.testing.assert_allclose(result.log_likelihoods["graph"][0, test], net.log_likelihood(gaps.take(test)))
    known = test & (result.truth < 2)
    right = result.probabilities["graph"][0, known].argmax(axis=1) == result.truth[known]
    assert result.measures().loc[("graph", 0, 0), "accuracy"] == right.mean()
    assert result.calibration("yes")["rows"].sum() == 2 * (gaps.column("dysp") < 2).sum()


def test_rows_that_a_network_excludes_have_no_interval(table) -> None:
    dense = Dag.from_edges(table.names, [("asia", "tub"), ("tub", "xray"), ("lung", "xray"), ("smoke", "xray")])
    result = cross_validate(table, {"dense": dense}, smoothing=MaximumLikelihood(), folds=10)
    assert np.isneginf(result.log_likelihoods["dense"]).any()
    assert np.isnan(result.summary().loc[("log_likelihood", "dense"), "low"])


def test_a_search_goes_on_from_a_stored_state(table) -> None:
    candidates = {name: Candidate(Recipe(name).learn) for name in LEARNERS}
    search = CrossValidationSearch(table, candidates, "lung", folds=3)
    states = [state for state, _ in iterate(search)]
    assert [len(state) for state in states] == [1, 2, 3, 4, 5, 6]
    with pytest.raises(ValueError, match="2 of 6 folds are done"):
        search.result(states[1])
    resumed = [state for state, _ in iterate(search, pickle.loads(pickle.dumps(states[2])))][-1]
    pd.testing.assert_frame_equal(search.result(resumed).measures(), search.result(states[-1]).measures())


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"learner": "bos"}, "boss"),
        ({"learner": []}, "no learner to validate"),
        ({"learner": "boss", "restart": 1}, "restarts"),
        ({"target": "lungs"}, "did you mean 'lung'"),
        ({"folds": 1}, "k=1 folds"),
        ({"repeats": 0}, "repeats=0"),
        ({"learner": Recipe(), "max_parents": 2}, "'max_parents' is for algorithms given by name"),
        ({"learner": Recipe(), "score": "bic"}, "'score' is for algorithms given by name"),
    ],
)
def test_wrong_arguments_are_refused_before_any_work(table, options, message) -> None:
    with pytest.raises(ValueError, match=message):
        cross_validate(table, **options)


def test_what_is_no_learner_target_or_state_is_refused(table, found) -> None:
    with pytest.raises(TypeError, match="learner 'edges' is of type list: give the name of an algorithm"):
        cross_validate(table, {"edges": [("smoke", "lung")]})
    set_some = table.with_interventions(["smoke"] * 100 + [""] * 103)
    assert np.isfinite(cross_validate(set_some, "hill-climbing").log_likelihoods["hill-climbing"]).all()
    with pytest.raises(ValueError, match="Leave out the target"):
        cross_validate(set_some, "hill-climbing", target="lung")
    with pytest.raises(ValueError, match="there is no target"):
        cross_validate(table, "chow-liu", folds=2).roc("yes")
    with pytest.raises(ValueError, match="state='maybe': the states of 'dysp' are 'yes', 'no'"):
        found.calibration("maybe")
    with pytest.raises(ValueError, match="bins=0"):
        found.calibration("yes", bins=0)
    with pytest.raises(ValueError, match="confidence=95"):
        found.summary(confidence=95)
    with pytest.raises(ValueError, match="'boss' is no learner"):
        found.summary("boss")
