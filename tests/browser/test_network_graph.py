"""The interactive network: its panel and controls as bare modules, and the whole in a real JupyterLab."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

import bnlab
from bnlab.networks import asia
from bnlab.widgets import GraphView, NetworkGraph
from bnlab.widgets.base.controls import Controls
from bnlab.widgets.graph.inspector import NodeInspector
from tests.browser.shown import Shown, box_of, choose, drag, node_of
from tests.browser.test_axe import violations
from tests.widgets.graph.test_tables import large
from tools.lab import Lab

HOSTILE = "<img src=x onerror=alert(1)>"

SET_UP = """\
import bnlab
from bnlab.widgets import NetworkGraph
net = bnlab.load_network("asia")
table = net.sample(2000, seed=1)
graph = NetworkGraph(net, table, truth=net)"""


@pytest.fixture(scope="module")
def widget() -> NetworkGraph:
    net = asia()
    return NetworkGraph(net, net.sample(500, seed=1))


def test_the_panel_asks_for_evidence_neighbours_and_to_close(
    page: Page, console: list[str], widget: NetworkGraph
) -> None:
    widget.selected_node = "lung"
    shown = Shown(page, widget.inspector)
    expect(page.get_by_role("heading", name="lung")).to_be_visible()
    state = page.get_by_role("button", name="yes, 5.5 percent")
    state.focus()
    state.press("Enter")
    page.get_by_role("button", name="Set yes").press("Enter")
    page.get_by_role("button", name="smoke", exact=True).first.click()
    page.get_by_role("button", name="Close details").click()
    assert shown.sent() == [
        {"type": "evidence", "node": "lung", "state": 0},
        {"type": "do", "node": "lung", "state": 0},
        {"type": "select", "node": "smoke"},
        {"type": "close"},
    ]
    heats = page.locator(".bnlab-heat").all_text_contents()
    assert heats == ["10.0", "90.0", "1.0", "99.0"]
    expect(page.get_by_text("Score")).to_have_count(0)

    state.focus()
    widget.evidence = {"lung": "yes"}
    shown.set(content=widget.inspector.content)
    expect(page.get_by_role("button", name="yes, 100 percent")).to_be_focused()
    page.keyboard.press("Enter")
    assert shown.sent() == [{"type": "evidence", "node": "lung", "state": None}]
    widget.evidence = {}


@pytest.mark.parametrize("motion", ["reduce", "no-preference"])
def test_bars_of_the_panel_move_unless_the_reader_prefers_less_motion(
    page: Page, console: list[str], widget: NetworkGraph, motion: Any
) -> None:
    page.emulate_media(reduced_motion=motion)
    widget.selected_node = "smoke"
    shown = Shown(page, widget.inspector)
    bars = page.locator(".bnlab-bar")
    expect(bars).to_have_count(2)
    page.evaluate(
        """() => {
          globalThis.moves = [];
          const animate = Element.prototype.animate;
          Element.prototype.animate = function (frames, options) {
            moves.push(frames.backgroundSize.map((size) => parseFloat(size)));
            return animate.call(this, frames, options);
          };
        }"""
    )
    widget.evidence = {"lung": "yes"}
    shown.set(content=widget.inspector.content)
    widget.evidence = {}
    expect(page.get_by_role("button", name="yes, 90.9 percent")).to_be_visible()
    moves = page.evaluate("() => moves")
    assert moves == (
        [] if motion == "reduce" else [[50, pytest.approx(90.9, abs=0.1)], [50, pytest.approx(9.1, abs=0.1)]]
    )
    expect(bars.first).to_have_css("background-size", re.compile(r"^90\.9\d*% 7px, 50% 100%"))


def answer(shown: Shown, graph: NetworkGraph) -> None:
    """Do in Python what the panel asks for, and show what comes of it."""
    for message in shown.sent():
        graph.inspector._handle_custom_msg(message, [])
    shown.set(content=graph.inspector.content)


def test_a_row_is_typed_with_the_keyboard_alone(page: Page, console: list[str]) -> None:
    net = asia()
    graph = NetworkGraph(net)
    graph.selected_node = "lung"
    shown = Shown(page, graph.inspector)

    edit = page.get_by_role("button", name="Edit", exact=True)
    edit.focus()
    page.keyboard.press("Enter")
    answer(shown, graph)
    expect(edit).to_be_focused()
    expect(edit).to_have_attribute("aria-pressed", "true")
    assert not violations(page, ".bnlab-inspector")

    page.keyboard.press("Tab")  # the table, which scrolls
    page.keyboard.press("Tab")
    cell = page.get_by_role("button", name="P(lung = yes | smoke = yes): 0.1")
    expect(cell).to_be_focused()
    page.keyboard.press("Enter")
    field = page.get_by_role("textbox", name="P(lung = yes | smoke = yes)")
    expect(field).to_be_focused()
    page.keyboard.type("0.7")
    page.keyboard.press("Escape")
    expect(cell).to_be_focused()
    assert shown.sent() == []

    page.keyboard.press("Enter")
    page.keyboard.type("1.7")
    page.keyboard.press("Enter")
    answer(shown, graph)
    expect(field).to_be_focused()
    expect(field).to_have_value("1.7")
    expect(field).to_have_attribute("aria-invalid", "true")
    expect(page.get_by_text("'1.7' is no probability; type a number from 0 to 1")).to_be_visible()
    assert not violations(page, ".bnlab-inspector")
    page.keyboard.type("0.7")
    page.keyboard.press("Enter")
    answer(shown, graph)
    expect(page.get_by_role("button", name="P(lung = yes | smoke = yes): 0.7")).to_be_focused()
    expect(page.get_by_role("button", name="P(lung = no | smoke = yes): 0.3")).to_be_visible()
    assert graph.network.cpt("lung")[0].tolist() == pytest.approx([0.7, 0.3])
    expect(page.get_by_role("button", name=re.compile(r"^yes, 35\.5 percent"))).to_be_visible()

    page.keyboard.press("Enter")
    page.keyboard.type("60%")
    page.keyboard.press("Tab")
    expect(field).to_have_count(0)
    answer(shown, graph)
    expect(page.get_by_role("button", name="P(lung = no | smoke = yes): 0.4")).to_be_focused()


def test_what_matters_fits_beside_the_picture_whatever_the_names(page: Page, console: list[str]) -> None:
    table = bnlab.load_data("vote", missing="drop")
    graph = NetworkGraph(bnlab.learn(table, "hill-climbing", score="bic"), table)
    graph.selected_node, graph.matters = "physician-fee-freeze", True
    Shown(page, graph.inspector, width=404)
    expect(page.get_by_role("columnheader", name="Accuracy")).to_be_visible()
    region = page.get_by_role("region", name="What matters")
    assert region.evaluate("(region) => region.scrollWidth - region.clientWidth") == 0
    graph.close()


def test_a_table_of_many_rows_is_turned_page_by_page(page: Page, console: list[str]) -> None:
    graph = NetworkGraph(large(), edit_tables=True, selected_node="child")
    shown = Shown(page, graph.inspector)
    expect(page.get_by_text("Rows 1 to 48 of 120")).to_be_visible()
    page.get_by_role("button", name="Previous").press("Enter")
    assert shown.sent() == [], "there is no page before the first"
    for words, rows in (("Rows 49 to 96 of 120", 48), ("Rows 97 to 120 of 120", 24)):
        page.get_by_role("button", name="Next").press("Enter")
        answer(shown, graph)
        expect(page.get_by_text(words)).to_be_visible()
        expect(page.locator(".bnlab-cell")).to_have_count(3 * rows)
        expect(page.get_by_role("button", name="Next")).to_be_focused()


def test_the_panel_asks_for_edits_and_shows_what_a_removal_would_change_only_when_it_is_opened(
    page: Page, console: list[str], widget: NetworkGraph
) -> None:
    widget.selected_edge = ("smoke", "lung")
    shown = Shown(page, widget.inspector)
    scores = page.get_by_role("region", name="Change of the scores without this edge")
    expect(page.get_by_text("Mutual information")).to_be_visible()
    expect(scores).to_be_hidden()
    for name in ("Reverse", "Delete"):
        page.get_by_role("button", name=name).click()
    assert [message["action"] for message in shown.sent()] == ["reverse", "delete"]
    page.get_by_text("Score change without this edge").click()
    expect(scores).to_contain_text("BIC/MDL")
    widget.selected_node = "lung"
    shown.set(content=widget.inspector.content)
    widget.selected_edge = ("smoke", "bronc")
    shown.set(content=widget.inspector.content)
    expect(scores).to_be_visible()
    page.get_by_text("Score change without this edge").press("Enter")
    expect(scores).to_be_hidden()
    shown.ends_cleanly()
    widget.selected_edge = None


def test_the_panel_says_why_there_is_no_edge_and_asks_to_forbid_it(
    page: Page, console: list[str], widget: NetworkGraph
) -> None:
    widget.selected_edge = None
    widget.view.selected = ["dysp", "asia"]
    shown = Shown(page, widget.inspector)
    expect(page.locator(".bnlab-detail")).to_contain_text("would close asia -> tub -> either -> dysp -> asia")
    expect(page.get_by_role("region", name="Change of the scores with asia → dysp")).to_contain_text("BIC/MDL")
    page.get_by_role("button", name="Forbid").last.click()
    assert shown.sent() == [{"type": "edit", "action": "forbid", "u": "asia", "v": "dysp"}]
    widget.view.selected = []


def test_the_panel_keeps_its_width_and_is_no_higher_than_the_picture(
    page: Page, console: list[str], widget: NetworkGraph
) -> None:
    widths = set()
    shown = Shown(page, widget.inspector)
    for selected in ("dysp", "asia"):
        widget.selected_node = selected
        shown.set(content=widget.inspector.content)
        box = box_of(page.locator(".bnlab-inspector"))
        assert box["height"] <= widget.inspector.height + 2
        widths.add(box["width"])
        for part in page.locator(".bnlab-number").all():
            assert part.evaluate("(e) => e.scrollWidth <= e.clientWidth + 1"), part.text_content()
    assert len(widths) == 1


def test_hostile_texts_in_the_panel_are_text(page: Page, console: list[str]) -> None:
    content = {
        "kind": "node",
        "title": HOSTILE,
        "subtitle": HOSTILE,
        "evidence": True,
        "observing": True,
        "states": [{"name": HOSTILE, "count": "1", "before": 0.5, "after": 1, "text": "100", "observed": True}],
        "cpt": {
            "parents": [HOSTILE],
            "states": [HOSTILE],
            "note": HOSTILE,
            "rows": [{"when": [HOSTILE], "p": [1], "text": ["100"], "rows": "1"}],
        },
        "around": [["parents", [HOSTILE]]],
        "notes": [HOSTILE],
    }
    rows = [{"label": HOSTILE, "last": "0", "start": "0", "way": 0, "way_start": 0}]
    scores = {"rows": rows, "caption": HOSTILE}
    Shown(page, NodeInspector(content=content, scores=scores, height=600))
    expect(page.get_by_role("heading", name=HOSTILE)).to_be_visible()
    assert page.locator("img").count() == 0
    assert page.locator("[onerror]").count() == 0


def test_hostile_texts_are_texts_where_they_are_typed(page: Page, console: list[str]) -> None:
    names = (HOSTILE, "__proto__", '"); drop', "x")
    graph = NetworkGraph()
    for name in names:
        graph.add_variable(name)
    for name in names[:3]:
        graph.edit("add", name, "x")
    graph.selected_node = "x"
    shown = Shown(page, graph.inspector)
    for name, text in (("__proto__", "0.5"), (HOSTILE, "0.7"), ('"); drop', HOSTILE)):
        page.get_by_role("textbox", name=name, exact=True).fill(text)
    page.get_by_role("button", name="Set as noisy-OR").click()
    (message,) = shown.sent()
    assert message["effects"] == [[HOSTILE, "0.7"], ["__proto__", "0.5"], ['"); drop', HOSTILE]]
    graph.inspector._handle_custom_msg(message, [])
    shown.set(content=graph.inspector.content)
    expect(page.locator(".bnlab-mistyped")).to_contain_text(HOSTILE)
    assert page.locator("img").count() == 0
    assert page.locator("[onerror]").count() == 0


def test_the_toolbar_asks_and_keeps_the_focus(page: Page, console: list[str], widget: NetworkGraph) -> None:
    shown = Shown(page, widget.view)
    undo = page.get_by_role("button", name="Undo")
    undo.evaluate("button => button.click()")  # not by coordinates: the toolbar may still be moving
    page.get_by_role("button", name="View").press("Enter")
    page.get_by_role("button", name="Essential graph").press("Enter")
    page.get_by_label("Edge strength").select_option("p-value")
    choose(page, "Export", "BIF: network with probabilities")
    assert [(m["id"], m["value"]) for m in shown.sent()] == [
        ("show_essential", True),
        ("strength", "p-value"),
        ("bif", True),
    ], "a button that is off asks nothing"
    undo.focus()
    toolbar = widget.view.toolbar
    shown.set(toolbar={**toolbar, "tools": [{**control, "enabled": True} for control in toolbar["tools"]]})
    expect(undo).to_be_focused()
    undo.press("Enter")
    assert shown.sent() == [{"type": "control", "id": "undo", "value": True}]


def test_a_learned_graph_has_heads_where_the_data_decide_and_is_edited_at_once(page: Page, console: list[str]) -> None:
    data = asia().sample(2000, seed=1)
    widget = NetworkGraph(bnlab.learn(data, "hill-climbing"), data)
    open_edges = len(bnlab.essential(widget.graph).undirected)
    shown = Shown(page, widget.view)
    heads = page.locator(".bn-edge:not(:has(.bn-head[d*=Z]))")
    expect(heads).to_have_count(open_edges)
    expect(page.locator(".bn-legend")).to_have_text(f"Direction not decided {open_edges}")
    heads.first.locator(".bn-hit").dispatch_event("click")
    page.keyboard.press("Delete")
    (message,) = [message for message in shown.sent() if message["type"] == "edit"]
    widget.view._handle_custom_msg(message, [])
    assert len(widget.graph.edges) == widget.to_frame().directed.sum() == len(page.locator(".bn-edge").all()) - 1
    shown.set(**{name: getattr(widget.view, name) for name in ("nodes", "edges", "legend", "toolbar", "status")})
    expect(page.locator(".bn-edge:not(:has(.bn-head[d*=Z]))")).to_have_count(0)
    expect(page.locator(".bn-status")).to_contain_text("“Essential graph” shows its class")
    choose(page, "View", "Essential graph")
    assert [(message["id"], message["value"]) for message in shown.sent()] == [("show_essential", True)]


def test_a_rule_is_given_for_one_direction_of_an_edge_without_a_head(page: Page, console: list[str]) -> None:
    data = asia().sample(2000, seed=1)
    widget = NetworkGraph(bnlab.learn(data), data)
    edge = next(edge for edge in widget.view.edges if not edge["directed"])
    widget.selected_edge = u, v = edge["u"], edge["v"]
    shown = Shown(page, widget.inspector)
    page.locator("section", has=page.get_by_role("heading", name=f"{v} → {u}")).get_by_text("Require").click()
    (message,) = shown.sent()
    assert message == {"type": "edit", "action": "require", "u": v, "v": u}
    widget.inspector._handle_custom_msg(message, [])
    assert (v, u) in widget.graph.edges
    shown.set(content=widget.inspector.content)
    expect(page.get_by_text("This edge is required.")).to_be_visible()


PLACES = """
() => [...document.querySelectorAll("#place *")].map((element) => {
  const { x, y, width, height } = element.getBoundingClientRect();
  return [element.tagName, element.getAttribute("class"), x, y, width, height];
})
"""


@pytest.mark.parametrize("part", ["view", "inspector"])
def test_widgets_that_are_shown_later_move_nothing(page: Page, widget: NetworkGraph, part: str) -> None:
    widget.selected_node = "lung"
    shown = Shown(page, getattr(widget, part), 500)
    if part == "view":
        page.get_by_role("button", name="View").click()
        expect(page.get_by_role("button", name="Essential graph")).to_be_visible()
    shown.settle()
    before = page.evaluate(PLACES)
    assert len(before) > 50
    for later in (NodeInspector, GraphView, Controls):  # each brings rules that others have too
        page.add_style_tag(content=later._css.default_value)
    shown.settle()
    assert page.evaluate(PLACES) == before


def test_clicks_edits_and_evidence_in_jupyterlab(
    lab: Lab, page: Page, console: list[str], screenshot: Callable[[str], Path]
) -> None:
    page.set_viewport_size({"width": 1500, "height": 1000})
    notebook = lab.run(page, "graph.ipynb", [SET_UP, "graph"], wide=True)
    shown = notebook.output(1)
    about, status = shown.locator(".bnlab-detail"), shown.locator(".bn-status")

    node_of(shown, "lung").locator(".bn-name").click()
    expect(about.get_by_role("heading", name="lung")).to_be_visible()
    assert notebook.python("graph.selected_node") == "lung"

    about.get_by_role("button", name="yes, 5.5 percent").click()
    expect(status).to_contain_text("Given lung = yes")
    expect(node_of(shown, "smoke").locator(".bn-share").first).to_have_text("91%")
    assert notebook.python("graph.evidence") == {"lung": "yes"}
    node_of(shown, "either").locator(".bn-bar").nth(1).click()
    expect(status).to_contain_text("lung = yes and either = no have probability 0 together")
    assert notebook.python("graph.evidence") == {"lung": "yes"}
    weighed = node_of(shown, "bronc")
    bar = box_of(weighed.locator(".bn-row").first)
    drag(page, (bar["x"] + 4, bar["y"] + 4), (bar["x"] + 0.9 * bar["width"], bar["y"] + 4))
    expect(status).to_contain_text("Given lung = yes, bronc with the likelihoods yes: 1, no: ")
    expect(weighed.locator(".bn-share").first).to_have_text(
        re.compile("^(89|90|91)%$")
    )  # the pointer is on a whole pixel
    node_of(shown, "bronc").locator(".bn-bar").nth(1).click()
    expect(status).to_contain_text("bronc = no")
    shown.get_by_role("button", name="Clear evidence").click()
    expect(status).to_have_text("No evidence.")
    assert notebook.python("graph.evidence") == {}

    shown.locator(".bn-edge", has_text="smoke → bronc").locator(".bn-hit").dispatch_event("click")
    expect(about.get_by_role("heading", name="smoke → bronc")).to_be_visible()
    about.get_by_role("button", name="Reverse").click()
    expect(status).to_contain_text("reverse smoke → bronc")
    assert ("bronc", "smoke") in notebook.python("graph.graph.edges")
    notebook.python("setattr(graph, 'selected_node', 'dysp')")
    row = shown.locator(".bnlab-overall tr", has_text="AIC")
    change = notebook.python("f\"{graph.scores().loc['aic', 'difference']:+,.2f}\"").replace("-", "−")
    expect(row.locator("td").nth(0)).to_have_text("0.00" if change in ("+0.00", "−0.00") else change)
    expect(shown.locator(".bn-legend")).to_contain_text("Reversed 1")
    shown.get_by_role("button", name="Undo").click()
    expect(status).to_contain_text("Initial graph")
    assert ("smoke", "bronc") in notebook.python("graph.graph.edges")

    notebook.python("setattr(graph, 'selected_edge', ('asia', 'tub'))")
    expect(about.get_by_role("heading", name="asia → tub")).to_be_visible()
    choose(shown, "View", "Essential graph")
    expect(shown.get_by_role("button", name="Essential graph")).to_have_attribute("aria-pressed", "true")
    assert notebook.python("graph.show_essential") is True
    choose(shown, "View", "Essential graph")
    page.keyboard.press("Escape")

    expect(shown.get_by_role("button", name="Learn again")).to_have_count(0)
    forbid = about.get_by_role("button", name="Forbid")
    expect(forbid, "one, as the edge has its direction again").to_have_count(1)
    forbid.click()
    shown.get_by_role("button", name="Learn again").click()
    expect(status).to_contain_text("learn again · ", timeout=60_000)
    expect(shown.get_by_role("button", name="Learn again")).to_be_focused()
    assert ("asia", "tub") not in notebook.python("graph.graph.edges")

    notebook.python("setattr(graph, 'selected_node', 'dysp')")
    notebook.python("graph.observe_state('xray', 'yes')")
    for theme, width in (("light", 1500), ("dark", 640)):
        page.set_viewport_size({"width": width, "height": 1500})
        notebook.theme(theme)
        page.wait_for_timeout(500)
        check_places(shown, side_by_side=width == 1500)
        assert screenshot(f"network-graph-{theme}-{width}").stat().st_size > 10_000


def test_a_network_is_drawn_with_the_keyboard_alone(
    lab: Lab, page: Page, console: list[str], screenshot: Callable[[str], Path]
) -> None:
    page.set_viewport_size({"width": 1500, "height": 1000})
    cells = ["from bnlab.widgets import NetworkGraph\ngraph = NetworkGraph()", "graph"]
    notebook = lab.run(page, "drawn.ipynb", cells, wide=True)
    shown = notebook.output(1)
    about, status, keys = shown.locator(".bnlab-detail"), shown.locator(".bn-status"), page.keyboard
    expect(status).to_contain_text("An empty network")
    invitation = shown.locator(".bn-invitation")
    invitation.focus()
    keys.press("Enter")
    name = about.get_by_role("textbox", name="Name")
    expect(name).to_be_focused()
    for k, text in enumerate(("flu", "cold", "fever"), 1):
        keys.type(text)
        keys.press("Enter")
        expect(status).to_contain_text(f"add variable {text} · {k} node")
        expect(name).to_be_focused()
    expect(invitation).to_be_hidden()
    cells = page.locator(".jp-Cell").count()
    keys.type("flu")
    keys.press("Enter")
    expect(about.get_by_text("another variable has it already")).to_be_visible()
    expect(name).to_have_value("flu")

    for cause in ("flu", "cold"):
        node_of(shown, cause).focus()
        for key in ("b", "e", "a"):
            keys.press(key)
        node_of(shown, "fever").focus()
        keys.press("Enter")
        expect(status).to_contain_text(f"add {cause} → fever")
    assert page.locator(".jp-Cell").count() == cells, "keys are not the notebook's"
    keys.press("Enter")
    expect(about.get_by_role("heading", name="fever")).to_be_visible()
    effect = about.get_by_role("textbox", name="flu")
    effect.focus()
    for text in ("0.8", "0.5", "10%"):
        keys.press("Control+a")
        keys.type(text)
        keys.press("Tab" if text != "10%" else "Enter")
    expect(status).to_contain_text("set P(fever) as noisy-OR")
    assert notebook.python("graph.network.cpt('fever')[:, :, 0].round(3).tolist()") == [[0.91, 0.82], [0.55, 0.1]]
    about.get_by_role("button", name="P(fever = yes | flu = no, cold = no): 0.1").focus()
    keys.press("Enter")
    keys.type("0.2")
    keys.press("Enter")
    expect(status).to_contain_text("set P(fever | flu = no, cold = no)")
    shown.get_by_role("button", name="Undo").focus()
    keys.press("Enter")
    expect(about.get_by_role("button", name="P(fever = yes | flu = no, cold = no): 0.1")).to_be_visible()
    for theme, width in (("light", 1500), ("dark", 640)):
        page.set_viewport_size({"width": width, "height": 1500})
        notebook.theme(theme)
        page.wait_for_timeout(500)
        check_places(shown, side_by_side=width == 1500)
        assert screenshot(f"network-graph-drawn-{theme}-{width}").stat().st_size > 10_000


def check_places(shown: Locator, *, side_by_side: bool) -> None:
    """Check that picture and panel lie within the output, beside or below each other."""
    place, picture, about = map(box_of, (shown, shown.locator(".bn-view"), shown.locator(".bnlab-inspector")))
    for box in (picture, about):
        assert box["x"] >= place["x"] - 1
        assert box["x"] + box["width"] <= place["x"] + place["width"] + 1
        assert box["width"] > 380
    if side_by_side:
        assert about["x"] >= picture["x"] + picture["width"]
    else:
        assert about["y"] >= picture["y"] + picture["height"]
