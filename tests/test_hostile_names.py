"""Names with every kind of quote and mark, in each file that is written, read back by a reader of that kind of file."""

from __future__ import annotations

import ast
import csv
import json
import re
from collections.abc import Callable, Iterator
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import ipywidgets
import nbformat
import networkx as nx
import numpy as np
import pandas as pd
import pytest

import bnlab
from bnlab.analysis import Preparation, Recipe, Study
from bnlab.analysis.files import keep_beside, open_source
from bnlab.analysis.session import Session
from bnlab.data import Table, Variable, load_frame
from bnlab.figures import network_picture
from bnlab.figures.labels import OBJECT_PROPERTIES, plain, row_labels
from bnlab.figures.report import study_report
from bnlab.graphs import Dag, Pdag
from bnlab.graphs.pdag import python_code
from bnlab.networks import BayesianNetwork, from_networkx, to_networkx, write_bif
from bnlab.networks.io.bif_writer import format_bif
from bnlab.networks.io.graphml import format_graphml
from bnlab.widgets import GraphView, NetworkGraph, ScorePanel, SearchPlayer, Workbench
from bnlab.widgets.workbench.results import result_frame
from tests.hostile_names import CONTROLS, FORMULAS, NAMES, STUDIED, TEXT

SVG = "{http://www.w3.org/2000/svg}"
UNWRITABLE = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
HALF = "caf\udce9"


def chain(names: list[str]) -> BayesianNetwork:
    """Network in which each name is that of a node, of a state of it, and the parent of the next."""
    dag = Dag(names, [(i - 1,) if i else () for i in range(len(names))])
    rows = [[0.25, 0.75], [0.5, 0.5]]
    return BayesianNetwork(
        dag, [Variable(name, (name, "other")) for name in names], [rows[0], *[rows] * (len(dag) - 1)]
    )


NET = chain(list(NAMES.values()))


