"""Explorer of edges: settings, choice of a pair, what it says, and its still picture."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from bnlab.data import catalogue
from bnlab.papers.villanueva2012 import edge_explorer as module
from bnlab.papers.villanueva2012.edge_explorer import (
    CLICK,
    ChooseEnd,
    Done,
    EdgeExplorer,
    Learn,
    Learned,
    State,
    Told,
    page,
    update,
)
from bnlab.widgets.base.controls import message
from bnlab.widgets.base.pure import Failed, Set

CHILD = Learned.of(("Child", 500, 1, "mmpc", "as printed"))
FIRST = State("Child", algorithm="mmpc", learned=CHILD)
PAIR = replace(FIRST, edge=["Age", "Sick"], ends=("Age", "Sick"))
LEARNING = {"status": "Learning …"}


@pytest.fixture
def explorer() -> Any:
    made = EdgeExplorer("Child", 500, algorithm="mmpc")
    yield made
    made.close()


@pytest.fixture
def nowhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No samples of the study in any folder."""
    monkeypatch.delenv("BNLAB_DATA", raising=False)
    monkeypatch.setattr(catalogue, "cache_folder", lambda: tmp_path)


def choose(explorer: EdgeExplorer, name: str, value: Any) -> None:
    """What the page sends when a control is used."""
    explorer.controls._handle_custom_msg({"type": "control", "id": name, "value": value}, [])


def settled(explorer: EdgeExplorer) -> EdgeExplorer:
    assert explorer.wait(120)
    return explorer


@pytest.mark.parametrize(
    ("state", "message", "changed", "learns"),
    [
        (FIRST, Set("rows", 500), {}, False),
        (FIRST, Set("rows", 1000), {"rows": 1000, **LEARNING}, True),
        (PAIR, Set("algorithm", "hpc"), {"algorithm": "hpc", **LEARNING}, True),
        (PAIR, Set("network", "Alarm"), {"network": "Alarm", "edge": None, "ends": (None, None), **LEARNING}, True),
        (FIRST, Set("edge", ("Age", "Sick")), {"edge": ["Age", "Sick"], "ends": ("Age", "Sick")}, False),
        (PAIR, Set("edge", None), {"edge": None, "ends": (None, None)}, False),
        (FIRST, ChooseEnd(False, "Age"), {"ends": ("Age", None)}, False),
        (PAIR, ChooseEnd(True, "Grunting"), {"edge": ["Age", "Grunting"], "ends": ("Age", "Grunting")}, False),
        (PAIR, ChooseEnd(True, "Age"), {"ends": ("Age", "Age")}, False),
        (PAIR, ChooseEnd(True, None), {"ends": ("Age", None)}, False),
        (FIRST, Told("no"), {"status": "no", "failed": True}, False),
        (replace(FIRST, status="no", failed=True), Set("edge", None), {"status": "", "failed": False}, False),
        (replace(FIRST, **LEARNING), Done(CHILD), {"status": ""}, False),
        (replace(FIRST, rows=1000, **LEARNING), Done(CHILD), {}, False),
        (FIRST, Failed(Learn(FIRST.settings), ValueError()), {}, False),
    ],
)
def test_a_message_changes_the_state(state: State, message: Any, changed: dict[str, Any], learns: bool) -> None:
    new, effects = update(state, message)
    assert new == replace(state, **changed)
    assert effects == ([Learn(new.settings)] if learns else [])


@pytest.mark.parametrize(
    ("state", "sentence", "table"),
    [
        (FIRST, CLICK, False),
        (PAIR, CHILD.trace.explain("Age", "Sick").sentence, True),
        (replace(PAIR, rows=1000), CLICK, False),
    ],
)
def test_the_page_explains_the_pair_of_the_current_skeleton(state: State, sentence: str, table: bool) -> None:
    shown = page(state)
    assert (shown["sentence"], "<table" in shown["table"]) == (sentence, table)
    assert shown["facts"] == CHILD.facts()


def test_it_learns_what_its_settings_say(explorer: EdgeExplorer) -> None:
    from bnlab.papers.villanueva2012 import sample
    from bnlab.skeletons import skeleton

    known = sample("Child", 500)
    assert explorer.trace.graph.pairs == skeleton(known.table, "mmpc", variant="paper").pairs
    explorer.algorithm, explorer.reading = "opthpc", "AND"
    assert explorer.trace.graph.pairs == skeleton(known.table, "opthpc", variant="paper", rule="and").pairs
    assert explorer.controls.control("algorithm")["value"] == "opthpc"


