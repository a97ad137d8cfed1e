"""Random panels for tests."""

from __future__ import annotations

import numpy as np

from bnlab.data import Table, Variable
from bnlab.dynamic import Panel


def random_panel(
    seed: int, n: int = 3, static: int = 1, lags: int = 1, units: int = 40, gaps: bool = False, weights: bool = False
) -> Panel:
    """Units of 2 to 5 times more than `lags`, whose variables depend on each other and on the past."""
    rng = np.random.default_rng(seed)
    lengths = rng.integers(lags + 1, lags + 5, units)
    unit_of = np.repeat(np.arange(units), lengths)
    times = np.concatenate([np.arange(length) for length in lengths])
    arities = rng.integers(2, 4, n).tolist()
    names = [f"x{i}" for i in range(n)]
    fixed = [f"s{i}" for i in range(static)]
    variables = [Variable(name, ("no", "yes")) for name in fixed]
    variables += [Variable(name, tuple(range(r))) for name, r in zip(names, arities, strict=True)]
    columns = [rng.integers(0, 2, units)[unit_of] for _ in fixed]
    values = rng.integers(0, 9, (n, len(unit_of)))
    for row in range(1, len(unit_of)):
        if unit_of[row] == unit_of[row - 1]:
            keep = rng.random(n) < 0.6
            values[keep, row] = (values[rng.permutation(n), row - 1] + 1)[keep]
        if rng.random() < 0.6:
            values[rng.integers(n), row] = values[rng.integers(n), row]
    columns += [values[i] % r for i, r in enumerate(arities)]
    if gaps:
        for i, variable in enumerate(variables[static:], static):
            columns[i] = np.where(rng.random(len(unit_of)) < 0.1, variable.arity, columns[i])
    table = Table(variables, columns, gaps=gaps)
    if weights:
        table = table.with_weights(rng.integers(1, 4, units)[unit_of])
    return Panel(table, unit_of, times, range(units), fixed, lags)
