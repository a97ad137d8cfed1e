"""Naive Bayes and TAN as scikit-learn estimators, against independent computations of the same probabilities."""

from functools import partial
from itertools import product

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.naive_bayes import CategoricalNB
from sklearn.pipeline import make_pipeline

import bnlab
from bnlab.classifiers import TAN, NaiveBayes
from bnlab.learners.with_class import with_class
from bnlab.networks.smoothing import Dirichlet
from bnlab.scores import local_scores

EVERY_SCORE = ["ll", "aic", "bic", "nml", "mit", "k2", "bdeu"]


def test_laplace_naive_bayes_equals_scikit_learns(weather):
    X, y = weather
    codes = X.apply(lambda column: column.astype("category").cat.codes)
    ours = NaiveBayes(smoothing="laplace").fit(codes, y)
    # scikit-learn smooths the attributes only; here the class is a node of the network like any other.
    smoothed = (y.value_counts().sort_index() + 1) / (len(y) + 3)
    theirs = CategoricalNB(alpha=1, fit_prior=True, class_prior=smoothed.to_numpy()).fit(codes, y)
    np.testing.assert_allclose(ours.predict_proba(codes), theirs.predict_proba(codes), rtol=1e-10)
    assert ours.classes_.tolist() == theirs.classes_.tolist()


@pytest.mark.parametrize("smoothing", ["laplace", 5])
@pytest.mark.parametrize("score", ["ll", "k2"])
def test_tan_probabilities_are_those_of_its_network(weather, score, smoothing):
    X, y = weather
    classifier = TAN(score, smoothing=smoothing).fit(X, y)
    rows = []
    for label in classifier.classes_:
        data = bnlab.load_data(X.assign(season=pd.Categorical([label] * len(X), categories=classifier.classes_)))
        rows.append(classifier.network_.log_likelihood(data.recoded(classifier.network_.variables)))
    joint = np.column_stack(rows)
    np.testing.assert_allclose(classifier.joint_log_likelihood(X), joint, rtol=1e-10)
    np.testing.assert_allclose(classifier.predict_proba(X).sum(axis=1), 1.0, rtol=1e-12)


@pytest.mark.parametrize("score", EVERY_SCORE)
def test_tan_is_the_best_of_all_trees(weather, score):
    X, y = weather
    tan = TAN(score).fit(X, y)
    table = bnlab.load_data(X.assign(season=y))
    phi = with_class(local_scores(table, score), 4)
    best = max(
        sum(phi(i, () if p == i else (p,)) for i, p in enumerate(parents))
        for parents in product(range(4), repeat=4)
        if is_tree(parents)
    )
    learned = [[p for p in parents if p != 4] for parents in tan.dag_.parents[:4]]
    assert sum(phi(i, tuple(parents)) for i, parents in enumerate(learned)) == pytest.approx(best, rel=1e-12)


def is_tree(parents):
    """Whether pointing at oneself marks exactly one root that every node leads to."""
    if sum(p == i for i, p in enumerate(parents)) != 1:
        return False
    for node in range(len(parents)):
        for _ in parents:
            node = parents[node]
        if parents[node] != node:
            return False
    return True


def test_tan_has_the_class_as_parent_of_all_and_one_other_parent_of_all_but_one(weather):
    X, y = weather
    dag = TAN().fit(X, y).dag_
    assert dag.names == (*X.columns, "season")
    assert dag.parents[4] == ()
    assert all(4 in parents for parents in dag.parents[:4])
    assert sorted(len(parents) for parents in dag.parents) == [0, 1, 2, 2, 2]


def test_a_forest_leaves_out_edges_that_cost_more_than_they_gain(weather):
    X, y = weather
    rng = np.random.default_rng(0)
    noise = X.assign(noise=rng.integers(0, 9, len(X)))
    tree, forest = TAN("bic").fit(noise, y), TAN("bic", spanning=False).fit(noise, y)
    table = bnlab.load_data(noise.assign(season=y))
    assert forest.dag_.parents_of("noise") == ("season",)
    assert forest.dag_.children_of("noise") == ()
    assert bnlab.score(forest.dag_, table, "bic") > bnlab.score(tree.dag_, table, "bic")


def test_values_never_seen_say_nothing(weather):
    X, y = weather
    classifier = NaiveBayes(smoothing=5).fit(X, y)
    row = X.iloc[[0]].copy()
    without = NaiveBayes(smoothing=5).fit(X.drop(columns="wind"), y).predict_proba(row.drop(columns="wind"))
    row["wind"] = "tornado"
    np.testing.assert_allclose(classifier.predict_proba(row), without, rtol=1e-12)
    row["wind"] = None
    np.testing.assert_allclose(classifier.predict_proba(row), without, rtol=1e-12)


