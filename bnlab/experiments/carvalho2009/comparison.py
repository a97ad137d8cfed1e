"""Records beside the printed Table 2: cell by cell, and which protocol explains how much of it.

A protocol *explains* a cell when the median of its seeds lies in the printed interval.
"""

from __future__ import annotations

import numpy as np
import pandas as pd

from bnlab.experiments.carvalho2009.protocol import DATASETS, SCORES
from bnlab.experiments.published import carvalho2007_table1, carvalho2009_table2

ROUNDING = 0.005
"""Half of the last printed digit, in percent: intervals are as much wider."""


def table2(records: pd.DataFrame) -> pd.DataFrame:
    """Every printed accuracy beside the rerun.

    Parameters
    ----------
    records : DataFrame
        From `records_frame`; any protocols.

    Returns
    -------
    DataFrame, one row a protocol, data set and score, accuracies in percent
        protocol, dataset, score, published, half_width, rerun (median over the seeds), difference (rerun less
        published), inside (whether the rerun lies in the printed interval), seeds, least, low, high, greatest
        (low and high are the 2.5 % and 97.5 % quantiles of the seeds), share_below (of the seeds that are at or below
        the published value), in_range and in_central_95 (whether the published value lies from least to greatest,
        and from low to high).
    """
    accuracy = (100 * records.accuracy).groupby([records.protocol, records.dataset, records.score], sort=False)
    runs = pd.DataFrame(
        {
            "rerun": accuracy.median(),
            "seeds": accuracy.size(),
            "least": accuracy.min(),
            "low": accuracy.quantile(0.025),
            "high": accuracy.quantile(0.975),
            "greatest": accuracy.max(),
        }
    ).reset_index()
    published = _published(records)
    table = published.merge(runs, on=["protocol", "dataset", "score"], how="inner")
    table["difference"] = table.rerun - table.published
    table["inside"] = table.difference.abs() <= table.half_width + ROUNDING
    table["in_range"] = _between(table.published, table.least, table.greatest)
    table["in_central_95"] = _between(table.published, table.low, table.high)
    return table.merge(_share_below(records), on=["protocol", "dataset", "score"])


def _published(records: pd.DataFrame) -> pd.DataFrame:
    printed = carvalho2009_table2().rename(columns={"accuracy": "published"})
    return pd.DataFrame({"protocol": records.protocol.unique()}).merge(printed, how="cross")


def _between(value: pd.Series, low: pd.Series, high: pd.Series) -> pd.Series:
    return (low - ROUNDING <= value) & (value <= high + ROUNDING)


def _share_below(records: pd.DataFrame) -> pd.DataFrame:
    joined = records.merge(_published(records), on=["protocol", "dataset", "score"])
    below = 100 * joined.accuracy <= joined.published + ROUNDING
    keys = [joined.protocol, joined.dataset, joined.score]
    return below.groupby(keys, sort=False).mean().rename("share_below").reset_index()


def ranking(records: pd.DataFrame) -> pd.DataFrame:
    """Protocols by how much of Table 2 they explain.

    Returns
    -------
    DataFrame indexed by protocol, best first
        explained (of 96 cells, by the median of the seeds), least and most (cells that single seeds explain), expected
        (cells it would explain on average if one of its own seeds had been printed), mean_error (mean absolute
        difference, in percent), same_order: the correlation between printed and rerun accuracies over the scores
        within data sets, in units of the printed half-widths. Of values without any relation, one in forty passes 0.21.
    """
    table = table2(records)
    by_protocol = table.groupby("protocol", sort=False)
    single = _explained_by_seed(records)
    ranks = pd.DataFrame(
        {
            "explained": by_protocol.inside.sum(),
            "least": single.groupby("protocol").min(),
            "most": single.groupby("protocol").max(),
            "expected": by_protocol[["dataset", "score", "half_width"]].apply(_expected, records=records),
            "mean_error": table.difference.abs().groupby(table.protocol, sort=False).mean(),
            "same_order": by_protocol[["dataset", "published", "rerun", "half_width"]].apply(_same_order),
        }
    )
    return ranks.sort_values(["explained", "mean_error"], ascending=[False, True], kind="stable")


def ranking_by(records: pd.DataFrame, part: str) -> pd.DataFrame:
    """Number of explained cells by protocol and data set, or by protocol and score, in the order of `ranking`.

    Parameters
    ----------
    records : DataFrame
    part : "dataset" or "score"
    """
    table = table2(records)
    counts = table.pivot_table(index="protocol", columns=part, values="inside", aggfunc="sum")
    order = [name for name in (*DATASETS, *SCORES) if name in counts.columns]
    return counts.loc[ranking(records).index, order].astype(int)


