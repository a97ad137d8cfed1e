"""The score panel without a browser: numbers, settings, callbacks, still form."""

from __future__ import annotations

import re
from base64 import b64decode
from html.parser import HTMLParser
from threading import Thread
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest

from bnlab.counts import count_source
from bnlab.data import Table, Variable
from bnlab.figures.scores import stretched
from bnlab.graphs import Dag
from bnlab.networks import BayesianNetwork
from bnlab.networks.parameters import Dirichlet, fit
from bnlab.scores import score
from bnlab.widgets import ScorePanel

HOSTILE = "<img src=x onerror=alert(1)>"


@pytest.fixture
def panel(table: Table, networks: dict[str, Dag]) -> ScorePanel:
    return ScorePanel(table, networks)


def parameters(name: str, ess: float, alpha: float) -> dict[str, float]:
    return {"bdeu": {"ess": ess}, "mit": {"alpha": alpha}}.get(name, {})


@pytest.mark.parametrize(("ess", "alpha"), [(1.0, 0.99), (16.0, 0.9)])
def test_numbers_are_those_of_the_scores(
    panel: ScorePanel, table: Table, networks: dict[str, Dag], ess: float, alpha: float
) -> None:
    panel.ess, panel.alpha = ess, alpha
    frame = panel.to_frame()
    assert list(frame.columns) == ["ll", "aic", "bic", "nml", "mit", "k2", "bdeu"]
    for network, dag in networks.items():
        for name in frame.columns:
            settings = parameters(name, ess, alpha)
            assert frame.loc[network, name] == pytest.approx(score(dag, table, name, **settings), rel=1e-12)
            local = panel.contributions(name)[network]
            np.testing.assert_allclose(local, score(dag, table, name, per_node=True, **settings), rtol=1e-12)
            assert list(local.index) == list(table.names)


def test_bde_and_bd_appear_with_a_prior(table: Table, networks: dict[str, Dag], asia: BayesianNetwork) -> None:
    prior = fit(Dag.empty(asia.names), table, Dirichlet(1))
    panel = ScorePanel(table, networks, prior=prior, hyper=0.5, ess=3.0)
    assert panel.scores[-2:] == ("bde", "bd")
    assert [label for label, _ in panel._choices["score"].options][-3:] == ["BDeu", "BDe", "BD"]
    expected = score(networks["true"], table, "bde", prior_network=prior, ess=3.0)
    assert panel.to_frame().loc["true", "bde"] == pytest.approx(expected, rel=1e-12)
    panel.ess = 8.0
    expected = score(networks["true"], table, "bde", prior_network=prior, ess=8.0)
    assert panel.to_frame().loc["true", "bde"] == pytest.approx(expected, rel=1e-12)
    assert panel.to_frame().loc["fewer", "bd"] == pytest.approx(score(networks["fewer"], table, "bd", hyper=0.5))


def test_whatever_stands_for_a_network_is_taken(table: Table, asia: BayesianNetwork) -> None:
    panel = ScorePanel(table, {"net": asia, "networkx": asia.dag.to_networkx(), "pairs": list(asia.dag.edges)})
    assert (panel.to_frame().nunique() == 1).all()
    assert (panel.differences() == 0).all(axis=None)


def test_rows_are_not_counted_again_when_a_slider_moves(table: Table, networks: dict[str, Dag]) -> None:
    class Source:
        """Counts how often it is asked to count."""

        def __init__(self) -> None:
            self.asked = 0

        def __getattr__(self, name: str) -> Any:
            if name in ("count", "batches"):
                self.asked += 1
            return getattr(count_source(table), name)

    source = Source()
    panel = ScorePanel(source, networks)  # type: ignore[arg-type]
    before = source.asked
    panel.ess = 7.0
    panel.alpha = 0.9
    panel.reference = "empty"
    assert source.asked == before
    assert panel.to_frame().loc["true", "bdeu"] == pytest.approx(score(networks["true"], table, "bdeu", ess=7.0))


