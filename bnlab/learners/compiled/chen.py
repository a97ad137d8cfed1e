"""Compiled iterations of the search of Matuszak and Miekisz (2012), steps 3 to 8.

Sets of nodes are rows of bits. Reachability is kept as the set of ancestors of every node: an added edge merges sets, a
removed one has the sets of the nodes below it built anew. The decision "none" of node i is coded as i itself, so that
`tau[i, i]` is the probability of no edge.
"""

# mypy: allow-untyped-defs

from __future__ import annotations

from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from bnlab._runtime.jit import njit
from bnlab.counts.engine.vectors import popcount
from bnlab.learners.compiled.score_table import find

Bits: TypeAlias = NDArray[np.uint64]
Flags: TypeAlias = NDArray[np.bool_]
Floats: TypeAlias = NDArray[np.float64]
Integers: TypeAlias = NDArray[np.int64]

# Places in `Instance.numbers`.
ITERATION, ACTIVE, COMPONENTS, RANDOM, BLOCKED = range(5)
# Kinds of events.
CONVERGED, FORCED, STUCK, GENERATED = range(4)
# Rules, in the order of their names in `chen.ChenSearch`.
PRESERVED, ONCE, REQUIRED, IGNORED = range(4)
OVERALL, ITERATIONS, MOVES = range(3)
RESTART, SKIP = range(2)


class Instance(NamedTuple):
    """The present network and what is known of it."""

    parents: Bits  # (n, words)
    neighbours: Bits  # (n, words)
    ancestors: Bits  # (n, words)
    local: Floats  # (n,) scores of the nodes
    numbers: Integers  # (5,)
    best: Floats  # (1,) greatest score so far
    best_parents: Bits  # (n, words)


class Decisions(NamedTuple):
    """The decision nodes."""

    tau: Floats  # (n, n) policies
    support: Flags  # (n, n) decisions that are left
    choice: Integers  # (n, slots)
    permanent: Flags  # (n, n)
    active: Flags  # (n,)
    since: Integers  # (n,) what Q is compared with


class Rules(NamedTuple):
    """The options of a search; `prior` holds the policies that a node begins with, also anew."""

    prior: Floats
    epsilon: float
    block: int
    q: int
    limit: int
    connected: int
    stuck: int
    max_parents: int
    max_exponent: float
    floor: float
    prune: bool
    update_first: bool


class Log(NamedTuple):
    """What an iteration writes down, and how far it is filled."""

    scores: Floats  # (steps,) after each iteration
    events: Integers  # (most, 4): iteration, u, v, kind
    missing: Bits  # (most, words + 1): families without a score
    filled: Integers  # (2,): events, lookups without a score


# Called from compiled code only: without an entry for Python each takes far less time to compile.
_inner = njit(no_cpython_wrapper=True, no_cfunc_wrapper=True)


@_inner
def has(row, u):
    """Whether bit u of a row is set."""
    return (row[u >> 6] >> np.uint64(u & 63)) & np.uint64(1) != np.uint64(0)


@_inner
def put(row, u):
    """Set bit u of a row."""
    row[u >> 6] |= np.uint64(1) << np.uint64(u & 63)


@_inner
def drop(row, u):
    """Clear bit u of a row."""
    row[u >> 6] &= ~(np.uint64(1) << np.uint64(u & 63))


@_inner
def copy(source, target):
    """Copy sets."""
    for v in range(source.shape[0]):
        for w in range(source.shape[1]):
            target[v, w] = source[v, w]


@_inner
def clear(sets):
    """Empty all sets."""
    for v in range(sets.shape[0]):
        for w in range(sets.shape[1]):
            sets[v, w] = np.uint64(0)


@_inner
def total(values):
    """Sum of a vector."""
    result = 0.0
    for value in values:
        result += value
    return result


@_inner
def uniform(numbers):
    """Next random number in [0, 1): SplitMix64, whose state is one word of the search's state."""
    numbers[RANDOM] += np.int64(-7046029254386353131)
    z = np.uint64(numbers[RANDOM])
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    z ^= z >> np.uint64(31)
    return np.float64(z >> np.uint64(11)) * 2.0**-53


@_inner
def below(numbers, m):
    """Random whole number in 0..m-1."""
    return min(np.int64(uniform(numbers) * m), m - 1)


