"""Iterations of the search of Matuszak and Miekisz (2012): steps 3 to 8, in the order of the paper."""

from __future__ import annotations

import numpy as np

from bnlab.engine.compiled import NOBODY, ZERO, compiled, inner
from bnlab.engine.instance import (
    ACTIVE,
    BLOCKED,
    COMPONENTS,
    ITERATION,
    clear,
    component,
    components_after,
    copy,
    count_components,
    drop,
    fits,
    has,
    link,
    put,
    unlink,
)
from bnlab.engine.policies import (
    ALL,
    CONVERGED,
    FORCED,
    GENERATED,
    IGNORED,
    MOVES,
    ONCE,
    OVERALL,
    REQUIRED,
    RESTART,
    STUCK,
    draw,
    draw_below,
    is_converged,
    log_event,
    make_converged_permanent,
    make_permanent,
    normalise,
    others_hold_none,
    total,
)
from bnlab.engine.score_table import find


@compiled
def iterations(table, net, decisions, rules, beta, log):
    """Iterate until the log's scores are full or no node is active; returns the number of iterations.

    Changes `net`, `decisions` and `log` in place. After the first family without a score in the table, the changes are
    guesses. The caller then adds the scores and repeats the call from the same state.
    """
    n = net.parents.shape[0]
    for k in range(log.scores.shape[0]):
        # An iteration looks up at most two instances and two moves, and each node ends or gets an edge a few times.
        room = min(log.missing.shape[0] - log.filled[1], log.events.shape[0] - log.filled[0])
        if net.numbers[ACTIVE] == 0 or room < 4 * n + 8:
            return k
        iteration(table, net, decisions, rules, beta, log)
        log.scores[k] = total(net.local)
        net.numbers[ITERATION] += 1
    return log.scores.shape[0]


@inner
def iteration(table, net, decisions, rules, beta, log):
    """Do steps 3 to 7 once; the comments use the numbers of the paper."""
    # Step 3: a new instance of the network every B iterations, and if no move was admissible.
    first = net.numbers[ITERATION] % rules.block == 0 or net.numbers[BLOCKED] == 1
    if first:
        net.numbers[BLOCKED] = 0
        log_event(net, log, NOBODY, NOBODY, GENERATED)
        new_instance(table, net, decisions, rules, log)
        store_best(net)
    # Step 4: node i changes the decision in its slot c to h1. Step 5: the utility U before and after it.
    i, c, h1 = propose_move(net, decisions, rules)
    moved = h1 >= 0
    before = total(net.local)
    if moved:
        make_move(table, net, decisions, rules, log, i, c, h1)
        store_best(net)
    if rules.limit == MOVES:
        decisions.since[i] += 1
    # Step 6: the permanent edge condition (equation 2); after Q steps the node must decide.
    if not moved:
        log_event(net, log, i, i, STUCK)
        net.numbers[BLOCKED] = rules.stuck == RESTART
        make_converged_permanent(net, decisions, rules, log, i)
    elif rules.check == ALL:
        if make_converged_permanent(net, decisions, rules, log, i):
            return
    elif is_converged(decisions, rules, i, c):
        make_permanent(net, decisions, rules, log, i, c, CONVERGED)
        return
    if decisions.active[i] and has_used_up_q(net, decisions, rules, i):
        force_decision(table, net, decisions, rules, log, i, c)
        store_best(net)
    # Step 7: the policy of node i learns from the change of U, but not from the first move of an instance.
    elif moved and (rules.update_first or not first):
        update_policy(decisions, rules, i, h1, beta * (total(net.local) - before))


@inner
def new_instance(table, net, decisions, rules, log):
    """Step 3: an instance of the network from the permanent edges and one decision of each active node."""
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
        swap = k + draw_below(net.numbers, m - k)
        i = order[swap]
        order[swap] = order[k]
        for c in range(decisions.choice.shape[1]):
            h = draw(net.numbers, decisions.tau[i])
            if h >= 0 and h != i and fits(net, i, h, rules.max_parents[h]):
                decisions.choice[i, c] = h
                link(net, i, h)
            else:
                decisions.choice[i, c] = i
    net.numbers[COMPONENTS] = count_components(net.neighbours)
    for v in range(n):
        look_up_score(table, net, log, v)


@inner
def propose_move(net, decisions, rules):
    """Step 4: node i, its slot c and the new vertex h1 of an admissible move; h1 is -1 if there is none."""
    n, slots = decisions.choice.shape
    candidates = np.empty(n, dtype=np.int64)
    m = ZERO
    for v in range(n):
        if decisions.active[v]:
            candidates[m] = v
            m += 1
    for _ in range(n):
        i = candidates[draw_below(net.numbers, m)]
        c = draw_below(net.numbers, slots) if slots > 1 else 0
        h0 = decisions.choice[i, c]
        h1 = draw(net.numbers, decisions.tau[i])
        if h1 >= 0 and h1 != h0 and is_admissible(net, rules, i, h0, h1):
            return i, c, h1
    return draw_admissible_move(net, decisions, rules, candidates[:m])


