"""Every number that the paper prints, compared with the records."""

from __future__ import annotations

from typing import Any

import pandas as pd

from bnlab.experiments.matuszak2012.cell import OTHER_ALARM
from bnlab.experiments.matuszak2012.readings import READINGS
from bnlab.experiments.published import matuszak2012

DIGITS = {"simple": {"K2": 0, "Chow-Liu": 2, "Chen": 2}, "alarm": {"K2": 0, "Chow-Liu": 0, "Chen": 0}}
"""Decimal places of the printed gaps."""

READ_AS = {
    "K2": [("K2, file order", "gap"), ("K2, random order, 1 parent", "gap")],
    "Chow-Liu": [("Chow-Liu", "gap")],
    "Chen": [("faithful", "gap"), ("faithful", "stopped_best_gap")],
}
"""Runs, and which of their gaps, that a printed gap may refer to."""

CALLED = {"gap": "", "stopped_best_gap": ", best up to Q"}


def printed_and_rerun(records: pd.DataFrame) -> pd.DataFrame:
    """Every printed gap and time with the runs that it may refer to.

    Parameters
    ----------
    records : DataFrame
        From `records_frame`: runs of `READ_AS` on the simple network, ALARM and, for the gaps, "alarm, MMHC".

    Returns
    -------
    DataFrame
        network, printed (the algorithm), number ("gap, %" or "seconds"), run, published, rerun (median of the seeds),
        low and high (of the seeds), difference (rerun minus published), inside (whether the rounded published number
        lies from low to high), digits.
    """
    lines = []
    for one in matuszak2012().itertuples():
        for network in ("simple",) if one.network == "simple" else ("alarm", OTHER_ALARM):
            for run, column in READ_AS[one.algorithm]:
                found = _of(records, network, run)[column]
                digits = DIGITS[one.network][one.algorithm]
                line = _line(one.gap, found, digits)
                lines.append(_head(network, one.algorithm, "gap, %", run + CALLED[column]) | line)
    for one in matuszak2012().itertuples():
        run = READ_AS[one.algorithm][0][0]
        line = _line(one.seconds, _of(records, one.network, run).seconds, 3)
        lines.append(_head(one.network, one.algorithm, "seconds", run) | line)
    return pd.DataFrame(lines)


def _of(records: pd.DataFrame, network: str, run: str) -> pd.DataFrame:
    return records[(records.network == network) & (records.run == run)]


def _head(network: str, algorithm: str, number: str, run: str) -> dict[str, Any]:
    return {"network": network, "printed": algorithm, "number": number, "run": run}


def _line(published: float, values: pd.Series[float], digits: int) -> dict[str, Any]:
    low, middle, high = values.min(), values.median(), values.max()
    rounding = 0.5 * 10**-digits
    return {
        "published": published,
        "rerun": middle,
        "low": low,
        "high": high,
        "difference": middle - published,
        "inside": bool(low - rounding <= published <= high + rounding),
        "digits": digits,
    }


def readings_table(records: pd.DataFrame, network: str) -> pd.DataFrame:
    """Results of each reading of the text on a network.

    Parameters
    ----------
    records : DataFrame
        From `records_frame`: runs of `READINGS`, the same seeds of each.
    network : str

    Returns
    -------
    DataFrame
        option, text, reading; median gaps in percent: decided (of the network of the permanent edges, with the least
        and the greatest of the seeds), present and best (current and best network after Q iterations); iterations,
        edges, seeds.
    """
    rows = []
    for name, reading in READINGS.items():
        runs = _of(records, network, name)
        if len(runs):
            middle, low, high = runs.gap.median(), runs.gap.min(), runs.gap.max()
            rows.append(
                {
                    "option": name,
                    "text": reading.text,
                    "reading": reading.meaning,
                    "decided": f"{middle:.2f} ({low:.2f} to {high:.2f})",
                    "present": round(runs.stopped_gap.median(), 2),
                    "best": round(runs.stopped_best_gap.median(), 2),
                    "iterations": int(runs.iterations.median()),
                    "edges": int(runs.edges.median()),
                    "seeds": len(runs),
                }
            )
    return pd.DataFrame(rows)
