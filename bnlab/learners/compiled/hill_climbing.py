"""Hill climbing as one compiled loop over the scores of a table, and the search for the best move."""

# mypy: allow-untyped-defs

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from bnlab._runtime.jit import inner, njit
from bnlab.learners.types import Floats, Integers, Mask
from bnlab.scores.compiled.neighbours import score_neighbours

ADD, DELETE, REVERSE = 0, 1, 2


class Graph(NamedTuple):
    """Graph that moves change, and values derived from it."""

    required: Mask  # (n, n) whether u -> v must be used
    allowed: Mask  # (n, n) whether u -> v may be used
    limits: Integers  # (n,) maximum number of parents of each node
    unit: float  # gains are rounded to its multiples, unless it is 0
    is_parent: Mask  # (n, n) [v, u] is true for u -> v; moves change it and the fields below
    parents: Integers  # as for `possible_moves`, with room for one edge per move
    begins: Integers  # (n + 1,)
    gains: Floats  # (n, n) [v, u]: gain of v if u is added to its parents or removed; -inf if not allowed
    scores: Floats  # (n,)
    best: Integers  # (n,) number of the best possible move of an edge to v, tabu or not; -1 for none
    outdated: Mask  # (n,) whether `best` must be found again


class Ahead(NamedTuple):
    """Part of a search to run: its options, its progress, and arrays for its results."""

    pairs: Integers  # (known + moves, 2) pairs of nodes of the last `known` moves, and room for more
    known: int
    tabu: int  # as in `HillClimbing`
    patience: int  # as in `HillClimbing`
    progress: Floats  # (4,) scores of the graph, of the best, of the best of this climb; moves since the last
    totals: Floats  # (moves,) score after each move
    moves: Integers  # (moves,) number of each move, as from `best_move`
    alone: bool  # whether to continue after a move; if not, the nodes that it makes stale stay stale


@njit()
def climb(score, graph, stale, part, parts, search, made, scored):
    """Score stale families, then make the moves of greatest gain, until none is left or there is no room.

    Several threads can score the families together. Each calls it with no room for moves, for some nodes or a part of
    their neighbours. Then one of them calls it without stale nodes, and not `alone`, for the next move.

    Parameters
    ----------
    score : CompiledScore
    graph : Graph
    stale : ndarray of bool, shape (n,)
        Nodes whose gains and score must be found.
    part, parts : int
        Gains are found for the nodes u with u % parts equal to `part`.
    search : Ahead
    made : int
        Number of moves made before; the score after the last must still be found.
    scored : ndarray of int64, shape (1,)
        Incremented by the number of families scored.

    Returns
    -------
    int
        Number of moves made.
    """
    required, allowed, limits, unit, is_parent, parents, begins, gains, scores = graph[:9]
    progress, totals, moves = search.progress, search.totals, search.moves
    n = scores.shape[0]
    wanted = np.empty(n, dtype=np.bool_)
    values = np.empty(n)
    while True:
        for v in range(n):
            if not stale[v]:
                continue
            stale[v] = False
            wanted[:] = False
            for u in range(part, n, parts):
                free = is_parent[v, u] or (allowed[u, v] and begins[v + 1] - begins[v] < limits[v])
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
        above = ancestors(parents, begins)
        move = _next_move(graph, above, latest, aspiration, min_gain)
        if move < 0:
            return made
        kind, u, v = move // (n * n), move // n % n, move % n
        _toggle(graph, u, v)
        stale[v] = True
        if kind == REVERSE:
            _toggle(graph, v, u)
            stale[u] = True
        _find_outdated(graph, above[u], kind, u, v)
        search.pairs[last, 0], search.pairs[last, 1] = u, v
        moves[made] = move
        made += 1
        if not search.alone:
            return made


@inner
def _toggle(graph, u, v):
    """Add u to the parents of v, or remove it."""
    parents, begins = graph.parents, graph.begins
    n = begins.shape[0] - 1
    at, last = begins[v], begins[n]
    while at < begins[v + 1] and parents[at] < u:
        at += 1
    change = -1 if graph.is_parent[v, u] else 1
    if change < 0:
        for i in range(at + 1, last):
            parents[i - 1] = parents[i]
    else:
        for i in range(last, at, -1):
            parents[i] = parents[i - 1]
        parents[at] = u
    for w in range(v + 1, n + 1):
        begins[w] += change
    graph.is_parent[v, u] = change > 0


@inner
def _find_outdated(graph, above_u, kind, u, v):
    """Mark the nodes whose best move may change after a move of u -> v.

    Without u -> v, edges to u and its ancestors no longer close a cycle through it, nor do reversals of edges from
    these nodes. A best move that is no longer possible is detected when it is used.
    """
    n = graph.scores.shape[0]
    changed = np.zeros(n, dtype=np.bool_)
    changed[v] = True
    if kind != ADD:
        changed[u] = True
        for w in range(n):
            changed[w] |= _is_in(above_u, w)
    for w in range(n):
        graph.outdated[w] |= changed[w]
        for i in range(graph.begins[w], graph.begins[w + 1]):
            graph.outdated[w] |= changed[graph.parents[i]]