@inner
def draw_admissible_move(net, decisions, rules, candidates):
    """Draw from all admissible moves: the same distribution as repeating step 4 until a move is admissible."""
    n, slots = decisions.choice.shape
    weights = np.empty((candidates.shape[0] * slots, n))
    for k in range(weights.shape[0]):
        admissible_decisions(net, decisions, rules, candidates[k // slots], k % slots, weights[k])
    chosen = draw(net.numbers, weights.ravel())
    k = max(chosen, 0) // n
    return candidates[k // slots], k % slots, (chosen % n if chosen >= 0 else chosen)


@inner
def is_admissible(net, rules, i, h0, h1):
    """Conditions of step 4(c): whether node i may replace its edge to h0 by one to h1 (i for no edge)."""
    if h1 != i and not fits(net, i, h1, rules.max_parents[h1]):
        return False
    before = net.numbers[COMPONENTS]
    # If no edge is removed, the number of components cannot grow: no search is needed.
    if rules.connected == IGNORED or (h0 == i and rules.connected != REQUIRED):
        return True
    return keeps_connected(rules.connected, before, components_after(net.neighbours, before, i, h0, h1))


@inner
def admissible_decisions(net, decisions, rules, i, c, weights):
    """Fill `weights` with the probabilities of the decisions that slot c of node i may change to, and 0 for others."""
    n = weights.shape[0]
    h0 = decisions.choice[i, c]
    before = net.numbers[COMPONENTS]
    found = np.empty(net.neighbours.shape[1], dtype=np.uint64)
    if h0 != i:
        drop(net.neighbours[i], h0)
    component(net.neighbours, i, NOBODY, found)
    splits = not has(found, h0)
    if h0 != i:
        put(net.neighbours[i], h0)
    for h in range(n):
        weights[h] = 0.0
        if h != h0 and decisions.tau[i, h] > 0.0 and (h == i or fits(net, i, h, rules.max_parents[h])):
            after = before + splits - (not has(found, h))
            if keeps_connected(rules.connected, before, after):
                weights[h] = decisions.tau[i, h]


@inner
def keeps_connected(rule, before, after):
    """Whether a reading of "weakly connected" allows this change of the number of components."""
    if rule == IGNORED or (rule == ONCE and before > 1):
        return True
    return after == 1 if rule == REQUIRED else after <= before


@inner
def make_move(table, net, decisions, rules, log, i, c, h1):
    """Change the decision in slot c of node i to h1, an admissible move, and score the families that it changes."""
    h0 = decisions.choice[i, c]
    # Once the skeleton is connected it stays so: every reading that uses components preserves it.
    if rules.connected != IGNORED and net.numbers[COMPONENTS] > 1:
        net.numbers[COMPONENTS] = components_after(net.neighbours, net.numbers[COMPONENTS], i, h0, h1)
    decisions.choice[i, c] = h1
    if h0 != i:
        unlink(net, i, h0)
    if h1 != i:
        link(net, i, h1)
    if h0 != i:
        look_up_score(table, net, log, h0)
    if h1 != i:
        look_up_score(table, net, log, h1)


@inner
def has_used_up_q(net, decisions, rules, i):
    """Whether node i has used up its Q steps."""
    if rules.limit == OVERALL:
        return net.numbers[ITERATION] >= rules.q
    if rules.limit == MOVES:
        return decisions.since[i] >= rules.q
    return net.numbers[ITERATION] - decisions.since[i] >= rules.q


@inner
def force_decision(table, net, decisions, rules, log, i, c):
    """After Q steps: draw a decision of node i from those that are possible now, and make it permanent."""
    h0 = decisions.choice[i, c]
    weights = np.empty(decisions.tau.shape[0])
    admissible_decisions(net, decisions, rules, i, c, weights)
    weights[h0] = decisions.tau[i, h0]
    h1 = draw(net.numbers, weights)
    if h1 >= 0 and h1 != h0:
        make_move(table, net, decisions, rules, log, i, c, h1)
    if decisions.choice[i, c] != i or others_hold_none(decisions, i, c):
        make_permanent(net, decisions, rules, log, i, c, FORCED)


@inner
def update_policy(decisions, rules, i, h1, exponent):
    """Step 7: update the policy of node i (equation 4)."""
    decisions.tau[i, h1] *= np.exp(min(max(exponent, -rules.max_exponent), rules.max_exponent))
    normalise(decisions.tau[i], decisions.support[i], rules.floor)


@inner
def look_up_score(table, net, log, v):
    """Look up the score of node v; a family without a score is logged and keeps the old score as a guess."""
    keys, values = table
    words = net.parents.shape[1]
    slot = find(keys, net.parents[v], v)
    if keys[slot, words] != np.uint64(0):
        net.local[v] = values[slot]
        return
    row = log.missing[log.filled[1]]
    for w in range(words):
        row[w] = net.parents[v, w]
    row[words] = np.uint64(v + 1)
    log.filled[1] += 1


@inner
def store_best(net):
    """Store the network if it is the best so far."""
    score = total(net.local)
    if score > net.best[0]:
        net.best[0] = score
        copy(net.parents, net.best_parents)
