"""A Markov chain over ordered partitions of the variables into layers, from which graphs are drawn.

Every DAG has one partition. Its layer 0 has the variables without parents, and a variable in layer k has a parent in
layer k - 1 and none in layer k or later. Without layers (`layered` false) a partition is an order with one variable per
layer, and the only rule is that parents come first. The weight of a set of parents is exp(its score).

References
----------
M. Grzegorczyk, D. Husmeier. Improving the structure MCMC sampler for Bayesian networks by introducing a new edge
reversal move. Machine Learning 71, 2008.
J. Kuipers, P. Suter, G. Moffa. Efficient sampling and structure learning of Bayesian networks. JCGS 31, 2022 (sums).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from bnlab.engine.compiled import NO, NOBODY, YES, ZERO, compiled, inner
from bnlab.engine.subsets import NEGLIGIBLE, log_add

KNOWN = 1 << 14  # rows of the table of known weights, a power of 2: 1 MB
FILTERED = 128  # parent sets that are filtered at a time
PRECISE = 1e-4  # a smaller difference of two sums has lost too many digits


class Families(NamedTuple):
    """Scored parent sets of n variables: sets of core candidates, and these with one other candidate."""

    candidates: np.ndarray  # (n, most) int64: possible parents of each variable, those of the core first
    number: np.ndarray  # (n,) int64: candidates of each variable
    core: np.ndarray  # (n,) int64: candidates of its core
    bits: np.ndarray  # (sets,) int64: bit k stands for candidate k; variable by variable, best first
    scores: np.ndarray  # (sets,) in nats
    starts: np.ndarray  # (n + 1,) int64: where the sets of each variable begin
    sums: np.ndarray  # (cells,) logarithms of weights, which `fill_sums` enters
    places: np.ndarray  # (n + 1,) int64: where the sums of each variable begin


class Known(NamedTuple):
    """Table of the last weights, in which a row is one line of the processor's cache."""

    keys: np.ndarray  # (KNOWN, 8) int64: bits `before`, `last` and `of_v`, the variable (-1 in an empty row), unused
    weights: np.ndarray  # (KNOWN, 8) float64: the same memory; its last four columns are the weights


class Draws(NamedTuple):
    """DAGs drawn from a chain; `graphs` and `arcs` are zero before."""

    graphs: np.ndarray  # (draws, n, n) bool: adjacency matrices
    arcs: np.ndarray  # (draws, n, n) float32: probability of each edge given the partition
    scores: np.ndarray  # (draws,) scores of the DAGs


def families_of(
    candidates: tuple[tuple[int, ...], ...], core: tuple[int, ...], bits: tuple[np.ndarray, ...], scores: np.ndarray
) -> Families:
    """Families of n variables with their sums; `bits` has an array for each variable, `scores` is one for all."""
    number = np.array([len(of_v) for of_v in candidates], dtype=np.int64)
    padded = np.zeros((len(candidates), max(int(number.max()), 1)), dtype=np.int64)
    for v, of_v in enumerate(candidates):
        padded[v, : len(of_v)] = of_v
    starts, places = np.cumsum([0, *map(len, bits)]), np.cumsum([0, *cells_of_sums(candidates, core)])
    sums = np.full(places[-1], -np.inf)
    families = Families(padded, number, np.array(core), np.concatenate(bits), scores, starts, sums, places)
    fill_sums(families)
    return families


def cells_of_sums(candidates: tuple[tuple[int, ...], ...], core: tuple[int, ...]) -> list[int]:
    """Number of sums of each variable: one for each set within its core, and for each of these with another one."""
    return [(1 + len(of_v) - size) << size for of_v, size in zip(candidates, core, strict=True)]


@compiled
def fill_sums(families):
    """Enter the weight of all sets within each set of core candidates: alone, and with each other candidate."""
    for w in range(len(families.number)):
        core = families.core[w]
        table = families.sums[families.places[w] : families.places[w + 1]].reshape(1 << core, -1)
        for s in range(families.starts[w], families.starts[w + 1]):
            other, column = families.bits[s] >> core, 0
            while other:
                other >>= 1
                column += 1
            table[families.bits[s] & ((1 << core) - 1), column] = families.scores[s]
        for k in range(core):
            for subset in range(1 << core):
                if subset >> k & 1:
                    for column in range(table.shape[1]):
                        table[subset, column] = log_add(table[subset, column], table[subset ^ (1 << k), column])


