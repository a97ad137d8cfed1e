"""Small dependent tables, and a prior network whose joint distribution is written out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from bnlab.data import Table, Variable


@dataclass(frozen=True, eq=False)
class JointPrior:
    """Prior network of BDe as one table over all variables."""

    variables: tuple[Variable, ...]
    joint: np.ndarray

    def marginal(self, nodes: Sequence[str]) -> np.ndarray:
        names = [v.name for v in self.variables]
        kept = [names.index(name) for name in nodes]
        return np.einsum(self.joint, list(range(len(names))), kept)


def make_table(arities: Sequence[int], n_rows: int, seed: int) -> Table:
    """Rows in which each column leans on those before it; later states are rarer."""
    rng = np.random.default_rng(seed)
    columns: list[np.ndarray] = []
    for arity in arities:
        own = (arity * rng.random(n_rows) ** 1.5).astype(int)
        copied = sum(columns, np.zeros(n_rows, dtype=int)) % arity
        columns.append(np.where(rng.random(n_rows) < 0.6, copied, own))
    variables = [Variable(f"V{i}", tuple(f"s{k}" for k in range(arity))) for i, arity in enumerate(arities)]
    return Table(variables, columns)
