"""Make the stored records of the papers' notebooks: ``python -m tools.records carvalho2009`` (or another of `PAPERS`).

Runs on two processes with a progress bar. A stopped run goes on where it stopped; delete the files in
notebooks/results to run everything again.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from pathlib import Path

from tqdm import tqdm

from bnlab.experiments import carvalho2007, carvalho2009, hybrid, matuszak2012, villanueva2012
from bnlab.experiments.grid import Grid
from bnlab.experiments.processes import Processes

RESULTS = Path("notebooks/results")
PROCESSES = 2


def scoring_functions(folder: Path) -> Iterator[Grid]:
    """Grids of Carvalho 2009, Table 2."""
    two = list(carvalho2009.PROTOCOLS.values())
    drawn = [carvalho2009.drawn(protocol) for protocol in two]
    yield carvalho2009.grid(two, range(100), folder / "table2.jsonl")
    yield carvalho2009.grid(drawn, range(100), folder / "table2.jsonl", ["letter", "satimage"])
    yield carvalho2009.grid(carvalho2009.CANDIDATES.values(), range(5), folder / "candidates.jsonl")


def consistent_k_graphs(folder: Path) -> Iterator[Grid]:
    """Grids of Carvalho and Oliveira 2007, Table 1, and of the sweep over k and orders."""
    seeds = range(50)
    whole = [carvalho2007.AS_PRINTED, carvalho2007.HONEST]
    yield carvalho2007.grid(whole, seeds, folder / "table1.jsonl")
    one_choice = [carvalho2007.NO_ID, carvalho2007.HONEST_CUTS]
    yield carvalho2007.grid(one_choice, seeds, folder / "table1.jsonl", ["glass"])
    yield carvalho2007.sweep_grid(folder / "sweep.jsonl")
    models = ["path 1", "path 2", "path 3", "bfs 2", "search 2"]
    yield carvalho2007.sweep_grid(folder / "sweep.jsonl", ["chess", "segment"], models, seeds)


def super_structures(folder: Path) -> Iterator[Grid]:
    """Grids of Villanueva and Maciel 2012: Figure 1, its readings, orders of columns, Figure 2."""
    base, tilings = folder / "base.jsonl", folder / "tilings.jsonl"
    yield villanueva2012.grid(base)
    yield villanueva2012.grid(base, readings=[name for name in villanueva2012.READINGS if name != "as printed"])
    yield villanueva2012.order_grid(folder / "orders.jsonl")
    readings = ["as printed", "order 0 first", "symmetry"]
    yield villanueva2012.grid(tilings, copies=[3, 5], readings=readings)
    yield villanueva2012.grid(tilings, copies=[10], versions=[1], readings=readings)
    one = {"networks": ["Child"], "rows": [5000], "versions": [4], "origin": "MMHC"}
    yield villanueva2012.grid(tilings, copies=[10], readings=readings, **one)


def hybrids(folder: Path) -> Iterator[Grid]:
    """Grids of searches within super-structures."""
    yield from hybrid.all_grids(folder)


def influence_diagrams(folder: Path) -> Iterator[Grid]:
    """Grids of Matuszak and Miekisz 2012: Table 1, readings, orders and limits of K2, sweeps, ablations."""
    yield from matuszak2012.all_grids(folder)


PAPERS: dict[str, Callable[[Path], Iterator[Grid]]] = {
    "carvalho2009": scoring_functions,
    "carvalho2007": consistent_k_graphs,
    "villanueva2012": super_structures,
    "matuszak2012": influence_diagrams,
    "hybrid": hybrids,
}


def main() -> None:
    """Run the grids of one paper."""
    parser = argparse.ArgumentParser(description="Make the stored records of a paper's notebook.")
    parser.add_argument("paper", choices=sorted(PAPERS))
    paper = parser.parse_args().paper
    with Processes(PROCESSES) as pool:
        for grid in PAPERS[paper](RESULTS / paper):
            state = grid.init()
            bar = tqdm(grid.finish(pool, state), total=len(grid.cells), initial=len(state), unit="cell")
            for _, record in bar:
                bar.set_postfix_str(record.get("dataset") or record["network"])


if __name__ == "__main__":
    main()
