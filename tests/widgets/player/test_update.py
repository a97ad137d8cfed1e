"""The player as tables of cases, without a widget, a page or a thread."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest

from bnlab.citests import DSeparation
from bnlab.graphs import Dag
from bnlab.learners import BestOrderSearch
from bnlab.learners.chen.search import ChenSearch
from bnlab.learners.hill_climbing.search import HillClimbing
from bnlab.networks import asia
from bnlab.papers.base.grid import Grid
from bnlab.search import Policies, Snapshot, Work
from bnlab.skeletons import make_search
from bnlab.widgets.base.pure import Failed, Set, Stop
from bnlab.widgets.player.run import History, Run
from bnlab.widgets.player.update import (
    Advance,
    Continue,
    Ended,
    Given,
    Moved,
    Pause,
    Play,
    Reset,
    State,
    Step,
    Told,
    begun,
    update,
)
from bnlab.widgets.player.views import page, run_rows
from tests.widgets.small_searches import NAMES, Counter, NamedScores, phi

CHEN = ChenSearch(NamedScores(phi), 4, beta=0.02, Q=300, B=20, seed=2)
TRUTH = Dag.from_edges(["X1", "X2", "X3", "X4"], [("X1", "X2"), ("X3", "X4")])


@dataclass(frozen=True)
class Fails(Counter):
    """A search whose fourth step fails."""

    def step(self, state: Any) -> Any:
        if state.count == 3:
            raise ZeroDivisionError("no <b>")
        return super().step(state)


class Undrawn(Counter):
    """A search that cannot draw its graph."""

    def graph_of(self, sketch: Any, names: Any) -> Dag:
        raise ValueError("no <graph>")


SEARCHES: dict[str, Any] = {
    "counter": Counter(5, seed=2),
    "fails": Fails(9),
    "chen": CHEN,
    "climb": HillClimbing(phi, 4),
    "grid": Grid([{"k": k} for k in range(4)], lambda cell: {"square": cell["k"] ** 2}),
    "skeleton": make_search(DSeparation(asia().dag), "opthpc"),
}


def first(*names: str, truth: Any = None, **baselines: float) -> State:
    """First state of a player of these searches."""
    given = Given({name: SEARCHES[name] for name in names}, None, truth, baselines)
    return begun(given, given.seed, 0.0)


def after(state: State, *messages: Any) -> State:
    """State after messages, each with the steps that it asks for."""
    for message in messages:
        state, effects = update(state, message)
        while works := [effect for effect in effects if isinstance(effect, Advance)]:
            state, effects = update(state, works[0].run(lambda moved: None, lambda: False))
    return state


PLAYING, _ = update(first("counter"), Play())
PAUSED, _ = update(PLAYING, Pause())
STEPPING, _ = update(first("counter"), Step())
STEPPED = after(first("counter"), Step())
FINISHED = after(first("counter"), Play())
FAILED = after(first("fails"), Play())


def ended(state: State, steps: int, *, once: bool = False, error: Any = None) -> Ended:
    """End of the work after some steps."""
    runs = {name: Run.of(run.search, state=run.state) for name, run in state.runs.items()}
    for _ in range(steps):
        runs = {name: run.step().look() for name, run in runs.items()}
    return Ended(Moved(state.generation, runs), once, error)


STATES = {
    "first": first("counter"),
    "playing": PLAYING,
    "paused": PAUSED,
    "stepping": STEPPING,
    "stepped": STEPPED,
    "finished": FINISHED,
    "new seed": after(FINISHED, Set("seed", 7)),
    "failed": FAILED,
    "reset": after(PAUSED, Reset(4)),
    "kept": after(STEPPED, Set("keep", True), Reset(3)),
}
ERROR = ("Step 1 failed.", ZeroDivisionError())
OLD = Moved(-1, {})


@pytest.mark.parametrize(
    ("state", "message", "works", "expected"),
    [
        ("first", Play(), "play", {"playing": True, "status": "Running.", "iteration": 0}),
        ("first", Set("playing", True), "play", {"playing": True}),
        ("first", Step(), "step", {"playing": False, "stepping": True}),
        ("first", Pause(), "", {"status": "Ready."}),
        ("playing", Play(), "", {"playing": True}),
        ("playing", Pause(), "stop", {"playing": False, "status": "Ending the current step …"}),
        ("playing", Set("playing", False), "stop", {"playing": False}),
        ("playing", Step(), "stop", {"playing": False, "wanted": "step"}),
        ("playing", Set("speed", 2), "stop", {"playing": True, "speed": 2.0}),
        ("playing", Moved(0, FINISHED.runs), "", {"playing": True, "iteration": 5, "best_score": -22.0}),
        ("playing", OLD, "", {"iteration": 0}),
        ("playing", ended(PLAYING, 2), "play", {"playing": True, "iteration": 2}),
        ("playing", ended(PLAYING, 5), "", {"playing": False, "status": "Finished at iteration 5, best score −22.00"}),
        ("playing", ended(PLAYING, 2, error=ERROR), "", {"playing": False, "failed": True, "iteration": 2}),
        ("playing", Told("Not done: no."), "stop", {"playing": False, "failed": True, "status": "Not done: no."}),
        ("playing", Failed(Advance(0, {}, 0.0, False), ValueError("x")), "", {"status": "Stopped: ValueError: x."}),
        ("paused", Play(), "", {"playing": True, "status": "Running."}),
        ("paused", ended(PAUSED, 2), "", {"stepping": False, "status": "Paused at iteration 2, best score −52.00"}),
        ("stepping", ended(STEPPING, 1, once=True), "", {"iteration": 1, "status": "Paused at iteration 1"}),
        ("stepping", Play(), "", {"playing": True}),
        ("stepped", Step(), "step", {"iteration": 1}),
        ("finished", Play(), "", {"playing": False}),
        ("finished", Step(), "", {"wanted": "", "stepping": False}),
        ("new seed", Play(), "play", {"playing": True, "run_seed": 7, "iteration": 0}),
        ("failed", Play(), "play", {"failed": False, "iteration": 3}),
        ("stepped", Reset(), "stop", {"iteration": 0, "status": "Ready.", "seed": 2}),
        ("stepped", Reset(9), "stop", {"iteration": 0, "seed": 9, "run_seed": 9}),
        ("stepped", Continue({"counter": FINISHED.runs["counter"].state}), "stop", {"iteration": 5}),
        ("reset", Step(), "", {"wanted": "step"}),
        ("reset", Ended(OLD, False), "", {"stepping": False, "status": "Ready.", "iteration": 0}),
        ("kept", Set("keep", False), "", {"kept": {}}),
        ("stepped", Set("moment", 1), "", {"moment": 1, "iteration": 1}),
        ("stepped", Set("seed", 4), "", {"has_new_seed": True}),
    ],
)
def test_each_message_leads_to_its_state_and_its_work(
    state: str, message: Any, works: str, expected: dict[str, Any]
) -> None:
    end, effects = update(STATES[state], message)
    kinds = ["stop" if isinstance(e, Stop) else "step" if e.once else "play" for e in effects]
    assert kinds == [works] * bool(works)
    for name, value in expected.items():
        found = getattr(end, name)
        assert found.startswith(value) if name == "status" else found == value


@pytest.mark.parametrize(
    ("message", "words"),
    [
        (Set("run", "countre"), "did you mean 'counter'"),
        (Set("speed", -1), "as fast as possible"),
        (Set("moment", -1), "None to follow"),
        (Set("seed", -3), "0 or greater"),
        (Set("shown_graph", "bets"), "did you mean 'best'"),
        (Set("compare", True), "no true network"),
        (Set("status", "Done."), "no setting"),
        (Continue({"climb": None}), "no run is called 'climb'"),
    ],
)
def test_what_cannot_be_is_refused(message: Any, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        update(STATES["first"], message)


def test_searches_without_seeds_refuse_one() -> None:
    with pytest.raises(ValueError, match="take no seed"):
        update(first("grid"), Reset(3))


def test_a_step_that_fails_leaves_those_before_it_and_is_told_in_words() -> None:
    assert FAILED.status == "Step 4 of 'fails' failed: ZeroDivisionError: no <b>. The result so far is kept."
    assert [run.state.count for run in FAILED.runs.values()] == [3]
    assert FAILED.shown.log.trace.iterations == [1, 2, 3]


@pytest.mark.parametrize("run", ["chen", "climb", "grid", "skeleton"])
def test_only_what_belongs_to_the_search_on_display_is_shown(run: str) -> None:
    state = after(first("grid", "climb", "chen", "skeleton"), Step(), Set("run", run))
    parts = {"chen": ["graph", "policies"], "grid": ["records"]}.get(run, ["graph"])
    shown = page(state)
    assert [name for name in ("graph", "policies", "records") if shown[name]] == parts
    assert shown["caption"] == f"<b>{run}: iteration {state.iteration}</b> (latest)"
    assert (shown["focus"], shown["unit"]) == (run, state.shown.unit)
    assert [name for name, *_ in shown["curves"]] == [*state.runs]


@pytest.mark.parametrize(
    ("state", "expected"),
    [
        ("first", {"Play": True, "Step": True, "Stop": False, "Reset": True}),
        ("playing", {"Pause": True, "Step": False, "Stop": True, "Reset": True}),
        ("finished", {"Play": False, "Step": False, "Stop": False, "Reset": True}),
        ("new seed", {"Play": True, "Step": False, "Stop": False, "Reset": True}),
    ],
)
def test_buttons_are_on_where_they_do_something(state: str, expected: dict[str, bool]) -> None:
    controls = page(STATES[state])["controls"][0]
    assert {one["label"]: one["enabled"] for one in controls if one["kind"] == "button"} == expected


@pytest.mark.parametrize(("state", "role"), [("playing", "status"), ("failed", "alert")])
def test_a_failure_is_an_alert(state: str, role: str) -> None:
    (shown,) = page(STATES[state])["controls"][1]
    assert (shown["role"], shown["text"]) == (role, STATES[state].status)


def test_a_graph_that_cannot_be_drawn_is_told_below_the_curve() -> None:
    state = after(begun(Given({"one": Undrawn(3)}), 0, 0.0), Play())
    shown = page(state)
    assert (shown["graph"], state.iteration) == (None, 3)
    assert shown["caption"] == "<b>Iteration 3</b> (latest). Not shown: no &lt;graph&gt;"


def test_a_run_is_a_value_whose_iteration_is_the_end_of_its_curve() -> None:
    before = Run.of(Counter(9))
    run = before.step().step().look()
    assert (before.iteration, before.state.count, run.iteration) == (0, 0, 2)
    assert run.log.curve.column("iteration")[-1] == run.at(None).iteration == 2
    assert [run.at(k).graph == Dag(("X1", "X2"), ((), (0,) if k else ())) for k in (0, 1)] == [True, True]


def test_curves_are_kept_under_the_names_of_their_seeds() -> None:
    assert [name for name, *_ in page(STATES["kept"])["curves"]] == ["counter", "counter, seed 2"]
    assert [name for name, *_ in page(after(STATES["kept"], Set("keep", False)))["curves"]] == ["counter"]


def test_true_networks_and_baselines_are_lines_while_the_curve_shows_scores() -> None:
    state = after(first("climb", "grid", truth=TRUTH, k2=-3.0), Step())
    assert page(state)["baselines"] == {"true network": sum(map(phi, range(4), TRUTH.parents)), "k2": -3.0}
    assert page(after(state, Set("run", "grid")))["baselines"] == {}
    assert page(state)["graph"].compare
    assert not page(after(state, Set("compare", False)))["graph"].compare


def test_permanent_edges_and_choices_are_told_apart() -> None:
    given = Given({"chen": replace(CHEN, permanent=[("A", "C")])})
    state = after(begun(given, None, 0.0), Step())
    kinds = page(state)["graph"].kinds
    permanent = {(NAMES[u], NAMES[v]) for u, v in state.shown.state.permanent}
    assert {edge for edge, kind in kinds.items() if kind == "permanent"} == permanent >= {("A", "C")}


def test_time_left_is_foretold_where_the_end_is_known() -> None:
    assert run_rows(first("chen"))[0].left is None
    row = run_rows(after(first("chen"), Step()))[0]
    assert row.left == pytest.approx(row.seconds * (row.work.total - 1))
    row = run_rows(after(first("chen"), Step(), Set("speed", 2.0), Step()))[0]
    assert row.left == pytest.approx((row.work.total - 2) / 2.0, rel=0.05)
    row = run_rows(after(first("skeleton"), Step()))[0]
    assert (row.work, row.best) == (Work(1, 8, "targets"), None)


def test_beyond_its_bound_every_second_entry_goes_and_the_last_stays() -> None:
    history = History(graph_bytes=20 * 136, policy_bytes=5 * 200)
    for k in range(500):
        policies = Policies(np.full((2, 2), k), np.ones(2, dtype=bool), np.zeros((2, 2), dtype=bool))
        history.note(k, ((), (0,) if k % 2 else ()), policies)
    assert len(history) <= 21
    assert history.at(499).iteration == 499
    assert history.at(10_000).sketch == ((), (0,))
    for k in (0, 100, 321, 499):
        past = history.at(k)
        assert past.iteration <= k
        assert past.sketch == ((), (0,) if past.iteration % 2 else ())
        assert past.policies.tau[0, 0] == past.policies_iteration <= k


def test_a_single_step_of_a_search_in_blocks_is_one_iteration() -> None:
    single = Run.of(CHEN)
    for k in range(CHEN.B):
        assert single.iteration == k
        single = single.step(single=True)
    block = Run.of(CHEN).step()
    assert (single.iteration, single.best_score) == (block.iteration, block.best_score)
    assert single.at(7).iteration == 7
    assert block.at(7).iteration == 0
    stepped = after(first("chen", "climb"), Step(), Step())
    assert stepped.runs["chen"].iteration == 2


def test_the_time_left_is_at_most_the_time_limit() -> None:
    search = BestOrderSearch(phi, 4, restarts=10**9, time_limit=10.0)
    run = replace(Run.of(search), snapshot=Snapshot(Work(1, 10**6, "searches")), seconds=4.0, work_start=(None, 0.0, 0))
    assert run.left(0.0) == 6
    assert replace(run, search=replace(search, time_limit=None)).left(0.0) == 4.0 * (10**6 - 1)


@pytest.mark.parametrize(
    ("state", "text"), [("first", "–"), ("playing", "Running"), ("paused", "–"), ("finished", "Finished")]
)
def test_a_run_of_unknown_length_is_called_running_only_while_it_runs(state: str, text: str) -> None:
    assert [row.progress() for row in run_rows(STATES[state])] == [text]
