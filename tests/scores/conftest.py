"""Small tables whose scores can be checked against `exact_scores`."""

from __future__ import annotations

import pytest

from bnlab.data import Table
from tests.scores.small_tables import make_table


@pytest.fixture(scope="session")
def tiny() -> Table:
    """12 rows of arities 2, 3, 1, 4: many configurations are never seen."""
    return make_table((2, 3, 1, 4), 12, seed=3)


@pytest.fixture(scope="session")
def four() -> Table:
    """90 rows of four dependent variables of different arities."""
    return make_table((2, 3, 2, 4), 90, seed=1)
