"""All accuracies reported by Carvalho and Oliveira 2007 and Carvalho 2009, with verdicts and explanations."""

from __future__ import annotations

import numpy as np
import pandas as pd

from bnlab.papers.base.forensics import columns_explained
from bnlab.papers.base.metrics import ROUNDING, Z95
from bnlab.papers.carvalho2007.reported import table1 as carvalho2007_table1
from bnlab.papers.carvalho2007.table1 import TABLE1
from bnlab.papers.carvalho2009.classification import VERDICTS
from bnlab.papers.carvalho2009.protocol import DATASETS, SCORES
from bnlab.papers.carvalho2009.reported import table2 as carvalho2009_table2
from bnlab.papers.carvalho2009.table2 import TABLE2

SEGMENT_ROWS = 1540
"""Number of test rows that the half-widths of segment imply; in Table 1 it is the number of training rows."""

OWN = "the paper's own protocol"
NAIVE_BAYES = "a tree that does not help (naive Bayes)"
MISPRINT = "accuracy and half-width contradict each other"
UNEXPLAINED = "not explained"
EXPLANATIONS = (OWN, NAIVE_BAYES, MISPRINT, UNEXPLAINED)
"""Explanations of a number, of which the first that applies counts; see `explained`."""


def scoreboard(records_2007: pd.DataFrame, records_2009: pd.DataFrame) -> pd.DataFrame:
    """Three verdicts on each of the 138 accuracies, under the protocols "as printed" and "honest".

    Parameters
    ----------
    records_2007, records_2009 : DataFrame
        From `records_frame` of each paper.

    Returns
    -------
    DataFrame, one row per protocol and number
        paper (2007 or 2009), item (classifier or score), and the columns of `AccuracyTable.judged`.
    """
    parts = [
        paper.judged(records).rename(columns={paper.item_name: "item"}).assign(paper=year)
        for year, paper, records in ((2007, TABLE1, records_2007), (2009, TABLE2, records_2009))
    ]
    return pd.concat(parts, ignore_index=True)


def counts(board: pd.DataFrame) -> pd.DataFrame:
    """Count the numbers that pass each verdict, by paper and protocol, and for both papers together.

    Parameters
    ----------
    board : DataFrame
        From `scoreboard`.
    """
    passed = board.groupby(["paper", "protocol"])[list(VERDICTS)].sum()
    passed.insert(0, "numbers", board.groupby(["paper", "protocol"]).size())
    both = passed.groupby("protocol").sum()
    both.index = pd.MultiIndex.from_product([["both"], both.index], names=passed.index.names)
    return pd.concat([passed, both]).rename(columns=VERDICTS)


def computed(records: pd.DataFrame) -> pd.DataFrame:
    """Median accuracies of the suspects of 2009, percent, one row per data set and one column per (protocol, score)."""
    percent = (100 * records.accuracy).groupby([records.dataset, records.protocol, records.score]).median()
    return percent.unstack(["protocol", "score"]).loc[list(DATASETS)]


def suspects_of_columns(candidates: pd.DataFrame, bar: str = "half_width_95", *, own: bool = False) -> pd.DataFrame:
    """Suspects for each column of Table 2 of 2009; see `bnlab.papers.base.forensics.columns_explained`.

    Parameters
    ----------
    candidates : DataFrame
        Records of the suspects.
    bar : "half_width" or "half_width_95"
        The printed bars, or true 95 % intervals.
    own : bool
        Whether a column is compared only with the suspects of its own score.
    """
    table = carvalho2009_table2().pivot(index="dataset", columns="score").loc[list(DATASETS)]
    reported, half = (table[name][list(SCORES)] for name in ("accuracy", bar))
    return columns_explained(reported, half, computed(candidates), own=own)


def implied_accuracy(rows: int = SEGMENT_ROWS) -> pd.DataFrame:
    """Accuracies that the half-widths of segment imply, in percent: p in half_width = 1.96 sqrt(p (1 - p) / rows).

    Returns
    -------
    DataFrame indexed by classifier
        accuracy and half_width as printed, and implied.
    """
    segment = carvalho2007_table1().query("dataset == 'segment'").set_index("classifier")
    variance = (segment.half_width / 100 / Z95) ** 2 * rows
    return segment[["accuracy", "half_width"]].assign(
        implied=100 * (0.5 + np.sqrt((0.25 - variance).where(variance <= 0.25)))
    )


def explained(board: pd.DataFrame, candidates: pd.DataFrame) -> pd.DataFrame:
    """First explanation of each number, with true 95 % intervals.

    The first one is the paper's own protocol. For 2009 follows naive Bayes, the result if the tree does not help. The
    best suspect of a column, chosen among hundreds, is no explanation: it explains as many permuted numbers. The
    accuracies and half-widths of segment in 2007 contradict each other; there the explanation is that the rerun agrees
    with the accuracies that the half-widths imply.

    Parameters
    ----------
    board : DataFrame
        From `scoreboard`.
    candidates : DataFrame
        Records of the suspects of 2009.

    Returns
    -------
    DataFrame, one row per number
        The rows of the protocol "as printed", and explanation, one of `EXPLANATIONS`.
    """
    table = board[board.protocol == "as printed"].reset_index(drop=True)
    values = computed(candidates)
    naive = pd.DataFrame(dict.fromkeys(SCORES, values["naive Bayes", "LL"]))
    implied = implied_accuracy().implied

    def explanation(row: pd.Series) -> str:
        if row.inside_95:
            return OWN
        if row.paper == 2009:
            if abs(naive.at[row.dataset, row["item"]] - row.published) <= row.half_width_95 + ROUNDING:
                return NAIVE_BAYES
        elif row.dataset == "segment" and abs(row.rerun - implied[row["item"]]) <= row.half_width:
            return MISPRINT
        return UNEXPLAINED

    return table.assign(explanation=table.apply(explanation, axis=1))
