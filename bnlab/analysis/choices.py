"""Which learner to begin with."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bnlab.data.table import Table

MANY_VARIABLES = 150
"""From so many on, the first network that is suggested is a tree."""


def suggested_learner(table: Table) -> tuple[str, str]:
    """Learner to begin with, and why, in a sentence."""
    if table.n_variables >= MANY_VARIABLES:
        return "chow-liu", f"{table.n_variables} variables: a tree shows the strongest dependencies within seconds."
    return (
        "hill-climbing",
        f"{table.n_variables} variables, {table.n_rows:,} rows: hill climbing with BIC is a good start.",
    )
