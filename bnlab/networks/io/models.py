"""Models of pgmpy, pyAgrum and networkx as Bayesian networks."""

from __future__ import annotations

from typing import Any

import numpy as np

from bnlab.networks.io.draft import Draft, NetworkFileError
from bnlab.networks.network import BayesianNetwork


def as_network(model: Any) -> BayesianNetwork:
    """Convert a model with tables to a network: of pgmpy, pyAgrum or networkx; a BayesianNetwork is returned unchanged.

    Parameters
    ----------
    model : DiscreteBayesianNetwork of pgmpy, BayesNet of pyAgrum, DiGraph as of `to_networkx`, or BayesianNetwork

    Raises
    ------
    ValueError
        If a table is missing or its rows are no probabilities.
    TypeError
        If `model` is none of these.

    Examples
    --------
    >>> from bnlab.networks import asia
    >>> as_network(asia().to_networkx()) == asia()
    True
    """
    if isinstance(model, BayesianNetwork):
        return model
    packages = {base.__module__.partition(".")[0] for base in type(model).__mro__}
    if "pgmpy" in packages:
        return _from_pgmpy(model)
    if "pyagrum" in packages:
        return _from_pyagrum(model)
    if "networkx" in packages:
        return BayesianNetwork.from_networkx(model)
    raise TypeError(
        f"the model is of type {type(model).__name__}: a model of pgmpy or pyAgrum, or a graph of networkx, is needed; "
        "bnlab.load_network reads files."
    )


def _from_pgmpy(model: Any) -> BayesianNetwork:
    draft = Draft(0)
    cpds = {name: model.get_cpds(name) for name in model.nodes}
    for name, cpd in cpds.items():
        if cpd is None:
            raise NetworkFileError(f"node {name!r} has no CPD: add one, or use the graph alone.")
        draft.add_variable(str(name), map(str, cpd.state_names[name]))
    for name, cpd in cpds.items():
        parents = list(cpd.variables[1:])
        values = np.moveaxis(np.asarray(cpd.values, dtype=np.float64), 0, -1)
        for axis, parent in enumerate(parents):
            states = list(map(str, cpd.state_names[parent]))
            order = [states.index(str(state)) for state in draft.variables[draft.index(str(parent))].states]
            values = np.take(values, order, axis)
        draft.add_table(draft.index(str(name)), [draft.index(str(p)) for p in parents], values.ravel().tolist())
    return draft.network()


def _from_pyagrum(model: Any) -> BayesianNetwork:
    draft = Draft(0)
    nodes = sorted(model.nodes())
    for node in nodes:
        draft.add_variable(model.variable(node).name(), model.variable(node).labels())
    for node in nodes:
        cpt = model.cpt(node)
        child, *given = [draft.index(name) for name in cpt.names]
        # Its array has the axes in reverse order, the child's last.
        draft.add_table(child, given[::-1], np.asarray(cpt.toarray(), dtype=np.float64).ravel().tolist())
    return draft.network()
