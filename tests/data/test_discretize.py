"""Cuts worked out by hand, by a plain recursion over every cut point, and as Weka prints them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from math import log2

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bnlab.data import load_frame, mdl_cuts, quantile_cuts, width_cuts
from bnlab.data.discretize import interval_names, to_intervals
from tests.soak import times


def entropy(labels: Sequence[int]) -> float:
    return -sum(c / len(labels) * log2(c / len(labels)) for c in Counter(labels).values())


def plain_cuts(rows: list[tuple[float, int]]) -> list[float]:
    """Fayyad and Irani as they describe it, over all midpoints instead of the boundary points."""
    rows = sorted(rows)
    labels = [label for _, label in rows]
    n = len(rows)
    options = []
    for i in range(1, n):
        if rows[i - 1][0] < rows[i][0]:
            average = (i * entropy(labels[:i]) + (n - i) * entropy(labels[i:])) / n
            options.append((round(average, 10), i))
    if not options:
        return []
    _, i = min(options)
    k, k1, k2 = (len(set(part)) for part in (labels, labels[:i], labels[i:]))
    whole, left, right = (entropy(part) for part in (labels, labels[:i], labels[i:]))
    gain = whole - (i * left + (n - i) * right) / n
    delta = log2(3**k - 2) - (k * whole - k1 * left - k2 * right)
    if gain - (log2(n - 1) + delta) / n <= 1e-12:
        return []
    return [*plain_cuts(rows[:i]), (rows[i - 1][0] + rows[i][0]) / 2, *plain_cuts(rows[i:])]


def test_a_cut_worked_out_by_hand() -> None:
    # Ent = 1, Gain = 1, Δ = log2(7) - 2 = 0.807. N = 8: (log2 7 + 0.807) / 8 = 0.452 < 1: cut at 4.5, both sides pure.
    assert mdl_cuts([1, 2, 3, 4, 5, 6, 7, 8], [0, 0, 0, 0, 1, 1, 1, 1]).tolist() == [4.5]
    # N = 4: (log2 3 + 0.807) / 4 = 0.598 < 1. N = 2: (log2 1 + 0.807) / 2 = 0.404 < 1.
    assert mdl_cuts([1, 2, 3, 4], [0, 0, 1, 1]).tolist() == [2.5]
    assert mdl_cuts([1, 2], [0, 1]).tolist() == [1.5]


def test_a_refusal_worked_out_by_hand() -> None:
    # Best cut 0 0 | 1 0 1 1 0 1: Ent(S2) = 0.918, Gain = 1 - 6/8 · 0.918 = 0.311,
    # Δ = log2 7 - (2 - 0 - 2 · 0.918) = 2.644; (log2 7 + 2.644) / 8 = 0.681 > 0.311.
    assert mdl_cuts(range(8), [0, 0, 1, 0, 1, 1, 0, 1]).tolist() == []


def test_cuts_near_the_limit_worked_out_by_hand() -> None:
    # Gain = Ent(4/5) = 0.7219; Δ = log2 7 - 2 · 0.7219; (log2 4 + Δ) / 5 = 0.6727, while log2 5 would give 0.7371.
    assert mdl_cuts(range(5), [1, 1, 1, 1, 0]).tolist() == [3.5]
    # Gain = Ent(1/6) = 0.6500; (log2 5 + log2 7 - 2 · 0.6500) / 6 = 0.6382, while log2 8 would give 0.6703.
    assert mdl_cuts(range(6), [1, 0, 0, 0, 0, 0]).tolist() == [0.5]
    # Gain = Ent(1/4) = 0.8113; (log2 3 + log2 7 - 2 · 0.8113) / 4 = 0.6924.
    assert mdl_cuts(range(4), [1, 0, 0, 0]).tolist() == [0.5]


def test_iris_has_the_cuts_that_weka_prints() -> None:
    iris = load_frame("iris-bezdek")
    cuts = {name: mdl_cuts(iris[name], iris["class"]).round(6).tolist() for name in iris.columns[:-1]}
    assert cuts == {
        "sepal-length": [5.55, 6.15],
        "sepal-width": [2.95, 3.35],
        "petal-length": [2.45, 4.75],
        "petal-width": [0.8, 1.75],
    }


rows = st.integers(2, 4).flatmap(
    lambda k: st.lists(
        st.tuples(st.integers(-6, 6).map(lambda v: v / 4), st.integers(0, k - 1)), min_size=1, max_size=60
    )
)


@given(rows)
@settings(max_examples=times(40, 500))
def test_cuts_equal_those_of_the_plain_recursion(rows: list[tuple[float, int]]) -> None:
    x, y = zip(*rows, strict=True)
    assert mdl_cuts(x, y).tolist() == plain_cuts(rows)


def test_many_cuts_equal_those_of_the_plain_recursion() -> None:
    rng = np.random.default_rng(1)
    x = rng.random(600).round(2)
    y = (x * 7).astype(int) % 3 * (rng.random(600) > 0.1)
    cuts = mdl_cuts(x, y)
    assert len(cuts) >= 5
    assert cuts.tolist() == pytest.approx(plain_cuts(list(zip(x.tolist(), y.tolist(), strict=True))))


def test_the_order_of_rows_and_the_names_of_classes_do_not_matter() -> None:
    iris = load_frame("iris-bezdek")
    x, y = iris["petal-length"], iris["class"]
    order = np.random.default_rng(0).permutation(150)
    assert mdl_cuts(x[order], y[order]).tolist() == mdl_cuts(x, y).tolist()
    assert mdl_cuts(x, y.cat.codes).tolist() == mdl_cuts(x, y.astype(str)).tolist() == mdl_cuts(x, y).tolist()


def test_rows_without_value_or_class_are_left_out() -> None:
    x = [1.0, 2, np.nan, 3, 4, 100, 6, 7, 8, 9]
    y = ["a", "a", "b", "a", "a", None, "b", "b", "b", "b"]
    assert mdl_cuts(x, y).tolist() == [5.0]


@pytest.mark.parametrize(
    ("x", "y"), [([], []), ([1.0], ["a"]), ([np.nan], ["a"]), ([1, 2], ["a", "a"]), ([3, 3], "ab")]
)
def test_nothing_to_cut_is_no_cut(x: list[float], y: Sequence[str]) -> None:
    assert mdl_cuts(x, list(y)).tolist() == []


@pytest.mark.parametrize("low", [1.0, float(np.nextafter(1, 2))])
def test_values_that_neighbour_in_floating_point_are_kept_apart(low: float) -> None:
    high = float(np.nextafter(low, 2))
    cuts = mdl_cuts([low] * 9 + [high] * 9, [0] * 9 + [1] * 9)
    assert to_intervals([low, high], cuts).codes.tolist() == [0, 1]


@pytest.mark.parametrize(
    ("x", "y", "message"),
    [([1, np.inf], [0, 1], "infinite"), ([1, 2], [0], "one value and one class a row"), ([[1], [2]], [0, 1], "shape")],
)
def test_impossible_attributes_are_refused(x: list[float], y: list[int], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        mdl_cuts(x, y)


def test_a_value_equal_to_a_cut_lies_on_its_left() -> None:
    intervals = to_intervals([2.45, 2.46, 4.9, 5.0, np.nan, -np.inf], np.array([2.45, 4.9]))
    assert intervals.categories.tolist() == ["<=2.45", "(2.45, 4.9]", ">4.9"]
    assert intervals.codes.tolist() == [0, 1, 1, 2, -1, 0]
    assert intervals.ordered


def test_names_of_intervals_are_short_but_differ() -> None:
    assert interval_names([0.1 + 0.2]) == ("<=0.3", ">0.3")
    close = [1.0, float(np.nextafter(1.0, 2)), 1.5]
    assert len(set(interval_names(close))) == 4


# MDLDiscretizer


X = pd.DataFrame({"size": [1.0, 2, 3, 4, 6, 7, 8, 9], "n": range(8), "colour": list("rgrgrgrg")})
Y = list("aaaabbbb")


def discretizer(**parameters: object):  # type: ignore[no-untyped-def]
    from bnlab.data import MDLDiscretizer

    return MDLDiscretizer(**parameters)


def test_the_transformer_and_the_function_share_their_cuts() -> None:
    iris = load_frame("iris-bezdek")
    fitted = discretizer().fit(iris.drop(columns="class"), iris["class"])
    assert {name: cuts.tolist() for name, cuts in fitted.cuts_.items()} == {
        name: mdl_cuts(iris[name], iris["class"]).tolist() for name in iris.columns[:-1]
    }


def test_columns_that_are_no_floats_pass_through_unless_named() -> None:
    out = discretizer().fit_transform(X, Y)
    assert out["size"].tolist() == ["<=5"] * 4 + [">5"] * 4
    pd.testing.assert_frame_equal(out[["n", "colour"]], X[["n", "colour"]])
    named = discretizer(columns=["n"]).fit_transform(X, Y)
    assert named["n"].tolist() == ["<=3.5"] * 4 + [">3.5"] * 4
    pd.testing.assert_frame_equal(named[["size", "colour"]], X[["size", "colour"]])


def test_new_rows_have_the_intervals_of_fit() -> None:
    new = pd.DataFrame({"size": [-100.0, np.nan], "n": [0, 0], "colour": ["r", "r"]}, index=[7, 3])
    out = discretizer().fit(X, Y).transform(new)
    assert out["size"].cat.categories.tolist() == ["<=5", ">5"]
    assert out["size"].cat.codes.tolist() == [0, -1]
    assert out.index.tolist() == [7, 3]
    assert new["size"].dtype == float


def test_arrays_get_names() -> None:
    fitted = discretizer().fit(X[["size"]].to_numpy(), Y)
    assert fitted.get_feature_names_out().tolist() == ["x0"]
    assert fitted.transform([[5.5]])["x0"].tolist() == [">5"]


def test_it_is_cloned_and_cross_validated_in_a_pipeline() -> None:
    from sklearn.base import clone
    from sklearn.model_selection import cross_val_score
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import OneHotEncoder
    from sklearn.tree import DecisionTreeClassifier

    assert clone(discretizer(columns=["n"])).columns == ["n"]
    iris = load_frame("iris-bezdek")
    pipeline = make_pipeline(
        discretizer(), OneHotEncoder(handle_unknown="ignore"), DecisionTreeClassifier(random_state=0)
    )
    assert cross_val_score(pipeline, iris.drop(columns="class"), iris["class"], cv=5).mean() > 0.9


def test_the_transformer_says_what_it_cannot_do() -> None:
    from sklearn.exceptions import NotFittedError

    with pytest.raises(NotFittedError):
        discretizer().transform(X)
    with pytest.raises(ValueError, match="y is None"):
        discretizer().fit(X, None)
    with pytest.raises(ValueError, match="columns 'weight' are not in X, which has 'size', 'n', 'colour'"):
        discretizer(columns=["weight"]).fit(X, Y)
    with pytest.raises(ValueError, match=r"X has the columns 'size'; fit has seen 'size', 'n', 'colour'"):
        discretizer().fit(X, Y).transform(X[["size"]])
    with pytest.raises(ValueError, match="input_features is not equal"):
        discretizer().fit(X, Y).get_feature_names_out(["a"])
    with pytest.raises(ValueError, match=r"1 dimension\(s\)"):
        discretizer().fit([1.0], ["a"])


@pytest.mark.parametrize("bins", [2, 3, 7])
def test_quantile_cuts_share_the_rows_and_width_cuts_the_range(bins):
    x = np.random.default_rng(bins).exponential(size=700)
    sizes = np.bincount(np.searchsorted(quantile_cuts(x, bins), x), minlength=bins)
    assert sizes.max() - sizes.min() <= 1
    np.testing.assert_allclose(width_cuts(x, bins), np.linspace(x.min(), x.max(), bins + 1)[1:-1])


@pytest.mark.parametrize("cuts", [quantile_cuts, width_cuts])
def test_bins_of_few_values(cuts):
    assert cuts([1, 1, np.nan], 3).size == 0
    assert cuts([np.nan], 3).size == 0
    assert cuts([0, 0, 0, 0, 1], 2).tolist() == [0.5]
    with pytest.raises(ValueError, match="infinite"):
        cuts([1, np.inf], 2)
    with pytest.raises(ValueError, match="at least 2"):
        cuts([1, 2], 1)


@pytest.mark.parametrize("missing", [None, float("nan"), pd.NA])
def test_rows_without_a_class_are_left_out_of_lists_too(missing: object) -> None:
    y = ["a"] * 5 + ["b"] * 5 + [missing] * 5
    for classes in (y, tuple(y), pd.Series(y), np.array(y, dtype=object)):
        assert mdl_cuts(np.arange(15), classes).tolist() == [4.5]


def test_values_far_apart_are_cut_without_a_warning() -> None:
    assert quantile_cuts([-1.7e308, 1.7e308], 2).tolist() == [-1.7e308]
