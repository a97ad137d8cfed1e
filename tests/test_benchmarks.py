"""The benchmarks run without any other package, and a wrong or broken contender never counts."""

from __future__ import annotations

import json
from collections.abc import Callable
from math import isnan
from pathlib import Path
from typing import Any, NoReturn

import pandas as pd
import pytest

from benchmarks import installed, measure, report, run
from benchmarks.agreement import relative, shortfall, worse_skeleton, wrong_labels
from benchmarks.contenders import Bnlab, Contender, Joined, Predicted, RBnlearn, Trial
from benchmarks.contenders.rsession import RSession, r_bnlearn_version
from benchmarks.contenders.weka import arff, listed_edges
from benchmarks.tasks import Task, all_tasks
from benchmarks.workload import Workload, declared, quick_workload, random_families


class Absent(Contender):
    """A package that nobody has installed."""

    package = "bnlab-no-such-package"
    title = "absent"


class Wrong(Contender):
    """Fast, and wrong."""

    package = "numpy"
    title = "wrong"

    def network_score(self, score: str) -> Trial:
        return Trial(lambda: 0.0)


class Right(Contender):
    """Right."""

    package = "numpy"
    title = "right"

    def network_score(self, score: str) -> Trial:
        return Bnlab(self.work).network_score(score)


class Broken(Contender):
    """Fails."""

    package = "numpy"
    title = "broken"

    def network_score(self, score: str) -> Trial:
        raise RuntimeError("out of order")


class Idle(Contender):
    """Cannot do the task."""

    package = "numpy"
    title = "idle"


@pytest.fixture(scope="module")
def work(tmp_path_factory: pytest.TempPathFactory) -> Workload:
    return quick_workload(tmp_path_factory.mktemp("work"))


