"""Skeletons of R bnlearn's hpc and mmpc beside those of bnlab: ``python -m benchmarks.skeletons``, which needs R.

Cells, measures and the files are those of `bnlab.papers.studies.skeletons`. A run that was stopped goes on where it
stopped.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tqdm import tqdm

from benchmarks.contenders.rsession import RSession
from bnlab.graphs.pdag import Pdag
from bnlab.papers.base.grid import Design, StoredCells
from bnlab.papers.studies.skeletons import DESIGN, LARGE, R, measured, table_of_cell
from bnlab.search import iterate

RECORDS = Path("notebooks/results/skeletons")


def evaluate(cell: Mapping[str, Any]) -> dict[str, float]:
    """Results of one cell with R, as `bnlab.papers.studies.skeletons.evaluate` returns them."""
    table, (algorithm, test) = table_of_cell(cell), R[cell["learner"]]
    session = RSession(table)
    call = f't(arcs({algorithm}(rows, test = "{test}", undirected = TRUE)))'
    answer = session.call(f"{{reset.test.counter(); found <- {call}; c(test.counter(), found)}}")
    edges = session.edges(answer._replace(values=answer.values[1:]))
    pairs = {tuple(sorted(map(table.names.index, edge))) for edge in edges}
    found = Pdag(table.names, undirected=[(u, v) for u, v in pairs])
    return measured(cell, found, int(answer.values[0]), answer.seconds)


PEERS = Design(evaluate, {**DESIGN.axes, "learner": tuple(R)})
STORED = (StoredCells("skeletons", PEERS), StoredCells("large_networks", PEERS, LARGE))


def main() -> None:
    """Run the cells that have no record."""
    for stored in STORED:
        grid = stored.grid(RECORDS)
        state = grid.init()
        for _ in tqdm(iterate(grid, state), total=len(grid.cells), initial=len(state), unit="cell"):
            pass


if __name__ == "__main__":
    main()