@pytest.mark.parametrize("unseen", [["rain"], ["grass"], ["wind", "mud"]])
def test_an_unseen_value_leaves_out_its_attribute_and_those_that_it_is_a_parent_of(weather, unseen):
    X, y = weather
    tan = TAN().fit(X, y)
    net = tan.network_
    out = {*unseen, *(child for parent, child in net.dag.edges if parent in unseen)}
    classes = len(tan.classes_)
    expected = np.tile(net.cpt(net.names[-1]), (len(X), 1))
    for v in [v for v in net.variables[:-1] if v.name not in out]:
        parents = [net.names[p] for p in net.dag.parents[net.names.index(v.name)][:-1]]
        codes = [[net.variables[net.names.index(p)].code(x) for x in X[p]] for p in (*parents, v.name)]
        expected *= np.stack([net.cpt(v.name)[(*codes[:-1], k, codes[-1])] for k in range(classes)], axis=1)
    found = tan.predict_proba(X.assign(**dict.fromkeys(unseen, "never")))
    np.testing.assert_allclose(found, expected / expected.sum(axis=1, keepdims=True), rtol=1e-10)
    assert len(out) > len(unseen) or unseen != ["rain"]


def test_log_probabilities_hold_where_probabilities_are_zero_in_floats():
    n = 350  # 9 to the power of 350 is no float
    X = pd.DataFrame({f"a{i}": [0] * 9 + [1] + [1] * 9 + [0] for i in range(n)})
    classifier = NaiveBayes(smoothing="none").fit(X, ["c"] * 10 + ["d"] * 10)
    row = pd.DataFrame({f"a{i}": [0] for i in range(n)})
    assert classifier.predict_proba(row).tolist() == [[1.0, 0.0]]
    np.testing.assert_allclose(classifier.predict_log_proba(row)[0, 1], -n * np.log(9), rtol=1e-12)
    probable = pd.DataFrame({f"a{i}": [i % 2] for i in range(n)})
    np.testing.assert_allclose(
        classifier.predict_log_proba(probable), np.log(classifier.predict_proba(probable)), atol=1e-9
    )


def test_rows_impossible_under_every_class_follow_the_tie_rule():
    X = pd.DataFrame({"a": [0, 0, 0, 1, 1], "b": [0, 0, 0, 1, 1]})
    y = ["common", "common", "common", "a rare one", "a rare one"]
    impossible = pd.DataFrame({"a": [0], "b": [1]})
    first = NaiveBayes(smoothing="none", ties="first").fit(X, y)
    prior = NaiveBayes(smoothing="none", ties="prior").fit(X, y)
    assert np.isneginf(first.joint_log_likelihood(impossible)).all()
    assert first.predict(impossible).tolist() == ["a rare one"]
    assert prior.predict(impossible).tolist() == ["common"]
    np.testing.assert_allclose(first.predict_proba(impossible), [[0.5, 0.5]])
    np.testing.assert_allclose(prior.predict_proba(impossible), [[0.4, 0.6]])


def test_declared_states_and_classes_count_even_when_unseen(weather):
    X, y = weather
    y = y.astype(pd.CategoricalDtype(["autumn", "spring", "summer", "winter"]))
    X = X.assign(wind=X.wind.astype(pd.CategoricalDtype(["storm", "breeze", "calm", "hurricane"])))
    classifier = NaiveBayes(smoothing=5).fit(X, y)
    assert classifier.classes_.tolist() == ["autumn", "spring", "summer", "winter"]
    assert classifier.network_.variables[2].arity == 4
    assert "summer" not in set(classifier.predict(X))


def test_columns_are_found_by_name_at_prediction(weather):
    X, y = weather
    classifier = TAN().fit(X, y)
    with pytest.raises(ValueError, match="feature names"):
        classifier.predict(X.rename(columns={"wind": "gale"}))
    with pytest.raises(ValueError, match="expecting 1 features"):
        NaiveBayes().fit(X[["rain"]].to_numpy(), y).predict([[0, 1]])


def test_arrays_work_as_well_as_frames(weather):
    X, y = weather
    codes = X.apply(lambda column: column.astype("category").cat.codes)
    from_frame = TAN().fit(codes, y).predict(codes)
    assert (TAN().fit(codes.to_numpy(), y).predict(codes.to_numpy(dtype=float)) == from_frame).all()


