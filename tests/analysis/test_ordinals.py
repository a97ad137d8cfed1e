"""Natural order of states."""

from __future__ import annotations

import random

import pandas as pd
import pytest

from bnlab.analysis import describe_columns
from bnlab.analysis.dates import MONTHS, WEEKDAYS
from bnlab.analysis.ordinals import in_natural_order, natural_order


@pytest.mark.parametrize(
    "ordered",
    [
        ("low", "medium", "high"),
        ("Very low", "LOW", "moderate", "high", "very_high"),
        ("strongly disagree", "disagree", "neither agree nor disagree", "agree", "strongly agree"),
        ("Strongly Disagree", "Somewhat disagree", "Neutral", "Somewhat agree", "Strongly Agree"),
        ("never", "rarely", "sometimes", "often", "always"),
        ("poor", "fair", "good", "very good", "excellent"),
        ("none", "mild", "moderate", "severe"),
        ("XS", "S", "M", "L", "XL"),
        ("nie", "selten", "manchmal", "oft", "immer"),
        ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"),
        ("Januar", "März", "Oktober"),
        MONTHS,
        WEEKDAYS,
        ("<18", "18-29", "30-64", "65+"),
        ("under 5", "5 - 9", "10 - 19", "over 20"),
        ("0-9%", "10-19%", "100%+"),
    ],
)
def test_states_of_a_known_scale_are_put_in_its_order(ordered: tuple[str, ...]) -> None:
    mixed = list(ordered)
    random.Random(1).shuffle(mixed)
    assert natural_order(mixed) == ordered
    frame = pd.DataFrame({"x": [*mixed, None] * 3})
    assert tuple(in_natural_order(frame)["x"].cat.categories) == ordered
    assert f"in the order {' < '.join(ordered)}" in describe_columns(frame)["advice"].tolist()


@pytest.mark.parametrize(
    "states",
    [
        ("red", "green"),
        ("low", "high", "unknown"),
        ("medium", "moderate"),
        ("m", "s"),
        ("1", "2"),
        ("low",),
        ("10-20", "A-12"),
        tuple(f"{i}-{i + 1}" for i in range(100)),
    ],
)
def test_other_states_have_no_order(states: tuple[str, ...]) -> None:
    assert natural_order(states) is None
    frame = pd.DataFrame({"x": list(states) * 3})
    assert in_natural_order(frame)["x"].dtype == frame["x"].dtype


def test_a_declared_order_and_other_types_stay() -> None:
    declared = pd.Categorical(["low", "high"], ["high", "low"], ordered=True)
    frame = pd.DataFrame({"a": declared, "b": [1, 2], "c": [[1], "low"], "d": pd.Categorical(["low", "high"])})
    found = in_natural_order(frame)
    assert found["a"].cat.categories.tolist() == ["high", "low"]
    assert found.dtypes[["b", "c"]].tolist() == frame.dtypes[["b", "c"]].tolist()
    assert found["d"].cat.categories.tolist() == ["low", "high"]


def test_a_state_that_comes_late_counts() -> None:
    frame = pd.DataFrame({"x": ["low", "high"] * 1000 + ["purple"], "y": ["low"] * 1001 + ["high"] * 1000})
    found = in_natural_order(frame)
    assert found["x"].dtype == frame["x"].dtype
    assert found["y"].cat.categories.tolist() == ["low", "high"]