@_inner
def drawn(numbers, weights):
    """Index drawn by weights of any positive sum; -1 when they are all zero."""
    left = uniform(numbers) * total(weights)
    last = -1
    for h in range(weights.shape[0]):
        if weights[h] > 0.0:
            last = h
            left -= weights[h]
            if left < 0.0:
                return h
    return last


@njit()
def normalise(tau, support, floor):
    """Make a policy sum to one on its support, with no decision there below `floor`."""
    mass = 0.0
    for h in range(tau.shape[0]):
        if not support[h]:
            tau[h] = 0.0
        mass += tau[h]
    if not mass > 0.0:
        for h in range(tau.shape[0]):
            tau[h] = 1.0 if support[h] else 0.0
            mass += tau[h]
    raised = False
    for h in range(tau.shape[0]):
        tau[h] /= mass
        if support[h] and tau[h] < floor:
            tau[h] = floor
            raised = True
    if raised:
        mass = total(tau)
        for h in range(tau.shape[0]):
            tau[h] /= mass


@_inner
def link(net, u, v):
    """Add u -> v."""
    n, words = net.parents.shape
    put(net.parents[v], u)
    put(net.neighbours[u], v)
    put(net.neighbours[v], u)
    for x in range(n):
        if x == v or has(net.ancestors[x], v):
            for w in range(words):
                net.ancestors[x, w] |= net.ancestors[u, w]
            put(net.ancestors[x], u)


@_inner
def unlink(net, u, v):
    """Remove u -> v."""
    n, words = net.parents.shape
    drop(net.parents[v], u)
    drop(net.neighbours[u], v)
    drop(net.neighbours[v], u)
    waiting = np.zeros(words, dtype=np.uint64)
    todo = np.empty(n, dtype=np.int64)
    left = 0
    for x in range(n):
        if x == v or has(net.ancestors[x], v):
            todo[left] = x
            left += 1
            put(waiting, x)
    while left > 0:
        k = 0
        while k < left:
            x = todo[k]
            if disjoint(net.parents[x], waiting):
                inherit(net, x)
                drop(waiting, x)
                left -= 1
                todo[k] = todo[left]
            else:
                k += 1


@_inner
def disjoint(a, b):
    """Whether two rows share no bit."""
    shared = np.uint64(0)
    for w in range(a.shape[0]):
        shared |= a[w] & b[w]
    return shared == np.uint64(0)


@_inner
def lowest(bits):
    """Position of the lowest set bit of a word."""
    return np.int64(popcount((bits & (~bits + np.uint64(1))) - np.uint64(1)))


@_inner
def inherit(net, x):
    """Build the ancestors of x from those of its parents."""
    words = net.parents.shape[1]
    for w in range(words):
        net.ancestors[x, w] = net.parents[x, w]
    for w in range(words):
        bits = net.parents[x, w]
        while bits != np.uint64(0):
            p = 64 * w + lowest(bits)
            bits &= bits - np.uint64(1)
            for y in range(words):
                net.ancestors[x, y] |= net.ancestors[p, y]


@_inner
def component(neighbours, start, wanted, found):
    """Fill `found` with the nodes joined to `start`, until `wanted` is among them; whether it is."""
    words = neighbours.shape[1]
    stack = np.empty(neighbours.shape[0], dtype=np.int64)
    for w in range(words):
        found[w] = np.uint64(0)
    put(found, start)
    stack[0] = start
    height = 1
    while height > 0:
        height -= 1
        x = stack[height]
        for w in range(words):
            bits = neighbours[x, w] & ~found[w]
            found[w] |= bits
            while bits != np.uint64(0):
                stack[height] = 64 * w + lowest(bits)
                height += 1
                bits &= bits - np.uint64(1)
        if wanted >= 0 and has(found, wanted):
            return True
    return False


@_inner
def count_components(neighbours):
    """Number of components of the skeleton."""
    n, words = neighbours.shape
    seen = np.zeros(words, dtype=np.uint64)
    found = np.zeros(words, dtype=np.uint64)
    number = 0
    for x in range(n):
        if not has(seen, x):
            number += 1
            component(neighbours, x, -1, found)
            for w in range(words):
                seen[w] |= found[w]
    return number


@_inner
def components_after(neighbours, components, i, h0, h1):
    """Number of components once i - h0 is removed and i - h1 added; h0 or h1 is i for none."""
    found = np.zeros(neighbours.shape[1], dtype=np.uint64)
    splits = False
    # A common neighbour keeps the ends of the removed edge joined: no search is needed.
    if h0 != i and disjoint(neighbours[i], neighbours[h0]):
        drop(neighbours[i], h0)
        splits = not component(neighbours, i, h0, found)
        put(neighbours[i], h0)
    if h1 == i:
        return components + splits
    if splits:
        return components + has(found, h1)
    if components == 1:
        return 1
    return components - (not component(neighbours, i, h1, found))