def test_scikit_learns_tools_work(weather):
    X, y = weather
    assert clone(TAN("nml", smoothing="laplace")).get_params()["score"] == "nml"
    assert len(cross_val_score(TAN("k2"), X, y, cv=3)) == 3
    search = GridSearchCV(TAN(), {"score": ["ll", "bdeu"], "smoothing": [5, "none"]}, cv=2).fit(X, y)
    assert search.best_params_["score"] in {"ll", "bdeu"}
    pipeline = make_pipeline(TAN("bdeu", score_params={"ess": 4})).fit(X, y)
    assert pipeline.score(X, y) == (pipeline.predict(X) == y).mean()
    assert "score='k2'" in repr(TAN("k2"))


def test_a_smoothing_object_is_taken_as_it_is(weather):
    X, y = weather
    ours = NaiveBayes(smoothing=Dirichlet(1.0)).fit(X, y).predict_proba(X)
    assert (ours == NaiveBayes(smoothing="laplace").fit(X, y).predict_proba(X)).all()


@pytest.mark.parametrize(
    ("classifier", "change", "message"),
    [
        (NaiveBayes(smoothing="much"), {}, 'use "none", "laplace"'),
        (NaiveBayes(ties="random"), {}, "'first'"),
        (TAN("bdue"), {}, "did you mean"),
        (TAN("bdeu", score_params={"ess": -1}), {}, "ess"),
        (TAN("mit", score_params={"alpha": 2}), {}, "alpha"),
        (TAN(), {"y": ["x"] * 300}, "at least two classes"),
        (TAN(), {"y": ["x", "y"]}, "each row needs one class"),
        (TAN(), {"height": np.linspace(0, 1, 300)}, "discretize"),
        (TAN(), {"season": ["x"] * 300}, "is called 'season'"),
        (TAN(), {"wind": [None] * 300}, "missing in every row"),
    ],
)
def test_bad_input_is_refused_in_words(weather, classifier, change, message):
    X, y = weather
    y = change.pop("y", y)
    with pytest.raises(ValueError, match=message):
        classifier.fit(X.assign(**change), y)


@pytest.mark.parametrize(
    "make",
    [
        bnlab.TAN,
        partial(bnlab.TAN, "bdeu", spanning=False),
        bnlab.CkG,
        partial(bnlab.CkG, "mdl"),
        partial(bnlab.CkG, order="bfs"),
        partial(bnlab.CkG, order="search"),
    ],
)
def test_a_constant_attribute_has_the_class_alone_and_the_others_are_as_without_it(make):
    rng = np.random.default_rng(3)
    X = pd.DataFrame(rng.integers(0, 3, (150, 4)), columns=list("abcd")).astype(str)
    X["b"] = np.where(rng.random(150) < 0.7, X["a"], X["b"])
    y = X["a"].to_numpy() == X["c"].to_numpy()
    constant = X.assign(site="north", shift=pd.Categorical(["day"] * 150, categories=["day", "night"]))
    with_them, without = make().fit(constant[["site", *"abcd", "shift"]], y), make().fit(X, y)
    assert [with_them.dag_.parents_of(name) for name in ("site", "shift")] == [("class",), ("class",)]
    assert {edge for edge in with_them.dag_.edges if edge[1] not in ("site", "shift")} == set(without.dag_.edges)


def test_values_of_another_type_are_the_same_states() -> None:
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"size": rng.integers(0, 3, 60), "old": rng.random(60) < 0.5})
    fitted = NaiveBayes().fit(X, np.where(rng.random(60) < 0.3, X["size"] > 0, X["old"]))
    wanted = fitted.predict_proba(X)
    for kind in (str, object, "category", "string"):
        assert fitted.predict_proba(X.astype(kind)).tolist() == wanted.tolist()
    for kind in (float, "Int8", pd.SparseDtype("int64")):
        assert fitted.predict_proba(X.astype({"size": kind})).tolist() == wanted.tolist()


@pytest.mark.parametrize("number", [np.int64(5), np.float32(5), np.float64(5)])
def test_numbers_of_numpy_smooth_like_others(number: np.number) -> None:
    X, y = pd.DataFrame({"a": [0, 1, 1, 0], "b": list("xyxx")}), [0, 1, 1, 0]
    assert (
        NaiveBayes(smoothing=number).fit(X, y).predict_proba(X).tolist()
        == NaiveBayes().fit(X, y).predict_proba(X).tolist()
    )
    assert GridSearchCV(NaiveBayes(), {"smoothing": np.arange(1, 3)}, cv=2).fit(X, y).best_score_ >= 0
