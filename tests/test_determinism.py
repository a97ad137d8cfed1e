"""The same seeds give the same bytes, whatever the process, the hash seed and the number of threads."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from bnlab.counts import memory

CELLS = [
    {"algorithm": algorithm, "score": score, "seed": seed}
    for algorithm, score in (
        ("branching", "nml"), ("ckg", "mdl"), ("ordering-search", "bdeu"), ("k2", "k2"), ("hill-climbing", "mit"),
        ("boss", "bdeu"), ("chen", "k2"), ("opthpc", ""), ("hpc", ""), ("mmpc", ""), ("getpc", ""), ("heupc", ""),
        ("bootstrap", "bic"),
    )
    for seed in ((1, 2) if algorithm == "branching" else (1,))
]  # fmt: skip


def evaluate(cell: Mapping[str, Any]) -> dict[str, Any]:
    """Learn from a sample: edges, scores and parameters, every digit of them."""
    import bnlab
    from bnlab.learners import Bootstrap
    from bnlab.learners.table import LEARNERS
    from bnlab.networks import fit
    from bnlab.search import run

    data = bnlab.load_network("asia").sample(1000, seed=cell["seed"])
    algorithm, score = cell["algorithm"], cell["score"]
    if algorithm == "bootstrap":
        learner = partial(bnlab.learn, algorithm="hill-climbing", score=score)
        return {"arcs": run(Bootstrap(data, learner, replicates=2, seed=cell["seed"])).arcs.tolist()}
    if algorithm not in LEARNERS:
        found = bnlab.skeleton(data, algorithm)
        return {"edges": found.edges, "nsc": found.nsc}
    options = {"seed": cell["seed"]} if algorithm in ("ordering-search", "boss", "k2", "hill-climbing", "chen") else {}
    dag = bnlab.learn(data, algorithm, score=score, **options)
    scores = bnlab.score(dag, data, score, per_node=True).tolist()
    return {"edges": dag.edges, "scores": scores, "cpts": [cpt.tolist() for cpt in fit(dag, data).cpts]}


def write_records(path: str, threads: int) -> None:
    """Store the records of all cells, counted by so many threads."""
    from bnlab.papers.base.grid import Grid, RecordFile
    from bnlab.search import run

    memory.available_cores = lambda: threads
    memory._LIGHT_ROWS = 0 if threads > 1 else 1 << 62  # many tasks for many threads, one for one
    run(Grid(CELLS, evaluate, RecordFile(path)))


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Records of this process and of another one."""
    folder = tmp_path_factory.mktemp("records")
    here, there = folder / "here.jsonl", folder / "there.jsonl"
    with pytest.MonkeyPatch.context() as patch:
        for name in ("available_cores", "_LIGHT_ROWS"):
            patch.setattr(f"bnlab.counts.memory.{name}", getattr(memory, name))  # which writing sets
        write_records(str(here), 4)
    seed = "2" if os.environ.get("PYTHONHASHSEED") == "1" else "1"
    environment = {**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": str(Path(__file__).parent.parent)}
    subprocess.run([sys.executable, __file__, str(there), "1"], env=environment, check=True)
    return [here, there]


def test_records_are_the_same_bytes_in_every_process_and_with_any_threads(files: list[Path]) -> None:
    first, *others = (file.read_bytes() for file in files)
    assert first.count(b"\n") == len(CELLS)
    assert all(other == first for other in others)


def test_records_with_another_seed_are_others(files: list[Path]) -> None:
    from bnlab.papers.base.grid import RecordFile

    records = RecordFile(files[0]).load()
    assert [{name: record[name] for name in CELLS[0]} for record in records] == CELLS
    scores = {record["seed"]: record["scores"] for record in records if record["algorithm"] == "branching"}
    assert scores[1] != scores[2]


if __name__ == "__main__":
    write_records(sys.argv[1], int(sys.argv[2]))
