"""Rows drawn from a Bayesian network: forward (logic) sampling, parents before children (Henrion 1988).

The random numbers are SplitMix64 (Steele, Lea and Flood 2014) used as a counter: number t of node i is a hash of
(key_i + t * golden ratio), the keys derived from the seed by numpy's `SeedSequence`. Integer arithmetic alone decides
the states, so that a seed gives the same rows on every machine, whatever the block size.
"""

from __future__ import annotations

import operator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bnlab._runtime.budget import check_memory
from bnlab._runtime.interrupts import reraise_interrupts
from bnlab._runtime.jit import inner, njit
from bnlab.data.table import Table
from bnlab.networks.types import Network

_BLOCK_ROWS = 2048
_TASK_CELLS = 1 << 22  # take a few hundredths of a second, so that Ctrl-C interrupts soon
_SELECTED = 4  # parent configurations
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
    n, seed = operator.index(n), operator.index(seed)
    if n < 1:
        raise ValueError(f"n={n}: a sample has at least one row.")
    if seed < 0:
        raise ValueError(f"seed={seed}: a seed is not negative.")
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
    step = max(_TASK_CELLS // len(net) // _BLOCK_ROWS, 1) * _BLOCK_ROWS
    for begin in range(0, n, step):
        _draw(columns, begin, min(begin + step, n), keys, plan)
    if columns.dtype == np.uint8:
        return Table._of_blocks(net.variables, [(np.arange(len(net)), columns)])
    return Table(net.variables, list(columns))


class _Plan(NamedTuple):
    """A network flattened for the kernel.

    `thresholds` holds, for each parent configuration, ceil(2**53 P(state <= k)) for all states k but the last.
    """

    order: NDArray[np.int64]
    parents: NDArray[np.int64]
    steps: NDArray[np.int64]
    first_parent: NDArray[np.int64]
    thresholds: NDArray[np.int64]
    first_threshold: NDArray[np.int64]
    arities: NDArray[np.int64]


def _plan(net: Network) -> _Plan:
    thresholds = [_thresholds(cpt) for cpt in net.cpts]
    steps = [s // t.itemsize for t in thresholds for s in t.strides[:-1]]
    return _Plan(
        np.array(net.dag.topological_order, dtype=np.int64),
        np.array([p for parents in net.dag.parents for p in parents], dtype=np.int64),
        np.array(steps, dtype=np.int64),
        _offsets([len(parents) for parents in net.dag.parents]),
        np.concatenate([t.ravel() for t in thresholds]),
        _offsets([t.size for t in thresholds]),
        np.array(net.arities, dtype=np.int64),
    )


def _thresholds(cpt: NDArray[np.float64]) -> NDArray[np.int64]:
    cumulative = np.cumsum(cpt, axis=-1)
    cumulative /= cumulative[..., -1:]
    return np.ascontiguousarray(np.ceil(cumulative[..., :-1] * 2.0**53).astype(np.int64))


def _offsets(sizes: list[int]) -> NDArray[np.int64]:
    return np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)


@inner
def _uniform(start, i):  # type: ignore[no-untyped-def]
    """Number i of a stream, 53 bits."""
    z = start + np.uint64(i) * np.uint64(_GOLDEN)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return np.int64((z ^ (z >> np.uint64(31))) >> np.uint64(11))


@njit()
def _draw(columns, first, last, keys, plan):  # type: ignore[no-untyped-def]
    """Fill rows `first` to `last` of `columns`, shape (n nodes, N), one cache-sized block after the other."""
    at = np.empty(_BLOCK_ROWS, dtype=np.uint32)
    uniform = np.empty(_BLOCK_ROWS, dtype=np.int64)
    for begin in range(first, last, _BLOCK_ROWS):
        end = min(begin + _BLOCK_ROWS, last)
        rows = end - begin
        for node in plan.order:
            arity = plan.arities[node]
            own = plan.thresholds[plan.first_threshold[node] : plan.first_threshold[node + 1]]
            at[:rows] = 0
            for p in range(plan.first_parent[node], plan.first_parent[node + 1]):
                parent = columns[plan.parents[p], begin:end]
                step = np.uint32(plan.steps[p])
                for i in range(rows):
                    at[i] += np.uint32(parent[i]) * step
            start = keys[node] + np.uint64(begin) * np.uint64(_GOLDEN)
            state = columns[node, begin:end]
            # Inner loops run over rows, not states: so the compiler vectorises them. To look a threshold up takes three
            # times as long as to draw, so that those of few parent configurations are selected from. Offsets are
            # unsigned because a signed one is tested for being negative, and the commonest arities have a loop without
            # a second pass.
            width = arity - 1
            if own.shape[0] <= _SELECTED * width:
                for i in range(rows):
                    uniform[i] = _uniform(start, i)
                state[:] = 0
                final = own.shape[0] - width
                one, two = np.uint32(width), np.uint32(2 * width)
                for k in range(width):
                    t0, t1, t2 = own[k], own[min(width, final) + k], own[min(2 * width, final) + k]
                    t3 = own[final + k]
                    for i in range(rows):
                        c = at[i]
                        low = t0 if c < one else t1
                        high = t2 if c == two else t3
                        state[i] += uniform[i] >= (low if c < two else high)
            elif arity == 2:
                for i in range(rows):
                    state[i] = _uniform(start, i) >= own[at[i]]
            elif arity == 3:
                for i in range(rows):
                    u, k = _uniform(start, i), at[i]
                    state[i] = np.uint8(u >= own[k]) + np.uint8(u >= own[k + np.uint32(1)])
            elif arity == 4:
                for i in range(rows):
                    u, k = _uniform(start, i), at[i]
                    above = np.uint8(u >= own[k]) + np.uint8(u >= own[k + np.uint32(1)])
                    state[i] = above + np.uint8(u >= own[k + np.uint32(2)])
            else:
                for i in range(rows):
                    uniform[i] = _uniform(start, i)
                state[:] = 0
                for threshold in range(arity - 1):
                    for i in range(rows):
                        state[i] += uniform[i] >= own[at[i] + np.uint32(threshold)]
