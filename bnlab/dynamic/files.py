"""A network over time as one ordinary network, for files, and back."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from bnlab.data.variable import Variable
from bnlab.dynamic.names import labels, sliced, split
from bnlab.graphs.dag import Dag
from bnlab.networks.network import BayesianNetwork

Parts = tuple[BayesianNetwork, tuple[BayesianNetwork, ...], tuple[str, ...]]


def joined_slices(prior: BayesianNetwork, transition: BayesianNetwork) -> BayesianNetwork:
    """Network of the nodes of both; static variables, which both have, are those of the first."""
    fixed = len([name for name in prior.names if name in transition.names])
    added = len(prior) - fixed
    moved = [tuple(u if u < fixed else u + added for u in parents) for parents in transition.dag.parents]
    dag = Dag([*prior.names, *transition.names[fixed:]], [*prior.dag.parents, *moved[fixed:]])
    variables = (*prior.variables, *transition.variables[fixed:])
    return BayesianNetwork(dag, variables, [*prior.cpts, *transition.cpts[fixed:]])


def parts_of(net: BayesianNetwork) -> Parts:
    """Prior network, transitions and static variables of a network that was read from a file.

    Raises
    ------
    ValueError
        If the names are not those of a network over time.
    """
    labelled = {name: parts for name in net.names if (parts := split(name)) is not None and _is_label(parts[1])}
    static = tuple(name for name in net.names if name not in labelled)
    numbers = sorted({int(when) for _, when in labelled.values() if when.isdecimal()})
    names = tuple(dict.fromkeys(name for name, when in labelled.values() if when == "0"))
    past = {when for _, when in labelled.values()} - {str(s) for s in numbers}
    wanted = sliced(static, names, [*numbers, *(labels(len(past) - 1) if past else ())])
    if not names or set(wanted) != set(net.names) or numbers != list(range(len(numbers))):
        raise ValueError(
            f"the network has the nodes {', '.join(net.names)}: one over time has a node a variable and slice, bp[0] "
            "and bp[t-1], bp[t], or bp[0], bp[1] and so on."
        )
    if past:
        first = sliced(static, names, numbers)
        return _part(net, first), (_part(net, sliced(static, names, labels(len(past) - 1))),), static
    lags = _lags(net, labelled)
    prior = _part(net, sliced(static, names, range(lags)))
    new, before = sliced(static, names, labels(lags)), len(static) + lags * len(names)
    # Nothing uses the tables of the past of a transition.
    steps = tuple(
        _part(net, sliced(static, names, range(s - lags, s + 1)), new, alone=before) for s in range(lags, len(numbers))
    )
    if not steps:
        raise ValueError(
            "the network has no transition: it needs nodes bp[t-1] and bp[t], or those of a further slice."
        )
    return prior, steps, static


def _is_label(text: str) -> bool:
    return text.isdecimal() or text == "t" or (text.startswith("t-") and text[2:].isdecimal())


def _lags(net: BayesianNetwork, labelled: dict[str, tuple[str, str]]) -> int:
    """Greatest number of slices that an edge spans, at least 1."""
    when = {name: int(parts[1]) for name, parts in labelled.items()}
    return max([1, *(when[v] - when[u] for u, v in net.dag.edges if u in when)])


def _part(
    net: BayesianNetwork, names: Sequence[str], renamed: Sequence[str] | None = None, alone: int = 0
) -> BayesianNetwork:
    """Network of some nodes in a given order, perhaps with other names.

    The first `alone` get no parents and uniform tables; the others have no parents among the nodes that are left out.
    """
    place = {name: i for i, name in enumerate(names)}
    new = names if renamed is None else renamed
    parents: list[tuple[int, ...]] = []
    cpts, variables = [], []
    for k, name in enumerate(names):
        i = net.dag.index(name)
        variable = net.variables[i]
        variables.append(Variable(new[k], variable.states))
        if k < alone:
            parents.append(())
            cpts.append(np.full(variable.arity, 1 / variable.arity))
            continue
        given = [place[net.names[u]] for u in net.dag.parents[i]]
        order = sorted(range(len(given)), key=given.__getitem__)
        parents.append(tuple(given[j] for j in order))
        cpts.append(net.cpts[i].transpose(*order, len(order)))
    return BayesianNetwork(Dag(new, parents), variables, cpts)
