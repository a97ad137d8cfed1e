"""The kit of controls in a page of its own."""

from __future__ import annotations

import re
from typing import Any

from playwright.sync_api import Page, expect

from bnlab.widgets.base.controls import (
    Controls,
    bare,
    button,
    cell,
    code,
    file,
    greyed,
    histogram,
    links,
    message,
    number,
    progress,
    select,
    slider,
    table,
    tabs,
    text,
    toggle,
)
from bnlab.widgets.graph.inspector import NodeInspector
from tests.browser.audit import nameless_controls, stops
from tests.browser.shown import Shown

HOSTILE = "<img src=x onerror=alert(1)>"
ESS = {"least": 0.01, "most": 1e4, "step": 0.05, "log": True}


def lines(ess: float = 1.0, view: str = "table", pressed: bool = False, rows: int = 500) -> list[list[dict[str, Any]]]:
    return [
        [
            message("note", HOSTILE, "status"),
            tabs("view", "View", view, [("table", "Table"), ("forest", "Forest plot")]),
        ],
        [
            select("rows", "rows", rows, [(None, "all"), (500, HOSTILE), (1000, "1,000")], "Rows"),
            number("runs", "runs", 3, "Runs", least=1),
            slider("ess", "ess", ess, "Equivalent sample size", **ESS),
            text("name", "Name", "", placeholder="Automatic"),
        ],
        [
            button("go", "Go", main=True),
            button("off", "Off", enabled=False),
            toggle("bars", "Bars", pressed),
            file("upload", "Upload"),
        ],
        [links("findings", "Findings", [("network", HOSTILE), ("directions", "All are open.")])],
        [progress("progress", "Progress", 0.5, "5 of 10")],
        [table("shown", "Networks", ["Network", "Edges"], [("a", ["A", "1"]), ("b", [HOSTILE, "2"])], "a")],
    ]


def sent(shown: Shown) -> list[tuple[str, Any]]:
    return [(told["id"], told["value"]) for told in shown.sent()]


def test_a_file_is_dropped_where_one_is_asked_for(page: Page, console: list[str]) -> None:
    shown = Shown(page, Controls("Data", [[file("upload", "Drop a file here", drop=True)]]))
    zone = page.get_by_role("button", name="Drop a file here")
    make = "() => { const given = new DataTransfer(); given.items.add(new File(['a,b'], 'x.csv')); return given; }"
    given = page.evaluate_handle(make)
    zone.dispatch_event("dragover", {"dataTransfer": given})
    expect(zone).to_have_class(re.compile("bnlab-over"))
    zone.dispatch_event("drop", {"dataTransfer": given})
    expect(zone).not_to_have_class(re.compile("bnlab-over"))
    page.wait_for_function("() => model.sent.length > 0")
    assert shown.sent() == [{"type": "file", "id": "upload", "name": "x.csv", "first": True, "last": True}]


def test_every_control_is_named_drawn_as_text_and_sends_its_value(page: Page, console: list[str]) -> None:
    shown = Shown(page, Controls("Settings", lines()))
    place = page.locator("#place")
    assert not nameless_controls(page, place)
    expect(page.locator("img")).to_have_count(0)
    page.get_by_role("combobox", name="rows").select_option("1,000")
    page.get_by_role("combobox", name="rows").select_option("all")
    page.get_by_label("runs").fill("7")
    page.get_by_label("runs").press("Tab")
    page.get_by_role("button", name="Go").click()
    page.get_by_role("button", name="Off").click(force=True)
    page.get_by_role("button", name="Bars").click()
    page.get_by_role("button", name="All are open.").click()
    page.get_by_role("radio").nth(1).check()
    page.get_by_role("tab", name="Table").press("ArrowRight")
    assert sent(shown) == [
        *(("rows", 1000), ("rows", None), ("runs", 7), ("go", True), ("bars", True)),
        *(("findings", "directions"), ("shown", "b"), ("view", "forest")),
    ]
    shown.set(lines=lines(view="forest", pressed=True))
    expect(page.get_by_role("button", name="Bars")).to_have_attribute("aria-pressed", "true")
    expect(page.get_by_role("tab", name="Forest plot")).to_have_attribute("aria-selected", "true")
    page.get_by_role("button", name="before").focus()
    reached = stops(page, 13)
    assert not [stop["what"] for stop in reached if not stop["shown"]]
    shown.ends_cleanly()


