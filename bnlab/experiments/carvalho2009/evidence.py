"""What the printed numbers of Table 2 tell about how they were made, without any rerun."""

from __future__ import annotations

from math import ceil, floor

import pandas as pd

from bnlab.experiments.metrics import Z95, implied_test_rows
from bnlab.experiments.published import carvalho2007_table1, carvalho2009_table1, carvalho2009_table2

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
"""Rows of each data set without missing values."""


def tested_rows() -> pd.Series:
    """Test rows that Table 1 and equal folds of floor(n / 5) rows give, by data set."""
    table = carvalho2009_table1().set_index("dataset")
    return pd.Series(
        {name: 5 * (COMPLETE_ROWS[name] // 5) if test == "CV-5" else int(test) for name, test in table.test.items()},
        name="test_rows",
    )


def implied_rows() -> pd.DataFrame:
    """Test rows that the printed intervals stand for.

    Returns
    -------
    DataFrame indexed by data set
        printed_test ("CV-5" or rows, Table 1), test_rows (see there), rows_at_95 and rows_at_68 (medians over the
        scores of acc (1 - acc) z² / half_width², with z = 1.96 and z = 1), interval: which of the two gives the
        test rows within 3 %.
    """
    printed = carvalho2009_table2()
    shares, halves = printed.accuracy / 100, printed.half_width / 100
    printed["rows_at_95"] = [implied_test_rows(a, h, Z95) for a, h in zip(shares, halves, strict=True)]
    printed["rows_at_68"] = [implied_test_rows(a, h, 1.0) for a, h in zip(shares, halves, strict=True)]
    implied = printed.groupby("dataset", sort=False)[["rows_at_95", "rows_at_68"]].median()
    table = carvalho2009_table1().set_index("dataset")[["test"]].rename(columns={"test": "printed_test"})
    table = table.join(tested_rows()).join(implied.round().astype(int))
    table["interval"] = [
        "95 %"
        if _near(row.rows_at_95, row.test_rows)
        else "68 %"
        if _near(row.rows_at_68, row.test_rows)
        else "neither"
        for row in table.itertuples()
    ]
    return table


def _near(rows: float, expected: float) -> bool:
    return abs(rows - expected) <= 0.03 * expected


def whole_hits(chess_test: int = 1070) -> pd.DataFrame:
    """Whether each printed accuracy is a whole number of hits.

    Parameters
    ----------
    chess_test : int
        Test rows of chess; Table 1 says 1066, for which no printed accuracy is a whole number of hits.

    Returns
    -------
    DataFrame
        dataset, score, accuracy, test_rows, hits (not rounded), nearest (whole number of hits), printed: "rounded",
        "cut off" when only dropping the digits after the second gives the printed number, or "neither".
    """
    rows = tested_rows()
    rows["chess"] = chess_test
    table = carvalho2009_table2()[["dataset", "score", "accuracy"]]
    table["test_rows"] = table.dataset.map(rows)
    table["hits"] = table.accuracy * table.test_rows / 100
    verdicts = [_as_printed(a, n) for a, n in zip(table.accuracy, table.test_rows, strict=True)]
    table["nearest"], table["printed"] = zip(*verdicts, strict=True)
    return table


def chess_test_rows(least: int = 900, greatest: int = 1300) -> pd.DataFrame:
    """For each number of test rows, how many of the accuracies of chess are whole numbers of hits.

    Returns
    -------
    DataFrame with columns test_rows, rounded, cut_off, cut_off_2007
        rounded and cut_off count the eight accuracies of Table 2, as they are or with the digits after the second
        dropped; cut_off_2007 the three that Carvalho and Oliveira 2007 print for the same data set.
    """
    now, before = _chess(carvalho2009_table2()), _chess(carvalho2007_table1())
    rows = range(least, greatest + 1)
    return pd.DataFrame(
        {
            "test_rows": rows,
            "rounded": [sum(_is_rounded(a, n) is not None for a in now) for n in rows],
            "cut_off": [sum(_is_cut_off(a, n) is not None for a in now) for n in rows],
            "cut_off_2007": [sum(_is_cut_off(a, n) is not None for a in before) for n in rows],
        }
    )


def _chess(published: pd.DataFrame) -> list[float]:
    return [float(accuracy) for accuracy in published.accuracy[published.dataset == "chess"]]


def glass_id(records: pd.DataFrame) -> pd.DataFrame:
    """Accuracy on glass with and without its row number, in percent.

    Parameters
    ----------
    records : DataFrame
        Of the candidates: the protocols "as printed" and "no Id" differ in the row number alone.

    Returns
    -------
    DataFrame indexed by score
        published, with_id and without_id (medians over the seeds).
    """
    printed = carvalho2009_table2().query("dataset == 'glass'").set_index("score").accuracy
    glass = records[records.dataset == "glass"]
    median = (100 * glass.accuracy).groupby([glass.protocol, glass.score], sort=False).median()
    return pd.DataFrame(
        {"published": printed, "with_id": median.get("as printed"), "without_id": median.get("no Id")}
    ).loc[printed.index]


def _as_printed(accuracy: float, n: int) -> tuple[int, str]:
    rounded, cut_off = _is_rounded(accuracy, n), _is_cut_off(accuracy, n)
    if rounded is not None:
        return rounded, "rounded"
    if cut_off is not None:
        return cut_off, "cut off"
    return round(accuracy * n / 100), "neither"


def _is_rounded(accuracy: float, n: int) -> int | None:
    """Number of hits whose percentage rounds to the printed one, halves either way."""
    cents = round(100 * accuracy)
    for hits in _near_hits(accuracy, n):
        if abs(2 * 10_000 * hits - 2 * cents * n) <= n:
            return hits
    return None


def _is_cut_off(accuracy: float, n: int) -> int | None:
    cents = round(100 * accuracy)
    return next((hits for hits in _near_hits(accuracy, n) if 10_000 * hits // n == cents), None)


def _near_hits(accuracy: float, n: int) -> range:
    exact = accuracy * n / 100
    return range(max(floor(exact) - 1, 0), min(ceil(exact) + 1, n) + 1)
