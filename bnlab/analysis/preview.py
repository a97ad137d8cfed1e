"""Preview of a column before and after discretization, as a histogram or the most frequent values."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from bnlab.analysis.preparation import check_column, numbers
from bnlab.data.discretize import interval_names

if TYPE_CHECKING:
    import pandas as pd

BARS = 32
STATES = 12


class ColumnPreview(NamedTuple):
    """Histogram or frequencies of a column.

    Attributes
    ----------
    edges : tuple of float, length of bars + 1
        Borders of the bars of a histogram; empty for a column that is not cut.
    bars : tuple of int
        Rows in each.
    cuts : tuple of float
        Those between the least and the greatest value.
    states : tuple of str
        States of the variable that the column becomes: the intervals, or the most frequent values.
    counts : tuple of int
        Rows of each.
    others : int
        States that are not listed.
    missing : int
        Rows without a value.
    """

    edges: tuple[float, ...]
    bars: tuple[int, ...]
    cuts: tuple[float, ...]
    states: tuple[str, ...]
    counts: tuple[int, ...]
    others: int
    missing: int


def column_preview(frame: pd.DataFrame, column: str, cuts: Sequence[float] | None = None) -> ColumnPreview:
    """Preview of a column.

    Parameters
    ----------
    frame : DataFrame
    column : str
    cuts : sequence of float, optional
        Ascending cut points of a column of numbers; None for one that is not cut.

    Raises
    ------
    ValueError
        When there is no such column, or it is to be cut and holds no numbers.

    Examples
    --------
    >>> import pandas as pd
    >>> preview = column_preview(pd.DataFrame({"x": [1.0, 2.0, 2.5, None]}), "x", [2.2])
    >>> preview.states, preview.counts, preview.missing
    (('<=2.2', '>2.2'), (2, 1), 1)
    """
    check_column(frame, column)
    missing = int(frame[column].isna().sum())
    if cuts is None:
        found = frame[column].value_counts()
        shown = found.head(STATES)
        return ColumnPreview((), (), (), tuple(map(str, shown.index)), _ints(shown), len(found) - len(shown), missing)
    values = numbers(frame, column)
    values = values[np.isfinite(values)]
    points = np.asarray(cuts, dtype=np.float64)
    bars, edges = np.histogram(values, bins=BARS) if len(values) else (np.empty(0), np.empty(0))
    counts = np.bincount(np.searchsorted(points, values, side="left"), minlength=len(points) + 1)
    inside = [float(cut) for cut in points if len(values) and values.min() <= cut <= values.max()]
    return ColumnPreview(
        tuple(edges.tolist()), _ints(bars), tuple(inside), interval_names(points), _ints(counts), 0, missing
    )


def _ints(values: Iterable[Any]) -> tuple[int, ...]:
    return tuple(int(value) for value in values)
