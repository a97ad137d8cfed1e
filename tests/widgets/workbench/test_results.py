"""Results in the workbench: optimum, held-out rows, edges, two networks, and rules that are set in the graph."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest

import bnlab
from bnlab.analysis import Recipe, cross_validate
from bnlab.analysis.study import Study
from bnlab.graphs import Dag, Pdag, essential_graph
from bnlab.networks import BayesianNetwork, MaximumLikelihood, fit
from bnlab.widgets.graph.page import page
from bnlab.widgets.graph.rules import joined
from bnlab.widgets.workbench.effects import Compare, Estimating, Measure
from bnlab.widgets.workbench.measures import gap_texts, missing_held
from bnlab.widgets.workbench.messages import FindOptimum, Remove
from bnlab.widgets.workbench.update import update
from bnlab.widgets.workbench.workbench import Workbench
from tests.widgets.workbench.acting import controls, press


@pytest.fixture(scope="module")
def frame(asia: BayesianNetwork) -> pd.DataFrame:
    return asia.sample(600, seed=4).to_pandas()


@pytest.fixture
def workbench(frame: pd.DataFrame) -> Workbench:
    return Workbench(frame)


def listed(workbench: Workbench) -> pd.DataFrame:
    """Texts of the list of networks."""
    shown = controls(workbench.forms["list"])["shown"]
    return pd.DataFrame([row["cells"] for row in shown["rows"]], columns=shown["columns"]).set_index("Network")


def test_networks_of_few_variables_show_their_distance_to_the_optimum_by_themselves(workbench: Workbench) -> None:
    workbench.learn("chow-liu", name="tree")
    best = workbench.learn("exact", name="best")
    assert workbench.wait(60)
    gap = bnlab.score(best, workbench.table, "bic") - bnlab.score(workbench.networks["tree"], workbench.table, "bic")
    texts = listed(workbench)["To the optimum"]
    assert texts["best"] == "Proved best"
    assert texts["tree"] == f"{gap:,.2f} nats"
    sentence = controls(workbench.forms["list"])["gap"]["text"]
    assert sentence == "No network scores higher (BIC)."
    assert workbench.distance_to_optimum() == sentence


def test_the_distance_to_the_optimum_is_that_of_the_score_and_the_rules_of_the_network(workbench: Workbench) -> None:
    rules = bnlab.Knowledge(forbidden=[("either", "xray"), ("xray", "either"), ("lung", "xray"), ("xray", "lung")])
    free = workbench.learn("exact", score="bdeu", ess=5, name="free")
    kept = workbench.learn("exact", score="bdeu", ess=5, knowledge=rules, name="kept")
    assert workbench.wait(60)
    assert listed(workbench)["To the optimum"].to_dict() == {"free": "–", "kept": "Proved best"}
    workbench.shown = "free"
    assert workbench.wait(60)
    gap = bnlab.score(free, workbench.table, "bdeu", ess=5) - bnlab.score(kept, workbench.table, "bdeu", ess=5)
    assert listed(workbench)["To the optimum"]["kept"] == f"{gap:,.2f} nats"
    assert workbench.distance_to_optimum().startswith("No network scores higher (BDeu (ess 5))")


def test_for_more_variables_the_distance_is_computed_on_request_and_can_be_stopped(
    frame: pd.DataFrame, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bnlab.widgets.workbench.changes.SMALL", 5)
    workbench = Workbench(frame)
    workbench.learn("hill-climbing")
    assert workbench.wait(60)
    form = workbench.forms["list"]
    assert "To the optimum" not in listed(workbench)
    press(workbench, form, "optimum")
    assert "To the optimum" in listed(workbench)
    assert "optimum" not in controls(form)
    workbench.learn("hill-climbing", score="aic", name="other")
    state, (work,) = update(workbench.state, FindOptimum())
    found, _ = update(state, work.run(lambda message: None, lambda: True))
    (text,) = set(gap_texts(found.session, found.optima, "other").values())
    assert text == "at an unknown distance from the optimum"


def test_the_list_shows_the_held_out_log_likelihood_of_each_network_learned_anew_in_every_fold(
    workbench: Workbench,
) -> None:
    workbench.learn("chow-liu", name="tree")
    workbench.learn("hill-climbing", name="climbed")
    assert "*" not in controls(workbench.forms["list"])["units"]["text"]
    workbench.bootstrap("climbed", replicates=3)
    average = workbench.average("climbed", 0.5)
    assert workbench.wait(60)
    (kept,) = workbench.networks.keys() - {"tree", "climbed"}
    found = cross_validate(workbench.table, {**workbench.study.recipes, kept: average})
    expected = {name: logs.mean() for name, logs in found.log_likelihoods.items()}
    assert workbench.to_frame()["held_out"].to_dict() == pytest.approx(expected)
    unseen = cross_validate(workbench.table, workbench.networks["climbed"]).log_likelihoods["graph"].mean()
    assert expected["climbed"] != pytest.approx(unseen, abs=1e-6)
    texts = {name: f"{value:.4f}".replace("-", "−") for name, value in expected.items()}
    assert listed(workbench)["Held-out"].to_dict() == texts | {kept: texts[kept] + "*"}
    assert "* only" in controls(workbench.forms["list"])["units"]["text"]


def test_the_findings_say_how_many_held_out_rows_are_predicted_right(workbench: Workbench) -> None:
    workbench.set_role("dysp", "target")
    workbench.learn("hill-climbing", name="climbed")
    workbench.learn("chow-liu", name="tree")
    assert workbench.wait(60)
    found = cross_validate(workbench.table, workbench.study.recipes, target="dysp")
    for name in ("climbed", "tree"):
        workbench.shown = name
        right = (found.probabilities[name][0].argmax(axis=1) == found.truth).mean()
        (words,) = [text for text, place in workbench.state.findings if place == "validation"]
        assert words.startswith(f"Predicts dysp right in {right:.0%}")
        assert words in workbench.report().html
        assert words in workbench._repr_mimebundle_()["text/html"], "also without a kernel"
    workbench.step = "trust"
    press(workbench, workbench.forms["findings"], "findings", "validation")
    assert workbench.step == "compare"
    card = controls(workbench.forms["findings"])["findings"]["parts"]
    assert "target" not in dict(card)
    workbench.set_role("dysp", "use")
    assert workbench.wait(60)
    card = controls(workbench.forms["findings"])["findings"]["parts"]
    assert "validation" not in dict(card)
    press(workbench, workbench.forms["findings"], "findings", "target")
    assert workbench.step == "variables", "where a target is chosen"


def test_learning_anew_ends_when_the_network_is_removed(workbench: Workbench) -> None:
    workbench.learn("hill-climbing", name="gone")
    workbench.learn("chow-liu", name="tree")
    keys = missing_held(workbench.state.session, ())
    measuring = replace(workbench.state, held_out={}, measuring=next(iter(keys)))
    state, _ = update(measuring, Remove("gone"))
    state, effects = update(state, Compare(state.session).run(pytest.fail, lambda: False))
    (again,) = [effect for effect in effects if isinstance(effect, Measure)]
    assert again.name == "tree"
    assert again.run(pytest.fail, lambda: True).value is None


def test_missing_values_leave_out_what_needs_complete_rows(frame: pd.DataFrame) -> None:
    gaps = frame.astype(object)
    gaps.iloc[::9, 2] = None
    workbench = Workbench(gaps)
    workbench.set_missing("keep")
    workbench.learn("hill-climbing")
    assert workbench.wait(60)
    assert list(workbench.networks) == ["Structural EM: Hill climbing, BIC"]
    net = fit(workbench.networks["Structural EM: Hill climbing, BIC"], workbench.table, MaximumLikelihood())
    parameters = sum(cpt[..., 0].size * (cpt.shape[-1] - 1) for cpt in net.cpts)
    expected = net.log_likelihood(workbench.table).sum() - 0.5 * parameters * np.log(len(gaps))
    assert workbench.to_frame()["observed_score"].iloc[0] == pytest.approx(expected, abs=1)
    number, unit = listed(workbench)["Expected score"].iloc[0].split()
    assert (float(number.replace("−", "-").replace(",", "")), unit) == (pytest.approx(expected, abs=1), "(BIC/MDL)")
    workbench.add("empty", [])
    assert listed(workbench)["Expected score"].iloc[1] == "–"
    workbench.remove("empty")
    assert "Held-out" not in listed(workbench)
    assert "optimum" not in controls(workbench.forms["list"])
    assert "held_out" not in workbench.to_frame()
    nodes = workbench.table.names
    u, v = next((u, v) for u in nodes for v in nodes if u < v and not joined(workbench.graph.graph, u, v))
    workbench.graph.view.selected = [u, v]
    for edge in page(workbench.graph.state)["details"]["absent"]:
        assert "Its score change needs data without missing values." in edge["reasons"]
    with pytest.raises(ValueError, match="without missing values"):
        workbench.distance_to_optimum()


def test_rules_set_in_the_graph_come_back_to_the_knowledge_and_learn_again_follows_them(workbench: Workbench) -> None:
    learned = workbench.learn("hill-climbing", score="bdeu", ess=2)
    graph = workbench.graph
    assert graph.knowledge is None
    assert "again" not in controls(workbench.forms["steps"])
    u, v = learned.edges[0]
    graph.view._handle_custom_msg({"type": "edit", "action": "forbid", "u": u, "v": v}, [])
    assert workbench.knowledge == bnlab.Knowledge(forbidden=[(u, v)])
    assert "knowledge: 1 edge" in controls(workbench.forms["steps"])["summary"]["text"]
    press(workbench, workbench.forms["steps"], "again")
    assert list(workbench.networks) == ["Hill climbing, BDeu", "Hill climbing, BDeu (2)"]
    assert workbench.shown == "Hill climbing, BDeu (2)"
    again = workbench.networks["Hill climbing, BDeu (2)"]
    assert (u, v) not in again.edges
    assert workbench.study.recipes["Hill climbing, BDeu (2)"].options["ess"] == 2
    assert "again" not in controls(workbench.forms["steps"])
    workbench.shown = "Hill climbing, BDeu"
    assert "again" in controls(workbench.forms["steps"])


def test_rules_of_the_form_reach_the_graph_which_says_why_an_edge_is_missing(workbench: Workbench) -> None:
    workbench.learn("hill-climbing")
    graph = workbench.graph
    form = workbench.forms["knowledge"]
    for name, value in (("kind", "forbidden"), ("parent", "smoke"), ("child", "xray")):
        press(workbench, form, name, value)
    press(workbench, form, "add-edge")
    assert graph.knowledge == workbench.knowledge
    graph.view.selected = ["smoke", "xray"]
    ruled, _ = page(graph.state)["details"]["absent"]
    assert ruled["reasons"][0] == "Knowledge: 'smoke' -> 'xray' is forbidden."


def test_the_edge_table_follows_edits_and_the_edited_network_can_be_saved_only_then(workbench: Workbench) -> None:
    learned = workbench.learn("hill-climbing")
    assert "edits" not in controls(workbench.forms["list"])
    workbench.graph.show_essential = False
    workbench.graph.edit("delete", *learned.edges[0])
    edges = {row["cells"][0] for row in controls(workbench.forms["edges"])["edge"]["rows"]}
    assert edges == {f"{u} → {v}" for u, v in learned.edges[1:]}
    assert "edits" in controls(workbench.forms["list"])
    workbench.graph.undo()
    assert "edits" not in controls(workbench.forms["list"])


def test_a_click_on_a_head_sorts_the_edges_and_a_second_one_turns_the_order(workbench: Workbench) -> None:
    workbench.learn("hill-climbing")
    edges = workbench.forms["edges"]

    def column(place: int) -> list[float]:
        texts = [row["cells"][place] for row in controls(edges)["edge"]["rows"]]
        return [float(text.replace("−", "-").replace(",", "")) for text in texts]

    assert controls(edges)["edge"]["order"] == ["Mutual information", True]
    press(workbench, edges, "edge:order", "p-value")
    assert column(3) == sorted(column(3))
    press(workbench, edges, "edge:order", "p-value")
    assert column(3) == sorted(column(3), reverse=True)
    assert controls(edges)["edge"]["order"] == ["p-value", True]
    press(workbench, edges, "edge:order", "Edge")
    names = [row["cells"][0] for row in controls(edges)["edge"]["rows"]]
    assert names == sorted(names)


def test_the_confidence_is_on_the_edges_in_percent(workbench: Workbench) -> None:
    learned = workbench.learn("hill-climbing")
    found = workbench.bootstrap(replicates=4)
    assert workbench.wait(60)
    labels = {frozenset((edge["u"], edge["v"])): edge["label"] for edge in workbench.graph.view.edges}
    shares = {frozenset((u, v)): found.strength[found.names.index(u), found.names.index(v)] for u, v in learned.edges}
    assert labels == {edge: f"{share:.0%}" for edge, share in shares.items()}
    assert controls(workbench.forms["edges"])["edge"]["columns"][1:3] == ["Found in", "In this direction"]
    workbench.posterior()
    assert workbench.wait(60)
    assert controls(workbench.forms["edges"])["edge"]["columns"][1] == "Posterior probability"


def places(graph: Any) -> dict[str, list[float]]:
    view = graph.view
    return {node["name"]: list(view.positions.get(node["name"], (node["x"], node["y"]))) for node in view.nodes}


def test_another_network_keeps_evidence_positions_and_the_widget(workbench: Workbench) -> None:
    workbench.learn("chow-liu", name="tree")
    climbed = workbench.learn("hill-climbing", name="climbed")
    graph = workbench.graph
    graph.view.positions = {"smoke": [5.0, 7.0]}
    graph.evidence = {"smoke": "yes"}
    before = places(graph)
    workbench.shown = "tree"
    assert workbench.graph is graph
    assert graph.graph == workbench.networks["tree"]
    assert (graph.evidence, places(graph)) == ({"smoke": "yes"}, before)
    assert not workbench.state.is_edited
    with pytest.raises(ValueError, match="nothing to undo"):
        graph.undo()
    workbench.shown = "climbed"
    assert graph.graph == climbed
    assert places(graph) == before


def test_two_networks_side_by_side_share_positions_hover_and_evidence(workbench: Workbench) -> None:
    workbench.learn("chow-liu", name="tree")
    workbench.learn("hill-climbing", name="climbed")
    form = workbench.forms["list"]
    assert "beside" not in controls(form)
    press(workbench, form, "reference", "tree")
    press(workbench, form, "beside")
    first, (_, second) = workbench.graph, workbench.pictures
    assert second.graph == workbench.networks["tree"]
    assert places(first) == places(second)
    first.view.positions = {"smoke": [50.0, -70.0]}
    assert places(second)["smoke"] == [50.0, -70.0]
    second.view.positions = {**second.view.positions, "xray": [1.0, 2.0]}
    assert places(first) == places(second)
    first.reset_positions()
    assert places(first) == places(second)
    second.view.hovered = "lung"
    assert first.view.hovered == "lung"
    first.evidence = {"smoke": "yes"}
    assert second.evidence == {"smoke": "yes"}
    second.clear_evidence()
    assert first.evidence == {}
    first.selected_node = "either"
    assert second.selected_node == "either"
    press(workbench, form, "beside", False)
    assert workbench.pictures[1] is None
    assert second.comm is None
    first.evidence = {"smoke": "no"}
    assert second.evidence == {}


def test_the_exact_posterior_is_stopped_between_two_variables(workbench: Workbench) -> None:
    workbench.learn("chow-liu")
    sent: list[Any] = []
    work = Estimating(workbench.state.session, "posterior", "Chow-Liu tree", 0, None)
    with pytest.raises(ValueError, match="stopped before the last step"):
        work.run(sent.append, lambda: len(sent) > 0)
    assert any(message.text.startswith("1 of 8 variables") for message in sent)
    assert workbench.confidence == {}
    found = workbench.posterior()
    assert found.method == "exact"


def test_the_workbench_learns_an_equivalence_class_and_keeps_it_in_its_session(
    workbench: Workbench, frame: pd.DataFrame
) -> None:
    table = workbench.table
    workbench.algorithm = "pc"
    assert "score" not in controls(workbench.forms["learn"])
    press(workbench, workbench.forms["learn"], "option:alpha", 0.01)
    press(workbench, workbench.forms["learn"], "learn")
    found = workbench.networks["PC"]
    assert found == bnlab.learn(table, "pc", alpha=0.01)
    assert workbench.learn("ges", name="classes") == bnlab.learn(table, "ges")
    study = Study.read("a file", workbench.state.session.study.to_text().encode())
    assert study.graphs == workbench.networks
    assert study.recipes["PC"] == Recipe("pc", None, {"alpha": 0.01})
    code = study.code()
    assert "bnlab.learn(table, 'pc', alpha=0.01)" in code
    assert "NetworkGraph(bnlab.graphs.member(networks['classes']), table, show_essential=True)" in code
    with pytest.raises(ValueError, match="PC takes no score"):
        workbench.learn("pc", score="bic")
    with pytest.raises(ValueError, match=r"takes bic, .*choose one"):
        workbench.learn("ges", score="k2")


def test_an_edge_that_data_do_not_decide_has_no_direction_until_one_member_is_shown(workbench: Workbench) -> None:
    learned = workbench.learn("hill-climbing", name="climb")
    assert isinstance(learned, Dag)
    open_edges = essential_graph(learned).undirected_edges
    assert open_edges
    assert workbench.graph.show_essential
    texts = {row["cells"][0] for row in controls(workbench.forms["edges"])["edge"]["rows"]}
    assert sum(" – " in text for text in texts) == len(open_edges)
    for key in map(str, range(len(learned.edges))):  # each is selected, whatever its direction in the picture
        press(workbench, workbench.forms["edges"], "edge", key)
        assert workbench.graph.selected_edge is not None
        assert controls(workbench.forms["edges"])["edge"]["chosen"] == key
    assert "direction not decided" in workbench._repr_mimebundle_()["text/html"]
    report = workbench.report().html
    assert "direction not decided" in report
    workbench.graph.show_essential = False
    assert {row["cells"][0] for row in controls(workbench.forms["edges"])["edge"]["rows"]} == {
        f"{u} → {v}" for u, v in learned.edges
    }


def test_an_expert_network_is_compared_with_learned_ones(workbench: Workbench, asia: BayesianNetwork) -> None:
    workbench.learn("chow-liu", name="tree")
    assert workbench.add("expert", asia) == asia.dag
    assert workbench.shown == "expert"
    workbench.reference = "tree"
    assert list(workbench.to_frame()["algorithm"]) == ["chow-liu", ""]
    cycle = Pdag(asia.names, undirected=[(0, 1), (1, 2), (2, 3), (0, 3)])
    assert workbench.add("no member", cycle) == cycle
    assert workbench.to_frame()["bic"].isna().tolist() == [False, False, True]
    assert controls(workbench.forms["list"])["shown"]["rows"][-1]["cells"][2] == "–"
    with pytest.raises(ValueError, match="there is a network of that name"):
        workbench.add("expert", asia)
    with pytest.raises(ValueError, match="lungs"):
        workbench.add("other", [("lungs", "xray")])
