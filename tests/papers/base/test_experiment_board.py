"""The experiment board without a browser: rows and filters, looks, runs, errors in words, and its still form."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from html import escape, unescape
from pathlib import Path
from typing import Any

import ipywidgets
import pandas as pd
import pytest
import traitlets

from bnlab.papers import ExperimentBoard
from bnlab.papers.base.board.content import page
from bnlab.papers.base.board.effects import Kill, Recompute, RunCells
from bnlab.papers.base.board.state import Ended, Moment, Moved, Recomputed, Resized, Run, RunSelected, State, StopRun
from bnlab.papers.base.board.update import DETAILS, begun, update
from bnlab.papers.base.experiment import Records, RunDetail
from bnlab.papers.base.grid import RecordFile
from bnlab.papers.base.processes import Processes
from bnlab.widgets.base.controls import Controls, message
from bnlab.widgets.base.plotly_view import PlotlyView
from bnlab.widgets.base.pure import Failed, Set, Stop, Told
from bnlab.widgets.graph.view import GraphView
from tests.papers.toy_rerun import GROUPS, HOSTILE, Toy

LONG = 60.0


@pytest.fixture
def make(tmp_path: Path) -> Iterator[Callable[..., ExperimentBoard]]:
    """Boards of the toy paper with records in one folder."""
    made: list[ExperimentBoard] = []

    def board(*, pause: float = 0.0, processes: int = 0, **options: Any) -> ExperimentBoard:
        made.append(ExperimentBoard(Toy(pause), tmp_path, processes=processes, **options))
        return made[-1]

    yield board
    for one in made:
        one.close()


@pytest.fixture
def board(make: Callable[..., ExperimentBoard]) -> ExperimentBoard:
    made = make()
    made.run()
    assert made.wait(LONG)
    return made


def part(board: ipywidgets.Box, kind: type[Any], label: str = "") -> Any:
    """First part of a kind, with a label that begins like this."""
    for child in board.children:
        if isinstance(child, kind) and getattr(child, "label", "").startswith(label):
            return child
        if isinstance(child, ipywidgets.Box) and (found := part(child, kind, label)) is not None:
            return found
    return None


def control(board: ExperimentBoard, name: str) -> dict[str, Any]:
    """Description of a control that is shown."""
    return board.controls.control(name) or part(board, Controls, "Run").control(name)


def use(board: ExperimentBoard, name: str, value: Any = True) -> None:
    """What the page sends when a control is used."""
    board.controls._handle_custom_msg({"type": "control", "id": name, "value": value}, [])


def shown(board: ExperimentBoard) -> list[tuple[str, str]]:
    return [tuple(cell["value"]) for cell in cells(board)]


def results(board: ExperimentBoard) -> Any:
    """Controls of the table."""
    return part(board, Controls, "Toy")


def cells(board: ExperimentBoard) -> list[dict[str, Any]]:
    """Cells of the table that is shown."""
    rows = [row for line in results(board).lines for row in line[0]["rows"]]
    return [cell for row in rows for part in row["cells"][1:] for cell in part]


def click(board: ExperimentBoard, value: Any) -> None:
    """What the page sends when a cell of the table is clicked."""
    results(board)._handle_custom_msg({"type": "control", "id": "selected", "value": value}, [])
    board.wait(LONG)


TOY = Toy()
PROCESSES = Processes(1)
PLAIN = {"dataset": "plain", "protocol": "plain way", "seed": 0}
FIRST = begun(State(TOY, Records(TOY), PROCESSES, None, "plain way"))
CHOSEN, (ASKED,) = update(FIRST, Set("selected", ("plain", "A")))
FOUND = RunDetail("50 hits", networks={"fold 1": TOY.detail("plain way", "A", PLAIN).networks["fold 1"]})
KNOWN = replace(CHOSEN, details={CHOSEN.detail_key: FOUND}, shown_network="fold 1", wanted="")
BAD = {"status": "no", "failed": True}
GONE = Moment("plain way", 1, 2, 3.0, ("seed 1",), {("plain", "A"): "running", ("plain", "B"): "queued"})
GOING = {"done": 1, "total": 2, "left": 3.0}
RUNNING = replace(FIRST, running=True)


@pytest.mark.parametrize(
    ("state", "message", "changed", "effects"),
    [
        (FIRST, Set("group", "plain"), {"group": "plain"}, []),
        (replace(FIRST, **BAD), Set("view", "forest"), {"view": "forest", "status": "", "failed": False}, []),
        (
            FIRST,
            Set("selected", ["plain", "A"]),
            {
                "selected": ["plain", "A"],
                "behind": {"seed 0": PLAIN},
                "shown_run": "seed 0",
                "wanted": CHOSEN.detail_key,
            },
            [Recompute],
        ),
        (CHOSEN, Set("shown_run", "seed 0"), {}, []),
        (
            KNOWN,
            Set("selected", None),
            {"selected": None, "behind": {}, "shown_run": None, "shown_network": None},
            [],
        ),
        (replace(FIRST, group="plain"), Set("variant", "other way"), {"variant": "other way"}, []),
        (CHOSEN, Recomputed(CHOSEN.detail_key, FOUND), {"shown_network": "fold 1", "wanted": ""}, []),
        (CHOSEN, Recomputed("another", FOUND), {}, []),
        (CHOSEN, Failed(ASKED, ValueError()), {"wanted": ""}, []),
        (CHOSEN, Failed(replace(ASKED, key="another"), ValueError()), {}, []),
        (FIRST, Run(), {"running": True, "moment": Moment("plain way", total=2)}, [RunCells]),
        (FIRST, Run((("plain", "A"),)), {"running": True, "moment": Moment("plain way", total=1)}, [RunCells]),
        (FIRST, Run(()), {"status": "Nothing to run: all of these runs have records."}, []),
        (CHOSEN, RunSelected(), {"running": True, "moment": Moment("plain way", total=1)}, [RunCells]),
        (RUNNING, StopRun(), {}, [Stop, Kill]),
        (RUNNING, Moved(GONE), {"moment": GONE, "progress": GOING}, []),
        (
            RUNNING,
            Ended(GONE, "Stopped", False),
            {"moment": GONE, "progress": GOING, "running": False, "status": "Stopped"},
            [],
        ),
        (FIRST, Told("no"), BAD, []),
        (FIRST, Resized(500), {"room": 500}, []),
    ],
)
def test_a_message_changes_the_state(state: State, message: Any, changed: dict[str, Any], effects: list[type]) -> None:
    new, made = update(state, message)
    expected = replace(state, **changed)
    assert new == expected
    assert list(map(type, made)) == effects


def test_a_message_that_is_not_possible_is_refused() -> None:
    with pytest.raises(RuntimeError, match="running already"):
        update(RUNNING, Run())
    with pytest.raises(ValueError, match="no row is selected"):
        update(FIRST, RunSelected())
    with pytest.raises(ValueError, match="no such setting"):
        update(FIRST, Set("running", True))


def test_the_last_details_are_kept() -> None:
    state = CHOSEN
    for k in range(DETAILS + 3):
        state, _ = update(state, Recomputed(str(k), FOUND))
    assert list(state.details) == [str(k) for k in range(3, DETAILS + 3)]


@pytest.mark.parametrize(
    ("state", "part", "words"),
    [
        (FIRST, "heading", "4 not run"),
        (replace(FIRST, group="plain", item="A", verdict="agrees"), "heading", "No cell passes"),
        (FIRST, "words", "Select a cell"),
        (CHOSEN, "words", "Recomputing"),
        (KNOWN, "words", "the run has no record"),
        (CHOSEN, "code", "print('plain')"),
        (replace(RUNNING, moment=GONE), "controls", "1 of 2 runs, 3 s left: seed 1"),
        (replace(RUNNING, moment=GONE), "results", "Running …"),
        (replace(FIRST, moment=GONE), "results", "not run"),
        (replace(FIRST, **BAD), "controls", "'alert'"),
    ],
)
def test_the_page_shows_the_state(state: State, part: str, words: str) -> None:
    assert words in str(page(state)[part])
    assert (page(state)["forest"] is None) == (state.view == "table")


def test_all_shown_rows_are_run_and_stored_once(board: ExperimentBoard, tmp_path: Path) -> None:
    assert board.to_frame().rerun.tolist() == [50.0, 20.0, 50.0, 20.0]
    assert board.to_frame().inside.tolist() == [True, False, True, False]
    assert len(RecordFile(tmp_path / "toy.jsonl").load()) == 2  # a record holds both items
    assert board.status == "Ran 2 of 2 runs."
    assert board.progress == {"done": 2, "total": 2, "left": 0.0}
    assert not board.running


def test_filters_choose_rows_and_controls_follow(board: ExperimentBoard) -> None:
    board.verdict = "differs"
    assert shown(board) == [(group, "B") for group in GROUPS]
    board.group = HOSTILE
    assert shown(board) == [(HOSTILE, "B")]
    assert control(board, "group")["value"] == HOSTILE
    board.item = "A"
    assert shown(board) == []
    assert "No cell passes" in page(board.state)["heading"]
    assert len(board.to_frame()) == 0
    board.group = None
    assert control(board, "group")["value"] is None
    use(board, "group", HOSTILE)
    assert board.wait(LONG)
    assert board.group == HOSTILE
    use(board, "verdict", "all")
    board.wait(LONG)
    assert shown(board) == [(HOSTILE, "A")]


def test_a_click_shows_runs_confusion_network_and_code(board: ExperimentBoard) -> None:
    click(board, [HOSTILE, "A"])
    assert board.selected == [HOSTILE, "A"]
    assert board.shown_run == "seed 0"
    assert board.confusion.to_numpy().tolist() == [[3, 1], [0, 4]]
    assert "Recomputed; the stored record agrees" in page(board.state)["words"]
    assert part(board, Controls, "Code").control("code")["text"] == board.code == f"print({HOSTILE!r})"
    graph = part(board, GraphView)
    assert [(edge["u"], edge["v"]) for edge in graph.edges] == [("X", HOSTILE)]
    board.shown_network = "fold 2"
    assert graph.edges[0]["kind"] == "extra"


def test_a_row_without_a_confusion_matrix_shows_what_it_has(board: ExperimentBoard) -> None:
    board.selected = ["plain", "B"]
    assert board.wait(LONG)
    assert board.confusion is None
    table, graph = board.children[-1].children[1].children
    assert (table.layout.display, graph.layout.display) == ("none", None)
    assert board.network is not None


def test_a_point_of_the_forest_plot_chooses_its_row(board: ExperimentBoard) -> None:
    board.view = "forest"
    forest = part(board, PlotlyView)
    named = [trace for trace in forest.figure["data"] if trace.get("name") == "Reproduced: differs"]
    forest.clicked = {"customdata": named[-1]["customdata"][0]}
    assert board.wait(LONG)
    assert board.selected == ["plain", "B"] or board.selected == [HOSTILE, "B"]
    assert results(board).lines == []


def test_one_of_many_runs_is_chosen_by_name(make: Callable[..., ExperimentBoard]) -> None:
    board = make()
    board.runs = 3
    board.run()
    board.wait(LONG)
    board.selected = ["plain", "A"]
    board.wait(LONG)
    assert control(board, "shown_run")["options"] == [[f"seed {i}", f"Seed {i}"] for i in range(3)]
    use(board, "shown_run", "seed 2")
    board.wait(LONG)
    assert board.cell == {"dataset": "plain", "protocol": "plain way", "seed": 2}
    assert "52 hits" in page(board.state)["words"]


def test_a_stored_record_that_says_otherwise_is_told(board: ExperimentBoard) -> None:
    for record in board.records:
        record["hits"][0] = 7
    board.selected = ["plain", "A"]
    board.wait(LONG)
    assert "The stored record differs: 7 hits" in page(board.state)["words"]


def test_run_selected_runs_what_is_missing_and_else_computes_anew(board: ExperimentBoard) -> None:
    with pytest.raises(ValueError, match="no row is selected"):
        board.run_selected()
    board.selected = ["plain", "A"]
    board.wait(LONG)
    first = board.run_detail
    board.run_selected()
    board.wait(LONG)
    assert board.run_detail is not first
    board.runs = 2
    use(board, "run_selected")
    board.wait(LONG)
    assert board.to_frame().runs.tolist() == [2, 2, 1, 1]
    assert ["seed 1", "Seed 1"] in control(board, "shown_run")["options"]


def test_what_goes_wrong_in_a_run_or_a_look_is_said_in_words(board: ExperimentBoard, tmp_path: Path) -> None:
    board.runs = 14
    board.run([("plain", "A")])
    board.wait(LONG)
    assert board.failed
    assert board.status == "Run failed: seed 13 <b>brings</b> bad luck"
    assert board.controls.control("status") == message("status", board.status, "alert")
    assert len(RecordFile(tmp_path / "toy.jsonl").load()) == 14
    board.selected, board.shown_run = ["plain", "A"], "seed 13"
    board.wait(LONG)
    assert board.status.startswith("Not computed: seed 13")
    assert "Recomputing" not in page(board.state)["words"]
    board.shown_run = "seed 1"
    board.wait(LONG)
    assert not board.failed


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("variant", "plain weigh", "plain way"),
        ("group", "plane", "plain"),
        ("item", "Z", "known names: A, B"),
        ("verdict", "agreed", "agrees"),
        ("selected", ["plain"], "no such row"),
        ("shown_run", "seed 0", "there is none yet"),
        ("shown_network", "fold 1", "there is none yet"),
        ("view", "chart", "view"),
        ("runs", 0, "runs"),
    ],
)
def test_settings_that_make_no_sense_are_refused(board: ExperimentBoard, name: str, value: Any, words: str) -> None:
    with pytest.raises((ValueError, traitlets.TraitError), match=words):
        setattr(board, name, value)


def test_stopping_leaves_the_records_whole_and_a_run_goes_on(
    make: Callable[..., ExperimentBoard], tmp_path: Path
) -> None:
    board = make(pause=0.02, processes=1)
    board.runs = 2000
    board.observe(lambda change: board.stop() if (change["new"] or {}).get("done") else None, "progress")
    board.run([("plain", "A")])
    assert board.wait(LONG)
    stored = [json.loads(line) for line in (tmp_path / "toy.jsonl").read_text().splitlines()]
    assert 0 < len(stored) < 2000
    assert "Stopped after" in board.status
    assert not board.failed
    assert len(stored) == board.progress["done"] == board.to_frame().runs[0]
    board.unobserve_all("progress")
    board.runs = len(stored) + 2
    board.run([("plain", "A")])
    assert board.wait(LONG)
    assert board.progress["total"] == 2


def test_rows_say_that_they_are_being_run_or_wait(make: Callable[..., ExperimentBoard]) -> None:
    board = make(pause=0.4)
    states: list[set[str]] = []
    results(board).observe(
        lambda _: states.append({look for cell in cells(board) for look in cell["classes"]}),
        "lines",
    )
    board.run()
    with pytest.raises(RuntimeError, match="already"):
        board.run()
    assert not control(board, "run")["enabled"]
    assert control(board, "stop")["enabled"]
    board.wait(LONG)
    assert any({"running", "queued"} <= looks for looks in states)
    assert states[-1] == {"inside", "outside"}
    assert not control(board, "stop")["enabled"]


def test_closing_ends_a_run_and_its_processes(make: Callable[..., ExperimentBoard]) -> None:
    board = make(pause=600.0, processes=1)
    board.run([("plain", "A")])
    board.close()
    assert board.wait(LONG)
    assert board.comm is None
    with pytest.raises(RuntimeError, match="closed"):
        board.state.runner.submit(max, 1, 2)


def test_looks_come_from_another_process_and_are_the_same(
    board: ExperimentBoard, make: Callable[..., ExperimentBoard]
) -> None:
    apart = make(processes=1)
    for one in (board, apart):
        one.selected = ["plain", "A"]
        assert one.wait(LONG)
    pd.testing.assert_frame_equal(apart.confusion, board.confusion)
    assert page(apart.state)["words"] == page(board.state)["words"]


def test_without_a_kernel_there_is_a_table_a_picture_and_the_chosen_row(board: ExperimentBoard) -> None:
    board.selected = ["plain", "A"]
    board.wait(LONG)
    bundle = board._repr_mimebundle_()
    html = bundle["text/html"]
    assert html.count("<table") == 3  # rows, facts, confusion matrix
    assert html.count("data:image/svg+xml") == 2  # forest plot, network
    assert "<pre>print(&#x27;plain&#x27;)</pre>" in html
    assert "<img src=x" not in html
    assert HOSTILE in unescape(html)
    assert bundle["text/plain"].startswith("ExperimentBoard(Toy & Co 1999; plain way): 2 of 4 agree.")


def test_the_figure_is_of_the_rows_that_are_shown(board: ExperimentBoard) -> None:
    board.verdict = "agrees"
    figure = board.figure(title="mine")
    assert figure.layout.title.text == "mine"
    printed = [x for trace in figure.data if trace.name == "Reported" and trace.customdata for x in trace.x]
    assert printed == [50.0, 51.0]


def test_a_board_of_a_paper_begins_at_its_first_variant() -> None:
    board = ExperimentBoard("carvalho2007")
    assert (board.variant, len(board.to_frame())) == ("as printed", 42)
    board.close()
    with pytest.raises(ValueError, match="honest"):
        ExperimentBoard("carvalho2007", variant="honesty")


def test_a_click_on_no_row_is_refused_in_words_and_the_board_goes_on(board: ExperimentBoard) -> None:
    click(board, 3)
    assert board.failed
    click(board, ["plain", "B"])
    assert board.selected == ["plain", "B"]


@pytest.mark.parametrize("paper", ["carvalho2009", "carvalho2007", "villanueva2012", "matuszak2012"])
def test_every_column_and_sign_is_explained_in_place(paper: str) -> None:
    board = ExperimentBoard(paper, processes=0)
    legend = page(board.state)["legend"]
    for item in dict.fromkeys(board.to_frame()["item"]):
        assert board.state.rerun.describe_item(item)
        assert f"<dt><b>{escape(item)}</b></dt><dd>{escape(board.state.rerun.describe_item(item))}</dd>" in legend
    for sign, verdict in zip("✓✗", board.state.rerun.verdicts, strict=True):
        assert f"{sign} {verdict}" in legend
    board.view = "forest"
    assert page(board.state)["legend"] == ""
    assert legend in board._repr_mimebundle_()["text/html"]
    board.close()
