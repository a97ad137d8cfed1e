"""A request of the page has the same effect whether what is selected arrives before it or, held back, after it."""

from __future__ import annotations

from typing import Any

import pytest

from bnlab.networks import asia
from bnlab.widgets import NetworkGraph
from bnlab.widgets.graph.page import page

PAIR = {"selected": ["tub", "either"], "selected_edge": None}
EDGE = {"selected": [], "selected_edge": ["smoke", "lung"]}
REQUESTS: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "focus by the menu": (PAIR, {"type": "control", "id": "focus", "value": True}),
    "focus on an edge": (EDGE, {"type": "control", "id": "focus", "value": True}),
    "focus elsewhere": ({**PAIR, "selected": ["xray"]}, {"type": "focus", "node": "asia"}),
    "delete": (EDGE, {"type": "edit", "action": "delete", "u": "smoke", "v": "lung"}),
    "reverse": (EDGE, {"type": "edit", "action": "reverse", "u": "smoke", "v": "lung"}),
}


def drawn(graph: NetworkGraph) -> dict[str, Any]:
    view = graph.view
    return {
        "nodes": [node["name"] for node in view.nodes],
        "edges": [edge["title"] for edge in view.edges],
        "selected": (view.selected, view.selected_edge, graph.selected_node, graph.selected_edge),
        "status": (graph.status, view.problem),
        "details": page(graph.state)["details"],
    }


@pytest.mark.parametrize("request_of_the_page", list(REQUESTS))
def test_a_request_that_overtakes_what_is_selected(request_of_the_page: str) -> None:
    selected, message = REQUESTS[request_of_the_page]
    in_order, overtaken = NetworkGraph(asia()), NetworkGraph(asia())
    in_order.view.set_state(selected)
    in_order.view._handle_custom_msg({**message, **selected}, [])
    overtaken.view._handle_custom_msg({**message, **selected}, [])
    overtaken.view.set_state(selected)
    assert drawn(overtaken) == drawn(in_order)
