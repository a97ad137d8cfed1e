"""Pictures of networks: what is drawn, what it says, and that names stay text."""

from __future__ import annotations

import re
from base64 import b64decode
from collections import Counter
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest

from bnlab.figures.graphs.drawing import edge_curve, on_piece
from bnlab.figures.graphs.layout import layered_layout
from bnlab.figures.graphs.network import edge_classes, network_layout, network_picture
from bnlab.figures.graphs.weighted import weighted_picture
from bnlab.figures.picture import Picture, row
from bnlab.graphs import Dag, Pdag, essential_graph, member, skeleton
from bnlab.graphs.equivalence import as_learned
from bnlab.networks import asia
from tests.figures.read_picture import SVG, parsed, texts

HOSTILE = ["<img src=x onerror=alert(1)>", '"); drop', "a&b]]>", "\x00\x1b", "喫煙", "</svg><script>1</script>"]

ASIA = asia().dag
# One edge reversed, one missing, one extra.
LEARNED = Dag.from_edges(
    ASIA.names,
    [edge for edge in ASIA.edges if edge not in {("asia", "tub"), ("smoke", "lung")}]
    + [("tub", "asia"), ("smoke", "dysp")],
)
BOTH_WAYS = {("A", "B"): 10, ("B", "A"): 9, ("B", "C"): 7}


def test_every_node_and_edge_is_drawn_with_its_name() -> None:
    picture = network_picture(ASIA)
    root = parsed(picture)
    assert texts(picture) == list(ASIA.names)
    assert len(list(root.iter(f"{SVG}ellipse"))) == 8
    assert len(list(root.iter(f"{SVG}path"))) == len(list(root.iter(f"{SVG}polygon"))) == 8


def test_the_text_alternative_lists_the_edges() -> None:
    picture = network_picture(Dag.from_edges("abc", [("a", "b"), ("c", "b")]), title="Collider")
    assert picture.alt == "Collider: directed graph of 3 nodes and 2 edges. Edges: a → b, c → b."
    root = parsed(picture)
    assert root.attrib["role"] == "img"
    assert [root[0].tag, root[1].tag] == [f"{SVG}title", f"{SVG}desc"]
    assert root[1].text == "Edges: a → b, c → b."


def test_undirected_edges_have_no_head() -> None:
    root = parsed(network_picture(essential_graph(ASIA)))
    assert len(list(root.iter(f"{SVG}path"))) == 8 + 1, "and the sample of the legend"
    assert len(list(root.iter(f"{SVG}polygon"))) == len(essential_graph(ASIA).directed)
    assert not list(parsed(network_picture(skeleton(ASIA))).iter(f"{SVG}polygon"))


def heads(picture: Picture) -> int:
    return len(list(parsed(picture).iter(f"{SVG}polygon")))


def test_undecided_edges_of_a_learned_network_have_no_head() -> None:
    learned, directed = as_learned(ASIA), len(essential_graph(ASIA).directed)
    for given in (learned, SimpleNamespace(dag=learned)):
        assert heads(network_picture(given)) == directed
        assert texts(network_picture(given))[-1] == f"Direction not decided {8 - directed}"
    assert heads(network_picture(member(learned))) == heads(network_picture(ASIA)) == 8
    tree = as_learned(Dag(["a", "b", "c"], [("c", "a"), ("a", "b")]))
    labels = {("c", "a"): "90%", ("a", "b"): "80%"}
    picture = network_picture(tree, labels=labels)
    assert heads(picture) == 0
    assert {"90%", "80%"} < set(texts(picture))
    assert texts(picture)[-1] == "Direction not decided 2", "it is no skeleton"
    assert heads(network_picture(tree, classes={("c", "a"): "kept"})) == 0
    # With the class of the other network: a direction that no data can decide is no difference.
    turned = Dag(["a", "b", "c"], [("b", "a"), ("a", "c")])
    assert texts(network_picture(tree, truth=turned))[-2:] == ["True 2", "Direction not decided 2"]
    assert texts(network_picture(member(tree), truth=turned))[-1] == "Reversed 2"


def test_no_two_marks_of_a_legend_are_alike() -> None:
    chip = re.compile(r"<rect[^>]*rx=.6.[^>]*/><(?:line|path)([^>]*)/>")
    for picture in (network_picture(as_learned(ASIA), reference=LEARNED), network_picture(as_learned(ASIA))):
        marks = chip.findall(picture.svg)
        looks = [re.sub(r"[xy][12]=.\S*|d=.M[-.\d]*,[-.\d]*", "", mark) for mark in marks]
        assert len(set(looks)) == len(looks) == len(texts(picture)) - len(ASIA)


def test_edge_classes_tell_true_reversed_extra_and_missing() -> None:
    classes = edge_classes(LEARNED, truth=ASIA)
    assert Counter(classes.values()) == {"true": 6, "reversed": 1, "extra": 1, "missing": 1}
    assert classes["tub", "asia"] == "reversed"
    assert classes["smoke", "dysp"] == "extra"
    assert list(classes)[-1] == ("smoke", "lung")


