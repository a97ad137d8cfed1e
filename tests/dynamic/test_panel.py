"""Panels: what the rows of a long or wide table become, and what is refused."""

from __future__ import annotations

import re

import numpy as np
import pandas as pd
import pytest

import bnlab
from bnlab.data import Table, Variable
from bnlab.dynamic import Panel


def long_frame() -> pd.DataFrame:
    """Three patients with 3, 2 and 4 visits, in no order."""
    return pd.DataFrame(
        {
            "patient": ["b", "a", "a", "c", "a", "b", "c", "c", "c"],
            "visit": [1, 3, 1, 4, 2, 2, 1, 2, 3],
            "bp": ["low", "low", "high", "mid", "low", "high", "low", "low", "high"],
            "drug": [0, 1, 0, 1, 1, 0, 0, 0, 1],
            "sex": ["f", "m", "m", "f", "m", "f", "f", "f", "f"],
        }
    )


def load(frame: pd.DataFrame, **options) -> Panel:
    return bnlab.load_panel(frame, **{"unit": "patient", "time": "visit", "static": "sex"} | options)


def rows(table: Table) -> list[tuple]:
    """States of each row, None for a missing value."""
    columns = [[(*v.states, None)[code] for code in table.column(v.name)] for v in table.variables]
    return list(zip(*columns, strict=True))


def test_transitions_are_the_pairs_of_consecutive_rows_of_a_unit():
    panel = load(long_frame())
    assert panel.transitions.names == ("sex", "bp[t-1]", "drug[t-1]", "bp[t]", "drug[t]")
    frame = long_frame().sort_values(["patient", "visit"])
    expected = [
        (now.sex, before.bp, before.drug, now.bp, now.drug)
        for before, now in zip(frame[:-1].itertuples(), frame[1:].itertuples(), strict=True)
        if before.patient == now.patient
    ]
    assert rows(panel.transitions) == expected
    assert rows(panel.first) == [("m", "high", 0), ("f", "low", 0), ("f", "low", 0)]
    assert panel.units == ("a", "b", "c")
    assert panel.lengths.tolist() == [3, 2, 4]


def test_with_two_lags_a_row_has_three_slices_and_short_units_give_none():
    panel = load(long_frame(), lags=2)
    assert rows(panel.transitions.select(["bp[t-2]", "bp[t-1]", "bp[t]"])) == [
        ("high", "low", "low"),
        ("low", "low", "high"),
        ("low", "high", "mid"),
    ]
    assert panel.first.names == ("sex", "bp[0]", "drug[0]", "bp[1]", "drug[1]")
    with pytest.raises(ValueError, match="no unit has 5 times"):
        _ = load(long_frame(), lags=4).transitions


def test_a_wide_table_gives_the_transitions_of_the_long_one():
    long = long_frame()
    wide = long.pivot(index="patient", columns="visit", values=["bp", "drug"])
    wide.columns = [f"{name}__{visit}" for name, visit in wide.columns]
    wide["sex"] = long.groupby("patient").sex.first()
    wide = wide.reset_index()
    for visit in range(1, 5):
        wide[f"drug__{visit}"] = wide[f"drug__{visit}"].astype("Int64")
    found = bnlab.load_panel(wide, unit="patient", wide="__")
    assert found.transitions.select(load(long).transitions.names).equals(load(long).transitions)
    assert bnlab.load_panel(wide.drop(columns="patient"), wide="__").units == (0, 1, 2)


def test_states_and_cuts_are_those_of_all_times():
    frame = pd.DataFrame({"unit": np.repeat(range(10), 3), "time": 3 * 0 + np.tile(range(3), 10)})
    frame["x"] = frame.time + np.linspace(0, 0.5, 30)
    panel = bnlab.load_panel(frame, unit="unit", time="time", discretize="quantile", bins=3)
    cuts = bnlab.data.quantile_cuts(frame.x, 3)
    codes = np.searchsorted(cuts, frame.x)
    past, present = panel.transitions.variables
    assert past.states == present.states
    assert len(past.states) == 3
    np.testing.assert_array_equal(panel.transitions.column(1), codes.reshape(10, 3)[:, 1:].ravel())


def test_a_gap_in_time_is_refused_or_becomes_a_row_of_missing_values():
    frame = long_frame().drop(index=7)  # c at 2
    with pytest.raises(ValueError, match=r"unit 'c' has no row at time 2, between 1 and 3.*gaps=.missing"):
        load(frame)
    panel = load(frame, gaps="missing")
    assert rows(panel.transitions)[-3:] == [
        ("f", "low", 0, None, None),
        ("f", None, None, "high", 1),
        ("f", "high", 1, "mid", 1),
    ]
    assert panel.times[-4:].tolist() == [1, 2, 3, 4]


def test_weights_belong_to_units_and_interventions_to_rows():
    frame = long_frame().assign(w=lambda f: f.patient.map({"a": 2, "b": 5, "c": 1}), done="")
    frame.loc[1, "done"] = "bp"  # a at 3
    panel = load(frame, weights="w", interventions="done", gaps="missing")
    assert panel.transitions.weights.tolist() == [2, 2, 5, 1, 1, 1]
    assert panel.first.weights.tolist() == [2, 5, 1]
    assert panel.transitions.intervened("bp[t]").tolist() == [False, True, False, False, False, False]
    assert not panel.transitions.intervened("bp[t-1]").any()
    filled = load(frame.drop(index=7), weights="w", interventions="done", gaps="missing").transitions
    assert filled.weights.tolist() == [2, 2, 5, 1, 1, 1]
    assert filled.intervened("bp[t]").sum() == 1
    frame.loc[0, "w"] = 3
    with pytest.raises(ValueError, match="unit 'b' has different weights in its rows"):
        load(frame, weights="w")


