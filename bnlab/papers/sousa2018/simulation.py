"""Panels drawn from random networks over time, and the edges that learners find in them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from bnlab._runtime.names import known_name
from bnlab.data.variable import Variable
from bnlab.dynamic import DynamicNetwork, learn_dynamic
from bnlab.dynamic.names import at, sliced
from bnlab.graphs.dag import Dag
from bnlab.networks.network import BayesianNetwork
from bnlab.papers.base.grid import Cell, Design, StoredCells
from bnlab.papers.base.metrics import in_order_of
from bnlab.papers.base.records import StoredRecords, stored_records
from bnlab.scores import score

LEARNERS = ("tdbn", "cdbn", "bcdbn", "boss")
TRUTHS = {"tree": 1, "two parents": 2}
"""Greatest number of parents within a slice of each kind of network."""
UNITS = (50, 100, 200, 500, 1000, 2000)
SEEDS = range(10)
LENGTH = 6
"""Number of times of a unit."""
STATES = 3


def random_network(n: int, truth: str, seed: int) -> DynamicNetwork:
    """Network over time with random edges and probabilities.

    Within a slice the variables have an order, and each has as many parents before it as `truth` allows. From the past
    each has one parent. Probabilities are drawn from the uniform distribution on the simplex.

    Parameters
    ----------
    n : int
        Number of variables.
    truth : {"tree", "two parents"}
    seed : int

    Raises
    ------
    ValueError
        If `truth` is unknown.

    Examples
    --------
    >>> random_network(3, "tree", 1).structure.transition.edges
    (('x2[t-1]', 'x0[t]'), ('x2[t-1]', 'x1[t]'), ('x2[t-1]', 'x2[t]'), ('x0[t]', 'x1[t]'), ('x2[t]', 'x0[t]'))
    """
    most = TRUTHS[known_name(truth, tuple(TRUTHS), "truth")]
    rng = np.random.default_rng([seed, n, most])
    names = [f"x{i}" for i in range(n)]
    order = rng.permutation(n).tolist()
    within = [(u, v) for k, v in enumerate(order) for u in rng.permutation(order[:k])[:most].tolist()]
    past = [(int(rng.integers(n)), v) for v in range(n)]

    def network(labels: tuple[str, ...], edges: list[tuple[str, str]]) -> BayesianNetwork:
        dag = Dag.from_edges(labels, edges)
        tables = [rng.dirichlet(np.ones(STATES), size=(STATES,) * len(parents)) for parents in dag.parents]
        return BayesianNetwork(dag, [Variable(name, tuple("abc")) for name in labels], tables)

    def inner(when: int | str) -> list[tuple[str, str]]:
        return [(at(names[u], when), at(names[v], when)) for u, v in within]

    prior = network(sliced((), names, [0]), inner(0))
    crossing = [(at(names[u], "t-1"), at(names[v], "t")) for u, v in past]
    return DynamicNetwork(prior, (network(sliced((), names, ["t-1", "t"]), inner("t") + crossing),))


def evaluate(cell: Cell) -> dict[str, Any]:
    """Learn from a panel of a known network, under BIC, with p = 1 and k = 2.

    Parameters
    ----------
    cell : mapping with truth, n, units, seed and learner

    Returns
    -------
    dict
        true and found, the numbers of edges of the two transitions; both, the edges that they share; pairs, the pairs
        that both join whatever the direction; and score, the score of the transition that was learned, nats.
    """
    net = random_network(cell["n"], cell["truth"], cell["seed"])
    panel = net.sample(cell["units"], LENGTH, cell["seed"])
    learned = learn_dynamic(panel, cell["learner"], score="bic").transition
    right, found = set(net.structure.transition.edges), set(learned.edges)
    return {
        "true": len(right),
        "found": len(found),
        "both": len(right & found),
        "pairs": len(set(map(frozenset, right)) & set(map(frozenset, found))),
        "score": round(float(score(learned, panel.transitions, "bic")), 4),
    }


DESIGN = Design(evaluate, {"truth": tuple(TRUTHS), "n": (10,), "units": UNITS, "seed": SEEDS, "learner": LEARNERS})
"""All learners on ten networks of each kind.

Examples
--------
>>> len(DESIGN.cells())
480
"""

STORED = (StoredCells("simulated", DESIGN),)
grid = DESIGN.grid


def records_frame(records: StoredRecords) -> pd.DataFrame:
    """Precision, recall and F1 of each cell.

    Parameters
    ----------
    records : path-like or iterable of dict
        A file of records, or the values of a grid's state.

    Returns
    -------
    DataFrame
        The records; precision, recall and f1 of the edges, directed as both papers count them; and f1_pairs, which
        ignores directions.
    """
    frame = pd.DataFrame(stored_records(records))
    frame["precision"] = frame.both / frame.found.clip(lower=1)
    frame["recall"] = frame.both / frame.true
    frame["f1"] = 2 * frame.both / (frame.found + frame.true)
    frame["f1_pairs"] = 2 * frame.pairs / (frame.found + frame.true)
    return in_order_of(frame, list(DESIGN.axes), TRUTHS, LEARNERS)


def programs_frame(records: StoredRecords) -> pd.DataFrame:
    """Networks of the authors' program beside those of this library.

    Parameters
    ----------
    records : path-like or iterable of dict

    Returns
    -------
    DataFrame
        data, algorithm, score; same, whether the edges are equal; and gain, the score of this library's network less
        that of the program's, nats.
    """
    frame = pd.DataFrame(stored_records(records))
    frame["same"] = frame.edges == frame.program
    frame["gain"] = frame.own_score - frame.program_score
    return frame