def test_a_slider_steps_in_powers_of_ten_reaches_both_ends_and_ignores_late_answers(page: Page) -> None:
    shown = Shown(page, Controls("Settings", lines()))
    place = page.get_by_role("slider", name="ess, Equivalent sample size")
    place.press("ArrowRight")
    assert sent(shown) == [("ess", 1.12)]
    place.press("End")
    assert sent(shown) == [("ess", 1e4)]
    shown.set(lines=lines(ess=1.12))
    expect(place).to_have_attribute("aria-valuetext", "10000")
    expect(place).to_have_attribute("aria-valuetext", "1.12")
    place.press("Home")
    assert sent(shown) == [("ess", 0.01)]
    shown.set(lines=lines(ess=30))
    expect(place).to_have_attribute("aria-valuetext", "30")
    assert sent(shown) == []


def test_a_refused_value_is_replaced_where_it_was_typed(page: Page) -> None:
    shown = Shown(page, Controls("Settings", lines()))
    field = page.get_by_role("spinbutton", name="ess")
    field.fill("-3")
    field.press("Enter")
    assert sent(shown) == [("ess", -3)]
    page.evaluate("() => model.hear('msg:custom', { type: 'restore' })")
    expect(field).to_have_value("1")


def test_controls_that_come_and_go_leave_the_focus_where_it_is(page: Page, console: list[str]) -> None:
    a, b, c, name = button("a", "A"), button("b", "B"), button("c", "C"), text("name", "Name", "")
    shown = Shown(page, Controls("Settings", [[a, name, b], [c]]))
    field = page.get_by_label("Name")
    field.press_sequentially("my")
    for changed in ([[name], [c]], [[c, a], [b, name]], [[a], [c], [b], [name]], [[name, b, a]]):
        shown.set(lines=changed)
        expect(field).to_be_focused()
        page.keyboard.type("x")
    expect(field).to_have_value("myxxxx")

    page.get_by_role("button", name="B", exact=True).focus()
    shown.set(lines=[[name, c, a]])
    expect(page.get_by_role("button", name="C", exact=True)).to_be_focused()  # it is in the place of B
    shown.set(lines=[[name]])
    expect(field).to_be_focused()


def choice(name: str, chosen: str | None) -> list[dict[str, Any]]:
    made = cell("selected", name, name == chosen, f"{name}\n1", f"cell {name}", sign="✓", tip="", classes=["inside"])
    return [made]


def parts(chosen: str | None = None, method: str = "mdl", shown: str = "a") -> list[list[dict[str, Any]]]:
    methods = [("", "None"), ("mdl", "MDL")]
    rows = [(name, [name, [bare(select(f"method:{name}", f"Method of {name}", method, methods))]]) for name in "abc"]
    cells = [(HOSTILE, [f"{HOSTILE}\ntitle", choice("x", chosen), "", choice("y", chosen)])]
    return [
        [greyed(table("column", "Columns", ["Column", "Method"], rows, shown, find="Find a column"), ["b"])],
        [table("results", "Results", ["Set", "x", "none", "y"], cells)],
        [histogram("bars", "Histogram from 0 to 9", [0.5, 1.0], [2.5], span=(0, 9), ends=("0", "9"))],
        [code("code", "Code that runs it again", f"print({HOSTILE!r})")],
        [table("states", "States", ["State", "Rows"], [("0", [HOSTILE, [progress("share", HOSTILE, 0.5, "3")]])])],
        [toggle("show:a", HOSTILE, True, picture="data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg'/%3E")],
    ]


def test_tables_and_grids_are_worked_by_keys_and_hold_their_focus(page: Page, console: list[str]) -> None:
    shown = Shown(page, Controls("Parts", parts()), width=900)
    assert not nameless_controls(page, page.locator("#place"))
    expect(page.locator("img[src='x']")).to_have_count(0)
    expect(page.get_by_role("img", name="Histogram from 0 to 9")).to_be_visible()
    expect(page.get_by_role("region", name="Code that runs it again")).to_contain_text(HOSTILE)

    page.get_by_role("combobox", name="Method of b").select_option("None")
    page.get_by_role("radio", name="c").check()
    assert sent(shown) == [("method:b", ""), ("column", "c")]
    page.get_by_role("combobox", name="Method of b").focus()
    shown.set(lines=parts(method="", shown="c"))
    expect(page.get_by_role("combobox", name="Method of b")).to_be_focused()
    expect(page.get_by_role("combobox", name="Method of b")).to_have_value("0")
    expect(page.get_by_role("radio", name="c")).to_be_checked()
    page.get_by_role("searchbox", name="Find a column").fill("C")
    expect(page.get_by_role("row", name="b")).to_have_count(0)
    expect(page.get_by_role("radio", name="c")).to_be_visible()

    first, last = (page.get_by_role("button", name=f"cell {name}") for name in "xy")
    first.focus()
    page.keyboard.press("ArrowRight")
    expect(last).to_be_focused()
    page.keyboard.press("Home")
    expect(first).to_be_focused()
    page.keyboard.press("End")
    page.keyboard.press("Enter")
    assert sent(shown) == [("selected", "y")]
    shown.set(lines=parts("y"))
    expect(last).to_have_attribute("aria-pressed", "true")
    expect(last).to_be_focused()
    expect(last).to_have_attribute("tabindex", "0")
    expect(first).to_have_attribute("tabindex", "-1")
    shown.ends_cleanly()


