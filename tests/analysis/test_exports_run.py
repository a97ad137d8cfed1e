"""Sessions with hostile names are saved, opened and exported: the exports find the same again and do nothing else."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import bnlab
from bnlab.analysis import Recipe, Study
from bnlab.widgets.workbench.workbench import Workbench

RUNS = "__import__('os').system('touch ran')"
COLUMNS = [
    f"'); {RUNS} #",
    f'"""\n{RUNS}\n"""',
    "%run ran.py",
    "!touch ran",
    f"{{{RUNS}}}",
    "a\\",
    "`$x$` </pre><b>",
    "é?",
]
FILE = f"pa'tients\n{RUNS} \"#.csv"


@pytest.fixture
def saved(tmp_path: Path) -> list[Path]:
    """Session files, of data that are in a file and of data that were in none."""
    frame = bnlab.load_network("asia").sample(300, seed=1).to_pandas().astype(str)
    frame.columns = pd.Index(COLUMNS)
    frame[COLUMNS[0]] = np.where(frame[COLUMNS[0]] == "yes", COLUMNS[1], f"\n{RUNS}")
    frame["age"] = np.random.default_rng(0).normal(50, 10, len(frame))
    frame["row"] = [f"r{i}" for i in range(len(frame))]
    frame.to_csv(tmp_path / FILE, index=False)
    first, second = tmp_path / "file.study.json", tmp_path / "frame.study.json"
    workbench = Workbench(tmp_path / FILE)
    workbench.set_role(COLUMNS[3], "target")
    workbench.cut("age", at=(41.5, 60))
    within = bnlab.skeleton(workbench.table, "mmpc")
    workbench.learn("hill-climbing", score="bdeu", ess=4, restarts=2, within=within, name=COLUMNS[0])
    workbench.learn("chow-liu", root="age", name=COLUMNS[1])
    workbench.learn("k2", orders=3, name=f"\n{RUNS}")
    workbench.learn("chen", variant="paper", Q=50, seed=3, name="# ``` \u2028")
    workbench.bootstrap(COLUMNS[0], replicates=2)
    workbench.average(COLUMNS[0], 0.5)
    workbench.save(first)
    workbench.close()
    study = Study.open(first)
    part = bnlab.Dag.from_edges(study.graphs[COLUMNS[0]].names, [("age", COLUMNS[2])])
    study.with_result("stopped\r!touch ran", Recipe("ckg"), part, stopped=True).save(first)
    workbench = Workbench(frame)
    known = bnlab.Knowledge(required=[(COLUMNS[1], COLUMNS[2])], tiers=[[COLUMNS[0]], [COLUMNS[5], "age"]])
    workbench.learn("branching", name=COLUMNS[0], knowledge=known)
    workbench.bootstrap(replicates=2)
    workbench.save(second)
    workbench.close()
    return [first, second]


def test_exports_of_sessions_with_hostile_names_run_and_find_the_same(saved: list[Path], tmp_path: Path) -> None:
    expected: list[dict[str, Any]] = []
    exports: list[Path] = []
    for path in saved:
        workbench = Workbench.reopen(path)
        notebook, script = path.with_suffix(".ipynb"), path.with_suffix(".py")
        workbench.export_notebook(notebook, title=COLUMNS[1])
        script.write_text(Study.open(path).code(), encoding="utf-8", newline="\n")
        found = {
            "table": workbench.table.fingerprint,
            "networks": {name: [graph.names, graph.edges] for name, graph in workbench.networks.items()},
            "arcs": workbench.confidence[COLUMNS[0]].arcs.tolist(),
        }
        expected += [found, found]
        exports += [notebook, script]
        workbench.close()
    assert [len(found["networks"]) for found in expected[::2]] == [6, 1]
    before = sorted(tmp_path.iterdir())
    root = str(Path(bnlab.__file__).parents[1])
    program = Path(__file__).with_name("run_exports.py")
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([root, os.environ.get("PYTHONPATH", "")])}
    done = subprocess.run(
        [sys.executable, program, *exports], cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == json.loads(json.dumps(expected))
    assert sorted(tmp_path.iterdir()) == before
