"""A small table and networks on it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from ipywidgets import Widget

from bnlab.data import Table
from bnlab.graphs import Dag
from bnlab.networks import BayesianNetwork, load_network


@pytest.fixture(autouse=True)
def closed() -> Iterator[None]:
    """Close all widgets that a test has made, and end what they run."""
    yield
    Widget.close_all()


@pytest.fixture(scope="session")
def asia() -> BayesianNetwork:
    return load_network("asia")


@pytest.fixture(scope="session")
def table(asia: BayesianNetwork) -> Table:
    return asia.sample(2000, seed=1)


@pytest.fixture(scope="session")
def networks(asia: BayesianNetwork) -> dict[str, Dag]:
    fewer = Dag.from_edges(asia.names, asia.dag.edges[2:])
    return {"true": asia.dag, "fewer": fewer, "empty": Dag.empty(asia.names)}
