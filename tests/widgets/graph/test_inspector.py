"""The panel and the row of controls: what they hold, and what the page may ask of them."""

from __future__ import annotations

import gc
import weakref
from typing import Any

from bnlab.widgets.graph.inspector import NodeInspector
from bnlab.widgets.graph.toolbar import GraphToolbar, button, choice, menu, toggle


def test_the_panel_says_what_is_selected() -> None:
    panel = NodeInspector(content={"kind": "edge", "title": "A → B"})
    assert repr(panel) == "NodeInspector(edge A → B)"
    assert panel._repr_mimebundle_()[0]["text/plain"] == "NodeInspector(edge A → B)"


def test_controls_keep_their_kind_and_what_they_offer() -> None:
    controls = [
        toggle("a", "A", True),
        choice("b", "B", "x", [("X", "x"), ("Y", "y")]),
        button("c", "C", "acts", enabled=False),
        menu("d", "D", [("File", "file")]),
    ]
    toolbar = GraphToolbar(controls=controls)
    assert [c["kind"] for c in toolbar.controls] == ["toggle", "choice", "button", "menu"]
    assert toolbar.controls[1]["options"] == [["X", "x"], ["Y", "y"]]
    assert repr(toolbar) == "GraphToolbar(A, B, C, D)"


def test_a_file_is_sent_with_its_name_and_type(monkeypatch: Any) -> None:
    toolbar = GraphToolbar()
    sent: list[Any] = []
    monkeypatch.setattr(toolbar, "send", sent.append)
    toolbar.offer("graph.py", "dag = 1", "text/x-python")
    assert sent == [{"type": "file", "name": "graph.py", "text": "dag = 1", "mime": "text/x-python"}]


def test_closed_ones_are_forgotten() -> None:
    parts = [NodeInspector(), GraphToolbar()]
    gone = list(map(weakref.ref, parts))
    for part in parts:
        part.close()
    del parts, part
    gc.collect()
    assert [ref() for ref in gone] == [None, None]
