"""Scikit-learn's own checks of an estimator, and what they leave open for discrete data."""

import numpy as np
import pandas as pd
import pytest
import sklearn
from scipy.sparse import csr_array
from sklearn.exceptions import DataConversionWarning
from sklearn.utils.estimator_checks import parametrize_with_checks
from sklearn.utils.fixes import parse_version

from bnlab.classifiers import TAN, CkG, NaiveBayes

NOT_AS_EXPECTED = {
    "check_estimators_nan_inf": "training refuses missing values, prediction sums over them",
}
if parse_version(sklearn.__version__) < parse_version("1.7.2"):
    NOT_AS_EXPECTED["check_positive_only_tag_during_fit"] = "the check takes a mean from whole numbers in place"


@parametrize_with_checks(
    [NaiveBayes(), TAN(), CkG(), CkG(3, "k2", order="search")],
    expected_failed_checks=lambda estimator: NOT_AS_EXPECTED,
)
def test_scikit_learn_finds_no_fault(estimator, check):
    check(estimator)


@pytest.mark.parametrize("classifier", [NaiveBayes(), TAN(), CkG()])
def test_training_refuses_missing_values(classifier):
    with pytest.raises(ValueError, match="missing"):
        classifier.fit(pd.DataFrame({"a": [0, 1, None], "b": [0, 1, 1]}, dtype="Int64"), [0, 1, 1])
    for hole in (np.nan, np.inf):
        with pytest.raises(ValueError, match="continuous"):
            classifier.fit(np.array([[0.0, 1.0], [hole, 0.0], [1.0, 1.0]]), [0, 1, 1])


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
