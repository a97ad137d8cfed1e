"""Random networks of the size of Figure 2(a), whose edges and parameters are not printed: 7 nodes, 7 edges."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from bnlab.data.variable import Variable
from bnlab.experiments.matuszak2012.cell import learned
from bnlab.experiments.matuszak2012.readings import ROWS
from bnlab.graphs import Dag
from bnlab.networks import BayesianNetwork

NODES = 7
EDGES = 7
ARITIES = (2, 3, 4)


def random_network(seed: int, n: int = NODES, n_edges: int = EDGES) -> BayesianNetwork:
    """Connected network with random edges, two to four states per node, and parameters from a flat Dirichlet.

    Parameters
    ----------
    seed : int
    n, n_edges : int
        Numbers of nodes and of edges, at least n - 1.

    Raises
    ------
    ValueError
        If no connected acyclic network has so many edges.
    """
    if not n - 1 <= n_edges <= n * (n - 1) // 2:
        raise ValueError(f"n_edges={n_edges}: a connected network of {n} nodes has {n - 1} to {n * (n - 1) // 2}.")
    # Not from the seed alone: the random orders of K2 are, and would coincide with the order of the edges.
    draw = np.random.default_rng([seed, ROWS])
    names = [f"X{i + 1}" for i in range(n)]
    place = draw.permutation(n)
    joined = [(int(draw.integers(v)), v) for v in range(1, n)]
    others = [(u, v) for v in range(n) for u in range(v) if (u, v) not in joined]
    more = draw.choice(len(others), n_edges - len(joined), replace=False)
    edges = [*joined, *(others[k] for k in more)]
    dag = Dag.from_edges(names, [(names[place[u]], names[place[v]]) for u, v in edges])
    arities = draw.choice(ARITIES, n)
    variables = [Variable(name, tuple(range(r))) for name, r in zip(names, arities, strict=True)]
    tables = [
        draw.dirichlet(np.ones(arities[i]), tuple(arities[list(parents)])) for i, parents in enumerate(dag.parents)
    ]
    return BayesianNetwork(dag, variables, tables)


def evaluate_random(cell: Mapping[str, Any]) -> dict[str, Any]:
    """Results of one run on a random network, as `cell.learned` returns them, without the curve.

    Parameters
    ----------
    cell : mapping with run and seed (of the network, the rows and the search)
    """
    network = random_network(cell["seed"])
    result = learned(network.sample(ROWS, seed=cell["seed"]), network.dag, cell["run"], cell["seed"])
    result.pop("curve", None)
    return result
