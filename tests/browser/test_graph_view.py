"""The picture of a graph in a browser: its module with a model made of plain values."""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import combinations, pairwise
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest
from playwright.sync_api import Locator, Page, expect

from bnlab.figures import slices_layout
from bnlab.figures.graphs.drawing import edge_curve, on_piece
from bnlab.graphs import Dag, essential_graph
from bnlab.networks import asia
from bnlab.widgets import GraphView
from bnlab.widgets.base.controls import button, icon
from tests.browser.audit import nameless_controls
from tests.browser.shown import RECORD_MOVES, Shown, box_of, choose, drag, middle_of, node_of
from tests.figures.graphs.test_slices import random_transition

HOSTILE = ("<img src=x onerror=alert(1)>", '"); drop', "</text><script>alert(1)</script>")

ASIA = asia().dag

BARS = {"states": ["yes", "no"], "p": [0.2, 0.8], "set": None, "before": None}


class ShownGraph(Shown):
    """A view of a graph drawn in a page."""

    def __init__(self, page: Page, view: GraphView) -> None:
        super().__init__(page, view, width=None)

    def node(self, name: str) -> Locator:
        return node_of(self.page, name)

    def edge(self, u: str, v: str) -> Locator:
        return self.page.locator(".bn-edge", has_text=f"{u} → {v}")

    def middle(self, name: str) -> tuple[float, float]:
        return middle_of(self.node(name).locator(".bn-shape"))

    @property
    def frame(self) -> dict[str, float]:
        """Place and size of the picture."""
        return box_of(self.page.locator(".bn-view"))

    def pull(self, start: tuple[float, float], end: tuple[float, float]) -> None:
        drag(self.page, start, end)
        self.settle()

    def lit(self) -> set[str]:
        texts = self.page.locator(".bn-node.bn-lit .bn-name").all_text_contents()
        return set(texts)

    def line(self, u: str, v: str) -> str:
        return str(self.edge(u, v).locator(".bn-line").get_attribute("d"))


Show = Callable[..., ShownGraph]


@pytest.fixture
def show(page: Page) -> Show:
    """Draw a graph in the page; options as for `GraphView.from_graph`."""

    def draw(graph: Any = ASIA, *arguments: Any, **options: Any) -> ShownGraph:
        return ShownGraph(page, GraphView.from_graph(graph, *arguments, **options))

    return draw


def test_every_node_and_edge_is_drawn_with_names_and_heads(show: Show, page: Page) -> None:
    show(editable=True)
    assert page.locator(".bn-name").all_text_contents() == list(ASIA.names)
    assert page.locator(".bn-edge").count() == 8
    heads = page.locator(".bn-head").evaluate_all("(heads) => heads.map((head) => head.getAttribute('d'))")
    assert len(heads) == 8
    assert all(head.endswith("Z") for head in heads)
    expect(page.get_by_role("group", name="directed graph of 8 nodes and 8 edges")).to_be_visible()


def test_dragging_moves_a_node_and_its_edges_and_is_saved_once(show: Show, page: Page) -> None:
    shown = show()
    before, beside = shown.line("tub", "either"), shown.line("smoke", "bronc")
    page.evaluate("() => { for (const e of document.querySelectorAll('.bn-node, .bn-edge')) e.mine = true; }")
    x, y = shown.middle("either")
    saves = page.evaluate("() => model.saves")
    page.mouse.move(x, y)
    page.wait_for_timeout(80)
    hovers = page.evaluate("() => model.saves") - saves
    shown.pull((x, y), (x + 60, y + 20))
    assert page.evaluate("() => model.saves") == saves + hovers + 1
    assert set(shown.get("positions")) == {"either"}
    assert shown.middle("either") == pytest.approx((x + 60, y + 20), abs=1.5), "it stays under the mouse"
    assert shown.line("tub", "either") != before
    assert shown.line("smoke", "bronc") == beside
    assert page.evaluate("() => [...document.querySelectorAll('.bn-node, .bn-edge')].every((e) => e.mine)")
    shown.set(positions={})
    page.wait_for_timeout(400)
    assert shown.middle("either") == pytest.approx((x, y), abs=1.5)
    assert shown.line("tub", "either") == before


def test_clicks_select_nodes_and_edges_and_the_ground_lets_go(show: Show, page: Page) -> None:
    shown = show()
    shown.node("lung").click()
    assert shown.get("selected") == ["lung"]
    shown.node("tub").click(modifiers=["Shift"])
    assert shown.get("selected") == ["lung", "tub"]
    shown.node("lung").click(modifiers=["Shift"])
    assert shown.get("selected") == ["tub"]
    expect(shown.node("tub")).to_have_attribute("aria-pressed", "true")
    shown.edge("smoke", "lung").dispatch_event("click")
    assert shown.get("selected_edge") == ["smoke", "lung"]
    assert shown.get("selected") == []
    page.mouse.click(20, 250)
    assert shown.get("selected_edge") is None


def test_an_edge_can_be_clicked_beside_its_line(show: Show, page: Page) -> None:
    shown = show()
    (x0, y0), (x1, y1) = shown.middle("either"), shown.middle("xray")
    page.mouse.click((x0 + x1) / 2 + 4, (y0 + y1) / 2)
    assert shown.get("selected_edge") == ["either", "xray"]


def test_what_belongs_to_a_node_lights_up(show: Show, page: Page) -> None:
    shown = show()
    for highlight, name, expected in (
        ("neighbours", "either", {"either", "tub", "lung", "xray", "dysp"}),
        ("markov-blanket", "either", {"either", "tub", "lung", "xray", "dysp", "bronc"}),
        ("ancestors", "either", {"either", "tub", "asia", "lung", "smoke"}),
        ("descendants", "smoke", {"smoke", "lung", "bronc", "either", "xray", "dysp"}),
        ("none", "either", set()),
    ):
        shown.set(highlight=highlight, selected=[])
        page.mouse.move(*shown.middle(name))
        page.wait_for_function("(name) => model.state.hovered === name", arg=name)
        shown.settle()
        assert shown.lit() == expected, highlight
        page.mouse.move(2, 2)
        page.wait_for_function("() => model.state.hovered === null")
        shown.set(selected=[name])
        assert shown.lit() == expected, highlight


@pytest.mark.parametrize("how", ["reference", "truth"])
def test_edges_that_the_graph_lacks_light_nothing_up(show: Show, how: str) -> None:
    shown = show(Dag("XYZ", [("X", "Y")]), **{how: Dag("XYZ", [("X", "Y"), ("Y", "Z")])})
    shown.set(hovered="Y")
    assert shown.lit() == {"X", "Y"}


