"""Prediction with missing values: exact sums over them, against inference in the classifier's network."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

import bnlab
from bnlab.classifiers import TAN, CkG, NaiveBayes
from bnlab.networks import Dirichlet, asia, fit


def attributes_and_class(n, seed):
    frame = asia().sample(n, seed=seed).to_pandas().astype(str)
    return frame.drop(columns="dysp"), frame["dysp"]


@pytest.mark.parametrize(
    "classifier", [NaiveBayes(), TAN(), TAN(smoothing="laplace"), CkG(2), CkG(3, "k2", order="bfs")]
)
@pytest.mark.parametrize("gap", [np.nan, None, pd.NA])
def test_probabilities_are_those_of_the_network_given_the_known_values(classifier, gap):
    X, y = attributes_and_class(400, seed=1)
    fitted = clone(classifier).fit(X, y)
    rng = np.random.default_rng(2)
    holes = rng.random((40, X.shape[1])) < 0.4
    holes[0], holes[1] = True, False
    rows = X.iloc[:40].astype(object).mask(holes, gap)
    found = fitted.predict_proba(rows)
    for probabilities, row in zip(found, rows.to_dict("records"), strict=True):
        np.testing.assert_allclose(probabilities, fitted.network_.marginal("dysp", row), atol=1e-12)
    assert (fitted.classes_[found.argmax(axis=1)] == fitted.predict(rows)).all()
    np.testing.assert_allclose(fitted.predict_log_proba(rows), np.log(found), atol=1e-10)


def test_categoricals_and_arrays_of_numbers_may_have_missing_values():
    X, y = attributes_and_class(400, seed=1)
    numbers = X.apply(lambda column: (column == "yes").astype(float))
    fitted = TAN().fit(numbers.to_numpy(), y)
    holes = np.random.default_rng(3).random(numbers.shape) < 0.3
    rows = np.where(holes, np.nan, numbers.to_numpy())
    as_categories = pd.DataFrame(rows, columns=[f"x{i}" for i in range(rows.shape[1])]).astype("category")
    expected = TAN().fit(X, y).predict_proba(X.mask(holes))
    np.testing.assert_allclose(fitted.predict_proba(rows), expected, atol=1e-12)
    np.testing.assert_allclose(
        TAN().fit(numbers.astype(int), y).predict_proba(as_categories.set_axis(X.columns, axis=1)), expected
    )


def test_a_value_that_training_never_saw_counts_as_missing_beside_a_missing_parent():
    X, y = attributes_and_class(400, seed=1)
    fitted = TAN().fit(X, y)
    row = X.iloc[[0]].astype(object)
    parent = next(X.columns[p[0]] for p in fitted.dag_.parents[:-1] if len(p) > 1)
    other = next(name for name in X.columns if name != parent)
    np.testing.assert_allclose(
        fitted.predict_proba(row.assign(**{parent: np.nan, other: "new"})),
        fitted.predict_proba(row.assign(**{parent: np.nan, other: np.nan})),
    )


@pytest.mark.parametrize("gap", [None, np.nan, pd.NA])
def test_evidence_may_be_missing(gap):
    net = asia()
    np.testing.assert_array_equal(
        net.marginal("lung", {"xray": "yes", "smoke": gap}), net.marginal("lung", {"xray": "yes"})
    )
    np.testing.assert_array_equal(net.marginal("lung", {"lung": gap}), net.marginal("lung"))


@pytest.mark.parametrize("classifier", [NaiveBayes(smoothing="laplace"), TAN(smoothing="laplace")])
def test_training_with_missing_values_gives_the_parameters_of_expectation_maximisation(classifier):
    X, y = attributes_and_class(300, seed=5)
    X = X.astype(object).mask(np.random.default_rng(5).random(X.shape) < 0.2)
    fitted = clone(classifier).fit(X, y)
    table = bnlab.load_data(X.assign(dysp=y), missing="keep")
    expected = fit(fitted.dag_, table, Dirichlet(1))
    for found, other in zip(fitted.network_.cpts, expected.cpts, strict=True):
        np.testing.assert_allclose(found, other, atol=2e-3)
