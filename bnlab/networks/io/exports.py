"""Bayesian networks as models of pgmpy and pyAgrum."""

from __future__ import annotations

from typing import Any

import numpy as np

from bnlab.networks.io.names import state_texts
from bnlab.networks.types import Network


def to_pgmpy(net: Network) -> Any:
    """DiscreteBayesianNetwork of pgmpy; see `BayesianNetwork.to_pgmpy`."""
    from pgmpy.factors.discrete import TabularCPD
    from pgmpy.models import DiscreteBayesianNetwork

    model = DiscreteBayesianNetwork()
    model.add_nodes_from(net.names)
    model.add_edges_from(net.dag.edges)
    states = {variable.name: state_texts(variable, "pgmpy") for variable in net.variables}
    for i, (variable, cpt) in enumerate(zip(net.variables, net.cpts, strict=True)):
        parents = [net.names[p] for p in net.dag.parents[i]]
        model.add_cpds(
            TabularCPD(
                variable.name,
                variable.arity,
                cpt.reshape(-1, variable.arity).T,
                evidence=parents,
                evidence_card=[net.arities[p] for p in net.dag.parents[i]],
                state_names={name: states[name] for name in (variable.name, *parents)},
            )
        )
    return model


def to_pyagrum(net: Network) -> Any:
    """BayesNet of pyAgrum; see `BayesianNetwork.to_pyagrum`."""
    import pyagrum as gum

    model = gum.BayesNet()
    for variable in net.variables:
        model.add(gum.LabelizedVariable(variable.name, variable.name, state_texts(variable, "pyAgrum")))
    model.addArcs([(u, v) for u, v in net.dag.edges])
    for i, (name, cpt) in enumerate(zip(net.names, net.cpts, strict=True)):
        table = model.cpt(name)
        axes = [*(net.names[p] for p in net.dag.parents[i]), name]
        order = [axes.index(axis) for axis in reversed(table.names)]
        table.fillWith(np.ascontiguousarray(cpt.transpose(order)).ravel().tolist())
    return model