def test_what_lights_up_can_be_chosen(show: Show, page: Page) -> None:
    shown = show()
    page.get_by_role("button", name="View").press("Enter")
    field = page.get_by_label("Highlight")
    expect(field).to_be_focused()
    field.select_option("Markov blanket")
    shown.press("Escape")
    expect(field).to_be_hidden()
    expect(page.get_by_role("button", name="View")).to_be_focused()
    assert shown.get("highlight") == "markov-blanket"


def test_keys_go_along_the_layout_select_and_zoom(show: Show, page: Page) -> None:
    shown = show()
    page.get_by_text("before").focus()
    stops = []
    while "bn-node" not in stops:
        shown.press("Tab")
        stops.append(page.evaluate("() => document.activeElement.getAttribute('class')"))
    assert "bn-view" not in stops
    shown.node("either").focus()
    shown.press("ArrowUp", "Enter")
    assert shown.get("selected") in (["tub"], ["lung"])
    shown.press("ArrowDown", "Space")
    assert shown.get("selected") == ["either"]
    shown.press("ArrowDown", "Shift+Enter")
    assert len(shown.get("selected")) == 2
    wide = shown.middle("asia")
    shown.press("+", "+")
    assert shown.middle("asia") != wide
    shown.press("-", "0")
    assert shown.middle("asia") == pytest.approx(wide, abs=1)
    shown.press("Escape")
    assert shown.get("selected") == []
    shown.press("Tab")
    assert not page.evaluate("() => document.activeElement.classList.contains('bn-node')"), "one stop, not one a node"


def test_a_node_moves_with_alt_and_arrows(show: Show, page: Page) -> None:
    shown = show()
    shown.node("dysp").focus()
    x, _ = shown.middle("dysp")
    shown.press("Alt+ArrowRight", "Alt+ArrowRight")
    page.wait_for_function("() => model.state.positions.dysp")
    assert shown.middle("dysp")[0] > x + 5
    assert page.evaluate("() => model.saves") == 1


def test_edits_are_asked_for_by_keys_only_where_allowed(show: Show, page: Page) -> None:
    shown = show(editable=True)
    shown.node("smoke").focus()
    shown.press("e")
    edge = shown.get("selected_edge")
    assert "smoke" in edge
    shown.press("Delete", "r", "Control+z", "Control+Shift+Z", "Control+y")
    undo, redo = {"type": "undo"}, {"type": "redo"}
    ends = {"u": edge[0], "v": edge[1]}
    edits = [{"type": "edit", "action": action, **ends} for action in ("delete", "reverse")]
    assert shown.sent() == [*edits, undo, redo, redo]
    shown.set(editable=False)
    shown.node("smoke").focus()
    shown.press("Delete", "r", "a", "Control+z")
    assert shown.sent() == []


def test_each_message_brings_what_is_selected(show: Show, page: Page) -> None:
    shown = show(editable=True)
    shown.node("smoke").focus()
    shown.press("Enter", "f")
    assert page.evaluate("() => model.selection") == {"selected": ["smoke"], "selected_edge": None}
    shown.press("e", "r")
    edge = shown.get("selected_edge")
    assert page.evaluate("() => model.selection") == {"selected": ["smoke"], "selected_edge": edge}


def added(sent: list[Any]) -> list[Any]:
    return [message for message in sent if message["type"] != "try"]


def test_an_edge_is_drawn_with_keys_or_from_the_rim(show: Show, page: Page) -> None:
    shown = show(editable=True)
    add = {"type": "edit", "action": "add"}
    shown.node("asia").focus()
    shown.press("a")
    expect(page.get_by_role("status")).to_contain_text("New edge from asia")
    shown.node("smoke").focus()
    shown.press("Enter")
    assert added(shown.sent()) == [{**add, "u": "asia", "v": "smoke"}]
    shown.press("a", "Escape")
    shown.node("asia").click()
    assert shown.sent() == [], "Escape cancels"
    expect(shown.node("xray").locator(".bn-grip")).to_be_hidden()
    page.mouse.move(*shown.middle("xray"))
    grip = middle_of(shown.node("xray").locator(".bn-grip"))
    shown.pull(grip, shown.middle("dysp"))
    assert added(shown.sent()) == [{**add, "u": "xray", "v": "dysp"}]
    assert shown.get("positions") == {}
    shown.pull(grip, (30, 300))
    assert shown.sent() == [], "nothing is under the end"


def test_what_an_edge_would_do_is_shown_at_its_end_while_it_is_drawn(show: Show, page: Page) -> None:
    shown = show(editable=True)
    words, trying = page.locator(".bn-drag-text"), {"type": "try", "u": "asia", "v": "smoke"}
    page.mouse.move(*shown.middle("asia"))
    drag(page, middle_of(shown.node("asia").locator(".bn-grip")), shown.middle("smoke"), release=False)
    assert shown.sent() == [trying]
    shown.set(tried={"u": "asia", "v": "smoke", "text": "BIC −12.00", "sign": -1})
    expect(words).to_have_text("BIC −12.00")
    expect(page.get_by_role("status")).to_have_text("asia → smoke: BIC −12.00")
    assert box_of(words)["y"] < box_of(shown.node("smoke"))["y"]
    page.mouse.move(30, 300)
    assert shown.sent() == [{"type": "try", "u": None, "v": None}]
    expect(words).to_have_text("")
    page.mouse.up()
    shown.node("asia").focus()
    shown.press("a")
    shown.node("asia").press("ArrowRight")
    assert shown.sent() == [trying], "also with the keys"


def test_keys_and_mouse_are_listed(show: Show, page: Page) -> None:
    shown = show()
    shown.node("asia").focus()
    shown.press("?")
    listed = page.get_by_role("group", name="Keys and mouse")
    expect(listed).to_be_visible()
    expect(listed).to_contain_text("Zoom in")
    expect(listed).not_to_contain_text("Undo")
    shown.press("Escape")
    expect(listed).to_be_hidden()
    shown.set(editable=True)
    page.get_by_role("button", name="Keys and mouse").click()
    expect(listed).to_contain_text("Undo")


def test_the_wheel_zooms_after_a_click_and_the_ground_can_be_dragged(show: Show, page: Page) -> None:
    shown = show()
    x, y = shown.middle("either")
    page.mouse.move(x, y)
    page.mouse.wheel(0, -200)
    shown.settle()
    assert shown.middle("either") == (x, y), "the page scrolls"
    expect(page.get_by_role("status")).to_contain_text("to zoom with the wheel")
    shown.node("either").click()
    width = box_of(shown.node("asia"))["width"]
    page.mouse.wheel(0, -200)
    shown.settle()
    assert box_of(shown.node("asia"))["width"] > 1.2 * width
    assert shown.middle("either") == pytest.approx((x, y), abs=2), "what is under the mouse stays"
    shown.pull((20, 300), (60, 280))
    assert shown.middle("either") == pytest.approx((x + 40, y - 20), abs=2)
    page.get_by_role("button", name="Fit").click()
    assert shown.middle("either") == pytest.approx((x, y), abs=2)


