"""Measured running times, compared with the claims of the two papers of Carvalho.

CkG takes O(n^(k+1)) scores (2007, Theorem 3.2), TAN O(n^2 N) time (2009, Theorem 3.3), and an optimal branching over
all roots O(n^3 log n) (2007, section 2.2). The exponents are least-squares slopes on logarithmic axes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from time import process_time
from typing import Any

import numpy as np
import pandas as pd

from bnlab.counts.memory import MemorySource
from bnlab.data.table import Table
from bnlab.data.variable import Variable
from bnlab.engine.branchings import maximum_arborescence
from bnlab.learners.consistent import CkGSearch
from bnlab.learners.trees import tan
from bnlab.papers.base.grid import Design, StoredCells
from bnlab.papers.base.records import StoredRecords, stored_records
from bnlab.scores import K2, LL, LocalScores
from bnlab.search import run

CKG_ROWS = 200
LEAST_SECONDS = 0.02  # a run is repeated until its total time is at least this
REPEATS = 3


CLAIMS: dict[str, tuple[str, Mapping[str, float]]] = {
    "CkG, k = 1": ("O(n^2)", {"n": 2}),
    "CkG, k = 2": ("O(n^3)", {"n": 3}),
    "CkG, k = 3": ("O(n^4)", {"n": 4}),
    "TAN": ("O(n^2 N)", {"n": 2, "rows": 1}),
    "Edmonds": ("O(n^3 log n)", {"n": 3}),
}
"""For each algorithm, the bound as printed and its exponent of each size, without logarithms."""


def chain_table(n: int, rows: int, seed: int, *, class_states: int = 0) -> Table:
    """Binary variables, each a copy of the previous one in which a tenth of the values are drawn again.

    The optimal branching is then a path, so that all previous variables are ancestors of a variable: the worst case of
    CkG.

    Parameters
    ----------
    n, rows, seed : int
    class_states : int
        If not 0, the last variable is a class with this number of states, drawn uniformly.
    """
    rng = np.random.default_rng([seed, n, rows])
    columns = [rng.integers(0, 2, rows).astype(np.uint8)]
    for _ in range(n - 1):
        columns.append(np.where(rng.random(rows) < 0.1, rng.integers(0, 2, rows).astype(np.uint8), columns[-1]))
    variables = [Variable(f"x{i}", ("0", "1")) for i in range(n)]
    if class_states:
        columns.append(rng.integers(0, class_states, rows).astype(np.uint8))
        variables.append(Variable("class", tuple(map(str, range(class_states)))))
    return Table(variables, columns)


def _ckg(cell: Mapping[str, Any]) -> Callable[[], object]:
    """Step 2 of Algorithm 1 on a path; K2 has no bound that would exclude sets of parents."""
    source = MemorySource(chain_table(cell["n"], CKG_ROWS, cell["seed"]), threads=1)
    tree = ((), *((i,) for i in range(cell["n"] - 1)))
    k = int(cell["algorithm"][-1])
    return lambda: run(CkGSearch(LocalScores(source, K2()), tree, k))


def _tan(cell: Mapping[str, Any]) -> Callable[[], object]:
    n = cell["n"]
    table = chain_table(n, cell["rows"], cell["seed"], class_states=2)
    return lambda: tan(LocalScores(MemorySource(table, threads=1), LL()), n + 1, n)


def _edmonds(cell: Mapping[str, Any]) -> Callable[[], object]:
    weights = np.random.default_rng([cell["seed"], cell["n"]]).random((cell["n"], cell["n"]))
    return lambda: maximum_arborescence(weights)


def evaluate(cell: Mapping[str, Any]) -> dict[str, float]:
    """Processor time of one run in seconds, without compilation: the minimum of `REPEATS` measurements.

    Parameters
    ----------
    cell : mapping with algorithm, n, rows and seed
    """
    make = {"TAN": _tan, "Edmonds": _edmonds}.get(cell["algorithm"], _ckg)
    make({**cell, "n": 4})()
    once = make(cell)
    once()
    return {"seconds": min(_seconds(once) for _ in range(REPEATS))}


def _seconds(once: Callable[[], object]) -> float:
    start, runs, taken = process_time(), 0, 0.0
    while taken < LEAST_SECONDS:
        once()
        runs += 1
        taken = process_time() - start
    return taken / runs


SIZES: dict[str, dict[str, Sequence[int]]] = {
    "CkG, k = 1": {"n": (100, 141, 200, 283, 400, 566, 800), "rows": (CKG_ROWS,)},
    "CkG, k = 2": {"n": (40, 57, 80, 113, 160), "rows": (CKG_ROWS,)},
    "CkG, k = 3": {"n": (20, 28, 40, 57), "rows": (CKG_ROWS,)},
    "TAN": {"n": (16, 32, 64, 128), "rows": (16_000, 64_000, 256_000, 1_024_000)},
    "Edmonds": {"n": (50, 100, 200, 400, 800, 1600), "rows": (0,)},
}
"""Sizes at which each algorithm is timed."""

DESIGN = Design(evaluate, {"algorithm": tuple(SIZES), "n": (50,), "rows": (CKG_ROWS,), "seed": range(3)})
STORED = tuple(StoredCells("times", DESIGN, {"algorithm": [name], **sizes}) for name, sizes in SIZES.items())


def records_frame(records: StoredRecords) -> pd.DataFrame:
    """Records as a table with columns algorithm, n, rows, seed and seconds."""
    return pd.DataFrame(stored_records(records), columns=["algorithm", "n", "rows", "seed", "seconds"])


def exponents(frame: pd.DataFrame) -> pd.DataFrame:
    """Measured and claimed exponents, by least squares of log seconds on the logarithms of the sizes.

    Parameters
    ----------
    frame : DataFrame
        From `records_frame`.

    Returns
    -------
    DataFrame indexed by algorithm and size
        claim (as printed), claimed (its exponent, without logarithms), exponent, low and high (95 % interval, Student's
        t) and within (whether the bound holds: low is at most the claimed exponent).

    Examples
    --------
    >>> sizes = [50, 100, 200, 400]
    >>> times = [1e-6 * n**2 * f for n, f in zip(sizes, [1.0, 1.1, 0.9, 1.0])]
    >>> frame = pd.DataFrame({"algorithm": "Edmonds", "n": sizes, "rows": 0, "seconds": times})
    >>> exponents(frame).exponent.round(2).item()
    1.97
    """
    from scipy.stats import t

    rows = []
    for name, (bound, claimed) in CLAIMS.items():
        own = frame[frame.algorithm == name]
        if own.empty:
            continue
        sizes = list(claimed)
        design = np.column_stack([np.ones(len(own)), *(np.log(own[size]) for size in sizes)])
        target = np.log(own.seconds.to_numpy())
        slopes, *_ = np.linalg.lstsq(design, target)
        freedom = len(own) - design.shape[1]
        variance = ((target - design @ slopes) ** 2).sum() / freedom
        half = t.ppf(0.975, freedom) * np.sqrt(np.diag(np.linalg.inv(design.T @ design)) * variance)
        for size, slope, width in zip(sizes, slopes[1:], half[1:], strict=True):
            ends = {"exponent": slope, "low": slope - width, "high": slope + width}
            row = {"algorithm": name, "size": size, "claim": bound, "claimed": claimed[size], **ends}
            rows.append({**row, "within": bool(slope - width <= claimed[size])})
    columns = ["algorithm", "size", "claim", "claimed", "exponent", "low", "high", "within"]
    return pd.DataFrame(rows, columns=columns).set_index(["algorithm", "size"])
