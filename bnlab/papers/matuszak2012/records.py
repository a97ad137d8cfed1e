"""Tables of the records of all runs, of the meaning of reported numbers, and of the first iterations of a search."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import exp
from typing import Any

import numpy as np
import pandas as pd

from bnlab.learners import ChenSearch
from bnlab.learners.chen.state import ChenState
from bnlab.papers.base.records import StoredRecords, stored_records
from bnlab.papers.matuszak2012.cell import OTHER_ALARM
from bnlab.papers.matuszak2012.readings import READINGS
from bnlab.papers.matuszak2012.reported import table1 as matuszak2012

GAP, SECONDS = "gap, %", "seconds"
NETWORKS = {
    "simple": "7 nodes and 7 edges",
    "alarm": "ALARM of the bnlearn repository",
    OTHER_ALARM: "ALARM with the parameters of the MMHC study's samples",
}
"""Descriptions of the networks by name."""

DIGITS = {"simple": {"K2": 0, "Chow-Liu": 2, "Chen": 2}, "alarm": {"K2": 0, "Chow-Liu": 0, "Chen": 0}}
"""Decimal places of the reported gaps."""

READ_AS = {
    "K2": [("K2, file order", "score"), ("K2, random order, 1 parent", "score")],
    "Chow-Liu": [("Chow-Liu", "score")],
    "Chen": [("faithful", "score"), ("faithful", "stopped_best")],
}
"""Runs and scores to which a reported gap may refer."""

Gap = Callable[[pd.Series, pd.Series, pd.Series], pd.Series]

GAPS: dict[str, Gap] = {
    "(T − S) / |T|": lambda s, t, e: (t - s) / t.abs(),
    "(T − S) / |S|": lambda s, t, e: (t - s) / s.abs(),
    "(T − S) / (T − E)": lambda s, t, e: (t - s) / (t - e),
}
"""Possible meanings of "differs from the optimal one in K2 metric by 20 %"; tables use the first one unless stated
otherwise. S is the score of a network, T that of the true network ("the optimal one") and E that of the network without
edges. All are log scores and therefore negative."""


def reported_numbers(variant: str) -> pd.DataFrame:
    """Reported numbers, with the runs and fields of the records to which they may refer.

    Returns
    -------
    DataFrame
        group (the network), item, run, field, published, low and high (of rounding).
    """
    lines = []
    for network in NETWORKS if variant == GAP else ("simple", "alarm"):
        printed = "alarm" if network == OTHER_ALARM else network
        for one in matuszak2012().query("network == @printed").itertuples():
            for run, field in READ_AS[one.algorithm] if variant == GAP else [(READ_AS[one.algorithm][0][0], "seconds")]:
                label = run + (", best up to Q" if field == "stopped_best" else "")
                item = label if run.startswith(one.algorithm) else f"{one.algorithm}, {label}"
                value = one.gap if variant == GAP else one.seconds
                half = 0.5 * 10.0 ** -(DIGITS[printed][one.algorithm] if variant == GAP else 3)
                lines.append((network, item, run, field, value, value - half, value + half))
    return pd.DataFrame(lines, columns=["group", "item", "run", "field", "published", "low", "high"])


def percent_gap(score: float, true: float) -> float:
    """``(T − S) / |T|`` in percent, the definition of all tables; negative if S is the greater score.

    Examples
    --------
    >>> percent_gap(-120.0, -100.0)
    20.0
    """
    return 100.0 * (true - score) / abs(true)


def with_gaps(records: pd.DataFrame, column: str = "score") -> pd.DataFrame:
    """Records with one column per definition of `GAPS`, in percent.

    Parameters
    ----------
    records : DataFrame with columns true, empty, and the score
    column : str
        Name of the column of the score.
    """
    columns = {name: 100.0 * gap(records[column], records["true"], records["empty"]) for name, gap in GAPS.items()}
    return records.assign(**columns)


def records_frame(records: StoredRecords) -> pd.DataFrame:
    """Records as a table, one row per network, run and seed.

    Parameters
    ----------
    records : path-like or iterable of dict
        A file of records, or the values of a grid's state.

    Returns
    -------
    DataFrame
        The fields of `cell.learned`, and gap, best_gap, stopped_gap and stopped_best_gap: ``(T - S) / |T|`` in percent
        for the four scores.
    """
    frame = pd.DataFrame(stored_records(records))
    for column in ("score", "best", "stopped", "stopped_best"):
        if column in frame:
            frame[f"{column}_gap"] = 100.0 * (frame["true"] - frame[column]) / frame["true"].abs()
    return frame.rename(columns={"score_gap": "gap"})


def sweep_frame(records: StoredRecords) -> pd.DataFrame:
    """Records of the sweeps, with the columns parameter and value."""
    frame = records_frame(records)
    frame[["parameter", "value"]] = frame.run.str.split(" = ", expand=True)
    return frame.assign(value=frame.value.astype(float))


def curves(records: pd.DataFrame) -> pd.DataFrame:
    """Curves in long form, one row per point.

    Returns
    -------
    DataFrame
        network, run, seed, iteration, score, best, seconds, and true.
    """
    kept = records[["network", "run", "seed", "true"]].to_dict("records")
    parts = [pd.DataFrame(curve).assign(**cell) for cell, curve in zip(kept, records.curve, strict=True)]
    return pd.concat(parts, ignore_index=True)


def readings_table(records: pd.DataFrame, network: str) -> pd.DataFrame:
    """Results of each reading of the text on a network.

    Parameters
    ----------
    records : DataFrame
        From `records_frame`, with runs of `READINGS`, all with the same seeds.
    network : str

    Returns
    -------
    DataFrame
        option, text, reading; median gaps in percent, decided (of the network of the permanent edges, with the range
        over the seeds), present and best (of the current and the best network after Q iterations); iterations, edges,
        seeds.
    """
    rows = []
    for name, reading in READINGS.items():
        runs = records[(records.network == network) & (records.run == name)]
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


def iterations(search: ChenSearch, number: int, names: Sequence[str]) -> pd.DataFrame:
    """First iterations of a search (steps 4 to 7), one row per iteration.

    Parameters
    ----------
    search : ChenSearch
    number : int
    names : sequence of str
        Names of the variables.

    Returns
    -------
    DataFrame
        j, network (its edges), U (the score, nats) and Δ (its change). If the node learned from the move: decision
        (before → after), exp(βΔ), and the probability τ of the new decision before and after.
    """
    state, lines, before = search.init(), [], None
    for j in range(number):
        last, (state, info) = state, search.advance(state, 1)
        utility = info.scores[-1]
        edges = (f"{names[u]} → {names[v]}" for v, of in enumerate(state.parents) for u in of)
        line: dict[str, Any] = {"j": j, "network": ", ".join(edges), "U": utility}
        line["Δ"] = None if before is None else utility - before
        for i in np.flatnonzero((state.tau != last.tau).any(axis=1)):
            line |= {"exp(βΔ)": exp(search.rate * line["Δ"]), **_learned(last, state, int(i), names)}
        before = utility
        lines.append(line)
    return pd.DataFrame(lines)


def _learned(last: ChenState, state: ChenState, i: int, names: Sequence[str]) -> dict[str, Any]:
    was, now = (next(iter(s.choices[i]), None) for s in (last, state))
    called = ("none" if h is None else names[h] for h in (was, now))
    h = i if now is None else now
    return {
        "decision": f"D{i + 1}: {' → '.join(called)}",
        "τ before": last.tau[i, h],
        "τ after": state.tau[i, h],
    }