@_inner
def accepts(rule, before, after):
    """Whether the rule of connectedness lets the number of components change so."""
    if rule == IGNORED or (rule == ONCE and before > 1):
        return True
    return after == 1 if rule == REQUIRED else after <= before


@_inner
def fits(net, i, h, max_parents):
    """Whether i -> h is a new edge that closes no cycle and leaves h with few enough parents."""
    if has(net.parents[h], i) or has(net.ancestors[i], h):
        return False
    size = np.int64(0)
    for w in range(net.parents.shape[1]):
        size += np.int64(popcount(net.parents[h, w]))
    return size < max_parents


@_inner
def admissible(net, rules, i, h0, h1):
    """Whether node i may exchange its edge to h0 for one to h1; i stands for no edge."""
    if h1 != i and not fits(net, i, h1, rules.max_parents):
        return False
    before = net.numbers[COMPONENTS]
    # Without a removed edge the number of components cannot grow: no search is needed.
    if rules.connected == IGNORED or (h0 == i and rules.connected != REQUIRED):
        return True
    return accepts(rules.connected, before, components_after(net.neighbours, before, i, h0, h1))


@_inner
def possible(net, decisions, rules, i, c, weights):
    """Fill `weights` with the probabilities of the decisions that slot c of node i may change to; zero for others."""
    n = weights.shape[0]
    h0 = decisions.choice[i, c]
    before = net.numbers[COMPONENTS]
    found = np.zeros(net.neighbours.shape[1], dtype=np.uint64)
    if h0 != i:
        drop(net.neighbours[i], h0)
    component(net.neighbours, i, -1, found)
    splits = not has(found, h0)
    if h0 != i:
        put(net.neighbours[i], h0)
    for h in range(n):
        weights[h] = 0.0
        if h != h0 and decisions.tau[i, h] > 0.0 and (h == i or fits(net, i, h, rules.max_parents)):
            after = before + splits - (not has(found, h))
            if accepts(rules.connected, before, after):
                weights[h] = decisions.tau[i, h]


@_inner
def exchange(net, rules, i, h0, h1):
    """Make an admissible move."""
    # A connected network stays so: every rule that looks at components sees to it.
    if rules.connected != IGNORED and net.numbers[COMPONENTS] > 1:
        net.numbers[COMPONENTS] = components_after(net.neighbours, net.numbers[COMPONENTS], i, h0, h1)
    if h0 != i:
        unlink(net, i, h0)
    if h1 != i:
        link(net, i, h1)


@_inner
def rescore(table, net, log, v):
    """Look the score of node v up; where it is not known, note the family and keep the old score as a guess."""
    keys, values = table
    words = net.parents.shape[1]
    slot = find(keys, net.parents[v], v)
    if keys[slot, words] != np.uint64(0):
        net.local[v] = values[slot]
        return
    log.missing[log.filled[1], :words] = net.parents[v]
    log.missing[log.filled[1], words] = np.uint64(v + 1)
    log.filled[1] += 1


@_inner
def rescore_exchanged(table, net, log, i, h0, h1):
    """Score the families that a move of node i has changed."""
    if h0 != i:
        rescore(table, net, log, h0)
    if h1 != i:
        rescore(table, net, log, h1)


@_inner
def remember(net):
    """Keep the network if it is the best so far."""
    score = total(net.local)
    if score > net.best[0]:
        net.best[0] = score
        copy(net.parents, net.best_parents)


@_inner
def note(net, log, u, v, kind):
    """Write an event down."""
    k = log.filled[0]
    log.events[k, 0] = net.numbers[ITERATION]
    log.events[k, 1] = u
    log.events[k, 2] = v
    log.events[k, 3] = kind
    log.filled[0] += 1


