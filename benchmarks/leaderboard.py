"""Learners of other packages on the leaderboard: ``python -m benchmarks.leaderboard`` runs those installed.

``python -m benchmarks.leaderboard large`` runs them on networks of hundreds of variables, which takes hours.

Cells, measures and files are those of `bnlab.papers.studies.leaderboard`; the records are stored beside its own, and
the board of both is printed. A run that was stopped goes on where it stopped.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from time import process_time
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from tqdm import tqdm

from benchmarks.contenders.base import Contender
from benchmarks.contenders.causallearn import CausalLearn
from benchmarks.contenders.pyagrum import PyAgrum
from benchmarks.contenders.pybnesian import PyBNesian
from benchmarks.contenders.rbnlearn import SCORES, RBnlearn
from benchmarks.contenders.rsession import RSession
from bnlab.data.table import Table
from bnlab.graphs.dag import Dag
from bnlab.papers.base.grid import Cell, Design, StoredCells
from bnlab.papers.base.processes import in_own_process, peak_megabytes
from bnlab.papers.studies.leaderboard import (
    DESIGN,
    REPOSITORY,
    SMALL,
    SOME_LARGE,
    board,
    measured,
    stored_frame,
    table_of_cell,
)
from bnlab.search import iterate

RESULTS = Path("notebooks/results/leaderboard")
RESULTS_LARGE = Path("notebooks/results/large_networks")
NETWORKS = list(SMALL)


class Elsewhere(NamedTuple):
    """Graph that another program has found.

    Attributes
    ----------
    graph : Dag
    seconds : float
        Processor time of that program.
    megabytes : float or None
        Its greatest resident memory.
    """

    graph: Dag
    seconds: float
    megabytes: float | None


Find: TypeAlias = Callable[[Table, Cell], Dag | Elsewhere]


class Peer(NamedTuple):
    """Learner of another package.

    Attributes
    ----------
    package : type of Contender
        Where its package is missing, the learner does not take part.
    find : callable
        From the table and the cell to a graph.
    values : tuple of mapping of str to sequence
        Values of the cells' fields for which it ends in minutes, or for which it has the score.
    memory : mapping of str to sequence
        The same for the cells whose memory is measured.
    """

    package: type[Contender]
    find: Find
    values: tuple[Mapping[str, Sequence[Any]], ...]
    memory: Mapping[str, Sequence[Any]]


def pyagrum_graph(table: Table, cell: Cell) -> Dag:
    """Graph that pyAgrum's hill climbing finds under BIC; its BDeu is not that of the others."""
    import pyagrum

    pyagrum.setNumberOfThreads(1)
    states = pyagrum.BayesNet()  # without it, states that no row shows would not count as parameters
    for variable in table.variables:
        states.add(pyagrum.LabelizedVariable(variable.name, variable.name, list(variable.states)))
    learner = pyagrum.BNLearner(table.to_pandas(), states)
    learner.useNoPrior()
    learner.useScoreBIC()
    learner.useGreedyHillClimbing()
    names = learner.names()
    return Dag(table.names, [(names[i], names[j]) for i, j in learner.learnDAG().arcs()])


def pybnesian_graph(table: Table, cell: Cell) -> Dag:
    """Graph that pybnesian's hill climbing finds."""
    import pybnesian

    frame = table.to_pandas()
    scorer = pybnesian.BIC(frame) if cell["score"] == "bic" else pybnesian.BDe(frame, 1.0)
    empty = pybnesian.DiscreteBN(list(table.names))
    found = pybnesian.GreedyHillClimbing().estimate(pybnesian.ArcOperatorSet(), scorer, empty)
    return Dag(table.names, found.arcs())


def causallearn_graph(table: Table, cell: Cell, search: str) -> Dag:
    """Graph that a search of causal-learn finds: a member of the class that its essential graph stands for."""
    from causallearn.search.PermutationBased.BOSS import boss
    from causallearn.search.ScoreBased.GES import ges
    from causallearn.utils.PDAG2DAG import pdag2dag

    codes = table.to_pandas().apply(lambda column: column.cat.codes).to_numpy().astype(int)
    found = boss(codes, "local_score_BDeu", verbose=False) if search == "boss" else ges(codes, "local_score_BDeu")["G"]
    marks = pdag2dag(found).graph
    return Dag(table.names, [(table.names[i], table.names[j]) for j, i in np.argwhere(marks == 1) if marks[i, j] == -1])


def r_graph(table: Table, cell: Cell, learner: str) -> Elsewhere:
    """Graph that a learner of R bnlearn finds, with R's own time and memory; its start is no part of the time."""
    session = RSession(table)
    answer = session.call(f"t(arcs({learner}(rows, score = {SCORES[cell['score']]})))")
    return Elsewhere(Dag(table.names, session.edges(answer)), answer.seconds, session.peak_megabytes())


