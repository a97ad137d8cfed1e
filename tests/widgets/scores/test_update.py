"""The score panel as tables of cases, without a widget, a page or a thread."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest

from bnlab.data import Table
from bnlab.figures.scores.sample_size import PrefixScores
from bnlab.graphs import Dag
from bnlab.learners import optimum
from bnlab.scores import score
from bnlab.widgets.base.pure import Failed, Set, Stop
from bnlab.widgets.scores.content import ScoreContent, Settings
from bnlab.widgets.scores.page import page, still
from bnlab.widgets.scores.update import (
    Click,
    Complete,
    Compute,
    FindOptimum,
    Found,
    Highlight,
    Part,
    Point,
    Search,
    Searching,
    Show,
    State,
    StopOptimum,
    update,
)

PARTS = {"tables", "best", "scores", "ess", "order", "nodes", "sentence", "rows"}


@pytest.fixture(scope="module")
def state(table: Table, networks: dict[str, Dag]) -> State:
    """Shown in full."""
    content = ScoreContent(PrefixScores(table, networks))
    return computed(State(content, n_rows=2000, selected=content.networks))


def computed(state: State) -> State:
    """The state after all its parts were computed."""
    sent: list[Any] = []
    last = Compute(state.content, state.settings, state.hovered).run(sent.append, lambda: False)
    for message in (*sent, last):
        state, effects = update(state, message)
        assert not effects
    return state


SETTINGS = Settings(1.0, 0.99, 2000, None, "bdeu", ("true", "fewer", "empty"))
SEARCHING = {"search": "…"}
BEST: Any = SimpleNamespace(gap_text=lambda graph: "near")
COMPUTING = {"computing": True}


@pytest.mark.parametrize(
    ("before", "message", "after", "effects"),
    [
        ({}, Set("ess", 100), {"ess": 100.0} | COMPUTING, [Compute]),
        ({}, Set("alpha", 0.99999), {"alpha": 0.99999} | COMPUTING, [Compute]),
        ({}, Set("reference", "empty"), {"reference": "empty"} | COMPUTING, [Compute]),
        ({"reference": "empty"}, Set("reference", None), {"reference": None} | COMPUTING, [Compute]),
        ({}, Set("score", "MDL"), {"score": "bic"} | COMPUTING, [Compute]),
        ({}, Set("score", "log-likelihood"), {"score": "ll"} | COMPUTING, [Compute]),
        ({}, Set("score", "BDeu"), {}, []),
        ({}, Set("n_rows", 200), {"n_rows": 200} | COMPUTING, [Compute]),
        ({}, Set("hovered", "lung"), {"hovered": "lung"}, [Highlight]),
        ({"hovered": "lung"}, Set("hovered", None), {"hovered": None}, [Highlight]),
        ({"hovered": "lung"}, Set("hovered", "lung"), {}, []),
        ({"hovered": "lung"} | COMPUTING, Complete(SETTINGS, None), {"computing": False}, [Highlight]),
        ({"hovered": "lung"} | COMPUTING, Complete(SETTINGS, "lung"), {"computing": False}, []),
        ({}, Point(0), {"hovered": "dysp"}, []),
        ({"hovered": "lung"}, Point(None), {"hovered": None}, []),
        ({}, Set("selected", ["empty", "true"]), {"selected": ("true", "empty")} | COMPUTING, [Compute]),
        ({}, Set("selected", "fewer"), {"selected": ("fewer",)} | COMPUTING, [Compute]),
        ({}, Show("true", False), {"selected": ("fewer", "empty")} | COMPUTING, [Compute]),
        ({"selected": ("fewer",)}, Show("true", True), {"selected": ("true", "fewer")} | COMPUTING, [Compute]),
        ({}, Click("scores", 2), {"score": "bic"} | COMPUTING, [Compute]),
        ({}, Click("ess", 3, 12.5), {"ess": 12.5} | COMPUTING, [Compute]),
        ({}, Click("rows", 4, 63.2), {"n_rows": 63} | COMPUTING, [Compute]),
        ({}, Click("nodes", 1, 3.0), {}, []),
        ({}, FindOptimum(), {"search": "Starting the exact search …"}, [Search]),
        (SEARCHING, Searching("half"), {"search": "half"}, []),
        (SEARCHING, StopOptimum(), {}, [Stop]),
        (SEARCHING, Found(("k2", 1, 1, 9), BEST), {"search": None, "optima": {("k2", 1, 1, 9): BEST}}, []),
        (SEARCHING, Failed(Search(*[None] * 3), ValueError()), {"search": None}, []),  # type: ignore[arg-type]
        (SEARCHING, Failed(Highlight(*[None] * 3), ValueError()), {}, []),  # type: ignore[arg-type]
    ],
)
def test_each_message_leads_to_its_state_and_effects(
    state: State, before: dict[str, Any], message: Any, after: dict[str, Any], effects: list[type]
) -> None:
    start = replace(state, **before)
    end, found = update(start, message)
    assert end == replace(start, **after)
    assert [*map(type, found)] == effects
    assert all(effect.settings == end.settings for effect in found if isinstance(effect, Compute | Search))


@pytest.mark.parametrize(
    ("before", "message", "words"),
    [
        ({}, Set("ess", -1.0), "greater than 0"),
        ({}, Set("ess", float("nan")), "greater than 0"),
        ({}, Set("alpha", 1.0), "between 0 and 1"),
        ({}, Set("reference", "treu"), "did you mean 'true'"),
        ({}, Set("score", "bdue"), "did you mean 'bdeu'"),
        ({}, Set("score", "bde"), "a prior network, prior="),
        ({}, Set("n_rows", 0), "there are 2,000 rows"),
        ({}, Set("n_rows", 2001), "there are 2,000 rows"),
        ({}, Set("hovered", "lnug"), "did you mean 'lung'"),
        ({}, Set("selected", ()), "keep at least one"),
        ({}, Set("selected", ("true", "fewr")), "did you mean 'fewer'"),
        ({"selected": ("true",)}, Show("true", False), "keep at least one"),
        ({}, Set("content", None), "no setting"),
        (SEARCHING, FindOptimum(), "running already"),
    ],
)
def test_what_cannot_be_is_refused(state: State, before: dict[str, Any], message: Any, words: str) -> None:
    with pytest.raises((ValueError, RuntimeError), match=words):
        update(replace(state, **before), message)


def test_what_was_computed_for_earlier_settings_is_never_shown(state: State) -> None:
    moved, (effect,) = update(state, Set("ess", 7.0))
    for late in (Part(state.settings, "sentence", "late"), Complete(state.settings, None)):
        assert update(moved, late) == (moved, [])
    failed = Failed(Compute(state.content, state.settings), ValueError())
    assert update(moved, failed) == (moved, [])
    assert not update(moved, Failed(effect, ValueError()))[0].computing
    assert "BDeu(7)" in page(computed(moved))["tables"]


def test_computing_ends_when_other_settings_are_wanted(state: State) -> None:
    sent: list[Part] = []
    assert Compute(state.content, state.settings).run(sent.append, lambda: len(sent) == 2) is None  # type: ignore[arg-type]
    assert [part.name for part in sent] == ["tables", "best"]
    assert set(state.parts) == PARTS


@pytest.mark.parametrize(
    ("before", "ranges"),
    [
        ({}, [(0.01, 1e4), (0.5, 0.999), (10, 2000)]),
        ({"ess": 1e6}, [(0.01, 1e6), (0.5, 0.999), (10, 2000)]),
        ({"alpha": 0.9999, "n_rows": 3}, [(0.01, 1e4), (0.5, 0.9999), (3, 2000)]),
    ],
)
def test_a_slider_reaches_its_value(state: State, before: dict[str, Any], ranges: list[tuple[float, float]]) -> None:
    assert [(one["min"], one["max"]) for one in page(replace(state, **before))["controls"][0]] == ranges


@pytest.mark.parametrize(
    ("before", "part", "words"),
    [
        ({}, "sentence", "“true” is best"),
        ({}, "distance", ""),
        ({"optima": {("bdeu", 1.0, 0.99, 2000): BEST}}, "distance", "“true” is near; “fewer” is near"),
        ({"optima": {("bdeu", 1.0, 0.99, 2000): BEST}, "selected": ("fewer",)}, "distance", "“fewer” is near"),
        ({"optima": {("bdeu", 1.0, 0.99, 2000): BEST}, "ess": 2.0}, "distance", ""),
        (COMPUTING, "status", "Computing …"),
        ({}, "status", ""),
        ({}, "search", None),
    ],
)
def test_the_page_shows(
    state: State, before: dict[str, Any], part: str, words: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        "bnlab.widgets.scores.content.gap_sentence",
        lambda found, shown: "; ".join(f"“{name}” is {found.gap_text(graph)}" for name, graph in shown.items()) + ".",
    )
    shown = page(replace(state, **before))
    found = {one["id"]: one["text"] for line in shown["controls"] for one in line if "text" in one}
    found["sentence"] = shown["sentence"]
    assert words in found[part] if words else not found.get(part)


def test_buttons_show_and_hide_networks_and_the_best_has_a_star(state: State) -> None:
    buttons = page(computed(replace(state, selected=("fewer", "empty"))))["controls"][2]
    assert [(one["label"], one["value"]) for one in buttons] == [("true", False), ("fewer ★", True), ("empty", True)]


def test_tables_hold_the_numbers_of_the_scores(state: State, table: Table, networks: dict[str, Dag]) -> None:
    shown, without = page(state)["tables"], still(state)
    for dag in networks.values():
        for name in ("k2", "bdeu", "bic"):
            number = f"{score(dag, table, name):,.2f}".replace("-", "−")
            assert number in shown
            assert number in without
    assert without.count("image/svg+xml") == 2


def test_a_highlighted_node_has_a_band_in_its_chart(state: State) -> None:
    lit = Highlight(state.content, state.settings, "lung").run(print, lambda: False)
    figure = page(update(state, lit)[0])["charts"]["nodes"]["figure"]
    assert figure["layout"]["shapes"][0]["y0"] == list(figure["data"][0]["y"]).index("lung") - 0.5
    assert "shapes" not in page(state)["charts"]["nodes"]["figure"]["layout"]


def test_an_exact_search_finds_the_optimum_or_the_bound_at_its_stop(state: State, table: Table) -> None:
    search = Search(state.content, replace(state, score="bic").settings, ("bic", 1.0, 0.99, 2000))
    assert search.run(print, lambda: False).optimum.score == pytest.approx(optimum(table, "bic").score)
    assert not search.run(print, lambda: True).optimum.proven
