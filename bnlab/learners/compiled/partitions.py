"""Markov chain over ordered partitions of the variables into layers, compiled.

Every DAG has one partition. Its layer 0 has the variables without parents, and a variable in layer k has a parent in
layer k - 1 and none in layer k or later. Without layers (`layered` false) a partition is an order with one variable per
layer, and the only rule is that parents come first.

References
----------
M. Grzegorczyk, D. Husmeier. Improving the structure MCMC sampler for Bayesian networks by introducing a new edge
reversal move. Machine Learning 71, 2008.
"""

# mypy: allow-untyped-defs

from __future__ import annotations

import numpy as np

from bnlab._runtime.jit import inner, njit
from bnlab.learners.compiled.subsets import NEGLIGIBLE, log_add

KNOWN = 1 << 14
"""Number of rows of the table of weights, a power of 2: 1 MB."""
FILTERED = 128
"""Number of parent sets that are filtered at a time."""


@inner
def _nothing_known():
    """Empty table of weights.

    Returns
    -------
    keys, weights : ndarray of int64 and of float64, shape (KNOWN, 8)
        Two views of the same memory, so that a row is one line of the processor's cache. A row has the bits `before`,
        `last` and `of_v` of a call of `_weights`, the variable (-1 in an empty row), and the four weights.
    """
    keys = np.empty((KNOWN, 8), dtype=np.int64)
    for row in range(KNOWN):
        keys[row, 3] = -1
    return keys, keys.view(np.float64)


@inner
def _members(layers, w, layer, tables, v):
    """Bits of w's candidates in layers before `layer` and in the last of these, both without v, and the bit of v."""
    candidates, number = tables[0], tables[1]
    before, last, of_v = 0, 0, 0
    for k in range(number[w]):
        u = candidates[w, k]
        if u == v:
            of_v = 1 << k
        elif layers[u] < layer:
            before |= 1 << k
            if layers[u] == layer - 1:
                last |= 1 << k
    return before, last, of_v


@inner
def _log(total, unit):
    """log(total) + unit, or -inf if the total is 0."""
    return np.log(total) + unit if total > 0.0 else -np.inf


@inner
def _sums(w, before, last, of_v, free, tables):
    """Logarithms of the weights of w's parent sets, by their members.

    Returns
    -------
    without, with_v, only_v : float
        Sets within `before` that meet the last layer (any set if `free`); the same sets with v; sets with v that do not
        meet the last layer.
    """
    bits, scores, starts = tables[2], tables[3], tables[4]
    without = with_v = only_v = 0.0
    best_without = best_with_v = best_only_v = -np.inf
    missing = 1 + (of_v != 0) + (of_v != 0 and not free)
    limit = -np.inf
    excluded = ~(before | of_v)
    end = starts[w + 1]
    chosen = np.empty(FILTERED, dtype=np.int64)
    for begin in range(starts[w], end, FILTERED):
        if scores[begin] < limit:
            break
        # Few sets pass, and the processor cannot predict which ones: a loop without a branch is faster.
        number = 0
        for s in range(begin, min(begin + FILTERED, end)):
            chosen[number] = s
            number += bits[s] & excluded == 0
        for s in chosen[:number]:
            score = scores[s]
            if score < limit:
                break
            meets = free or bits[s] & last != 0
            if bits[s] & of_v == 0:
                if not meets:
                    continue
                if best_without == -np.inf:
                    best_without = score
                    missing -= 1
                if score - best_without >= NEGLIGIBLE:
                    without += np.exp(score - best_without)
            elif meets:
                if best_with_v == -np.inf:
                    best_with_v = score
                    missing -= 1
                if score - best_with_v >= NEGLIGIBLE:
                    with_v += np.exp(score - best_with_v)
            else:
                if best_only_v == -np.inf:
                    best_only_v = score
                    missing -= 1
                if score - best_only_v >= NEGLIGIBLE:
                    only_v += np.exp(score - best_only_v)
            if missing == 0:  # sets far below the lowest of these maxima are negligible
                missing = -1
                limit = score + NEGLIGIBLE
    return _log(without, best_without), _log(with_v, best_with_v), _log(only_v, best_only_v)


@inner
def _weights(w, before, last, of_v, free, tables, known):
    """Logarithms of the weights of w's parent sets for each place of v.

    A chain returns to the same candidates often, so that known weights are looked up in a table.

    Returns
    -------
    after, early, joined, alone : float
        If v is not before w, in a layer before the one just before w's, in that layer, or alone just before w.
    """
    keys, weights = known
    if free:
        last = -1
    mixed = (before * 0x9E3779B97F4A7C1 + last * 0x2545F4914F6CDD1D + of_v * 0x1B873593 + w) * 0x5851F42D4C957F2D
    row = np.uint64(mixed) >> np.uint64(40) & np.uint64(len(keys) - 1)
    key, found = keys[row], weights[row]
    if key[0] != before or key[1] != last or key[2] != of_v or key[3] != w:
        key[0], key[1], key[2], key[3] = before, last, of_v, w
        without, with_v, only_v = _sums(w, before, last, of_v, free, tables)
        found[4], found[5] = without, log_add(without, with_v)
        found[6], found[7] = log_add(found[5], only_v), log_add(with_v, only_v)
    return found[4], found[5], found[6], found[7]


