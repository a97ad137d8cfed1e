"""Small networks and tables with missing values, and inference by all completions of a row."""

from itertools import product

import numpy as np

import bnlab
from bnlab.data import Table, Variable
from bnlab.networks import BayesianNetwork

COLLIDER = [("a", "c"), ("b", "c")]
CHAIN = [("a", "b"), ("b", "c")]


def with_gaps(table, share, seed):
    """Table with some of its values missing completely at random."""
    rng = np.random.default_rng(seed)
    columns = [np.where(rng.random(len(table)) < share, r, table.column(i)) for i, r in enumerate(table.arities)]
    return Table(table.variables, columns, gaps=True)


def small_table(edges, seed, n=60, share=0.3, arities=(2, 3, 2)):
    rng = np.random.default_rng(seed)
    variables = [Variable(name, tuple(range(r))) for name, r in zip("abc", arities, strict=True)]
    dag = bnlab.Dag.from_edges("abc", edges)
    shapes = [tuple(arities[v] for v in (*p, i)) for i, p in enumerate(dag.parents)]
    net = BayesianNetwork(dag, variables, [rng.dirichlet(np.ones(s[-1]), s[:-1]) for s in shapes])
    return net, with_gaps(net.sample(n, seed=seed), share, seed)


def completions(table):
    """For each row all complete rows that agree with it."""
    for row in zip(*(table.column(i).tolist() for i in range(table.n_variables)), strict=True):
        yield list(product(*([k] if k < r else range(r) for k, r in zip(row, table.arities, strict=True))))


def probability(net, row):
    return np.prod([cpt[tuple(row[v] for v in (*net.dag.parents[i], i))] for i, cpt in enumerate(net.cpts)])
