"""Running times of learners by rows, variables, states and parents, where one size varies at a time."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import inf
from time import process_time
from typing import Any

import numpy as np
import pandas as pd

from bnlab.data.table import Table
from bnlab.data.variable import Variable
from bnlab.experiments.grid import Design, StoredCells
from bnlab.experiments.records import StoredRecords, stored_records
from bnlab.graphs.dag import Dag
from bnlab.learners.learn import learn
from bnlab.networks.network import BayesianNetwork
from bnlab.skeletons.skeleton import skeleton

SIZES: dict[str, tuple[int, ...]] = {
    "rows": (500, 2_000, 8_000, 32_000, 128_000),
    "variables": (10, 20, 40, 80, 160),
    "states": (2, 3, 6, 12, 24),
    "parents": (1, 2, 3, 4),
}
"""Values of each size; `parents` is the maximum number of parents per variable."""
MIDDLE = {"rows": 8_000, "variables": 20, "states": 3, "parents": 2}
"""Value of each size if another size varies."""
REPEATS = 2

Run = Callable[[Table, int], object]

LEARNERS: dict[str, Run] = {
    "Chow-Liu": lambda table, k: learn(table, "chow-liu"),
    "optimal tree": lambda table, k: learn(table, "branching"),
    "consistent k-graph": lambda table, k: learn(table, "ckg", k=k),
    "hill climbing": lambda table, k: learn(table, "hill-climbing", max_parents=k),
    "BOSS, no restart": lambda table, k: learn(table, "boss", restarts=0, max_parents=k),
    "ordering search": lambda table, k: learn(table, "ordering-search", restarts=10, k=k),
    "exact": lambda table, k: learn(table, "exact", max_parents=k),
    "OptHPC": lambda table, k: skeleton(table, "opthpc"),
    "MMPC": lambda table, k: skeleton(table, "mmpc"),
}
"""Learners by name, as functions of a table and the maximum number of parents."""
BOUNDED = {"consistent k-graph", "hill climbing", "BOSS, no restart", "ordering search", "exact"}
"""Learners with a maximum number of parents per variable."""
MOST = {"exact": {"variables": 20, "parents": 3}}
"""Maximum sizes of a learner that takes minutes beyond them."""


def random_network(nodes: int, arity: int, max_parents: int, seed: int = 11) -> BayesianNetwork:
    """Network with random tables, in which each node has up to `max_parents` random parents among earlier nodes."""
    rng = np.random.default_rng(seed)
    parents = [
        sorted(rng.choice(i, size=min(i, int(rng.integers(max_parents + 1))), replace=False).tolist())
        for i in range(nodes)
    ]
    variables = [Variable(f"v{i}", tuple(map(str, range(arity)))) for i in range(nodes)]
    cpts = [rng.dirichlet(np.full(arity, 0.5), size=(arity,) * len(p)) for p in parents]
    return BayesianNetwork(Dag([v.name for v in variables], parents), variables, cpts)


def evaluate(cell: Mapping[str, Any]) -> dict[str, float]:
    """Processor time of one run in seconds, without cached counts or compilation: the minimum of `REPEATS` runs.

    Parameters
    ----------
    cell : mapping with learner, rows, variables, states, parents and seed
    """
    run, k = LEARNERS[cell["learner"]], cell["parents"]
    drawn = random_network(cell["variables"], cell["states"], 2, cell["seed"]).sample(cell["rows"], seed=cell["seed"])
    run(drawn.select(drawn.names[:6]).take(range(200)), k)
    least = inf
    for _ in range(REPEATS):
        table = drawn.take(range(cell["rows"]))
        begun = process_time()
        run(table, k)
        least = min(least, process_time() - begun)
    return {"seconds": least}


DESIGN = Design(
    evaluate, {"learner": tuple(LEARNERS), **{name: (value,) for name, value in MIDDLE.items()}, "seed": (1, 2)}
)


def _stored(learner: str, size: str) -> StoredCells:
    most = MOST.get(learner, {}).get(size, inf)
    return StoredCells("times", DESIGN, {"learner": [learner], size: [value for value in SIZES[size] if value <= most]})


STORED = tuple(
    _stored(learner, size) for size in SIZES for learner in LEARNERS if size != "parents" or learner in BOUNDED
)


def records_frame(records: StoredRecords) -> pd.DataFrame:
    """Records as a table with columns learner, rows, variables, states, parents, seed and seconds."""
    return pd.DataFrame(stored_records(records), columns=["learner", *SIZES, "seed", "seconds"])
