"""A graph as one HTML file: what it holds, and what it may not hold. What it does is tested in a browser."""

from __future__ import annotations

import json
import re
from base64 import b64encode
from hashlib import sha256
from html.parser import HTMLParser
from itertools import combinations, product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bnlab.data import Variable
from bnlab.graphs import Dag, Pdag
from bnlab.networks import BayesianNetwork, InfluenceDiagram, load_network
from bnlab.widgets import NetworkGraph
from bnlab.widgets.graph.saved import TOO_LARGE
from tests.hostile_names import NAMES, SCRIPT

NAMED = [name for name in NAMES.values() if name]


class Page(HTMLParser):
    """Elements of a page with their attributes, and its scripts by their types."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.scripts: dict[str, str] = {}
        self.script = ""
        self.feed(html)

    @property
    def carried(self) -> dict[str, Any]:
        """What the page is made of."""
        found: dict[str, Any] = json.loads(self.scripts["application/json"])
        return found

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attributes)))
        self.script = str(dict(attributes)["type"]) if tag == "script" else ""

    def handle_endtag(self, tag: str) -> None:
        self.script = ""

    def handle_data(self, data: str) -> None:
        if self.script:
            self.scripts[self.script] = self.scripts.get(self.script, "") + data


def saved(graph: Any, folder: Path, *arguments: Any, **traits: Any) -> Page:
    NetworkGraph(graph, *arguments, **traits).save_html(folder / "net.html")
    return Page((folder / "net.html").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def asia() -> BayesianNetwork:
    return load_network("asia")


@pytest.mark.parametrize("name", ["asia", "alarm"])
def test_nothing_in_the_page_has_an_address(name: str, tmp_path: Path) -> None:
    net = load_network(name)
    page = saved(net, tmp_path, net.sample(100, seed=1))
    for tag, attributes in page.elements:
        assert tag not in {"link", "iframe", "object", "base", "a"}
        assert str(attributes.get("src", "data:")).startswith("data:")
    policy = next(attributes["content"] for tag, attributes in page.elements if "http-equiv" in attributes)
    digest = b64encode(sha256(page.scripts["module"].encode()).digest()).decode()
    assert policy == (
        f"default-src 'none'; img-src data: blob:; style-src 'unsafe-inline'; script-src blob: 'sha256-{digest}'"
    )
    css = (tmp_path / "net.html").read_text(encoding="utf-8").split("<style>")[1].split("</style>")[0]
    assert not re.search(r"url\(|@import", css)


def test_names_are_values_and_text(tmp_path: Path) -> None:
    names = ["a", *NAMED]
    dag = Dag(names, [(i - 1,) if i else () for i in range(len(names))])
    rows = [[0.25, 0.75], [0.5, 0.5]]
    net = BayesianNetwork(dag, [Variable(n, (n, "other")) for n in names], [rows[0], *[rows] * (len(names) - 1)])
    widget = NetworkGraph(net, evidence={SCRIPT: SCRIPT, "__proto__": "other"}, selected_node="constructor")
    widget.save_html(tmp_path / "net.html", title=SCRIPT)
    page = Page((tmp_path / "net.html").read_text(encoding="utf-8"))
    carried = page.carried
    assert carried["names"] == names
    assert [details["title"] for details in carried["nodes"]] == names
    assert [(edge["u"], edge["v"]) for edge in carried["edges"]] == list(dag.edges)
    assert {(names[one["node"]], one["state"]) for one in carried["given"]} == {(SCRIPT, 0), ("__proto__", 1)}
    assert "<" not in page.scripts["application/json"]
    assert [tag for tag, _ in page.elements].count("script") == 2


def test_the_page_begins_as_the_graph_is_shown(asia: BayesianNetwork, tmp_path: Path) -> None:
    widget = NetworkGraph(asia, asia.sample(500, seed=1))
    widget.do, widget.evidence = {"smoke": "no"}, {"xray": {"yes": 4.0, "no": 1.0}}
    widget.view.positions = {"asia": [5.0, 7.0]}
    widget.selected_edge = ("smoke", "lung")
    widget.matters = widget.explanation = widget.edit_tables = True
    widget.save(tmp_path / "net.html")
    carried = Page((tmp_path / "net.html").read_text(encoding="utf-8")).carried
    assert carried["view"]["positions"] == {"asia": [5.0, 7.0]}
    assert carried["view"]["selected_edge"] == ["smoke", "lung"]
    assert carried["view"]["status"] == widget.status
    assert carried["view"]["editable"] is False
    assert {(one["node"], one["state"], tuple(one["weights"]), one["done"]) for one in carried["given"]} == {
        (asia.names.index("xray"), None, (4.0, 1.0), False),
        (asia.names.index("smoke"), 1, (0.0, 1.0), True),
    }
    assert all("matters" not in node and "editable" not in node["cpt"] for node in carried["nodes"])
    assert all("actions" not in edge["details"] and edge["details"]["numbers"] for edge in carried["edges"])
    controls = [control["id"] for controls in carried["view"]["toolbar"].values() for control in controls]
    assert controls == ["clear", "focus", "details", "bars", "reset"]
    plain, barred = (carried["pictures"][key]["nodes"] for key in ("plain", "barred"))
    assert [node["bars"] for node in plain] == [None] * 8
    assert all(node["h"] > other["h"] and node["bars"] for node, other in zip(barred, plain, strict=True))


def too_large() -> BayesianNetwork:
    """Four nodes of 40 states, each two with a child: their clique has 40**4 cells, and no table more than 3,200."""
    rng, pairs = np.random.default_rng(0), list(combinations(range(4), 2))
    dag = Dag([*"abcd", *("abcd"[u] + "abcd"[v] for u, v in pairs)], [*[()] * 4, *pairs])
    states = tuple(map(str, range(40)))
    roots = [Variable(name, states) for name in "abcd"]
    tables = [*[np.full(40, 1 / 40)] * 4, *rng.dirichlet([1, 1], (6, 40, 40))]
    return BayesianNetwork(dag, [*roots, *(Variable(name, ("0", "1")) for name in dag.names[4:])], tables)


def test_a_network_that_is_too_large_to_compute_says_so(tmp_path: Path) -> None:
    net = too_large()
    carried = saved(net, tmp_path, bars=True).carried
    assert carried["tree"] is None
    words = carried["view"]["status"]
    assert words == f"10 nodes, 12 edges, 9,756 free parameters. Select a node or edge for details. {TOO_LARGE}"
    assert carried["note"] == TOO_LARGE
    for node in carried["nodes"]:
        assert (node["evidence"], node["notes"]) == (False, [TOO_LARGE])
    assert carried["nodes"][0]["states"][0]["text"] == "2.5"
    controls = {control["id"] for controls in carried["view"]["toolbar"].values() for control in controls}
    assert controls == {"focus", "details", "bars", "reset"}


@pytest.mark.parametrize("kind", ["dag", "pdag", "influence diagram"])
def test_a_graph_without_probabilities_is_a_picture_with_details(kind: str, tmp_path: Path) -> None:
    graph: Any = {
        "dag": Dag.from_edges("ab", [("a", "b")]),
        "pdag": Pdag("ab", undirected=[(0, 1)]),
        "influence diagram": InfluenceDiagram(chance=["a"], decision=[], utility=["b"], edges=[("a", "b")]),
    }[kind]
    carried = saved(graph, tmp_path).carried
    assert (carried["tree"], carried["note"], list(carried["pictures"])) == (None, "", ["plain"])
    assert [node["title"] for node in carried["nodes"]] == ["a", "b"]
    assert len(carried["edges"]) == 1


def test_an_empty_network_is_saved_too(tmp_path: Path) -> None:
    carried = saved(None, tmp_path).carried
    view = carried["view"]
    assert (carried["names"], view["invitation"], view["editable"]) == ([], "", False)
    assert view["status"].startswith("0 nodes")


def test_an_error_names_the_file_and_leaves_the_older_one(asia: BayesianNetwork, tmp_path: Path) -> None:
    widget = NetworkGraph(asia)
    with pytest.raises(OSError, match=r"nothing was written.*make its folder first"):
        widget.save_html(tmp_path / "absent" / "net.html")
    with pytest.raises(OSError, match=r"it is a folder: add the name of a file"):
        widget.save_html(tmp_path)
    assert list(tmp_path.iterdir()) == []
    path = tmp_path / "net.html"
    path.write_text("older")
    widget.save_html(path)
    assert path.read_text(encoding="utf-8").startswith("<!doctype html>")
    assert [file.name for file in tmp_path.iterdir()] == ["net.html"]


def test_every_kind_of_graph_shown_can_be_saved(asia: BayesianNetwork, tmp_path: Path) -> None:
    table = asia.sample(300, seed=1)
    ways: list[dict[str, Any]] = [
        {"show_essential": True},
        {"truth": Dag.from_edges(asia.names, [("asia", "lung"), ("lung", "smoke")])},
        {"focus": ["either"]},
        {"strength": "gain", "labels": True},
    ]
    for way in ways:
        carried = saved(asia, tmp_path, table, **way).carried
        drawn = carried["pictures"]["barred"]["edges"]
        assert [(edge["u"], edge["v"]) for edge in carried["edges"]] == [(edge["u"], edge["v"]) for edge in drawn], way
        assert all(edge["details"]["kind"] == "edge" for edge in carried["edges"]), way


def test_all_combinations_of_bars_and_evidence_are_carried(asia: BayesianNetwork, tmp_path: Path) -> None:
    for bars, evidence in product((False, True), ({}, {"lung": ["yes", "no"]}, {"lung": None})):
        carried = saved(asia, tmp_path, bars=bars, evidence=evidence).carried
        assert carried["barred"] is bars
        assert [one["weights"] for one in carried["given"]] == ([[1.0, 1.0]] if evidence.get("lung") else [])
