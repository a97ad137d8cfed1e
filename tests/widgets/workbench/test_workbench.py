from __future__ import annotations

import re
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from time import sleep
from typing import Any

import numpy as np
import pandas as pd
import pytest

import bnlab
from bnlab.analysis import Preparation, Recipe
from bnlab.graphs import Dag, Pdag, essential_graph
from bnlab.learners import recommended
from bnlab.networks import BayesianNetwork
from bnlab.widgets.workbench.effects import Estimating, Search
from bnlab.widgets.workbench.messages import Progress
from bnlab.widgets.workbench.page import page
from bnlab.widgets.workbench.results import scores_html
from bnlab.widgets.workbench.workbench import Workbench
from tests.widgets.workbench.acting import controls, press, send

HOSTILE = "<img src=x onerror=alert(1)>"
QUICK = {"tabu": 0}


@pytest.fixture(scope="module")
def patients(asia: BayesianNetwork) -> pd.DataFrame:
    frame = asia.sample(400, seed=1).to_pandas().astype(str).rename(columns={"asia": HOSTILE})
    rng = np.random.default_rng(0)
    frame["dysp"] = np.where(frame["dysp"] == "yes", HOSTILE, "'); drop")
    frame["age"] = rng.normal(50, 10, len(frame))
    frame.loc[::9, "age"] = np.nan
    frame["row"] = [f"p{i}" for i in range(len(frame))]
    frame["visits"] = rng.poisson(30, len(frame))
    frame["country"] = "NL"
    return frame


@pytest.fixture
def workbench(patients: pd.DataFrame) -> Workbench:
    return Workbench(patients)


@pytest.fixture
def path(patients: pd.DataFrame, tmp_path: Path) -> Path:
    patients.to_csv(tmp_path / "patients.csv", index=False)
    return tmp_path / "patients.csv"


def column(workbench: Workbench, name: str) -> dict[str, Any]:
    """Texts and values of a row of the table of columns."""
    row = next(row for row in controls(workbench.forms["columns"])["column"]["rows"] if row["key"] == name)
    values = {part["id"].partition(":")[0]: part.get("value") for cell in row["cells"] for part in parts(cell)}
    return values | {"result": row["cells"][-1]}


def parts(cell: Any) -> list[dict[str, Any]]:
    return cell if isinstance(cell, list) else []


def test_any_data_become_a_table_with_a_sentence_for_what_is_left_out(workbench: Workbench) -> None:
    assert set(workbench.preparation.leave_out) == {"row", "country"}
    assert set(workbench.preparation.cuts) == {"age", "visits"}
    assert workbench.table.n_variables == 10
    assert workbench.preparation.missing == "state"
    assert column(workbench, "age")["result"] == "4 states"
    assert column(workbench, "row")["role"] == "leave out"
    press(workbench, workbench.forms["columns"], "column", "country")
    assert workbench.forms["details"].label == "Details of country"
    assert "Always the same" in controls(workbench.forms["details"])["advice"]["text"]


def test_the_one_liner_learns_compares_and_tells_how_sure(workbench: Workbench) -> None:
    best = workbench.learn()
    tree = workbench.learn("chow-liu")
    assert workbench.networks == {"Exact search, BIC": best, "Chow-Liu tree": tree}
    assert best == bnlab.learn(workbench.table)
    assert workbench.shown == "Chow-Liu tree"
    assert workbench.to_frame().loc["Chow-Liu tree", "edges"] == 9
    assert workbench.to_frame().loc["Exact search, BIC", "bic"] == pytest.approx(
        bnlab.score(best, workbench.table, "bic")
    )
    confidence = workbench.bootstrap("Exact search, BIC", replicates=4)
    assert (confidence.graphs, workbench.replicates) == (4, 100)
    assert workbench.confidence == {"Exact search, BIC": confidence}
    average = workbench.average("Exact search, BIC", 0.5)
    assert average == confidence.consensus(0.5)
    for told in ("All networks", "Distances", "Exact search, BIC, edges of 50%"):
        assert told in page(workbench.state)["comparison"]


