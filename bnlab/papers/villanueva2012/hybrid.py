"""Future work of Villanueva and Maciel (2012), measured: score-based search within a super-structure.

Hill climbing, K2, Chen's search and best order score search, unrestricted and within the super-structures of OptHPC,
HPC and MMPC and within the true skeleton: time, score, structural Hamming distance, Sn and Sp. Hill climbing within the
super-structure of MMPC is max-min hill climbing (I. Tsamardinos, L. E. Brown and C. F. Aliferis, 2006, The max-min
hill-climbing Bayesian network structure learning algorithm, Machine Learning 65, 31-78).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from time import process_time
from typing import Any

import pandas as pd

from bnlab.counts.memory import MemorySource
from bnlab.graphs.comparison import compare
from bnlab.graphs.dag import Dag
from bnlab.graphs.pdag import Pdag
from bnlab.graphs.pdag import skeleton as skeleton_of
from bnlab.networks.load import asia
from bnlab.papers.base.all_columns import learn_all_columns
from bnlab.papers.base.grid import Design, StoredCells
from bnlab.papers.base.metrics import in_order_of
from bnlab.papers.base.records import StoredRecords, stored_records
from bnlab.papers.villanueva2012.protocol import NETWORKS, ROWS, VERSIONS, sample
from bnlab.scores import score
from bnlab.skeletons import SuperStructure, skeleton

UNRESTRICTED, TRUTH = "unrestricted", "true skeleton"

RESTRICTIONS = (UNRESTRICTED, "opthpc", "hpc", "mmpc", TRUTH)
"""Restrictions of a search: none, the super-structure of an algorithm, or the true skeleton, which shows the result
with a perfect super-structure."""

SEARCHES = ("hill-climbing", "k2", "chen", "boss")
"""Names of the searches in `bnlab.learn`."""

ORDERS = 10
"""Number of random orders of K2; the best graph is returned."""

SCORES: dict[str, dict[str, Any]] = {"bdeu": {"ess": 10}, "bic": {}}
"""Scores and their parameters; the first is that of max-min hill climbing as published."""


def search_options(search: str, version: int) -> dict[str, Any]:
    """Options of a search on sample `version`, which is also the seed of random numbers.

    Hill climbing ends after 15 moves without a new best, as published. Its tabu list holds 10 pairs of nodes; the
    published one holds 100 graphs.
    """
    options: dict[str, dict[str, Any]] = {
        "hill-climbing": {"tabu": 10, "patience": 15, "ties": "columns"},
        "k2": {"orders": ORDERS, "seed": version},
        "chen": {"seed": version},
        "boss": {"seed": version},
    }
    return options[search]


def evaluate(cell: Mapping[str, Any]) -> dict[str, Any]:
    """Results of one cell.

    Parameters
    ----------
    cell : mapping with network, copies, rows, version, restriction, search and score

    Returns
    -------
    dict
        drawn_from (origin of the rows); variables; of the restriction, pairs, within_sn, within_sp and nsc, its number
        of tests (None without tests); of the learned graph, edges, tp, fp, fn (of skeletons), shd and shd_cpdag;
        learned_score and true_score (of the learned and the true graph), nats; skeleton_seconds and search_seconds
        (processor time on one thread, without compilation).
    """
    known = sample(cell["network"], cell["rows"], cell["version"], cell["copies"])
    _compile(cell["restriction"], cell["search"], cell["score"])
    source = MemorySource(known.table, threads=1)
    start = process_time()
    within = restriction(cell["restriction"], source, known.dag)
    middle = process_time()
    learned = searched(source, within, cell["search"], cell["score"], cell["version"])
    end = process_time()
    found = compare(learned, known.dag)
    params = SCORES[cell["score"]]
    return {
        "drawn_from": known.origin,
        "variables": len(known.dag),
        **_of_restriction(within, known.dag),
        "edges": len(learned.edges),
        "tp": found.tp,
        "fp": found.fp,
        "fn": found.fn,
        "shd": found.shd,
        "shd_cpdag": found.shd_cpdag,
        "learned_score": round(float(score(learned, source, cell["score"], **params)), 4),
        "true_score": round(float(score(known.dag, source, cell["score"], **params)), 4),
        "skeleton_seconds": round(middle - start, 4),
        "search_seconds": round(end - middle, 4),
    }


def restriction(name: str, source: MemorySource, true: Dag) -> SuperStructure | Pdag | None:
    """Restriction of a name in `RESTRICTIONS`."""
    if name == UNRESTRICTED:
        return None
    return skeleton_of(true) if name == TRUTH else skeleton(source, name, variant="paper")


def searched(source: MemorySource, within: SuperStructure | Pdag | None, search: str, score: str, version: int) -> Dag:
    """Graph that a search finds within a restriction."""
    options = {**SCORES[score], **search_options(search, version)}
    return learn_all_columns(source, search, score=score, within=within, **options)


def _of_restriction(within: SuperStructure | Pdag | None, true: Dag) -> dict[str, Any]:
    if within is None:
        return {"pairs": len(true) * (len(true) - 1) // 2, "within_sn": 1.0, "within_sp": None, "nsc": None}
    graph, nsc = (within.to_pdag(), within.nsc) if isinstance(within, SuperStructure) else (within, None)
    found = compare(graph, true)
    return {
        "pairs": len(graph.undirected),
        "within_sn": round(found.sn, 6),
        "within_sp": round(found.sp, 6),
        "nsc": nsc,
    }


@cache
def _compile(name: str, search: str, score: str) -> None:
    """Run once on a small sample, so that timings exclude compilation."""
    net = asia()
    source = MemorySource(net.sample(500, seed=0), threads=1)
    searched(source, restriction(name, source, net.dag), search, score, version=0)


DESIGN = Design(
    evaluate,
    {
        "score": tuple(SCORES)[:1],
        "search": SEARCHES,
        "network": NETWORKS,
        "copies": (1,),
        "rows": ROWS,
        "version": VERSIONS,
        "restriction": RESTRICTIONS,
    },
)
"""Searches within restrictions on the samples of the MMHC study, under BDeu.