def test_a_static_value_is_taken_from_other_rows_and_may_not_change():
    frame = long_frame()
    frame.loc[[1, 2], "sex"] = None
    assert load(frame, missing="keep").first.column("sex").tolist() == load(long_frame()).first.column("sex").tolist()
    frame.loc[1, "sex"] = "f"
    with pytest.raises(ValueError, match="'sex' changes within unit 'a', from 'm' to 'f'"):
        load(frame, missing="keep")


def test_training_and_test_units_are_taken_by_position():
    panel = load(long_frame())
    part = panel.take([2, 0])
    assert part.units == ("a", "c")
    assert part.table.n_rows == 7
    assert rows(part.transitions) == [row for n, row in enumerate(rows(panel.transitions)) if n != 2]
    with pytest.raises(ValueError, match="give some of 0 to 2"):
        panel.take([3])


@pytest.mark.parametrize(
    ("change", "options", "message"),
    [
        ({}, {"unit": "patien"}, "unit='patien': no column.*'patient'"),
        ({}, {"time": None}, 'unit="...", time="..."'),
        ({"visit": [1.5, *range(2, 10)]}, {}, "1.5 is no whole number.*cumcount"),
        ({"visit": [1] * 9}, {}, "unit 'a' has several rows at time 1"),
        ({"visit": [None, *range(2, 10)]}, {}, "row 0 has no value"),
        ({}, {"gaps": "fill"}, "gaps='fill'"),
        ({}, {"missing": "drop"}, 'missing="drop" would tear'),
        ({}, {"lags": 0}, "lags"),
        ({}, {"static": ["sx"]}, "'sx'.*'sex'"),
        ({}, {"static": ["sex", "bp", "drug"]}, "changes within unit"),
        ({}, {"wide": "__"}, "in a wide table"),
        ({}, {"wide": "__", "time": None}, "no column is named so, as bp__0 would be"),
        ({"visit": pd.to_datetime(["2020-01-01"] * 9)}, {}, "no whole number.*count the hours"),
    ],
)
def test_what_is_no_panel_is_refused_with_a_way_out(change, options, message):
    with pytest.raises(ValueError, match=re.compile(message, re.DOTALL)):
        load(long_frame().assign(**change), **options)


def test_a_panel_of_wrong_rows_is_refused():
    table = Table([Variable("x", (0, 1))], [[0, 1, 0]])
    for units, times, message in [
        ([0, 0, 1], [1, 3, 1], "unit 'a': time 3 follows 1"),
        ([1, 0, 0], [1, 1, 2], "not sorted by unit"),
        ([0, 0], [1, 2], "unit_of has the shape"),
    ]:
        with pytest.raises(ValueError, match=message):
            Panel(table, units, times, ["a", "b"])
    with pytest.raises(ValueError, match="all variables are static"):
        Panel(table, [0, 0, 0], [1, 2, 3], ["a"], static=["x"])


@pytest.mark.parametrize("kind", [object, "string", "category"])
@pytest.mark.parametrize("missing", ["error", "state", "keep"])
def test_a_static_value_is_taken_from_other_rows_whatever_becomes_of_missing_ones(kind, missing):
    frame = long_frame().astype({"sex": kind})
    frame.loc[[1, 2], "sex"] = None
    found = load(frame, missing=missing).table
    assert found.column("sex").tolist() == load(long_frame()).table.column("sex").tolist()
    assert found.variables == load(long_frame()).table.variables


def test_units_are_taken_by_a_mask_or_a_slice_and_none_twice():
    panel = load(long_frame())
    assert panel.take([True, False, True]).units == panel.take([-1, 0]).units == ("a", "c")
    assert panel.take(slice(1, None)).units == ("b", "c")
    for wrong in ([0, 0], [0.5], [True, False], []):
        with pytest.raises(ValueError, match=r"give some of 0 to 2, each once, or a mask"):
            panel.take(wrong)


def test_times_that_cannot_be_counted_are_refused():
    for wrong in (np.inf, 1e30):
        with pytest.raises(ValueError, match="is no whole number below 2"):
            bnlab.load_panel({"u": ["a"], "t": [wrong], "x": ["p"]}, unit="u", time="t")
    start = 1_600_000_000_000_000_001  # nanoseconds, of which floats round some
    rows = {"u": ["a", "a"], "t": [start, start + 1], "x": ["p", "q"]}
    assert bnlab.load_panel(rows, unit="u", time="t").transitions.n_rows == 1


def test_a_static_variable_may_look_like_one_of_a_slice():
    rows = {"u": [1, 1, 2, 2], "time": [0, 1, 0, 1], "x": [0, 1, 1, 0], "sex[t]": ["f", "f", "m", "m"]}
    panel = bnlab.load_panel(rows, unit="u", time="time", static="sex[t]")
    found = bnlab.learn_dynamic(panel)
    assert (found.names, found.static, found.lags) == (("x",), ("sex[t]",), 1)


def test_columns_of_one_variable_and_time_are_refused():
    for other in ("x_00", "x"):
        with pytest.raises(ValueError, match=r"column 'x_0+' and another one are both 'x'; rename one"):
            bnlab.load_panel({"x_0": [0, 1], other: [1, 0], "x_1": [1, 1]}, wide="_")


def test_one_of_a_kind_is_in_the_singular():
    panel = Panel(Table([Variable("x", (0, 1))], [[0, 1]]), [0, 0], [0, 1], ["u"])
    assert repr(panel).startswith("Panel: 1 unit, 2 rows, 2 times a unit; 1 variable, 0 static; lags 1, 1 transition")
