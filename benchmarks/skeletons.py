"""Skeletons of R bnlearn's HPC beside those of bnlab: ``python -m benchmarks.skeletons`` runs R where it is installed.

Cells, measures and the file are those of `bnlab.papers.studies.skeletons`. A run that was stopped goes on where it
stopped.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tqdm import tqdm

from benchmarks.contenders.rsession import RSession
from bnlab.graphs.pdag import Pdag
from bnlab.papers.base.grid import Design
from bnlab.papers.studies.skeletons import DESIGN, R, measured, table_of_cell
from bnlab.search import iterate

RECORDS = Path("notebooks/results/skeletons/skeletons.jsonl")
TESTS = dict(zip(R, ("mi", "mi-adf"), strict=True))
"""Test of each learner of R."""


def evaluate(cell: Mapping[str, Any]) -> dict[str, float]:
    """Results of one cell with R's HPC, as `bnlab.papers.studies.skeletons.measured` returns them."""
    table = table_of_cell(cell)
    session = RSession(table)
    answer = session.call(f't(arcs(hpc(rows, test = "{TESTS[cell["learner"]]}", undirected = TRUE)))')
    pairs = {tuple(sorted(map(table.names.index, edge))) for edge in session.edges(answer)}
    return measured(cell, Pdag(table.names, undirected=[(u, v) for u, v in pairs]))


PEERS = Design(evaluate, {**DESIGN.axes, "learner": R})


def main() -> None:
    """Run the cells that have no record."""
    grid = PEERS.grid(RECORDS)
    state = grid.init()
    for _ in tqdm(iterate(grid, state), total=len(grid.cells), initial=len(state), unit="cell"):
        pass


if __name__ == "__main__":
    main()
