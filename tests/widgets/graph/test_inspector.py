"""The inspector beside a graph."""

from __future__ import annotations

import gc
import weakref

from bnlab.widgets.base.controls import Controls
from bnlab.widgets.graph.inspector import NodeInspector


def test_the_inspector_says_what_is_selected() -> None:
    panel = NodeInspector(content={"kind": "edge", "title": "A → B"})
    assert repr(panel) == "NodeInspector(edge A → B)"
    assert panel._repr_mimebundle_()[0]["text/plain"] == "NodeInspector(edge A → B)"


def test_closed_ones_are_forgotten() -> None:
    parts = [NodeInspector(), Controls("Graph")]
    gone = list(map(weakref.ref, parts))
    for part in parts:
        part.close()
    del parts, part
    gc.collect()
    assert [ref() for ref in gone] == [None, None]
