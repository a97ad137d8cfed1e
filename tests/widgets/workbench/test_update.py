"""State and page of a workbench as functions: what each message makes of a state, and what is refused."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pandas as pd
import pytest

from bnlab.analysis import Recipe
from bnlab.analysis.session import Learned
from bnlab.graphs import Dag, Knowledge
from bnlab.widgets.base.pure import Failed, Set, Stop
from bnlab.widgets.workbench import effects, messages, state
from bnlab.widgets.workbench.page import page
from bnlab.widgets.workbench.requests import message_of
from bnlab.widgets.workbench.state import State
from bnlab.widgets.workbench.update import update

FRAME = pd.DataFrame({"a": list("xyxy") * 9, "b": list("xxyy") * 9, "c": list("uvvu") * 9})


@pytest.fixture(scope="module")
def ready() -> State:
    """State with data."""
    asked, (read,) = update(State(), messages.Load(FRAME))
    return update(asked, read.run(pytest.fail, lambda: False))[0]


@pytest.fixture(scope="module")
def learned(ready: State) -> State:
    """State with the network a -> b, which is shown."""
    graph = Dag.from_edges("abc", [("a", "b")])
    return update(update(ready, messages.Add("mine", graph))[0], Set("threshold", 0.5))[0]


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        (Set("step", "export"), {"step": "learn"}),  # nothing to export yet
        (Set("algorithm", "chow-liu"), {"algorithm": "chow-liu", "score": "ll"}),
        (Set("algorithm", "pc"), {"algorithm": "pc"}),
        (Set("estimate", "posterior"), {"estimate": "posterior"}),
        (Set("replicates", 7), {"replicates": 7}),
        (Set("knowledge", Knowledge(max_parents=1)), {"knowledge": Knowledge(max_parents=1)}),
        (messages.Inspect("b"), {"column": "b"}),
        (messages.Typed("bins", None), {"typed": {**state.TYPED}}),
        (messages.Told("data", "this is no file"), {"status": "this is no file", "failed": True}),
        (messages.Prepare("role", "c", "target"), {"column": "c", "failed": False}),
    ],
)
def test_a_message_changes_fields(ready: State, message: Any, expected: dict[str, Any]) -> None:
    new, _ = update(ready, message)
    assert {name: getattr(new, name) for name in expected} == expected


@pytest.mark.parametrize(
    ("message", "words"),
    [
        (Set("step", "start"), "step"),
        (Set("algorithm", "hill"), "hill-climbing"),
        (Set("replicates", 0), "replicates=0: give a whole number of samples, at least 1."),
        (Set("threshold", 2), "threshold=2: give a share from 0 to 1"),
        (Set("shown", "yours"), "no network is called 'yours'"),
        (Set("busy", True), "'busy' is no setting of a workbench"),
        (messages.Estimate("bootstrap"), "learn one first"),
        (messages.KeepEdits(), "change an edge in the picture first"),
        (messages.Add(" ", []), "a network needs a name"),
        (messages.Rule("add-edge", True), "choose the two variables"),
        (messages.Option("max_parents", -1), "at least 0"),
        (messages.Remove("yours"), "no network is called 'yours'"),
        (messages.FindOptimum(), "needs a network and a table without missing values"),
    ],
)
def test_a_message_that_is_not_possible_is_refused(ready: State, message: Any, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        update(ready, message)


def test_a_job_refuses_others_until_it_ends(ready: State) -> None:
    busy, (search,) = update(ready, messages.Learn(Recipe("chow-liu"), "tree"))
    assert (busy.busy, type(search)) == (True, effects.Search)
    for message in (
        messages.Load(FRAME),
        messages.Learn(),
        messages.Prepare("suggest", "", True),
        messages.Remove("tree"),
    ):
        with pytest.raises(ValueError, match="not now: a job is running"):
            update(busy, message)
    assert update(busy, Set("score", "aic"))[0].score == "aic"
    stopping, stops = update(busy, messages.StopJob())
    assert (stopping.running.text, stops) == ("Stopping …", [Stop("job")])
    failed, _ = update(busy, Failed(search, ValueError("too few rows")))
    assert (failed.busy, failed.said["learn"]) == (False, ("Too few rows", True))
    done, (compare,) = update(busy, messages.Done(Learned("tree", search.recipe, Dag.empty("abc"), 0.5, False)))
    assert (done.status, done.shown, compare.shown) == ("tree: learned in 0.50 s.", None, "tree")
    assert update(done, messages.Progress(None, "late"))[0].running is None


def test_networks_of_few_variables_are_measured_one_after_the_other(learned: State) -> None:
    compared, found = update(learned, effects.Compare(learned.session).run(pytest.fail, lambda: False))
    measure, gap = found
    assert (type(measure), type(gap)) == (effects.Measure, effects.FindGap)
    assert update(compared, messages.FindOptimum())[1] == []  # it is searched already
    one, rest = update(compared, measure.run(pytest.fail, lambda: False))
    assert (list(one.held_out), rest, one.measuring) == ([measure.held], [], None)
    ended, _ = update(one, gap.run(lambda message: None, lambda: False))
    assert (list(ended.optima), ended.searching) == ([gap.question], None)


def test_a_later_question_waits_and_one_about_other_data_is_forgotten(learned: State) -> None:
    searching, (gap,) = update(learned, messages.FindOptimum())
    other = replace(gap.question, score="aic")
    waiting = replace(searching, asked=other)
    found = gap.run(lambda message: None, lambda: True)
    assert [effect.question for effect in update(waiting, found)[1]] == [other]
    assert update(replace(waiting, asked=replace(other, fingerprint="")), found)[1] == []
    assert update(waiting, messages.StopOptimum())[0].asked is None


def test_data_that_went_keep_their_networks(ready: State, learned: State) -> None:
    without, _ = update(learned, messages.Prepare("role", "c", "leave out"))
    assert (without.session.study.graphs, without.shown, without.step) == ({}, None, "learn")
    again, _ = update(without, messages.Prepare("undo", "", True))
    assert (list(again.session.study.graphs), again.shown) == (["mine"], "mine")
    assert ready.session.study.graphs == {}


@pytest.mark.parametrize(
    ("form", "id", "value", "message"),
    [
        ("data", "path", " a.csv ", messages.Typed("path", "a.csv")),
        ("data", "format:decimal", ",", messages.ReadAs("decimal", ",")),
        ("columns", "role:a:b", "use", messages.Prepare("role", "a:b", "use")),
        ("details", "up:x", True, messages.Prepare("up", "x", True)),
        ("knowledge", "drop:1", True, messages.Rule("drop:1", True)),
        ("limits", "most", 2, messages.Rule("most", 2)),
        ("learn", "option:ess", 2, messages.Option("ess", 2)),
        ("trust", "threshold", 50, Set("threshold", 0.5)),
        ("trust", "average", True, messages.Average()),
        ("list", "remove", True, messages.Remove()),
        ("edges", "edge:order", "Edge", messages.Sort("Edge")),
        ("findings", "findings", "confidence", Set("step", "trust")),
        ("findings", "findings", "directions", Set("step", "compare")),
        ("findings", "findings", ["elsewhere"], None),
        ("files", "save-report", True, messages.Write("report")),
        ("files", "download-report", True, messages.Write("report", download=True)),
        ("steps", "unknown", True, None),
    ],
)
def test_each_control_has_a_message(form: str, id: str, value: Any, message: Any) -> None:
    assert message_of(form, id, value) == message


def test_each_change_of_the_rules_is_undone_by_its_name(ready: State) -> None:
    state, undone = ready, []
    edge = [("knowledge", "parent", "a"), ("knowledge", "child", "b"), ("knowledge", "add-edge", True)]
    others = [("tiers", ["a", 1]), ("drop:0", True), ("clear", True)]
    for control in (*edge, ("limits", "limit:b", 1), *(("knowledge", *other) for other in others)):
        state, _ = update(state, message_of(*control))
    state, _ = update(state, Set("knowledge", Knowledge(forbidden=[("b", "a")])))
    while state.rules.last:
        undone.append(state.rules.last)
        state, _ = update(state, message_of("knowledge", "undo", True))
    assert undone == [
        *("change of the rules", "removal of all rules", "removal of a → b"),
        *("tier of a", "max. parents of b", "required edge a → b"),
    ]
    assert state.knowledge == Knowledge()
    assert update(state, message_of("knowledge", "redo", True))[0].rules.last == undone[-1]


def test_export_opens_when_there_is_something_to_save(ready: State, learned: State) -> None:
    def closed(state: State) -> list[str]:
        lines = page(state)["forms"]["steps"]
        return next(control["closed"] for line in lines for control in line if control["id"] == "step")

    ignored, _ = update(ready, messages.Prepare("role", "c", "leave out"))
    back, _ = update(ignored, messages.Prepare("suggest", "", True))
    ruled, _ = update(ready, Set("knowledge", Knowledge(max_parents=1)))
    assert ["export" in closed(state) for state in (ready, ignored, back, ruled)] == [True, False, True, False]
    assert closed(learned) == []


def test_the_page_shows_the_networks_that_are_chosen(learned: State) -> None:
    both, _ = update(learned, messages.Add("yours", [("b", "c")]))
    first, second = page(both)["networks"]
    assert (first.name, first.other, second) == ("yours", None, None)
    for name, value in (("reference", "mine"), ("beside", True)):
        both, _ = update(both, Set(name, value))
    first, second = page(both)["networks"]
    assert (first.name, first.other, second.name, second.other) == ("yours", "mine", "mine", "yours")
    again, _ = update(both, messages.Progress(None, "nothing"))
    assert first.is_drawn_as(page(again)["networks"][0])
    assert not first.is_drawn_as(second)
