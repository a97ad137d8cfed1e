"""Expected utility and the best policy of an influence diagram, exactly.

References
----------
F. V. Jensen, T. D. Nielsen. Bayesian networks and decision graphs. Springer, 2nd edition 2007, chapters 9 and 10.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import product
from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from bnlab._runtime.budget import MAX_AXES, check_memory
from bnlab._runtime.names import check_known
from bnlab.graphs.checks import CycleError
from bnlab.networks.influence import InfluenceDiagram
from bnlab.networks.network import BayesianNetwork
from bnlab.networks.propagation import FloatArray

if TYPE_CHECKING:
    import pandas as pd

MAX_CELLS = 2**24
BYTES_A_CELL = 32
"""For probabilities, utilities, and their products and sums."""


@dataclass(frozen=True, eq=False)
class Policy:
    """Option to take at each decision, given what is known.

    Attributes
    ----------
    expected_utility : float
        Expected utility of following the policy.
    rules : dict of str to DataFrame
        One table per decision, in the order in which they are taken. A row is a possible configuration of the nodes
        that are known then, one column per node. Column ``decision`` is the option to take, ``expected utility`` that
        of taking it and following the policy afterwards. If options are equally good, the first one is taken.
    """

    expected_utility: float
    rules: dict[str, pd.DataFrame]


def best_policy(diagram: InfluenceDiagram, net: BayesianNetwork | None = None) -> Policy:
    """Policy of greatest expected utility.

    Decisions are taken in the order of the graph; decisions that no path orders are taken in the order of the diagram.
    What is known at one decision stays known at later ones. From the last decision to the first, the nodes that are not
    known yet are summed out and the option of greatest value is chosen:
    EU(past) = max_d sum_unknown P(unknown | past, d) EU(past, unknown, d) (Jensen and Nielsen 2007, section 10.2).

    Parameters
    ----------
    diagram : InfluenceDiagram
        Each utility is a function of a mapping from its parents to their states; without `net`, of the mapping of all
        choices, as in `InfluenceDiagram.value`.
    net : BayesianNetwork, optional
        Variables and tables of the chance nodes, with the parents that they have in the diagram. Decisions are nodes of
        the network too, and their options are states. Their tables are not used: a decision is an intervention. The
        network may be left out if no utility depends on a chance node, as in `structure_learning_diagram`; choices that
        close a cycle then have no utility and are not taken.

    Returns
    -------
    Policy

    Raises
    ------
    ValueError
        If a utility has no function or one of its values is not finite, network and diagram differ in a node, its
        parents or an option, no choice is possible, or the joint table would have more than 2**24 cells.

    Notes
    -----
    The policy is optimal for these probabilities and utilities. It is valid for actions only if the edges from the
    decisions on into the chance nodes are causal: see `bnlab.networks.effects`.

    Examples
    --------
    There may be oil in the ground. A test costs 10 and gives some information about it; drilling costs 70.

    >>> from bnlab.data import Variable
    >>> from bnlab.graphs import Dag
    >>> yes_no = ("yes", "no")
    >>> nodes = [Variable(name, yes_no) for name in ("Oil", "Test", "Drill")]
    >>> nodes.append(Variable("Result", ("good", "bad", "none")))
    >>> dag = Dag(["Oil", "Test", "Drill", "Result"], [("Oil", "Result"), ("Test", "Result")])
    >>> result = [[[0.8, 0.2, 0], [0, 0, 1]], [[0.1, 0.9, 0], [0, 0, 1]]]
    >>> net = BayesianNetwork(dag, nodes, [[0.3, 0.7], [0.5, 0.5], [0.5, 0.5], result])
    >>> diagram = InfluenceDiagram(
    ...     ["Oil", "Result"], ["Test", "Drill"], ["Cost", "Gain"],
    ...     [("Test", "Cost"), ("Oil", "Gain"), ("Drill", "Gain"), ("Test", "Drill"), ("Result", "Drill"), *dag.edges],
    ...     {"Test": yes_no, "Drill": yes_no},
    ...     {"Cost": lambda s: -10.0 * (s["Test"] == "yes"),
    ...      "Gain": lambda s: (s["Drill"] == "yes") * (200.0 * (s["Oil"] == "yes") - 70)},
    ... )
    >>> policy = best_policy(diagram, net)
    >>> round(policy.expected_utility, 3)
    16.3
    >>> policy.rules["Drill"].round(1)
      Result Test decision  expected utility
    0   good  yes      yes              74.8
    1    bad  yes       no             -10.0
    2   none   no       no               0.0
    """
    diagram.check_utilities()
    states = _states(diagram, net)
    weight = np.ones(tuple(map(len, states.values())))
    if net is None:
        gain = _tabulated(states, diagram.decision, lambda choices: _value(diagram, choices))
    else:
        for name in diagram.chance:
            weight = weight * _spread(states, *_probabilities(net, name, states))
        gain = np.zeros_like(weight)
        for name in diagram.utility:
            parents = [node for node in states if node in diagram.dag.parents_of(name)]
            gain = gain + _tabulated(states, parents, partial(_utility, diagram, name))
        gain = gain * weight
    rules: dict[str, pd.DataFrame] = {}
    for known, decision in reversed(_stages(diagram, states)):
        unknown = tuple(axis for axis, name in enumerate(states) if name not in (*known, decision))
        weight, gain = weight.sum(axis=unknown, keepdims=True), gain.sum(axis=unknown, keepdims=True)
        axis = list(states).index(decision)
        weight = weight.take([0], axis)  # what is known does not depend on the decision that follows
        best = gain.argmax(axis=axis)
        gain = gain.max(axis=axis, keepdims=True)
        rules[decision] = _rule(states, known, decision, (weight, best, gain))
    expected = float(gain.sum())
    if not np.isfinite(expected):
        raise ValueError("every choice closes a cycle: give the decisions other options.")
    return Policy(expected, dict(reversed(rules.items())))


def expected_utility(
    diagram: InfluenceDiagram, net: BayesianNetwork | None, choices: Mapping[str, str | None]
) -> float:
    """Expected utility of fixed choices, made regardless of what is known; other decisions follow the best policy.

    Parameters
    ----------
    diagram, net
        As for `best_policy`.
    choices : mapping of str to option

    Raises
    ------
    ValueError
        If a decision or an option is unknown, or as for `best_policy`.
    """
    for name, option in choices.items():
        check_known(name, diagram.decision, f"no decision {name!r} in this diagram")
        if option not in diagram.options[name]:
            raise ValueError(f"{name} = {option!r}: the options are {', '.join(map(repr, diagram.options[name]))}.")
    fixed = {name: (option,) for name, option in choices.items()}
    return best_policy(replace(diagram, options={**diagram.options, **fixed}), net).expected_utility


def _states(diagram: InfluenceDiagram, net: BayesianNetwork | None) -> dict[str, tuple[Any, ...]]:
    """Axes of all tables: the states of each chance node (none without a network), and the options of each decision."""
    states: dict[str, tuple[Any, ...]] = {}
    for name in diagram.chance if net is not None else ():
        assert net is not None
        ours, theirs = diagram.dag.parents_of(name), net.dag.parents_of(name)
        if {*ours} != {*theirs}:
            raise ValueError(
                f"chance node {name!r} has the parents {', '.join(ours) or 'none'} in the diagram and "
                f"{', '.join(theirs) or 'none'} in the network: both must be the same."
            )
        states[name] = net.variables[net.dag.index(name)].states
    states.update({name: tuple(options) for name, options in diagram.options.items()})
    cells = prod(map(len, states.values()))
    way_out = "leave out nodes, or give them fewer states"
    if cells > MAX_CELLS or len(states) > MAX_AXES:
        raise ValueError(f"the joint table would have {len(states)} axes and {cells:.3g} cells: {way_out}.")
    check_memory(BYTES_A_CELL * cells, f"a joint table of {cells:.3g} cells", way_out)
    return states


def _stages(diagram: InfluenceDiagram, states: Mapping[str, Any]) -> list[tuple[list[str], str]]:
    """Decisions in the order in which they are taken, each after the nodes that are known then."""
    known: set[str] = set()
    stages = []
    for name in (diagram.names[v] for v in diagram.dag.topological_order):
        if name in diagram.decision:
            known.update(diagram.dag.parents_of(name))
            stages.append(([node for node in states if node in known], name))
            known.add(name)
    return stages


def _probabilities(net: BayesianNetwork, name: str, states: Mapping[str, Any]) -> tuple[list[str], FloatArray]:
    """Nodes of the axes of a chance node's table, and the table restricted to the states and options in `states`."""
    axes = [*net.dag.parents_of(name), name]
    table = net.cpt(name) / net.cpt(name).sum(axis=-1, keepdims=True)
    codes = [[net.variables[net.dag.index(node)].code(state) for state in states[node]] for node in axes]
    return axes, table[np.ix_(*codes)]


