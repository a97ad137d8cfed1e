"""The consistent k-graph classifier: between naive Bayes (k = 0) and beyond the TAN, as a scikit-learn estimator."""

from itertools import combinations, pairwise, product

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline

import bnlab
from bnlab.classifiers import TAN, CkG, NaiveBayes
from bnlab.data import MDLDiscretizer
from bnlab.data.uci import layouts, read_uci
from bnlab.learners.with_class import with_class
from bnlab.scores import local_scores

EVERY_SCORE = ["ll", "aic", "bic", "mdl", "nml", "mit", "k2", "bdeu"]


def path_to_root(tan, attribute):
    """Attributes on the path from the root of a TAN's tree to one of them."""
    above = [p for p in tan.dag_.parents[attribute] if p != len(tan.dag_) - 1]
    return {above[0], *path_to_root(tan, above[0])} if above else set()


@pytest.mark.parametrize("score", EVERY_SCORE)
@pytest.mark.parametrize("order", ["path", "bfs", "search"])
def test_without_further_parents_it_is_naive_bayes(weather, score, order):
    X, y = weather
    ours, bayes = CkG(0, score, order=order).fit(X, y), NaiveBayes().fit(X, y)
    assert ours.dag_ == bayes.dag_
    assert (ours.predict(X) == bayes.predict(X)).all()
    assert (ours.predict_proba(X) == bayes.predict_proba(X)).all()


@pytest.mark.parametrize("score", EVERY_SCORE)
@pytest.mark.parametrize("k", [1, 2, 5])
def test_no_other_classifier_along_the_tans_paths_scores_more(weather, score, k):
    X, y = weather
    tan, found = TAN(score).fit(X, y), CkG(k, score).fit(X, y)
    phi = with_class(local_scores(bnlab.load_data(X.assign(season=y)), score), 4)
    paths = [path_to_root(tan, attribute) for attribute in range(4)]
    families = [[f for size in range(k + 1) for f in combinations(sorted(path), size)] for path in paths]
    best = max(sum(phi(i, f) for i, f in enumerate(graph)) for graph in product(*families))
    learned = [tuple(p for p in parents if p != 4) for parents in found.dag_.parents[:4]]
    assert all(set(parents) <= path for parents, path in zip(learned, paths, strict=True))
    assert sum(phi(i, f) for i, f in enumerate(learned)) == pytest.approx(best, rel=1e-12)
    assert found.dag_.parents[4] == ()
    assert all(4 in parents for parents in found.dag_.parents[:4])


def test_larger_classes_score_no_less(weather):
    X, y = weather
    table = bnlab.load_data(X.assign(season=y))
    for score in EVERY_SCORE:
        scores = [
            bnlab.score(classifier.fit(X, y).dag_, table, score)
            for classifier in (TAN(score), CkG(1, score), CkG(2, score), CkG(2, score, order="bfs"))
        ]
        assert all(later >= earlier - 1e-7 for earlier, later in pairwise(scores))
        searched = CkG(2, score, order="search").fit(X, y)
        assert bnlab.score(searched.dag_, table, score) >= scores[-1] - 1e-7


def test_five_pseudo_rows_are_spread_as_the_attributes_frequencies():
    X = pd.DataFrame({"a": [0, 0, 1, 0, 1, 1, 1], "b": [0, 0, 1, 1, 0, 0, 0]})
    classifier = CkG(1, "ll", smoothing=5).fit(X, ["n"] * 3 + ["p"] * 4)
    assert classifier.dag_.parents == ((2,), (0, 2), ())
    a, b, label = classifier.network_.cpts
    np.testing.assert_allclose(a[0], [(2 + 5 * 3 / 7) / (3 + 5), (1 + 5 * 4 / 7) / (3 + 5)])
    np.testing.assert_allclose(b[0, 0], [(2 + 5 * 5 / 7) / (2 + 5), (0 + 5 * 2 / 7) / (2 + 5)])
    np.testing.assert_allclose(label, [3 / 7, 4 / 7])


def test_a_parity_needs_two_parents():
    X = pd.DataFrame(list(product([0, 1], repeat=3)) * 3, columns=["a", "b", "c"])
    parity = X.sum(axis=1) % 2
    accuracy = [CkG(k, "ll", order="bfs").fit(X, parity).score(X, parity) for k in (0, 1, 2, 9)]
    assert accuracy == [0.5, 0.5, 1.0, 1.0]


def test_scikit_learns_tools_work(weather):
    X, y = weather
    assert clone(CkG(3, "nml", order="bfs", smoothing="laplace")).get_params() == {
        "k": 3,
        "score": "nml",
        "order": "bfs",
        "score_params": None,
        "smoothing": "laplace",
        "ties": "first",
        "seed": 0,
        "knowledge": None,
    }
    assert len(cross_val_score(CkG(), X, y, cv=3)) == 3
    search = GridSearchCV(CkG(), {"k": [0, 1, 2], "score": ["ll", "mdl", "k2"]}, cv=2).fit(X, y)
    assert search.best_params_.keys() == {"k", "score"}
    assert len(search.cv_results_["params"]) == 9
    assert "k=3" in repr(CkG(3))


