"""Bayesian networks to and from graphs of networkx."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from bnlab.data.variable import Variable
from bnlab.graphs.dag import Dag
from bnlab.networks.network import BayesianNetwork

if TYPE_CHECKING:
    import networkx as nx


def to_networkx(net: BayesianNetwork) -> nx.DiGraph:
    """Convert a network to a `networkx.DiGraph` with the attributes ``states``, ``parents`` and ``cpt`` on each node.

    ``parents`` names the axes of ``cpt`` before the last, the node's own.

    Examples
    --------
    >>> from bnlab.networks import asia
    >>> to_networkx(asia()).nodes["either"]["parents"]
    ('tub', 'lung')
    """
    graph = net.dag.to_networkx()
    for variable, cpt in zip(net.variables, net.cpts, strict=True):
        parents = net.dag.parents_of(variable.name)
        graph.nodes[variable.name].update(states=variable.states, parents=parents, cpt=cpt)
    return graph


def from_networkx(graph: nx.DiGraph) -> BayesianNetwork:
    """Convert a graph as `to_networkx` makes it; nodes keep the order they have there.

    Parameters
    ----------
    graph : networkx.DiGraph
        Each node has the attributes ``states`` and ``cpt``, and ``parents`` when their order in ``cpt`` is not that of
        the graph's nodes.

    Raises
    ------
    ValueError
        If an attribute is missing, ``parents`` are not the node's parents, or as for `Dag` and `BayesianNetwork`.
    """
    dag = Dag.from_networkx(graph)
    variables, cpts = [], []
    for name, attributes in graph.nodes(data=True):
        for needed in ("states", "cpt"):
            if needed not in attributes:
                raise ValueError(f"node {name!r} has no attribute {needed!r}: a Bayesian network needs it.")
        variables.append(Variable(name, tuple(attributes["states"])))
        cpts.append(_ordered(name, dag.parents_of(name), attributes.get("parents"), attributes["cpt"]))
    return BayesianNetwork(dag, variables, cpts)


def _ordered(name: str, wanted: Sequence[str], given: Sequence[str] | None, cpt: ArrayLike) -> ArrayLike:
    """Table with its parents' axes brought into the order wanted."""
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
