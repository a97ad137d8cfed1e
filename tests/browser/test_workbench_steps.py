"""Forms of the workbench in narrow places."""

from __future__ import annotations

import io
from pathlib import Path

import pandas as pd
from playwright.sync_api import Page, expect

import bnlab
from tests.browser.shown import Shown
from tests.browser.test_import import titanic


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