Examples
--------
>>> len(DESIGN.cells())
1200
"""

_LARGE: dict[str, Sequence[Any]] = {"network": ["Alarm"], "copies": [5], "rows": [5000]}

STORED = (
    StoredCells("base", DESIGN, {"search": ["hill-climbing", "k2"]}),
    StoredCells("base", DESIGN, {"search": ["hill-climbing"], "score": ["bic"]}),
    StoredCells("base", DESIGN, {"search": ["chen", "boss"], "rows": [5000]}),
    StoredCells("large", DESIGN, {"search": ["hill-climbing", "k2"], **_LARGE}),
)
"""Four networks under BDeu, hill climbing under BIC too, and Alarm times five.

Chen's search and best order score search, which take longest, are run on four networks and 5,000 rows only.
"""

grid = DESIGN.grid


def records_frame(records: StoredRecords) -> pd.DataFrame:
    """Records as a table, one row a cell.

    Parameters
    ----------
    records : path-like or iterable of dict
        A file of records, or the values of a grid's state.

    Returns
    -------
    DataFrame
        The cell and its results (see `evaluate`), sn and sp of the learned graph (Sp = TP / (TP + FP) is usually called
        precision), gap (its score less that of the true graph, nats per row), seconds (super-structure and search).
    """
    frame = pd.DataFrame(stored_records(records))
    frame["sn"] = frame.tp / (frame.tp + frame.fn)
    frame["sp"] = frame.tp / (frame.tp + frame.fp)
    frame["gap"] = (frame.learned_score - frame.true_score) / frame.rows
    frame["seconds"] = frame.skeleton_seconds + frame.search_seconds
    return in_order_of(frame, list(DESIGN.axes), SCORES, SEARCHES, NETWORKS, RESTRICTIONS)
