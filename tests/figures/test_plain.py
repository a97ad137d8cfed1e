"""What a notebook shows of plain values: pictures with tables."""

from __future__ import annotations

import re
from html import unescape

from bnlab import Knowledge, compare
from bnlab.figures.plain import LISTED_RULES, comparison_html, knowledge_html, row_layout
from bnlab.widgets import _SHOWN


def test_knowledge_shows_as_a_picture_with_a_table_of_all_rules() -> None:
    knowledge = Knowledge(
        required=[("a", "b")], forbidden=[("a", "<i>"), ("b", "a")], tiers=[["a"], ["b", "<i>"]], max_parents={"b": 2}
    )
    assert _SHOWN["bnlab.graphs.knowledge", "Knowledge"] == knowledge_html.__name__
    html = knowledge_html(knowledge)
    picture, table = html[: html.index("<table")], html[html.index("<table") :]
    assert "a → b (required)" in unescape(picture)
    assert "a → <i> (forbidden)" in unescape(picture)
    assert "<i>" not in html
    words = unescape(re.sub("<[^>]+>", "|", table))
    for row in ("Required edge|", "a → b", "a → <i>", "Tier 2|", "b, <i>", "Max. parents of b|", "2"):
        assert row in words


def test_tiers_are_rows_from_top_to_bottom() -> None:
    layout = row_layout(["a", "b", "c", "d"], [["c", "a"], ["b"], ["d"]])
    x, y = layout.centres.T
    assert y[0] == y[2] < y[1] < y[3]
    assert x[2] < x[0]
    assert x[1] == x[3] == (x[0] + x[2]) / 2


def test_knowledge_of_many_edges_is_a_table_with_the_number_of_the_others() -> None:
    pairs = [(f"a{i}", f"b{i}") for i in range(LISTED_RULES + 7)]
    html = knowledge_html(Knowledge(forbidden=pairs))
    assert "<img" not in html
    assert re.search(r">More rules</td><td[^>]*>7<", html)
    assert "none" in knowledge_html(Knowledge())


def test_a_comparison_begins_with_the_distance_of_the_essential_graphs() -> None:
    words = re.sub("<[^>]+>", "|", comparison_html(compare("[a][b|a][c|a:b]", "[b][a|b][c|a]")))
    shown = [text for text in words.split("|") if text.strip()]
    first = shown.index("Value") + 1
    assert shown[first : first + 4] == [
        *("Structural Hamming distance of the essential graphs", "1", "Structural Hamming distance", "2")
    ]
