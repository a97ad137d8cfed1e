"""Accuracy of classifiers on test rows: intervals, numbers of hits, and comparison with reported tables."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import sqrt
from typing import NamedTuple

import pandas as pd

Z95 = 1.959963984540054

ROUNDING = 0.005
"""Half of the last reported digit, in percent, by which intervals are widened."""

COMPLETE_ROWS = {
    "letter": 20000,
    "satimage": 6435,
    "chess": 3196,
    "vehicle": 846,
    "diabetes": 768,
    "soybean-large": 562,
    "vote": 232,
    "heart": 270,
    "glass": 214,
    "iris": 150,
    "lymphography": 148,
    "hepatitis": 80,
}
"""Number of rows without missing values of each data set."""


def in_order_of(frame: pd.DataFrame, columns: Sequence[str], *orders: Iterable[str]) -> pd.DataFrame:
    """Sort rows by columns whose values have the given orders; other values have their natural order.

    Examples
    --------
    >>> in_order_of(pd.DataFrame({"size": ["large", "small"]}), ["size"], ["small", "large"])["size"].tolist()
    ['small', 'large']
    """
    place = {value: i for order in orders for i, value in enumerate(order)}
    by_place = lambda column: column.map(lambda value: place.get(value, value))  # noqa: E731
    return frame.sort_values(list(columns), key=by_place, kind="stable", ignore_index=True)


def half_width(accuracy: float, n_test: int, z: float = Z95) -> float:
    """Half of the normal interval of a proportion, ``z sqrt(p (1 - p) / n)``.

    Parameters
    ----------
    accuracy : float
        Share of hits, 0 to 1.
    n_test : int
        Number of test rows.
    z : float
        Standard errors on each side: 1.96 for a 95 % interval, 1 for a 68 % interval.

    Raises
    ------
    ValueError
        If the share is outside 0 to 1, or there are no rows.

    Examples
    --------
    >>> round(100 * half_width(0.7848, 5000), 2)
    1.14
    """
    if not 0 <= accuracy <= 1:
        raise ValueError(f"accuracy={accuracy}: a share between 0 and 1 is needed")
    if n_test < 1:
        raise ValueError(f"n_test={n_test}: an interval needs at least one test row")
    return z * sqrt(accuracy * (1 - accuracy) / n_test)


def tested_rows(published: pd.DataFrame, **replaced: int) -> pd.Series:
    """Number of test rows of each data set: as reported, or 5 floor(n / 5) of n complete rows in cross-validation.

    Parameters
    ----------
    published : DataFrame with columns dataset and test (rows, or "CV-5")
    **replaced : int
        Numbers for some data sets that replace the reported ones.
    """
    test = published.groupby("dataset", sort=False).test.first()
    rows = {name: 5 * (COMPLETE_ROWS[name] // 5) if t == "CV-5" else int(t) for name, t in test.items()}
    return pd.Series(rows | replaced, name="test_rows")


def implied_rows(published: pd.DataFrame) -> pd.DataFrame:
    """Numbers of test rows that the reported intervals imply.

    Parameters
    ----------
    published : DataFrame with columns dataset, test (rows, or "CV-5"), accuracy and half_width (percent)

    Returns
    -------
    DataFrame indexed by data set
        printed_test ("CV-5" or rows), test_rows (see `tested_rows`), rows_at_95 and rows_at_68 (medians of
        acc (1 - acc) z² / half_width², z = 1.96 and z = 1), interval: the one that gives the test rows within 3 %,
        "95 %", "68 %" or "neither".
    """
    shares, halves = published.accuracy / 100, published.half_width / 100
    at_68 = shares * (1 - shares) / (halves * halves)
    implied = pd.DataFrame({"rows_at_95": Z95 * Z95 * at_68, "rows_at_68": at_68})
    implied = implied.groupby(published.dataset, sort=False).median().round().astype(int)
    table = published.groupby("dataset", sort=False).test.first().to_frame("printed_test")
    table = table.join(tested_rows(published)).join(implied)
    near = [(table[f"rows_at_{level}"] - table.test_rows).abs() <= 0.03 * table.test_rows for level in (95, 68)]
    table["interval"] = [
        "95 %" if at_95 else "68 %" if at_68 else "neither" for at_95, at_68 in zip(*near, strict=True)
    ]
    return table


class Hits(NamedTuple):
    """Number of hits that a reported percentage stands for.

    Attributes
    ----------
    nearest : int
    printed : str
        "rounded"; "cut off" if the percentage is not rounded but truncated after two digits; or "neither".
    """

    nearest: int
    printed: str


def as_hits(accuracy: float, n: int) -> Hits:
    """Number of hits in n rows that gives a percentage with two decimal places, rounded or truncated.

    Examples
    --------
    >>> as_hits(91.30, 230)
    Hits(nearest=210, printed='rounded')
    >>> as_hits(83.71, 270).printed
    'neither'
    """
    rounded, cut = rounded_hits(accuracy, n), cut_hits(accuracy, n)
    if rounded is not None:
        return Hits(rounded, "rounded")
    return Hits(round(accuracy * n / 100), "neither") if cut is None else Hits(cut, "cut off")


def rounded_hits(accuracy: float, n: int) -> int | None:
    """Least number of hits whose percentage rounds to the reported one; halves may round up or down."""
    cents = round(100 * accuracy)
    hits = max(-((1 - 2 * cents) * n // 20_000), 0)
    return hits if hits <= n and 20_000 * hits <= (2 * cents + 1) * n else None


def cut_hits(accuracy: float, n: int) -> int | None:
    """Least number of hits whose percentage, truncated after two digits, is the reported one."""
    cents = round(100 * accuracy)
    hits = -(-cents * n // 10_000)
    return hits if hits <= n and 10_000 * hits < (cents + 1) * n else None


def whole_hits(published: pd.DataFrame, item: str, chess_test: int = 1070) -> pd.DataFrame:
    """Whether each reported accuracy is a whole number of hits.

    Parameters
    ----------
    published : DataFrame with columns dataset, test (rows, or "CV-5"), accuracy (percent), and the item
    item : str
        Name of the column of items.
    chess_test : int
        Number of test rows of chess. The papers report 1066, but for it no reported accuracy is a whole number of hits.

    Returns
    -------
    DataFrame
        dataset, the item, accuracy, test_rows, hits (not rounded), and nearest and printed of `Hits`.
    """
    test_rows = tested_rows(published, chess=chess_test)
    table = published[["dataset", item, "accuracy"]].assign(test_rows=published.dataset.map(test_rows))
    table["hits"] = table.accuracy * table.test_rows / 100
    found = [as_hits(a, n) for a, n in zip(table.accuracy, table.test_rows, strict=True)]
    table["nearest"], table["printed"] = zip(*found, strict=True)
    return table


def beside_reported(records: pd.DataFrame, published: pd.DataFrame, keys: Sequence[str]) -> pd.DataFrame:
    """Compare every reported accuracy with the reproduced one.

    Parameters
    ----------
    records : DataFrame with columns protocol, accuracy (0 to 1) and the keys
        Rows with the same protocol and keys are different seeds.
    published : DataFrame with columns accuracy, half_width, half_width_95 (percent) and the keys
    keys : sequence of str
        Columns that name a reported number.

    Returns
    -------
    DataFrame, one row per protocol and reported number, accuracies in percent
        protocol, the keys, published, half_width, half_width_95, rerun (median over the seeds), seeds, least, low,
        high, greatest (low and high are the 2.5 % and 97.5 % quantiles of the seeds), share_below (share of seeds at or
        below the published value), difference (rerun less published), inside (whether the median lies in the reported
        interval), inside_95 (whether it lies in a true 95 % interval around the reported value), in_range and
        in_central_95 (whether the published value lies between least and greatest, or between low and high).
    """
    names = ["protocol", *keys]
    reported = published.rename(columns={"accuracy": "published"})[[*keys, "published", "half_width", "half_width_95"]]
    runs = records[names].assign(percent=100 * records.accuracy).merge(reported, on=list(keys))
    runs["below"] = runs.percent <= runs.published + ROUNDING
    by_number = runs.groupby(names, sort=False)
    found = by_number.percent.agg(rerun="median", seeds="size", least="min", greatest="max")
    found["low"], found["high"] = by_number.percent.quantile(0.025), by_number.percent.quantile(0.975)
    found["share_below"] = by_number.below.mean()
    table = pd.DataFrame({"protocol": records.protocol.unique()}).merge(reported, how="cross")
    table = table.merge(found.reset_index(), on=names)
    table["difference"] = table.rerun - table.published
    for name, half in (("inside", "half_width"), ("inside_95", "half_width_95")):
        table[name] = table.difference.abs() <= table[half] + ROUNDING
    for name, low, high in (("in_range", "least", "greatest"), ("in_central_95", "low", "high")):
        table[name] = table.published.between(table[low] - ROUNDING, table[high] + ROUNDING)
    return table
