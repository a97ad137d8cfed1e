from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bnlab.data import five_fold, holdout
from tests.soak import times

seeds = st.integers(0, 2**32)


@given(st.integers(2, 200), st.data(), seeds)
@settings(max_examples=times(30, 300))
def test_a_holdout_divides_all_rows(n: int, data: st.DataObject, seed: int) -> None:
    train = data.draw(st.integers(1, n - 1))
    labels = data.draw(st.none() | st.lists(st.sampled_from("abc"), min_size=n, max_size=n))
    [(learn, test)] = holdout(n, train, seed, labels)
    assert (len(learn), len(test)) == (train, n - train)
    assert sorted([*learn, *test]) == list(range(n))
    if labels:
        shown = Counter(labels[row] for row in learn)
        assert all(abs(shown[label] - count * train / n) < 1 + 1e-9 for label, count in Counter(labels).items())


@given(st.integers(2, 9), st.integers(0, 200), st.booleans(), seeds)
@settings(max_examples=times(30, 300))
def test_folds_are_equal_disjoint_and_leave_the_remainder_out(k: int, extra: int, stratified: bool, seed: int) -> None:
    n = k + extra
    labels = ["ab"[i % 3 == 0] for i in range(n)] if stratified else None
    splits = five_fold(n, seed, labels, k)
    tests = np.concatenate([test for _, test in splits])
    assert [len(test) for _, test in splits] == [n // k] * k
    assert len(set(tests.tolist())) == k * (n // k)
    for learn, test in splits:
        assert sorted([*learn, *test]) == sorted(tests)
    if labels:
        counts = [sum(labels[row] == "b" for row in test) for _, test in splits]
        assert max(counts) - min(counts) <= 1


def test_a_seed_repeats_its_split_and_another_differs() -> None:
    for split in (lambda seed: holdout(50, 20, seed), lambda seed: five_fold(50, seed)):
        first, again, other = (np.concatenate([test for _, test in split(seed)]).tolist() for seed in (1, 1, 2))
        assert first == again
        assert first != other


@pytest.mark.parametrize("train", [0, 10, -1])
def test_a_holdout_needs_rows_on_both_sides(train: int) -> None:
    with pytest.raises(ValueError, match=rf"train={train} of n=10 rows"):
        holdout(10, train, 0)


@pytest.mark.parametrize("k", [1, 11])
def test_folds_need_rows(k: int) -> None:
    with pytest.raises(ValueError, match=rf"k={k} folds of n=10 rows"):
        five_fold(10, 0, k=k)


def test_labels_are_one_a_row() -> None:
    with pytest.raises(ValueError, match=r"shape \(3,\) for n=10 rows"):
        five_fold(10, 0, stratify=["a", "b", "c"])


def test_a_negative_seed_is_named() -> None:
    for split in (lambda: five_fold(5, -1), lambda: holdout(5, 3, -1)):
        with pytest.raises(ValueError, match="seed=-1: it must be at least 0"):
            split()
