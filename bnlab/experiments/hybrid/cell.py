"""One cell of the grid: a search within a restriction on a sample."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from time import process_time
from typing import Any

from bnlab.counts.memory import MemorySource
from bnlab.experiments.hybrid.protocol import SCORES, TRUTH, UNRESTRICTED, search_options
from bnlab.experiments.villanueva2012.samples import sample
from bnlab.graphs.comparison import compare
from bnlab.graphs.dag import Dag
from bnlab.graphs.pdag import Pdag
from bnlab.graphs.pdag import skeleton as skeleton_of
from bnlab.learners import learn
from bnlab.networks.textbook import asia
from bnlab.scores import score
from bnlab.skeletons import SuperStructure, skeleton


def evaluate(cell: Mapping[str, Any]) -> dict[str, Any]:
    """Results of one cell.

    Parameters
    ----------
    cell : mapping with network, copies, rows, version, restriction, search and score

    Returns
    -------
    dict
        drawn_from (origin of the rows); variables; pairs, within_sn and within_sp of the restriction, and nsc, its
        tests (None without one); edges, tp, fp, fn (of skeletons), shd and shd_cpdag of the graph learned;
        learned_score of it and true_score of the true graph, nats; skeleton_seconds and search_seconds (processor time
        on one thread, when the code is compiled).
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
    return skeleton_of(true) if name == TRUTH else skeleton(source, name)


def searched(source: MemorySource, within: SuperStructure | Pdag | None, search: str, score: str, version: int) -> Dag:
    """Graph that a search finds within a restriction."""
    return learn(source, search, score=score, within=within, **SCORES[score], **search_options(search, version))


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
    """Run once on a small sample, so that no compiling is timed."""
    net = asia()
    source = MemorySource(net.sample(500, seed=0), threads=1)
    searched(source, restriction(name, source, net.dag), search, score, version=0)
