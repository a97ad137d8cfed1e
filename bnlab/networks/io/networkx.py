"""Bayesian networks as graphs of networkx, whose nodes have the attributes ``states``, ``parents`` and ``cpt``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from bnlab.data.variable import Variable
from bnlab.graphs.dag import Dag
from bnlab.networks.types import Network

if TYPE_CHECKING:
    import networkx as nx


def with_tables(net: Network) -> nx.DiGraph:
    """Graph of a network with states and tables as attributes of the nodes; see `BayesianNetwork.to_networkx`."""
    graph = net.dag.to_networkx()
    for variable, cpt in zip(net.variables, net.cpts, strict=True):
        parents = net.dag.parents_of(variable.name)
        graph.nodes[variable.name].update(states=variable.states, parents=parents, cpt=cpt)
    return graph


def tables_of(graph: nx.DiGraph) -> tuple[Dag, list[Variable], list[ArrayLike]]:
    """Graph, variables and tables of a graph of networkx; see `BayesianNetwork.from_networkx`."""
    dag = Dag.from_networkx(graph)
    variables, cpts = [], []
    for name, attributes in graph.nodes(data=True):
        for needed in ("states", "cpt"):
            if needed not in attributes:
                raise ValueError(f"node {name!r} has no attribute {needed!r}: a Bayesian network needs it.")
        variables.append(Variable(name, tuple(attributes["states"])))
        cpts.append(_ordered(name, dag.parents_of(name), attributes.get("parents"), attributes["cpt"]))
    return dag, variables, cpts


def _ordered(name: str, wanted: Sequence[str], given: Sequence[str] | None, cpt: ArrayLike) -> ArrayLike:
    """Table whose parents' axes have the wanted order."""
    if given is None or tuple(given) == tuple(wanted):
        return cpt
    if sorted(given) != sorted(wanted):
        raise ValueError(
            f"node {name!r}: its attribute 'parents' names {', '.join(given)}, the graph's edges {', '.join(wanted)}."
        )
    table = np.asarray(cpt)
    if table.ndim != len(wanted) + 1:
        raise ValueError(f"node {name!r}: a table of {table.ndim} axes for {len(wanted)} parents and the node.")
    return np.transpose(table, [*(list(given).index(p) for p in wanted), len(wanted)])
