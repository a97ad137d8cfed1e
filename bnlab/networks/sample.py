"""Rows drawn from a Bayesian network: forward (logic) sampling, parents before children (Henrion 1988).

The random numbers are SplitMix64 (Steele, Lea and Flood 2014) used as a counter: number t of node i is a hash of
(key_i + t * golden ratio), and numpy's `SeedSequence` derives the keys from the seed. Only integer arithmetic decides
the states, so that a seed gives the same rows on every machine and for every block size.
"""

from __future__ import annotations

from functools import partial
from math import prod
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bnlab._runtime.budget import check_memory
from bnlab._runtime.interrupts import reraise_interrupts
from bnlab._runtime.jit import inner, njit
from bnlab._runtime.threads import available_cores, run_parallel
from bnlab._runtime.values import at_least
from bnlab.data.table import Table
from bnlab.networks.types import Network

_BLOCK_ROWS = 2048
_TASK_CELLS = 1 << 21  # values that a thread draws in one task; some milliseconds, so that Ctrl-C acts soon
_BITS = 16  # first bits of a random number and of a threshold, which decide most comparisons
_SELECTED = 8  # up to so many parent configurations, limits are selected from registers; otherwise they are read
_GOLDEN = 0x9E3779B97F4A7C15


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
    step = max(_TASK_CELLS // len(net) // _BLOCK_ROWS, 1) * _BLOCK_ROWS
    tasks = [partial(_draw, columns, begin, min(begin + step, n), keys, plan, integer) for begin in range(0, n, step)]
    run_parallel(tasks, available_cores())
    if columns.dtype == np.uint8:
        return Table._of_blocks(net.variables, [(np.arange(len(net)), columns)])
    return Table(net.variables, list(columns))


class _Plan(NamedTuple):
    """Flattened network for the kernel.

    `thresholds` holds ceil(2**53 P(state <= k)) for all states k of a node except the last, each for all parent
    configurations. `limits` holds their first bits, and `_SELECTED` zeros at the end.
    """

    order: NDArray[np.int64]
    parents: NDArray[np.int64]
    steps: NDArray[np.int64]
    first_parent: NDArray[np.int64]
    thresholds: NDArray[np.int64]
    limits: NDArray[np.uint16]
    first_threshold: NDArray[np.int64]
    configurations: NDArray[np.int64]


def _plan(net: Network) -> _Plan:
    arities = np.array(net.arities, dtype=np.int64)
    configurations = np.array([cpt.size for cpt in net.cpts], dtype=np.int64) // arities
    first_threshold = _offsets(configurations * (arities - 1))
    thresholds = np.empty(first_threshold[-1], dtype=np.int64)
    _write_thresholds(np.concatenate([cpt.ravel() for cpt in net.cpts]), configurations, arities, thresholds)
    limits = np.zeros(len(thresholds) + _SELECTED, dtype=np.uint16)
    limits[: len(thresholds)] = np.minimum(thresholds >> 53 - _BITS, (1 << _BITS) - 1)
    return _Plan(
        np.array(net.dag.topological_order, dtype=np.int64),
        np.array([p for parents in net.dag.parents for p in parents], dtype=np.int64),
        np.array([prod(cpt.shape[p + 1 : -1]) for cpt in net.cpts for p in range(cpt.ndim - 1)], dtype=np.int64),
        _offsets([len(parents) for parents in net.dag.parents]),
        thresholds,
        limits,
        first_threshold,
        configurations,
    )


@njit()
def _write_thresholds(probabilities, configurations, arities, thresholds):  # type: ignore[no-untyped-def]
    """Write the thresholds of all nodes, as in `_Plan`."""
    first = row = 0
    for node in range(len(arities)):
        arity, rows = arities[node], configurations[node]
        for c in range(rows):
            total = 0.0
            for k in range(arity):
                total += probabilities[row + k]
            cumulative = 0.0
            for k in range(arity - 1):
                cumulative += probabilities[row + k]
                thresholds[first + k * rows + c] = np.ceil(cumulative / total * 2.0**53)
            row += arity
        first += rows * (arity - 1)


def _offsets(sizes: ArrayLike) -> NDArray[np.int64]:
    return np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)


