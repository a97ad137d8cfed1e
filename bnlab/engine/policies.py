"""Decision nodes: their policies, and the permanent edge condition of Matuszak and Miekisz (2012).

The decision "none" (X_None) of node i is coded as i itself, so that `tau[i, i]` is the probability of no edge. `Rules`
holds the readings of the text (`bnlab.learners.chen.readings`).
"""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from bnlab.engine.compiled import NOBODY, compiled, inner
from bnlab.engine.instance import ACTIVE, ITERATION, RANDOM, Bits, Floats, Integers

Flags: TypeAlias = NDArray[np.bool_]

# Kinds of events.
CONVERGED, FORCED, STUCK, GENERATED = map(np.int64, range(4))
# Readings, in the order of their names in `bnlab.learners.chen.readings`.
PRESERVED, ONCE, REQUIRED, IGNORED = range(4)
OVERALL, ITERATIONS, MOVES = range(3)
RESTART, SKIP = range(2)
ALL, MOVED = range(2)


class Decisions(NamedTuple):
    """The decision nodes."""

    tau: Floats  # (n, n) policies
    support: Flags  # (n, n) possible decisions
    choice: Integers  # (n, slots)
    permanent: Flags  # (n, n)
    active: Flags  # (n,)
    since: Integers  # (n,) moves, or first iteration, to compare with Q


class Rules(NamedTuple):
    """Options of a search; `prior` holds the initial policies, which also reinitialise a node (step 6)."""

    prior: Floats
    epsilon: float
    block: int
    q: int
    limit: int
    connected: int
    stuck: int
    check: int
    max_parents: Integers  # (n,)
    max_exponent: float
    floor: float
    prune: bool
    update_first: bool


class Log(NamedTuple):
    """Output of the iterations, and how much of each array is filled."""

    scores: Floats  # (steps,) after each iteration
    events: Integers  # (most, 4): iteration, u, v, kind
    missing: Bits  # (most, words + 1): families without a score
    filled: Integers  # (2,): events, lookups without a score


@inner
def uniform(numbers):
    """Next random number in [0, 1): SplitMix64, whose state is one word of the search's state."""
    numbers[RANDOM] += np.int64(-7046029254386353131)
    z = np.uint64(numbers[RANDOM])
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    z ^= z >> np.uint64(31)
    return np.float64(z >> np.uint64(11)) * 2.0**-53


@inner
def draw_below(numbers, m):
    """Random whole number in 0..m-1."""
    return min(np.int64(uniform(numbers) * m), m - 1)


@inner
def draw(numbers, weights):
    """Random index, with weights of any positive sum; -1 if all are zero."""
    left = uniform(numbers) * total(weights)
    last = -1
    for h in range(weights.shape[0]):
        if weights[h] > 0.0:
            last = h
            left -= weights[h]
            if left < 0.0:
                return h
    return last


@inner
def total(values):
    """Sum of a vector."""
    result = 0.0
    for value in values:
        result += value
    return result


@compiled
def normalise(tau, support, floor):
    """Make a policy sum to one on its support, with no probability below `floor` there."""
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


@inner
def reinitialise_policy(decisions, rules, net, i):
    """Reinitialise the policy of node i on its remaining decisions."""
    for h in range(decisions.tau.shape[0]):
        decisions.tau[i, h] = rules.prior[i, h]
    normalise(decisions.tau[i], decisions.support[i], rules.floor)
    decisions.since[i] = 0 if rules.limit == MOVES else net.numbers[ITERATION] + 1


@inner
def is_converged(decisions, rules, i, c):
    """Equation 2 for the choice in slot c of node i; "none" counts only if the other slots also hold "none"."""
    h = decisions.choice[i, c]
    return 1.0 - decisions.tau[i, h] < rules.epsilon and (h != i or others_hold_none(decisions, i, c))


@inner
def make_converged_permanent(net, decisions, rules, log, i):
    """Make all current choices that satisfy equation 2 permanent; return whether node i changed."""
    n, slots = decisions.choice.shape
    changed = False
    for x in range(n):
        for y in range(slots):
            if decisions.active[x] and is_converged(decisions, rules, x, y):
                make_permanent(net, decisions, rules, log, x, y, CONVERGED)
                changed |= x == i
    return changed or not decisions.active[i]


@inner
def make_permanent(net, decisions, rules, log, i, c, kind):
    """Make the choice in slot c of node i permanent (permanent edge condition and step 6)."""
    h = decisions.choice[i, c]
    if h == i:
        deactivate(net, decisions, log, i, kind)
        return
    log_event(net, log, i, h, kind)
    decisions.permanent[i, h] = True
    decisions.choice[i, c] = i
    decisions.support[i, h] = False
    decisions.support[h, i] = False
    if rules.prune:
        prune(decisions.support, decisions.permanent)
    reinitialise_policy(decisions, rules, net, i)
    for x in range(decisions.tau.shape[0]):
        if x == h or rules.prune:
            normalise(decisions.tau[x], decisions.support[x], rules.floor)
        if decisions.active[x] and only_none(decisions.support[x]) and others_hold_none(decisions, x, NOBODY):
            deactivate(net, decisions, log, x, CONVERGED)


@inner
def deactivate(net, decisions, log, i, kind):
    """Remove node i from the active nodes."""
    log_event(net, log, i, i, kind)
    decisions.active[i] = False
    net.numbers[ACTIVE] -= 1


@inner
def only_none(support):
    """Whether "none" is the only remaining decision."""
    left = 0
    for possible in support:
        left += possible
    return left == 1


@inner
def others_hold_none(decisions, i, c):
    """Whether all slots of node i but c hold "none"."""
    taken = 0
    for other in range(decisions.choice.shape[1]):
        taken += other != c and decisions.choice[i, other] != i
    return taken == 0


@compiled
def prune(support, permanent):
    """Remove from all supports the edges that would close a cycle with permanent ones."""
    n = support.shape[0]
    path = permanent.copy()
    for k in range(n):
        for u in range(n):
            if path[u, k]:
                for v in range(n):
                    path[u, v] |= path[k, v]
    for u in range(n):
        for v in range(n):
            if path[u, v]:
                support[v, u] = False


@inner
def log_event(net, log, u, v, kind):
    """Log an event."""
    k = log.filled[0]
    log.events[k, 0] = net.numbers[ITERATION]
    log.events[k, 1] = u
    log.events[k, 2] = v
    log.events[k, 3] = kind
    log.filled[0] += 1
