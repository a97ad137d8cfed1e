"""Small weighted graphs as pictures."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest

from bnlab.figures.graphs.weighted import weighted_picture

BOTH_WAYS = {("A", "B"): 10, ("B", "A"): 9, ("B", "C"): 7}


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
