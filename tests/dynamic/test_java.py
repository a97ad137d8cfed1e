"""The optimal tree-augmented network beside the program of its authors."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import bnlab
from bnlab.dynamic import learn_dynamic


def wide_frame() -> pd.DataFrame:
    """Rows of 200 units at 5 times: each of six variables follows one of the past and one of its slice."""
    rng = np.random.default_rng(7)
    x = rng.integers(0, 3, (200, 5, 6))
    for t in range(5):
        for i in range(6):
            past, inner = rng.random((2, 200)) < 0.4
            if t:
                x[past, t, i] = x[past, t - 1, (2 * i + 1) % 6]
            if i:
                x[inner, t, i] = (x[inner, t, i // 2] + i) % 3
    return pd.DataFrame({f"X{i}__{t}": [f"s{v}" for v in x[:, t, i]] for t in range(5) for i in range(6)})


# The edges of tDBN 0.1 (github.com/josemonteiro/tDBN, `LearnFromFile -p P -sp -s SCORE`) for these rows, "1-0" for
# X1[t-1] -> X0[t] and "01" for X0[t] -> X1[t]. It gives each variable at least one parent from the past.
JAVA = {
    ("bic", 1): "01 1-0 1-3 12 13 24 25 3-1 3-4 5-2 5-5",
    ("bic", 2): "01 1-0 1-3 12 13 24 25 3-1 3-4 5-2 5-5",
    ("ll", 1): "01 1-0 1-3 12 13 24 25 3-1 3-4 5-2 5-5",
    ("ll", 2): "01 1-0 1-3 1-4 12 13 2-2 24 25 3-1 3-4 3-5 4-3 5-0 5-1 5-2 5-5",
}


@pytest.mark.parametrize(("score", "p"), JAVA)
def test_the_program_of_the_authors_finds_the_same_edges(score: str, p: int) -> None:
    panel = bnlab.load_panel(wide_frame(), wide="__")
    edges = learn_dynamic(panel, "tdbn", score=score, p=p).transition.edges
    found = {f"{u[1]}{'-' * ('t-1' in u)}{v[1]}" for u, v in edges}
    assert found == set(JAVA[score, p].split())