def test_two_fingers_zoom(show: Show, page: Page) -> None:
    shown = show()
    before = box_of(shown.node("asia"))["width"]
    page.evaluate("""() => {
      const place = document.querySelector(".bn-view"), box = place.getBoundingClientRect();
      const touch = (type, pointerId, x) => place.dispatchEvent(new PointerEvent(type, { bubbles: true, pointerId,
        button: 0, pointerType: "touch", clientX: box.x + x, clientY: box.y + 10 }));
      touch("pointerdown", 11, 100); touch("pointerdown", 12, 200); touch("pointermove", 12, 300);
      touch("pointerup", 11, 100); touch("pointerup", 12, 300);
    }""")
    assert box_of(shown.node("asia"))["width"] == pytest.approx(2 * before, rel=0.1)


def test_a_name_is_found_and_enter_goes_to_the_next(show: Show, page: Page) -> None:
    shown = show()
    field = page.get_by_label("Find a node")
    field.fill("S")
    expect(page.get_by_role("status")).to_have_text("asia (1 of 3)")
    assert shown.get("selected") == []
    found = []
    for _ in range(4):
        shown.press("Enter")
        found += shown.get("selected")
    assert found == ["asia", "smoke", "dysp", "asia"]
    field.fill("zzz")
    expect(page.get_by_role("status")).to_have_text("No node has “zzz” in its name.")
    shown.press("Escape")
    expect(field).to_have_value("")


def test_bars_show_and_take_evidence(show: Show, page: Page) -> None:
    bars = {**BARS, "before": [0.5, 0.5]}
    shown = show(bars=dict.fromkeys(ASIA.names, bars))
    expect(shown.node("lung").locator(".bn-share")).to_have_text(["20%", "80%"])
    low, high = shown.node("lung").locator(".bn-fill").all()
    assert float(high.get_attribute("width") or 0) == pytest.approx(4 * float(low.get_attribute("width") or 0))
    shown.node("lung").locator(".bn-bar").nth(1).click()
    shown.press("1")
    evidence = {"type": "evidence", "node": "lung"}
    assert shown.sent() == [{**evidence, "state": 1}, {**evidence, "state": 0}]
    assert shown.get("selected") == []
    shown.set(nodes=[{**node, "bars": {**bars, "set": 1}} for node in shown.get("nodes")])
    shown.node("lung").locator(".bn-bar").nth(1).click()
    assert shown.sent() == [{**evidence, "state": None}], "a second click takes it back"

    row, share = (shown.node("lung").locator(part).first for part in (".bn-row", ".bn-share"))
    box, place = box_of(row), shown.node("lung").get_attribute("transform")
    start = (box["x"] + 4, box["y"] + box["height"] / 2)
    drag(page, start, (box["x"] + 0.7 * box["width"], box["y"]), release=False)
    expect(share).to_have_text(re.compile("^(69|70|71)%$"))  # the pointer is on a whole pixel
    page.mouse.up()
    (sent,) = shown.sent()
    assert sent == {"type": "weigh", "node": "lung", "state": 0, "p": pytest.approx(0.7, abs=0.011)}
    assert shown.node("lung").get_attribute("transform") == place, "a bar is dragged, not its node"


# Pixels between the lowest point of the letters of a state, in a size of the text, and the mark of its share before.
GAP_BELOW_STATE = """([bar, size]) => {
  const [text, mark] = [bar.querySelector(".bn-state"), bar.querySelector(".bn-before")];
  const pen = document.createElement("canvas").getContext("2d");
  pen.font = `${size}px ${getComputedStyle(text).fontFamily}`;
  return mark.y.baseVal.value - text.y.baseVal[0].value - pen.measureText(text.textContent).actualBoundingBoxDescent;
}"""


def test_evidence_moves_bars_and_makes_nothing_anew(show: Show, page: Page) -> None:
    shown = show(bars=dict.fromkeys(ASIA.names, BARS))
    page.evaluate("() => { for (const e of document.querySelectorAll('.bn-node *')) e.mine = true; }")
    later = {**BARS, "p": [0.9, 0.1], "before": [0.2, 0.8]}
    shown.set(nodes=[{**node, "bars": later} for node in shown.get("nodes")])
    expect(shown.node("lung").locator(".bn-share")).to_have_text(["90%", "10%"])
    expect(shown.node("lung").locator(".bn-bar title").first).to_have_text("lung = yes: 0.900 (before: 0.200)")
    fresh = page.evaluate("""() => [...document.querySelectorAll(".bn-node *")].filter((e) => !e.mine)
      .map((e) => e.getAttribute("class"))""")
    assert fresh == ["bn-before"] * 2 * len(ASIA)
    for size in (11, 13):
        gap = page.evaluate(GAP_BELOW_STATE, [shown.node("lung").locator(".bn-bar").first.element_handle(), size])
        assert gap >= 0, "the mark of the share before runs through a letter"
    shown.set(nodes=[{**node, "bars": BARS} for node in shown.get("nodes")])
    assert page.locator(".bn-before").count() == 0


def test_a_problem_in_python_is_told_below_the_picture(show: Show, page: Page) -> None:
    shown = show()
    expect(page.get_by_role("alert")).to_be_hidden()
    shown.set(problem=f"Not done: {HOSTILE[0]}")
    expect(page.get_by_role("alert")).to_have_text(f"Not done: {HOSTILE[0]}")
    shown.set(problem="")
    expect(page.get_by_role("alert")).to_be_hidden()


def test_all_of_a_bent_edge_fits(show: Show, page: Page) -> None:
    edges = {"points": [], "kind": "plain", "strength": None, "title": "", "directed": True}
    places = {"a": 0, "b": 60, "c": 120}
    node = {"x": 0, "w": 50, "h": 30, "shape": "oval", "kind": "", "title": "", "bars": None}
    shown = show(Dag.from_edges("abc", [("a", "c")]))
    shown.set(
        nodes=[{**node, "name": name, "y": y} for name, y in places.items()], edges=[edges | {"u": "a", "v": "c"}]
    )
    page.get_by_role("button", name="Fit").click()
    line, middle = box_of(shown.edge("a", "c").locator(".bn-line")), box_of(shown.node("b").locator(".bn-shape"))
    right, left = line["x"] + line["width"], line["x"]
    assert right > middle["x"] + middle["width"] or left < middle["x"], "the edge goes around"
    centre = shown.frame["x"] + shown.frame["width"] / 2
    extent = [min(left, middle["x"]), max(right, middle["x"] + middle["width"])]
    assert sum(extent) / 2 == pytest.approx(centre, abs=4), "edge and nodes are in the middle together"


