"""The benchmarks run without any other package, and a wrong or broken contender never counts."""

from __future__ import annotations

import json
from math import isnan
from pathlib import Path
from typing import Any

import pytest

from benchmarks import measure, report, run
from benchmarks.contenders import Bnlab, Contender, Trial
from benchmarks.tasks import Task, relative
from benchmarks.workload import Workload, quick_workload


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


@pytest.fixture
def work(tmp_path: Path) -> Workload:
    return quick_workload(tmp_path)


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
    task = Task("network", "score", "network_score", relative, 1e-9, score="bic")
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

    task = Task("network", "score", "network_score", relative, 1e-9, score="bic")
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
