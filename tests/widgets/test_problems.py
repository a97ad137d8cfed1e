"""Exceptions in callbacks: they show in the widget in words, and the widget and the others go on."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from time import sleep
from typing import Any, NoReturn

import pytest

from bnlab.networks import asia
from bnlab.widgets import ConvergencePlot, GraphView, NetworkGraph, PlotlyView, PolicyMap, SearchPlayer
from bnlab.widgets.base.controls import Controls
from bnlab.widgets.base.widget import PageWidget
from bnlab.widgets.graph.inspector import NodeInspector
from tests.widgets.small_searches import Counter

WORDS = "the disc is full <b>"


def fails(*_: Any) -> NoReturn:
    raise OSError(WORDS)


KINDS: dict[str, tuple[Callable[[], PageWidget], str, Any, Any]] = {
    "graph view": (lambda: GraphView.from_graph(asia()), "selected", ["lung"], ["tub"]),
    "convergence plot": (ConvergencePlot, "by", "seconds", "iteration"),
    "policy map": (lambda: PolicyMap(["A", "B"]), "description", "one", "two"),
    "plotly view": (lambda: PlotlyView({"data": []}), "hovered", {"x": 1}, None),
    "controls": (lambda: Controls("Graph"), "lines", [[{"id": "a"}]], []),
    "inspector": (NodeInspector, "height", 300, 400),
}


@pytest.fixture(autouse=True)
def quiet(caplog: pytest.LogCaptureFixture) -> Iterator[None]:
    with caplog.at_level(logging.CRITICAL):
        yield


@pytest.mark.parametrize("kind", list(KINDS))
def test_an_exception_of_an_observer_shows_in_the_widget_and_goes_when_all_is_well(kind: str) -> None:
    make, name, first, second = KINDS[kind]
    widget, other = make(), make()
    widget.observe(fails, name)
    widget.set_state({name: first})
    assert WORDS in widget.problem
    assert getattr(widget, name) == first
    assert other.problem == ""
    widget.unobserve(fails, name)
    widget.set_state({name: second})
    assert widget.problem == ""
    assert getattr(widget, name) == second


@pytest.mark.parametrize("kind", list(KINDS))
def test_an_exception_of_a_listener_shows_in_the_widget(kind: str) -> None:
    widget = KINDS[kind][0]()
    widget.on_msg(fails)
    widget._handle_custom_msg({"type": "any"}, [])
    assert WORDS in widget.problem


def test_code_that_sets_a_trait_gets_the_exception_itself() -> None:
    view = GraphView.from_graph(asia())
    view.observe(fails, "selected")
    with pytest.raises(OSError, match="disc"):
        view.selected = ["lung"]


def test_what_the_page_may_not_set_is_refused_in_words() -> None:
    view = GraphView.from_graph(asia())
    view.set_state({"highlight": "nobody"})
    assert "'nobody'" in view.problem
    assert view.highlight == "neighbours"


def test_a_network_graph_tells_of_its_observers_in_its_line() -> None:
    widget = NetworkGraph(asia())
    widget.observe(fails, "evidence")
    widget.view._handle_custom_msg({"type": "evidence", "node": "xray", "state": 0}, [])
    assert widget.status == f"Not done: {WORDS}"
    widget.unobserve(fails, "evidence")
    widget.view._handle_custom_msg({"type": "evidence", "node": "smoke", "state": 0}, [])
    assert widget.evidence == {"xray": "yes", "smoke": "yes"}


@pytest.mark.parametrize("name", ["iteration", "best_score", "status"])
def test_a_player_whose_observer_fails_stops_in_words_and_can_go_on(name: str) -> None:
    player = SearchPlayer(Counter(400, lambda count: sleep(0.001)))
    player.observe(fails, name)
    player.controls._handle_custom_msg({"type": "control", "id": "play", "value": True}, [])
    assert player.wait(20)
    assert WORDS in player.controls.control("status")["text"]
    assert player.iteration < 400
    player.unobserve(fails, name)
    player.play()
    assert player.wait(20)
    assert player.iteration == 400
    assert player.status.startswith("Finished")
