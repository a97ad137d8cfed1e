"""A longitudinal file in the workbench: its units and times are proposed, and the network has two slices."""

from __future__ import annotations

from playwright.sync_api import Page, expect

from tests.browser.shown import box_of
from tests.widgets.workbench.test_panels import visits
from tools.lab import Lab

CELL = "import bnlab\nworkbench = bnlab.Workbench({})\nworkbench"
LEARNING = 60_000


def test_visits_become_transitions_and_a_network_of_two_slices(lab: Lab, page: Page) -> None:
    visits().to_csv(lab.root / "visits.csv", index=False)
    notebook = lab.open(page, lab.write("visits.ipynb", [CELL.format("'visits.csv'")]))
    notebook.run_all_cells()
    shown = notebook.output(0)

    expect(shown.get_by_role("tab", name="Data")).to_have_attribute("aria-selected", "true")
    unit, time = (shown.get_by_role("combobox", name=name, exact=True) for name in ("Unit", "Time"))
    expect(unit.locator("option:checked")).to_have_text("patient")
    expect(time.locator("option:checked")).to_have_text("visit")
    take = shown.get_by_role("button", name="Use transitions")
    unit.select_option(label="Not a panel")
    expect(take).to_be_disabled()
    unit.select_option(label="sex")
    take.click()
    expect(shown.get_by_role("alert").filter(has_text="a unit has one row at a time")).to_be_visible()
    unit.select_option(label="patient")
    take.click()
    expect(shown.get_by_role("button", name="Use rows")).to_be_visible()
    expect(shown.get_by_text("115 transitions, 5 variables used")).to_be_visible()

    shown.get_by_role("button", name="Learn network").click()
    expect(shown.get_by_role("tab", name="Compare")).to_have_attribute("aria-selected", "true", timeout=LEARNING)
    past, present = (shown.get_by_role("button", name=name).first for name in ("bp[t-1]", "bp[t]"))
    expect(past).to_be_visible(timeout=LEARNING)
    present.scroll_into_view_if_needed()
    assert box_of(past)["x"] + box_of(past)["width"] < box_of(present)["x"]