@pytest.mark.parametrize("width", [600, 900, 1400])
def test_a_picture_of_few_nodes_is_no_higher_than_it_needs_and_they_are_large(
    show: Show, page: Page, width: int
) -> None:
    page.set_viewport_size({"width": width, "height": 900})
    shown = show(Dag.from_edges("abc", [("a", "b"), ("a", "c")]), height=600)
    assert 200 < shown.frame["height"] < 300
    assert 50 < box_of(shown.node("a").locator(".bn-shape"))["height"] < 60
    shown = show(height=600)
    assert shown.middle("dysp")[1] - shown.middle("asia")[1] > 0.7 * shown.frame["height"]


def test_what_cannot_be_drawn_is_said_and_the_next_graph_is_drawn(show: Show, page: Page) -> None:
    shown = show()
    nodes = shown.get("nodes")
    shown.set(nodes=[{**nodes[0], "bars": {"states": 3}}])
    expect(page.get_by_role("alert")).to_contain_text("could not be drawn")
    shown.set(nodes=nodes)
    expect(page.get_by_role("alert")).to_be_hidden()
    assert page.locator(".bn-name").all_text_contents() == list(ASIA.names)


def test_another_graph_patches_what_is_there(show: Show, page: Page) -> None:
    shown = show()
    page.evaluate("() => { for (const e of document.querySelectorAll('.bn-node, .bn-edge')) e.mine = true; }")
    view = GraphView.from_graph(ASIA)
    names = [name for name in ASIA.names if name != "xray"]
    kept = [edge for edge in ASIA.edges if "xray" not in edge][1:]
    view.set_graph(Dag.from_edges([*names, "new"], [*kept, ("new", "dysp"), ("asia", "smoke")]))
    shown.set(nodes=view.nodes, edges=view.edges)
    assert page.locator(".bn-name").all_text_contents() == [*names, "new"]
    assert page.locator(".bn-edge").count() == len(kept) + 2
    fresh = page.evaluate("""() => [...document.querySelectorAll(".bn-node, .bn-edge")].filter((e) => !e.mine)
      .map((e) => e.querySelector("title").textContent)""")
    assert sorted(fresh) == ["asia → smoke", "new", "new → dysp"]


def test_edges_differ_in_width_by_strength_and_in_dashes_by_kind(show: Show, page: Page) -> None:
    shown = show(strengths={("asia", "tub"): 1.0, ("smoke", "lung"): 4.0}, strength_label="gain")
    widths = [
        float(shown.edge(*e).locator(".bn-line").evaluate("(line) => parseFloat(getComputedStyle(line).strokeWidth)"))
        for e in [("asia", "tub"), ("smoke", "lung")]
    ]
    assert widths[1] > 2 * widths[0]
    expect(shown.edge("smoke", "lung").locator("title")).to_have_text("smoke → lung\ngain: 4")
    other = Dag.from_edges(ASIA.names, [("tub", "asia"), ("asia", "dysp"), ("smoke", "lung")])
    for given, words in (
        ({"truth": ASIA}, ["True 1", "Reversed 1", "Extra 1", "Missing 6"]),
        ({"reference": {HOSTILE[0]: ASIA}}, ["In both 1", "Reversed 1", "Only here 1", f"Only in {HOSTILE[0]} 6"]),
    ):
        show(other, **given)
        styles = page.locator(".bn-edge .bn-line").evaluate_all(
            "(lines) => lines.map((line) => [line.style.stroke, line.style.strokeDasharray].join('|'))"
        )
        assert len(set(styles)) == 4
        assert page.locator(".bn-chip").all_text_contents() == words
    show(essential_graph(ASIA), truth=other)
    expect(page.locator(".bn-chip").last).to_have_text("Direction not decided 3")
    samples = page.locator(".bn-chip path").evaluate_all(
        "(samples) => samples.map((sample) => [sample.getAttribute('d'), sample.getAttribute('style')].join('|'))"
    )
    assert len(set(samples)) == len(samples) >= 4


def test_labels_of_edges_that_cross_are_apart(show: Show, page: Page) -> None:
    edges = [(u, v) for u in "ab" for v in "cd"]
    show(Dag.from_edges("abcd", edges), labels=dict.fromkeys(edges, "100%"))
    boxes = [box_of(label) for label in page.locator(".bn-edge .bn-label").all()]
    assert len(boxes) == 4
    for one, other in combinations(boxes, 2):
        apart = [
            abs(one[at] - other[at]) - (one[size] + other[size]) / 2 for at, size in (("x", "width"), ("y", "height"))
        ]
        assert max(apart) > -5  # the line of a text is higher than its letters


def test_a_moved_edge_goes_around_other_nodes(show: Show, page: Page) -> None:
    shown = show(Dag.from_edges("abc", [("a", "b"), ("b", "c"), ("a", "c")]))
    (x, top), (_, middle), (_, bottom) = (shown.middle(name) for name in "abc")
    for name, y in (("a", top), ("b", middle), ("c", bottom)):
        shown.pull(shown.middle(name), (x + 30, y + 6))
    box = box_of(shown.node("b").locator(".bn-shape"))
    points = (
        shown.edge("a", "c")
        .locator(".bn-line")
        .evaluate(
            """(line) => Array.from({ length: 50 }, (_, i) => line.getPointAtLength(line.getTotalLength() * i / 49))
            .map((point) => point.matrixTransform(line.getScreenCTM())).map(({ x, y }) => [x, y])"""
        )
    )
    a, b = box["width"] / 2, box["height"] / 2
    away = [((px - box["x"] - a) / a) ** 2 + ((py - box["y"] - b) / b) ** 2 for px, py in points]
    assert min(away) > 1


def test_edges_over_several_lags_pass_between_nodes(show: Show, page: Page) -> None:
    dag = random_transition(1, 5, 2, 3)
    shown = show(dag)
    points = shown.page.locator(".bn-line").evaluate_all(
        """(lines) => lines.map((line) => Array.from({ length: 200 }, (_, i) =>
          line.getPointAtLength(line.getTotalLength() * i / 199)).map(({ x, y }) => [x, y]))"""
    )
    layout, index = slices_layout(dag), {name: i for i, name in enumerate(dag.names)}
    for edge, line in zip(GraphView.from_graph(dag).edges, map(np.array, points), strict=True):
        apart = (((line[:, None] - layout.centres) / (layout.sizes / 2)) ** 2).sum(axis=2)
        assert apart.min() > 0.95  # lines begin at the rims of their own nodes
        curve = edge_curve(layout, (index[edge["u"]], index[edge["v"]]))
        still = np.vstack([on_piece(piece, np.linspace(0, 1, 400)) for piece in curve])
        assert np.hypot(*(line[:, None] - still).T).min(axis=0).max() < 1.5  # as in the still picture


