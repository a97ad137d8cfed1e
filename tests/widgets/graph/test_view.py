"""The picture of a graph without a browser: what the page is given, what it sends back, and the still form."""

from __future__ import annotations

import json
import math
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd
import pytest
from traitlets import TraitError

import bnlab
from bnlab.figures.graphs.influence import influence_picture
from bnlab.figures.graphs.network import network_layout, network_picture
from bnlab.graphs import Dag, Pdag, essential_graph, skeleton
from bnlab.networks import BayesianNetwork, InfluenceDiagram, structure_learning_diagram
from bnlab.widgets import GraphView, NetworkGraph
from bnlab.widgets.base.widget import STILL
from bnlab.widgets.graph.data import STROKES
from bnlab.widgets.graph.inspector import NodeInspector
from tests.figures.test_theme import VISION, seen

HOSTILE = ("<img src=x onerror=alert(1)>", '"); drop', "喫煙", "a&b]]>")

COLLIDER = Dag.from_edges("XYZ", [("X", "Z"), ("Y", "Z")])
OTHER = Dag.from_edges("XYZ", [("Z", "X"), ("X", "Y")])


def places(view: GraphView) -> dict[str, tuple[float, float]]:
    return {node["name"]: (node["x"], node["y"]) for node in view.nodes}


def kinds(view: GraphView) -> dict[tuple[str, str], str]:
    return {(edge["u"], edge["v"]): edge["kind"] for edge in view.edges}


def bars(view: GraphView, name: str) -> Any:
    return next(node["bars"] for node in view.nodes if node["name"] == name)


def test_a_graph_becomes_nodes_and_edges_with_the_routes_of_the_layout(asia: BayesianNetwork) -> None:
    view = GraphView.from_graph(asia)
    layout = network_layout(asia.dag)
    assert [node["name"] for node in view.nodes] == list(asia.names)
    assert [node["x"] for node in view.nodes] == layout.centres[:, 0].tolist()
    assert [(edge["u"], edge["v"]) for edge in view.edges] == list(asia.dag.edges)
    for edge in view.edges:
        route = layout.routes[asia.dag.index(edge["u"]), asia.dag.index(edge["v"])]
        assert edge["points"] == route.tolist()
        assert edge["directed"]
    assert view.nodes[2]["title"] == "smoke: yes, no"
    assert view.description == "directed graph of 8 nodes and 8 edges"
    json.dumps(view.get_state(["nodes", "edges", "legend", "positions"]))


def test_partially_directed_and_undirected_graphs_say_so(asia: BayesianNetwork) -> None:
    view = GraphView.from_graph(essential_graph(asia.dag))
    assert {edge["directed"] for edge in view.edges} == {True, False}
    assert view.description.startswith("partially directed")
    view = GraphView.from_graph(skeleton(asia.dag))
    assert not any(edge["directed"] for edge in view.edges)
    assert view.description.startswith("undirected")


def test_decisions_are_boxes_and_utilities_diamonds() -> None:
    diagram = InfluenceDiagram(["Rain"], ["Take"], ["U"], [("Rain", "U"), ("Take", "U")], {"Take": ("yes", "no")})
    view = GraphView.from_graph(diagram)
    assert [node["shape"] for node in view.nodes] == ["oval", "box", "diamond"]
    assert [node["kind"] for node in view.nodes] == ["", "decision", "utility"]
    assert view.nodes[1]["title"] == "Take: yes, no"
    assert view.picture().svg == influence_picture(diagram).svg
    view.set_graph(diagram, node_kinds={"Take": "inactive"})
    assert view.picture().svg == influence_picture(diagram, inactive=["Take"]).svg


def test_choices_and_settled_edges_of_structure_learning_are_told_apart() -> None:
    view = GraphView.from_graph(structure_learning_diagram("ABC", permanent=[("A", "C")], choices=[("B", "C")]))
    assert kinds(view)["A", "C"] == "permanent"
    assert kinds(view)["B", "C"] == "chosen"
    assert [entry["kind"] for entry in view.legend] == ["permanent", "chosen"]