def test_a_control_that_moves_sets_the_trait_and_redraws(panel: ScorePanel) -> None:
    before = panel._ahead.figure, panel._table.value
    panel._sliders["ess"].value = 100.0
    assert panel.ess == panel._numbers_typed["ess"].value == 100.0
    assert panel._ahead.figure != before[0]
    assert panel._table.value != before[1]
    panel._numbers_typed["alpha"].value = 0.9
    assert panel.alpha == panel._sliders["alpha"].value == 0.9
    panel._choices["reference"].value = 3
    assert panel.reference == "empty"
    panel._choices["reference"].value = 0
    assert panel.reference is None
    panel._choices["score"].value = "k2"
    assert panel.score == "k2"
    assert "K2 by node" in panel._nodes.figure["layout"]["title"]["text"]


def test_a_trait_that_is_set_moves_the_control_even_beyond_its_range(panel: ScorePanel) -> None:
    seen: list[float] = []
    panel.observe(lambda change: seen.append(change["new"]), "ess")
    panel.ess = 1e6
    panel.alpha = 0.99999
    panel.reference = "fewer"
    assert (panel._sliders["ess"].value, panel._sliders["alpha"].value) == (1e6, 0.99999)
    assert panel._choices["reference"].value == 2
    assert "BDeu(1,000,000)" in panel._table.value
    assert panel.score == panel._choices["score"].value == "bdeu"
    assert seen == [1e6]


def test_a_value_between_the_steps_of_a_slider_stays_when_the_page_rounds_it(panel: ScorePanel) -> None:
    panel.ess = 64.0
    panel._sliders["ess"].set_state({"value": 10**1.8})
    assert panel.ess == 64.0
    panel._sliders["ess"].set_state({"value": 10**1.85})
    assert panel.ess == 10**1.85


def test_a_number_that_cannot_be_is_refused_in_words_and_taken_back(panel: ScorePanel) -> None:
    panel._numbers_typed["ess"].value = -3.0
    assert "greater than 0" in panel._status.value
    assert panel.ess == panel._numbers_typed["ess"].value == 1.0


def test_charts_show_the_differences_of_the_frame(panel: ScorePanel) -> None:
    panel.reference = "fewer"
    panel.score = "bic"
    frame = panel.differences()
    for trace in panel._ahead.figure["data"]:
        np.testing.assert_allclose(trace["x"], stretched(frame.loc[trace["name"]]))
    assert frame.loc["fewer"].tolist() == [0.0] * 7
    nodes = {trace["name"]: dict(zip(trace["y"], trace["x"], strict=True)) for trace in panel._nodes.figure["data"]}
    local = panel.contributions()
    assert set(nodes) == {"true", "empty"}
    for node, place in nodes["true"].items():
        assert place == pytest.approx(stretched(local.loc[node, "true"] - local.loc[node, "fewer"]))


def test_nodes_are_compared_with_the_best_network_unless_one_is_chosen(panel: ScorePanel) -> None:
    best = panel.to_frame()["bdeu"].idxmax()
    assert f"difference from “{best}”" in panel._nodes.figure["layout"]["title"]["text"]


def test_a_click_on_a_row_shows_the_nodes_of_that_score(panel: ScorePanel) -> None:
    panel._ahead.clicked = {"index": 2}
    assert panel.score == "bic"


@pytest.mark.parametrize(
    ("trait", "value", "message"),
    [
        ("ess", -1.0, "greater than 0"),
        ("ess", float("nan"), "greater than 0"),
        ("alpha", 1.0, "between 0 and 1"),
        ("reference", "treu", "did you mean 'true'"),
        ("score", "bdue", "did you mean 'bdeu'"),
        ("score", "bde", "no such score in the panel"),
    ],
)
def test_what_cannot_be_is_refused_and_nothing_changes(
    panel: ScorePanel, trait: str, value: object, message: str
) -> None:
    before = getattr(panel, trait)
    with pytest.raises(ValueError, match=message):
        setattr(panel, trait, value)
    assert getattr(panel, trait) == before


