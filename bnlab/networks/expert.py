"""Expert counts: imagined rows for some probability tables, which are added to the counts of the data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np

from bnlab._runtime.names import check_known
from bnlab.counts.types import FloatArray
from bnlab.data.variable import Variable
from bnlab.graphs.dag import Dag

ExpertCounts: TypeAlias = "Mapping[str, Any]"
"""Counts by node: an array, or mappings of states, as `bnlab.networks.fit` describes them."""


def expert_tables(prior: ExpertCounts | None, dag: Dag, variables: Sequence[Variable]) -> dict[int, FloatArray]:
    """Expert counts by the index of the node, each of shape ``(*parent_arities, r)``.

    Raises
    ------
    ValueError
        If a node, a state or a shape is unknown, or a count is not a finite number of at least 0.
    """
    if prior is None:
        return {}
    if not isinstance(prior, Mapping):
        raise ValueError(f"prior={prior!r}: give counts by the names of nodes, {{node: counts}}.")
    found = {}
    for name, counts in prior.items():
        check_known(name, dag.names, f"prior[{name!r}]: no such node")
        i = dag.index(name)
        own, parents = variables[i], [variables[p] for p in dag.parents[i]]
        shape = (*(v.arity for v in parents), own.arity)
        if isinstance(counts, Mapping):
            table = _of_mapping(f"prior[{name!r}]", counts, own, parents, shape)
        else:
            table = _numbers(f"prior[{name!r}]", counts)
        if table.shape != shape:
            raise ValueError(
                f"prior[{name!r}] has the shape {table.shape}: {shape} is needed, the states of the parents "
                f"{', '.join(v.name for v in parents) or '(none)'}, then those of {name!r}."
            )
        if not (np.isfinite(table) & (table >= 0)).all():
            raise ValueError(f"prior[{name!r}]: a count is a finite number of at least 0, such as 2.5.")
        found[i] = table
    return found


def _of_mapping(
    what: str, counts: Mapping[Any, Any], own: Variable, parents: Sequence[Variable], shape: tuple[int, ...]
) -> FloatArray:
    """Table of counts by the states of the parents; configurations and states that are absent have no counts."""
    table = np.zeros(shape)
    rows: Mapping[Any, Any] = counts if parents else {(): counts}
    for given, row in rows.items():
        states = given if isinstance(given, tuple) else (given,)
        if len(states) != len(parents):
            raise ValueError(
                f"{what}[{given!r}]: a state of each parent is needed, in the order "
                f"({', '.join(v.name for v in parents)})."
            )
        at = tuple(v.code(state) for v, state in zip(parents, states, strict=True))
        if not isinstance(row, Mapping):
            raise ValueError(f"{what}[{given!r}]={row!r}: give the counts by the states of {own.name!r}.")
        for state, count in row.items():
            table[(*at, own.code(state))] = _numbers(f"{what}[{given!r}][{state!r}]", count)
    return table


def _numbers(what: str, value: Any) -> FloatArray:
    try:
        return np.asarray(value, dtype=np.float64)
    except (TypeError, ValueError):
        raise ValueError(f"{what}={value!r}: numbers are needed.") from None
