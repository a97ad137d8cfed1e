"""Which columns of a table look like units and times."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from bnlab.analysis import Preparation, describe_columns
from bnlab.analysis.longitudinal import PanelColumns, panel_columns


def long(unit: str, time: str, **columns) -> pd.DataFrame:
    """Twelve units at five times, in no order, with a column of two states."""
    frame = pd.DataFrame({unit: np.repeat(np.arange(12), 5) + 100, time: np.tile(np.arange(5), 12)})
    frame = frame.assign(**columns, x=np.random.default_rng(0).choice(["a", "b"], 60))
    return frame.sample(frac=1, random_state=2)


def found(frame: pd.DataFrame) -> PanelColumns | None:
    return panel_columns(frame, describe_columns(frame))


@pytest.mark.parametrize(
    ("unit", "time"),
    [
        ("id", "t"),
        ("patientID", "visit"),
        ("machine_no", "hours"),
        ("Country", "Year"),
        ("sbj", "week"),
        ("who", "day"),
    ],
)
def test_names_and_steps_of_one_tell_unit_and_time(unit, time):
    look = found(long(unit, time))
    assert (look.unit, look.time) == (unit, time)
    assert time in look.times
    assert unit in look.units


def test_a_single_sign_is_not_sure():
    counted = long("u", "n")
    assert found(counted)[2:] == (None, None)
    assert found(counted.assign(n=counted.n**2, u=counted.u * 7)) is None
    assert found(long("person", "n").assign(n=lambda f: f.n**2))[2:] == (None, None)


def test_the_pair_with_most_signs_is_taken():
    look = found(long("patient", "visit", year=np.tile([2000, 2002, 2005, 2006, 2009], 12)))
    assert (look.unit, look.time) == ("patient", "visit")
    assert set(look.times) >= {"visit", "year"}


@pytest.mark.parametrize(
    "change",
    [
        lambda f: f.assign(visit=f.visit // 2),  # a unit has several rows at a time
        lambda f: f.assign(patient=range(60)),  # a unit has one row
        lambda f: f.assign(visit=f.visit + 0.5),
        lambda f: f.assign(visit=f.visit.where(f.visit > 0)),
        lambda f: f.drop(columns="visit"),
        lambda f: f.head(3),
    ],
)
def test_other_tables_do_not_look_longitudinal(change):
    assert found(change(long("patient", "visit"))) is None


def test_the_unit_may_be_text_and_the_time_a_date():
    frame = long("patient", "visit")
    frame = frame.assign(
        patient="p" + frame.patient.astype(str), visit=pd.Timestamp("2021-03-01") + pd.to_timedelta(frame.visit, "W")
    )
    assert found(frame)[2:] == ("patient", "visit")
    assert found(frame.assign(visit=frame.visit.dt.strftime("%d.%m.%Y")))[2:] == ("patient", "visit")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"unit": "patient"}, "unit='patient' and time=None: choose two columns"),
        ({"unit": "visit", "time": "visit"}, "choose two columns"),
        ({"unit": "patient", "time": "visit", "missing": "drop"}, "would tear holes"),
        ({"unit": "patient", "time": "visit", "target": "visit"}, "target 'visit' is left out"),
        ({"unit": "patient", "time": "visits"}, "no column is called 'visits'"),
        ({"unit": "patient", "time": "visit", "leave_out": ("x",)}, "all 3 columns are left out"),
        ({}, "names no columns of units and times"),
    ],
)
def test_preparations_that_are_no_panel_are_refused(options, message):
    with pytest.raises(ValueError, match=message):
        Preparation(**options).panel(long("patient", "visit"))
