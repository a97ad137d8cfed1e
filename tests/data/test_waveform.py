from __future__ import annotations

import numpy as np
import pytest

from bnlab.data import waveform

# Base waves as Breiman et al. draw them, read off the figure.
H1 = [0, 1, 2, 3, 4, 5, 6, 5, 4, 3, 2, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0]
H2 = [0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3, 4, 5, 6, 5, 4, 3, 2, 1, 0]
H3 = [0, 0, 0, 0, 0, 1, 2, 3, 4, 5, 6, 5, 4, 3, 2, 1, 0, 0, 0, 0, 0]


def expected_means() -> np.ndarray:
    """E[u h_a + (1 - u) h_b + ε] = (h_a + h_b) / 2."""
    return np.array([np.add(H1, H2), np.add(H1, H3), np.add(H2, H3)]) / 2


def test_means_and_covariances_of_each_class_are_those_of_the_model() -> None:
    frame = waveform(30_000, seed=1)
    x, label = frame.iloc[:, :-1].to_numpy(), frame["class"].to_numpy()
    for k, (a, b) in enumerate([(H1, H2), (H1, H3), (H2, H3)]):
        mine = x[label == k]
        assert abs(len(mine) / 30_000 - 1 / 3) < 0.015
        assert np.abs(mine.mean(axis=0) - expected_means()[k]).max() < 0.1
        difference = np.subtract(a, b)
        model = np.eye(21) + np.outer(difference, difference) / 12  # Var(u) = 1 / 12
        assert np.abs(np.cov(mine.T) - model).max() < 0.2


def test_a_seed_repeats_its_rows() -> None:
    assert waveform(5, seed=3).equals(waveform(5, seed=3))
    assert not waveform(5, seed=3).equals(waveform(5, seed=4))
    assert waveform(1, seed=0).columns.tolist() == [*(f"x{i}" for i in range(1, 22)), "class"]


def test_no_rows_are_refused() -> None:
    with pytest.raises(ValueError, match="n=0"):
        waveform(0, seed=1)


@pytest.mark.needs_data
def test_the_file_of_the_repository_is_a_sample_of_the_model(shared_data: object) -> None:
    from bnlab.data import load_frame

    frame = load_frame("waveform")
    means = frame.groupby("class", observed=True).mean().to_numpy()
    assert np.abs(means - expected_means()).max() < 0.15