@pytest.mark.parametrize(
    ("networks", "error", "message"),
    [
        ({}, ValueError, "no networks to score"),
        ({"a": Dag.empty("xy")}, ValueError, "network 'a'.*other variables"),
        ({1: Dag.empty("xy")}, TypeError, "network 1"),
    ],
)
def test_networks_that_do_not_fit_are_refused(
    table: Table, networks: dict[str, Dag], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        ScorePanel(table, networks)


def test_settings_are_checked_from_the_start(table: Table, networks: dict[str, Dag]) -> None:
    with pytest.raises(ValueError, match="greater than 0"):
        ScorePanel(table, networks, ess=0)
    panel = ScorePanel(table, networks, ess=4, alpha=0.95, reference="true", score="mit")
    assert (panel.ess, panel.alpha, panel.reference, panel.score) == (4.0, 0.95, "true", "mit")
    assert panel._choices["reference"].value == 1


def test_an_exception_in_a_callback_is_told_in_the_panel(panel: ScorePanel, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(**_: Any) -> None:
        raise RuntimeError("no <b>counts</b>")

    with monkeypatch.context() as patched:
        patched.setattr(panel._scores, "totals", fail)
        panel._sliders["ess"].value = 10.0
    assert panel._status.value == '<div role="alert">Not shown: no &lt;b&gt;counts&lt;/b&gt;</div>'
    panel._sliders["ess"].value = 20.0
    assert panel._status.value == ""
    assert "BDeu(20)" in panel._table.value


def test_callbacks_from_several_threads_leave_the_panel_consistent(panel: ScorePanel) -> None:
    def move(values: list[float]) -> None:
        for value in values:
            panel.ess = value

    threads = [Thread(target=move, args=([float(k) for k in range(i, 60, 4)],)) for i in range(1, 5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    panel.ess = 3.0
    shown = dict(zip(panel._ahead.figure["data"][0]["y"], panel._ahead.figure["data"][0]["x"], strict=True))
    assert shown["BDeu(3)"] == pytest.approx(stretched(panel.differences().loc["true", "bdeu"]))


def test_closing_closes_every_part(panel: ScorePanel) -> None:
    parts = [panel, *panel._parts]
    panel.close()
    assert all(part.comm is None for part in parts)


class Tags(HTMLParser):
    def __init__(self, html: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))


def test_the_still_form_has_a_picture_and_the_numbers(panel: ScorePanel) -> None:
    bundle = panel._repr_mimebundle_()
    assert "application/vnd.jupyter.widget-view+json" in bundle
    assert bundle["text/plain"].startswith("ScorePanel(ess=1, alpha=0.99, score='bdeu')\n")
    assert "true" in bundle["text/plain"]
    html = bundle["text/html"]
    match = re.search(r"data:image/svg\+xml;base64,([^\"]+)", html)
    assert match is not None
    svg = ElementTree.fromstring(b64decode(match[1]))
    texts = [element.text for element in svg.iter("{http://www.w3.org/2000/svg}text")]
    assert {"true", "fewer", "empty", "BIC/MDL", "BDeu(1)", "0"} <= set(texts)
    assert html.count("<tr>") == 8
    assert f"{panel.to_frame().loc['true', 'k2']:,.2f}".replace("-", "−") in html


def test_the_best_of_each_score_is_marked_in_more_than_colour(panel: ScorePanel) -> None:
    assert panel._table.value.count("★\u00a0") == 7


def test_hostile_names_are_text_everywhere() -> None:
    bit = Variable(HOSTILE, ("0", "1")), Variable('"); drop', ("0", "1"))
    table = Table(bit, [[0, 0, 1, 1, 0], [0, 0, 1, 1, 1]])
    panel = ScorePanel(table, {HOSTILE: [(HOSTILE, '"); drop')], "score": []}, reference=HOSTILE)
    bundle = panel._repr_mimebundle_()
    for html in (bundle["text/html"], panel._table.value):
        tags = Tags(html).found
        assert {tag for tag, _ in tags} <= {"div", "img", "table", "caption", "thead", "tbody", "tr", "th", "td", "br"}
        assert all(attributes["src"].startswith("data:") for tag, attributes in tags if tag == "img")
        assert not any(name.startswith("on") for _, attributes in tags for name in attributes)
        assert "&lt;img" in html
    for figure in (panel._ahead.figure, panel._nodes.figure):
        assert "<img" not in str(figure)