def test_edge_classes_of_essential_graphs_count_a_lost_direction_as_reversed() -> None:
    directed, undirected = Pdag("ab", directed=[(0, 1)]), Pdag("ab", undirected=[(0, 1)])
    assert edge_classes(undirected, truth=directed) == {("a", "b"): "reversed"}
    assert edge_classes(undirected, truth=undirected) == {("a", "b"): "true"}
    assert edge_classes(Pdag("ab"), truth=undirected) == {("a", "b"): "missing"}


def test_edge_classes_of_two_learned_networks_do_not_say_which_is_right() -> None:
    classes = edge_classes(LEARNED, ASIA)
    assert Counter(classes.values()) == {"in both": 6, "reversed": 1, "only here": 1, "only there": 1}
    assert classes.keys() == edge_classes(LEARNED, truth=ASIA).keys()
    with pytest.raises(ValueError, match="no network to compare with"):
        edge_classes(LEARNED)


@pytest.mark.parametrize(("reference", "name"), [(ASIA, "the reference"), ({"BIC <b>": ASIA}, "BIC <b>")])
def test_a_picture_of_two_learned_networks_uses_no_word_of_a_true_one(reference: Any, name: str) -> None:
    picture = network_picture(LEARNED, reference=reference)
    assert texts(picture)[-4:] == ["In both 6", "Reversed 1", "Only here 1", f"Only in {name} 1"]
    assert f"compared with {name}" in picture.alt
    assert f"smoke → lung (only in {name})" in picture.alt
    assert not re.search("true|extra|missing", picture.alt + picture.svg, re.IGNORECASE)
    parsed(picture)


def test_a_network_to_compare_with_is_given_once_and_alone() -> None:
    with pytest.raises(ValueError, match="give one of them"):
        network_picture(LEARNED, reference=ASIA, truth=ASIA)
    with pytest.raises(ValueError, match=r"reference has 2 entries.*\{name: graph\}"):
        network_picture(LEARNED, reference={"a": ASIA, "b": LEARNED})


def test_a_comparison_has_a_legend_that_counts() -> None:
    picture = network_picture(LEARNED, truth=ASIA)
    assert texts(picture)[-4:] == ["True 6", "Reversed 1", "Extra 1", "Missing 1"]
    dashes = {path.attrib.get("stroke-dasharray") for path in parsed(picture).iter(f"{SVG}path")}
    assert len(dashes) == 4, "classes differ in more than colour"
    assert "smoke → lung (missing)" in picture.alt


def test_a_comparison_counts_the_edges_without_an_arrowhead() -> None:
    one = Pdag("ABCDE", [(0, 1), (3, 1)], [(2, 4)])
    other = Pdag("ABCDE", [(0, 1), (2, 1)], [(2, 4), (3, 4)])
    picture = network_picture(one, reference={"other": other})
    assert texts(picture)[-4:] == ["In both 2", "Only here 1", "Only in other 2", "Direction not decided 2"]
    assert "C → B (only in other)" in picture.alt
    assert "D – E (only in other)" in picture.alt
    assert picture.svg.count("<polygon") == 3, "an edge of the other network has the arrowhead that it has there"
    for graphs in ((skeleton(ASIA), skeleton(LEARNED)), (ASIA, LEARNED)):
        assert "not decided" not in network_picture(graphs[0], reference=graphs[1]).svg


def test_own_classes_labels_and_highlights_are_drawn() -> None:
    picture = network_picture(
        ASIA, classes={("asia", "tub"): "weak"}, labels={("smoke", "lung"): "0.12"}, highlight=["lung"]
    )
    assert texts(picture)[-2:] == ["0.12", "weak 1"]
    fills = Counter(ellipse.attrib["fill"] for ellipse in parsed(picture).iter(f"{SVG}ellipse"))
    assert sorted(fills.values()) == [1, 7]


