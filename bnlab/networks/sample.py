"""Rows drawn from a Bayesian network: forward (logic) sampling, parents before children (Henrion 1988).

numpy's `SeedSequence` derives a key for each node from the seed; `bnlab.engine.sample` draws the states.
"""

from __future__ import annotations

from functools import partial
from math import prod

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bnlab._runtime.budget import check_memory
from bnlab._runtime.interrupts import reraise_interrupts
from bnlab._runtime.threads import available_cores, run_parallel
from bnlab._runtime.values import at_least
from bnlab.data.table import Table
from bnlab.engine import sample as kernel
from bnlab.networks.types import Network

_TASK_CELLS = 1 << 21  # values that a thread draws in one task; some milliseconds, so that Ctrl-C acts soon


@reraise_interrupts()
def sample(net: Network, n: int, seed: int) -> Table:
    """Draw rows independently from the joint distribution.

    Each state has its probability within 2**-53, and a state of probability 0 is never drawn.

    Parameters
    ----------
    net : BayesianNetwork
    n : int
        Number of rows, at least 1.
    seed : int
        Not negative.

    Returns
    -------
    Table
        The network's variables in its order. The first m rows are those of ``sample(net, m, seed)``.

    Raises
    ------
    ValueError
        If n < 1 or seed < 0, or the rows would need more memory than one operation may have.
    TypeError
        If `n` or `seed` is not an integer.

    Examples
    --------
    >>> from bnlab.networks import asia
    >>> sample(asia(), 1000, seed=1).n_rows
    1000
    """
    n, seed = at_least("n", n, 1), at_least("seed", seed, 0)
    dtype = np.min_scalar_type(max(net.arities) - 1)
    copies = 1 if dtype == np.uint8 else 2
    check_memory(
        copies * n * len(net) * dtype.itemsize,
        f"a sample of {n:.3g} rows of {len(net)} variables",
        "draw fewer rows, or several samples with a seed each, and add their counts",
    )
    plan = _plan(net)
    keys = np.random.SeedSequence(seed).generate_state(len(net), np.uint64)
    columns = np.empty((len(net), n), dtype=dtype)
    most = max(prod(cpt.shape[:-1]) for cpt in net.cpts)
    integer = np.dtype(np.uint16 if most <= 1 << 16 else np.uint32)
    step = max(_TASK_CELLS // len(net) // kernel.BLOCK_ROWS, 1) * kernel.BLOCK_ROWS
    tasks = [
        partial(kernel.draw, columns, begin, min(begin + step, n), keys, plan, integer) for begin in range(0, n, step)
    ]
    run_parallel(tasks, available_cores())
    if columns.dtype == np.uint8:
        return Table.of_blocks(net.variables, [(np.arange(len(net)), columns)])
    return Table(net.variables, list(columns))


def _plan(net: Network) -> kernel.Plan:
    arities = np.array(net.arities, dtype=np.int64)
    configurations = np.array([cpt.size for cpt in net.cpts], dtype=np.int64) // arities
    first_threshold = _offsets(configurations * (arities - 1))
    thresholds = np.empty(first_threshold[-1], dtype=np.int64)
    kernel.write_thresholds(np.concatenate([cpt.ravel() for cpt in net.cpts]), configurations, arities, thresholds)
    limits = np.zeros(len(thresholds) + kernel.SELECTED, dtype=np.uint16)
    limits[: len(thresholds)] = np.minimum(thresholds >> 53 - kernel.BITS, (1 << kernel.BITS) - 1)
    return kernel.Plan(
        np.array(net.dag.topological_order, dtype=np.int64),
        np.array([p for parents in net.dag.parents for p in parents], dtype=np.int64),
        np.array([prod(cpt.shape[p + 1 : -1]) for cpt in net.cpts for p in range(cpt.ndim - 1)], dtype=np.int64),
        _offsets([len(parents) for parents in net.dag.parents]),
        thresholds,
        limits,
        first_threshold,
        configurations,
    )


def _offsets(sizes: ArrayLike) -> NDArray[np.int64]:
    return np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