def test_a_table_of_controls_fits_a_narrow_place(page: Page) -> None:
    shown = Shown(page, Controls("Parts", parts()), width=320)
    assert shown.page.locator("#place").evaluate("(place) => place.scrollWidth <= place.clientWidth + 1")
    expect(page.get_by_role("combobox", name="Method of a")).to_be_visible()
    expect(page.get_by_text("Method of a")).to_be_hidden()


def test_a_table_fades_where_it_goes_on_and_loses_columns_that_are_gone(page: Page) -> None:
    def rows(columns: int) -> list[list[dict[str, Any]]]:
        heads = [f"column {i}" for i in range(columns)]
        return [[table("rows", "Rows", heads, [("a", heads), ("b", heads)])]]

    shown = Shown(page, Controls("Data", rows(12)), width=400)
    place = page.locator(".bnlab-scroll")
    hint = "() => getComputedStyle(document.querySelector('.bnlab-table'), '::after').content"
    expect(place).to_have_class("bnlab-scroll bnlab-after")
    assert "Scroll the table sideways" in page.evaluate(hint)
    assert "gradient" in place.evaluate("(place) => getComputedStyle(place).maskImage")
    place.evaluate("(place) => { place.scrollLeft = place.scrollWidth; }")
    expect(place).to_have_class("bnlab-scroll bnlab-before")
    shown.set(lines=rows(2))
    expect(place).to_have_class("bnlab-scroll")
    assert page.evaluate(hint) == "none"
    expect(page.locator("tbody td")).to_have_count(2)


def test_a_line_without_room_folds_into_a_menu_and_comes_back(page: Page, console: list[str]) -> None:
    names = ["Play", "Step", "Reset", "Record"]
    settings = [
        select("speed", "Speed", 1, [(1, "1"), (2, "2")]),
        number("seed", "Seed", 3),
        toggle("keep", "Keep", False),
    ]
    shown = Shown(page, Controls("Player", [[*(button(name, name) for name in names), *settings]]), width=None)
    page.add_style_tag(content=NodeInspector._css.default_value)  # of a widget that comes later
    line, more = page.locator(".bnlab-line"), page.get_by_role("button", name="More")

    def beside(width: int) -> list[str]:
        """Texts of what is beside each other, all in one row within the line."""
        page.set_viewport_size({"width": width, "height": 600})
        shown.settle()
        boxes = line.evaluate("(line) => [line, ...line.children].map((one) => one.getBoundingClientRect().toJSON())")
        row, *found = boxes
        assert all(box["right"] <= row["right"] + 1 and box["height"] <= row["height"] for box in found)
        assert row["height"] < 60
        return [text.strip() for text in line.locator("> *").all_inner_texts()]

    assert [text.partition("\n")[0] for text in beside(1000)] == [*names, "Speed", "Seed", "Keep"]
    assert beside(400)[-1].startswith("More")
    assert [text for text in beside(240) if text in names] == names[:2]
    more.click()
    expect(more).to_have_attribute("aria-expanded", "true")  # and the first control has the focus
    page.get_by_label("Seed").fill("8")
    shown.set(lines=[[*(button(name, name) for name in names), *settings[:2], toggle("keep", "Keep", True)]])
    expect(page.get_by_label("Seed")).to_be_focused()
    page.get_by_label("Seed").press("Tab")
    expect(page.get_by_role("button", name="Keep")).to_have_attribute("aria-pressed", "true")
    page.get_by_role("button", name="Record").click()
    assert sent(shown) == [("seed", 8), ("Record", True)]
    expect(page.get_by_label("Seed")).to_be_hidden()
    expect(more).to_have_attribute("aria-expanded", "false")
    assert len(beside(1000)) == 7
    shown.ends_cleanly()