def test_an_edge_that_is_set_is_explained_and_marked(explorer: EdgeExplorer) -> None:
    a, b = explorer.trace.graph.edges[0]
    explorer.edge = list(explorer.trace.graph.edges[5])
    explorer.edge = [b, a]
    assert explorer.explanation.joined
    assert set(explorer.view.selected_edge) == {a, b}
    assert [explorer.controls.control(end)["value"] for end in ("from", "to")] == [b, a]
    assert explorer.explanation.sentence == page(explorer.state)["sentence"]
    assert "<table" in page(explorer.state)["table"]


def test_a_click_on_an_edge_explains_it(explorer: EdgeExplorer) -> None:
    drawn = explorer.view.edges[3]
    explorer.view.selected_edge = [drawn["u"], drawn["v"]]
    assert settled(explorer).edge == [drawn["u"], drawn["v"]]
    assert drawn["u"] in page(explorer.state)["sentence"]


def test_a_missing_edge_can_be_clicked_too(explorer: EdgeExplorer) -> None:
    missing = next(edge for edge in explorer.view.edges if edge["kind"] == "missing")
    explorer.view.selected_edge = [missing["u"], missing["v"]]
    explanation = settled(explorer).explanation
    assert explanation.kind == "missing"


def test_two_names_explain_a_pair_that_nothing_joins(explorer: EdgeExplorer) -> None:
    choose(explorer, "from", "BirthAsphyxia")
    assert settled(explorer).edge is None
    choose(explorer, "to", "RUQO2")
    settled(explorer)
    assert explorer.edge == ["BirthAsphyxia", "RUQO2"]
    assert explorer.explanation.kind == "absent"
    assert explorer.view.selected_edge is None
    assert explorer.view.selected == ["BirthAsphyxia", "RUQO2"]
    explorer.edge = list(explorer.trace.graph.edges[0])
    assert explorer.view.selected == []


def test_a_pair_that_the_next_network_lacks_is_let_go(explorer: EdgeExplorer) -> None:
    explorer.edge = ["Age", "Sick"]
    explorer.rows = 1000
    assert explorer.edge == ["Age", "Sick"]
    explorer.network = "Insurance"
    assert explorer.edge is None
    settled(explorer)
    assert [node["name"] for node in explorer.view.nodes] == list(explorer.trace.names)


def test_unknown_settings_are_refused_with_a_hint(explorer: EdgeExplorer) -> None:
    with pytest.raises(ValueError, match="did you mean 'mmpc'"):
        explorer.algorithm = "mmpcs"
    with pytest.raises(ValueError, match="there are 500, 1000, 5000"):
        explorer.rows = 700
    with pytest.raises(ValueError, match="did you mean 'Sick'"):
        explorer.edge = ["Age", "Sik"]
    with pytest.raises(ValueError, match="there are Alarm, Child"):
        explorer.network = 3
    with pytest.raises(ValueError, match="two variables"):
        explorer.edge = ["Age"]
    assert (explorer.algorithm, explorer.rows, explorer.edge) == ("mmpc", 500, None)


def test_what_goes_wrong_in_a_control_is_said_in_the_explorer(
    explorer: EdgeExplorer, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(*_: Any) -> None:
        raise RuntimeError("no <rows>")

    monkeypatch.setattr(module, "sample", fails)
    choose(explorer, "rows", 1000)
    settled(explorer)
    assert (explorer.status, explorer.failed) == ("Not done: no <rows>", True)
    assert explorer.controls.control("status") == message("status", explorer.status, "alert")


def test_it_shows_without_a_kernel(explorer: EdgeExplorer) -> None:
    explorer.edge = ["Age", "Sick"]
    bundle = explorer._repr_mimebundle_()
    assert "data:image/svg+xml;base64," in bundle["text/html"]
    assert "Age – Sick is in" in bundle["text/html"]
    assert bundle["text/plain"].startswith("EdgeExplorer(Child, 500 rows, v1, MMPC, as printed): ")
    assert "0x" not in bundle["text/plain"]


@pytest.mark.usefixtures("nowhere")
def test_without_the_samples_of_the_study_it_draws_rows_and_says_so() -> None:
    explorer = EdgeExplorer("Alarm", 500, algorithm="mmpc", edge=["HISTORY", "LVFAILURE"])
    said = "Rows drawn from the bundled network, not a sample of the MMHC study."
    assert said in str(page(explorer.state)["facts"])
    assert said in explorer._repr_mimebundle_()["text/html"]
    assert said in repr(explorer)
    assert explorer.explanation is not None
    assert "<table" in page(explorer.state)["table"]
    explorer.close()