def test_the_picture_is_saved_as_a_file_that_needs_nothing_else(show: Show, page: Page) -> None:
    show(Dag.from_edges([*HOSTILE], [(HOSTILE[0], HOSTILE[1])]), truth=Dag.empty(HOSTILE), selected=[HOSTILE[0]])
    with page.expect_download() as waiting:
        choose(page, "Export", "SVG")
    root = ElementTree.parse(waiting.value.path()).getroot()
    texts = [text.text for text in root.iter("{http://www.w3.org/2000/svg}text")]
    assert texts[-1] == "Extra 1"
    assert '"); drop' in texts
    assert not [e for e in root.iter() if e.tag.endswith(("script", "img", "style"))]
    shapes = list(root.iter("{http://www.w3.org/2000/svg}ellipse"))
    assert {shape.get("fill") for shape in shapes} == {"rgb(238, 243, 251)"}, "selection is no part of it"
    assert "var(" not in ElementTree.tostring(root, encoding="unicode")
    with page.expect_download() as waiting:
        choose(page, "Export", "PNG")
    assert Path(waiting.value.path()).read_bytes().startswith(b"\x89PNG")


def test_a_long_name_is_shortened_in_its_node_and_whole_in_its_tooltip(show: Show, page: Page) -> None:
    name = "a_very_long_name_of_a_variable_indeed_it_is"
    show(Dag.empty([name, "b"]))
    text = page.locator(".bn-name").first
    assert "…" in str(text.text_content())
    assert text.evaluate("(text) => text.getComputedTextLength() < text.parentNode.firstChild.getBBox().width")
    expect(page.locator(".bn-node > title").first).to_have_text(name)


def test_a_closed_view_leaves_nothing_behind(show: Show, page: Page) -> None:
    show()
    assert page.evaluate("() => model.listeners()") > 5
    page.evaluate("() => stop()")
    assert page.evaluate("() => model.listeners()") == 0
    assert page.evaluate("() => document.querySelector('.bn-graph').childElementCount") == 0


def test_only_what_changes_is_drawn_anew_in_a_large_graph(show: Show, page: Page) -> None:
    chain = Dag.from_edges([f"v{i}" for i in range(300)], [(f"v{a}", f"v{b}") for a, b in pairwise(range(300))])
    shown = show(chain)
    page.evaluate("""() => {
      globalThis.touched = 0;
      new MutationObserver((records) => { touched += records.length; })
        .observe(document.querySelector(".bn-view"), { subtree: true, attributes: true, childList: true });
    }""")
    shown.set(hovered="v150")
    shown.set(selected=["v7"])
    assert page.evaluate("() => touched") < 40


def test_a_large_graph_is_moved_as_a_picture_and_drawn_again_when_it_rests(show: Show, page: Page) -> None:
    shown = show(Dag.from_edges([f"v{i}" for i in range(151)], [("v0", f"v{i}") for i in range(1, 151)]), height=400)
    page.locator(".bn-view").focus()
    world, scene = page.locator(".bn-scene > g"), page.locator(".bn-scene")
    drawn, x = world.get_attribute("transform"), shown.middle("v140")[0]
    page.evaluate("""() => {
      const press = (key) => document.activeElement.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
      ["+", "+"].forEach(press);
      globalThis.during = [".bn-scene > g", ".bn-scene"].map((part) => document.querySelector(part))
        .map((part) => part.getAttribute("transform") ?? part.style.transform);
      globalThis.width = document.querySelector(".bn-shape").getBoundingClientRect().width;
    }""")
    during, width = page.evaluate("() => during"), page.evaluate("() => width")
    assert during[0] == drawn
    assert "scale(1.5625)" in during[1]
    expect(world).not_to_have_attribute("transform", drawn or "")
    assert scene.evaluate("(scene) => scene.style.transform") == ""
    at = page.locator(".bn-shape").first.evaluate("(shape) => shape.getBoundingClientRect().width")
    assert at == pytest.approx(width, rel=0.02)
    assert shown.middle("v140")[0] != pytest.approx(x, abs=1)


@pytest.mark.parametrize("width", [1400, 800, 400])
def test_the_toolbar_is_one_row_that_no_selection_changes(show: Show, page: Page, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 900})
    tools = [icon(name, name.capitalize()) for name in ("undo", "redo", "clear")]
    shown = show(editable=True, toolbar={"tools": tools, "view": [button("reset", "Reset positions")], "save": []})
    bar = page.get_by_role("toolbar")

    def places() -> list[dict[str, float]]:
        return [box_of(one) for one in bar.locator("button:visible, input:visible").all()]

    before = places()
    assert len({box["y"] for box in before}) == 1
    assert all(box["x"] + box["width"] <= width for box in before)
    shown.edge("smoke", "lung").dispatch_event("click")
    shown.settle()
    assert places() == before
    choose(page, "View", "Reset positions")
    assert shown.sent() == [{"type": "control", "id": "reset", "value": True}]
    expect(page.get_by_role("button", name="Reset positions")).to_be_hidden()
    assert not nameless_controls(page, bar)


@pytest.mark.parametrize("top", [0, 120, 380])
def test_a_menu_opens_where_there_is_room_for_it(show: Show, page: Page, top: int) -> None:
    page.set_viewport_size({"width": 700, "height": 450})
    show(toolbar={"tools": [], "view": [button(f"b{i}", f"Button {i}") for i in range(4)], "save": []})
    page.evaluate("(top) => Object.assign(document.body.style, {position: 'absolute', top: `${top}px`})", top)
    opener = page.get_by_role("button", name="View", exact=True)
    opener.click()
    menu, button_box = box_of(page.locator(".bnlab-menu:popover-open")), box_of(opener)
    assert menu["y"] >= 0
    assert menu["y"] + menu["height"] <= 450
    assert menu["height"] > 150, "the menu has to be scrolled although there is room"
    above, below = menu["y"] + menu["height"] <= button_box["y"], menu["y"] >= button_box["y"] + button_box["height"]
    assert (above, below) == (top == 380, top != 380)


OUTSIDE = """
async (width) => {
  document.body.style.width = `${width}px`;
  // After the picture of the next frame.
  await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
  const view = document.querySelector(".bn-view").getBoundingClientRect();
  const boxes = [...document.querySelectorAll(".bn-shape")].map((shape) => shape.getBoundingClientRect());
  return boxes.filter(({ left, right }) => left < view.left || right > view.right).length;
}
"""


@pytest.mark.parametrize("motion", ["no-preference", "reduce"])
def test_no_node_is_cut_beside_the_details_of_a_selection(show: Show, page: Page, motion: Any) -> None:
    page.emulate_media(reduced_motion=motion)
    page.set_viewport_size({"width": 1300, "height": 900})
    shown = show(height=500)
    shown.node("lung").click()
    for width in (600, 400, 1200):
        assert page.evaluate(OUTSIDE, width) == 0
        assert shown.get("selected") == ["lung"]


