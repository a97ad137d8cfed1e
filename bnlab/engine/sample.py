"""Forward sampling in blocks of rows that fit the CPU's first cache.

The random numbers are SplitMix64 (Steele, Lea and Flood 2014) used as a counter: number t of node i is a hash of
(key_i + t * golden ratio). Only integer arithmetic decides the states, so that a seed gives the same rows on every
machine and for every block size.
"""

# mypy: allow-untyped-defs

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from bnlab.engine.compiled import compiled, inner

BLOCK_ROWS = 2048
BITS = 16  # first bits of a random number and of a threshold, which decide most comparisons
SELECTED = 8  # up to so many parent configurations, limits are selected from registers; otherwise they are read
GOLDEN = 0x9E3779B97F4A7C15


class Plan(NamedTuple):
    """Flattened network for the kernel.

    `thresholds` holds ceil(2**53 P(state <= k)) for all states k of a node except the last, each for all parent
    configurations. `limits` holds their first bits, and `SELECTED` zeros at the end.
    """

    order: np.ndarray  # int64
    parents: np.ndarray  # int64
    steps: np.ndarray  # int64
    first_parent: np.ndarray  # int64
    thresholds: np.ndarray  # int64
    limits: np.ndarray  # uint16
    first_threshold: np.ndarray  # int64
    configurations: np.ndarray  # int64


@compiled
def write_thresholds(probabilities, configurations, arities, thresholds):
    """Write the thresholds of all nodes, as in `Plan`."""
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


@inner
def uniform(z):
    """Random number of a counter, 53 bits."""
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return np.int64((z ^ (z >> np.uint64(31))) >> np.uint64(11))


@compiled
def draw(columns, first, last, keys, plan, integer):
    """Fill rows `first` to `last` of `columns`, shape (n nodes, N), one cache-sized block after the other.

    The first bits of a random number and of a threshold decide which one is greater, except in one row of 65,536. The
    loops over rows therefore use small integers, many of which fit in a vector register. `integer` is the smallest
    possible type of the parent configurations.
    """
    at = np.empty(BLOCK_ROWS, dtype=integer)
    number, limit = np.empty(BLOCK_ROWS, dtype=np.uint16), np.empty(BLOCK_ROWS, dtype=np.uint16)
    for begin in range(first, last, BLOCK_ROWS):
        end = min(begin + BLOCK_ROWS, last)
        for node in plan.order:
            state = columns[node, begin:end]
            at[:] = 0
            for p in range(plan.first_parent[node], plan.first_parent[node + 1]):
                add_parent(at, columns[plan.parents[p], begin:end], plan.steps[p])
            start = keys[node] + np.uint64(begin) * np.uint64(GOLDEN)
            first_bits(number[: end - begin], start)
            state[:] = 0
            for own in range(plan.first_threshold[node], plan.first_threshold[node + 1], plan.configurations[node]):
                look_up(limit, plan.limits, own, at, plan.configurations[node])
                if add_greater(state, number, limit):
                    decide_ties(state, number, limit, start, plan.thresholds[own:], at)


@inner
def add_parent(at, parent, step):
    """Add the part of one parent to the parent configurations of a block."""
    integer = at.dtype.type
    step = integer(step)
    for i in range(len(parent)):
        at[i] += integer(parent[i]) * step


@inner
def first_bits(number, counter):
    """Write the first bits of the random numbers of a block."""
    for i in range(len(number)):
        number[i] = uniform(counter) >> 53 - BITS
        counter += np.uint64(GOLDEN)


@inner
def look_up(limit, limits, own, at, configurations):
    """Write the limit of each row for its parent configuration; the limits of the node begin at `limits[own]`."""
    limits, integer = limits[own:], at.dtype.type
    if configurations == 1:
        limit[:] = limits[0]
    elif configurations <= SELECTED:
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
def add_greater(state, number, limit):
    """Add 1 to the state of each row whose number is greater than its limit; return whether any is equal."""
    equal = False
    for i in range(len(state)):
        state[i] += number[i] > limit[i]
        equal |= number[i] == limit[i]
    return equal


@inner
def decide_ties(state, number, limit, start, thresholds, at):
    """Add 1 to the state of each row whose number equals its limit and whose full number reaches the threshold."""
    for i in range(len(state)):
        if number[i] == limit[i]:
            state[i] += uniform(start + np.uint64(i) * np.uint64(GOLDEN)) >= thresholds[at[i]]