def test_a_reference_tells_edges_apart_in_the_strokes_of_the_still_picture() -> None:
    view = GraphView.from_graph(OTHER, truth=COLLIDER)
    assert kinds(view) == {("Z", "X"): "reversed", ("X", "Y"): "extra", ("Y", "Z"): "missing"}
    assert [entry["kind"] for entry in view.legend] == ["reversed", "extra", "missing"]
    styles = [(style["colour"], style["dash"]) for style in view._strokes.values()]
    assert len(set(styles)) == 3
    still = network_picture(OTHER, truth=COLLIDER).svg
    for colour, dash in styles:
        assert f'stroke="{colour}"' in still
        assert f'stroke-dasharray="{dash}"' in still


def test_own_kinds_of_edges_get_a_style_and_may_name_edges_that_were_dropped() -> None:
    view = GraphView.from_graph(COLLIDER, kinds={("X", "Z"): "<b>weak", ("X", "Y"): "dropped"})
    assert kinds(view) == {("X", "Z"): "<b>weak", ("Y", "Z"): "plain", ("X", "Y"): "dropped"}
    assert set(view._strokes) == {"<b>weak", "dropped"}
    assert view.description.endswith("2 edges")


def test_strengths_are_scaled_and_told_in_their_own_unit() -> None:
    view = GraphView.from_graph(COLLIDER, strengths={("X", "Z"): 3.0, ("Y", "Z"): 12.0}, strength_label="gain in nats")
    assert [edge["strength"] for edge in view.edges] == [0.25, 1.0]
    assert view.edges[0]["title"] == "X → Z\ngain in nats: 3"
    assert view.legend == [{"kind": "strength", "label": "gain in nats"}]
    view = GraphView.from_graph(COLLIDER, strengths={("X", "Z"): 0.04}, strength_range=(0.05, 0.0))
    assert view.edges[0]["strength"] == pytest.approx(0.2)
    assert view.edges[1]["strength"] is None


