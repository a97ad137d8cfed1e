"""Exact inference: marginals of a Bayesian network by variable elimination, as one tensor contraction.

Variable elimination (Zhang and Poole 1994) is a contraction of the conditional probability tables whose order
opt_einsum finds greedily. Only ancestors of the nodes asked for and of the evidence take part: every other node is
barren and sums to one (Shachter 1986).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from functools import partial
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bnlab._runtime.budget import MAX_AXES, check_memory
from bnlab._runtime.interrupts import heard
from bnlab.networks.network import BayesianNetwork

Factor = tuple[NDArray[np.float64], tuple[int, ...]]

MAX_CELLS = 2**27
BYTES_A_CELL = 24
"""The largest table and those that it is made of."""
_SMALL = 2**12  # products that are done before opt_einsum has chosen a way
_LONG = 2**22  # products that take a tenth of a second, which Ctrl-C is not to wait for


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
    joint = product_over(net.dag.parents, net.cpts, net.arities, asked, codes)
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
    if len(asked) > MAX_AXES:
        raise ValueError(
            f"{len(asked)} nodes are asked for: numpy has tables of at most {MAX_AXES} axes; ask for fewer, and leave "
            "out those of one state."
        )
    _check_size(prod(net.arities[i] for i in asked))


def _check_size(cells: float, most: int = MAX_CELLS) -> None:
    if cells > most:
        raise ValueError(
            f"the distribution needs a table of {cells:.3g} cells, more than {most:.3g}: "
            "ask for fewer nodes, or estimate it from a sample."
        )
    check_memory(
        BYTES_A_CELL * cells,
        f"the distribution, with a table of {cells:.3g} cells,",
        "ask for fewer nodes, or estimate it from a sample",
    )


def product_over(
    parents: Sequence[Sequence[int]],
    cpts: Sequence[NDArray[np.float64]],
    arities: Sequence[int],
    asked: list[int],
    codes: Mapping[int, int],
    most: int = MAX_CELLS,
) -> NDArray[np.float64]:
    """Sum of the product of all tables over the nodes that are neither asked for nor observed.

    Parameters
    ----------
    parents, cpts, arities
        Those of a network, which need not be one yet.
    asked : list of int
        Nodes, all different.
    codes : mapping of int to int
        State observed of some others.
    most : int
        Cells that a table may have on the way.

    Raises
    ------
    ValueError
        When it needs a table of more cells or more memory than one operation may have.
    """
    taking_part = sorted(_with_ancestors(parents, [*asked, *codes]))
    known = {v: 0 for v in taking_part if arities[v] == 1} | dict(codes)
    factors = []
    for i in taking_part:
        axes = (*parents[i], i)
        cut: Any = tuple(known.get(v, slice(None)) for v in axes)
        factors.append((cpts[i][cut], tuple(v for v in axes if v not in known)))
    joint = _contract(factors, [v for v in asked if v not in known], arities, most)
    return joint.reshape([arities[v] for v in asked])


def _with_ancestors(parents: Sequence[Sequence[int]], nodes: list[int]) -> set[int]:
    found: set[int] = set()
    stack = list(nodes)
    while stack:
        i = stack.pop()
        if i not in found:
            found.add(i)
            stack.extend(parents[i])
    return found


def _contract(factors: list[Factor], output: list[int], arities: Sequence[int], most: int) -> NDArray[np.float64]:
    """Sum of the product of tables.

    One call of opt_einsum for all of them would look at each table for each step: too long for 10,000 of them.
    """
    steps = _steps([axes for _, axes in factors], output, arities)
    _check_size(max(prod(arities[v] for v in axes) for _, axes in steps), most)
    tables: dict[int, Factor] = dict(enumerate(factors))
    for step, (merged, axes) in enumerate(steps, start=len(factors)):
        tables[step] = _product([tables.pop(k) for k in merged], axes, arities), axes
    return tables[step][0]


def _product(factors: list[Factor], output: tuple[int, ...], arities: Sequence[int]) -> NDArray[np.float64]:
    import opt_einsum

    label = {v: k for k, v in enumerate({v: None for _, axes in factors for v in axes})}
    arguments: list[Any] = []
    for table, axes in factors:
        arguments += [table, [label[v] for v in axes]]
    kept = [label[v] for v in output]
    size = prod(arities[v] for v in label)
    if size <= _SMALL:
        return np.asarray(np.einsum(*arguments, kept))
    contract = partial(opt_einsum.contract, *arguments, kept, optimize=[tuple(range(len(factors)))])
    return np.asarray(contract() if size <= _LONG else heard(contract))


def _steps(
    inputs: list[tuple[int, ...]], output: list[int], arities: Sequence[int]
) -> list[tuple[tuple[int, ...], tuple[int, ...]]]:
    """Which tables to multiply, numbered as they come to be, and the axes to keep of the product."""
    from opt_einsum.paths import ssa_greedy_optimize

    axes = list(inputs)
    holders = Counter(v for held in (*inputs, output) for v in held)
    sizes = {v: arities[v] for v in holders}
    order = ssa_greedy_optimize([*map(frozenset, inputs)], frozenset(output), sizes)
    steps = []
    for merged in order:
        for k in merged:
            holders.subtract(axes[k])
        kept = {v for k in merged for v in axes[k] if holders[v]}
        axes.append(tuple(sorted(kept, key=lambda v: (arities[v], v))))
        holders.update(axes[-1])
        steps.append((tuple(sorted(merged, reverse=True)), axes[-1]))
    steps[-1] = steps[-1][0], tuple(output)
    return steps
