"""Forms of the steps Variables and Knowledge: cut points, tiers and rows by mouse and keys."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pandas as pd
from playwright.sync_api import Page, expect

from bnlab.analysis.preparation_editor import PreparationEditor
from bnlab.widgets.base.controls import Controls, bare, button, histogram, lists, table
from bnlab.widgets.workbench.states import state_lines
from tests.browser.audit import nameless_controls
from tests.browser.shown import Shown, box_of, drag, middle_of

HOSTILE = "<img src=x onerror=alert(1)>"


def sent(shown: Shown) -> list[tuple[str, Any]]:
    return [(message["id"], message["value"]) for message in shown.sent()]


def cuts(*points: float, step: float | None = 0.5) -> list[list[dict[str, Any]]]:
    chart = histogram(
        "age", "Histogram of age", [0.5, 1.0, 0.2], points, "Drag", span=(0, 10), ends=("0", "10"), step=step
    )
    return [[chart], [bare(histogram("small", "Small", [0.5, 1.0], [5], span=(0, 10)))]]


def at(shown: Shown, value: float) -> tuple[float, float]:
    """Place of a value in the histogram."""
    box = box_of(shown.page.locator(".bnlab-histogram > div").first)
    return box["x"] + box["width"] * value / 10, box["y"] + box["height"] / 2


def test_cut_points_are_dragged_and_stay_between_their_neighbours(page: Page, console: list[str]) -> None:
    shown = Shown(page, Controls("Details", cuts(2, 6)), width=400)
    assert not nameless_controls(page, page.locator("#place"))
    drag(page, at(shown, 2), at(shown, 4.1))
    assert sent(shown) == [("age", [4, 6])]
    drag(page, at(shown, 4), at(shown, 9))
    assert sent(shown) == [("age", [5.5, 6])]
    drag(page, at(shown, 6), at(shown, 8), release=False)
    expect(page.get_by_role("slider", name="Cut point 2 of 2")).to_have_attribute("aria-valuenow", "8")
    shown.set(lines=cuts(1, 6))  # an answer to an earlier move
    expect(page.get_by_role("slider", name="Cut point 2 of 2")).to_have_attribute("aria-valuenow", "8")
    page.get_by_role("slider", name="Cut point 2 of 2").press("Escape")
    page.mouse.up()
    assert sent(shown) == []
    page.mouse.dblclick(*at(shown, 9))
    ((name, points),) = sent(shown)
    assert (name, points[-1]) == ("age", 9)
    expect(page.get_by_role("img", name="Small").get_by_role("slider")).to_have_count(0)
    shown.ends_cleanly()


def test_cut_points_are_moved_by_keys_and_sent_once(page: Page) -> None:
    shown = Shown(page, Controls("Details", cuts(2, 6)), width=400)
    first = page.get_by_role("slider", name="Cut point 1 of 2")
    first.focus()
    for key in ("ArrowRight", "ArrowUp", "PageUp", "ArrowLeft"):
        page.keyboard.press(key)
    page.wait_for_function("() => model.sent.length > 0")
    assert sent(shown) == [("age", [5, 6])]
    page.keyboard.press("Delete")
    assert sent(shown) == [("age", [6])]
    shown.set(lines=cuts(6))
    expect(page.get_by_role("slider", name="Cut point 1 of 1")).to_be_focused()
    shown.set(lines=cuts(6, step=None))
    expect(page.get_by_role("slider")).to_have_count(0)
    expect(page.get_by_role("img", name="Histogram of age")).to_be_visible()


def tiers(*placed: list[str], free: tuple[str, ...] = ("a", HOSTILE, "c")) -> list[list[dict[str, Any]]]:
    numbered = [(k, f"Tier {k}", names) for k, names in enumerate(placed, 1)]
    parts = [(None, "No order", free), *numbered, (len(placed) + 1, "New tier", ())]
    return [[lists("tiers", "Tiers", parts, "Drag a variable", find="Find a variable")]]


def test_items_are_dragged_from_list_to_list(page: Page, console: list[str]) -> None:
    shown = Shown(page, Controls("Knowledge", tiers(["b"])), width=700)
    assert not nameless_controls(page, page.locator("#place"))
    expect(page.locator("img[src='x']")).to_have_count(0)
    place = {name: page.get_by_role("group", name=name) for name in ("No order", "Tier 1", "New tier")}
    item = place["No order"].get_by_role("button", name="a", exact=True)
    drag(page, middle_of(item), middle_of(place["New tier"]))
    assert sent(shown) == [("tiers", ["a", 2])]
    shown.set(lines=tiers(["b"], ["a"], free=(HOSTILE, "c")))
    moved = page.get_by_role("group", name="Tier 2").get_by_role("button", name="a")
    drag(page, middle_of(moved), middle_of(place["No order"]))
    assert sent(shown) == [("tiers", ["a", None])]
    shown.set(lines=tiers(["b"]))
    drag(page, middle_of(item), middle_of(place["Tier 1"]), release=False)
    expect(place["Tier 1"]).to_have_class(re.compile("bnlab-over"))
    item.press("Escape")
    page.mouse.up()
    drag(page, middle_of(item), (690, 5))  # beside all lists
    drag(page, middle_of(item), middle_of(place["No order"]))
    item.click()
    assert sent(shown) == []
    expect(page.locator(".bnlab-copy")).to_have_count(0)
    shown.ends_cleanly()


def test_items_are_moved_by_keys_and_keep_the_focus(page: Page) -> None:
    shown = Shown(page, Controls("Knowledge", tiers(["b"])), width=700)
    page.get_by_role("button", name="a", exact=True).focus()
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("End")
    expect(page.get_by_role("button", name="c", exact=True)).to_be_focused()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")  # before the answer to the first move
    assert sent(shown) == [("tiers", ["c", 1])]
    page.evaluate("() => model.hear('msg:custom', { type: 'restore' })")
    page.keyboard.press("ArrowRight")
    assert sent(shown) == [("tiers", ["c", 1])]
    shown.set(lines=tiers(["b", "c"], free=("a", HOSTILE)))
    expect(page.get_by_role("group", name="Tier 1").get_by_role("button", name="c")).to_be_focused()
    page.keyboard.press("ArrowUp")
    expect(page.get_by_role("button", name="b", exact=True)).to_be_focused()
    page.keyboard.press("Shift+Tab")
    expect(page.get_by_role("button", name="a", exact=True)).to_be_focused()
    page.get_by_role("searchbox", name="Find a variable").fill("B")
    expect(page.get_by_role("button", name="a", exact=True)).to_be_hidden()
    expect(page.get_by_role("button", name="b", exact=True)).to_be_visible()


def rows(*names: str) -> list[list[dict[str, Any]]]:
    cells = [(name, [name, [button(f"up:{name}", f"Move {name} up", symbol="↑")]]) for name in names]
    return [[table("states", "States", ("State", "Order"), cells)]]


def test_a_row_that_moves_keeps_the_focus_of_its_button(page: Page) -> None:
    shown = Shown(page, Controls("Details", rows("a", "b")), width=400)
    page.get_by_role("button", name="Move b up").focus()
    page.keyboard.press("Enter")
    assert sent(shown) == [("up:b", True)]
    shown.set(lines=rows("b", "a"))
    expect(page.get_by_role("row").nth(1)).to_contain_text("b")
    expect(page.get_by_role("button", name="Move b up")).to_be_focused()


def test_intervals_are_seen_whole_in_the_fields_of_their_names(page: Page) -> None:
    ages = np.random.default_rng(0).normal(50, 12, 200).round(3)
    editor = PreparationEditor.suggested(pd.DataFrame({"age": ages}))
    lines = state_lines(editor, editor.preparation.apply(editor.frame), "age")
    Shown(page, Controls("Details", lines), width=380)
    fields = page.get_by_role("textbox")
    expect(fields).to_have_count(3)
    assert fields.evaluate_all("(fields) => fields.every((field) => field.scrollWidth <= field.clientWidth)")
    scroll = page.locator(".bnlab-scroll")
    assert scroll.evaluate("(place) => place.scrollWidth <= place.clientWidth")