def test_strengths_come_from_square_and_from_long_frames() -> None:
    square = pd.DataFrame([[math.nan, 0, 0.5], [0, math.nan, 1], [0, 0, math.nan]], list("XYZ"), list("XYZ"))
    long = pd.DataFrame({"from": ["X", "Y"], "to": ["Z", "Z"], "strength": [0.5, 1.0]})
    for frame in (square, long):
        assert [edge["strength"] for edge in GraphView.from_graph(COLLIDER, strengths=frame).edges] == [0.5, 1.0]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"reference": COLLIDER, "kinds": {}}, "give one of them"),
        ({"reference": Dag.empty("AB")}, "other variables"),
        ({"kinds": {("X", "Y"): "added"}}, "only edges of the kinds 'missing', 'only there', 'dropped'"),
        ({"kinds": {("X", "W"): "dropped"}}, "no such node"),
        ({"strengths": {("X", "W"): 1.0}}, "no node 'W'"),
        ({"strengths": {("X", "Z"): math.inf}}, "finite number"),
        ({"strengths": pd.DataFrame({"from": ["X"], "to": ["Z"]})}, "columns from, to, strength"),
        ({"node_kinds": {"W": "target"}}, "known names: X, Y, Z"),
        ({"titles": {"W": "w"}}, "titles"),
        ({"bars": {"W": {"states": [], "p": []}}}, "no such node"),
        ({"bars": {"X": {"states": ["a"]}}}, "has no 'p'"),
        ({"bars": {"X": {"states": ["a"], "p": [0.5, 0.5]}}}, "2 numbers in 'p' for 1 states"),
        ({"highlight": "uncles"}, "uncles"),
        ({"height": -1}, "height"),
        ({"selected": ["W"]}, "no node 'W'"),
        ({"selected_edge": ["X", "Y"]}, "no such edge"),
    ],
)
def test_what_does_not_fit_the_graph_is_refused_in_words(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises((ValueError, TraitError), match=message):
        GraphView.from_graph(COLLIDER, **arguments)


def test_an_option_that_is_no_trait_is_refused() -> None:
    with pytest.raises(TypeError, match="did you mean 'editable'"):
        GraphView.from_graph(COLLIDER, editible=True)


def test_another_graph_on_the_same_nodes_leaves_them_in_their_places() -> None:
    view = GraphView.from_graph(COLLIDER)
    before, routes = places(view), {edge["u"]: edge["points"] for edge in view.edges}
    view.selected, view.selected_edge, view.positions = ["X"], ["Y", "Z"], {"X": [1, 2]}
    view.set_graph(Dag.from_edges("XYZ", [("X", "Z"), ("X", "Y")]))
    assert places(view) == before
    assert [edge["points"] for edge in view.edges] == [[], routes["X"]]
    assert view.selected == ["X"]
    assert view.selected_edge is None
    assert view.positions == {"X": [1, 2]}
    view.set_graph(Dag.from_edges("XYZ", [("X", "Z"), ("X", "Y")]), relayout=True)
    assert places(view) != before
    assert view.positions == {}


def test_nodes_that_come_and_go_do_not_move_those_that_stay() -> None:
    view = GraphView.from_graph(COLLIDER)
    before = places(view)
    view.positions, view.selected = {"X": [5, 5], "Y": [200, 9]}, ["X", "Y"]
    view.set_graph(Dag.from_edges("YZAB", [("Y", "Z"), ("A", "Z"), ("B", "Z")]))
    after = places(view)
    assert {name: after[name] for name in "YZ"} == {name: before[name] for name in "YZ"}
    boxes = [(n["x"], n["y"], n["w"], n["h"]) for n in view.nodes]
    for i, (x, y, w, h) in enumerate(boxes):
        for x2, y2, w2, h2 in boxes[:i]:
            assert abs(x - x2) >= (w + w2) / 2 or abs(y - y2) >= (h + h2) / 2
    assert view.positions == {"Y": [200, 9]}
    assert view.selected == ["Y"]


def test_a_layout_that_is_given_places_the_nodes() -> None:
    layout = network_layout(OTHER, COLLIDER)
    view = GraphView.from_graph(COLLIDER, layout=layout)
    assert list(places(view).values()) == [tuple(at) for at in layout.centres.tolist()]
    view.set_graph(OTHER, layout=layout)
    assert all(len(edge["points"]) > 1 for edge in view.edges)


def test_an_edge_that_comes_back_goes_the_way_it_went() -> None:
    view = GraphView.from_graph(COLLIDER)
    before = view.edges
    view.set_graph(Dag.empty("XYZ"))
    view.set_graph(COLLIDER)
    assert view.edges == before
    layout = network_layout(OTHER)
    view = GraphView.from_graph(Dag.empty("XYZ"), layout=layout)
    view.set_graph(OTHER)
    assert [edge["points"] for edge in view.edges] == [layout.routes[0, 1].tolist(), layout.routes[2, 0].tolist()]


def test_one_message_carries_a_change_of_graph(monkeypatch: pytest.MonkeyPatch) -> None:
    view = GraphView.from_graph(COLLIDER)
    sent: list[Any] = []
    monkeypatch.setattr(view, "_send", lambda message, buffers=None: sent.append(message))
    view.set_graph(OTHER, COLLIDER)
    assert len(sent) == 1
    assert {"nodes", "edges", "legend", "_strokes"} & set(sent[0]["state"]) >= {"edges", "legend", "_strokes"}


def test_bars_make_nodes_larger_once_and_then_only_change() -> None:
    view = GraphView.from_graph(COLLIDER)
    heights = [node["h"] for node in view.nodes]
    view.set_graph(COLLIDER, bars={name: {"states": ["no", "yes"], "p": [0.25, 0.75]} for name in "XYZ"})
    assert bars(view, "X") == {"states": ["no", "yes"], "p": [0.25, 0.75], "set": None, "before": None}
    assert all(node["h"] > height for node, height in zip(view.nodes, heights, strict=True))
    before = places(view)
    later = {"X": {"states": [False, True], "p": [1, 0], "set": 0, "before": (0.25, 0.75)}}
    view.set_graph(COLLIDER, bars=later)
    assert bars(view, "X") == {"states": ["False", "True"], "p": [1, 0], "set": 0, "before": [0.25, 0.75]}
    assert bars(view, "Y") is None
    assert places(view) == before


def test_the_page_sets_traits_and_sends_what_it_wants() -> None:
    view = GraphView.from_graph(COLLIDER, editable=True)
    wishes: list[Any] = []
    view.on_msg(lambda _, content, buffers: wishes.append(content))
    view._handle_custom_msg({"type": "edit", "action": "add", "u": "X", "v": "Y"}, [])
    assert wishes == [{"type": "edit", "action": "add", "u": "X", "v": "Y"}]
    assert len(view.edges) == 2, "nothing happens by itself"
    view.set_state({"selected": ["X"], "selected_edge": None, "positions": {"X": [3, 4]}, "hovered": "Y"})
    assert (view.selected, view.positions, view.hovered) == (["X"], {"X": [3, 4]}, "Y")


def test_the_still_form_is_the_picture_with_nodes_where_they_were_dragged() -> None:
    view = GraphView.from_graph(OTHER, COLLIDER)
    bundle, _ = view._repr_mimebundle_()
    assert "application/vnd.jupyter.widget-view+json" in bundle
    assert bundle["text/plain"] == repr(view) == "GraphView(directed graph of 3 nodes and 2 edges)"
    assert bundle["text/html"] == network_picture(OTHER, reference=COLLIDER).to_html() + STILL
    width = view.picture().width
    view.positions = {"X": [-300, 0]}
    assert view.picture().width > width + 200


def test_a_graph_without_edges_or_with_a_single_node_is_drawn() -> None:
    for graph in (Dag.empty(["only"]), Pdag("ABC")):
        view = GraphView.from_graph(graph)
        assert view.edges == []
        assert "<img" in view._repr_mimebundle_()[0]["text/html"]


@pytest.mark.parametrize("kinds", [("true", "reversed", "extra", "missing"), ("permanent", "chosen", "information")])
@pytest.mark.parametrize("vision", VISION)
def test_kinds_of_edges_in_one_picture_differ_in_dashes_and_in_colour(vision: str, kinds: tuple[str, ...]) -> None:
    for a, b in combinations(kinds, 2):
        assert STROKES[a].dash != STROKES[b].dash, (a, b)
        assert np.linalg.norm(seen(STROKES[a].colour, vision) - seen(STROKES[b].colour, vision)) > 0.065, (a, b)


def test_edges_that_were_kept_dropped_and_added_differ_in_dashes_and_in_colour() -> None:
    for look in ("dash", "colour"):
        assert len({getattr(STROKES[kind], look) for kind in ("kept", "dropped", "added")}) == 3


def test_special_nodes_differ_in_more_than_colour() -> None:
    rules = GraphView._css.default_value
    for kind in ("target", "inactive"):
        rule = rules[rules.rindex(f".bn-kind-{kind} .bn-shape {{") :].split("}")[0]
        assert "stroke-dasharray" in rule


def test_the_inspector_says_what_is_selected() -> None:
    panel = NodeInspector(content={"kind": "edge", "title": "A → B"})
    assert repr(panel) == "NodeInspector(edge A → B)"
    assert panel._repr_mimebundle_()[0]["text/plain"] == "NodeInspector(edge A → B)"


def test_the_still_picture_of_edge_probabilities_has_them_as_labels() -> None:
    found = bnlab.edge_probabilities(bnlab.load_network("asia").sample(300, seed=1))
    widget = NetworkGraph(found)
    svg = widget.view.picture().svg
    strength = {frozenset((u, v)): share for u, v, share, _ in found.edge_list().itertuples(index=False)}
    assert widget.graph.edges
    for edge in widget.graph.edges:
        assert f">{strength[frozenset(edge)]:.0%}<" in svg
