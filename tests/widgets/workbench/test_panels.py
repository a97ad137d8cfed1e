"""The step Data asks for the columns of units and times, and makes transitions of the rows."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

import bnlab
from bnlab.analysis import Recipe, Study
from bnlab.graphs import Knowledge
from bnlab.widgets import Workbench
from bnlab.widgets.base.pure import Set
from bnlab.widgets.workbench import messages
from bnlab.widgets.workbench.page import page
from bnlab.widgets.workbench.requests import message_of
from bnlab.widgets.workbench.state import State
from bnlab.widgets.workbench.update import update

MAKE_PANEL = messages.Prepare("transitions", "", True)


def visits() -> pd.DataFrame:
    """Forty patients at two to five visits: the drug follows from the blood pressure, and helps at the next visit."""
    rng, rows = np.random.default_rng(4), []
    for patient in range(40):
        bp, sex = rng.normal(150, 15), rng.choice(["f", "m"])
        for visit in range(rng.integers(2, 6)):
            drug = "yes" if bp > 145 else "no"
            rows.append((f"p{patient:02}", visit, sex, round(bp, 1), drug))
            bp += rng.normal(-12 if drug == "yes" else 8, 6)
    return pd.DataFrame(rows, columns=["patient", "visit", "sex", "bp", "drug"]).sample(frac=1, random_state=1)


def loaded(frame: pd.DataFrame) -> State:
    asked, (read,) = update(State(), messages.Load(frame))
    return update(asked, read.run(pytest.fail, lambda: False))[0]


def controls(now: State, form: str = "data") -> dict[str, Any]:
    return {control["id"]: control for line in page(now)["forms"][form] for control in line}


@pytest.fixture(scope="module")
def ready() -> State:
    return loaded(visits())


@pytest.fixture(scope="module")
def over_time(ready: State) -> State:
    return update(ready, message_of("data", "transitions", True))[0]


def test_units_and_times_are_proposed_and_not_taken(ready: State) -> None:
    shown = controls(ready)
    assert (shown["unit"]["value"], shown["time"]["value"]) == ("patient", "visit")
    assert shown["unit"]["options"][0][1] == "Not a panel"
    assert ready.step == "data"
    assert shown["transitions"]["enabled"]
    assert ready.session.table.n_rows == len(visits())


def test_an_unsure_table_is_no_panel_until_both_columns_are_chosen() -> None:
    frame = visits().rename(columns={"patient": "who", "visit": "number"})
    frame["number"] *= 2
    assert "unit" not in controls(loaded(frame))
    unsure = loaded(frame.rename(columns={"number": "day"}))
    shown = controls(unsure)
    assert (shown["unit"]["value"], shown["time"]["value"], shown["transitions"]["enabled"]) == ("", "", False)
    with pytest.raises(ValueError, match="choose the columns"):
        update(unsure, MAKE_PANEL)
    half = update(unsure, message_of("data", "unit", "who"))[0]
    assert not controls(half)["transitions"]["enabled"]
    with pytest.raises(ValueError, match="choose two columns"):
        update(half, MAKE_PANEL)
    assert controls(update(half, message_of("data", "time", "day"))[0])["transitions"]["enabled"]
    for name, column in (("unit", "sex"), ("time", "day")):
        half = update(half, message_of("data", name, column))[0]
    with pytest.raises(ValueError, match="a unit has one row at a time"):
        update(half, MAKE_PANEL)


@pytest.mark.parametrize("name", ["iris-bezdek", "soybean-large", "heart", "vote"])
def test_other_tables_are_not_asked(name: str) -> None:
    assert "panel" not in controls(loaded(bnlab.load_frame(name)))


def test_the_table_is_that_of_load_panel(over_time: State) -> None:
    prepared = over_time.session.study.preparation
    cut = bnlab.data.discretize.with_intervals(visits(), {"bp": np.array(prepared.cuts["bp"])})
    panel = bnlab.load_panel(cut, unit="patient", time="visit", static="sex")
    assert over_time.session.table.equals(panel.transitions)
    assert over_time.session.table.names == ("sex", "bp[t-1]", "drug[t-1]", "bp[t]", "drug[t]")
    assert "transitions (from" in over_time.status
    assert over_time.said["data"] == (over_time.status, False)


def test_nothing_leads_to_the_past_and_what_is_learned_is_what_learn_dynamic_finds(over_time: State) -> None:
    past = ["sex", "bp[t-1]", "drug[t-1]"]
    order = Knowledge(tiers=[past, ["bp[t]", "drug[t]"]], max_parents=dict.fromkeys(past, 0))
    assert over_time.knowledge == order
    graph = over_time.session.learn(over_time.recipe()).graph
    panel = over_time.session.study.preparation.panel(visits())
    assert {v for _, v in graph.edges} <= {"bp[t]", "drug[t]"}
    assert graph.edges
    assert graph == bnlab.learn_dynamic(panel, over_time.algorithm, score="bic", **over_time.options).transition


def test_a_way_back_to_the_rows(ready: State, over_time: State) -> None:
    assert set(controls(over_time)) >= {"panel", "rows"}
    back = update(over_time, message_of("data", "rows", True))[0]
    assert back.session.table.equals(ready.session.table)
    assert back.knowledge == Knowledge()
    again = update(over_time, message_of("columns", "undo", True))[0]
    assert again.session.table.equals(ready.session.table)


def test_columns_of_a_panel_are_prepared_as_those_of_rows(over_time: State) -> None:
    rows = {row["key"]: row for row in controls(over_time, "columns")["column"]["rows"]}
    assert {name for name, row in rows.items() if row["quiet"]} == {"patient", "visit"}
    assert ("Unit" in rows["patient"]["cells"], "Time" in rows["visit"]["cells"]) == (True, True)
    ignored = update(over_time, messages.Prepare("role", "drug", "leave out"))[0]
    assert ignored.session.table.names == ("sex", "bp[t-1]", "bp[t]")
    assert ignored.knowledge.tiers == (("sex", "bp[t-1]"), ("bp[t]",))
    cut = update(over_time, messages.Prepare("cut-points", "bp", [140.0]))[0]
    assert [v.states for v in cut.session.table.variables[1::2]] == [("<=140", ">140"), ("<=140", ">140")]
    renamed = update(update(cut, messages.Inspect("drug"))[0], messages.Prepare("state", "no", "none"))[0]
    assert renamed.session.table.variables[-1].states == ("none", "yes")


def test_edges_among_variables_that_stay_are_kept(over_time: State) -> None:
    edge = ("bp[t-1]", "drug[t]")
    ruled = update(over_time, Set("knowledge", over_time.knowledge | Knowledge(required=[edge])))[0]
    assert update(ruled, messages.Prepare("cut-points", "bp", [140.0]))[0].knowledge == ruled.knowledge
    assert update(ruled, messages.Prepare("role", "sex", "leave out"))[0].knowledge.required == (edge,)
    assert update(ruled, messages.Prepare("role", "bp", "leave out"))[0].knowledge.required == ()


def test_a_missing_time_is_named_and_kept_on_request() -> None:
    frame = visits()
    torn = frame[(frame.visit != 1) | (frame.patient != frame.patient[frame.visit == 2].iloc[0])]
    asked = loaded(torn)
    with pytest.raises(ValueError, match=r"has no row at time 1, between 0 and 2.*missing=.keep"):
        update(asked, MAKE_PANEL)
    kept = loaded(torn.assign(bp=torn.bp.where(torn.index != torn.index[0])))
    found = update(update(kept, messages.Prepare("missing", "", "keep"))[0], MAKE_PANEL)[0].session.table
    assert found.n_rows == (frame.visit > 0).sum()
    assert found.gaps["drug[t-1]"] == found.gaps["drug[t]"] == 1


def test_dates_are_numbered_in_their_order() -> None:
    frame = visits()
    days = frame.assign(date=pd.Timestamp("2024-01-05") + pd.to_timedelta(frame.visit * 37, "D")).drop(columns="visit")
    asked = loaded(days)
    assert controls(asked)["time"]["value"] == "date"
    found = update(asked, MAKE_PANEL)[0].session.table
    assert found.equals(update(loaded(frame), MAKE_PANEL)[0].session.table)


def test_a_saved_session_and_its_code_give_the_same_table(over_time: State) -> None:
    study = Study.read("s.study.json", over_time.session.study.to_text().encode())
    assert study.preparation == over_time.session.study.preparation
    assert study.preparation.apply(visits()).fingerprint == over_time.session.table.fingerprint
    named: dict[str, Any] = {"frame": visits()}
    code = study.with_result("net", Recipe("chow-liu"), over_time.session.learn(Recipe("chow-liu")).graph).code()
    exec(code.replace("frame = ...  # your DataFrame", "").split("# Look at")[0], named)
    assert named["table"].equals(over_time.session.table)


def test_the_widget_draws_two_slices(tmp_path: Any) -> None:
    visits().to_csv(tmp_path / "visits.csv", index=False)
    workbench = Workbench(str(tmp_path / "visits.csv"))
    workbench.set_panel("patient", "visit")
    workbench.learn("hill-climbing")
    places = {node["name"]: (node["x"], node["y"]) for node in workbench.graph.view.nodes}
    assert places["bp[t-1]"][0] < places["bp[t]"][0]
    assert places["bp[t-1]"][1] == places["bp[t]"][1]
    assert places["sex"][1] < places["bp[t]"][1]
    workbench.save(tmp_path / "s.study.json")
    assert "transitions of patient by visit" in workbench.report().html
    opened = Workbench.reopen(tmp_path / "s.study.json")
    assert opened.table.equals(workbench.table)
    assert opened.networks == workbench.networks
    assert opened.knowledge == workbench.knowledge
    with pytest.raises(ValueError, match="'patent'"):
        opened.set_panel("patent", "visit")
    opened.set_panel(None, None)
    assert opened.table.n_rows == len(visits())
