"""Files as people have them, each from the upload to a learned network by clicks."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pandas as pd
from playwright.sync_api import Locator, Page, expect

from tests.browser.shown import EMPTY_WORKBENCH, drag, middle_of
from tools.lab import Lab, LabNotebook

LEARNING = 180_000
"""Milliseconds until a network is learned and drawn, on a busy machine too."""


def titanic() -> bytes:
    """Passengers with names, gaps, whole numbers and fares."""
    rng, n = np.random.default_rng(1), 600
    pclass, sex = rng.choice([1, 2, 3], n, p=[0.25, 0.2, 0.55]), rng.choice(["male", "female"], n, p=[0.65, 0.35])
    frame = pd.DataFrame(
        {
            "PassengerId": range(1, n + 1),
            "Survived": (rng.random(n) < np.where(sex == "female", 0.8, 0.2) - 0.08 * (pclass - 2)).astype(int),
            "Pclass": pclass,
            "Name": [f"Doe, Mr. John {i}" for i in range(n)],
            "Sex": sex,
            "Age": np.where(rng.random(n) < 0.2, np.nan, rng.normal(30, 12, n).clip(1).round()),
            "SibSp": rng.poisson(0.5, n),
            "Ticket": [f"A/{i} 21171" for i in range(n)],
            "Fare": (80 / pclass * rng.lognormal(0, 0.4, n)).round(4),
            "Cabin": np.where(rng.random(n) < 0.8, None, "C85"),
            "Embarked": rng.choice(["S", "C", "Q"], n),
        }
    )
    return frame.to_csv(index=False).encode()


def german() -> bytes:
    """Semicolons, decimal commas and umlauts in Windows-1252."""
    rng, n = np.random.default_rng(3), 300
    size = rng.normal(80, 20, n).round(2)
    frame = pd.DataFrame(
        {
            "Straße": rng.choice(["Hauptstraße", "Bahnhofstraße", "Königsallee"], n),
            "Wohnfläche": size,
            "Miete": (size * 11.5 + rng.normal(0, 60, n)).round(2),
            "Heizung": np.where(size > 80, "Fernwärme", "Öl"),
            "Einzug": pd.date_range("2019-01-01", periods=n).strftime("%d.%m.%Y"),
        }
    )
    return frame.to_csv(index=False, sep=";", decimal=",").encode("cp1252")


def spreadsheet(path: Path) -> None:
    """Two sheets; words with a natural order and dates."""
    rng, n = np.random.default_rng(4), 200
    risk = rng.choice(["low", "medium", "high"], n)
    frame = pd.DataFrame(
        {
            "visit": pd.date_range("2021-01-01", periods=n, freq="3D"),
            "risk": risk,
            "smokes": np.where((risk == "high") ^ (rng.random(n) < 0.1), "yes", "no"),
            "weight": np.where(risk == "low", 60, 80) + rng.normal(0, 5, n).round(1),
        }
    )
    with pd.ExcelWriter(path) as writer:
        pd.DataFrame({"about": ["a survey"]}).to_excel(writer, sheet_name="notes", index=False)
        frame.to_excel(writer, sheet_name="patients", index=False)


def upload(page: Page, shown: Locator, path: Path, size: str) -> None:
    """Load a file in the step Data, which the workbench then shows or leaves."""
    shown.get_by_role("tab", name="Data").click()
    with page.expect_file_chooser() as chooser:
        shown.get_by_role("button", name=re.compile("Upload a file|Drop a file")).click()
    chooser.value.set_files(path)
    expect(shown.get_by_text(f"{path.name}: {size}").first).to_be_visible()


def learn(shown: Locator, count: int) -> None:
    shown.get_by_role("button", name="Learn network").click()
    expect(shown.get_by_role("tab", name="Compare")).to_have_attribute("aria-selected", "true", timeout=LEARNING)
    expect(shown.locator(".bn-nodes > g")).to_have_count(count, timeout=LEARNING)


def a_cut_point_is_dragged(notebook: LabNotebook, shown: Locator) -> None:
    page, undo = notebook.page, shown.get_by_role("button", name="Undo")
    line = shown.locator(".bnlab-line").filter(has=page.get_by_role("button", name="Undo"))
    for width in (800, 1400):
        page.set_viewport_size({"width": width, "height": 900})
        page.wait_for_function("(line) => line.clientHeight < 50", arg=line.element_handle())
    shown.get_by_role("radio", name="Miete").check()
    point = shown.get_by_role("slider", name="Cut point 2 of 2")
    point.scroll_into_view_if_needed()
    before, (x, y) = str(point.get_attribute("aria-valuenow")), middle_of(point)
    drag(page, (x, y), (x + 30, y))
    expect(undo).to_have_attribute("title", "Undo Miete")
    expect(point).not_to_have_attribute("aria-valuenow", before)
    moved = float(str(point.get_attribute("aria-valuenow")))
    assert notebook.python("workbench.preparation.cuts['Miete'][1]") == moved
    undo.click()
    expect(point).to_have_attribute("aria-valuenow", before)


def variables_are_moved_to_a_tier(notebook: LabNotebook, shown: Locator) -> None:
    page = notebook.page
    shown.get_by_role("tab", name="Knowledge").click()
    limits = shown.get_by_label("Max. parents per node").element_handle()
    page.wait_for_function("(field) => field.getBoundingClientRect().x > 800", arg=limits)  # beside the tiers
    item = shown.get_by_role("button", name="Straße", exact=True)
    item.scroll_into_view_if_needed()
    drag(page, middle_of(item), middle_of(shown.get_by_role("group", name="New tier", exact=True)))
    tier = shown.get_by_role("group", name="Tier 1", exact=True)
    expect(tier.get_by_role("button", name="Straße")).to_be_visible()
    shown.get_by_role("button", name="Heizung", exact=True).focus()
    page.keyboard.press("ArrowRight")
    expect(tier.get_by_role("button", name="Heizung")).to_be_focused()
    assert notebook.python("[set(tier) for tier in workbench.knowledge.tiers]") == [{"Straße", "Heizung"}]


def test_each_file_leads_to_a_network(lab: Lab, page: Page) -> None:
    for name, content in (("titanic", titanic()), ("miete", german())):
        (lab.root / f"{name}.csv").write_bytes(content)
    spreadsheet(lab.root / "patients.xlsx")
    notebook = lab.run(page, "import.ipynb", [EMPTY_WORKBENCH])
    shown = notebook.output(0)

    upload(page, shown, lab.root / "titanic.csv", "600 rows, 11 columns")
    expect(shown.get_by_role("tab", name="Variables")).to_have_attribute("aria-selected", "true")
    expect(shown.get_by_text("Ignored: PassengerId (looks like an identifier), Name (looks")).to_be_visible()
    learn(shown, 7)
    assert notebook.python("workbench.preparation.leave_out") == ("PassengerId", "Name", "Ticket", "Cabin")

    upload(page, shown, lab.root / "miete.csv", "300 rows, 5 columns")
    expect(shown.get_by_label("Separator")).to_have_value("1")
    expect(shown.get_by_label("Decimal mark")).to_have_value("1")
    expect(shown.get_by_label("Encoding")).to_have_value("1")
    expect(shown.get_by_role("table", name="First rows")).to_contain_text("Fernwärme")
    notebook.widen()
    for width in (800, 1400):
        page.set_viewport_size({"width": width, "height": 900})
        choices = [shown.get_by_role("combobox", name=name) for name in ("Separator", "Encoding", "First row")]
        page.wait_for_function(
            "(fields) => new Set(fields.filter((field) => field.offsetParent)"
            ".map((field) => field.getBoundingClientRect().top)).size === 1",
            arg=[choice.element_handle() for choice in choices],
        )
        cells = shown.get_by_role("table", name="First rows").get_by_role("cell")
        assert max(cells.evaluate_all("(cells) => cells.map((cell) => cell.clientHeight)")) < 40
    expect(choices[-1]).to_be_visible()
    shown.get_by_label("Encoding").select_option(label="UTF-8")
    expect(shown.get_by_role("alert").filter(has_text="is not utf-8; choose another encoding")).to_be_visible()
    expect(shown.get_by_label("Encoding")).to_have_value("1")
    shown.get_by_role("tab", name="Variables").click()
    shown.get_by_label("Part of the dates in Einzug").select_option(label="Month")
    expect(shown.get_by_label("Role of Einzug")).to_have_value("0")
    a_cut_point_is_dragged(notebook, shown)
    variables_are_moved_to_a_tier(notebook, shown)
    learn(shown, 5)
    assert notebook.python("workbench.table.arities[workbench.table.index('Einzug')]") == 10

    upload(page, shown, lab.root / "patients.xlsx", "200 rows, 4 columns")
    shown.get_by_label("Sheet").select_option(label="notes")
    expect(shown.get_by_role("alert").filter(has_text="no column of patients.xlsx can be a variable")).to_be_visible()
    shown.get_by_label("Sheet").select_option(label="patients")
    expect(shown.get_by_role("table", name="First rows")).to_contain_text("weight")
    learn(shown, 3)
    assert notebook.python("list(workbench.table.variables[0].states)") == ["low", "medium", "high"]
