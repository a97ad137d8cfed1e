"""Exact inference: marginals of a Bayesian network by variable elimination, as one tensor contraction.

Variable elimination (Zhang and Poole 1994) is a contraction of the conditional probability tables whose order
opt_einsum finds greedily. Only ancestors of the nodes asked for and of the evidence take part: every other node is
barren and sums to one (Shachter 1986).
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bnlab._budget import check_memory
from bnlab.networks.network import BayesianNetwork

MAX_CELLS = 2**27
BYTES_A_CELL = 24
"""The largest table and those that it is made of."""


def marginal(
    net: BayesianNetwork,
    nodes: str | Sequence[str],
    evidence: Mapping[str, Hashable] | None = None,
) -> NDArray[np.float64]:
    """Joint distribution of some nodes, given the states of others.

    Parameters
    ----------
    net : BayesianNetwork
    nodes : str or sequence of str
        One node, or several different ones.
    evidence : mapping of str to state, optional
        Observed nodes, none of them among `nodes`.

    Returns
    -------
    ndarray of float64, shape (arity of each node asked for)
        One axis per node, in the order asked for; sums to 1.

    Raises
    ------
    ValueError
        If a node or state is unknown, a node is named twice, the evidence has probability 0, or the
        computation needs a table of more than 2**27 cells or more memory than one operation may have.

    Examples
    --------
    >>> from bnlab.networks import asia
    >>> marginal(asia(), "lung").round(3)
    array([0.055, 0.945])
    >>> marginal(asia(), "lung", {"xray": "yes", "smoke": "yes"}).round(3)
    array([0.646, 0.354])
    """
    asked = [net.dag.index(name) for name in ([nodes] if isinstance(nodes, str) else nodes)]
    codes = _evidence_codes(net, evidence or {})
    _check_query(net, asked, codes)
    joint = _contract(_factors(net, asked, codes), asked)
    total = joint.sum()
    if total == 0:
        given = ", ".join(f"{name}={state}" for name, state in (evidence or {}).items())
        raise ValueError(f"evidence {given}: it has probability 0 in this network, nothing follows from it.")
    return np.asarray(joint / total)


def _evidence_codes(net: BayesianNetwork, evidence: Mapping[str, Hashable]) -> dict[int, int]:
    at = {name: net.dag.index(name) for name in evidence}
    return {at[name]: net.variables[at[name]].code(state) for name, state in evidence.items()}


def _check_query(net: BayesianNetwork, asked: list[int], codes: Mapping[int, int]) -> None:
    if not asked:
        raise ValueError("nodes is empty: name at least one node whose distribution is wanted.")
    for position, i in enumerate(asked):
        if i in asked[:position]:
            raise ValueError(f"node {net.names[i]!r} is asked for twice: name each node once.")
        if i in codes:
            raise ValueError(f"node {net.names[i]!r} is both asked for and given as evidence: leave out one.")
    _check_size(prod(net.arities[i] for i in asked))


def _check_size(cells: float) -> None:
    if cells > MAX_CELLS:
        raise ValueError(
            f"the distribution needs a table of {cells:.3g} cells, more than {MAX_CELLS:.3g}: "
            "ask for fewer nodes, or estimate it from a sample."
        )
    check_memory(
        BYTES_A_CELL * cells,
        f"the distribution, with a table of {cells:.3g} cells,",
        "ask for fewer nodes, or estimate it from a sample",
    )


def _factors(net: BayesianNetwork, asked: Sequence[int], codes: Mapping[int, int]) -> list[Any]:
    """Tables and their axes, as alternating arguments; observed axes are cut at the state observed."""
    arguments: list[Any] = []
    for i in sorted(_with_ancestors(net, [*asked, *codes])):
        axes = (*net.dag.parents[i], i)
        cut: Any = tuple(codes.get(v, slice(None)) for v in axes)
        arguments += [net.cpts[i][cut], [v for v in axes if v not in codes]]
    return arguments


def _with_ancestors(net: BayesianNetwork, nodes: list[int]) -> set[int]:
    found: set[int] = set()
    stack = list(nodes)
    while stack:
        i = stack.pop()
        if i not in found:
            found.add(i)
            stack.extend(net.dag.parents[i])
    return found


def _contract(arguments: list[Any], output: list[int]) -> NDArray[np.float64]:
    import opt_einsum

    path, info = opt_einsum.contract_path(*arguments, output, optimize="greedy")
    _check_size(float(info.largest_intermediate))
    return np.asarray(opt_einsum.contract(*arguments, output, optimize=path))
