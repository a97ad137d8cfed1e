"""Steps Variables and Knowledge of the workbench: states, cut points, tiers, and what takes them back."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import bnlab
from bnlab.analysis import Preparation, column_preview
from bnlab.graphs import essential_graph
from bnlab.widgets.workbench.page import page
from bnlab.widgets.workbench.workbench import Workbench
from tests.widgets.workbench.acting import press


@pytest.fixture
def workbench() -> Workbench:
    rng = np.random.default_rng(0)
    n = 200
    frame = pd.DataFrame(
        {
            "age": rng.normal(50, 10, n).round(1),
            "smokes": rng.choice(["ex", "never", "often"], n),
            "visits": rng.poisson(30, n),
            "ill": rng.choice(["no", "yes"], n),
            "up:a": rng.choice(["a", "up:a"], n),
        }
    )
    frame.loc[::20, "smokes"] = None
    return Workbench(frame)


def states(workbench: Workbench, name: str) -> dict[Any, int]:
    """States of a variable of the table with their rows."""
    table = workbench.table
    variable = table.variables[table.index(name)]
    counts = np.bincount(table.column(name), minlength=variable.arity).tolist()
    return dict(zip(variable.states, counts, strict=True))


def listed(workbench: Workbench) -> list[tuple[str, str]]:
    """States of the data, and the name of each group of them, in the details."""
    rows = [row["cells"] for row in workbench.forms["details"].control("states")["rows"]]
    names = [cells[0][0]["value"] for cells in rows]
    return [(cells[3] if len(cells) > 3 else name, name) for cells, name in zip(rows, names, strict=True)]


def test_states_are_renamed_ordered_and_merged_in_the_details(workbench: Workbench) -> None:
    details, before = workbench.forms["details"], states(workbench, "smokes")
    press(workbench, workbench.forms["columns"], "column", "smokes")
    assert listed(workbench) == [(name, name) for name in ("ex", "never", "often", "missing")]
    assert [details.control("states")["rows"][k]["cells"][1][0]["enabled"] for k in (0, 1)] == [False, True]
    press(workbench, details, "up:never")
    press(workbench, details, "merge:often")
    press(workbench, details, "state:ex", " smoker ")
    assert listed(workbench) == [("never", "never"), ("ex, often", "smoker"), ("missing", "missing")]
    both = before["ex"] + before["often"]
    assert states(workbench, "smokes") == {"never": before["never"], "smoker": both, "missing": before["missing"]}
    assert list(states(workbench, "smokes")) == ["never", "smoker", "missing"]
    press(workbench, details, "state:missing", "never")
    assert states(workbench, "smokes") == {"never": before["never"] + before["missing"], "smoker": both}
    press(workbench, details, "state:never", " ")
    assert workbench.failed
    assert "a state needs a name" in workbench.status
    press(workbench, details, "reset-states")
    assert states(workbench, "smokes") == before
    assert workbench.preparation.states == {}


def test_a_state_may_have_the_name_of_a_control_or_of_a_column(workbench: Workbench) -> None:
    press(workbench, workbench.forms["columns"], "column", "up:a")
    press(workbench, workbench.forms["details"], "up:up:a")
    assert list(states(workbench, "up:a")) == ["up:a", "a"]
    press(workbench, workbench.forms["details"], "state:up:a", "age")
    assert listed(workbench) == [("up:a", "age"), ("a", "a")]
    assert workbench.forms["details"].label == "Details of up:a"


def test_states_are_recoded_in_python_as_in_the_page(workbench: Workbench) -> None:
    workbench.recode("smokes", {"never": "no", "ex": "yes", "often": "yes"})
    assert list(states(workbench, "smokes")) == ["no", "yes", "missing"]
    with pytest.raises(ValueError, match="column 'smokes' has no state 'nevr'"):
        workbench.recode("smokes", {"nevr": "no"})
    workbench.recode("smokes", {})
    assert list(states(workbench, "smokes")) == ["ex", "never", "often", "missing"]


def test_new_states_are_in_the_saved_study_the_report_and_the_code(workbench: Workbench, tmp_path: Path) -> None:
    workbench.recode("smokes", {"never": "no", "ex": "yes </b>", "often": "yes </b>"})
    workbench.learn("chow-liu")
    workbench.save(tmp_path / "smokes.study.json")
    again = Workbench.reopen(tmp_path / "smokes.study.json")
    assert again.table.fingerprint == workbench.table.fingerprint
    assert again.networks == workbench.networks
    names: dict[str, Any] = {"frame": workbench.frame, "Preparation": Preparation}
    code = workbench.study.code()
    exec(code[code.index("preparation =") : code.index("# Learn")], names)
    assert names["table"].fingerprint == workbench.table.fingerprint
    assert "no; yes &lt;/b&gt;; missing" in workbench.report().html


def cut_points(workbench: Workbench, name: str) -> dict[str, Any]:
    return workbench.forms["details"].control(f"cut-points:{name}")


def test_cut_points_are_moved_in_the_histogram_and_those_outside_it_stay(workbench: Workbench) -> None:
    details = workbench.forms["details"]
    press(workbench, details, "cuts", "-1e6, 40, 60")
    assert (cut_points(workbench, "age")["cuts"], cut_points(workbench, "age")["step"]) == ([40.0, 60.0], 0.1)
    press(workbench, details, "cut-points:age", [44.1, 60])
    assert workbench.preparation.cuts["age"] == (-1e6, 44.1, 60.0)
    press(workbench, details, "cut-points:age", [44.1])
    assert workbench.preparation.cuts["age"] == (-1e6, 44.1)
    press(workbench, workbench.forms["columns"], "column", "visits")
    assert cut_points(workbench, "visits")["step"] == 1.0


def small(workbench: Workbench, name: str) -> dict[str, Any]:
    """Small chart in the row of a column."""
    rows = workbench.forms["columns"].control("column")["rows"]
    return next(row for row in rows if row["key"] == name)["cells"][2][0]


def test_each_row_has_a_small_chart_of_its_column(workbench: Workbench) -> None:
    preview = column_preview(workbench.frame, "age", workbench.preparation.cuts["age"])
    chart = small(workbench, "age")
    assert chart["bars"] == [round(bar / max(preview.bars), 3) for bar in preview.bars]
    assert (tuple(chart["cuts"]), tuple(chart["span"])) == (preview.cuts, (preview.edges[0], preview.edges[-1]))
    assert chart["step"] is None
    counts = states(workbench, "smokes")
    assert small(workbench, "smokes")["bars"] == [round(count / max(counts.values()), 3) for count in counts.values()]
    workbench.set_role("smokes", "leave out")
    table = workbench.forms["columns"].control("column")
    assert next(row for row in table["rows"] if row["key"] == "smokes")["cells"][2] == []


def test_changes_of_the_preparation_are_undone_and_redone(workbench: Workbench) -> None:
    columns, learned = workbench.forms["columns"], workbench.learn("chow-liu")
    made = [workbench.preparation]
    press(workbench, columns, "bins:age", 4)
    made.append(workbench.preparation)
    press(workbench, workbench.forms["details"], "merge:never")
    assert workbench.status.startswith("column 'age' has no state 'never'")
    press(workbench, columns, "column", "smokes")
    press(workbench, workbench.forms["details"], "merge:never")
    made.append(workbench.preparation)
    workbench.set_missing("drop")
    made.append(workbench.preparation)
    assert list(workbench.networks) == ["Chow-Liu tree (other data)"]
    tips = [columns.control("undo")["tip"]]
    for preparation in made[-2::-1]:
        press(workbench, columns, "undo")
        assert workbench.preparation == preparation
        tips.append(columns.control("undo")["tip"])
    assert tips == ["Undo missing values", "Undo smokes", "Undo age", "Nothing to undo"]
    assert workbench.networks == {"Chow-Liu tree": learned}
    press(workbench, columns, "redo")
    assert workbench.preparation == made[1]
    workbench.load(workbench.frame)
    assert not columns.control("undo")["enabled"]


def tiers(workbench: Workbench) -> dict[str, list[str]]:
    return {part["label"]: part["items"] for part in workbench.forms["knowledge"].control("tiers")["lists"]}


def test_variables_are_moved_between_tiers(workbench: Workbench) -> None:
    form, names = workbench.forms["knowledge"], list(workbench.table.names)
    assert tiers(workbench) == {"No order": names, "New tier": []}
    press(workbench, form, "tiers", ["age", 1])
    press(workbench, form, "tiers", ["ill", 2])
    press(workbench, form, "tiers", ["smokes", 2])
    assert workbench.knowledge == bnlab.Knowledge(tiers=[["age"], ["ill", "smokes"]])
    assert tiers(workbench) == {
        "No order": ["visits", "up:a"],
        "Tier 1": ["age"],
        "Tier 2": ["ill", "smokes"],
        "New tier": [],
    }
    press(workbench, form, "tiers", ["age", None])
    assert workbench.knowledge.tiers == (("ill", "smokes"),)
    undo = form.control("undo")
    press(workbench, form, "tiers", ["age", None])
    assert form.control("undo") == undo
    press(workbench, form, "tiers", ["ill", 3])
    assert "tier 3 of 'ill': there are the tiers 1 to 2" in workbench.status


def test_a_single_tier_says_that_it_forbids_nothing_and_offers_an_order(workbench: Workbench) -> None:
    form, others = workbench.forms["knowledge"], ("age", "smokes", "visits", "up:a")
    assert form.control("single") is None
    for control, order in (("causes", (("ill",), others)), ("outcomes", (others, ("ill",)))):
        press(workbench, form, "tiers", ["ill", 1])
        assert "forbids no edge" in form.control("single")["text"]
        press(workbench, form, control)
        assert workbench.knowledge.tiers == order
        assert form.control("single") is None
        press(workbench, form, "clear")


def test_states_that_differ_only_in_blanks_or_capitals_are_merged_at_a_click() -> None:
    frame = pd.DataFrame({"a": ["no", " no", "Yes", "yes", "in between"] * 9, "b": list("xyxxy") * 9})
    workbench = Workbench(frame)
    workbench.step, steps = "variables", workbench.forms["steps"]
    assert steps.control("alike")["text"] == (
        "Only blanks or capitals differ: “yes” and “Yes” (a), “ no” and “no” (a)."
    )
    assert steps.control("merge-alike")["label"] == "Merge 2 pairs"
    press(workbench, steps, "merge-alike")
    assert states(workbench, "a") == {"no": 18, "Yes": 18, "in between": 9}
    assert steps.control("alike") is None
    press(workbench, workbench.forms["columns"], "undo")
    assert steps.control("alike") is not None


def test_networks_of_another_preparation_are_kept_and_the_page_says_how_they_return(workbench: Workbench) -> None:
    first, kept = workbench.learn("chow-liu"), "Chow-Liu tree (other data)"
    steps = workbench.forms["steps"]
    workbench.set_missing("drop")
    assert workbench.networks == {kept: essential_graph(first)}
    assert (workbench.shown, list(workbench.study.recipes)) == (kept, []), "it is compared, and not learned again"
    second = workbench.learn("chow-liu")
    workbench.add("expert", [])
    assert list(workbench.networks) == [kept, "Chow-Liu tree", "expert"]
    workbench.set_missing("keep")
    names = [kept, *([f"{kept} (2)"] if essential_graph(second) != essential_graph(first) else []), "expert"]
    assert sorted(workbench.networks) == sorted(names), "an expert's network is from no data"
    assert steps.control("elsewhere") is None
    for _ in range(2):
        press(workbench, workbench.forms["columns"], "undo")
    assert workbench.networks["Chow-Liu tree"] == first
    assert list(workbench.study.recipes) == ["Chow-Liu tree"]
    workbench.set_role(workbench.table.names[0], "leave out")
    assert workbench.networks == {}
    assert "networks on other variables are kept" in steps.control("elsewhere")["text"]


def test_the_picture_of_the_rules_shows_required_and_forbidden_edges_and_tiers(workbench: Workbench) -> None:
    workbench.knowledge = bnlab.Knowledge([("age", "ill")], [("ill", "visits")], [["age", "smokes"], ["ill"]])
    html = page(workbench.state)["rules"]
    for words in ("age → ill (required)", "ill → visits (forbidden)", "variables without an order are below"):
        assert words in html
    workbench.knowledge = bnlab.Knowledge(max_parents=2)
    assert page(workbench.state)["rules"] == ""


def test_the_picture_of_many_variables_shows_those_with_an_edge() -> None:
    names = [f"x{i}" for i in range(30)]
    workbench = Workbench(pd.DataFrame(np.random.default_rng(0).integers(0, 2, (50, 30)), columns=names))
    workbench.knowledge = bnlab.Knowledge(required=[("x1", "x20")], tiers=[names[:10], names[10:]])
    assert "graph of 2 nodes" in page(workbench.state)["rules"]
    assert "Only variables with an edge are drawn." in page(workbench.state)["rules"]
