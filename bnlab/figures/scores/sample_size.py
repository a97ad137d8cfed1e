"""Scores of networks on the first rows of a table, for growing numbers of rows."""

from __future__ import annotations

from collections.abc import Iterable
from math import ceil, floor, log10
from operator import index
from typing import Any

import numpy as np
import pandas as pd

from bnlab.counts.base import CountSource
from bnlab.counts.cache import BoundedCache
from bnlab.counts.source import DataLike, as_data
from bnlab.data.table import Table
from bnlab.figures.labels import plain
from bnlab.figures.scores.differences import against
from bnlab.figures.scores.network_scores import Networks, NetworkScores
from bnlab.figures.scores.symlog import add_legend, curves_chart, difference_axis, upright
from bnlab.figures.theme import Chart, as_figure

CACHED_SIZES = 48
PER_DECADE = 5
FEWEST = 10


class PrefixScores:
    """`NetworkScores` of the first rows of a table, for any number of rows; the last used are cached.

    Parameters
    ----------
    data : Table, DataFrame or CountSource
        With a CountSource, only all rows can be scored.
    networks, **options
        As for `NetworkScores`, with prior and hyper among the options.

    Attributes
    ----------
    all : NetworkScores
        On all rows.
    sizes : tuple of int
        Numbers of rows for a curve, evenly spaced on a logarithmic axis; the last is that of all rows.

    Raises
    ------
    ValueError, TypeError
        As for `NetworkScores`.

    Examples
    --------
    >>> from bnlab.data import Table, Variable
    >>> table = Table([Variable("X", ("0", "1"))], [[0, 1, 1, 1] * 25])
    >>> scores = PrefixScores(table, {"net": []})
    >>> scores.sizes
    (10, 16, 25, 40, 63, 100)
    >>> print(scores.at(4).totals().loc["net", "ll"].round(3))  # log(1/4) + 3 log(3/4)
    -2.249
    """

    def __init__(self, data: DataLike, networks: Networks, **options: Any) -> None:
        data = as_data(data)
        self._data = data = data.repeated() if isinstance(data, Table) else data
        self._options = options
        self.all = NetworkScores(data, networks, **options)
        self._table = data if isinstance(data, Table) else None
        self._scores: BoundedCache[int, NetworkScores] = BoundedCache(CACHED_SIZES)
        self.sizes = row_numbers(self.all.n_rows) if self._table is not None else (self.all.n_rows,)

    def checked(self, n: int) -> int:
        """Check a number of rows, and return it as an int.

        Raises
        ------
        ValueError
            If there are fewer rows, or the data are a CountSource, which has no first rows.
        TypeError
            If it is not an integer.
        """
        n, most = index(n), self.all.n_rows
        if not 1 <= n <= most:
            raise ValueError(f"n_rows={n}: there are {most:,} rows; give a number from 1 to that.")
        if n < most and self._table is None:
            raise ValueError(f"n_rows={n}: the data are counts, which have no first rows; pass a Table to take some.")
        return n

    def known(self, n: int) -> bool:
        """Whether the first `n` rows are already counted."""
        return n == self.all.n_rows or self._scores.get(n) is not None

    def at(self, n: int) -> NetworkScores:
        """Scores on the first `n` rows.

        Raises
        ------
        ValueError, TypeError
            As for `checked`.
        """
        if self.checked(n) == self.all.n_rows:
            return self.all
        return self._scores.find([n], lambda _: [NetworkScores(self.data(n), self.all.networks, **self._options)])[0]

    def data(self, n: int) -> Table | CountSource:
        """First `n` rows.

        Raises
        ------
        ValueError, TypeError
            As for `checked`.
        """
        return self._data if self.checked(n) == self.all.n_rows or self._table is None else self._table.head(n)


def row_numbers(n_rows: int) -> tuple[int, ...]:
    """Numbers of rows up to `n_rows`, five per decade."""
    first = min(FEWEST, n_rows)
    steps = max(1, ceil(PER_DECADE * log10(n_rows / first))) + 1 if n_rows > first else 1
    return tuple(dict.fromkeys(np.geomspace(first, n_rows, steps).round().astype(int).tolist()))


def rows_json(
    data: pd.DataFrame,
    score: str,
    reference: str | None = None,
    *,
    n_rows: int | None = None,
    order: Iterable[str] | None = None,
    legend: bool = True,
) -> Chart:
    """Draw the difference of each network over the number of rows.

    Parameters
    ----------
    data : DataFrame
        From `differences_data` of the scores at each number of rows, transposed: one row per number, ascending.
    score, reference : str
        For the title.
    n_rows : int, optional
        Current number of rows, to mark.
    order : iterable of str, optional
        All networks, so that each keeps the colour it has in `differences_figure`.
    legend : bool
        Whether a legend is drawn below.
    """
    title = f"{plain(score)} over rows, difference from {plain(against(reference, 'the best'))}"
    chart = curves_chart(data, order, "%{x:,} rows", title)
    low, high = log10(data.index[0]), log10(data.index[-1])
    x_axis: dict[str, Any] = {
        "type": "log",
        "range": [low - 0.05, high + 0.05],
        "dtick": 1 if floor(high) > ceil(low) else "D1",
    }
    x_axis |= {"exponentformat": "none", "separatethousands": True, "title": {"text": "First rows of the data"}}
    chart["layout"] |= {"xaxis": x_axis, "yaxis": difference_axis(data.to_numpy(), "Nats (symlog scale)")}
    chart["layout"]["shapes"] = [] if n_rows is None else [upright(n_rows, width=2)]
    return add_legend(chart["data"], chart["layout"], legend=legend)


rows_figure = as_figure("rows_figure", rows_json)
