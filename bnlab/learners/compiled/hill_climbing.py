"""Hill climbing as one compiled loop over the scores of a table, and the search for the best move."""

# mypy: allow-untyped-defs

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from bnlab._runtime.jit import njit
from bnlab.learners.types import Floats, Integers, Mask
from bnlab.scores.compiled.neighbours import score_neighbours

ADD, DELETE, REVERSE = 0, 1, 2


class Graph(NamedTuple):
    """Graph that moves change, and the scores that are known of it."""

    required: Mask  # (n, n) whether u -> v must be used
    allowed: Mask  # (n, n) whether u -> v may be used
    limits: Integers  # (n,) maximum number of parents of each node
    unit: float  # gains are rounded to its multiples, unless it is 0
    is_parent: Mask  # (n, n) [v, u] is true where u -> v; moves change it, and what follows
    gains: Floats  # (n, n) [v, u]: what v gains when u is added to its parents or removed; -inf where it may not
    scores: Floats  # (n,)


class Ahead(NamedTuple):
    """Part of a search that is to be made."""

    pairs: Integers  # (known + moves, 2) the pairs of nodes of the last `known` moves, and room for more
    known: int
    tabu: int  # as in `HillClimbing`, and so the next one
    patience: int
    progress: Floats  # (4,) score of the graph, of the best one, of the best one of this climb; moves since then
    totals: Floats  # (moves,) score after each move
    moves: Integers  # (moves,) number of each move, as `best_move` gives it
    alone: bool  # whether to continue after a move; if not, the nodes that it makes stale remain stale


@njit()
def climb(score, graph, stale, part, parts, search, made, scored):
    """Score the families that are stale, then make the moves of greatest gain, until there is none or room for none.

    Threads that score the families together call it with no room for moves, each for some nodes or a part of their
    neighbours; then one of them calls it with none stale, and not `alone`, for the next move.

    Parameters
    ----------
    score : CompiledScore
    graph : Graph
    stale : ndarray of bool, shape (n,)
        Nodes whose gains and score are to be found.
    part, parts : int
        Gains are found of every node u for which u % parts is `part`.
    search : Ahead
    made : int
        Moves that are made already; the score after the last is still to be found.
    scored : ndarray of int64, shape (1,)
        The number of families scored is added to it.

    Returns
    -------
    int
        Moves made.
    """
    required, allowed, limits, unit, is_parent, gains, scores = graph
    progress, totals, moves = search.progress, search.totals, search.moves
    n = scores.shape[0]
    parents = np.empty(n * n, dtype=np.int64)
    begins = np.empty(n + 1, dtype=np.int64)
    wanted = np.empty(n, dtype=np.bool_)
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
            wanted[:] = False
            for u in range(part, n, parts):
                free = is_parent[v, u] or (allowed[u, v] and end - begins[v] < limits[v])
                wanted[u] = free and not required[u, v]
            score_neighbours(score, v, is_parent[v], wanted, values)
            scores[v] = values[v]
            scored[0] += part == 0
            for u in range(part, n, parts):
                gain = -np.inf
                if wanted[u]:
                    gain = values[u] - values[v]
                    scored[0] += 1
                gains[v, u] = np.rint(gain / unit) * unit if unit else gain
        if made:
            total = totals[made - 1] = progress[0] = _sum(scores)
            progress[3] += 1
            if total > progress[2] + unit / 2:
                progress[2] = total
                progress[3] = 0
            if total > progress[1] + unit / 2:
                progress[1] = total
        if made == moves.shape[0]:
            return made
        aspiration = progress[1] - progress[0] + unit / 2
        min_gain = 0.0 if progress[3] >= search.patience else -np.inf
        last = search.known + made
        latest = search.pairs[last - min(search.tabu, last) : last]
        move = best_move(gains, parents, begins, allowed, limits, latest, aspiration, min_gain)
        if move < 0:
            return made
        kind, u, v = move // (n * n), move // n % n, move % n
        is_parent[v, u] = kind == ADD
        stale[v] = True
        if kind == REVERSE:
            is_parent[u, v] = True
            stale[u] = True
        search.pairs[last, 0], search.pairs[last, 1] = u, v
        moves[made] = move
        made += 1
        if not search.alone:
            return made


@njit()
def best_move(toggles, parents, begins, allowed, limits, tabu_pairs, aspiration, min_gain):
    """Number of the possible move of greatest gain above `min_gain`, the first of equal ones; -1 if there is none.

    Parameters
    ----------
    toggles : ndarray of float64, shape (n, n)
        What the score of v gains at [v, u] when u becomes, or stops being, a parent; -inf where that is no move.
    parents, begins
        As for `possible_moves`, in whose ravelled array the number of a move is its place.
    allowed, limits
        As in `Graph`.
    tabu_pairs : ndarray of int64, shape (pairs, 2)
        Nodes between which only a gain beyond `aspiration` counts.
    aspiration, min_gain : float
    """
    n = toggles.shape[0]
    above = ancestors(parents, begins)
    is_parent, is_tabu = np.zeros(n, dtype=np.bool_), np.zeros((n, n), dtype=np.bool_)
    for i in range(tabu_pairs.shape[0]):
        is_tabu[tabu_pairs[i, 0], tabu_pairs[i, 1]] = is_tabu[tabu_pairs[i, 1], tabu_pairs[i, 0]] = True
    best = -1
    for v in range(n):
        for i in range(begins[v], begins[v + 1]):
            is_parent[parents[i]] = True
        room = begins[v + 1] - begins[v] < limits[v]
        for u in range(n):
            for kind in range(ADD, DELETE) if not is_parent[u] else range(DELETE, REVERSE + 1):
                gain = toggles[v, u] + (toggles[u, v] if kind == REVERSE else 0.0)
                if gain < min_gain or not (gain > aspiration or not is_tabu[u, v]):
                    continue
                number = (kind * n + u) * n + v
                if gain == min_gain and not number < best:
                    continue
                if kind == ADD and (not room or not allowed[u, v] or above[u, v]):
                    continue
                if kind == REVERSE:
                    possible = allowed[v, u] and begins[u + 1] - begins[u] < limits[u]
                    for i in range(begins[v], begins[v + 1]):
                        possible = possible and not above[parents[i], u]
                    if not possible:
                        continue
                min_gain, best = gain, number
        for i in range(begins[v], begins[v + 1]):
            is_parent[parents[i]] = False
    return best


@njit()
def ancestors(parents, begins):
    """Matrix of directed paths, [v, u] where one leads from u to v; false on the diagonal."""
    n = begins.shape[0] - 1
    above = np.zeros((n, n), dtype=np.bool_)
    placed = np.zeros(n, dtype=np.bool_)
    stack = np.empty(parents.shape[0] + n, dtype=np.int64)
    for start in range(n):
        stack[0] = start
        height = 1
        while height:
            v = stack[height - 1]
            waiting = False
            for p in parents[begins[v] : begins[v + 1]]:
                if not placed[p]:
                    stack[height] = p
                    height += 1
                    waiting = True
            if waiting:
                continue
            height -= 1
            if not placed[v]:
                placed[v] = True
                for p in parents[begins[v] : begins[v + 1]]:
                    above[v, p] = True
                    for u in range(n):
                        above[v, u] |= above[p, u]
    return above


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