@inner
def _next_move(graph, above, tabu_pairs, aspiration, min_gain):
    """Same as `best_move`, from the best moves of edges to each node."""
    rules = graph.parents, graph.begins, graph.allowed, graph.limits, above
    gains, best = graph.gains, graph.best
    n = best.shape[0]
    none = tabu_pairs[:0]
    chosen = -1
    for v in range(n):
        move = best[v]
        if not graph.outdated[v] and (move < 0 or _gain_of(move, gains) < min_gain):
            continue  # whether or not the move is possible, no other one to v gains more
        if graph.outdated[v] or not _is_possible(move // (n * n), move // n % n, v, rules):
            move = best[v] = _best_to(v, gains, graph.is_parent[v], rules, none, 0.0)
            graph.outdated[v] = False
        gain = _gain_of(move, gains) if move >= 0 else -np.inf
        if move < 0 or gain < min_gain:
            continue
        if gain <= aspiration and _is_tabu(move // n % n, v, tabu_pairs):
            move = _best_to(v, gains, graph.is_parent[v], rules, tabu_pairs, aspiration)
            if move < 0:
                continue
            gain = _gain_of(move, gains)
        if gain > min_gain or (gain == min_gain and move < chosen):
            chosen, min_gain = move, gain
    return chosen


@njit()
def best_move(toggles, parents, begins, allowed, limits, tabu_pairs, aspiration, min_gain):
    """Number of the possible move of greatest gain above `min_gain`, the first if several are equal; -1 for none.

    Parameters
    ----------
    toggles : ndarray of float64, shape (n, n)
        [v, u] is the gain of v if u is added to its parents or removed; -inf if that is not a move.
    parents, begins
        As for `possible_moves`. The number of a move is its index in the flattened result of that function.
    allowed, limits
        As in `Graph`.
    tabu_pairs : ndarray of int64, shape (pairs, 2)
        Pairs of nodes that need a gain above `aspiration`.
    aspiration, min_gain : float
    """
    rules = parents, begins, allowed, limits, ancestors(parents, begins)
    chosen = -1
    for v in range(toggles.shape[0]):
        is_parent = np.zeros(toggles.shape[0], dtype=np.bool_)
        is_parent[parents[begins[v] : begins[v + 1]]] = True
        move = _best_to(v, toggles, is_parent, rules, tabu_pairs, aspiration)
        gain = _gain_of(move, toggles) if move >= 0 else -np.inf
        if gain > min_gain or (gain == min_gain and move < chosen):
            chosen, min_gain = move, gain
    return chosen


@inner
def _best_to(v, toggles, is_parent, rules, tabu_pairs, aspiration):
    """Number of the best move of an edge to v, by the rules of `best_move`; -1 if there is none."""
    n = toggles.shape[0]
    best, greatest = -1, -np.inf
    for u in range(n):
        for kind in range(ADD, DELETE) if not is_parent[u] else range(DELETE, REVERSE + 1):
            gain = toggles[v, u] + (toggles[u, v] if kind == REVERSE else 0.0)
            number = (kind * n + u) * n + v
            if gain < greatest or (gain == greatest and not number < best):
                continue
            if not _is_possible(kind, u, v, rules) or (gain <= aspiration and _is_tabu(u, v, tabu_pairs)):
                continue
            best, greatest = number, gain
    return best


@inner
def _is_possible(kind, u, v, rules):
    """Whether a new edge u -> v can be added, or an existing one deleted or reversed."""
    parents, begins, allowed, limits, above = rules
    if kind == ADD:
        return begins[v + 1] - begins[v] < limits[v] and allowed[u, v] and not _is_in(above[u], v)
    if kind == REVERSE:
        if not allowed[v, u] or begins[u + 1] - begins[u] >= limits[u]:
            return False
        for i in range(begins[v], begins[v + 1]):
            if _is_in(above[parents[i]], u):
                return False
    return True


@inner
def _gain_of(move, toggles):
    n = toggles.shape[0]
    kind, u, v = move // (n * n), move // n % n, move % n
    return toggles[v, u] + (toggles[u, v] if kind == REVERSE else 0.0)


@inner
def _is_tabu(u, v, pairs):
    for i in range(pairs.shape[0]):
        if (pairs[i, 0] == u and pairs[i, 1] == v) or (pairs[i, 0] == v and pairs[i, 1] == u):
            return True
    return False


@inner
def _is_in(bits, v):
    return bits[v >> 6] >> np.uint64(v & 63) & np.uint64(1) != 0


@njit()
def ancestors(parents, begins):
    """Ancestors of each node as bits: ndarray of uint64, shape (n, words)."""
    n = begins.shape[0] - 1
    above = np.zeros((n, (n + 63) // 64), dtype=np.uint64)
    placed = np.zeros(n, dtype=np.bool_)
    stack = np.empty(begins[n] + n, dtype=np.int64)
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
                    for word in range(above.shape[1]):
                        above[v, word] |= above[p, word]
                    above[v, p >> 6] |= np.uint64(1) << np.uint64(p & 63)
    return above


@inner
def _sum(values):
    """Sum with almost no rounding error (Neumaier 1974)."""
    total = lost = 0.0
    for value in values:
        after = total + value
        if abs(total) >= abs(value):
            lost += total - after + value
        else:
            lost += value - after + total
        total = after
    return total + lost