def test_continuous_attributes_pass_through_a_discretizer_in_a_pipeline(weather):
    X, y = weather
    rng = np.random.default_rng(0)
    warmth = pd.DataFrame({"warmth": y.map({"autumn": 9, "spring": 12, "winter": 0}) + rng.normal(size=300)})
    pipeline = make_pipeline(MDLDiscretizer(), CkG(2, "mdl"))
    X = X[["rain"]].join(warmth)
    assert cross_val_score(pipeline, X, y, cv=3).mean() > 0.8
    search = GridSearchCV(pipeline, {"ckg__k": [0, 2], "ckg__score": ["ll", "mdl"]}, cv=2).fit(X, y)
    assert search.best_score_ > 0.8
    assert pipeline.fit(X, y).score(X, y) == (pipeline.predict(X) == y).mean()


def test_the_seed_is_that_of_the_search_over_orders(weather):
    X, y = weather
    first, again = (CkG(2, "k2", order="search", seed=3).fit(X, y) for _ in range(2))
    assert first.dag_ == again.dag_


@pytest.mark.parametrize("smoothing", ["none", "laplace", 5])
def test_states_never_seen_say_nothing(weather, smoothing):
    X, y = weather
    classifier = CkG(3, "ll", order="bfs", smoothing=smoothing).fit(X, y)
    odd = pd.DataFrame({"rain": [7, 0], "grass": ["mown", "dry"], "wind": ["calm", None], "mud": [True, False]})
    assert np.isfinite(classifier.predict_proba(odd)).all()
    nothing = pd.DataFrame({"rain": [7], "grass": ["mown"], "wind": ["tornado"], "mud": ["?"]})
    prior = NaiveBayes(smoothing=smoothing).fit(X, y).network_.cpts[-1]
    np.testing.assert_allclose(classifier.predict_proba(nothing)[0], prior)


def test_parent_configurations_that_are_too_many_to_list_are_searched(weather, monkeypatch):
    X, y = weather
    listed, searched = CkG(3, "ll", order="bfs"), CkG(3, "ll", order="bfs")
    listed.fit(X[:20], y[:20])
    monkeypatch.setattr("bnlab.classifiers.augmented._MOST_ROWS", 0)
    searched.fit(X[:20], y[:20])
    rows = pd.concat([X, X.assign(rain=7), X.assign(grass="mown", wind="tornado")])
    np.testing.assert_array_equal(searched.predict_proba(rows), listed.predict_proba(rows))
    seen = X[:20].drop_duplicates()
    assert len(X.drop_duplicates()) > len(seen)


@pytest.mark.parametrize(
    ("classifier", "change", "error", "message"),
    [
        (CkG(-1), {}, ValueError, "k=-1: it must be at least 0"),
        (CkG(1.5), {}, TypeError, "k=1.5 is not an integer"),
        (CkG("2"), {}, TypeError, "k='2'"),
        (CkG(order="depth"), {}, ValueError, "order='depth': did you mean 'path'"),
        (CkG(score="bdue"), {}, ValueError, "did you mean"),
        (CkG(score="k2", score_params={"ess": 1}), {}, ValueError, "no parameter 'ess'"),
        (CkG(order="search", seed=-1), {}, ValueError, "seed=-1"),
        (CkG(smoothing=-5), {}, ValueError, "-5"),
        (CkG(), {"y": None}, ValueError, "requires y to be passed"),
        (CkG(), {"y": ["x"] * 300}, ValueError, "one class, 'x': a classifier needs rows of at least two classes"),
        (CkG(), {"y": np.linspace(0, 1, 300)}, ValueError, "label type: continuous.*pandas.qcut"),
        (CkG(), {"y": "class"}, ValueError, "if it names a column, pass X"),
        (CkG(), {"y": np.zeros((300, 2))}, ValueError, "y should be a 1d array"),
        (CkG(), {"y": ["x", "y"]}, ValueError, "each row needs one class"),
        (CkG(), {"height": np.linspace(0, 1, 300)}, ValueError, "discretize"),
    ],
)
def test_bad_input_is_refused_in_words(weather, classifier, change, error, message):
    X, y = weather
    y = change.pop("y", y)
    with pytest.raises(error, match=message):
        classifier.fit(X.assign(**change), y)


def test_the_mdl_rule_chooses_the_network_of_least_description_length():
    data = bnlab.load_network("alarm").sample(300, seed=0).to_pandas()
    X, y = data.drop(columns="HYPOVOLEMIA").iloc[:, :8], data["HYPOVOLEMIA"]
    frame = pd.concat([X, y], axis=1)
    chosen = CkG("mdl", "ll").fit(X, y).dag_
    values = {k: bnlab.score(CkG(k, "ll").fit(X, y).dag_, frame, "mdl") for k in range(4)}
    assert bnlab.score(chosen, frame, "mdl") == pytest.approx(max(values.values()), rel=1e-12)
    assert values[3] < max(values.values())
    with pytest.raises(ValueError, match="k='mdl': take order="):
        CkG("mdl", order="search").fit(X, y)


@pytest.mark.parametrize("name", ["soybean-large", "segment", "glass"])
def test_by_default_attributes_get_further_parents_where_the_bic_refuses_every_one(name):
    frame = read_uci(name)
    columns = list(layouts()[name].numeric)
    X = MDLDiscretizer(columns).fit_transform(frame.drop(columns="class"), frame["class"])
    complete = X.notna().all(axis=1)
    X, y = X[complete], frame["class"][complete]
    further = {score: CkG(2, score).fit(X, y).dag_.edges for score in ("mdl", "nml")}
    assert CkG().fit(X, y).dag_.edges == further["nml"]
    assert len(further["nml"]) >= X.shape[1] + 5
    assert len(further["mdl"]) <= X.shape[1] + 2
