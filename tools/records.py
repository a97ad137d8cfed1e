"""Make the stored records of the notebooks: ``python -m tools.records carvalho2009`` (or another of `PAPERS`).

Runs on two processes with a progress bar. A stopped run goes on where it stopped; delete the files in
notebooks/results to run everything again.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

from tqdm import tqdm

from bnlab.papers import sousa2018
from bnlab.papers.base.grid import StoredCells
from bnlab.papers.base.processes import Processes
from bnlab.papers.experiments import PAPERS as EXPERIMENTS
from bnlab.papers.experiments import experiment_of
from bnlab.papers.studies import calibration, complexity, leaderboard, missing_values, skeletons
from bnlab.papers.villanueva2012 import hybrid
from tools import ckg_scores, dbn_programs

RESULTS = Path("notebooks/results")
PROCESSES = 2
NAMED = ("dataset", "network", "algorithm", "learner")
"""Fields of which the first that a record has is shown beside the progress."""


PAPERS: dict[str, Sequence[StoredCells]] = {
    **{paper: experiment_of(paper).stored for paper in EXPERIMENTS},
    "hybrid": hybrid.STORED,
    "complexity": complexity.STORED,
    "leaderboard": leaderboard.STORED,
    "large_networks": leaderboard.STORED_LARGE,
    "skeletons": skeletons.STORED,
    "ckg_scores": ckg_scores.STORED,
    "edge_confidence": calibration.STORED,
    "missing_values": missing_values.STORED,
    "sousa2018": sousa2018.STORED,
    "dbn_programs": dbn_programs.STORED,
}


def main() -> None:
    """Run the grids of one paper."""
    parser = argparse.ArgumentParser(description="Make the stored records of a paper's notebook.")
    parser.add_argument("paper", choices=sorted(PAPERS))
    paper = parser.parse_args().paper
    with Processes(PROCESSES) as pool:
        for part in PAPERS[paper]:
            grid = part.grid(RESULTS / paper)
            state = grid.init()
            bar = tqdm(grid.finish(pool, state), total=len(grid.cells), initial=len(state), unit="cell")
            for _, record in bar:
                bar.set_postfix_str(next(str(record[name]) for name in NAMED if record.get(name)))


if __name__ == "__main__":
    main()
