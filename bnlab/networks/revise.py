"""Changes of a network by hand: a table, or a variable more, fewer or with another name; each returns a network."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

from numpy.typing import ArrayLike

from bnlab.data.variable import Variable
from bnlab.graphs.dag import Dag
from bnlab.networks.fit import FamilyTables
from bnlab.networks.network import BayesianNetwork


def with_table(net: BayesianNetwork, name: str, table: ArrayLike) -> BayesianNetwork:
    """Network with another table of a node, of shape ``(*parent_arities, r)``; ValueError as for `BayesianNetwork`.

    Examples
    --------
    >>> from bnlab.networks import asia
    >>> with_table(asia(), "smoke", [0.2, 0.8]).cpt("smoke")
    array([0.2, 0.8])
    """
    at = net.dag.index(name)
    return BayesianNetwork(net.dag, net.variables, [table if i == at else cpt for i, cpt in enumerate(net.cpts)])


def with_variable(net: BayesianNetwork, name: str, states: Sequence[Hashable]) -> BayesianNetwork:
    """Network with one more variable, without edges and with equally probable states.

    Raises
    ------
    ValueError
        If the name is empty or another variable has it, or there are fewer than two different states.

    Examples
    --------
    >>> from bnlab.networks import asia
    >>> with_variable(asia(), "fever", ("high", "low", "none")).cpt("fever").round(3)
    array([0.333, 0.333, 0.333])
    """
    _check_name(net, name)
    if len(states) < 2:
        raise ValueError(f"states {list(states)!r}: {name!r} needs at least two, such as yes and no.")
    new = Variable(name, tuple(states))
    dag = Dag([*net.names, name], [*net.dag.parents, ()]).with_undecided(net.dag.undecided)
    return BayesianNetwork(dag, [*net.variables, new], [*net.cpts, [1 / new.arity] * new.arity])


def renamed(net: BayesianNetwork, name: str, new: str) -> BayesianNetwork:
    """Network in which a variable has another name.

    Raises
    ------
    ValueError
        If there is no such variable, the new name is empty, or another variable has it.

    Examples
    --------
    >>> from bnlab.networks import asia
    >>> renamed(asia(), "lung", "cancer").dag.parents_of("cancer")
    ('smoke',)
    """
    at = net.dag.index(name)
    _check_name(net, new)
    names = [new if i == at else own for i, own in enumerate(net.names)]
    dag = Dag(names, net.dag.parents)
    if net.dag.undecided is not None:
        edges = zip(dag.edges, net.dag.edges, strict=True)
        dag = dag.with_undecided(edge for edge, before in edges if before in net.dag.undecided)
    variables = [Variable(own, v.states) for own, v in zip(names, net.variables, strict=True)]
    return BayesianNetwork(dag, variables, net.cpts)


def without_variable(net: BayesianNetwork, name: str) -> BayesianNetwork:
    """Network without a variable; its children get their distributions given their other parents.

    Raises
    ------
    ValueError
        If there is no such variable.

    Examples
    --------
    >>> from bnlab.networks import asia
    >>> without_variable(asia(), "smoke").cpt("lung").round(3)
    array([0.055, 0.945])
    """
    at = net.dag.index(name)
    cut = [[p for p in parents if p != at] for parents in net.dag.parents]
    loose = FamilyTables(net).network(Dag(net.names, cut))
    kept = [i for i in range(len(net.names)) if i != at]
    parents = [[p - (p > at) for p in cut[i]] for i in kept]
    dag = Dag([net.names[i] for i in kept], parents)
    return BayesianNetwork(dag, [net.variables[i] for i in kept], [loose.cpts[i] for i in kept])


def _check_name(net: BayesianNetwork, name: str) -> None:
    if isinstance(name, str) and not name.strip():
        raise ValueError("a variable needs a name, such as “lung”; this one is empty.")
    if name in net.names:
        raise ValueError(f"name {name!r}: another variable has it already; each needs a name of its own.")