@inner
def _uniform(z):  # type: ignore[no-untyped-def]
    """Random number of a counter, 53 bits."""
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return np.int64((z ^ (z >> np.uint64(31))) >> np.uint64(11))


@njit()
def _draw(columns, first, last, keys, plan, integer):  # type: ignore[no-untyped-def]
    """Fill rows `first` to `last` of `columns`, shape (n nodes, N), one cache-sized block after the other.

    The first bits of a random number and of a threshold decide which one is greater, except in one row of 65,536. The
    loops over rows therefore use small integers, many of which fit in a vector register. `integer` is the smallest
    possible type of the parent configurations.
    """
    at = np.empty(_BLOCK_ROWS, dtype=integer)
    number, limit = np.empty(_BLOCK_ROWS, dtype=np.uint16), np.empty(_BLOCK_ROWS, dtype=np.uint16)
    for begin in range(first, last, _BLOCK_ROWS):
        end = min(begin + _BLOCK_ROWS, last)
        for node in plan.order:
            state = columns[node, begin:end]
            at[:] = 0
            for p in range(plan.first_parent[node], plan.first_parent[node + 1]):
                _add_parent(at, columns[plan.parents[p], begin:end], plan.steps[p])
            start = keys[node] + np.uint64(begin) * np.uint64(_GOLDEN)
            _first_bits(number[: end - begin], start)
            state[:] = 0
            for own in range(plan.first_threshold[node], plan.first_threshold[node + 1], plan.configurations[node]):
                _look_up(limit, plan.limits, own, at, plan.configurations[node])
                if _add_greater(state, number, limit):
                    _decide_ties(state, number, limit, start, plan.thresholds[own:], at)


@inner
def _add_parent(at, parent, step):  # type: ignore[no-untyped-def]
    """Add the part of one parent to the parent configurations of a block."""
    integer = at.dtype.type
    step = integer(step)
    for i in range(len(parent)):
        at[i] += integer(parent[i]) * step


@inner
def _first_bits(number, counter):  # type: ignore[no-untyped-def]
    """Write the first bits of the random numbers of a block."""
    for i in range(len(number)):
        number[i] = _uniform(counter) >> 53 - _BITS
        counter += np.uint64(_GOLDEN)


@inner
def _look_up(limit, limits, own, at, configurations):  # type: ignore[no-untyped-def]
    """Write the limit of each row for its parent configuration; the limits of the node begin at `limits[own]`."""
    limits, integer = limits[own:], at.dtype.type
    if configurations == 1:
        limit[:] = limits[0]
    elif configurations <= _SELECTED:
        t0, t1, t2, t3 = limits[0], limits[1], limits[2], limits[3]
        t4, t5, t6, t7 = limits[4], limits[5], limits[6], limits[7]
        for i in range(len(limit)):
            a = at[i]
            odd, two = integer(a & integer(1)), integer(a & integer(2))
            low = (t3 if odd else t2) if two else (t1 if odd else t0)
            high = (t7 if odd else t6) if two else (t5 if odd else t4)
            limit[i] = low if a < integer(4) else high
    else:
        for i in range(len(limit)):
            limit[i] = limits[at[i]]


@inner
def _add_greater(state, number, limit):  # type: ignore[no-untyped-def]
    """Add 1 to the state of each row whose number is greater than its limit; return whether any is equal."""
    equal = False
    for i in range(len(state)):
        state[i] += number[i] > limit[i]
        equal |= number[i] == limit[i]
    return equal


@inner
def _decide_ties(state, number, limit, start, thresholds, at):  # type: ignore[no-untyped-def]
    """Add 1 to the state of each row whose number equals its limit and whose full number reaches the threshold."""
    for i in range(len(state)):
        if number[i] == limit[i]:
            state[i] += _uniform(start + np.uint64(i) * np.uint64(_GOLDEN)) >= thresholds[at[i]]
