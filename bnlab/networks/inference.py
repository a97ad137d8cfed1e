"""Joint distributions of some nodes given others, exact.

Only ancestors of the nodes asked for and of the evidence take part: every other node is barren and sums to one
(Shachter 1986). The states observed are cut out of the tables before the cliques are made, so that evidence makes
them smaller.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from functools import partial
from math import prod

import numpy as np
from numpy.typing import NDArray

from bnlab._runtime.budget import MAX_AXES, check_memory
from bnlab.networks.evidence import ImpossibleEvidence, codes_of
from bnlab.networks.propagation import Propagation, factors_of
from bnlab.networks.scaled import Scaled
from bnlab.networks.types import Network

MAX_CELLS = 2**27
BYTES_A_CELL = 24
"""The largest table and those that it is made of."""


def marginal(
    net: Network,
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
    ImpossibleEvidence
        (A ValueError.) If the evidence has probability 0; the message names the states that conflict.
    ValueError
        If a node or state is unknown, a node is named twice, or the computation needs a table of more than 2**27
        cells or more memory than one operation may have.

    Examples
    --------
    >>> from bnlab.networks import asia
    >>> marginal(asia(), "lung").round(3)
    array([0.055, 0.945])
    >>> marginal(asia(), "lung", {"xray": "yes", "smoke": "yes"}).round(3)
    array([0.646, 0.354])
    """
    asked = [net.dag.index(name) for name in ([nodes] if isinstance(nodes, str) else nodes)]
    evidence = dict(evidence or {})
    codes = codes_of(net, evidence)
    _check_query(net, asked, codes)
    joint = sum_over(net.dag.parents, net.cpts, net.arities, asked, codes)
    if not joint.values.any():
        raise ImpossibleEvidence.among(evidence, lambda part: _is_possible(net, codes_of(net, part)))
    return joint.shares(tuple(range(len(asked))))


def conditional(net: Network, node: str, parents: Sequence[str]) -> NDArray[np.float64]:
    """Distribution of a node given each configuration of others, without evidence.

    Parameters
    ----------
    net : BayesianNetwork
    node : str
    parents : sequence of str
        Any other nodes.

    Returns
    -------
    ndarray of float64, shape (arity of each parent, arity of the node)
        Rows sum to 1; the row of a configuration of probability 0 is uniform.

    Raises
    ------
    ValueError
        As `marginal` does.

    Examples
    --------
    >>> from bnlab.networks import asia
    >>> conditional(asia(), "smoke", ["lung"]).round(3)
    array([[0.909, 0.091],
           [0.476, 0.524]])
    """
    asked = [net.dag.index(name) for name in (*parents, node)]
    _check_query(net, asked, {})
    rows = sum_over(net.dag.parents, net.cpts, net.arities, asked, {}).shares((len(parents),))
    rows[~rows.any(axis=-1)] = 1 / rows.shape[-1]
    return rows


def _is_possible(net: Network, codes: Mapping[int, int]) -> bool:
    """Whether evidence has a probability above 0; also True where that is too large to compute."""
    try:
        return bool(sum_over(net.dag.parents, net.cpts, net.arities, [], codes).values.any())
    except ValueError:
        return True


def _check_query(net: Network, asked: list[int], codes: Mapping[int, int]) -> None:
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
    _check_size(MAX_CELLS, prod(net.arities[i] for i in asked))


def _check_size(most: int, cells: float) -> None:
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


def sum_over(
    parents: Sequence[Sequence[int]],
    cpts: Sequence[NDArray[np.float64]],
    arities: Sequence[int],
    asked: list[int],
    codes: Mapping[int, int],
    most: int = MAX_CELLS,
) -> Scaled:
    """Probability of each state of some nodes together with the states observed: a sum over all other nodes.

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

    Returns
    -------
    Scaled, shape (arity of each node asked for)

    Raises
    ------
    ValueError
        When it needs a table of more cells or more memory than one operation may have.
    """
    nodes = sorted(_with_ancestors(parents, [*asked, *codes]))
    root = [v for v in asked if arities[v] > 1]
    tree = Propagation(factors_of(parents, cpts, arities, nodes, codes), arities, root, partial(_check_size, most))
    return tree.total(root)[tuple(None if arities[v] == 1 else slice(None) for v in asked)]


def _with_ancestors(parents: Sequence[Sequence[int]], nodes: Iterable[int]) -> set[int]:
    found: set[int] = set()
    stack = list(nodes)
    while stack:
        i = stack.pop()
        if i not in found:
            found.add(i)
            stack.extend(parents[i])
    return found
