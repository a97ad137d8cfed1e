"""Closed widgets: nothing of them stays, whatever they did before, and what they run ends."""

from __future__ import annotations

import gc
import logging
import sys
import tracemalloc
import weakref
from collections.abc import Callable, Iterator
from sys import getsizeof
from tempfile import TemporaryDirectory
from threading import Event, Thread
from threading import enumerate as threads
from time import monotonic, sleep
from typing import Any

import ipywidgets
import pytest
from ipywidgets.widgets.widget import _instances

from bnlab.learners.chen.search import ChenSearch
from bnlab.learners.hill_climbing.search import HillClimbing
from bnlab.networks import cancer
from bnlab.papers import ChenPanel, EdgeExplorer, ExperimentBoard
from bnlab.widgets import NetworkGraph, ScorePanel, SearchPlayer, Workbench
from bnlab.widgets.base.core import LOCK
from tests.papers.toy_rerun import HOSTILE, Toy
from tests.soak import times
from tests.widgets.small_searches import Counter, Gate, NamedScores, phi

TABLE = cancer().sample(200, seed=1)
STUCK_S = 120  # until a search is taken for stuck


def networked() -> NetworkGraph:
    widget = NetworkGraph(cancer(), TABLE, truth=cancer())
    widget.view.observe(lambda change: widget.view.selected, "selected")
    widget.view._handle_custom_msg({"type": "evidence", "node": "Xray", "state": 0}, [])
    widget.view._handle_custom_msg({"type": "edit", "action": "delete", "u": "Smoker", "v": "Cancer"}, [])
    widget.view._handle_custom_msg({"type": "edit", "action": "add", "u": "Dyspnoea", "v": "Pollution"}, [])
    widget.view._handle_custom_msg({"type": "control", "id": "show_essential", "value": True}, [])
    widget.view.set_state({"selected": ["Cancer"], "positions": {"Cancer": [1.0, 2.0]}})
    return widget


def played() -> SearchPlayer:
    search = ChenSearch(NamedScores(phi), 4, beta=0.02, Q=40, B=20, seed=2)
    player = SearchPlayer({"chen": search, "climb": HillClimbing(phi, 4)}, baselines={"k2": -9.0})
    player.controls._handle_custom_msg({"type": "control", "id": "play", "value": True}, [])
    player.wait(20)
    player.moment = 3
    player.plot._handle_custom_msg({"type": "plotly"}, [])
    player.plot.set_state({"moment": 5, "by": "seconds", "hidden": ["climb"], "hovered": {"x": 1}})
    return player


def scored() -> ScorePanel:
    panel = ScorePanel(TABLE, {"true": cancer(), "empty": []})
    panel.ess, panel.n_rows, panel.reference = 4.0, 100, "empty"
    panel._handle_custom_msg({"type": "Point", "index": 0, "number": 1}, [])
    assert panel.wait(20)
    graph = NetworkGraph(cancer())
    panel.link(graph)
    graph.view.set_state({"hovered": "Cancer"})
    assert panel.hovered == "Cancer"
    graph.close()
    return panel


def boarded() -> ExperimentBoard:
    with TemporaryDirectory() as folder:
        board = ExperimentBoard(Toy(), folder, processes=0)
        board.run()
        assert board.wait(20)
        board.selected = [HOSTILE, "A"]
        assert board.wait(20)
    return board


def explained() -> EdgeExplorer:
    explorer = EdgeExplorer("Child", 500, algorithm="mmpc")
    explorer.view.set_state({"selected_edge": list(explorer.trace.graph.edges[0])})
    assert explorer.wait(120)
    return explorer


def tried() -> ChenPanel:
    panel = ChenPanel("simple")
    panel.controls._handle_custom_msg({"type": "control", "id": "beta", "value": 0.01}, [])
    assert panel.wait(60)
    return panel


def worked() -> Workbench:
    workbench = Workbench(TABLE)
    workbench.learn("hill-climbing", restarts=1)
    workbench.learn("chow-liu")
    workbench.reference = "Hill climbing, BIC"
    workbench.bootstrap(replicates=2)
    workbench.forms["columns"]._handle_custom_msg({"type": "control", "id": "column", "value": "Xray"}, [])
    assert workbench.wait(20)
    return workbench


