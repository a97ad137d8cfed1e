"""What background knowledge costs: each learner without and with it, in turns, in CPU seconds.

``python -m benchmarks.knowledge`` prints a line for each learner: medians of CPU time without and with knowledge and of
the ratio of two such runs; for a search that makes another number of steps then, the mean numbers of steps and the
median of the ratio of the times of a step. Names after it choose some learners. The knowledge holds in the network
learned without it: one of its edges is required, and 36 edges against its order are forbidden.

Knowledge leads a search another way, which is longer for some random numbers and shorter for others: each pair of runs
has a seed of its own. Which of the two comes first alternates.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import partial
from time import process_time
from typing import Any

import numpy as np
from numpy.typing import NDArray

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
SECONDS, LEAST = 4.0, 30
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


def seeds_of(name: str, turn: int) -> dict[str, int]:
    """Seed of a turn, for a learner that takes one."""
    takes = name in LEARNERS and any(option.name == "seed" for option in LEARNERS[name].options)
    return {"seed": turn} if takes else {}


def measured(name: str, learn: Callable[..., Any], knowledge: bnlab.Knowledge) -> NDArray[np.float64]:
    """CPU seconds of the runs of a learner without and with knowledge, shape (turns, 2)."""
    ways: list[dict[str, Any]] = [{}, {"knowledge": knowledge}]
    seconds: list[list[float]] = []
    while len(seconds) < LEAST or sum(map(sum, seconds)) < SECONDS:
        turn, spent = len(seconds), [0.0, 0.0]
        for way in (0, 1) if turn % 2 else (1, 0):
            options = {**ways[way], **seeds_of(name, turn)}
            begin = process_time()
            learn(**options)
            spent[way] = process_time() - begin
        seconds.append(spent)
    return np.array(seconds)


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
        seconds = measured(name, every[name], knowledge)
        free, known = 1000 * np.median(seconds, axis=0)
        ratio = np.median(seconds[:, 1] / seconds[:, 0])
        print(f"{name:16} {free:8.2f} ms {known:8.2f} ms {ratio:6.2f} {len(seconds):5} pairs", end="")
        seeds = [seeds_of(name, turn) for turn in range(len(seconds) if seeds_of(name, 0) else 1)]
        made = np.array(
            [[steps(every[name], **seed, **more) for more in ({}, {"knowledge": knowledge})] for seed in seeds]
        )
        few, many = made.mean(axis=0)
        a_step = np.median(seconds[:, 1] / seconds[:, 0] / (made[:, 1] / made[:, 0]))
        print("" if few == many else f" {few:6.1f} steps {many:6.1f} steps {a_step:6.2f}", flush=True)


if __name__ == "__main__":
    main()