def test_quick_run_without_peers_stores_every_task(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(measure, "CONTENDERS", (Bnlab, Absent))
    page = tmp_path / "README.md"
    page.write_text(f"before\n\n{report.BEGIN}\nold\n{report.END}\n\nafter\n")
    run.main(["--quick", "--peers", Absent.package, "--output", str(tmp_path)])
    results = json.loads((tmp_path / "results.json").read_text())
    assert list(results["missing"]) == ["absent"]
    for task in results["tasks"]:
        own = task["contenders"]["bnlab"]
        assert own.get("agrees"), (task["task"], own)
        assert own["median"] > 0
    text = page.read_text()
    assert text.startswith("before\n")
    assert text.endswith("after\n")
    assert "old" not in text
    assert all(task["task"] in text for task in results["tasks"])
    assert "absent is missing" in text


def test_only_a_result_that_agrees_counts_as_the_fastest_peer(work: Workload) -> None:
    task = Task("network", "score", "network_score", relative, 1e-9, option="bic")
    entrants: list[Any] = [kind(work) for kind in (Bnlab, Wrong, Right, Broken, Idle)]
    record = measure.measure(task, entrants, work, rounds=1)
    assert list(record["contenders"]) == ["bnlab", "wrong", "right", "broken"]
    assert record["contenders"]["broken"]["failed"] == "RuntimeError: out of order"
    assert not record["contenders"]["wrong"]["agrees"]
    right = record["contenders"]["right"]["median"]
    assert report.best_peer(record) == ("right", right)
    assert report.ratio(record) == right / record["contenders"]["bnlab"]["median"]


def test_a_contender_that_does_part_of_the_work_is_scaled_up(work: Workload) -> None:
    class Half(Wrong):
        def network_score(self, score: str) -> Trial:
            return Trial(lambda: sum(range(100_000)), share=1e-9)

    task = Task("network", "score", "network_score", relative, 1e-9, option="bic")
    record = measure.measure(task, [Bnlab(work), Half(work)], work, rounds=0)
    assert record["contenders"]["wrong"]["median"] > 1e6 * record["contenders"]["bnlab"]["median"]


def test_a_graph_that_is_no_spanning_tree_has_no_weight(work: Workload) -> None:
    centre, *others = work.names
    star = [(centre, other) for other in others]
    assert work.tree_weight(star) > 0
    assert work.tree_weight([(v, u) for u, v in star]) == work.tree_weight(star)
    assert isnan(work.tree_weight(star[1:]))
    cycle = (others[1], others[2])
    assert isnan(work.tree_weight([*star[1:], cycle]))


def test_a_worse_graph_counts_against_a_contender_and_a_better_one_is_told(work: Workload) -> None:
    class Greedier(Wrong):
        def climb(self, score: str) -> Trial:
            return Trial(lambda: None, lambda _: -1.0)

    task = Task("climb", "climb", "climb", shortfall, 1e-3, option="bic")
    record = measure.measure(task, [Bnlab(work), Greedier(work)], work, rounds=0)
    better = record["contenders"]["wrong"]
    assert better["agrees"]
    assert better["advantage"] == pytest.approx(1, abs=0.01)
    assert shortfall(-101.0, -100.0, work) == pytest.approx(0.01)


def test_a_time_that_the_result_tells_replaces_the_clock(work: Workload) -> None:
    class Elsewhere(Wrong):
        def network_score(self, score: str) -> Trial:
            return Trial(lambda: 77.0, seconds=lambda result: result, share=0.5)

    task = Task("network", "score", "network_score", relative, 1e-9, option="bic")
    record = measure.measure(task, [Bnlab(work), Elsewhere(work)], work, rounds=1)
    assert record["contenders"]["wrong"]["median"] == 154.0


def test_only_a_class_that_is_not_the_most_probable_one_is_a_wrong_label(work: Workload) -> None:
    mine = Bnlab(work).predict("tan")
    value = mine.read(mine.run())
    assert wrong_labels(value, value, work) == 0
    first, second = work.train[work.target].cat.categories
    turned = value.labels.map({first: second, second: first})
    ties = 1 - wrong_labels(Predicted(turned, value.edges), value, work)
    assert ties < 0.01


def test_a_skeleton_is_judged_by_the_true_pairs_that_it_joins(work: Workload) -> None:
    truth = Joined(work.true_pairs)
    half = Joined(frozenset(sorted(work.true_pairs, key=sorted)[: len(work.true_pairs) // 2]))
    assert worse_skeleton(truth, half, work) == 0
    assert worse_skeleton(half, truth, work) == pytest.approx(1 - 2 / 3)


def test_numbers_of_parents_take_turns_until_one_runs_out() -> None:
    families = random_families(5, 35, (0, 2))
    sizes = [len(parents) for _, parents in families]
    assert sizes[:4] == [0, 2, 0, 2]
    assert sizes.count(0) == 5
    assert len(set(families)) == 35


def test_r_is_left_out_by_name_where_it_is_not_installed(work: Workload, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    r_bnlearn_version.cache_clear()
    RBnlearn.installed_version.cache_clear()
    ready, missing = measure.contenders(work, {"r-bnlearn"})
    assert [contender.title for contender in ready] == ["bnlab"]
    assert missing == {"R bnlearn": "FileNotFoundError: no Rscript"}


@pytest.mark.needs_r
def test_r_agrees_with_bnlab_in_every_task_it_takes_part_in(
    work: Workload, left_out: Callable[[str, str], NoReturn]
) -> None:
    try:
        peer = RBnlearn(work)
    except (FileNotFoundError, ModuleNotFoundError) as error:
        left_out("R", f"{error}; install R and its package bnlearn")
    own = Bnlab(work)
    for task in all_tasks(work):
        if task.on(work) is work and task.trial(peer) is not None:
            record = measure.measure(task, [own, peer], work, rounds=0)["contenders"]["R bnlearn"]
            assert record.get("agrees"), (task.title, record)
    with pytest.raises(RuntimeError, match="R: object 'nothing' not found"):
        RSession(work.table).call("nothing")


def test_declared_states_reach_weka_in_their_order() -> None:
    frame = declared(pd.DataFrame({"size of": [10, 9, 10], "class": ["b", "a", "b"]}))
    text = arff(frame[:1])
    assert text.splitlines() == [
        "@relation rows",
        "@attribute 'size of' {9,10}",
        "@attribute 'class' {a,b}",
        "@data",
        "10,b",
    ]


def test_edges_of_a_network_that_weka_describes_point_to_the_attribute_before_the_colon() -> None:
    text = "Network structure (nodes followed by parents)\nx-box(16): class y-box \ny-box(16): class \nclass(26): \n"
    names = ["x-box", "y-box", "class"]
    assert listed_edges(text, names, "class") == [("class", "x-box"), ("y-box", "x-box"), ("class", "y-box")]
    assert listed_edges("Naive Bayes Classifier", names, "class") == [("class", "x-box"), ("class", "y-box")]


def test_an_installation_counts_what_the_package_needs() -> None:
    needed = installed.dependencies("bnlab")
    assert {"bnlab", "numpy", "numba", "llvmlite"} <= needed
    assert "pytest" not in needed
    assert 0 < installed.size("bnlab") < installed.size("numpy")


def test_the_table_of_all_cores_tells_the_speed_up_and_the_peer_with_threads(work: Workload) -> None:
    def record(own: float, peer: float) -> dict[str, Any]:
        result = {"median": own, "agrees": True, "note": "", "share": 1.0}
        return {"task": "climb", "contenders": {"bnlab": result, "peer": result | {"median": peer}}}

    results = {"tasks": [record(4.0, 50.0)], "all_cores": {"cores": 2, "tasks": [record(2.0, 30.0)]}}
    assert "| climb | 4,000 ms | 2,000 ms | 2.00 | **15** |" in report.all_cores(results)