def columns_explained(records: pd.DataFrame) -> pd.DataFrame:
    """How well each column that was computed explains each printed one: were columns mixed up?

    Returns
    -------
    DataFrame, best first within each printed score
        printed (score), protocol, computed (score), explained (of 12 data sets), mean_error.
    """
    printed = carvalho2009_table2().rename(columns={"accuracy": "published", "score": "printed"})
    rerun = (100 * records.accuracy).groupby([records.protocol, records.score, records.dataset], sort=False).median()
    joined = rerun.rename("rerun").reset_index().rename(columns={"score": "computed"}).merge(printed, on="dataset")
    joined["mean_error"] = (joined.rerun - joined.published).abs()
    joined["explained"] = joined.mean_error <= joined.half_width + ROUNDING
    grouped = joined.groupby(["printed", "protocol", "computed"], sort=False)
    table = grouped.agg(explained=("explained", "sum"), mean_error=("mean_error", "mean")).reset_index()
    place = {score: k for k, score in enumerate(SCORES)}
    table = table.sort_values(["explained", "mean_error"], ascending=[False, True], kind="stable")
    return table.sort_values("printed", key=lambda s: s.map(place), kind="stable", ignore_index=True)


def two_papers(records: pd.DataFrame) -> pd.DataFrame:
    """The optimal TAN of the same data and score as two reports print it, beside reruns.

    Carvalho and Oliveira 2007 smooth with 5 pseudo-rows, and maximise LL on the large data sets and MDL on the small.

    Parameters
    ----------
    records : DataFrame
        Of the candidates.

    Returns
    -------
    DataFrame indexed by data set, accuracies in percent
        score, published_2007, half_width_2007, published_2009, half_width_2009, smoothed and unsmoothed (the protocols
        "5 pseudo-rows" and "as printed", medians over the seeds), smoothed_inside_2007 and unsmoothed_inside_2009.
    """
    before = carvalho2007_table1().query("classifier == 'TAN'").set_index("dataset").reindex(DATASETS)
    score = before.score.replace("MDL", "BIC/MDL")
    cells = pd.MultiIndex.from_arrays([score.index, score])
    now = carvalho2009_table2().set_index(["dataset", "score"]).loc[cells]
    accuracy = (100 * records.accuracy).groupby([records.protocol, records.dataset, records.score]).median()
    table = pd.DataFrame(
        {
            "score": score,
            "published_2007": before.accuracy,
            "half_width_2007": before.half_width,
            "published_2009": now.accuracy.to_numpy(),
            "half_width_2009": now.half_width.to_numpy(),
            "smoothed": accuracy["5 pseudo-rows"].loc[cells].to_numpy(),
            "unsmoothed": accuracy["as printed"].loc[cells].to_numpy(),
        }
    )
    off_2007, off_2009 = table.smoothed - table.published_2007, table.unsmoothed - table.published_2009
    table["smoothed_inside_2007"] = off_2007.abs() <= table.half_width_2007 + ROUNDING
    table["unsmoothed_inside_2009"] = off_2009.abs() <= table.half_width_2009 + ROUNDING
    return table


def _explained_by_seed(records: pd.DataFrame) -> pd.Series:
    """Explained cells of each seed; data sets whose split is fixed lend their one run to all seeds."""
    joined = records.merge(_published(records), on=["protocol", "dataset", "score"])
    inside = (100 * joined.accuracy - joined.published).abs() <= joined.half_width + ROUNDING
    counts = inside.groupby([joined.protocol, joined.dataset, joined.seed]).sum().unstack("seed")
    return counts.ffill(axis=1).groupby("protocol").sum().stack()


def _expected(cells: pd.DataFrame, records: pd.DataFrame) -> float:
    mine = records[records.protocol == cells.name]
    joined = mine.merge(cells, on=["dataset", "score"])
    median = joined.groupby(["dataset", "score"]).accuracy.transform("median")
    inside = 100 * (joined.accuracy - median).abs() <= joined.half_width + ROUNDING
    return float(inside.groupby([joined.dataset, joined.score]).mean().sum())


def _same_order(table: pd.DataFrame) -> float:
    values = table[["published", "rerun"]]
    centred = (values - values.groupby(table.dataset).transform("mean")).div(table.half_width, axis=0)
    spread = centred.std()
    return float(centred.corr().iloc[0, 1]) if (spread > 0).all() else float(np.nan)