@_inner
def generate(table, net, decisions, rules, log):
    """Step 3: an instance of the network, the permanent edges and a choice of every active node in random order."""
    n = net.parents.shape[0]
    clear(net.parents)
    clear(net.neighbours)
    clear(net.ancestors)
    order = np.empty(n, dtype=np.int64)
    m = 0
    for u in range(n):
        for v in range(n):
            if decisions.permanent[u, v]:
                link(net, u, v)
        if decisions.active[u]:
            order[m] = u
            m += 1
    for k in range(m):
        swap = k + below(net.numbers, m - k)
        i = order[swap]
        order[swap] = order[k]
        for c in range(decisions.choice.shape[1]):
            h = drawn(net.numbers, decisions.tau[i])
            if h >= 0 and h != i and fits(net, i, h, rules.max_parents):
                decisions.choice[i, c] = h
                link(net, i, h)
            else:
                decisions.choice[i, c] = i
    net.numbers[COMPONENTS] = count_components(net.neighbours)
    for v in range(n):
        rescore(table, net, log, v)


@_inner
def begin_policy(decisions, rules, net, i):
    """Give node i the policy it began with, on the decisions that are left."""
    for h in range(decisions.tau.shape[0]):
        decisions.tau[i, h] = rules.prior[i, h]
    normalise(decisions.tau[i], decisions.support[i], rules.floor)
    decisions.since[i] = 0 if rules.limit == MOVES else net.numbers[ITERATION] + 1


@_inner
def settle(net, decisions, rules, log, i, c, kind):
    """Make the choice in slot c of node i permanent (permanent edge condition and step 6)."""
    h = decisions.choice[i, c]
    if h == i:
        deactivate(net, decisions, log, i, kind)
        return
    note(net, log, i, h, kind)
    decisions.permanent[i, h] = True
    decisions.choice[i, c] = i
    decisions.support[i, h] = False
    decisions.support[h, i] = False
    if rules.prune:
        prune(decisions)
    begin_policy(decisions, rules, net, i)
    for x in range(decisions.tau.shape[0]):
        if x == h or rules.prune:
            normalise(decisions.tau[x], decisions.support[x], rules.floor)
        if decisions.active[x] and only_none(decisions.support[x]) and others_empty(decisions, x, -1):
            deactivate(net, decisions, log, x, CONVERGED)


@_inner
def only_none(support):
    """Whether a single decision is left, which is then "none"."""
    left = 0
    for possible_decision in support:
        left += possible_decision
    return left == 1


@_inner
def deactivate(net, decisions, log, i, kind):
    """End the decisions of node i."""
    note(net, log, i, i, kind)
    decisions.active[i] = False
    net.numbers[ACTIVE] -= 1


@njit()
def prune(decisions):
    """Take from all supports the edges that would close a cycle with permanent ones."""
    n = decisions.tau.shape[0]
    path = decisions.permanent.copy()
    for k in range(n):
        for u in range(n):
            if path[u, k]:
                for v in range(n):
                    path[u, v] |= path[k, v]
    for u in range(n):
        for v in range(n):
            if path[u, v]:
                decisions.support[v, u] = False


@_inner
def others_empty(decisions, i, c):
    """Whether all slots of node i but c hold "none"."""
    taken = 0
    for other in range(decisions.choice.shape[1]):
        taken += other != c and decisions.choice[i, other] != i
    return taken == 0


@_inner
def converged(decisions, rules, i, c):
    """Equation 2 for the choice in slot c of node i; "none" only ends a node whose other slots are empty."""
    h = decisions.choice[i, c]
    return 1.0 - decisions.tau[i, h] < rules.epsilon and (h != i or others_empty(decisions, i, c))


@_inner
def due(net, decisions, rules, i):
    """Whether node i has used up its Q steps."""
    if rules.limit == OVERALL:
        return net.numbers[ITERATION] >= rules.q
    if rules.limit == MOVES:
        return decisions.since[i] >= rules.q
    return net.numbers[ITERATION] - decisions.since[i] >= rules.q


@_inner
def force(table, net, decisions, rules, log, i, c):
    """After Q steps: draw a decision of node i among those that are possible now, and keep it for good."""
    h0 = decisions.choice[i, c]
    weights = np.empty(decisions.tau.shape[0])
    possible(net, decisions, rules, i, c, weights)
    weights[h0] = decisions.tau[i, h0]
    h1 = drawn(net.numbers, weights)
    if h1 >= 0 and h1 != h0:
        exchange(net, rules, i, h0, h1)
        decisions.choice[i, c] = h1
        rescore_exchanged(table, net, log, i, h0, h1)
    if decisions.choice[i, c] != i or others_empty(decisions, i, c):
        settle(net, decisions, rules, log, i, c, FORCED)


