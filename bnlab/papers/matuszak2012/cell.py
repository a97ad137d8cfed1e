"""Evaluation of a cell: a run on rows sampled from a network, which may be random and of the size of Figure 2(a)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from functools import lru_cache
from time import process_time
from typing import Any

import numpy as np

from bnlab.counts.memory import MemorySource
from bnlab.data.mmhc import mmhc_graph, mmhc_sample
from bnlab.data.table import Table, concat
from bnlab.data.variable import Variable
from bnlab.graphs import Dag, compare
from bnlab.learners import ChenSearch
from bnlab.networks import BayesianNetwork, fit, load_network
from bnlab.papers.matuszak2012.readings import CURVED, ROWS, RUNS
from bnlab.scores import LocalScores, make_score
from bnlab.search import Trace, iterate

CURVE_POINTS = 60
OTHER_ALARM, RANDOM = "alarm, MMHC", "random"

NODES, EDGES = 7, 7
"""Size of the network of Figure 2(a), whose edges and parameters are not reported."""
ARITIES = (2, 3, 4)


def evaluate(cell: Mapping[str, Any]) -> dict[str, Any]:
    """Results of one cell, on its own sample of rows and with empty caches.

    Parameters
    ----------
    cell : mapping with network (see `network_called`), run (a name of `RUNS`) and seed (of rows and search)

    Returns
    -------
    dict
        As `learned` returns it.
    """
    _warm()
    network, seed = cell["network"], cell["seed"]
    result = learned(sampled(network, seed), network_called(network, seed).dag, cell["run"], seed)
    if network == RANDOM:
        result.pop("curve", None)
    return result


def learned(table: Table, true: Dag, run: str, seed: int) -> dict[str, Any]:
    """Run a search to its end and record its results; all scores are K2, in nats.

    Returns
    -------
    dict
        score (of the result), best (of the best network seen), stopped and stopped_best (of the current and the best
        network after Q iterations, if the search has a Q), true and empty (scores of the true network and of the
        network without edges), edges, shd (between the essential graphs of the result and the true network),
        iterations, families (number scored), seconds (of one processor core, including counting), events (numbers by
        kind), and curve for the runs of `CURVED` (see `thinned`).
    """
    begin = process_time()
    phi = LocalScores(MemorySource(table, threads=1), make_score("k2"))
    search = RUNS[run](phi, true, seed)
    trace = Trace()
    for state, progress in iterate(search):  # noqa: B007
        now = process_time()
        trace.add(progress, now - begin)
        begin = now
    parents, families = search.result(state), phi.misses
    return {
        "score": round(phi.total(parents), 4),
        "best": round(float(trace.best[-1]), 4),
        **_stopped(trace, search),
        "true": round(phi.total(true.parents), 4),
        "empty": round(phi.total([()] * phi.n), 4),
        "edges": sum(map(len, parents)),
        "shd": compare(Dag(true.names, parents), true).shd_cpdag,
        "iterations": len(trace.scores),
        "families": families,
        "seconds": round(trace.seconds[-1], 3),
        "events": dict(Counter(event.kind for event in trace.events)),
        **({"curve": thinned(trace)} if run in CURVED else {}),
    }


def thinned(trace: Trace, points: int = CURVE_POINTS) -> dict[str, list[float]]:
    """Curve at evenly spaced iterations.

    Returns
    -------
    dict of lists
        iteration, score, best score so far, and seconds, which are interpolated within a step.
    """
    scores = trace.scores
    at = np.unique(np.linspace(1, len(scores), min(points, len(scores))).round().astype(int))
    steps = np.array(trace.iterations)
    done = np.searchsorted(steps, at, side="right") - 1
    known = np.where(done >= 0, np.array(trace.best)[np.maximum(done, 0)], -np.inf)
    best = np.maximum(np.maximum.accumulate(scores)[at - 1], known)
    return {
        "iteration": at.tolist(),
        "score": scores[at - 1].round(1).tolist(),
        "best": best.round(1).tolist(),
        "seconds": np.interp(at, [0, *steps], [0.0, *trace.seconds]).round(4).tolist(),
    }


@lru_cache(maxsize=4)
def sampled(network: str, seed: int) -> Table:
    """100,000 rows of a network."""
    return network_called(network, seed).sample(ROWS, seed=seed)


@lru_cache
def network_called(name: str, seed: int = 0) -> BayesianNetwork:
    """Network by its name in the catalogue, "alarm, MMHC", or "random", which depends on the seed.

    The samples of the MMHC study (Tsamardinos et al. 2006) come from the graph of ALARM, but not with the parameters of
    the bnlearn repository; this function estimates them from the study's ten samples of 5,000 rows.
    """
    if name == RANDOM:
        return random_network(seed)
    if name != OTHER_ALARM:
        return load_network(name)
    rows = concat([mmhc_sample("Alarm1", 5000, version) for version in range(1, 11)])
    parents = [np.flatnonzero(column).tolist() for column in mmhc_graph("Alarm1").T]
    return fit(Dag(rows.names, parents), rows)


def _stopped(trace: Trace, search: Any) -> dict[str, float]:
    """Scores of the current and of the best network after Q iterations."""
    if not isinstance(search, ChenSearch):
        return {}
    scores = trace.scores[: search.Q]
    step = int(np.searchsorted(trace.iterations, search.Q, side="right")) - 1
    best = max(scores.max(), trace.best[step] if step >= 0 else -np.inf)
    return {"stopped": round(float(scores[-1]), 4), "stopped_best": round(float(best), 4)}


@lru_cache(maxsize=1)
def _warm() -> None:
    """Load compiled code, so that the seconds of a cell exclude it."""
    table = load_network("cancer").sample(500, seed=0)
    true = load_network("cancer").dag
    for run in ("faithful", "hill climbing"):
        learned(table, true, run, 0)


def random_network(seed: int) -> BayesianNetwork:
    """Connected network of the size of Figure 2(a): random edges, two to four states per node, Dirichlet parameters."""
    # The random orders of K2 use the seed alone; here they would coincide with the order of the edges.
    draw = np.random.default_rng([seed, ROWS])
    names = [f"X{i + 1}" for i in range(NODES)]
    place = draw.permutation(NODES)
    joined = [(int(draw.integers(v)), v) for v in range(1, NODES)]
    others = [(u, v) for v in range(NODES) for u in range(v) if (u, v) not in joined]
    more = draw.choice(len(others), EDGES - len(joined), replace=False)
    edges = [*joined, *(others[k] for k in more)]
    dag = Dag.from_edges(names, [(names[place[u]], names[place[v]]) for u, v in edges])
    arities = draw.choice(ARITIES, NODES)
    variables = [Variable(name, tuple(range(r))) for name, r in zip(names, arities, strict=True)]
    tables = [
        draw.dirichlet(np.ones(arities[i]), tuple(arities[list(parents)])) for i, parents in enumerate(dag.parents)
    ]
    return BayesianNetwork(dag, variables, tables)