@inner
def _relocate(layers, v, tables, layered, uniform, known):
    """Draw a new place of v given the places of the others: a step of Gibbs sampling, which changes `layers`.

    With m layers of the others, v can join one of them or form a layer of its own at one of m + 1 places.
    """
    n = len(layers)
    alone = True
    for w in range(n):
        alone &= w == v or layers[w] != layers[v]
    m = 0
    for w in range(n):
        if w != v:
            if alone and layers[w] > layers[v]:
                layers[w] -= 1
            m = max(m, layers[w] + 1)
    # Weights of the variables of each layer if v is not before them, in a layer before the one just before theirs, in
    # that layer, or alone just before them.
    after, early, joined, alone_before = np.zeros(m + 2), np.zeros(m + 2), np.zeros(m + 2), np.zeros(m + 2)
    for w in range(n):
        if w != v:
            k = layers[w]
            before, last, of_v = _members(layers, w, k, tables, v)
            weight = _weights(w, before, last, of_v, not layered or k == 0, tables, known)
            after[k] += weight[0]
            early[k] += weight[1]
            joined[k] += weight[2]
            alone_before[k] += weight[3 if layered else 1]
    for k in range(m - 1, 0, -1):
        early[k] += early[k + 1]
    weights = np.full(2 * m + 1, -np.inf)  # [2 k]: alone before layer k; [2 k + 1]: in layer k
    start = 0.0
    for k in range(m + 1):
        before, last, _ = _members(layers, v, k, tables, v)
        own = _weights(v, before, last, 0, not layered or k == 0, tables, known)[0]
        weights[2 * k] = start + own + alone_before[k] + early[k + 1]
        start += after[k]
        if layered and k < m:
            weights[2 * k + 1] = start + own + joined[k + 1] + (early[k + 2] if k + 2 <= m else 0.0)
    best, total = -np.inf, 0.0  # loops compile in half the time of array expressions
    for weight in weights:
        best = max(best, weight)
    for place in range(2 * m + 1):
        weights[place] = np.exp(weights[place] - best)
        total += weights[place]
    left = uniform * total
    place = 0
    while place < 2 * m and (left >= weights[place] or weights[place] == 0.0):
        left -= weights[place]
        place += 1
    while weights[place] == 0.0:  # rounding has gone past the last place
        place -= 1
    if place % 2 == 0:
        for w in range(n):
            if w != v and layers[w] >= place // 2:
                layers[w] += 1
    layers[v] = place // 2


@njit()
def draw_graph(layers, tables, layered, uniforms, graph, arcs):
    """Draw a DAG of a partition.

    Parameters
    ----------
    layers : ndarray of int64, shape (n,)
    tables : tuple
        Candidates, shape (n, most), and their numbers; bits and scores of the parent sets, variable by variable, best
        first; and where the sets of each variable begin.
    layered : bool
    uniforms : ndarray of float64, shape (n,)
        Random numbers in [0, 1).
    graph : ndarray of bool, shape (n, n)
        All false; receives the adjacency matrix.
    arcs : ndarray of float32, shape (n, n)
        Receives the probability of each edge given the partition.

    Returns
    -------
    float
        Score of the DAG.
    """
    candidates, number, bits, scores, starts = tables
    score = 0.0
    for w in range(len(layers)):
        before, last, _ = _members(layers, w, layers[w], tables, -1)
        free = not layered or layers[w] == 0
        total, _, _ = _sums(w, before, last, 0, free, tables)
        left, chosen = uniforms[w], -1
        for s in range(starts[w], starts[w + 1]):
            if scores[s] < total + NEGLIGIBLE and chosen >= 0:
                break
            if bits[s] & ~before == 0 and (free or bits[s] & last != 0):
                share = np.exp(scores[s] - total)
                if left >= 0.0:
                    chosen = s
                    left -= share
                for k in range(number[w]):
                    if bits[s] >> k & 1:
                        arcs[candidates[w, k], w] += share
        score += scores[chosen]
        for k in range(number[w]):
            graph[candidates[w, k], w] = bits[chosen] >> k & 1
    return score


@inner
def _no_descendants(w, graph, tables):
    """Bits of w's candidates that are not descendants of w."""
    n = len(graph)
    reached = np.zeros(n, dtype=np.bool_)
    stack = np.empty(n, dtype=np.int64)
    stack[0], height = w, 1
    while height:
        height -= 1
        u = stack[height]
        for x in range(n):
            if graph[u, x] and not reached[x]:
                reached[x] = True
                stack[height] = x
                height += 1
    allowed = 0
    for k in range(tables[1][w]):
        if not reached[tables[0][w, k]]:
            allowed |= 1 << k
    return allowed


