"""Calibration of edge probabilities: how often edges exist that were given a certain probability.

Data are drawn from networks whose graph is known. Each method then gives every ordered pair of variables a probability
of an edge. The probabilities are calibrated if a share p of the pairs with probability p are edges (the reliability
diagram). The Brier score is the mean squared difference between probability and outcome, 1 for an edge and 0 for none
(G. W. Brier, 1950, Verification of forecasts expressed in terms of probability, Monthly Weather Review 78, 1-3).

Posterior probabilities are calibrated by construction if graphs and parameters are drawn from the prior. The networks
here are not. They show how reliable the prior is, and the bootstrap as a substitute for a posterior.
"""

from __future__ import annotations

from collections.abc import Sequence
from time import process_time
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from bnlab._runtime.names import check_known
from bnlab.graphs.confidence import EdgeConfidence
from bnlab.graphs.dag import Dag
from bnlab.learners.posterior.probabilities import edge_probabilities
from bnlab.networks.load import load_network
from bnlab.papers.base.grid import Cell, Design, StoredCells
from bnlab.papers.base.metrics import in_order_of
from bnlab.papers.base.records import StoredRecords, stored_records

METHODS: dict[str, dict[str, Any]] = {
    "exact": {},
    "mcmc": {"draws": 400},
    "bootstrap": {"replicates": 100},
}
"""Methods and their options."""
NETWORKS = ("asia", "sachs", "child", "alarm")
ROWS = (100, 300, 1000, 3000, 10_000)
SEEDS = range(5)
MOST_FOR_GRAPHS = 14
"""Maximum number of variables for which the exact sum is over graphs."""
MAX_PARENTS = 3
BINS, POINTS = 20, 10
"""Numbers of intervals of probability in a record and in a reliability diagram."""
WHAT = ("edges", "pairs")
"""Edges u -> v of the true graph, or pairs of variables that are adjacent in it."""


def evaluate(cell: Cell) -> dict[str, Any]:
    """Evaluate the probabilities of one cell against the true graph.

    Parameters
    ----------
    cell : mapping with network, rows, method, prior and seed

    Returns
    -------
    dict
        For "edges" and "pairs", the result of `counts_by_probability`; r_hat and ess (None except for "mcmc"); seconds
        of processor time, which include compilation in the first cell of a process.
    """
    net = load_network(cell["network"])
    table = net.sample(cell["rows"], seed=cell["seed"])
    start = process_time()
    options = dict(METHODS[cell["method"]])
    if cell["prior"] is not None:
        options["structure_prior"] = cell["prior"]
    found = edge_probabilities(table, cell["method"], max_parents=MAX_PARENTS, seed=cell["seed"], **options)
    seconds = process_time() - start
    outcomes = {what: counts_by_probability(*_outcomes(found, net.dag, what)) for what in WHAT}
    chains = {name: found.diagnostics.get(name) for name in ("r_hat", "ess")}
    return {**outcomes, **chains, "seconds": round(seconds, 2)}


def _outcomes(found: EdgeConfidence, truth: Dag, what: str) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Probabilities, and whether the edge or pair exists; names are in the same order."""
    exists = truth.adjacency()
    if what == "edges":
        chosen = ~np.eye(len(truth), dtype=np.bool_)
        return found.arcs[chosen], exists[chosen]
    above = np.triu_indices(len(truth), 1)
    return found.strength[above], (exists | exists.T)[above]


def counts_by_probability(
    probabilities: NDArray[np.float64], outcomes: NDArray[np.bool_], bins: int = BINS
) -> dict[str, Any]:
    """Count outcomes by their probability.

    Parameters
    ----------
    probabilities : ndarray of float64, shape (m,)
        Between 0 and 1.
    outcomes : ndarray of bool, shape (m,)
    bins : int
        Number of bins, which have equal width.

    Returns
    -------
    dict
        Lists of one number per bin: count, given (sum of the probabilities) and true (number of true outcomes); and
        squares, the sum of (probability - outcome)^2.

    Examples
    --------
    >>> counts_by_probability(np.array([0.0, 0.3, 0.9, 1.0]), np.array([False, True, True, True]), bins=2)
    {'count': [2, 2], 'given': [0.3, 1.9], 'true': [1, 2], 'squares': 0.5}
    """
    place = np.minimum((probabilities * bins).astype(np.int64), bins - 1)
    given = np.bincount(place, weights=probabilities, minlength=bins)
    return {
        "count": np.bincount(place, minlength=bins).tolist(),
        "given": given.round(6).tolist(),
        "true": np.bincount(place[outcomes], minlength=bins).tolist(),
        "squares": round(float(((probabilities - outcomes) ** 2).sum()), 6),
    }


def _complete(cell: Cell) -> Cell | None:
    """Add the prior to a cell; None if an exact sum is not possible."""
    if cell["method"] == "bootstrap":
        return {**cell, "prior": None}
    if cell["method"] == "exact" and cell["network"] == "alarm":
        return None
    is_small = len(load_network(cell["network"]).dag) <= MOST_FOR_GRAPHS
    return {**cell, "prior": "graphs" if is_small or cell["method"] == "mcmc" else "orders"}


DESIGN = Design(
    evaluate,
    {"network": NETWORKS, "rows": ROWS, "method": tuple(METHODS), "prior": ("graphs",), "seed": SEEDS},
    _complete,
)
"""All methods on all networks, under BDeu with an equivalent sample size of 1 and at most 3 parents.

