"""Moves of single variables to better places in an order, compiled."""

# mypy: allow-untyped-defs
from __future__ import annotations

from typing import NamedTuple

import numpy as np

from bnlab._runtime.jit import inner, njit
from bnlab.learners.types import Floats, Integers

NONE = -1


class FlatSets(NamedTuple):
    """Sets of parents of all nodes, node by node, best first."""

    begins: Integers  # (n + 1,) where the sets of each node begin, followed by the end
    scores: Floats  # (sets,)
    parents: Integers  # (sets, k) padded with `NONE`


@njit()
def first_sets(sets, order):
    """Best set of each node among the nodes before it in an order, as rows of `sets`."""
    place = np.empty_like(order)
    for at in range(order.shape[0]):
        place[order[at]] = at
    chosen = np.empty_like(order)
    for v in range(order.shape[0]):
        chosen[v] = _best(sets, place, sets.begins[v], sets.begins[v + 1], place[v], NONE, NONE)
    return chosen


@njit()
def move_all(sets, order, chosen, least):
    """Move each node once to the place where the score is greatest; returns the number of nodes that moved.

    A move must gain more than `least`. `order` and `chosen`, the rows of the best sets, are updated in place.
    """
    n = order.shape[0]
    place = np.empty_like(order)
    for at in range(n):
        place[order[at]] = at
    after = np.empty_like(chosen)
    moved = 0
    for v in order.copy():
        at = place[v]
        target, greatest = at, least
        for step in (-1, 1):
            crossed, to, own = 0.0, at + step, chosen[v]
            while 0 <= to < n:
                u = order[to]
                # The node that moves later may take a better set, which contains the other node. The node that moves
                # earlier may lose its set, and then takes one of lower score.
                if step < 0:
                    row = _best(sets, place, sets.begins[u], chosen[u], to, v, NONE)
                    own = _best(sets, place, own, sets.begins[v + 1], to, NONE, NONE)
                else:
                    row = _best(sets, place, chosen[u], sets.begins[u + 1], to, NONE, v)
                    own = _best(sets, place, sets.begins[v], own, to, u, NONE)
                if row == sets.begins[u + 1] or own == sets.begins[v + 1]:
                    break
                after[u] = row
                crossed += sets.scores[row] - sets.scores[chosen[u]]
                gain = crossed + sets.scores[own] - sets.scores[chosen[v]]
                if gain > greatest:
                    target, greatest, after[v] = to, gain, own
                to += step
        if target == at:
            continue
        moved += 1
        step = 1 if target > at else -1
        while at != target:
            u = order[at + step]
            # The scan to the other side does not change the entries of these nodes.
            order[at], place[u], chosen[u] = u, at, after[u]
            at += step
        order[at], place[v], chosen[v] = v, at, after[v]
    return moved


@inner
def _best(sets, place, begin, end, before, also, without):
    """First row before `end` whose parents are all before a place or are `also`, and none is `without`; else `end`."""
    for row in range(begin, end):
        if _fits(sets, place, row, before, also, without):
            return row
    return end


@inner
def _fits(sets, place, row, before, also, without):
    """Whether the parents of a row are all before a place or are `also`, and none is `without`."""
    for u in sets.parents[row]:
        if u == NONE:
            return True
        if (place[u] >= before and u != also) or u == without:
            return False
    return True
