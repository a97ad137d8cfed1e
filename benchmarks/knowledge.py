"""What background knowledge costs: each learner without and with it, in turns, in CPU seconds.

``python -m benchmarks.knowledge`` prints a line for each learner: CPU time without and with knowledge, their ratio, and
for a search that makes another number of steps then, the steps and the ratio of the times of a step. Names after it
choose some learners. The knowledge holds in the network learned without it: one of its edges is required, and 36 edges
against its order are forbidden.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import partial
from statistics import median
from time import process_time
from typing import Any

import bnlab
from bnlab.learners import make_search
from bnlab.learners.table import LEARNERS
from bnlab.search import iterate
from bnlab.skeletons.skeleton import SKELETONS

ROWS = 5000
OPTIONS: dict[str, dict[str, Any]] = {
    "hill-climbing": {"tabu": 10},
    "ordering-search": {"restarts": 5},
    "boss": {"restarts": 20},
    "chen": {"chains": 2, "rounds": 1, "iterations": 300},
}
EXACT = 12
"""Variables of the exact search."""
SECONDS, LEAST = 4.0, 5
"""CPU seconds that a learner takes turns for, and the least number of turns."""


def knowledge_of(graph: bnlab.Dag, apart: str | None = None) -> bnlab.Knowledge:
    """Knowledge that holds in a graph, none of it of the variable `apart`."""
    order = [graph.names[v] for v in graph.topological_order if graph.names[v] != apart]
    edges = [edge for edge in graph.edges if apart not in edge]
    return bnlab.Knowledge(required=edges[:1], forbidden=list(zip(order[1:], order, strict=False)))


def learners() -> dict[str, Callable[..., Any]]:
    """Learners by name: callables that take `knowledge` or nothing."""
    table = bnlab.load_network("alarm").sample(ROWS, seed=1)
    first, *attributes = table.names
    frame = table.to_pandas()
    few = table.select(table.names[:EXACT])
    return {
        **{
            name: partial(bnlab.learn, few if name == "exact" else table, name, **OPTIONS.get(name, {}))
            for name in LEARNERS
        },
        **{name: partial(bnlab.skeleton, table, name) for name in SKELETONS},
        "TAN": lambda **known: bnlab.TAN(**known).fit(frame[attributes], frame[first]).dag_,
    }


def measured(learn: Callable[..., Any], knowledge: bnlab.Knowledge) -> tuple[float, float]:
    """Median CPU seconds of a learner without and with knowledge."""
    known = {"knowledge": knowledge}
    seconds: tuple[list[float], list[float]] = [], []
    while len(seconds[1]) < LEAST or sum(map(sum, seconds)) < SECONDS:
        for options, spent in zip(({}, known), seconds, strict=True):
            begin = process_time()
            learn(**options)
            spent.append(process_time() - begin)
    return median(seconds[0]), median(seconds[1])


def steps(learn: Callable[..., Any], **options: Any) -> int:
    """Number of steps of a search that `bnlab.learn` makes; 1 for any other learner."""
    if not isinstance(learn, partial) or learn.func is not bnlab.learn:
        return 1
    return sum(1 for _ in iterate(make_search(*learn.args, **learn.keywords, **options)))


def main() -> None:
    """Measure the learners named, or all."""
    every = learners()
    true = bnlab.load_network("alarm").dag
    for name in sys.argv[1:] or every:
        found = every[name]()  # both ways are compiled before anything is timed
        apart = true.names[0] if name == "TAN" else None
        knowledge = knowledge_of(found if isinstance(found, bnlab.Dag) else true, apart)
        every[name](knowledge=knowledge)
        free, known = measured(every[name], knowledge)
        print(f"{name:16} {1000 * free:8.2f} ms {1000 * known:8.2f} ms {known / free:6.2f}", end="")
        few, many = steps(every[name]), steps(every[name], knowledge=knowledge)
        print("" if few == many else f" {few:6} steps {many:6} steps {known / many / (free / few):6.2f}", flush=True)


if __name__ == "__main__":
    main()