def test_a_first_wait_is_explained(workbench: Workbench, monkeypatch: pytest.MonkeyPatch) -> None:
    for compiled, told in ((True, []), (False, ["Compiling (once, some seconds) …"])):
        sent: list[Any] = []
        monkeypatch.setattr("bnlab.widgets.workbench.effects.is_cached", lambda compiled=compiled: compiled)
        Search(workbench.state.session, Recipe("chow-liu"), None, None).run(sent.append, lambda: True)
        assert [message.text for message in sent if isinstance(message, Progress)][: len(told) or None] == told


def shown_forms(workbench: Workbench) -> set[str]:
    def seen(part: Any) -> Iterator[Any]:
        if part.layout.display != "none":
            yield part
            for child in getattr(part, "children", ()):
                yield from seen(child)

    shown = {*seen(workbench)}
    return {name for name, form in workbench.forms.items() if form in shown and name != "steps"}


def test_one_click_leads_from_a_file_to_its_network(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    workbench = Workbench()
    assert (workbench.step, shown_forms(workbench)) == ("data", {"data"})
    closed = {"variables", "knowledge", "learn", "compare", "trust", "export"}
    assert set(controls(workbench.forms["steps"])["step"]["closed"]) == closed
    send(workbench, "../patients.csv", path.read_bytes(), piece=1000)
    assert (workbench.step, workbench.status) == ("variables", "../patients.csv: 400 rows, 12 columns.")
    assert set(controls(workbench.forms["steps"])["step"]["closed"]) == {"compare", "trust", "export"}
    press(workbench, workbench.forms["steps"], "learn")
    assert (workbench.step, shown_forms(workbench)) == ("compare", {"findings", "list", "edges"})
    assert controls(workbench.forms["steps"])["summary"]["text"].endswith("1 network")
    workbench.replicates, steps, card = 5, workbench.forms["steps"], workbench.forms["findings"]
    assert "not been examined" in dict(controls(card)["findings"]["parts"])["confidence"]
    press(workbench, steps, "trust")
    assert "5 networks from resampled rows" in dict(controls(card)["findings"]["parts"])["confidence"]
    for place, step in (("network", "compare"), ("confidence", "trust")):
        press(workbench, card, "findings", place)
        assert workbench.step == step
    assert shown_forms(workbench) == {"findings", "trust", "edges"}
    assert workbench.confidence["Exact search, BIC"].graphs == 5
    assert controls(steps)["save-report"]["main"]
    press(workbench, steps, "save-report")
    assert shown_forms(workbench) == {"files"}
    assert Path("analysis.html").exists()
    workbench.remove("Exact search, BIC")
    assert workbench.step == "learn"


def test_the_recommended_learner_comes_first(workbench: Workbench) -> None:
    press(workbench, workbench.forms["learn"], "algorithm", "chow-liu")
    assert controls(workbench.forms["learn"])["suggestion"]["text"].startswith(
        "Recommended: Exact search. 10 variables"
    )
    press(workbench, workbench.forms["learn"], "recommended")
    assert workbench.networks == {"Exact search, BIC": bnlab.learn(workbench.table)}


def test_a_table_of_one_variable_is_refused_and_others_can_be_chosen(workbench: Workbench) -> None:
    workbench.load(pd.DataFrame({"id": range(100), "x": [0, 1] * 50, "y": [1.5, 2.5] * 50}))
    workbench.set_role("y", "leave out")
    press(workbench, workbench.forms["steps"], "learn")
    said = controls(workbench.forms["learn"])["said"]
    assert (said["role"], said["text"]) == ("alert", "Only 'x' is used: a network needs two columns at least.")
    assert not workbench.busy
    workbench.set_role("y", "use")
    press(workbench, workbench.forms["learn"], "learn")
    assert len(workbench.networks) == 1


def test_suggested_options_stay_with_the_suggested_learner(workbench: Workbench) -> None:
    def value(option: str) -> Any:
        return controls(workbench.forms["learn"])[f"option:{option}"]["value"]

    workbench.load(pd.DataFrame(np.random.default_rng(0).choice(["a", "b"], (50, 13))).rename(columns=str))
    assert (workbench.algorithm, value("restarts")) == ("boss", 2000)
    press(workbench, workbench.forms["learn"], "option:seed", 3)
    press(workbench, workbench.forms["learn"], "algorithm", "hill-climbing")
    assert (value("restarts"), value("seed")) == (0, 3)
    press(workbench, workbench.forms["learn"], "algorithm", "boss")
    assert (value("restarts"), value("seed")) == (2000, 3)


def test_each_step_has_one_main_button(workbench: Workbench) -> None:
    workbench.learn("chow-liu")
    for step in ("data", "variables", "knowledge", "learn", "compare", "trust", "export"):
        press(workbench, workbench.forms["steps"], "step", step)
        forms = [workbench.forms["steps"], *(workbench.forms[name] for name in shown_forms(workbench))]
        parts = [part for form in forms for line in form.lines for part in line]
        rows = [row for part in parts if part["kind"] == "table" for row in part["rows"]]
        parts += [part for row in rows for cell in row["cells"] if isinstance(cell, list) for part in cell]
        mains = [part["id"] for part in parts if part.get("main")]
        assert len(mains) == 1, (step, mains)


def test_the_page_changes_columns_as_methods_do(workbench: Workbench) -> None:
    columns, details = workbench.forms["columns"], workbench.forms["details"]
    press(workbench, columns, "role:lung", "target")
    press(workbench, columns, "method:age", "mdl")
    assert workbench.preparation.target == workbench.table.target == "lung"
    press(workbench, details, "cuts", "40, 60")
    assert workbench.preparation.cuts["age"] == (40.0, 60.0)
    assert controls(columns)["column"]["chosen"] == "age"
    assert column(workbench, "age")["method"] == "own"
    press(workbench, columns, "bins:visits", 5)
    assert len(workbench.preparation.cuts["visits"]) == 4
    for name, value in (("method", "width"), ("bins", 4), ("cut-all", True)):
        press(workbench, columns, name, value)
    assert {name: len(cuts) for name, cuts in workbench.preparation.cuts.items()} == {"age": 3, "visits": 3}
    workbench.set_missing("drop")
    assert workbench.table.n_rows == 355
    workbench.cut_all("width", 2)
    assert column(workbench, "visits")["method"] == "width"
    press(workbench, columns, "suggest")
    assert (workbench.preparation.target, workbench.table.n_rows) == (None, 400)
    assert column(workbench, "visits")["method"] == "quantile"


def test_a_change_that_fails_says_why_and_changes_nothing(workbench: Workbench) -> None:
    before = workbench.table
    press(workbench, workbench.forms["details"], "cuts", "old")
    assert "write numbers" in controls(workbench.forms["columns"])["failed"]["text"]
    assert "write numbers" in workbench.status
    assert workbench.table is before
    workbench.set_role("smoke", "target")
    assert workbench.status == controls(workbench.forms["columns"])["summary"]["text"]
    assert workbench.learn("chow-liu") is not None


def test_two_learned_networks_are_compared_without_the_words_of_a_true_one(workbench: Workbench) -> None:
    workbench.learn("chow-liu", name="tree <b>")
    workbench.learn("hill_climbing", score="MDL", name="climbed")
    assert workbench.study.recipes["climbed"].code("t").startswith("bnlab.learn(t, 'hill-climbing', score='bic'")
    workbench.reference = "tree <b>"
    graph = workbench.graph
    labels = [entry["label"] for entry in graph.view.legend]
    assert set(labels) <= {"In both", "Reversed", "Only here", "Only in tree <b>", "Direction not decided"}
    assert len(labels) > 1
    beside = re.sub('data:image[^"]*', "", page(workbench.state)["comparison"])
    edges = graph.view.picture().alt.partition(" Probabilities:")[0]  # a state of these data is named "missing"
    shown = [graph.view.legend, graph.view.edges, edges, graph.view.toolbar, beside]
    assert not re.search(r"\b(true|extra|missing)\b", str(shown))


def test_networks_that_differ_by_rounding_alone_are_all_called_best() -> None:
    totals = pd.DataFrame({"bic": [-1e6, -1e6 - 1e-4, -1e6 - 1.0]}, index=["one", "two", "three"])
    html = scores_html(totals)
    assert html.count("(best)") == 2
    assert "(−1.0)" in html


def test_a_network_edited_in_its_picture_is_kept_beside_the_learned_one(workbench: Workbench) -> None:
    learned = workbench.learn("chow-liu")
    press(workbench, workbench.forms["list"], "edits")
    assert "change an edge" in workbench.status
    workbench.graph.edit("delete", *learned.edges[0])
    edited = workbench.keep_edits()
    assert edited.edges == learned.edges[1:]
    assert workbench.networks == {"Chow-Liu tree": learned, "Chow-Liu tree, edited": edited}
    with pytest.raises(ValueError, match="was not learned"):
        workbench.bootstrap()


def test_a_search_is_stopped_and_keeps_what_it_found(workbench: Workbench) -> None:
    begun = threading.Event()
    workbench.observe(lambda change: begun.set() if change["new"] else None, "busy")
    workbench.learn("hill-climbing", restarts=100_000, wait=False)
    assert begun.wait(30)
    press(workbench, workbench.forms["learn"], "stop")
    assert not workbench.busy
    assert list(workbench.networks) == ["Hill climbing, BIC"]
    assert bool(workbench.to_frame()["stopped"].iloc[0])
    assert "Stopped early" in workbench.status
    assert "Dag.from_edges" in workbench.study.code()


def until(condition: Callable[[], bool]) -> None:
    for _ in range(2000):
        if condition():
            return
        sleep(0.01)
    raise AssertionError("it never came to that")


def test_a_search_is_drawn_while_it_runs_in_the_places_of_the_network_before(workbench: Workbench) -> None:
    workbench.learn("chow-liu")
    before = {node["name"]: node["y"] for node in workbench.graph.view.nodes}
    workbench.learn("hill-climbing", restarts=1_000_000, wait=False)
    live = workbench.children[-1]
    until(lambda: len(live.children) > 0)
    (plot,), (view,) = (column.children for column in live.children[0].children)
    until(lambda: plot.end > 1)
    assert {node["name"] for node in view.nodes} == set(before)
    ranked = sorted(before, key=lambda name: before[name])
    drawn = {node["name"]: node["y"] for node in view.nodes}
    assert drawn[ranked[0]] < drawn[ranked[-1]]
    workbench.stop()
    assert live.children == ()
    assert (plot.comm, view.comm) == (None, None)
    assert workbench.wait(60)


def test_a_bootstrap_is_drawn_while_it_runs(workbench: Workbench) -> None:
    workbench.learn("chow-liu")
    workbench.bootstrap(replicates=1_000_000, wait=False)
    live = workbench.children[-1]
    until(lambda: len(live.children) > 0)
    ((view,),) = (column.children for column in live.children[0].children)
    until(lambda: len(view.edges) > 0)
    workbench.stop()


def test_a_picture_that_fails_loses_no_search(workbench: Workbench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bnlab.widgets.workbench.effects.present_graph", lambda *_: {}[HOSTILE])
    workbench.learn("hill-climbing", restarts=1_000_000, wait=False)
    live = workbench.children[-1]
    until(lambda: len(live.children) > 0)
    (told,) = live.children
    assert "Search not drawn: &#x27;&lt;img" in told.value
    workbench.stop()
    assert len(workbench.networks) == 1


def test_a_bootstrap_that_is_stopped_counts_and_goes_on(workbench: Workbench) -> None:
    workbench.learn("hill-climbing", **QUICK)
    stop = iter([False] * 9 + [True] * 1000)
    part = Estimating(workbench.state.session, "bootstrap", str(workbench.shown), 30, None)
    done = part.run(lambda message: None, lambda: next(stop))
    assert 0 < done.result.confidence.graphs < 8
    workbench.dispatch(done)
    assert "press again to continue to 30" in workbench.status
    whole = workbench.bootstrap(replicates=8)
    again = Workbench(workbench.frame)
    again.learn("hill-climbing", **QUICK)
    straight = again.bootstrap(replicates=8)
    np.testing.assert_array_equal(whole.arcs, straight.arcs)


def test_a_session_is_saved_and_reopened(path: Path, tmp_path: Path) -> None:
    workbench = Workbench(path)
    workbench.set_role("lung", "target")
    workbench.cut("age", at=[40, 60])
    workbench.learn("hill-climbing", **QUICK)
    workbench.bootstrap(replicates=3)
    workbench.save(tmp_path / "one.study.json")
    for again in (Workbench.reopen(tmp_path / "one.study.json"), Workbench(tmp_path / "one.study.json")):
        assert again.study.to_json() == workbench.study.to_json() | {"source": again.study.source}
        assert again.table.equals(workbench.table)
        assert again.networks == workbench.networks
        assert again.shown == "Hill climbing, BIC"


def test_other_data_than_those_of_the_session_are_noticed(workbench: Workbench, tmp_path: Path) -> None:
    workbench.learn("chow-liu")
    workbench.save(tmp_path / "three.study.json")
    fewer = Workbench.reopen(tmp_path / "three.study.json", workbench.frame.head(300))
    assert "not as it was" in fewer.status
    assert fewer.networks == workbench.networks
    other = Workbench.reopen(tmp_path / "three.study.json", workbench.frame[["smoke", "lung"]])
    assert "other columns" in other.status
    assert other.networks == {}


def test_without_a_kernel_the_page_tells_data_networks_and_differences(workbench: Workbench) -> None:
    workbench.learn("chow-liu")
    workbench.learn("branching", score="bic")
    bundle = workbench._repr_mimebundle_()
    assert "Seconds" not in bundle["text/html"]
    assert bundle["text/plain"] == "Workbench(a DataFrame: 400 rows, 12 columns; 2 networks)"
    for told in ("Chow-Liu tree", "Optimal tree, BIC", "identifier", "<img", "Structural Hamming distance"):
        assert told in bundle["text/html"]


def test_a_file_that_cannot_be_written_is_an_alert(
    workbench: Workbench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    press(workbench, workbench.forms["files"], "file", "nowhere/mine")
    press(workbench, workbench.forms["files"], "save-session")
    assert controls(workbench.forms["files"])["said"]["role"] == "alert"
    assert "nowhere" in workbench.status


@pytest.mark.parametrize(
    ("name", "content", "told"),
    [
        ("a.doc", b"a,b\n1,2\n", ".csv"),
        ("a.csv", b"a\n1\n1\n", "is constant"),
        ("a.json", b"[1]", "no saved session"),
    ],
)
def test_files_that_are_no_data_are_refused_in_words(
    workbench: Workbench, name: str, content: bytes, told: str
) -> None:
    before = workbench.table
    send(workbench, name, content)
    said = controls(workbench.forms["data"])["said"]
    assert said["role"] == "alert"
    assert told in said["text"]
    assert workbench.table is before


def test_a_step_asked_for_too_early_says_what_is_missing() -> None:
    workbench = Workbench()
    for ask in (workbench.learn, lambda: workbench.table, lambda: workbench.cut("a")):
        with pytest.raises(ValueError, match=r"no table yet|no data yet"):
            ask()
    with pytest.raises(ValueError, match="learn one first"):
        workbench.bootstrap()
    assert repr(workbench) == "Workbench(no data yet)"


def test_wide_data_begin_with_the_recommended_learner_and_list_their_first_columns() -> None:
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.integers(0, 2, (40, 410)), columns=[f"x{i}" for i in range(410)])
    workbench = Workbench(frame)
    assert (workbench.algorithm, workbench.options) == recommended(410, 40)[:2]
    assert workbench.algorithm == "boss"
    assert len(controls(workbench.forms["columns"])["column"]["rows"]) == 400
    assert "10 further columns" in controls(workbench.forms["columns"])["more"]["text"]


def test_a_closed_workbench_stops_its_search(patients: pd.DataFrame) -> None:
    workbench = Workbench(patients)
    workbench.learn("chow-liu")
    workbench.learn("hill-climbing", restarts=100_000, wait=False)
    assert workbench.busy
    workbench.close()
    assert workbench.wait(30)
    with pytest.raises(RuntimeError, match="closed"):
        workbench.learn("chow-liu")


def test_a_network_too_large_to_arrange_is_told_of_in_place_and_leaves_no_older_picture(
    workbench: Workbench, monkeypatch: pytest.MonkeyPatch
) -> None:
    workbench.learn("chow-liu")
    monkeypatch.setattr("bnlab.figures.graphs.layers.MOST_PLACES", 3)
    workbench.set_role("smoke", "leave out")
    workbench.learn("chow-liu")
    workbench.learn("hill-climbing", **QUICK)
    assert workbench.shown == "Hill climbing, BIC"
    assert workbench.graph is None
    (pictures,) = (part for part in workbench.children if "bnlab-place-network" in part._dom_classes)
    titles = [part.value for column in pictures.children for part in column.children]
    assert "Not drawn: a picture of" in titles[0]
    assert "learned in " in workbench.status
    for text in (workbench._repr_mimebundle_()["text/html"], workbench.report().html):
        assert "Not drawn: a picture of" in text
        assert "Distances" in text


def only_missing(frame: pd.DataFrame) -> pd.Series:
    """Number of rows in which a column alone has no value."""
    gaps = frame.isna()
    return gaps[gaps.sum(axis=1) == 1].sum()


def test_missing_values_can_stay_missing_from_learning_to_the_notebook() -> None:
    frame = bnlab.load_network("asia").sample(300, seed=1).to_pandas().astype(object)
    frame = frame[["smoke", "bronc", "either", "xray", "dysp"]]
    frame = frame.mask(np.random.default_rng(0).random(frame.shape) < 0.03)
    rows, values = int(frame.isna().any(axis=1).sum()), int(frame.isna().to_numpy().sum())
    workbench = Workbench(frame)
    costs = [label for _, label in controls(workbench.forms["columns"])["missing"]["options"]]
    assert costs[1:] == [
        f"Keep as a state “missing”: {frame.isna().any().sum()} variables",
        f"Drop rows: {rows} of 300 lost",
        f"Keep (structural EM): {values} values",
    ]
    listed = controls(workbench.forms["patterns"])["patterns"]["rows"]
    assert [row["cells"][:2] for row in listed[:2]] == [
        ["None (complete rows)", f"{300 - rows}"],
        [(alone := only_missing(frame)).idxmax(), f"{alone.max()}"],
    ]
    assert controls(workbench.forms["learn"])["missing"]["text"] == ""
    press(workbench, workbench.forms["columns"], "missing", "keep")
    assert sum(workbench.table.gaps.values()) == values
    assert f"Structural EM estimates the {values} values" in controls(workbench.forms["learn"])["missing"]["text"]
    found = workbench.learn("hill-climbing")
    assert found == bnlab.learn(workbench.table, "structural-em", learner="hill-climbing", tabu=10, seed=0)
    edges = workbench.forms["edges"]
    assert {row["cells"][0] for row in controls(edges)["edge"]["rows"]} == edge_texts(found)
    assert "need complete rows" in controls(edges)["units"]["text"]
    assert workbench.graph.bars
    workbench.learn("chow-liu")
    assert workbench.bootstrap(replicates=2).graphs == 2
    assert controls(edges)["edge"]["columns"] == ["Edge", "Found in", "In this direction"]
    trust = workbench.forms["trust"]
    assert f"Structural EM estimates the {values} values" in controls(trust)["missing"]["text"]
    press(workbench, trust, "estimate", "posterior")
    assert "need complete rows" in controls(trust)["why"]["text"]
    assert not controls(trust)["posterior"]["enabled"]
    assert "Distances" in page(workbench.state)["comparison"]
    assert "bic" not in workbench.to_frame()
    assert "structural-em" in workbench.report().html
    names = {"frame": frame}
    code = workbench.study.code()
    exec(
        code[code.index("preparation =") : code.index("# Look at")], {"bnlab": bnlab, "Preparation": Preparation}, names
    )
    assert names["networks"] == workbench.networks


def test_a_table_without_missing_values_has_none_to_keep(asia: BayesianNetwork) -> None:
    workbench = Workbench(asia.sample(100, seed=1).to_pandas())
    workbench.set_missing("keep")
    assert workbench.preparation.missing == "error"


def test_knowledge_of_the_page_leads_the_learners_and_is_saved(asia: BayesianNetwork, tmp_path: Path) -> None:
    workbench = Workbench(asia.sample(300, seed=1).to_pandas())
    form = workbench.forms["knowledge"]
    press(workbench, form, "parent", "asia")
    press(workbench, form, "child", "smoke")
    press(workbench, form, "add-edge")
    limits = workbench.forms["limits"]
    press(workbench, limits, "most", -1)
    assert "must be at least 0" in controls(limits)["said"]["text"]
    assert controls(limits)["most"]["value"] is None
    press(workbench, limits, "limit:dysp", 1)
    assert controls(limits)["said"]["text"] == ""
    known = bnlab.Knowledge(required=[("asia", "smoke")], max_parents={"dysp": 1})
    assert workbench.knowledge == known
    press(workbench, form, "kind", "forbidden")
    press(workbench, form, "add-edge")
    assert "required and forbidden" in controls(form)["said"]["text"]
    assert workbench.knowledge == known
    press(workbench, workbench.forms["steps"], "learn")
    (learned,) = workbench.networks.values()
    assert known.violations(learned) == ()
    assert "knowledge=bnlab.Knowledge(" in workbench.study.code()
    workbench.save(tmp_path / "known.study.json")
    again = Workbench.reopen(tmp_path / "known.study.json")
    assert again.knowledge == known


def test_the_posterior_of_the_edges_is_shown_saved_and_repeated_by_code(asia: BayesianNetwork, tmp_path: Path) -> None:
    workbench = Workbench(asia.sample(300, seed=1).to_pandas())
    rules = bnlab.Knowledge(required=[("asia", "smoke")])
    workbench.learn("hill-climbing", score="bdeu", ess=4, knowledge=rules)
    press(workbench, workbench.forms["trust"], "estimate", "posterior")
    assert controls(workbench.forms["trust"])["posterior"]["enabled"]
    press(workbench, workbench.forms["trust"], "posterior")
    (found,) = workbench.confidence.values()
    assert (found.method, found.graphs) == ("exact", 0)
    expected = bnlab.edge_probabilities(workbench.table, "exact", score="bdeu", ess=4, knowledge=rules)
    assert np.allclose(found.arcs, expected.arcs)
    assert "exact posterior" in controls(workbench.forms["trust"])["reaching"]["text"].lower()
    assert "bnlab.edge_probabilities(table, 'exact', score='bdeu', ess=4.0, knowledge=" in workbench.study.code()
    assert "Posterior probability" in workbench.report().html
    workbench.save(tmp_path / "asia.study.json")
    again = Workbench.reopen(tmp_path / "asia.study.json")
    (reopened,) = again.confidence.values()
    assert reopened.method == "exact"
    assert np.array_equal(reopened.arcs, found.arcs)


def test_the_posterior_of_many_variables_is_sampled(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bnlab.analysis.session.EXACT", 3)
    workbench = Workbench(bnlab.load_network("cancer").sample(300, seed=1).to_pandas())
    workbench.learn("chow-liu")
    found = workbench.posterior()
    assert (found.method, found.graphs) == ("mcmc", 4000)


def edge_texts(graph: Dag | Pdag) -> set[str]:
    """Edges as the table names them: those that data do not decide have no direction."""
    assert isinstance(graph, Dag)
    lines = {frozenset(edge) for edge in essential_graph(graph).undirected_edges}
    return {f"{u} {'–' if frozenset((u, v)) in lines else '→'} {v}" for u, v in graph.edges}


def test_the_edge_table_has_the_gain_of_each_edge(asia: BayesianNetwork) -> None:
    workbench = Workbench(asia.sample(500, seed=1).to_pandas())
    learned = workbench.learn("hill-climbing")
    edges = workbench.forms["edges"]
    listed = controls(edges)["edge"]
    assert listed["columns"] == ["Edge", "Mutual information", "BIC gain", "p-value"]
    assert {row["cells"][0] for row in listed["rows"]} == edge_texts(learned)
    row = listed["rows"][1]
    ends = set(re.split(" [→–] ", row["cells"][0]))
    rest = [edge for edge in learned.edges if {*edge} != ends]
    gain = bnlab.score(learned, workbench.table, "bic") - bnlab.score(rest, workbench.table, "bic")
    assert float(row["cells"][2].replace(",", "")) == pytest.approx(gain, abs=0.06)
    workbench.remove(str(workbench.shown))
    assert edges.lines == []