@inner
def within(families, w, allowed):
    """Logarithm of the weight of w's parent sets within `allowed`."""
    core = families.core[w]
    width = families.number[w] - core + 1
    begin = families.places[w] + (allowed & ((1 << core) - 1)) * width
    others, best = allowed >> core, families.sums[begin]
    if others == 0:
        return best
    for column in range(1, width):
        if others >> (column - 1) & 1:
            best = max(best, families.sums[begin + column])
    if best == -np.inf:
        return best
    total = np.exp(families.sums[begin] - best)
    for column in range(1, width):
        if others >> (column - 1) & 1:
            total += np.exp(families.sums[begin + column] - best)
    return best + np.log(total)


@inner
def scan(families, w, allowed, needed):
    """Logarithm of the weight of w's parent sets within `allowed` that have one of `needed`, set by set."""
    bits, scores = families.bits, families.scores
    total, best = 0.0, -np.inf
    end = families.starts[w + 1]
    chosen = np.empty(FILTERED, dtype=np.int64)
    for begin in range(families.starts[w], end, FILTERED):
        if scores[begin] < best + NEGLIGIBLE:
            break
        # Few sets pass, and the processor cannot predict which ones: a loop without a branch is faster.
        number = 0
        for s in range(begin, min(begin + FILTERED, end)):
            chosen[number] = s
            number += (bits[s] & ~allowed == 0) & (bits[s] & needed != 0)
        for s in chosen[:number]:
            best = max(best, scores[s])  # the first one, because they are sorted
            total += np.exp(scores[s] - best)
    return best + np.log(total) if total > 0.0 else -np.inf


@inner
def meeting(families, w, allowed, needed):
    """Logarithm of the weight of w's parent sets within `allowed` that have one of `needed`."""
    total, rest = within(families, w, allowed), within(families, w, allowed & ~needed)
    if total == -np.inf or rest == -np.inf:
        return total
    share = -np.expm1(rest - total)
    return total + np.log(share) if share > PRECISE else scan(families, w, allowed, needed)


@inner
def nothing_known():
    """Empty table of weights."""
    keys = np.empty((KNOWN, 8), dtype=np.int64)
    for row in range(KNOWN):
        keys[row, 3] = -1
    return Known(keys, keys.view(np.float64))


@inner
def members(layers, w, layer, families, v):
    """Bits of w's candidates in layers before `layer` and in the last of these, both without v, and the bit of v."""
    before = last = of_v = ZERO
    for k in range(families.number[w]):
        u = families.candidates[w, k]
        if u == v:
            of_v = 1 << k
        elif layers[u] < layer:
            before |= 1 << k
            if layers[u] == layer - 1:
                last |= 1 << k
    return before, last, of_v


@inner
def weights_of(w, bits, free, families, known):
    """Logarithms of the weights of w's parent sets for each place of v, given the `members` before w.

    A chain returns to the same candidates often, so that known weights are looked up in a table.

    Returns
    -------
    after, early, joined, alone : float
        If v is not before w, in a layer before the one just before w's, in that layer, or alone just before w. If w is
        `free`, its parents need not be in the layer just before it.
    """
    before, last, of_v = bits
    if free:
        last = -1
    mixed = (before * 0x9E3779B97F4A7C1 + last * 0x2545F4914F6CDD1D + of_v * 0x1B873593 + w) * 0x5851F42D4C957F2D
    row = np.uint64(mixed) >> np.uint64(40) & np.uint64(KNOWN - 1)
    key, found = known.keys[row], known.weights[row]
    if key[0] != before or key[1] != last or key[2] != of_v or key[3] != w:
        key[0], key[1], key[2], key[3] = before, last, of_v, w
        found[4] = within(families, w, before) if free else meeting(families, w, before, last)
        found[5], found[6], found[7] = found[4], found[4], -np.inf
        if of_v:
            with_v = before | of_v
            found[5] = within(families, w, with_v) if free else meeting(families, w, with_v, last)
            found[6] = found[5] if free else meeting(families, w, with_v, last | of_v)
            found[7] = meeting(families, w, with_v, of_v)
    return found[4], found[5], found[6], found[7]


@inner
def take_out(layers, v):
    """Close the layer that v leaves if it was alone there; return the number of layers of the others."""
    alone = True
    for w in range(len(layers)):
        alone &= w == v or layers[w] != layers[v]
    m = 0
    for w in range(len(layers)):
        if w != v:
            if alone and layers[w] > layers[v]:
                layers[w] -= 1
            m = max(m, layers[w] + 1)
    return m


