"""The networks of the authors' Java program for tDBN, cDBN and bcDBN beside those of bnlab.

The program is `learn_bcDBN.jar` of github.com/MargaridanarSousa/learn_cDBN, which learns all three. The variable
LEARN_BCDBN names it; the example of its page, `cDBN1_5000.csv`, is expected beside it.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pandas as pd

import bnlab
from benchmarks.contenders.learnbcdbn import run_program, wide_rows
from bnlab.papers.base.grid import Design, StoredCells
from bnlab.papers.sousa2018 import TRUTHS, random_network

EXAMPLE = "cDBN1_5000.csv"
SIMULATED = [f"{truth}, {seed}" for truth in TRUTHS for seed in range(5)]
UNITS, LENGTH, VARIABLES = 500, 4, 6


def evaluate(cell: Mapping[str, Any]) -> dict[str, Any]:
    """Learn one transition with both.

    Returns
    -------
    dict
        edges and program, the edges of bnlab and of the program; own_score and program_score, nats.
    """
    jar = Path(os.environ["LEARN_BCDBN"])
    if cell["data"] == EXAMPLE:
        rows = pd.read_csv(jar.with_name(EXAMPLE), dtype=str).drop(columns="subject_id")
    else:
        truth, seed = cell["data"].split(", ")
        rows = wide_rows(random_network(VARIABLES, truth, int(seed)).sample(UNITS, LENGTH, int(seed)))
    panel = bnlab.load_panel(rows, wide="__")
    with tempfile.TemporaryDirectory() as folder:
        program = run_program(jar, rows, Path(folder), cell["algorithm"], cell["score"]).edges
    edges = sorted(map(list, bnlab.learn_dynamic(panel, cell["algorithm"], score=cell["score"]).transition.edges))
    scores = [
        round(float(bnlab.score([(u, v) for u, v in graph], panel.transitions, cell["score"])), 4)
        for graph in (edges, program)
    ]
    return {"edges": edges, "program": program, "own_score": scores[0], "program_score": scores[1]}


DESIGN = Design(
    evaluate, {"data": (EXAMPLE, *SIMULATED), "algorithm": ("tdbn", "cdbn", "bcdbn"), "score": ("bic", "ll")}
)
STORED = (StoredCells("programs", DESIGN),)
