"""Claims of Carvalho 2009 about Table 2, checked on the reported and on the reproduced numbers.

Each claim is a number and a condition on a table of accuracies. There is one reproduced table per seed. A claim holds
if it is true in at least 95 % of the tables, does not hold if it is true in at most 5 %, and is otherwise not
decidable.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from bnlab.counts.types import FloatArray, IntArray
from bnlab.papers.base.metrics import half_width, in_order_of
from bnlab.papers.carvalho2009.classification import over_splits
from bnlab.papers.carvalho2009.protocol import DATASETS, SCORES
from bnlab.papers.carvalho2009.reported import claims as carvalho2009_claims
from bnlab.papers.carvalho2009.reported import table2 as carvalho2009_table2

LARGE = ("letter", "satimage", "chess")
SMALL = DATASETS[3:]
INFORMATION = ("LL", "BIC/MDL", "NML", "MIT(0.99)")
BAYESIAN = ("K2", "BDeu(1)", "BDeu(4)", "BDeu(16)")
ALL = tuple(SCORES)
SURE = 0.95


@dataclass(frozen=True, eq=False)
class Outcome:
    """Tables of accuracies, percent.

    Attributes
    ----------
    accuracy, half_width : ndarray of float64, shape (tables, data sets, scores)
    """

    accuracy: FloatArray
    half_width: FloatArray

    def disjoint(self, datasets: Sequence[str], scores: Sequence[str]) -> NDArray[np.bool_]:
        """Whether the intervals of two scores do not intersect, shape (tables, data sets, scores, scores)."""
        value, half = (_part(array, datasets, scores) for array in (self.accuracy, self.half_width))
        gap = np.abs(value[..., :, None] - value[..., None, :])
        return np.asarray(gap > half[..., :, None] + half[..., None, :])

    def disjoint_pairs(self, datasets: Sequence[str], scores: Sequence[str]) -> IntArray:
        """Number of pairs of scores on a data set whose intervals do not intersect, shape (tables,)."""
        return np.asarray(self.disjoint(datasets, scores).sum(axis=(1, 2, 3)) // 2)

    def significant(self) -> NDArray[np.bool_]:
        """Whether a cell's interval intersects no other of its data set ("significant" in the report); same shape."""
        return np.asarray(self.disjoint(DATASETS, ALL).sum(axis=3) == len(ALL) - 1)

    def mean(self, datasets: Sequence[str], scores: Sequence[str]) -> FloatArray:
        """Mean accuracy of some scores over some data sets, shape (tables,)."""
        return np.asarray(_part(self.accuracy, datasets, scores).mean(axis=(1, 2)))


def _part(array: FloatArray, datasets: Sequence[str], scores: Sequence[str]) -> FloatArray:
    of_datasets = array[:, [DATASETS.index(d) for d in datasets]]
    return np.asarray(of_datasets[..., [ALL.index(s) for s in scores]])


def _lead(o: Outcome, datasets: Sequence[str], score: str, rivals: Sequence[str]) -> FloatArray:
    best = np.max([o.mean(datasets, (rival,)) for rival in rivals if rival != score], axis=0)
    return np.asarray(o.mean(datasets, (score,)) - best)


def _over_the_middle(o: Outcome, datasets: Sequence[str], score: str) -> FloatArray:
    return np.asarray(o.mean(datasets, (score,)) - np.median([o.mean(datasets, (s,)) for s in ALL], axis=0))


def _mean_lead(o: Outcome, datasets: Sequence[str], scores: Sequence[str], others: Sequence[str]) -> FloatArray:
    return np.asarray(o.mean(datasets, scores) - o.mean(datasets, others))


_SOYBEAN = ("soybean-large",)
_OTHERS = tuple(name for name in DATASETS if name not in _SOYBEAN)
_ONLY_NML_ON_SOYBEAN = np.outer(np.isin(DATASETS, _SOYBEAN), np.isin(ALL, ["NML"]))

MEASURES: dict[str, Callable[[Outcome], FloatArray | IntArray]] = {
    "similar": lambda o: 1 - o.disjoint_pairs(DATASETS, ALL) / (12 * 28),
    "bayesian": lambda o: o.disjoint_pairs(_OTHERS, BAYESIAN),
    "soybean": lambda o: o.disjoint_pairs(_SOYBEAN, BAYESIAN),
    "k2_soybean": lambda o: _lead(o, _SOYBEAN, "K2", BAYESIAN),
    "bayesian_large": lambda o: _mean_lead(o, LARGE, BAYESIAN, INFORMATION),
    "significant": lambda o: o.significant().sum(axis=(1, 2)),
    "nml_vote": lambda o: np.min([_over_the_middle(o, (d,), "NML") for d in ("vote", "glass")], axis=0),
    "ll_k2": lambda o: np.max([np.abs(_lead(o, (d,), "LL", ("K2",))) for d in ("satimage", "chess")], axis=0),
    "k2_letter": lambda o: _lead(o, ("letter",), "K2", ("LL", "NML")),
    "nml_small": lambda o: _lead(o, SMALL, "NML", ("LL", "K2")),
    "ll_small": lambda o: _lead(o, SMALL, "LL", ("K2",)),
    "information_small": lambda o: _mean_lead(o, SMALL, INFORMATION, BAYESIAN),
    "nml_best": lambda o: _lead(o, SMALL, "NML", ALL),
    "ll_large": lambda o: _lead(o, LARGE, "LL", INFORMATION),
    "k2_large": lambda o: _over_the_middle(o, LARGE, "K2"),
    "information": lambda o: _mean_lead(o, DATASETS, INFORMATION, BAYESIAN),
}
"""Function that measures each claim, by its key in `bnlab.papers.carvalho2009.reported.claims`."""

