"""Greedy hill climbing over the compiled scores of a table, as one loop."""

# mypy: allow-untyped-defs

from __future__ import annotations

import numpy as np

from bnlab._runtime.jit import njit
from bnlab.learners.hill_climbing.moves import ADD, REVERSE, best_move
from bnlab.scores.compiled.neighbours import score_neighbours


@njit()
def climb(
    codes, arities, first, bits, width, few, terms, keys, used, of_rows, ess, penalty,
    allowed, limit, unit, is_parent, stale, part, parts, gains, scores, scored,
    tired, n_tired, tabu, patience, progress, totals, moves, made, alone,
):  # fmt: skip
    """Score the families that are stale, then make the moves of greatest gain, until there is none or room for none.

    Threads that score the families together call it with no room for moves, each for some nodes or a part of their
    neighbours; then one of them calls it with none stale, and not `alone`, for the next move.

    Parameters
    ----------
    codes, ..., penalty
        Of `score_neighbours`.
    allowed : ndarray of bool, shape (n, n)
        Whether u -> v may be used.
    limit : int
        Greatest number of parents.
    unit : float
        Gains are rounded to its multiples, unless it is 0.
    is_parent : ndarray of bool, shape (n, n)
        The graph: [v, u] is true where u -> v. Moves change it, and what follows.
    stale : ndarray of bool, shape (n,)
        Nodes whose gains and score are to be found.
    part, parts : int
        Gains are found of every node u for which u % parts is `part`.
    gains : ndarray of float64, shape (n, n)
        What the score of v gains at [v, u] when u becomes, or stops being, a parent.
    scores : ndarray of float64, shape (n,)
    scored : ndarray of int64, shape (1,)
        Families scored are added to it.
    tired : ndarray of int64, shape (n_tired + moves, 2)
        The pairs of nodes of the last `n_tired` moves, and room for more.
    tabu, patience : int
        As in `HillClimbing`.
    progress : ndarray of float64, shape (4,)
        Score of the graph, of the best graph and of the best one of this climb, and the moves since that was found.
    totals : ndarray of float64, shape (moves,)
        Score after each move.
    moves : ndarray of int64, shape (moves,)
        Number of each move, as `best_move` gives it.
    made : int
        Moves that are made already; the score after the last is still to be found.
    alone : bool
        Whether to go on after a move. If not, the nodes that it makes stale are left so.

    Returns
    -------
    int
        Moves made.
    """
    n = scores.shape[0]
    parents = np.empty(n * n, dtype=np.int64)
    begins = np.empty(n + 1, dtype=np.int64)
    asked = np.empty(n, dtype=np.bool_)
    values = np.empty(n)
    while True:
        begins[0] = end = 0
        for v in range(n):
            for u in range(n):
                if is_parent[v, u]:
                    parents[end] = u
                    end += 1
            begins[v + 1] = end
            if not stale[v]:
                continue
            stale[v] = False
            asked[:] = False
            for u in range(part, n, parts):
                asked[u] = is_parent[v, u] or (allowed[u, v] and end - begins[v] < limit)
            score_neighbours(
                codes, arities, first, bits, width, few, terms, keys, used, of_rows, ess, penalty,
                v, is_parent[v], asked, values,
            )  # fmt: skip
            scores[v] = values[v]
            scored[0] += part == 0
            for u in range(part, n, parts):
                gain = -np.inf
                if asked[u]:
                    gain = values[u] - values[v]
                    scored[0] += 1
                gains[v, u] = np.rint(gain / unit) * unit if unit else gain
        if made:
            score = totals[made - 1] = progress[0] = _sum(scores)
            progress[3] += 1
            if score > progress[2] + unit / 2:
                progress[2] = score
                progress[3] = 0
            if score > progress[1] + unit / 2:
                progress[1] = score
        if made == moves.shape[0]:
            return made
        bar, floor = progress[1] - progress[0] + unit / 2, 0.0 if progress[3] >= patience else -np.inf
        last = n_tired + made
        move = best_move(gains, parents, begins, allowed, limit, tired[last - min(tabu, last) : last], bar, floor)
        if move < 0:
            return made
        kind, u, v = move // (n * n), move // n % n, move % n
        is_parent[v, u] = kind == ADD
        stale[v] = True
        if kind == REVERSE:
            is_parent[u, v] = True
            stale[u] = True
        tired[last, 0], tired[last, 1] = u, v
        moves[made] = move
        made += 1
        if not alone:
            return made


@njit()
def _sum(values):
    """Sum with one rounding, or nearly (Neumaier 1974)."""
    total = lost = 0.0
    for value in values:
        after = total + value
        if abs(total) >= abs(value):
            lost += total - after + value
        else:
            lost += value - after + total
        total = after
    return total + lost