The exact sum for Child, with 20 variables, is over orders; the others are over graphs. ALARM has no exact sum.

Examples
--------
>>> len(DESIGN.cells())
275
"""

STORED = (StoredCells("calibration", DESIGN),)
grid = DESIGN.grid


def records_frame(records: StoredRecords, what: str = "edges") -> pd.DataFrame:
    """Brier score of each cell.

    Parameters
    ----------
    records : path-like or iterable of dict
        A file of records, or the values of a grid's state.
    what : {"edges", "pairs"}

    Returns
    -------
    DataFrame
        The cell, r_hat, ess and seconds; brier; reference, the Brier score if every pair gets the share of edges as its
        probability; skill, 1 - brier / reference, which is 1 for perfect probabilities and 0 for the reference.

    Raises
    ------
    ValueError
        If `what` is unknown.
    """
    check_known(what, WHAT, f"what={what!r}")
    rows = []
    for record in stored_records(records):
        found = record[what]
        number, share = sum(found["count"]), sum(found["true"]) / sum(found["count"])
        brier, reference = found["squares"] / number, share * (1 - share)
        own = {name: record[name] for name in (*DESIGN.axes, "r_hat", "ess", "seconds")}
        rows.append({**own, "brier": brier, "reference": reference, "skill": 1 - brier / reference})
    return in_order_of(pd.DataFrame(rows), list(DESIGN.axes), NETWORKS, METHODS)


def reliability(
    records: StoredRecords,
    what: str = "edges",
    *,
    by: Sequence[str] = ("method",),
) -> pd.DataFrame:
    """Reliability diagram: how often edges exist that were given about the same probability.

    Parameters
    ----------
    records : path-like or iterable of dict
        As for `records_frame`.
    what : {"edges", "pairs"}
    by : sequence of str
        Fields of a cell; records of cells with the same values are added up.

    Returns
    -------
    DataFrame
        One row per bin that is not empty. Columns are those of `by`, count, given (mean probability), observed (share
        that is true), and the 95 % interval of observed, low and high (Wilson 1927, for independent pairs; those of one
        sample are dependent, so the interval is somewhat too short).

    Raises
    ------
    ValueError
        If `what` is unknown.
    """
    check_known(what, WHAT, f"what={what!r}")
    sums: dict[tuple[Any, ...], NDArray[np.float64]] = {}
    for record in stored_records(records):
        key = tuple(record[name] for name in by)
        own = np.array([record[what][column] for column in ("count", "given", "true")], dtype=np.float64)
        sums[key] = sums.get(key, 0.0) + own.reshape(3, POINTS, -1).sum(axis=2)
    rows: list[dict[str, Any]] = []
    for key, columns in sums.items():
        for count, given, true in columns.T[columns[0] > 0].tolist():
            low, high = wilson_interval(true, count)
            point = {"count": int(count), "given": given / count, "observed": true / count, "low": low, "high": high}
            rows.append({**dict(zip(by, key, strict=True)), **point})
    points = pd.DataFrame(rows, columns=[*by, "count", "given", "observed", "low", "high"])
    return in_order_of(points, by, NETWORKS, METHODS)


def wilson_interval(true: float, count: float) -> tuple[float, float]:
    """95 % interval of a probability if `true` of `count` independent trials were true (E. B. Wilson, 1927).

    Examples
    --------
    >>> [round(end, 3) for end in wilson_interval(5, 10)]
    [0.237, 0.763]
    """
    z = 1.959964
    middle = (true + z**2 / 2) / (count + z**2)
    half = z / (count + z**2) * np.sqrt(true * (count - true) / count + z**2 / 4)
    return max(float(middle - half), 0.0), min(float(middle + half), 1.0)
