"""Chen's search with controls: each setting makes a new run, which is that of the search alone."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from bnlab.learners import paper_search
from bnlab.networks import load_network
from bnlab.papers import ChenPanel
from bnlab.papers.matuszak2012 import percent_gap, sampled
from bnlab.papers.matuszak2012.chen_panel import update
from bnlab.scores import local_scores
from bnlab.search import run
from bnlab.widgets.base.pure import Set


@pytest.fixture
def panel() -> Iterator[ChenPanel]:
    made = ChenPanel("simple", Q=120)
    yield made
    made.close()


def choose(panel: ChenPanel, name: str, value: Any) -> None:
    """Use a control as the page does."""
    panel.controls._handle_custom_msg({"type": "control", "id": name, "value": value}, [])
    assert panel.wait(60)


def gap_of_the_search(**settings: Any) -> float:
    phi = local_scores(sampled("simple", 0), "k2")
    found = run(paper_search(phi, phi.n, **settings))
    return percent_gap(phi.total(found), phi.total(load_network("simple").dag.parents))


def test_it_shows_the_run_of_its_settings_beside_that_of_the_paper(panel: ChenPanel) -> None:
    assert panel.gap == pytest.approx(gap_of_the_search(Q=120))
    ends = panel.plot.to_frame().groupby("run").iteration.max()
    assert ends["settings of the paper"] > 500 > ends["these settings"] >= 120
    assert f"{panel.gap:.2f} % behind" in panel.status
    assert "<img" in panel._repr_mimebundle_()["text/html"]


@pytest.mark.parametrize(("name", "value"), [("beta", 0.05), ("epsilon", 0.3), ("B", 10), ("Q", 300.2), ("seed", 3)])
def test_a_control_makes_a_new_run(panel: ChenPanel, name: str, value: float) -> None:
    choose(panel, name, value)
    settings = {"Q": 120, name: value if name in ("beta", "epsilon") else round(value)}
    assert panel.gap == pytest.approx(gap_of_the_search(**settings))


def test_another_network_has_the_settings_of_the_paper_for_it(panel: ChenPanel) -> None:
    new, (effect,) = update(panel.state, Set("network", "alarm"))
    assert (new.beta, new.B, new.Q) == (9e-6, 250, 15_000)
    assert (effect.network, effect.settings) == ("alarm", new.settings)
    choose(panel, "Q", 500)
    ends = panel.plot.to_frame().groupby("run").score.last()
    assert ends["settings of the paper"] == ends["these settings"]


@pytest.mark.parametrize(("name", "value"), [("beta", 0.0), ("epsilon", 1.0), ("B", None), ("network", "asia")])
def test_a_value_that_the_search_refuses_is_refused_and_named(panel: ChenPanel, name: str, value: Any) -> None:
    before = panel.gap, getattr(panel, name)
    choose(panel, name, value)
    assert panel.failed
    assert name in panel.status
    assert (panel.gap, getattr(panel, name)) == before
    with pytest.raises(ValueError, match=name):
        ChenPanel(**{name: 0 if value is None else value})