BIC: Mapping[str, Sequence[Any]] = {"network": NETWORKS}
BDEU: Mapping[str, Sequence[Any]] = {"network": NETWORKS, "score": ["bdeu"], "sample": [1]}
LARGE: tuple[Mapping[str, Sequence[Any]], ...] = (
    {"network": ["hailfinder"], "sample": [1]},
    {"network": ["alarm x 2", "andes"], "rows": [2000, 10_000], "sample": [1]},
    {"network": ["alarm x 10"], "rows": [2000], "sample": [1], "order": [0]},
    {"network": ["alarm x 16"], "rows": [2000], "sample": [1], "order": [1]},
)
REPOSITORY_CELLS: Mapping[str, Sequence[Any]] = {
    "network": list(REPOSITORY),
    "rows": [5000],
    "sample": [1],
    "order": [0, 1],
}
SLOW: Mapping[str, Sequence[Any]] = {**BDEU, "network": ["asia", "sachs"], "rows": [500, 2000]}
MEMORY: Mapping[str, Sequence[Any]] = {"network": ["child", "alarm"], "rows": [10_000], "sample": [1], "order": [1]}
SLOW_MEMORY: Mapping[str, Sequence[Any]] = {**SLOW, "rows": [2000], "order": [1]}
PEERS = {
    "R bnlearn, hill climbing": Peer(RBnlearn, partial(r_graph, learner="hc"), (BIC, BDEU, *LARGE), MEMORY),
    "R bnlearn, tabu 10": Peer(RBnlearn, partial(r_graph, learner="tabu"), (BIC, BDEU, *LARGE), MEMORY),
    "pyAgrum, hill climbing": Peer(PyAgrum, pyagrum_graph, (BIC,), MEMORY),
    "pybnesian, hill climbing": Peer(PyBNesian, pybnesian_graph, (BIC, BDEU), MEMORY),
    "causal-learn, BOSS": Peer(CausalLearn, partial(causallearn_graph, search="boss"), (SLOW,), SLOW_MEMORY),
    "causal-learn, GES": Peer(CausalLearn, partial(causallearn_graph, search="ges"), (SLOW,), SLOW_MEMORY),
}


def evaluate(cell: Mapping[str, Any]) -> dict[str, Any]:
    """Results of one cell with the learner that it names, as `leaderboard.measured` returns them."""
    table = table_of_cell(cell)
    begin = process_time()
    found = PEERS[cell["learner"]].find(table, cell)
    seconds = process_time() - begin
    if isinstance(found, Elsewhere):
        found, seconds, _ = found
    return measured(cell, table, found, seconds)


def peak_memory(cell: Mapping[str, Any]) -> dict[str, Any]:
    """Greatest resident memory of a process that does a run and nothing else, megabytes; of R that of R alone.

    The other packages are run from Python, so that Python and bnlab, which draws the rows, are part of theirs.
    """
    return in_own_process(_peak_memory, cell)


def _peak_memory(cell: Mapping[str, Any]) -> dict[str, Any]:
    found = PEERS[cell["learner"]].find(table_of_cell(cell), cell)
    return {"megabytes": found.megabytes if isinstance(found, Elsewhere) else peak_megabytes()}


def parts(peers: Mapping[str, Peer]) -> list[tuple[str, StoredCells]]:
    """Cells of each learner."""
    found = []
    for name, peer in peers.items():
        axes = {**DESIGN.axes, "learner": [name]}
        found += [(name, StoredCells("peers", Design(evaluate, axes), values)) for values in peer.values]
        found.append((name, StoredCells("memory", Design(peak_memory, axes), peer.memory)))
    return found


PARTS = parts(PEERS)
PARTS_LARGE = [
    (name, StoredCells("peers", Design(evaluate, {**DESIGN.axes, "learner": [name]}), values))
    for name, values in {
        "pybnesian, hill climbing": REPOSITORY_CELLS,
        "pyAgrum, hill climbing": {**REPOSITORY_CELLS, "network": SOME_LARGE[:3]},
        "R bnlearn, hill climbing": {**REPOSITORY_CELLS, "network": SOME_LARGE[:3], "order": [0]},
    }.items()
]


def main() -> None:
    """Run the learners of the packages that are installed, and print the board."""
    parser = argparse.ArgumentParser(description="Run the learners of other packages on the leaderboard.")
    parser.add_argument("networks", nargs="?", choices=["bundled", "large"], default="bundled")
    if parser.parse_args().networks == "large":
        _run(PARTS_LARGE, RESULTS_LARGE)
    else:
        _run(PARTS, RESULTS)


def _run(listed: Sequence[tuple[str, StoredCells]], folder: Path) -> None:
    for name, part in listed:
        try:
            PEERS[name].package.installed_version()
        except (ImportError, FileNotFoundError) as error:
            print(f"{name}: {error}")
            continue
        grid = part.grid(folder)
        state = grid.init()
        for _ in tqdm(iterate(grid, state), name, total=len(grid.cells), initial=len(state), unit="cell"):
            pass
    frame = stored_frame(folder)
    for score_name in dict.fromkeys(frame.score):
        print(f"\n{score_name}\n{board(frame, score_name).to_string(float_format='{:.4g}'.format)}")


if __name__ == "__main__":
    main()
