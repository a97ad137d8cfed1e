"""Scikit-learn's own checks of an estimator, and what they leave open for discrete data."""

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_array
from sklearn.base import clone
from sklearn.exceptions import DataConversionWarning
from sklearn.utils import get_tags
from sklearn.utils.estimator_checks import parametrize_with_checks

from bnlab.classifiers import TAN, CkG, NaiveBayes
from tests.soak import times

NOT_AS_EXPECTED = {
    "check_positive_only_tag_during_fit": "the check takes a mean from the states, which become fractions",
    "check_sample_weight_equivalence_on_dense_data": "the check draws fractions; see tests/carried for discrete data",
}


@parametrize_with_checks(
    [CkG(3, "k2", order="search"), NaiveBayes(), TAN(), CkG()][: times(1, 4)],  # of three classes with one base
    expected_failed_checks=lambda estimator: NOT_AS_EXPECTED,
)
def test_scikit_learn_finds_no_fault(estimator, check):
    check(estimator)


@pytest.mark.parametrize("classifier", [NaiveBayes(), TAN(), CkG()])
def test_missing_values_are_allowed_and_infinite_ones_refused(classifier):
    # What check_estimators_nan_inf asks of estimators that do not declare that they take missing values. Of the others
    # scikit-learn only fits one with missing values and pickles it (check_estimators_pickle).
    assert get_tags(classifier).input_tags.allow_nan
    rows, y = np.array([[0.0, 1.0], [np.nan, 0.0], [1.0, 1.0], [1.0, 0.0]]), [0, 1, 1, 0]
    for as_type in (np.array, pd.DataFrame):
        fitted = clone(classifier).fit(as_type(rows), y)
        found = fitted.predict_proba(as_type(rows))
        assert np.isfinite(found).all()
        np.testing.assert_array_equal(fitted.predict(as_type(rows)), found.argmax(axis=1))
        for bad in (np.inf, -np.inf):
            infinite = as_type(np.where(np.isnan(rows), bad, rows))
            with pytest.raises(ValueError, match="infinity"):
                clone(classifier).fit(infinite, y)
            for method in (fitted.predict, fitted.predict_proba, fitted.predict_log_proba):
                with pytest.raises(ValueError, match="infinity"):
                    method(infinite)


@pytest.mark.parametrize(
    "labels", [[0, 1, None], ["a", "b", None], [0.0, 1.0, np.nan], pd.Categorical(["a", "b", None])]
)
def test_rows_whose_class_is_missing_are_refused(labels):
    with pytest.raises(ValueError, match="class 'class' is missing in 1 row"):
        TAN().fit(pd.DataFrame({"a": [0, 1, 1]}), labels)


def test_whole_numbers_are_labels_and_states_whatever_their_type():
    X = [[0, 1], [1, 0], [1, 1], [0, 0]]
    y = [0, 1, 1, 0]
    expected = NaiveBayes().fit(X, y).predict(X).tolist()
    for as_type in (float, np.int8, np.uint64):
        found = NaiveBayes().fit(np.array(X, dtype=as_type), np.array(y, dtype=as_type)).predict(np.array(X, as_type))
        assert found.tolist() == expected
    assert NaiveBayes().fit(pd.DataFrame(X), pd.Series(y, dtype=float)).predict(pd.DataFrame(X)).tolist() == expected


def test_a_column_of_labels_is_taken_with_a_warning():
    X, y = pd.DataFrame({"a": [0, 1, 1]}), pd.DataFrame({"label": ["n", "p", "p"]})
    with pytest.warns(DataConversionWarning, match="A column-vector y"):
        classifier = NaiveBayes().fit(X, y)
    assert classifier.dag_.names == ("a", "label")
    with pytest.warns(DataConversionWarning):
        assert NaiveBayes().fit(X, y.to_numpy()).dag_.names == ("a", "class")


@pytest.mark.parametrize(
    ("X", "error", "message"),
    [
        (csr_array(np.eye(3)), TypeError, "sparse data .*toarray"),
        (np.eye(3) * 1j, ValueError, "Complex data not supported"),
        (np.empty((3, 0)), ValueError, r"0 feature\(s\)"),
        (np.empty((0, 3)), ValueError, r"0 sample\(s\)"),
        (np.arange(3), ValueError, "Reshape your data"),
    ],
)
def test_what_is_no_matrix_of_states_is_refused_in_words(X, error, message):
    with pytest.raises(error, match=message):
        TAN().fit(X, [0, 1, 1])
