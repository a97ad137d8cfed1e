"""A hash table from families to their scores, with open addressing, which a search reads and its caller fills."""

from __future__ import annotations

import numpy as np

from bnlab.engine.compiled import compiled


@compiled
def find(keys, parents, child):
    """Slot of the family (child, parents), or of the free slot where it belongs."""
    slots = keys.shape[0]
    words = keys.shape[1] - 1
    mix = np.uint64(child + 1) * np.uint64(0x9E3779B97F4A7C15)
    for w in range(words):
        mix = (mix ^ parents[w]) * np.uint64(0xBF58476D1CE4E5B9)
        mix ^= mix >> np.uint64(29)
    slot = np.int64(mix & np.uint64(slots - 1))
    while keys[slot, words] != np.uint64(0):
        if keys[slot, words] == np.uint64(child + 1):
            same = True
            for w in range(words):
                same &= keys[slot, w] == parents[w]
            if same:
                return slot
        slot = (slot + 1) & (slots - 1)
    return slot


@compiled
def insert(keys, values, rows, scores):
    """Enter new families; return their number."""
    words = keys.shape[1] - 1
    new = 0
    for k in range(rows.shape[0]):
        slot = find(keys, rows[k, :words], np.int64(rows[k, words]) - 1)
        if keys[slot, words] == np.uint64(0):
            for w in range(words + 1):
                keys[slot, w] = rows[k, w]
            values[slot] = scores[k]
            new += 1
    return new
