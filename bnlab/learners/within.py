"""Which edges a search may use, and the small checks that all searches share."""

from __future__ import annotations

import operator
from collections.abc import Iterable, Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from bnlab.graphs.dag import Dag, check_same_variables
from bnlab.graphs.pdag import Pdag
from bnlab.learners.trees import Floats, ParentTuples, Phi, evaluate

Mask: TypeAlias = NDArray[np.bool_]
Within: TypeAlias = "Pdag | Dag | Mask | None"


def allowed_edges(within: Within, n: int, names: Sequence[str] | None = None) -> Mask:
    """Edges that a search may use.

    Parameters
    ----------
    within : Pdag, Dag, ndarray of bool of shape (n, n), or None
        A directed edge may be used as it points, an undirected one (of a skeleton) either way; [u, v] of a matrix
        stands for u -> v. None allows all.
    n : int
        Number of variables.
    names : sequence of str, optional
        Their names; those of a graph must then be the same, in any order.

    Returns
    -------
    ndarray of bool, shape (n, n)
        [u, v] is true when u -> v may be used; false on the diagonal.

    Raises
    ------
    ValueError
        If the graph is on other variables.
    TypeError
        If `within` is none of these.

    Examples
    --------
    >>> allowed_edges(Pdag(["X", "Y", "Z"], directed=[(0, 2)], undirected=[(0, 1)]), 3).astype(int)
    array([[0, 1, 1],
           [1, 0, 0],
           [0, 0, 0]])
    """
    if within is None:
        allowed = np.ones((n, n), dtype=np.bool_)
    elif isinstance(within, Dag | Pdag):
        allowed = _of_graph(within, n, names)
    elif isinstance(within, np.ndarray) and within.dtype == np.bool_:
        allowed = within.copy()
    else:
        raise TypeError(
            f"within is a {type(within).__name__}: give a Pdag, such as a skeleton, a Dag or a bool matrix."
        )
    if allowed.shape != (n, n):
        raise ValueError(f"within has the shape {allowed.shape}: for {n} variables it is ({n}, {n}).")
    np.fill_diagonal(allowed, False)
    return allowed


def _of_graph(graph: Dag | Pdag, n: int, names: Sequence[str] | None) -> Mask:
    if len(graph) != n:
        raise ValueError(
            f"within is a graph of {len(graph)} nodes, but there are {n} variables: both must be the same."
        )
    pdag = graph if isinstance(graph, Pdag) else Pdag.from_dag(graph)
    allowed = np.zeros((n, n), dtype=np.bool_)
    for u, v in pdag.directed | pdag.undirected:
        allowed[u, v] = True
        allowed[v, u] |= (u, v) in pdag.undirected
    if names is None:
        return allowed
    check_same_variables(graph.names, names)
    place = [graph.names.index(name) for name in names]
    return allowed[np.ix_(place, place)]


def acyclic_parents(parents: Sequence[Iterable[int]] | Dag | None, n: int, what: str) -> ParentTuples:
    """Parents of each variable of a graph that a caller gave, once they are known to close no cycle.

    Raises
    ------
    ValueError
        If they do, or are not those of n variables; the message begins with `what`.
    """
    if parents is None:
        return ((),) * n
    given = parents.parents if isinstance(parents, Dag) else parents
    try:
        return Dag([str(i) for i in range(n)], given).parents
    except ValueError as error:
        raise ValueError(f"{what}: {error}") from None


def at_least(name: str, value: Any, least: int) -> int:
    """Value of an option that counts something.

    Raises
    ------
    TypeError
        If it is not an integer.
    ValueError
        If it is less than `least`.
    """
    try:
        number = operator.index(value)
    except TypeError:
        raise TypeError(f"{name}={value!r} is not an integer.") from None
    if number < least:
        raise ValueError(f"{name}={value}: it must be at least {least}.")
    return number


def parent_limit(max_parents: int | None, n: int) -> int:
    """Greatest number of parents, n - 1 when there is no limit."""
    return max(n - 1, 0) if max_parents is None else min(at_least("max_parents", max_parents, 0), max(n - 1, 0))


def scores_alone(phi: Phi, n: int) -> Floats:
    """φ(i, ∅) of every variable, shape (n,)."""
    return evaluate(phi, [(i, ()) for i in range(n)])