CONDITIONS: dict[str, Callable[[Outcome], NDArray[np.bool_]]] = {
    "similar": lambda o: o.disjoint_pairs(DATASETS, ALL) <= 0.1 * 12 * 28,
    "bayesian": lambda o: o.disjoint_pairs(_OTHERS, BAYESIAN) == 0,
    "significant": lambda o: (o.significant() == _ONLY_NML_ON_SOYBEAN).all(axis=(1, 2)),
    "ll_k2": lambda o: o.disjoint_pairs(("satimage", "chess"), ("LL", "K2")) == 0,
}
"""Conditions of some claims; the other claims are true if their number is positive."""


def is_true(key: str, outcome: Outcome) -> NDArray[np.bool_]:
    """Whether each table of results satisfies a claim, shape (tables,)."""
    return CONDITIONS[key](outcome) if key in CONDITIONS else np.asarray(MEASURES[key](outcome) > 0)


def claims(records: pd.DataFrame, protocol: str = "honest") -> pd.DataFrame:
    """Reported number, reproduced number and verdict of each claim.

    Parameters
    ----------
    records : DataFrame
        From `records_frame`. If a protocol has a single run because the split of the data set is fixed, runs of the
        same protocol with drawn splits (`drawn`) are used if there are any, because one run has no variance.
    protocol : str

    Returns
    -------
    DataFrame
        claim, place, number (what is measured), published and true_as_printed (whether the reported table satisfies the
        claim), both with true 95 % intervals like the reproduced tables, rerun (median over the seeds), true_share (of
        the seeds), verdict ("holds", "does not hold", "not decidable") and reason.

    Raises
    ------
    ValueError
        If the records lack the protocol or one of its data sets.
    """
    printed, reproduced = printed_outcome(), reproduced_outcomes(records, protocol)
    rows = []
    seeds = len(reproduced.accuracy)
    for claim in carvalho2009_claims().to_dict("records"):
        key, measure = claim["key"], MEASURES[claim["key"]]
        share, as_printed = float(is_true(key, reproduced).mean()), bool(is_true(key, printed)[0])
        satisfies = "The reported table satisfies it" if as_printed else "Not even the reported table satisfies it"
        rows.append(
            {
                "claim": claim["claim"],
                "place": claim["where"],
                "number": claim["number"],
                "published": round(float(measure(printed)[0]), 2),
                "true_as_printed": as_printed,
                "rerun": round(float(np.median(measure(reproduced))), 2),
                "true_share": share,
                "verdict": "holds" if share >= SURE else "does not hold" if share <= 1 - SURE else "not decidable",
                "reason": f"{satisfies}; so do {round(share * seeds)} of {seeds} reproductions.",
            }
        )
    return pd.DataFrame(rows)


def printed_outcome(as_printed: bool = False) -> Outcome:
    """Table 2 as reported, with true 95 % intervals or, for comparison, with the printed bars."""
    table = carvalho2009_table2()
    return _outcome(table if as_printed else table.assign(half_width=table.half_width_95))


def reproduced_outcomes(records: pd.DataFrame, protocol: str) -> Outcome:
    """One table per seed, with 95 % intervals; all tables share the single run of a data set without seeds."""
    mine = records[records.protocol == protocol]
    missing = [name for name in DATASETS if name not in set(mine.dataset)]
    if missing:
        raise ValueError(
            f"the records of protocol {protocol!r} lack the data sets {', '.join(missing)}: claims are about all "
            f"twelve. There are records of {', '.join(records.protocol.unique()) or 'no protocol'}."
        )
    runs = over_splits(records, protocol)
    halves = [100 * half_width(a, n) for a, n in zip(runs.accuracy, runs.n_test, strict=True)]
    runs = runs.assign(accuracy=100 * runs.accuracy, half_width=halves)
    repeated = runs.groupby("dataset").seed.transform("nunique") > 1
    seeds = sorted(set.intersection(*map(set, runs[repeated].groupby("dataset").seed.unique())))
    once = runs[~repeated].drop(columns="seed").merge(pd.DataFrame({"seed": seeds}), how="cross")
    return _outcome(pd.concat([runs[repeated & runs.seed.isin(seeds)], once]))


def _outcome(cells: pd.DataFrame) -> Outcome:
    tables = cells.seed.nunique() if "seed" in cells else 1
    order = in_order_of(cells, [*(["seed"] if "seed" in cells else []), "dataset", "score"], DATASETS, ALL)
    return Outcome(*(order[name].to_numpy().reshape(tables, len(DATASETS), -1) for name in ("accuracy", "half_width")))


def significance() -> pd.DataFrame:
    """Cells of the reported table whose interval intersects no other of their data set ("significant" in the report).

    Returns
    -------
    DataFrame
        dataset, score, accuracy, as_printed (by the reported intervals) and at_95 (by 95 % intervals; the reported
        intervals of five folds are one standard error, and are widened 1.96 times).
    """
    table = carvalho2009_table2()
    for name, bars in (("as_printed", True), ("at_95", False)):
        table[name] = printed_outcome(as_printed=bars).significant().ravel()
    return table.loc[
        table.as_printed | table.at_95, ["dataset", "score", "accuracy", "as_printed", "at_95"]
    ].reset_index(drop=True)
