"""The search player without a browser: every kind of search, its thread, its past, and what goes wrong."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from threading import current_thread
from time import perf_counter, sleep
from typing import Any

import numpy as np
import pytest

from bnlab.citests import DSeparation
from bnlab.data import remove_values
from bnlab.graphs import Dag
from bnlab.learners import PartitionSampler, edge_probabilities, learn
from bnlab.learners import make_search as make_learner
from bnlab.learners.bootstrap import Bootstrap
from bnlab.learners.chen.search import ChenSearch
from bnlab.learners.chen.variants import chen_search
from bnlab.learners.consistent import CkGSearch
from bnlab.learners.exact.optimum import gap_text
from bnlab.learners.exact.search import OptimumSearch
from bnlab.learners.growing_tree import GrowingTree
from bnlab.learners.hill_climbing.search import HillClimbing
from bnlab.learners.k2 import K2Search
from bnlab.learners.orderings import OrderingSearch
from bnlab.learners.parent_sets import ParentSetSearch
from bnlab.networks import asia, cancer
from bnlab.papers.base.grid import Grid
from bnlab.scores import local_scores
from bnlab.search import Progress, Trace, iterate, run
from bnlab.skeletons import make_search, skeleton
from bnlab.widgets import SearchPlayer
from bnlab.widgets.player.views import page, run_rows
from tests.widgets.small_searches import Counter, Gate, NamedScores, phi

WAIT = 600
"""Seconds that a test waits for a search: compiling on a busy machine takes minutes."""
HOSTILE = "<img src=x onerror=alert(1)>"
ROWS = cancer().sample(5000, seed=1)
SKELETONS = ("opthpc", "hpc", "mmpc", "getpc", "heupc")
CHEN = ChenSearch(NamedScores(phi), 4, beta=0.02, Q=300, B=20, seed=2)

SEARCHES: dict[str, Callable[[], Any]] = {
    "chen": lambda: CHEN,
    "chen, then a climb": lambda: chen_search(phi, 4, Q=30),
    "chen with a limit, then a climb": lambda: chen_search(phi, 4, Q=30, max_iterations=200),
    "climb": lambda: HillClimbing(phi, 4, restarts=2),
    "single climb": lambda: HillClimbing(phi, 4),
    "k2": lambda: K2Search(phi, 4, orders=3),
    "ckg": lambda: CkGSearch(phi, ((), (0,), (1,), (2,)), 2),
    "sets": lambda: ParentSetSearch(phi, 4, 2),
    "orders": lambda: OrderingSearch(run(ParentSetSearch(phi, 4, 2)), restarts=2),
    "tree": lambda: GrowingTree(phi, 4),
    **{
        name: partial(make_search, DSeparation(asia().dag), name)
        for name in ("opthpc", "hpc", "mmpc", "getpc", "heupc")
    },
    "tree and ckg": lambda: make_learner(ROWS, "ckg", k=1),
    "sets and orders": lambda: make_learner(ROWS, "ordering-search", restarts=2),
    "exact": lambda: make_learner(ROWS, "exact"),
    "bootstrap": lambda: Bootstrap(ROWS, partial(learn, algorithm="chow-liu"), replicates=4),
    "grid": lambda: Grid([{"k": k} for k in range(4)], lambda cell: {"square": cell["k"] ** 2}),
}


def finished(*given: Any, **options: Any) -> SearchPlayer:
    """A player that has played its searches to their ends."""
    player = SearchPlayer(*given, **options)
    player.play()
    assert player.wait(WAIT)
    return player


def press(player: SearchPlayer, id: str, value: Any = True) -> None:
    """Send a message as a control does."""
    player.controls._handle_custom_msg({"type": "control", "id": id, "value": value}, [])


def eventually(condition: Callable[[], bool]) -> None:
    """Wait for something that a thread does soon."""
    begin = perf_counter()
    while not condition():
        assert perf_counter() - begin < WAIT
        sleep(0.005)


@pytest.mark.parametrize("name", list(SEARCHES))
def test_any_search_is_played_to_the_result_it_has_without_a_player(name: str) -> None:
    player = finished(SEARCHES[name]())
    expected = run(SEARCHES[name]())
    if name == "grid":
        assert player.result().equals(expected)
        assert "square" in page(player.state)["records"]
    else:
        assert comparable(player.result()) == comparable(expected)
        assert (player.graph() is None) == (name == "sets")
        assert player.view is None or player.view.view.edges
    assert not player.playing
    assert player.status.startswith("Finished")
    row = run_rows(player.state)[0]
    assert row.ended
    assert (row.work is None) == (name == "single climb")
    assert row.work is None or row.work.done == row.work.total
    assert row.left in (0.0, None)


def comparable(found: Any) -> Any:
    """What can be compared of a result."""
    return found.arcs.tolist() if hasattr(found, "arcs") else getattr(found, "edges", found)


def test_a_search_whose_scores_begin_late_has_a_curve_of_scores_alone_and_then_a_graph() -> None:
    player = SearchPlayer(SEARCHES["sets and orders"]())
    player.step()
    assert player.plot.unit == "parent sets done"
    assert player.to_frame().score.tolist() == [1.0]
    assert player.view is None
    assert player.controls.control("shown_graph") is None
    player.play()
    assert player.wait(WAIT)
    assert player.plot.unit == "score in nats"
    assert player.to_frame().score.max() < 0
    assert player.to_frame().best.iloc[-1] == player.best_score
    assert {(edge["u"], edge["v"]) for edge in player.view.view.edges} == set(player.graph().edges)
    assert player.controls.control("shown_graph") is not None


@pytest.mark.parametrize("name", ["sets and orders", "exact"])
def test_past_graphs_of_a_search_whose_scores_begin_late_are_those_of_its_iterations(name: str) -> None:
    search = SEARCHES[name]()
    player = finished(search)
    state, seen = search.init(), {}
    while not search.is_done(state):
        state, info = search.step(state)
        if isinstance(info, Progress):
            seen[info.iteration] = search.snapshot(state).sketch
    assert player.iteration == max(seen)
    assert {moment: player.graph(moment).parents for moment in seen} == seen


@pytest.mark.parametrize("kind", ["Table", "DataFrame"])
def test_a_table_and_a_name_make_the_search_that_learn_runs(kind: str) -> None:
    data = ROWS if kind == "Table" else ROWS.to_pandas()
    player = finished(data, ["HC", "boss"], score="bdeu", ess=4, max_parents=2)
    assert player.runs == ("hill-climbing", "boss")
    for name in player.runs:
        expected = learn(ROWS, name, score="bdeu", ess=4, max_parents=2)
        assert Dag(ROWS.names, player.result()[name]) == expected
        assert player.graph(run=name, best=True) == expected


def test_structural_em_shows_its_graphs_and_the_best_one() -> None:
    table = remove_values(ROWS.take(range(300)), 0.1, "mcar", seed=1)
    player = finished(table, "structural-em", learner="hill-climbing", draws=2)
    expected = learn(table, "structural-em", learner="hill-climbing", draws=2)
    assert player.graph(best=True) == expected
    player.shown_graph = "best"
    assert player.wait(WAIT)
    assert {(edge["u"], edge["v"]) for edge in player.view.view.edges} == set(expected.edges)


def test_names_of_skeletons_and_samplers_and_no_name_make_searches_too() -> None:
    player = finished(ROWS, "opthpc", alpha=0.01)
    assert player.result() == skeleton(ROWS, "opthpc", alpha=0.01)
    assert isinstance(SearchPlayer(ROWS, "mcmc", draws=20, seed=4).state.given.searches["mcmc"], PartitionSampler)
    assert SearchPlayer(ROWS).runs == ("exact",)
    seeded = SearchPlayer(ROWS, "ordering-search", restarts=2, seed=5)
    assert seeded.state.given.searches["ordering-search"].then(run(ParentSetSearch(phi, 4, 2))).seed == 5
    assert SearchPlayer(ROWS, "k2", seed=5).seed == 5


def test_a_sampler_shows_the_scores_of_its_chains_its_convergence_and_probabilities() -> None:
    options = {"draws": 60, "burn_in": 20, "chains": 3, "moves": 10, "seed": 3}
    player = SearchPlayer(ROWS, "mcmc", **options)
    press(player, "step")
    assert player.wait(WAIT)
    assert "Burn-in" in page(player.state)["caption"]
    player.play()
    assert player.wait(WAIT)
    expected = edge_probabilities(ROWS, "mcmc", **options)
    np.testing.assert_array_equal(player.result().arcs, expected.arcs)
    assert f"{expected.diagnostics['r_hat']:.3f}" in page(player.state)["caption"]
    assert f"{expected.diagnostics['ess']:,.0f}" in page(player.state)["caption"]
    graph = expected.consensus(0.5)
    drawn = {(edge["u"], edge["v"]): edge["strength"] for edge in player.view.view.edges}
    table = expected.to_frame()
    assert drawn == pytest.approx({edge: table.loc[edge] for edge in graph.edges}, abs=1e-6)
    sampler, frame = player.state.given.searches["mcmc"], player.to_frame()
    layers = sampler.init().layers
    first = [sampler.advance(layers[chain], 0, chain).scores.tolist() for chain in range(3)]
    names = ["mcmc", "mcmc, chain 2", "mcmc, chain 3"]
    assert [frame[frame.run == name].score.head(20).tolist() for name in names] == first
    assert set(names) <= {trace["name"] for trace in player.plot.figure["data"]}
    press(player, "reset")
    assert player.wait(WAIT)
    assert [trace["name"] for trace in player.plot.figure["data"] if trace["mode"] == "lines+markers"] == ["mcmc"]


def test_an_exact_search_draws_its_bound_and_tells_how_far_the_best_graph_is() -> None:
    sets = run(ParentSetSearch(local_scores(asia().sample(300, seed=3), "bdeu"), 8, 3))
    search = OptimumSearch(sets, subsets=0)
    player = SearchPlayer({"exact": search, "climb": SEARCHES["climb"]()})
    bounds = [info.bound for _, info in iterate(search)]
    assert len(bounds) > 1
    player.step()
    assert run_rows(player.state)[0].optimal == gap_text(bounds[0] - player.state.runs["exact"].best_score)
    assert "at most" in run_rows(player.state)[0].optimal
    player.play()
    assert player.wait(WAIT)
    frame = player.to_frame()
    assert frame[frame.run == "exact"].bound.tolist() == pytest.approx(bounds)
    assert np.isinf(frame[frame.run == "climb"].bound).all()
    drawn = {trace["name"] for trace in player.plot.figure["data"]}
    assert "exact, upper bound" in drawn
    assert "climb, upper bound" not in drawn
    assert [row.optimal for row in run_rows(player.state)] == ["proved best", ""]
    assert "upper bound" in player.plot.description


@pytest.mark.parametrize("search", [CHEN, HillClimbing(phi, 4, restarts=3), K2Search(phi, 4, orders=3)])
def test_any_past_moment_shows_the_graph_of_a_rerun_to_it_or_the_best_until_then(search: Any) -> None:
    player, trace, state, states = finished(search), Trace(), search.init(), {}
    while not search.is_done(state):
        state, info = search.step(state)
        trace.add(info, 0.0)
        states.setdefault(info.iteration, state)
    assert player.to_frame().score.tolist() == trace.scores.tolist()
    assert (player.iteration, player.best_score) == (state.iteration, state.best_score)
    names, best = player.graph().names, set()
    for shown in ("current", "best"):
        press(player, "shown_graph", shown)
        for moment, then in states.items():
            player.moment = moment
            expected = Dag(names, then.parents if shown == "current" else then.best_parents)
            assert player.graph(moment, best=shown == "best") == expected
            assert {(edge["u"], edge["v"]) for edge in player.view.view.edges} == set(expected.edges)
            if shown == "best":
                best.add(expected)
            elif hasattr(then, "tau"):
                np.testing.assert_array_equal(player.policies(moment).tau, then.tau)
                drawn = player.map.figure["data"][0]["z"]
                active = [row for row, going in zip(drawn, then.active, strict=True) if going]
                assert [row[4] for row in active] == np.diag(then.tau)[list(then.active)].tolist()
        assert ("best graph so far" in page(player.state)["caption"]) == (shown == "best")
    assert len(states) > 5
    assert len(best) > 1
    player.moment = None
    assert player.view.view.nodes[0]["name"] == names[0]


def test_it_runs_beside_the_caller_and_pauses_and_goes_on() -> None:
    gate, where = Gate(), []
    player = SearchPlayer(Counter(8, lambda count: (where.append(current_thread()), gate(count))))
    player.play()
    assert gate.reached.wait(WAIT)
    assert player.playing
    assert player.controls.control("play")["label"] == "Pause"
    assert not player.wait(0.01)
    press(player, "play")
    gate.open.set()
    assert player.wait(WAIT)
    assert player.status.startswith("Paused at iteration 4,")
    assert player.controls.control("play")["label"] == "Play"
    assert player.search_state.count == 4
    player.play()
    assert player.wait(WAIT)
    assert player.iteration == 8
    assert current_thread() not in where


def test_stop_ends_soon_and_keeps_what_was_found() -> None:
    begun: list[int] = []
    player = SearchPlayer(Counter(10**9, lambda count: (begun.append(count), sleep(0.002))))
    player.play()
    eventually(lambda: player.search_state.count > 3)
    before = len(begun)
    player.stop()
    at_stop, count = len(begun), player.search_state.count
    assert at_stop - before < 100  # of which each takes two thousandths of a second at least
    assert player.status.startswith("Stopped")
    assert player.result() == ((), (0,) if count % 2 else ())
    sleep(0.05)
    assert player.search_state.count == count
    assert len(begun) == at_stop


def test_a_long_step_is_not_waited_for_and_counts_when_it_ends() -> None:
    gate, made = Gate(), []
    player = SearchPlayer(Counter(6, before=lambda count: (made.append(count), gate(count))))
    player.play()
    assert gate.reached.wait(WAIT)
    player.pause()
    assert not player.playing
    assert player.iteration <= 3
    assert player.status == "Ending the current step …"
    player.play()
    assert not player.wait(0.3)
    gate.open.set()
    assert player.wait(WAIT)
    assert player.iteration == 6
    assert made == list(range(6))
    assert player.trace.iterations == [1, 2, 3, 4, 5, 6]


def test_a_step_that_fails_is_raised_for_who_waits() -> None:
    wrong = [True]

    def before(count: int) -> None:
        if count == 3 and wrong[0]:
            raise ZeroDivisionError(f"no {HOSTILE}")

    player = SearchPlayer({"a": Counter(6, before)})
    player.play()
    with pytest.raises(RuntimeError, match="Step 4 of 'a' failed: ZeroDivisionError"):
        assert player.wait(WAIT)
    with pytest.raises(RuntimeError, match="Step 4"):
        player.step()
    wrong[0] = False
    player.play()
    assert player.wait(WAIT)
    assert (player.search_state.count, player.failed) == (6, False)


def test_a_search_stops_at_a_slow_pace_and_goes_on_at_a_fast_one() -> None:
    player = SearchPlayer(Counter(10), speed=0.05)
    player.play()
    eventually(lambda: player.search_state.count == 1)
    player.stop()
    assert player.search_state.count == 1
    player.play()
    player.speed = 0.0
    assert player.wait(WAIT)
    assert player.search_state.count == 10


def test_chains_keep_seeds_of_their_own_after_a_reset() -> None:
    player = SearchPlayer({"first": Counter(3, seed=4), "second": Counter(3, seed=6)})
    assert player.seed == 4
    assert [run.search.seed for run in player.state.runs.values()] == [4, 6]
    player.reset(10)
    assert [run.search.seed for run in player.state.runs.values()] == [10, 12]


def test_a_state_that_is_set_is_gone_on_from() -> None:
    state = CHEN.init()
    for _ in range(5):
        state, _ = CHEN.step(state)
    player = SearchPlayer(CHEN)
    player.search_state = state
    assert player.iteration == 100
    player.play()
    assert player.wait(WAIT)
    assert player.result() == run(CHEN)
    assert player.trace.iterations[0] == 120


def test_several_runs_take_turns_and_are_compared() -> None:
    player = SearchPlayer({"a": Counter(5), "b": Counter(9, seed=1)}, truth=-2.0, baselines={"k2": -3.0})
    player.step()
    assert {name: state.count for name, state in player.search_state.items()} == {"a": 1, "b": 1}
    player.play()
    assert player.wait(WAIT)
    rows = {row.name: row for row in run_rows(player.state)}
    assert rows["a"].best == -20.0
    assert rows["a"].gap == pytest.approx(900.0)
    assert player.best_score == pytest.approx(-100 / 9 - 1)
    assert sorted(set(player.to_frame().run)) == ["a", "b"]
    assert set(player.result()) == set(player.trace) == {"a", "b"}
    player.run = "b"
    assert player.iteration == 9
    assert player.plot.focus == player.controls.control("run")["value"] == "b"
    assert player.plot.baselines == {"true network": -2.0, "k2": -3.0}


def test_a_true_network_has_its_score_before_a_search_in_a_row_has_a_graph() -> None:
    player = SearchPlayer(ROWS, "exact", truth=cancer())
    assert player.view is None
    assert player.plot.baselines == {"true network": pytest.approx(local_scores(ROWS).total(cancer().dag.parents))}


def test_graphs_too_large_to_arrange_stay_on_a_ring(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bnlab.figures.graphs.layers.MOST_PLACES", 0)
    truth = Dag.from_edges(["X1", "X2", "X3", "X4"], [("X1", "X2"), ("X3", "X4")])
    for known in (truth, None):
        player = finished(HillClimbing(phi, 4), truth=known)
        assert not player.failed, player.status
        assert player.view.view.edges


def test_curves_of_other_units_are_not_drawn_on_the_axis_of_the_search_on_display() -> None:
    searches = {name: SEARCHES[name]() for name in ("climb", "opthpc", "mmpc", "heupc")}
    player = finished(searches, baselines={"k2": -3.0})
    expected = {
        "climb": ("score in nats", ["climb"], {"k2": -3.0}),
        "opthpc": ("targets done", ["opthpc", "mmpc"], {}),
        "heupc": (player.state.runs["heupc"].unit, ["heupc"], {}),
    }
    for name in ("climb", "opthpc", "heupc", "climb"):
        player.run = name
        unit, drawn, lines = expected[name]
        names = dict.fromkeys(trace["name"] for trace in player.plot.figure["data"] if trace["name"] in searches)
        assert (player.plot.unit, [*names]) == (unit, drawn)
        assert player.plot.baselines == lines
        assert player.plot.description.count("iterations") == len(drawn)
        alt = player.plot.picture().alt
        assert unit in player.plot.picture().svg
        assert [run for run in searches if f"{run}: " in alt] == drawn
    assert set(player.to_frame().run) == set(searches), "the frame has them all"


def test_nodes_keep_their_places_while_edges_change() -> None:
    player = SearchPlayer(CHEN)
    player.step()
    places = {node["name"]: (node["x"], node["y"]) for node in player.view.view.nodes}
    for _ in range(5):
        player.step()
    assert places == {node["name"]: (node["x"], node["y"]) for node in player.view.view.nodes}


def test_a_skeleton_is_compared_with_the_skeleton_of_the_truth() -> None:
    player = finished(make_search(DSeparation(asia().dag), "opthpc"), truth=asia())
    assert player.compare
    view = player.view.view
    assert {edge["kind"] for edge in view.edges} == {"true"}
    view._handle_custom_msg({"type": "control", "id": "compare", "value": False}, [])
    assert "true" not in {edge["kind"] for edge in view.edges}
    assert [(control["id"], control["value"]) for control in view.toolbar["view"]] == [("compare", False)]


def test_a_grid_tells_how_many_cells_it_has_done_whatever_moment_is_looked_at() -> None:
    player = SearchPlayer(SEARCHES["grid"]())
    for _ in range(3):
        player.step()
    assert "Iteration 3" in page(player.state)["caption"]
    player.moment = 1
    assert "<b>Iteration 3</b> (latest)" in page(player.state)["caption"]


def test_traits_drive_it_and_tell_of_it() -> None:
    player = SearchPlayer(Counter(5))
    seen: list[Any] = []
    player.observe(lambda change: seen.append((change["name"], change["new"])), ["playing", "status"])
    player.playing = True
    assert player.wait(WAIT)
    assert ("playing", True) in seen
    assert seen[-2:] == [("playing", False), ("status", player.status)]
    player.playing = True
    assert not player.playing


@pytest.mark.parametrize(
    ("given", "options", "error", "message"),
    [
        (({},), {}, ValueError, "at least one"),
        ((object(),), {}, TypeError, r"'search' is a object, which is not a search.*make_search\(table"),
        ((Dag.empty("ab"),), {}, TypeError, "is a Dag, which is not a search"),
        (([Counter(3), "chen"],), {}, TypeError, "'search 2' is a str"),
        ((Counter(3), "hc"), {}, TypeError, "algorithm: only for data"),
        ((Counter(3),), {"score": "bic"}, TypeError, "score: only for data"),
        ((ROWS, "hill-climber"), {}, ValueError, "did you mean 'hill-climbing'"),
        ((ROWS, "hc"), {"retarts": 3}, ValueError, "'retarts' is no option"),
        ((ROWS, []), {}, ValueError, "at least one"),
        ((Counter(3),), {"truth": float("nan")}, ValueError, "finite"),
        ((Counter(3),), {"truth": Dag.empty("abc")}, ValueError, "variables"),
    ],
)
def test_what_cannot_be_played_is_refused(
    given: tuple[Any, ...], options: dict[str, Any], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        SearchPlayer(*given, **options)


def test_the_still_form_has_pictures_and_words() -> None:
    player = SearchPlayer({"chen": CHEN}, baselines={"k2": -1.0})
    player.step()
    bundle = player._repr_mimebundle_()
    assert bundle["text/html"].count('<img src="data:image/svg+xml;base64,') == 3
    assert bundle["text/plain"].startswith("SearchPlayer(chen")
