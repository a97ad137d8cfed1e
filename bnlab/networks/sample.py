"""Rows drawn from a Bayesian network: forward (logic) sampling, parents before children (Henrion 1988).

The random numbers are SplitMix64 (Steele, Lea and Flood 2014) used as a counter: number t of node i is a hash of
(key_i + t * golden ratio), the keys derived from the seed by numpy's `SeedSequence`. Integer arithmetic alone decides
the states, so that a seed gives the same rows on every machine, whatever the block size.
"""

from __future__ import annotations

from math import prod
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bnlab._runtime.budget import check_memory
from bnlab._runtime.interrupts import reraise_interrupts
from bnlab._runtime.jit import inner, njit
from bnlab._runtime.values import at_least
from bnlab.data.table import Table
from bnlab.networks.types import Network

_BLOCK_ROWS = 2048
_TASK_CELLS = 1 << 22  # take a few hundredths of a second, so that Ctrl-C interrupts soon
_BITS = 16  # of a random number and of a threshold, which mostly decide
_SELECTED = 32  # parent configurations whose thresholds are selected from, since to look them up takes longer
_AT_ONCE = 4  # of them
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
        If either is not an integer.

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
    at = np.empty(_BLOCK_ROWS, dtype=np.uint16 if most <= 1 << 16 else np.uint32)
    step = max(_TASK_CELLS // len(net) // _BLOCK_ROWS, 1) * _BLOCK_ROWS
    for begin in range(0, n, step):
        _draw(columns, begin, min(begin + step, n), keys, plan, at)
    if columns.dtype == np.uint8:
        return Table._of_blocks(net.variables, [(np.arange(len(net)), columns)])
    return Table(net.variables, list(columns))


class _Plan(NamedTuple):
    """A network flattened for the kernel.

    `thresholds` holds ceil(2**53 P(state <= k)) for all states k of a node but the last, each for all its parent
    configurations; `limits` holds their first bits, and some more places.
    """

    order: NDArray[np.int64]
    parents: NDArray[np.int64]
    steps: NDArray[np.int64]
    first_parent: NDArray[np.int64]
    thresholds: NDArray[np.int64]
    limits: NDArray[np.uint16]
    first_threshold: NDArray[np.int64]
    arities: NDArray[np.int64]


def _plan(net: Network) -> _Plan:
    arities = np.array(net.arities, dtype=np.int64)
    configurations = np.array([cpt.size for cpt in net.cpts], dtype=np.int64) // arities
    thresholds = _thresholds(np.concatenate([cpt.ravel() for cpt in net.cpts]), configurations, arities)
    limits = np.zeros(len(thresholds) + _AT_ONCE, dtype=np.uint16)
    limits[: len(thresholds)] = np.minimum(thresholds >> 53 - _BITS, (1 << _BITS) - 1)
    return _Plan(
        np.array(net.dag.topological_order, dtype=np.int64),
        np.array([p for parents in net.dag.parents for p in parents], dtype=np.int64),
        np.array([prod(cpt.shape[p + 1 : -1]) for cpt in net.cpts for p in range(cpt.ndim - 1)], dtype=np.int64),
        _offsets([len(parents) for parents in net.dag.parents]),
        thresholds,
        limits,
        _offsets(configurations * (arities - 1)),
        arities,
    )


@njit()
def _thresholds(probabilities, configurations, arities):  # type: ignore[no-untyped-def]
    """Thresholds of all nodes, as in `_Plan`."""
    thresholds = np.empty(len(probabilities) - configurations.sum(), dtype=np.int64)
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
    return thresholds


def _offsets(sizes: ArrayLike) -> NDArray[np.int64]:
    return np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)


@inner
def _uniform(z):  # type: ignore[no-untyped-def]
    """Random number of a counter, 53 bits."""
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return np.int64((z ^ (z >> np.uint64(31))) >> np.uint64(11))


@njit()
def _draw(columns, first, last, keys, plan, at):  # type: ignore[no-untyped-def]
    """Fill rows `first` to `last` of `columns`, shape (n nodes, N), one cache-sized block after the other.

    `at` is scratch memory for the parent configurations of a block, an element as small as may be.
    """
    bits = np.empty((2, _BLOCK_ROWS), dtype=np.uint16)
    for begin in range(first, last, _BLOCK_ROWS):
        rows = slice(begin, min(begin + _BLOCK_ROWS, last))
        for node in plan.order:
            _draw_node(node, columns[:, rows], begin, keys, plan, at, bits)


@njit()
def _draw_node(node, columns, begin, keys, plan, at, bits):  # type: ignore[no-untyped-def]
    """Fill a block of rows of one node, whose first is row `begin`.

    The first bits of a random number and of a threshold decide which one is greater, except in one row of 65,536, so
    that the compiler vectorises loops over rows with many rows in a register. `bits` is scratch memory.
    """
    state = columns[node]
    rows, width = len(state), plan.arities[node] - 1
    integer = at.dtype.type
    at[:rows] = 0
    for p in range(plan.first_parent[node], plan.first_parent[node + 1]):
        parent, step = columns[plan.parents[p]], integer(plan.steps[p])
        for i in range(rows):
            at[i] += integer(parent[i]) * step
    start = keys[node] + np.uint64(begin) * np.uint64(_GOLDEN)
    number, limit = bits[0], bits[1]
    counter = start
    for i in range(rows):
        number[i] = _uniform(counter) >> 53 - _BITS
        counter += np.uint64(_GOLDEN)
    state[:] = 0
    for k in range(width):
        configurations = (plan.first_threshold[node + 1] - plan.first_threshold[node]) // width
        own = plan.first_threshold[node] + k * configurations
        thresholds, limits = plan.thresholds[own:], plan.limits[own:]
        if configurations <= _SELECTED:
            for c in range(0, configurations, _AT_ONCE):
                t0, t1, t2, t3 = limits[c], limits[c + 1], limits[c + 2], limits[c + 3]
                c0, c1, c2 = integer(c), integer(c + 1), integer(c + 2)
                for i in range(rows):
                    a = at[i]
                    low = t0 if a == c0 else t1
                    high = t2 if a == c2 else t3
                    if a >= c0:
                        limit[i] = low if a <= c1 else high
        else:
            for i in range(rows):
                limit[i] = limits[at[i]]
        equal = False
        for i in range(rows):
            state[i] += number[i] > limit[i]
            equal |= number[i] == limit[i]
        if equal:
            for i in range(rows):
                if number[i] == limit[i]:
                    state[i] += _uniform(start + np.uint64(i) * np.uint64(_GOLDEN)) >= thresholds[at[i]]
