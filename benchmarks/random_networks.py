"""Networks of any size with random edges and tables, as work for benchmarks."""

from __future__ import annotations

import numpy as np

from bnlab import BayesianNetwork, Dag, Variable


def random_network(nodes: int, arity: int, max_parents: int, seed: int = 11) -> BayesianNetwork:
    """Network with random tables, in which each node has up to `max_parents` random parents among earlier nodes."""
    rng = np.random.default_rng(seed)
    parents = [
        sorted(rng.choice(i, size=min(i, int(rng.integers(max_parents + 1))), replace=False).tolist())
        for i in range(nodes)
    ]
    variables = [Variable(f"v{i}", tuple(map(str, range(arity)))) for i in range(nodes)]
    cpts = [rng.dirichlet(np.full(arity, 0.5), size=(arity,) * len(p)) for p in parents]
    return BayesianNetwork(Dag([v.name for v in variables], parents), variables, cpts)