@_inner
def proposed(net, decisions, rules, move):
    """Step 4: fill `move` with (i, c, h0, h1); whether any move is admissible."""
    n, slots = decisions.choice.shape
    candidates = np.empty(n, dtype=np.int64)
    m = 0
    for v in range(n):
        if decisions.active[v]:
            candidates[m] = v
            m += 1
    for _ in range(n):
        i = candidates[below(net.numbers, m)]
        c = below(net.numbers, slots) if slots > 1 else 0
        h0 = decisions.choice[i, c]
        h1 = drawn(net.numbers, decisions.tau[i])
        if h1 >= 0 and h1 != h0 and admissible(net, rules, i, h0, h1):
            fill(move, i, c, h0, h1)
            return True
    return picked(net, decisions, rules, candidates[:m], move)


@_inner
def picked(net, decisions, rules, candidates, move):
    """Draw what drawing until a move is admissible would give in the end, from all moves that are."""
    n, slots = decisions.choice.shape
    weights = np.zeros((candidates.shape[0] * slots, n))
    for k in range(weights.shape[0]):
        possible(net, decisions, rules, candidates[k // slots], k % slots, weights[k])
    chosen = drawn(net.numbers, weights.ravel())
    k = max(chosen, 0) // n
    i = candidates[k // slots]
    fill(move, i, k % slots, decisions.choice[i, k % slots], chosen % n)
    return chosen >= 0


@_inner
def fill(move, i, c, h0, h1):
    """Write a move down."""
    move[0] = i
    move[1] = c
    move[2] = h0
    move[3] = h1


@_inner
def settle_converged(net, decisions, rules, log):
    """Settle every node whose present choice satisfies equation 2."""
    n, slots = decisions.choice.shape
    for x in range(n):
        for y in range(slots):
            if decisions.active[x] and converged(decisions, rules, x, y):
                settle(net, decisions, rules, log, x, y, CONVERGED)


@_inner
def learn(decisions, rules, i, h1, exponent):
    """Step 7: the policy of node i learns what its move was worth (equation 4)."""
    decisions.tau[i, h1] *= np.exp(min(max(exponent, -rules.max_exponent), rules.max_exponent))
    normalise(decisions.tau[i], decisions.support[i], rules.floor)


@_inner
def iteration(table, net, decisions, rules, beta, log, move):
    """Steps 3 to 8 once."""
    first = net.numbers[ITERATION] % rules.block == 0 or net.numbers[BLOCKED] == 1
    if first:
        net.numbers[BLOCKED] = 0
        note(net, log, -1, -1, GENERATED)
        generate(table, net, decisions, rules, log)
        remember(net)
    moves = proposed(net, decisions, rules, move)
    i, c, h0, h1 = move
    before = total(net.local)
    if moves:
        exchange(net, rules, i, h0, h1)
        decisions.choice[i, c] = h1
        rescore_exchanged(table, net, log, i, h0, h1)
        remember(net)
    if rules.limit == MOVES:
        decisions.since[i] += 1
    if not moves:
        note(net, log, i, i, STUCK)
        net.numbers[BLOCKED] = rules.stuck == RESTART
        settle_converged(net, decisions, rules, log)
    elif converged(decisions, rules, i, c):
        settle(net, decisions, rules, log, i, c, CONVERGED)
        return
    elif not due(net, decisions, rules, i):
        if rules.update_first or not first:
            learn(decisions, rules, i, h1, beta * (total(net.local) - before))
        return
    if decisions.active[i] and due(net, decisions, rules, i):
        force(table, net, decisions, rules, log, i, c)
        remember(net)


@njit()
def iterations(table, net, decisions, rules, beta, log):
    """Iterate until the log's scores are full or no node is active; the number of iterations.

    Everything but the table, the rules and beta is changed in place. Where lookups found no score, all that was
    changed is a guess from the first of them on.
    """
    n = net.parents.shape[0]
    move = np.zeros(4, dtype=np.int64)
    for k in range(log.scores.shape[0]):
        # An iteration looks up at most two instances and two moves, and each node ends or gets an edge a few times.
        room = min(log.missing.shape[0] - log.filled[1], log.events.shape[0] - log.filled[0])
        if net.numbers[ACTIVE] == 0 or room < 4 * n + 8:
            return k
        iteration(table, net, decisions, rules, beta, log, move)
        log.scores[k] = total(net.local)
        net.numbers[ITERATION] += 1
    return log.scores.shape[0]