def test_the_second_of_two_clicks_is_on_the_same_node_though_the_first_moves_the_picture(
    show: Show, page: Page
) -> None:
    page.set_viewport_size({"width": 1300, "height": 900})
    shown = show(height=500)
    page.mouse.move(*shown.middle("dysp"))
    page.mouse.down(click_count=1)
    page.mouse.up(click_count=1)
    page.set_viewport_size({"width": 1000, "height": 900})
    shown.settle()
    page.mouse.down(click_count=2)
    page.mouse.up(click_count=2)
    assert shown.get("selected") == ["dysp"]
    assert shown.sent() == [{"type": "focus", "node": "dysp"}]


def test_the_right_button_on_a_bar_sets_a_state(show: Show, page: Page) -> None:
    bars = {**BARS, "p": [1.0, 0.0], "set": 0}
    shown = show(bars=dict.fromkeys(ASIA.names, bars), node_kinds={"lung": "intervention"})
    for name in ("lung", "tub"):
        shown.page.locator(".bn-node", has_text=name).first.locator(".bn-bar").first.click(button="right")
    do = {"type": "do", "state": 0}
    assert shown.sent() == [{**do, "node": "lung", "state": None}, {**do, "node": "tub"}]
    expect(page.locator(".bn-kind-intervention .bn-name")).to_have_text("do lung")


def texts_of(show: Show, states: list[str]) -> list[str]:
    """What is written beside the bars of a node with these states."""
    shown = show(bars={"lung": {**BARS, "states": states, "p": [1 / len(states)] * len(states)}})
    return shown.page.locator(".bn-state").all_text_contents()


def test_the_interval_of_a_state_loses_digits_and_is_not_cut(show: Show, page: Page) -> None:
    states = [
        "<=21.845612345",
        "(-inf, 21.845612]",
        "(21.845612, 25.151234]",
        "(25.151234, inf)",
        "(1.23456e-05, 2.5e-05]",
    ]
    shown = texts_of(show, states)
    assert shown[0].startswith("<=21.8")
    assert not any("…" in text for text in shown[:4]), shown
    assert all(text[0] == "(" and text[-1] in ")]" and ", " in text for text in shown[1:4])
    assert shown[4].startswith("(1.2"), "what does not fit loses its end, not its middle"
    titles = page.locator(".bn-bar > title").all_text_contents()
    assert [title.split(" = ")[1].rsplit(": ", 1)[0] for title in titles] == states


def test_a_cut_between_two_states_has_one_number(show: Show, page: Page) -> None:
    states = ["<=27.3152", "(27.3152, 45.7125]", ">45.7125", "missing"]
    low, middle, high, missing = texts_of(show, states)
    assert middle == f"({low.removeprefix('<=')}, {high.removeprefix('>')}]"
    assert missing == "missing"


@pytest.mark.parametrize(
    "states",
    [
        ["strongly agree", "strongly disagree"],
        ["eher zufrieden", "eher unzufrieden"],
        [f"an answer that is far too long to be shown, {word}ably" for word in ("prob", "not prob")],
    ],
)
def test_states_that_are_alike_are_told_apart(states: list[str], show: Show, page: Page) -> None:
    first, second = texts_of(show, states)
    assert first != second
    room, share = (box_of(page.locator(part).first) for part in (".bn-row", ".bn-share"))
    for name in page.locator(".bn-state").all():
        box = box_of(name)
        assert room["x"] <= box["x"]
        assert box["x"] + box["width"] <= share["x"]


OVERLAPS = """
() => {
  const boxes = [...document.querySelectorAll(".bn-over")].map((text) => text.getBoundingClientRect());
  const meet = (a, b) => a.left < b.right && b.left < a.right && a.top + 2 < b.bottom && b.top + 2 < a.bottom;
  return boxes.some((one, i) => boxes.slice(i + 1).some((other) => meet(one, other)));
}
"""


COVERED = """
() => {
  const boxOf = (element) => element.getBoundingClientRect();
  const nodes = [...document.querySelectorAll(".bn-node")].map((node) => {
    return { name: node.querySelector(".bn-name").textContent, box: boxOf(node.querySelector(".bn-shape")) };
  });
  const meet = (a, b, slack) =>
    a.left + 1 < b.right && b.left + 1 < a.right && a.top + slack < b.bottom && b.top + slack < a.bottom;
  const isOf = (name, text) => {
    const [start, end] = text.split("…");
    return end === undefined ? name === text : name.startsWith(start) && name.endsWith(end);
  };
  return [...document.querySelectorAll(".bn-over")].flatMap((text) => {
    const hidden = nodes.filter(({ name, box }) => !isOf(name, text.textContent) && meet(boxOf(text), box, 3));
    return hidden.map(({ name }) => [text.textContent, name]);
  });
}
"""
CUT_OFF = """
() => {
  const frame = document.querySelector(".bn-view").getBoundingClientRect();
  const texts = [...document.querySelectorAll(".bn-over")].map((text) => {
    return [text.textContent, text.getBoundingClientRect()];
  });
  return texts.filter(([, { left, right }]) => left < frame.left || right > frame.right).map(([name]) => name);
}
"""


# Whether the middle of a text lies in a node, and whether its halo is fainter there.
HALOS = """
() => {
  const boxes = [...document.querySelectorAll(".bn-shape")].map((shape) => shape.getBoundingClientRect());
  return [...document.querySelectorAll(".bn-over")].map((text) => {
    const { left, right, top, bottom } = text.getBoundingClientRect();
    const [x, y] = [(left + right) / 2, (top + bottom) / 2];
    const isIn = boxes.some((box) => box.left < x && x < box.right && box.top < y && y < box.bottom);
    return [isIn, getComputedStyle(text).strokeOpacity !== "1"];
  });
}
"""


def test_names_in_a_small_picture_hide_no_other_node_and_are_whole(show: Show, page: Page) -> None:
    page.set_viewport_size({"width": 640, "height": 900})
    wide = Dag([f"a_long_name_{i}" for i in range(60)], [[], *([i % 12] if i % 12 < i else [] for i in range(1, 60))])
    halos = []
    for graph, height in ((random_tree(200), 600), (random_tree(50), 500), (wide, 300)):
        shown = show(graph, height=height)
        assert page.locator(".bn-over").count() > 15
        assert page.evaluate(COVERED) == []
        assert page.evaluate(CUT_OFF) == []
        halos += page.evaluate(HALOS)
        shown.page.goto("about:blank")
    assert {faint for _, faint in halos} == {True, False}
    assert all(lies_in_a_node == faint for lies_in_a_node, faint in halos)