KINDS: dict[str, Callable[[], Any]] = {
    "network graph": networked,
    "search player": played,
    "score panel": scored,
    "experiment board": boarded,
    "workbench": worked,
    "panel of Chen's search": tried,
    "edge explorer": explained,
}
every_kind = pytest.mark.parametrize(
    "kind", [pytest.param(kind, marks=[pytest.mark.needs_data] * (kind == "edge explorer")) for kind in KINDS]
)


def family(widget: Any) -> Iterator[Any]:
    """A widget and all its parts."""
    yield widget
    for part in [*getattr(widget, "children", ()), getattr(widget, "layout", None), getattr(widget, "style", None)]:
        if isinstance(part, ipywidgets.Widget):
            yield from family(part)


def made_and_closed(kind: str, count: int) -> list[weakref.ref[Any]]:
    gone = []
    for _ in range(count):
        widget = KINDS[kind]()
        gone += map(weakref.ref, family(widget))
        widget.close()
    del widget
    wait_for_searches()
    collect()
    return gone


def collect() -> None:
    """Collect garbage in another thread, as happens at any time, while this one changes a widget."""
    ended = Event()
    with LOCK:
        Thread(target=lambda: (gc.collect(), ended.set()), daemon=True).start()
        assert ended.wait(STUCK_S), "collecting a widget waits for a lock"


def wait_for_searches() -> None:
    """What a thread still holds is no leak; a thread that does not end is one."""
    end = monotonic() + STUCK_S
    while any(thread.name.startswith("bnlab ") for thread in threads()):
        assert monotonic() < end, f"a search did not end within {STUCK_S} seconds"
        sleep(0.005)


@pytest.fixture(autouse=True, scope="module")
def what_was_before_is_no_garbage() -> Iterator[None]:
    """Collecting garbage looks at new objects alone, and not at all that the tests have loaded."""
    gc.collect()
    gc.freeze()
    yield
    gc.unfreeze()


@pytest.fixture(autouse=True)
def no_log_records(caplog: pytest.LogCaptureFixture) -> None:
    """Pytest stores log records, whose tracebacks hold the widgets."""
    caplog.set_level(logging.CRITICAL)


@every_kind
def test_closed_widgets_leave_no_object(kind: str) -> None:
    made_and_closed(kind, 1)  # what is made once for all widgets
    known = set(_instances)
    gone = made_and_closed(kind, 2)
    assert len(gone) > 2
    assert [ref() for ref in gone if ref() is not None] == []
    assert set(_instances) == known


@pytest.mark.slow
@every_kind
def test_closed_widgets_give_their_memory_back(kind: str) -> None:
    rounds = times(1, 30)
    made_and_closed(kind, 1)
    tracemalloc.start()
    try:
        made_and_closed(kind, 1)
        # What a thread on its way out still holds is gone in the next round; a leak is in every round.
        assert any(growth(kind, rounds) < rounds * 4_000 for _ in range(5))
    finally:
        tracemalloc.stop()


def growth(kind: str, count: int) -> int:
    """Bytes that so many widgets leave behind."""
    before = memory()
    new = made_and_closed(kind, count)
    return memory() - before - sum(map(getsizeof, [new, *new]))


def memory() -> int:
    """Bytes in use, without Python's cache of attributes, which keeps up to 4,096 names that were looked up."""
    clear = getattr(sys, "_clear_internal_caches", None) or sys._clear_type_cache  # the former since Python 3.13
    clear()
    return tracemalloc.get_traced_memory()[0]


def test_a_widget_that_is_closed_during_a_run_stops_its_run() -> None:
    gate, made = Gate(), []
    player = SearchPlayer(Counter(1_000_000, before=lambda count: (made.append(count), gate(count))))
    player.play()
    assert gate.reached.wait(20)
    player.close()
    gate.open.set()
    wait_for_searches()
    assert made == [0, 1, 2, 3]
    with pytest.raises(RuntimeError, match="closed"):
        player.play()
    gone = weakref.ref(player)
    del player
    gc.collect()
    assert gone() is None
