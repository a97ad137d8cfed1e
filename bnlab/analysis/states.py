"""Renaming, merging and ordering of the states of variables."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, TypeAlias

import numpy as np

from bnlab._runtime.values import plain, shown
from bnlab.data.table import Table
from bnlab.data.variable import Variable

StatePairs: TypeAlias = tuple[tuple[str, str], ...]
"""Pairs (state, new state), both as text, in the order of the new states."""


def checked_states(name: str, pairs: Any) -> StatePairs:
    """Pairs from a mapping or from pairs; ValueError if they are not text, or a state occurs twice.

    Examples
    --------
    >>> checked_states("smokes", {"never": "no", "ex": "yes"})
    (('never', 'no'), ('ex', 'yes'))
    """
    field = f"states[{shown(name)}]"
    found = plain(field, list(pairs.items()) if isinstance(pairs, Mapping) else pairs)
    if not isinstance(found, tuple) or not all(map(_is_pair, found)):
        raise ValueError(f"{field} = {shown(found)}: pairs (state, new state) of texts are needed.")
    old = [state for state, _ in found]
    if len(set(old)) < len(old):
        twice = next(state for state in old if old.count(state) > 1)
        raise ValueError(f"{field}: the state {shown(twice)} is there twice; each state becomes one new state.")
    return found


def _is_pair(value: Any) -> bool:
    return isinstance(value, tuple) and len(value) == 2 and all(isinstance(part, str) for part in value)


def with_states(table: Table, states: Mapping[str, StatePairs]) -> Table:
    """Replace the states of the variables named in `states`.

    The new states are text, in the order of their first pair. States without a pair keep their text and come last. A
    pair whose state the variable lacks has no effect.

    Examples
    --------
    >>> import pandas as pd
    >>> table = Table.from_pandas(pd.DataFrame({"smokes": ["ex", "never", "often", "ex"]}))
    >>> with_states(table, {"smokes": (("never", "no"), ("often", "yes"), ("ex", "yes"))})
    Table: 4 rows, 1 variable
      smokes  2 states: 'no', 'yes'
    """
    if not any(name in states for name in table.names):
        return table
    variables, columns = [], []
    for i, variable in enumerate(table.variables):
        codes = table.column(i)
        if (pairs := states.get(variable.name)) is not None:
            old = list(map(str, variable.states))
            new, known = dict(pairs), set(old)
            names = [new.get(state, state) for state in old]
            listed = _distinct([name for state, name in pairs if state in known], names)
            place = {name: k for k, name in enumerate(listed)}
            # The last code is that of a missing value.
            codes = np.array([*(place[name] for name in names), len(listed)])[codes]
            variable = Variable(variable.name, listed)
        variables.append(variable)
        columns.append(codes)
    return Table(variables, columns, target=table.target, gaps=table.has_gaps).carrying(table)


def _distinct(*lists: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(name for names in lists for name in names))