@inner
def weigh_places(layers, v, m, families, layered, known):
    """Logarithms of the weights of all places of v: [2 k] alone before layer k of m, [2 k + 1] in layer k."""
    # Weights of the variables of each layer if v is not before them, in a layer before the one just before theirs, in
    # that layer, or alone just before them.
    after, early, joined, alone_before = np.zeros(m + 2), np.zeros(m + 2), np.zeros(m + 2), np.zeros(m + 2)
    for w in range(len(layers)):
        if w != v:
            k = layers[w]
            weight = weights_of(w, members(layers, w, k, families, v), not layered or k == 0, families, known)
            after[k] += weight[0]
            early[k] += weight[1]
            joined[k] += weight[2]
            alone_before[k] += weight[3 if layered else 1]
    for k in range(m - 1, 0, -1):
        early[k] += early[k + 1]
    weights = np.full(2 * m + 1, -np.inf)
    start = 0.0
    for k in range(m + 1):
        before, last, _ = members(layers, v, k, families, v)
        own = weights_of(v, (before, last, ZERO), not layered or k == 0, families, known)[0]
        weights[2 * k] = start + own + alone_before[k] + early[k + 1]
        start += after[k]
        if layered and k < m:
            weights[2 * k + 1] = start + own + joined[k + 1] + (early[k + 2] if k + 2 <= m else 0.0)
    return weights


@inner
def draw_place(weights, uniform):
    """Draw an index in proportion to exp(weights), which become those numbers."""
    best, total = -np.inf, 0.0  # loops compile in half the time of array expressions
    for weight in weights:
        best = max(best, weight)
    for place in range(len(weights)):
        weights[place] = np.exp(weights[place] - best)
        total += weights[place]
    left = uniform * total
    place = 0
    while place < len(weights) - 1 and (left >= weights[place] or weights[place] == 0.0):
        left -= weights[place]
        place += 1
    while weights[place] == 0.0:  # rounding has gone past the last place
        place -= 1
    return place


@inner
def relocate(layers, v, families, layered, uniform, known):
    """Draw a new place of v given the places of the others: a step of Gibbs sampling, which changes `layers`.

    With m layers of the others, v can join one of them or form a layer of its own at one of m + 1 places.
    """
    m = take_out(layers, v)
    place = draw_place(weigh_places(layers, v, m, families, layered, known), uniform)
    if place % 2 == 0:
        for w in range(len(layers)):
            if w != v and layers[w] >= place // 2:
                layers[w] += 1
    layers[v] = place // 2


@compiled
def draw_graph(layers, families, layered, uniforms, graph, arcs):
    """Draw a DAG of a partition.

    Parameters
    ----------
    layers : ndarray of int64, shape (n,)
    families : Families
    layered : bool
    uniforms : ndarray of float64, shape (n,)
        Random numbers in [0, 1).
    graph, arcs : ndarray, shape (n, n)
        As in `Draws`.

    Returns
    -------
    float
        Score of the DAG.
    """
    bits, scores = families.bits, families.scores
    score = 0.0
    for w in range(len(layers)):
        before, last, _ = members(layers, w, layers[w], families, NOBODY)
        free = not layered or layers[w] == 0
        total = within(families, w, before) if free else meeting(families, w, before, last)
        left, chosen = uniforms[w], -1
        for s in range(families.starts[w], families.starts[w + 1]):
            if scores[s] < total + NEGLIGIBLE and chosen >= 0:
                break
            if bits[s] & ~before == 0 and (free or bits[s] & last != 0):
                share = np.exp(scores[s] - total)
                if left >= 0.0:
                    chosen = s
                    left -= share
                for k in range(families.number[w]):
                    if bits[s] >> k & 1:
                        arcs[families.candidates[w, k], w] += share
        score += scores[chosen]
        for k in range(families.number[w]):
            graph[families.candidates[w, k], w] = bits[chosen] >> k & 1
    return score


@inner
def no_descendants(w, graph, families):
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
    for k in range(families.number[w]):
        if not reached[families.candidates[w, k]]:
            allowed |= 1 << k
    return allowed


@inner
def bit_of(u, w, families):
    """Bit of u among w's candidates; 0 if u is not one of them."""
    for k in range(families.number[w]):
        if families.candidates[w, k] == u:
            return 1 << k
    return 0


