"""All small graphs."""

from __future__ import annotations

import pytest

from bnlab.graphs import Dag
from tests.learners.small_problems import every_dag


@pytest.fixture(scope="session")
def dags_of_3() -> list[Dag]:
    return [Dag("ABC", parents) for parents in every_dag(3)]


@pytest.fixture(scope="session")
def dags_of_4() -> list[Dag]:
    return [Dag("ABCD", parents) for parents in every_dag(4)]
