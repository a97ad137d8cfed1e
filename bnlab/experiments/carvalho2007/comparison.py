"""Records beside the printed Table 1, and what its numbers tell without any rerun."""

from __future__ import annotations

from math import ceil, floor

import pandas as pd

from bnlab.experiments.carvalho2009.comparison import ROUNDING
from bnlab.experiments.carvalho2009.evidence import COMPLETE_ROWS
from bnlab.experiments.metrics import Z95, implied_test_rows
from bnlab.experiments.published import carvalho2007_table1

NEAR = 0.03
_KEYS = ["dataset", "classifier"]


def table1(records: pd.DataFrame) -> pd.DataFrame:
    """Every printed accuracy beside the rerun.

    Parameters
    ----------
    records : DataFrame
        From `records_frame`, of one protocol.

    Returns
    -------
    DataFrame, one row a data set and classifier, accuracies in percent
        dataset, classifier, published, half_width, rerun (median over the seeds), difference (rerun less published),
        inside (whether the rerun lies in the printed interval), seeds, low and high (2.5 % and 97.5 % quantiles of the
        seeds), share_below (of the seeds that are at or below the published value), in_central_95.

    Raises
    ------
    ValueError
        If the records mix protocols.
    """
    if records.protocol.nunique() > 1:
        raise ValueError(f"records of the protocols {sorted(records.protocol.unique())}: choose one of them")
    percent = records.assign(percent=100 * records.accuracy)
    by_cell = percent.groupby(_KEYS, sort=False).percent
    runs = by_cell.agg(rerun="median", seeds="size").join(by_cell.quantile([0.025, 0.975]).unstack())
    runs = runs.rename(columns={0.025: "low", 0.975: "high"}).reset_index()
    printed = carvalho2007_table1().rename(columns={"accuracy": "published"})
    table = printed[[*_KEYS, "published", "half_width"]].merge(runs, on=_KEYS)
    below = percent.merge(printed, on=_KEYS)
    below["share_below"] = below.percent <= below.published + ROUNDING
    table["difference"] = table.rerun - table.published
    table["inside"] = table.difference.abs() <= table.half_width + ROUNDING
    table["in_central_95"] = (table.low - ROUNDING <= table.published) & (table.published <= table.high + ROUNDING)
    return table.merge(below.groupby(_KEYS, sort=False).share_below.mean().reset_index(), on=_KEYS)


def rows_of_tests(chess_test: int = 1066) -> pd.Series:
    """Test rows that Table 1 and five folds of floor(n / 5) complete rows give, by data set."""
    test = carvalho2007_table1().groupby("dataset", sort=False).test.first()
    rows = {name: 5 * (COMPLETE_ROWS[name] // 5) if t == "CV-5" else int(t) for name, t in test.items()}
    return pd.Series(rows | {"chess": chess_test}, name="test_rows")


def implied_rows() -> pd.DataFrame:
    """Test rows that the printed intervals stand for.

    Returns
    -------
    DataFrame indexed by data set
        test_rows (as Table 1 says), rows_at_95 and rows_at_68 (medians over the classifiers of
        acc (1 - acc) z² / half_width², z = 1.96 and z = 1), interval: which of the two gives the test rows within 3 %,
        "95 %", "68 %" or "neither".
    """
    printed = carvalho2007_table1()
    shares, halves = printed.accuracy / 100, printed.half_width / 100
    printed["rows_at_95"] = [implied_test_rows(a, h, Z95) for a, h in zip(shares, halves, strict=True)]
    printed["rows_at_68"] = [implied_test_rows(a, h, 1.0) for a, h in zip(shares, halves, strict=True)]
    implied = printed.groupby("dataset", sort=False)[["rows_at_95", "rows_at_68"]].median().round().astype(int)
    table = rows_of_tests().to_frame().join(implied)
    table["interval"] = [_interval(row.test_rows, row.rows_at_95, row.rows_at_68) for row in table.itertuples()]
    return table


def _interval(rows: int, at_95: int, at_68: int) -> str:
    near = {"95 %": abs(at_95 - rows) <= NEAR * rows, "68 %": abs(at_68 - rows) <= NEAR * rows}
    return next((name for name, fits in near.items() if fits), "neither")


def printed_hits(chess_test: int = 1066) -> pd.DataFrame:
    """Whether each printed accuracy is a whole number of hits.

    Parameters
    ----------
    chess_test : int
        Test rows of chess.

    Returns
    -------
    DataFrame
        dataset, classifier, accuracy (percent), test_rows, hits (whole, nearest), printed: "rounded", "cut off" when
        only dropping the digits after the second gives the printed number, or "neither".
    """
    table = carvalho2007_table1()[[*_KEYS, "accuracy"]]
    table["test_rows"] = table.dataset.map(rows_of_tests(chess_test))
    table["hits"] = (table.accuracy * table.test_rows / 100).round().astype(int)
    table["printed"] = [as_hits(a, n) for a, n in zip(table.accuracy, table.test_rows, strict=True)]
    return table


def as_hits(accuracy: float, n: int) -> str:
    """How a percentage of two digits comes from a whole number of hits in n rows.

    Examples
    --------
    >>> as_hits(91.30, 230), as_hits(83.71, 270), as_hits(71.76, 770)
    ('rounded', 'neither', 'neither')
    """
    cents = round(100 * accuracy)
    near = range(max(floor(accuracy * n / 100) - 1, 0), min(ceil(accuracy * n / 100) + 1, n) + 1)
    if any(abs(2 * 10_000 * hits - 2 * cents * n) <= n for hits in near):
        return "rounded"
    return "cut off" if any(10_000 * hits // n == cents for hits in near) else "neither"