def _spread(states: Mapping[str, Any], axes: Sequence[str], table: FloatArray) -> FloatArray:
    """Table over some nodes, with an axis for each node of `states`; that of another node has length 1."""
    order = [axes.index(node) for node in states if node in axes]
    return table.transpose(order).reshape([len(states[node]) if node in axes else 1 for node in states])


def _tabulated(
    states: Mapping[str, tuple[Any, ...]], nodes: Sequence[str], function: Callable[[dict[str, Any]], float]
) -> FloatArray:
    """Function of the states of some nodes as a table, with the axes of `_spread`."""
    values = [function(dict(zip(nodes, chosen, strict=True))) for chosen in product(*(states[n] for n in nodes))]
    return _spread(states, nodes, np.array(values, dtype=np.float64).reshape([len(states[n]) for n in nodes]))


def _value(diagram: InfluenceDiagram, choices: Mapping[str, str | None]) -> float:
    try:
        return diagram.value(choices)
    except CycleError:
        return -np.inf


def _utility(diagram: InfluenceDiagram, name: str, states: dict[str, Any]) -> float:
    value = diagram.utilities[name](states)
    if not np.isfinite(value):
        raise ValueError(f"utility {name!r} has the value {value}: values are finite numbers.")
    return value


def _rule(
    states: Mapping[str, tuple[Any, ...]],
    known: Sequence[str],
    decision: str,
    tables: tuple[FloatArray, NDArray[np.intp], FloatArray],
) -> pd.DataFrame:
    """Option to take, and its expected utility, for each possible configuration of the known nodes."""
    import pandas as pd

    weight, best, gain = (table.ravel() for table in tables)
    rows = []
    for at, configuration in enumerate(product(*(states[name] for name in known))):
        if weight[at] > 0 and np.isfinite(gain[at]):
            rows.append((*configuration, states[decision][best[at]], gain[at] / weight[at]))
    return pd.DataFrame(rows, columns=[*known, "decision", "expected utility"])
