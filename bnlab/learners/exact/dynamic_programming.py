"""The best network by dynamic programming over subsets of the variables.

References
----------
T. Silander, P. Myllymaki. A simple approach for finding the globally optimal Bayesian network structure. UAI 2006.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from math import fsum

import numpy as np

from bnlab._runtime.budget import check_memory
from bnlab._runtime.interrupts import run_interruptible
from bnlab._runtime.threads import available_cores, run_parallel
from bnlab.engine.subsets import best_of_subsets
from bnlab.learners.parent_sets import ParentSets
from bnlab.learners.types import Floats, ParentTuples


def best_network(sets: ParentSets) -> ParentTuples:
    """Network of greatest score, each variable with one of its sets of parents (Silander and Myllymaki 2006).

    Parameters
    ----------
    sets : tuple of tuple of (float, tuple of int)
        Result of a `ParentSetSearch`.

    Returns
    -------
    tuple of tuple of int
        Parents of each variable. Of several best networks the one whose last variables come last in the columns.

    Raises
    ------
    MemoryBudget
        (A ValueError.) When the tables over all subsets would not fit into memory.

    Notes
    -----
    Every acyclic graph has a sink: the best network on a set S of variables gives one of them, v, the best parents in
    S without v, and is the best one on the others.

        score(S) = max over v in S of score(S - v) + max over W in S - v of φ(v, W)

    Examples
    --------
    >>> best_network((((2.0, (1,)), (0.0, ())), ((3.0, (0,)), (0.0, ()))))
    ((), (0,))
    """
    n = len(sets)
    check_memory(bytes_needed(n), f"dynamic programming over all subsets of {n} variables", "use cutting planes")
    masks = [np.array([sum(1 << u for u in parents) for _, parents in of_v]) for of_v in sets]
    gains = np.full((n, 1 << (n - 1)), -np.inf)
    tasks = [partial(_fill_in, gains[v], v, of_v, masks[v].tolist()) for v, of_v in enumerate(sets)]
    run_interruptible(run_parallel, tasks, available_cores())
    best = run_interruptible(best_of_subsets, gains)
    network: list[tuple[int, ...]] = [()] * n
    left = (1 << n) - 1
    while left:
        for v in reversed(range(n)):
            others = left & ~(1 << v)
            if left >> v & 1 and best[left] == best[others] + gains[v, _without(v, others)]:
                first = int(np.argmax((masks[v] & ~others) == 0))
                network[v] = sets[v][first][1]
                left = others
                break
    return tuple(network)


def bytes_needed(n: int) -> int:
    """Memory that `best_network` takes for n variables."""
    return 8 * ((n << (n - 1)) + (2 << n))


def score_of_sets(sets: ParentSets, network: Sequence[tuple[int, ...]]) -> float:
    """Score of a network whose families are among the sets.

    Raises
    ------
    KeyError
        When a family is not among them.
    """
    return fsum({parents: score for score, parents in of_v}[network[v]] for v, of_v in enumerate(sets))


def _without(v: int, subset: int) -> int:
    """Bits of a subset with the place of v taken out."""
    return (subset & ((1 << v) - 1)) | (subset >> (v + 1) << v)


def _fill_in(best: Floats, v: int, of_v: Sequence[tuple[float, tuple[int, ...]]], masks: Sequence[int]) -> None:
    """Score of v with its best parents in each subset of the others, shape (2 ** (n - 1),); -inf before."""
    for (score, _), mask in zip(of_v, masks, strict=True):
        best[_without(v, mask)] = score
    bit = 1
    while bit < len(best):
        halves = best.reshape(-1, 2, bit)
        np.maximum(halves[:, 1], halves[:, 0], out=halves[:, 1])
        bit *= 2