class Page(HTMLParser):
    """Tags, attributes, addresses of pictures, and text of a page."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.attributes: set[str] = set()
        self.pictures: set[str] = set()
        self.values: set[str] = set()
        self.feed(html)

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes.update(name for name, _ in attributes)
        self.values.update(value for _, value in attributes if value)
        if tag == "img":
            self.pictures.add(str(dict(attributes)["src"]))

    def handle_data(self, data: str) -> None:
        self.values.add(data)


def test_bif_gives_the_same_network(tmp_path: Path) -> None:
    write_bif(NET, tmp_path / "net.bif")
    assert bnlab.load_network(tmp_path / "net.bif") == NET
    assert bnlab.networks.parse_bif(format_bif(NET)) == NET


def test_networkx_gives_the_same_network() -> None:
    assert from_networkx(to_networkx(NET)) == NET


def test_graphml_gives_the_same_graph(tmp_path: Path) -> None:
    net = chain([*TEXT.values(), CONTROLS["carriage return"], CONTROLS["lines of Windows"]])
    (tmp_path / "net.graphml").write_text(format_graphml(net), encoding="utf-8")
    read = nx.read_graphml(tmp_path / "net.graphml")
    assert tuple(read.nodes) == net.names
    assert set(read.edges) == set(net.dag.edges)
    assert [json.loads(read.nodes[name]["states"]) for name in net.names] == [[name, "other"] for name in net.names]


@pytest.mark.parametrize("name", [name for name in NAMES.values() if UNWRITABLE.search(name)], ids=ascii)
def test_graphml_refuses_in_words_what_xml_has_no_way_to_write(name: str) -> None:
    with pytest.raises(ValueError, match=f"node {re.escape(repr(name))}: its name has a character"):
        bnlab.networks.io.graphml.format_graphml(Dag.empty([name]))


@pytest.mark.parametrize(
    "graph",
    [NET.dag, Pdag(NET.names, directed=[(0, 1)], undirected=[(1, 2)]), Dag.empty(["A"]), Dag.empty([])],
    ids=["dag", "pdag", "one node", "nothing"],
)
def test_python_code_builds_the_same_graph(graph: Dag | Pdag, tmp_path: Path) -> None:
    path = tmp_path / "graph.py"
    path.write_text(python_code(graph), encoding="utf-8", newline="\n")
    made: dict[str, Any] = {}
    exec(compile(path.read_bytes(), path.name, "exec"), made)
    assert graph in made.values()


def test_an_svg_file_holds_every_name(tmp_path: Path) -> None:
    labels = {edge: f"label of {edge[0]}" for edge in NET.dag.edges}
    shown = {"labels": labels, "classes": {NET.dag.edges[0]: "<b>class"}, "title": NET.names[0]}
    network_picture(NET, highlight=NET.names[:3], **shown).save(tmp_path / "net.svg")
    root = ElementTree.parse(tmp_path / "net.svg").getroot()
    titles = {"".join(title.itertext()) for title in root.iter(f"{SVG}title")}
    written = [UNWRITABLE.sub("\ufffd", name).replace("\r\n", "\n").replace("\r", "\n") for name in NET.names]
    assert {f"{u} → {v}" for u, v in pairwise(written)} <= titles
    assert {element.tag.removeprefix(SVG) for element in root.iter()} <= {
        *("svg", "title", "desc", "g", "path", "ellipse", "rect", "line", "text", "polygon"),
    }


@pytest.fixture(scope="module")
def frame() -> pd.DataFrame:
    """Columns and states of every name that pandas can hold."""
    rng = np.random.default_rng(0)
    return pd.DataFrame({name: rng.choice([name, "other"], 40) for name in STUDIED})


@pytest.fixture(scope="module")
def study(frame: pd.DataFrame) -> Study:
    """A study of them, with two networks, named after two of them."""
    made = Study(source=NAMES["script"], preparation=Preparation(target=NAMES["apostrophe"]))
    table = made.preparation.apply(frame)
    for name in (NAMES["tag"], NAMES["both quotes"]):
        made = made.with_result(name, Recipe("chow-liu"), Recipe("chow-liu").learn(table))
    return made


def test_a_report_shows_every_name_as_text(frame: pd.DataFrame, study: Study, tmp_path: Path) -> None:
    study_report(study, frame, title=NAMES["script"]).save(tmp_path / "report.html")
    page = Page((tmp_path / "report.html").read_bytes().decode())
    # In a cell, a line break is one of the page.
    assert {line for name in STUDIED for line in name.split("\n") if line} <= page.values
    assert page.tags.isdisjoint({"script", "b", "iframe", "object", "a"})
    assert not [value for value in page.values if value.startswith("javascript:")]


def test_a_notebook_holds_every_name_as_a_value(frame: pd.DataFrame, study: Study, tmp_path: Path) -> None:
    left_out = tuple(frame.columns[2:])
    for told in (study, Study(source=NAMES["script"], preparation=Preparation(leave_out=left_out))):
        path = tmp_path / "study.ipynb"
        path.write_text(json.dumps(told.notebook(NAMES["heading"]), ensure_ascii=False), encoding="utf-8")
        notebook = nbformat.read(path, 4)
        nbformat.validate(notebook)
        code = "\n".join(cell.source for cell in notebook.cells if cell.cell_type == "code")
        values = {node.value for node in ast.walk(ast.parse(code)) if isinstance(node, ast.Constant)}
        assert {NAMES["script"], *told.graphs, *told.preparation.leave_out} <= values
        words = "\n".join(cell.source for cell in notebook.cells if cell.cell_type == "markdown")
        # A code span is shown as it is; an escaped character is text.
        assert "<img" not in re.sub(r"\\.", "", re.sub(r"(`+)(?!`).+?(?<!`)\1(?!`)", "", words))


TAG = NAMES["tag"]


def panel() -> ScorePanel:
    rows = NET.sample(30, seed=1).select([TAG, NAMES["script"]])
    made = ScorePanel(rows, {TAG: [rows.names], "empty": []}, reference=TAG)
    made.hovered = TAG
    return made


def player() -> SearchPlayer:
    made = SearchPlayer(NET.sample(30, seed=1).select([TAG, NAMES["script"]]), "hill-climbing", baselines={TAG: -1.0})
    made.step()
    return made


def workbench() -> Workbench:
    rng = np.random.default_rng(0)
    made = Workbench(pd.DataFrame({name: rng.choice([name, "other"], 40) for name in STUDIED[8:12]}))
    for name in (TAG, NAMES["script"]):
        made.learn("chow-liu", name=name)
    made.bootstrap(replicates=2)
    return made


WIDGETS: dict[str, Callable[[], Any]] = {
    "network graph": lambda: NetworkGraph(NET, selected_node=TAG),
    "picture": lambda: GraphView.from_graph(
        NET.dag, strengths={NET.dag.edges[0]: 1.0}, strength_label="<i>x", titles={TAG: "<u>"}
    ),
    "score panel": panel,
    "search player": player,
    "workbench": workbench,
    "table": lambda: NET.sample(30, seed=1).select([TAG, *NET.names[:7]]),
}


@pytest.mark.parametrize("kind", WIDGETS)
def test_a_widget_shows_names_as_text_with_a_kernel_and_without(kind: str) -> None:
    widget = WIDGETS[kind]()
    if isinstance(widget, Table):
        pages = [widget._repr_html_()]
    else:
        bundle = widget._repr_mimebundle_()
        still = bundle[0] if isinstance(bundle, tuple) else bundle
        pages = [still["text/html"], *(part.value for part in parts(widget) if isinstance(part, ipywidgets.HTML))]
        widget.close()
    for page in map(Page, pages):
        assert page.tags.isdisjoint({"script", "i", "u", "iframe", "object", "a"})
        assert not any(name.startswith("on") for name in page.attributes)
        assert all(source.startswith("data:image/") for source in page.pictures)
    assert any("&lt;img" in page for page in pages)


def parts(widget: Any) -> Iterator[Any]:
    """A widget and all below it."""
    yield widget
    for part in getattr(widget, "children", ()):
        yield from parts(part)


def latex_text(cell: str) -> str:
    """Text of a cell of a LaTeX table; an error where a character is left that LaTeX obeys."""
    commands = {
        **{f"\\{mark}": mark for mark in "&%$#_{}"},
        "\\textasciitilde ": "~",
        "\\textasciicircum ": "^",
        "\\textbackslash ": "\\",
    }
    token = re.compile("|".join([*map(re.escape, commands), r"[^\\{}$&#^_~%]"]), re.DOTALL)
    text, at = "", 0
    while at < len(cell):
        found = token.match(cell, at)
        assert found is not None, cell[at:]
        text += commands.get(found[0], found[0])
        at = found.end()
    return text


def test_a_latex_table_with_escapes_shows_every_name() -> None:
    session, _ = Session().load(open_source(pd.DataFrame({"a": [0, 1] * 10, "b": [0, 1, 1, 0] * 5})))
    for name in TEXT.values():
        session = session.add(name, Dag.empty(["a", "b"]))
    results = result_frame(session)
    text = results.to_latex(escape=True)
    rows = re.split(r" \\\\\n", text.partition("\\midrule\n")[2].partition("\\bottomrule")[0])[:-1]
    assert [latex_text(re.split(r"(?<!\\) & ", row)[0]) for row in rows] == list(TEXT.values())
    assert "learned\\_by" in text


CSV = {name: text for name, text in TEXT.items() if text}


def test_a_file_of_data_holds_formulas_of_spreadsheets_as_they_are(tmp_path: Path) -> None:
    """What bnlab reads again is never changed, so that the names stay those of the networks."""
    names = list(FORMULAS.values())
    rng = np.random.default_rng(0)
    codes = rng.integers(0, 2, (40, len(names)))
    table = Table.from_codes(codes, [Variable(name, tuple(sorted([name, "other"]))) for name in names])
    kept = keep_beside(open_source(table), tmp_path / "kept.study.json")
    # Names that are states too look like a first row of data.
    assert bnlab.load_data(load_frame(kept.path, format=kept.format)).equals(table)
    with open(kept.path, encoding="utf-8", newline="") as file:
        assert next(csv.reader(file)) == names


def test_a_file_of_data_gives_back_every_name(tmp_path: Path) -> None:
    names = list(CSV.values())
    codes = np.random.default_rng(0).integers(0, 2, (40, len(names)))
    table = Table.from_codes(codes, [Variable(name, tuple(sorted([name, "other"]))) for name in names])
    kept = keep_beside(open_source(table), tmp_path / "kept.study.json")
    assert bnlab.load_data(load_frame(kept.path, format=kept.format)).equals(table)


def test_plotly_finds_no_template_formula_or_property_in_a_name() -> None:
    for name in [*NAMES.values(), *OBJECT_PROPERTIES]:
        assert not re.search(r"[<>$]|%\{", plain(name))
        assert plain(name) not in OBJECT_PROPERTIES
    rows = row_labels(["", "", "a", "a", "a\u200b"], 9)
    assert len(set(rows)) == len(rows) == 5
    assert all(rows)


@pytest.mark.parametrize(
    "make",
    [
        lambda: Variable(HALF, ("a", "b")),
        lambda: Variable("a", ("b", HALF)),
        lambda: Dag.empty([HALF]),
        lambda: Pdag([HALF], directed=[], undirected=[]),
    ],
    ids=["name", "state", "dag", "pdag"],
)
def test_half_of_a_character_is_refused_in_words(make: Any) -> None:
    with pytest.raises(ValueError, match=r"'caf\\udce9' holds '\\udce9', half of a character"):
        make()
