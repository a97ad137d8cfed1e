"""What the steps of the workbench offer beside their main path: each control is used once, and its effect seen."""

from __future__ import annotations

import io
import re
from pathlib import Path

import pandas as pd
from playwright.sync_api import Page, expect

import bnlab
from tests.browser.shown import Shown
from tests.browser.test_import import LEARNING, titanic
from tools.lab import Lab

CELL = "import bnlab\nworkbench = bnlab.Workbench({})\nworkbench"


def test_gaps_identifiers_rules_probabilities_and_sessions_are_handled_by_clicks(lab: Lab, page: Page) -> None:
    (lab.root / "titanic.csv").write_bytes(titanic())
    notebook = lab.open(page, lab.write("steps.ipynb", [CELL.format("'titanic.csv'")]))
    notebook.run_all_cells()
    shown = notebook.output(0)
    tabs = {
        name: shown.get_by_role("tab", name=name)
        for name in ("Data", "Variables", "Knowledge", "Learn", "Trust", "Export")
    }

    tabs["Variables"].click()
    gaps = shown.get_by_role("combobox", name="Missing values")
    expect(gaps.locator("option")).to_have_text(
        [
            "Stop if values are missing",
            "Keep as a state “missing”: 1 variable",
            re.compile(r"Drop rows: \d+ of 600 lost"),
            re.compile(r"Keep \(structural EM\): \d+ values"),
        ]
    )
    lost = re.findall(r"\d+", gaps.locator("option").nth(2).inner_text())
    expect(shown.get_by_role("row", name=f"Age {lost[0]}")).to_be_visible()
    gaps.select_option(index=2)
    expect(shown.get_by_text(f"{600 - int(lost[0])} rows, 7 variables used")).to_be_visible()
    shown.get_by_role("button", name="Reset to suggestions").click()
    expect(gaps).to_have_value("1")

    shown.get_by_role("combobox", name="Role of Ticket").select_option(label="Variable")
    question = shown.get_by_role("alert").filter(has_text="Ticket (600 states in 600 rows) looks like an identifier")
    expect(question).to_be_visible()
    shown.get_by_role("button", name="Ignore it").click()
    expect(question).to_have_count(0)
    assert "Ticket" in notebook.python("workbench.preparation.leave_out")

    tabs["Knowledge"].click()
    add = shown.get_by_role("button", name="Add edge")
    rules = shown.get_by_role("table", name="Required and forbidden edges")
    for rule, parent, child in (("Forbidden", "Pclass", "Fare"), ("Required", "Embarked", "Sex")):
        for name, label in (("Edge", rule), ("From", parent), ("To", child)):
            shown.get_by_role("combobox", name=name, exact=True).select_option(label=label)
        add.click()
        expect(rules.get_by_role("row", name=f"{parent} → {child} {rule}")).to_be_visible()
    rules.get_by_role("row", name="Pclass → Fare").get_by_role("button").click()
    expect(rules.get_by_role("row", name="Pclass → Fare")).to_have_count(0)
    limit = shown.get_by_label("Max. parents per node")
    limit.fill("2")
    limit.press("Tab")
    expect(shown.get_by_text("knowledge: 1 edge")).to_be_visible()

    tabs["Learn"].click()
    shown.get_by_role("button", name="Learn recommended network").click()
    edges = shown.get_by_role("table", name="Edges")
    expect(edges.get_by_role("radio", name="Embarked → Sex")).to_be_visible(timeout=LEARNING)
    assert notebook.python("[max(map(len, net.parents)) <= 2 for net in workbench.networks.values()]") == [True]

    shown.get_by_role("button", name="has not been examined").click()
    expect(tabs["Trust"]).to_have_attribute("aria-selected", "true")
    expect(shown.get_by_role("combobox", name="Method")).to_be_in_viewport(timeout=LEARNING)
    shown.get_by_role("combobox", name="Method").select_option(label="Posterior probability")
    shown.get_by_role("button", name="Compute edge probabilities").click()
    expect(edges.get_by_role("columnheader", name="Posterior probability")).to_be_visible(timeout=LEARNING)
    row = edges.get_by_role("row", name="Embarked → Sex")
    expect(row.get_by_role("cell").first).to_have_text("100%")

    tabs["Export"].click()
    shown.get_by_role("button", name="Save session").click()
    expect(shown.get_by_role("status").filter(has_text="analysis.study.json")).to_be_visible()
    notebook = lab.open(page, lab.write("again.ipynb", [CELL.format("")]))
    notebook.run_all_cells()
    shown = notebook.output(0)
    shown.get_by_label("or path").fill("analysis.study.json")
    shown.get_by_role("button", name="Load", exact=True).click()
    expect(shown.get_by_text("knowledge: 1 edge")).to_be_visible()
    shown.get_by_role("tab", name="Compare").click()
    expect(shown.get_by_role("table", name="Edges").get_by_role("radio", name="Embarked → Sex")).to_be_visible()
    shown.get_by_role("button", name="Remove network", exact=True).click()
    expect(shown.get_by_role("tab", name="Compare")).to_have_attribute("aria-disabled", "true")


def test_columns_stay_in_a_narrow_place_and_undo_beside_redo(page: Page) -> None:
    workbench = bnlab.Workbench(pd.read_csv(io.BytesIO(titanic())))
    shown = Shown(page, workbench.forms["columns"], width=None)
    for width in range(330, 631, 30):
        page.set_viewport_size({"width": width, "height": 900})
        shown.settle()
        columns = page.get_by_role("table", name="Columns").locator("..")
        assert columns.evaluate("(place) => place.scrollWidth <= place.clientWidth + 1"), width
        tops = {page.get_by_role("button", name=name).evaluate("(b) => b.offsetTop") for name in ("Undo", "Redo")}
        assert len(tops) == 1, width
    workbench.close()


def test_the_unit_and_time_of_a_longitudinal_file_are_in_view_in_a_narrow_window(page: Page, tmp_path: Path) -> None:
    rows = [
        {"patient": f"p{i}", "visit": t, "drug": "yn"[(i + t) % 2], "sex": "fm"[i % 2]}
        for i in range(40)
        for t in range(4)
    ]
    pd.DataFrame(rows).to_csv(tmp_path / "visits.csv", index=False)
    workbench = bnlab.Workbench(tmp_path / "visits.csv")
    page.set_viewport_size({"width": 500, "height": 320})
    Shown(page, workbench.forms["data"], width=None)
    for name in ("Unit", "Time"):
        expect(page.get_by_role("combobox", name=name)).to_be_in_viewport(ratio=1)
    expect(page.get_by_role("button", name="Use transitions")).to_be_in_viewport(ratio=1)
    workbench.close()