def test_anything_with_a_dag_and_networkx_graphs_can_be_drawn() -> None:
    class Net:
        dag = ASIA

    assert network_picture(Net()).svg == network_picture(ASIA).svg == network_picture(ASIA.to_networkx()).svg  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"highlight": ["lungs"]}, "did you mean 'lung'"),
        ({"labels": {("tub", "asia"): "x"}}, "no edge"),
        ({"classes": {}, "reference": ASIA}, "give one of them"),
        ({"reference": Dag.empty("ab")}, "other variables"),
    ],
)
def test_what_names_nothing_is_refused(arguments: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        network_picture(ASIA, **arguments)  # type: ignore[arg-type]


def test_a_long_name_is_shortened_in_its_node_and_whole_on_hover() -> None:
    name = "a_very_long_name_of_a_variable_indeed"
    picture = network_picture(Dag.empty([name]))
    assert texts(picture) == ["a_very_long_…able_indeed"]
    assert name in [element.text for element in parsed(picture).iter(f"{SVG}title")]


def test_a_line_ends_at_the_rims_of_its_nodes_and_passes_clear_of_the_others() -> None:
    dag = Dag.from_edges("abcdefgh", [(p, c) for p in "abc" for c in "defgh"] + [("d", "h"), ("e", "h")])
    layout = layered_layout(dag, 60)
    for (u, v), route in layout.routes.items():
        curve = edge_curve(layout, (u, v))
        assert np.hypot(*(curve[0][0] - route[0])) > 15
        assert np.hypot(*(curve[-1][3] - route[-1])) > 15
        points = np.array([on_piece(piece, t) for piece in curve for t in np.linspace(0, 1, 40)])
        for other in set(range(len(dag))) - {u, v}:
            away = (((points - layout.centres[other]) / (layout.sizes[other] / 2)) ** 2).sum(axis=1)
            assert away.min() > 1


def test_pictures_that_share_a_layout_have_the_same_places() -> None:
    layout = network_layout(ASIA, LEARNED)

    def places(picture: Picture) -> list[tuple[str, str]]:
        return [(e.attrib["cx"], e.attrib["cy"]) for e in parsed(picture).iter(f"{SVG}ellipse")]

    assert places(network_picture(ASIA, layout=layout)) == places(network_picture(LEARNED, layout=layout))


def test_the_mime_bundle_shows_where_nothing_is_trusted() -> None:
    picture = network_picture(Dag.empty("ab"))
    bundle = picture._repr_mimebundle_()
    assert set(bundle) == {"text/html", "text/plain"}
    match = re.search(r"data:image/svg\+xml;base64,([^\"]+)", bundle["text/html"])
    assert b64decode(match[1]).decode() == picture.svg
    assert bundle["text/plain"] == "Picture(directed graph of 2 nodes and 0 edges. Nodes: a, b.)"


def test_a_row_escapes_its_captions_and_wants_one_for_each() -> None:
    pictures = [network_picture(Dag.empty("ab")), network_picture(Dag.empty("abc"))]
    html = row(*pictures, captions=["<b>one", "two"]).html
    assert html.count("<img ") == html.count("<figcaption") == 2
    assert "&lt;b&gt;one" in html
    with pytest.raises(ValueError, match="1 captions for 2 pictures"):
        row(*pictures, captions=["one"])


def test_a_picture_saves_its_svg(tmp_path: Path) -> None:
    picture = network_picture(ASIA)
    picture.save(tmp_path / "asia.svg")
    with pytest.raises(ValueError, match=r"asia\.pdf': a picture is written as SVG.*inkscape"):
        picture.save(tmp_path / "asia.pdf")
    assert not (tmp_path / "asia.pdf").exists()
    assert (tmp_path / "asia.svg").read_text(encoding="utf-8") == picture.svg


def test_weights_classes_and_directions_are_in_words() -> None:
    picture = weighted_picture("ABC", BOTH_WAYS, classes={("B", "C"): "kept"})
    assert picture.alt == ("weighted directed graph of 3 nodes and 3 edges. Edges: A → B 10, B → A 9, B → C 7 (kept).")


def test_an_edge_and_its_reverse_do_not_lie_on_each_other() -> None:
    root = ElementTree.fromstring(weighted_picture("AB", {("A", "B"): 1, ("B", "A"): 2}).svg)
    paths = [path.get("d") for path in root.iter("{http://www.w3.org/2000/svg}path")]
    assert len(set(paths)) == 2
    tags = [(r.get("x"), r.get("y")) for r in root.iter("{http://www.w3.org/2000/svg}rect")]
    assert len(set(tags)) == 2


def test_an_undirected_graph_has_no_arrow_heads() -> None:
    assert "<polygon" in weighted_picture("ABC", BOTH_WAYS).svg
    assert "<polygon" not in weighted_picture("ABC", BOTH_WAYS, directed=False).svg


@pytest.mark.parametrize(
    ("edges", "options", "message"),
    [
        ({("A", "Z"): 1}, {}, "no node 'Z'"),
        ({("A", "A"): 1}, {}, "joins two nodes"),
        ({("A", "B"): 1}, {"classes": {("B", "A"): "kept"}}, r"no edge \('B', 'A'\)"),
    ],
)
def test_what_is_not_on_the_graph_is_refused(edges: dict, options: dict, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        weighted_picture("AB", edges, **options)


def test_an_equivalence_class_has_a_legend_of_what_is_open_and_no_arrowheads_there() -> None:
    pdag = Pdag("ABCDE", [(0, 1), (3, 2)], [(1, 2), (3, 4)], [(1, 2)])
    picture = network_picture(pdag)
    assert "B – C (contradictory directions)" in picture.alt
    assert "D – E (direction not decided)" in picture.alt
    assert "Contradictory directions 1" in picture.svg
    assert "Direction not decided 1" in picture.svg
    assert picture.svg.count("<polygon") == 2
    assert "not decided" not in network_picture(Pdag("AB", undirected=[(0, 1)])).alt
    assert "not decided" not in network_picture(pdag, truth=pdag).alt