LINES = """
() => [...document.querySelectorAll(".bn-over")].filter((text) => text.childElementCount > 1).map((text) => {
  const { top, bottom, left } = text.getBoundingClientRect();
  const boxes = [...document.querySelectorAll(".bn-shape")].map((shape) => shape.getBoundingClientRect());
  const own = boxes.find((box) => box.left - 9 < left && left < box.right && box.top < bottom && top < box.bottom);
  return Math.max(own.top - top, bottom - own.bottom) / own.height;
})
"""


def test_names_in_place_of_bars_stay_in_their_nodes_and_are_shortened_where_nothing_else_has_room(
    show: Show, page: Page
) -> None:
    page.set_viewport_size({"width": 640, "height": 900})
    names = [f"Mountain{i}humidity" if i % 2 else f"MountainRain{i}" for i in range(42)]
    dag = Dag(names, [[], *([i // 5] for i in range(41))])
    bars = {**BARS, "states": ["low", "middle", "high"], "p": [0.2, 0.5, 0.3]}
    shown = show(dag, bars=dict.fromkeys(names, bars), height=420)
    shown.node(names[0]).focus()
    shortened, over = 0, []
    while page.locator(".bn-bar:visible").count() == 0:
        texts = page.locator(".bn-over").all_text_contents()
        assert len(texts) == len(names)
        shortened += sum("…" in text for text in texts)
        over += page.evaluate(LINES)
        assert page.evaluate(COVERED) == []
        assert not page.evaluate(OVERLAPS)
        shown.press("+")
    assert shortened > 0
    assert over
    assert max(over) < 0.2


def test_names_are_nine_pixels_high_at_every_zoom_and_do_not_overlap(show: Show, page: Page) -> None:
    shown = show(random_tree(290), height=300)
    counts = []
    for _ in range(12):
        names = page.locator(".bn-over:visible, .bn-name:visible")
        heights = names.evaluate_all(
            "(texts) => texts.map((text) => parseFloat(getComputedStyle(text).fontSize) * text.getScreenCTM().a)"
        )
        assert min(heights) > 8.999
        assert not page.evaluate(OVERLAPS)
        counts.append(len(heights))
        shown.node("variable_7").focus()
        shown.press("+")
        expect(page.locator(".bn-moving"), "the picture rests, and is drawn").to_have_count(0)
    assert 20 < counts[0] < 290, "the less important are left out of a small picture"
    assert counts[-1] == 290


def test_enter_in_the_search_goes_to_a_node_of_a_large_graph_at_a_size_to_read(show: Show, page: Page) -> None:
    shown = show(random_tree(150), height=300)
    assert page.evaluate("() => document.querySelector('.bn-name').getClientRects().length") == 0
    search = page.get_by_role("searchbox")
    search.fill("variable_77")
    search.press("Enter")
    shown.settle()
    expect(shown.node("variable_77").locator(".bn-name")).to_be_visible()
    assert shown.middle("variable_77") == pytest.approx(middle_of(page.locator(".bn-view")), abs=2)
    assert shown.get("selected") == ["variable_77"]


def test_nodes_of_a_large_graph_have_the_colours_of_their_modules(show: Show, page: Page) -> None:
    groups = [[f"{letter}{i}" for i in range(50)] for letter in "ab"]
    edges = [(group[0], other) for group in groups for other in group[1:]]
    shown = show(Dag.from_edges([name for group in groups for name in group], [*edges, ("a0", "b0")]))
    fill = "(shape) => getComputedStyle(shape).fill"
    fills = {name: shown.node(name).locator(".bn-shape").evaluate(fill) for name in ("a0", "a7", "b0", "b7")}
    assert fills["a0"] == fills["a7"] != fills["b0"] == fills["b7"]
    expect(page.locator(".bn-legend")).to_have_text("Colour: module of nodes with many edges among them")
    shown.set(nodes=[{**node, "kind": "evidence" if node["name"] == "a7" else ""} for node in shown.get("nodes")])
    assert shown.node("a7").locator(".bn-shape").evaluate(fill) not in fills.values()


def test_the_name_of_a_node_under_the_mouse_is_shown_at_every_zoom(show: Show, page: Page) -> None:
    shown = show(Dag([f"variable_{i}" for i in range(200)], [[], *([0] for _ in range(199))]), height=300)
    before = sorted(page.locator(".bn-over").all_text_contents())
    hidden = next(f"variable_{i}" for i in range(200) if f"variable_{i}" not in before)
    shown.set(hovered=hidden)
    assert hidden in page.locator(".bn-over.bn-lit").all_text_contents()
    assert not page.evaluate(OVERLAPS)
    shown.set(hovered=None)
    assert sorted(page.locator(".bn-over").all_text_contents()) == before


def test_the_texts_of_bars_are_nine_pixels_high_or_hidden(show: Show, page: Page) -> None:
    shown = show(bars=dict.fromkeys(ASIA.names, BARS))
    shown.node("asia").focus()
    for _ in range(6):
        heights = page.locator(".bn-state:visible, .bn-share:visible").evaluate_all(
            "(texts) => texts.map((text) => parseFloat(getComputedStyle(text).fontSize) * text.getScreenCTM().a)"
        )
        assert all(height > 8.9 for height in heights)
        shown.press("-")
    assert heights == []
    shown.press(*"---")
    expect(page.locator(".bn-bar:visible"), "the bars give way to the names").to_have_count(0)
    assert set(page.locator(".bn-over").all_text_contents()) == set(ASIA.names)


def test_two_heads_share_the_directions_of_an_edge(show: Show, page: Page) -> None:
    pair = ("smoke", "lung")
    shown = show(labels={pair: "87%"}, shares={pair: 0.64})
    expect(shown.edge(*pair).locator(".bn-label")).to_have_text("87%")
    heads = [shown.edge(*pair).locator(part) for part in (".bn-head", ".bn-tail")]
    opacity = [float(head.evaluate("(head) => getComputedStyle(head).fillOpacity")) for head in heads]
    assert opacity == pytest.approx([0.64, 0.36], abs=0.01)
    expect(shown.edge("asia", "tub").locator(".bn-tail")).to_have_count(0)
    expect(page.locator(".bn-legend")).to_have_text("Darker head: more probable direction")
    show(bars={"asia": {**BARS, "before": [0.1, 0.9]}})
    expect(page.locator(".bn-legend")).to_have_text("Without the evidence")
    marks = [page.locator(part).first for part in (".bn-legend .bn-before", ".bn-node .bn-before")]
    colours = {mark.evaluate("(mark) => getComputedStyle(mark).fill") for mark in marks}
    assert len(colours) == 1, "the sample has the colour of the lines"
    show(bars={"asia": BARS})
    expect(page.locator(".bn-legend")).to_be_hidden()
    show(shares={pair: 1.0})
    expect(page.locator(".bn-legend")).to_be_hidden()


def random_tree(n: int) -> Dag:
    rng = np.random.default_rng(1)
    return Dag([f"variable_{i}" for i in range(n)], [[int(rng.integers(0, i))] if i else [] for i in range(n)])


def test_a_map_shows_and_moves_the_part_of_a_large_graph_in_view(show: Show, page: Page) -> None:
    shown = show(random_tree(60), height=400)
    overview = page.get_by_role("application", name="Overview of the graph")
    expect(overview).to_be_hidden()
    shown.node("variable_0").focus()
    shown.press("+", "+", "+", "+", "+")
    expect(overview).to_be_visible()
    outlines = page.locator(".bn-map-nodes").get_attribute("d") or ""
    assert outlines.count("Z") == 60

    def part() -> tuple[float, float, float, float]:
        box = box_of(page.locator(".bn-map-window"))
        return box["x"], box["y"], box["width"], box["height"]

    x, y, width, height = part()
    before = shown.middle("variable_9")
    shown.pull((x + width / 2, y + height / 2), (x + width / 2, y + height / 2 + 8))
    assert part()[1] == pytest.approx(y + 8, abs=1.5)
    moved = shown.middle("variable_9")
    assert moved[1] < before[1] - 40, "the graph goes up by what the part goes down, times the scale"
    overview.focus()
    shown.press("ArrowUp")
    assert shown.middle("variable_9")[1] > moved[1] + 30
    shown.press("0")
    expect(overview).to_be_hidden()


def test_a_click_beside_the_part_in_view_brings_its_place_into_the_middle(show: Show, page: Page) -> None:
    shown = show(random_tree(60), height=400)
    shown.node("variable_0").focus()
    shown.press("+", "+", "+", "+", "+", "+", "+")
    point = page.locator(".bn-map-nodes").evaluate(
        """(path) => {
          const node = model.state.nodes.find(({ name }) => name === "variable_59");
          const { x, y } = new DOMPoint(node.x, node.y).matrixTransform(path.getScreenCTM());
          return [x, y];
        }"""
    )
    page.mouse.click(*point)
    shown.settle()
    assert shown.middle("variable_59") == pytest.approx(middle_of(page.locator(".bn-view")), abs=20)


def test_the_map_can_be_hidden_and_small_graphs_have_none(show: Show, page: Page) -> None:
    shown = show(random_tree(60), height=400)
    shown.node("variable_0").focus()
    shown.press("+", "+", "+", "+")
    page.get_by_role("button", name="Hide the overview").click()
    expect(page.locator(".bn-map")).to_be_hidden()
    assert shown.get("overview") is False
    choose(page, "View", "Overview")
    shown.settle()
    expect(page.locator(".bn-map")).to_be_visible()
    shown = show(random_tree(59), height=400)
    shown.node("variable_0").focus()
    shown.press("+", "+", "+", "+")
    expect(page.locator(".bn-map")).to_be_hidden()
    page.get_by_role("button", name="View").click()
    expect(page.get_by_role("button", name="Overview")).to_have_count(0)


def test_f_and_two_clicks_request_the_neighbourhood_which_is_then_shown_whole(show: Show, page: Page) -> None:
    shown = show()
    shown.node("either").focus()
    shown.press("f")
    shown.node("tub").locator(".bn-shape").dblclick(position={"x": 6, "y": 18})
    assert shown.sent() == [{"type": "focus", "node": "either"}, {"type": "focus", "node": "tub"}]
    shown.press("+", "+", "+", "+")
    part = GraphView.from_graph(Dag.from_edges(["tub", "asia"], [("asia", "tub")]))
    shown.set(nodes=part.nodes, edges=part.edges, selected=[])
    page.evaluate("() => model.hear('msg:custom', { type: 'fit' })")
    shown.settle()
    frame = shown.frame
    (left, top), (right, bottom) = shown.middle("asia"), shown.middle("tub")
    assert (left + right) / 2 == pytest.approx(frame["x"] + frame["width"] / 2, abs=20)
    assert frame["y"] < top == bottom < frame["y"] + frame["height"]


@pytest.mark.parametrize("motion", ["no-preference", "reduce"])
def test_bars_and_new_edges_move_unless_the_reader_prefers_less_motion(show: Show, page: Page, motion: Any) -> None:
    page.emulate_media(reduced_motion=motion)
    page.evaluate(RECORD_MOVES)
    shown = show(bars=dict.fromkeys(ASIA.names, BARS))
    assert page.evaluate("() => moves") == [], "the first picture is drawn at once"
    page.evaluate("() => document.addEventListener('transitionrun', (event) => moves.push(event.propertyName))")
    edge = {**shown.get("edges")[0], "u": "asia", "v": "smoke", "points": []}
    shown.set(nodes=[{**node, "bars": {**BARS, "p": [0.9, 0.1]}} for node in shown.get("nodes")])
    shown.set(edges=[edge])
    expect(shown.node("lung").locator(".bn-share")).to_have_text(["90%", "10%"])
    shown.settle()
    assert set(page.evaluate("() => moves")) == ({"width", "bn-edge"} if motion == "no-preference" else set())
    expect(page.locator(".bn-edge")).to_have_count(1)  # those that are gone have faded out


def test_the_part_in_view_is_reported_once_and_can_be_set(page: Page, console: list[str]) -> None:
    shown = ShownGraph(page, GraphView.from_graph(ASIA, height=400, camera=[30.0, 40.0, 2.0]))
    world = page.locator(".bn-scene > g")
    width = page.locator(".bn-view").evaluate("(picture) => picture.clientWidth")
    expect(world).to_have_attribute(
        "transform", re.compile(rf"translate\({width / 2 - 60:g} [\d.-]+\) scale\(2.0000\)")
    )
    for _ in range(3):
        page.get_by_role("button", name="Zoom out").click()
    page.wait_for_function("() => model.saves > 0")
    assert page.evaluate("() => model.saves") == 1
    x, y, k = page.evaluate("() => model.get('camera')")
    assert (x, y) == pytest.approx((30, 40), abs=0.2)
    assert k == pytest.approx(2 / 1.25**3)
    shown.set(camera=None)
    assert page.evaluate("() => model.get('camera')") is None
    fitted = world.get_attribute("transform") or ""
    shown.set(camera=[x, y, 1.5])
    expect(world).to_have_attribute("transform", re.compile(r"scale\(1.5000\)"))
    page.get_by_role("button", name="Fit").click()
    expect(world).to_have_attribute("transform", fitted)
    shown.ends_cleanly()


def test_a_text_that_fits_exactly_is_shown_whole_and_measured_in_the_size_that_it_has(show: Show, page: Page) -> None:
    states = ["(2.45, 4.85]", "other"]
    show(bars={"lung": {**BARS, "states": states}})
    texts = page.locator(".bn-state")
    expect(texts).to_have_text(states)
    expect(texts.first).to_have_css("font-size", "12px")
