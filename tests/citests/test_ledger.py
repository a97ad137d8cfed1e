"""Copies that share what was written before them, and nothing else."""

from __future__ import annotations

import copy
import pickle
from itertools import islice

import numpy as np

from bnlab.citests.tester import Ledger


def test_copies_go_separate_ways_whichever_is_written_to_first():
    ledger = Ledger({"a": 1})
    first, second = ledger.copy(), ledger.copy()
    first["b"] = 2
    second["b"] = 3
    second["a"] = 0
    assert (ledger, first, second) == ({"a": 1}, {"a": 1, "b": 2}, {"a": 0, "b": 3})
    ledger["c"] = 4
    assert (ledger, first, second) == ({"a": 1, "c": 4}, {"a": 1, "b": 2}, {"a": 0, "b": 3})


def test_it_behaves_as_dictionaries_do_under_any_order_of_writes_copies_and_looks():
    rng = np.random.default_rng(1)
    pairs = [(Ledger(), {})]
    for _ in range(3000):
        ledger, plain = pairs[rng.integers(len(pairs))]
        key, value = int(rng.integers(20)), int(rng.integers(1000))
        action = rng.integers(4)
        if action == 0:
            pairs.append((ledger.copy(), plain.copy()))
        elif action == 1:
            ledger[key] = value
            plain[key] = value
        elif action == 2:
            assert ledger.get(key) == plain.get(key)
        else:
            assert (len(ledger), key in ledger, list(ledger)) == (len(plain), key in plain, list(plain))
    assert len(pairs) > 100
    assert all(ledger == plain for ledger, plain in pairs)


def test_it_pickles_and_copies_deeply_as_it_is_and_not_as_its_copies_are():
    ledger = Ledger({1: "one"})
    later = ledger.copy()
    later[2] = "two"
    for same in (pickle.loads(pickle.dumps(ledger)), copy.deepcopy(ledger)):
        assert same == ledger == {1: "one"}
        assert isinstance(same, Ledger)
    assert repr(later) == "Ledger({1: 'one', 2: 'two'})"


def test_a_look_into_an_older_one_may_be_cut_through_by_a_write():
    older = Ledger({i: i for i in range(10)})
    newer = older.copy()
    entries = iter(older.items())
    seen = list(islice(entries, 5))
    newer[10] = 10
    assert dict([*seen, *entries]) == {i: i for i in range(10)}