@inner
def _place_of(u, w, tables):
    """Bit of u among w's candidates; 0 if u is not one of them."""
    for k in range(tables[1][w]):
        if tables[0][w, k] == u:
            return 1 << k
    return 0


@inner
def _draw_parents(w, allowed, needed, uniform, graph, tables, known):
    """Draw w's parents within `allowed`, with at least one of `needed` (0 for any), in a graph where w has none.

    Returns
    -------
    float
        Logarithm of the weight of all such sets; -inf if there are none.
    """
    candidates, number, bits, scores, starts = tables
    total = _weights(w, allowed, needed, 0, needed == 0, tables, known)[0]
    left, chosen = uniform, -1
    for s in range(starts[w], starts[w + 1]):
        if left < 0.0 or (chosen >= 0 and scores[s] < total + NEGLIGIBLE):
            break
        if bits[s] & ~allowed == 0 and (needed == 0 or bits[s] & needed != 0):
            chosen = s
            left -= np.exp(scores[s] - total)
    if chosen >= 0:
        for k in range(number[w]):
            graph[candidates[w, k], w] = bits[chosen] >> k & 1
    return total


@inner
def _write_parents(graph, v, column):
    """graph[:, v] = column, without the check of shapes whose error message numba compiles for seconds."""
    for u in range(len(column)):
        graph[u, v] = column[u]


@inner
def _reverse(graph, tables, uniforms, known):
    """Reverse an edge i -> j and draw all parents of i and j again: a Metropolis-Hastings step on DAGs.

    The acceptance probability is that of Grzegorczyk and Husmeier (2008), equation 15.
    """
    n, flat = len(graph), graph.ravel()
    edges = flat.sum()
    if edges == 0:
        return
    left = int(uniforms[0] * edges)
    place = -1
    while left >= 0:
        place += 1
        left -= flat[place]
    i, j = place // n, place % n
    j_of_i, i_of_j = _place_of(j, i, tables), _place_of(i, j, tables)
    if j_of_i == 0:
        return
    old_i, old_j = graph[:, i].copy(), graph[:, j].copy()
    graph[:, i] = False
    graph[:, j] = False
    back = _weights(j, _no_descendants(j, graph, tables), i_of_j, 0, False, tables, known)[0]
    forth = _draw_parents(i, _no_descendants(i, graph, tables), j_of_i, uniforms[1], graph, tables, known)
    if forth > -np.inf:
        forth += _draw_parents(j, _no_descendants(j, graph, tables), 0, uniforms[2], graph, tables, known)
        new_i, new_j = graph[:, i].copy(), graph[:, j].copy()
        new_edges = graph.sum()
        graph[:, i] = False
        _write_parents(graph, j, old_j)
        total = _weights(i, _no_descendants(i, graph, tables), 0, 0, True, tables, known)[0]
        if uniforms[3] * new_edges < edges * np.exp(min(forth - back - total, 50.0)):
            _write_parents(graph, i, new_i)
            _write_parents(graph, j, new_j)
            return
    _write_parents(graph, i, old_i)
    _write_parents(graph, j, old_j)


@njit()
def enter_layers(graph, layers):
    """Fill `layers` with the layer of each variable of a DAG: the length of the longest path to it."""
    n = len(graph)
    layers[:] = 0
    changed = True
    while changed:
        changed = False
        for u in range(n):
            for v in range(n):
                if graph[u, v] and layers[v] <= layers[u]:
                    layers[v] = layers[u] + 1
                    changed = True


@njit()
def sample(layers, tables, layered, uniforms, graphs, arcs, scores):
    """Move a chain and draw a DAG after each `moves` moves.

    With layers, the chain continues from a copy of each DAG after the same number of edge reversals and after drawing
    the parents of each variable again among its non-descendants (a step of Gibbs sampling). If edges are required, only
    this last kind of move leads from every DAG to every other.

    Parameters
    ----------
    layers : ndarray of int64, shape (n,)
        Receives the last state.
    tables, layered
        As for `draw_graph`.
    uniforms : ndarray of float64, shape (draws, 2 * n + 6 * moves)
    graphs, arcs, scores : ndarray, shape (draws, n, n), (draws, n, n) and (draws,)
        Receive the results of `draw_graph`.
    """
    n, known = len(layers), _nothing_known()
    for d in range(len(uniforms)):
        moves = uniforms[d, 2 * n :].reshape(-1, 6)
        for move in moves:
            _relocate(layers, int(move[4] * n), tables, layered, move[5], known)
        scores[d] = draw_graph(layers, tables, layered, uniforms[d, :n], graphs[d], arcs[d])
        if layered:
            graph = graphs[d].copy()
            for move in moves:
                _reverse(graph, tables, move, known)
            for w in range(n):
                graph[:, w] = False
                _draw_parents(w, _no_descendants(w, graph, tables), 0, uniforms[d, n + w], graph, tables, known)
            enter_layers(graph, layers)