@inner
def draw_parents(w, allowed, needed, uniform, graph, families, known):
    """Draw w's parents within `allowed`, with at least one of `needed` (0 for any), in a graph where w has none.

    Returns
    -------
    float
        Logarithm of the weight of all such sets; -inf if there are none.
    """
    bits, scores = families.bits, families.scores
    total = weights_of(w, (allowed, needed, ZERO), needed == 0, families, known)[0]
    left, chosen = uniform, -1
    for s in range(families.starts[w], families.starts[w + 1]):
        if left < 0.0 or (chosen >= 0 and scores[s] < total + NEGLIGIBLE):
            break
        if bits[s] & ~allowed == 0 and (needed == 0 or bits[s] & needed != 0):
            chosen = s
            left -= np.exp(scores[s] - total)
    if chosen >= 0:
        for k in range(families.number[w]):
            graph[families.candidates[w, k], w] = bits[chosen] >> k & 1
    return total


@inner
def write_parents(graph, v, column):
    """graph[:, v] = column, without the check of shapes whose error message numba compiles for seconds."""
    for u in range(len(column)):
        graph[u, v] = column[u]


@inner
def draw_edge(graph, uniform):
    """Number of edges of a graph plus one, and one of them or (-1, -1): all have the same probability.

    Without the chance of no edge, an even number of reversals that are always accepted would change no direction.
    """
    flat = graph.ravel()
    choices = flat.sum() + 1
    left = int(uniform * choices)
    if left == choices - 1:
        return choices, -1, -1
    place = -1
    while left >= 0:
        place += 1
        left -= flat[place]
    return choices, place // len(graph), place % len(graph)


@inner
def reverse(graph, families, uniforms, known):
    """Reverse an edge i -> j and draw all parents of i and j again: a Metropolis-Hastings step on DAGs.

    The acceptance probability is that of Grzegorczyk and Husmeier (2008), equation 15, with one more choice than edges.
    """
    choices, i, j = draw_edge(graph, uniforms[0])
    if i < 0:
        return
    j_of_i, i_of_j = bit_of(j, i, families), bit_of(i, j, families)
    if j_of_i == 0:
        return
    old_i, old_j = graph[:, i].copy(), graph[:, j].copy()
    graph[:, i] = False
    graph[:, j] = False
    back = weights_of(j, (no_descendants(j, graph, families), i_of_j, ZERO), NO, families, known)[0]
    forth = draw_parents(i, no_descendants(i, graph, families), j_of_i, uniforms[1], graph, families, known)
    if forth > -np.inf:
        forth += draw_parents(j, no_descendants(j, graph, families), ZERO, uniforms[2], graph, families, known)
        new_i, new_j = graph[:, i].copy(), graph[:, j].copy()
        new_choices = graph.sum() + 1
        graph[:, i] = False
        write_parents(graph, j, old_j)
        total = weights_of(i, (no_descendants(i, graph, families), ZERO, ZERO), YES, families, known)[0]
        if uniforms[3] * new_choices < choices * np.exp(min(forth - back - total, 50.0)):
            write_parents(graph, i, new_i)
            write_parents(graph, j, new_j)
            return
    write_parents(graph, i, old_i)
    write_parents(graph, j, old_j)


@compiled
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


@compiled
def sample(layers, families, layered, uniforms, draws):
    """Move a chain and draw a DAG after each `moves` moves.

    With layers, the chain continues from a copy of each DAG after the same number of edge reversals and after drawing
    the parents of each variable again among its non-descendants (a step of Gibbs sampling). If edges are required, only
    this last kind of move leads from every DAG to every other.

    Parameters
    ----------
    layers : ndarray of int64, shape (n,)
        Receives the last state.
    families : Families
    layered : bool
    uniforms : ndarray of float64, shape (draws, 2 * n + 6 * moves)
    draws : Draws
    """
    n, known = len(layers), nothing_known()
    for d in range(len(uniforms)):
        moves = uniforms[d, 2 * n :].reshape(-1, 6)
        for move in moves:
            relocate(layers, int(move[4] * n), families, layered, move[5], known)
        draws.scores[d] = draw_graph(layers, families, layered, uniforms[d, :n], draws.graphs[d], draws.arcs[d])
        if layered:
            graph = draws.graphs[d].copy()
            for move in moves:
                reverse(graph, families, move, known)
            for w in range(n):
                graph[:, w] = False
                draw_parents(w, no_descendants(w, graph, families), ZERO, uniforms[d, n + w], graph, families, known)
            enter_layers(graph, layers)
