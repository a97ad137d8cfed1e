"""What Carvalho 2009 concludes from Table 2, claim by claim, checked on the reported and on the reproduced numbers.

Each claim is a number and a condition on a table of accuracies. There is one reproduced table a seed: a claim holds if
it is true in at least 95 % of them, does not hold if it is in at most 5 %, and is not decidable between.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from bnlab.experiments.carvalho2009.candidates import drawn_name
from bnlab.experiments.carvalho2009.protocol import DATASETS, SCORES
from bnlab.experiments.metrics import Z95, half_width
from bnlab.experiments.published import carvalho2009_claims, carvalho2009_table1, carvalho2009_table2

LARGE = ("letter", "satimage", "chess")
SMALL = DATASETS[3:]
INFORMATION = ("LL", "BIC/MDL", "NML", "MIT(0.99)")
BAYESIAN = ("K2", "BDeu(1)", "BDeu(4)", "BDeu(16)")
SURE = 0.95


@dataclass(frozen=True, eq=False)
class Outcome:
    """One table of results, in percent.

    Attributes
    ----------
    accuracy, half_width : DataFrame of float64, shape (data sets, scores)
    """

    accuracy: pd.DataFrame
    half_width: pd.DataFrame

    def disjoint(self, datasets: tuple[str, ...], scores: tuple[str, ...]) -> NDArray[np.bool_]:
        """Whether the intervals of two scores do not intersect, shape (data sets, scores, scores)."""
        value, half = (frame.loc[list(datasets), list(scores)].to_numpy() for frame in (self.accuracy, self.half_width))
        gap = np.abs(value[:, :, None] - value[:, None, :])
        return np.asarray(gap > half[:, :, None] + half[:, None, :])

    def disjoint_pairs(self, datasets: tuple[str, ...], scores: tuple[str, ...]) -> int:
        """Pairs of scores on a data set whose intervals do not intersect."""
        return int(self.disjoint(datasets, scores).sum()) // 2

    def significant(self) -> list[tuple[str, str]]:
        """Cells whose interval intersects no other of their data set, the report's "significant"."""
        alone = self.disjoint(DATASETS, tuple(SCORES)).sum(axis=2) == len(SCORES) - 1
        return [(DATASETS[d], tuple(SCORES)[s]) for d, s in np.argwhere(alone)]

    def mean(self, datasets: tuple[str, ...], scores: tuple[str, ...]) -> float:
        """Mean accuracy of some scores over some data sets."""
        return float(self.accuracy.loc[list(datasets), list(scores)].to_numpy().mean())


def _lead(o: Outcome, datasets: tuple[str, ...], score: str, rivals: tuple[str, ...]) -> float:
    return o.mean(datasets, (score,)) - max(o.mean(datasets, (rival,)) for rival in rivals if rival != score)


def _over_the_middle(o: Outcome, datasets: tuple[str, ...], score: str) -> float:
    return o.mean(datasets, (score,)) - float(np.median([o.mean(datasets, (s,)) for s in SCORES]))


def _mean_lead(o: Outcome, datasets: tuple[str, ...], scores: tuple[str, ...], others: tuple[str, ...]) -> float:
    return o.mean(datasets, scores) - o.mean(datasets, others)


_SOYBEAN = ("soybean-large",)
_OTHERS = tuple(name for name in DATASETS if name not in _SOYBEAN)
ALL = tuple(SCORES)

MEASURES: dict[str, Callable[[Outcome], float]] = {
    "similar": lambda o: 1 - o.disjoint_pairs(DATASETS, ALL) / (12 * 28),
    "bayesian": lambda o: o.disjoint_pairs(_OTHERS, BAYESIAN),
    "soybean": lambda o: o.disjoint_pairs(_SOYBEAN, BAYESIAN),
    "k2_soybean": lambda o: _lead(o, _SOYBEAN, "K2", BAYESIAN),
    "bayesian_large": lambda o: _mean_lead(o, LARGE, BAYESIAN, INFORMATION),
    "significant": lambda o: len(o.significant()),
    "nml_vote": lambda o: min(_over_the_middle(o, (d,), "NML") for d in ("vote", "glass")),
    "ll_k2": lambda o: max(abs(_lead(o, (d,), "LL", ("K2",))) for d in ("satimage", "chess")),
    "k2_letter": lambda o: _lead(o, ("letter",), "K2", ("LL", "NML")),
    "nml_small": lambda o: _lead(o, SMALL, "NML", ("LL", "K2")),
    "ll_small": lambda o: _lead(o, SMALL, "LL", ("K2",)),
    "information_small": lambda o: _mean_lead(o, SMALL, INFORMATION, BAYESIAN),
    "nml_best": lambda o: _lead(o, SMALL, "NML", ALL),
    "ll_large": lambda o: _lead(o, LARGE, "LL", INFORMATION),
    "k2_large": lambda o: _over_the_middle(o, LARGE, "K2"),
    "information": lambda o: _mean_lead(o, DATASETS, INFORMATION, BAYESIAN),
}
"""Number of each claim, by its key in `bnlab.experiments.published.carvalho2009_claims`."""

CONDITIONS: dict[str, Callable[[Outcome], bool]] = {
    "similar": lambda o: o.disjoint_pairs(DATASETS, ALL) <= 0.1 * 12 * 28,
    "bayesian": lambda o: o.disjoint_pairs(_OTHERS, BAYESIAN) == 0,
    "significant": lambda o: o.significant() == [("soybean-large", "NML")],
    "ll_k2": lambda o: o.disjoint_pairs(("satimage", "chess"), ("LL", "K2")) == 0,
}
"""When a claim is true; any other one is if its number is positive."""


def is_true(key: str, outcome: Outcome) -> bool:
    """Whether a table of results satisfies a claim."""
    return CONDITIONS[key](outcome) if key in CONDITIONS else MEASURES[key](outcome) > 0


def claims(records: pd.DataFrame, protocol: str = "honest") -> pd.DataFrame:
    """Each claim with the reported number, the reproduced one and a verdict.

    Parameters
    ----------
    records : DataFrame
        From `records_frame`. Where a protocol has a single run because the split of the data set is fixed, runs of the
        same protocol with drawn splits (`drawn`) are taken, if there are any: one run has no variance.
    protocol : str

    Returns
    -------
    DataFrame
        claim, place, number (what is measured), published, true_as_printed (whether the reported table satisfies the
        claim), rerun (median over the seeds), true_share (of the seeds), verdict ("holds", "does not hold", "not
        decidable") and reason.

    Raises
    ------
    ValueError
        When the records lack the protocol or a data set of it.
    """
    printed, reproduced = printed_outcome(), reproduced_outcomes(records, protocol)
    rows = []
    for claim in carvalho2009_claims().to_dict("records"):
        key, measure = claim["key"], MEASURES[claim["key"]]
        share, as_printed = float(np.mean([is_true(key, o) for o in reproduced])), is_true(key, printed)
        satisfies = "The reported table satisfies it" if as_printed else "Not even the reported table satisfies it"
        rows.append(
            {
                "claim": claim["claim"],
                "place": claim["where"],
                "number": claim["number"],
                "published": round(measure(printed), 2),
                "true_as_printed": as_printed,
                "rerun": round(float(np.median([measure(o) for o in reproduced])), 2),
                "true_share": share,
                "verdict": "holds" if share >= SURE else "does not hold" if share <= 1 - SURE else "not decidable",
                "reason": f"{satisfies}; so do {round(share * len(reproduced))} of {len(reproduced)} reproductions.",
            }
        )
    return pd.DataFrame(rows)


def printed_outcome() -> Outcome:
    """Table 2 as reported."""
    return _outcome(carvalho2009_table2())


def reproduced_outcomes(records: pd.DataFrame, protocol: str) -> list[Outcome]:
    """One table a seed, with 95 % intervals; the one run of a data set without seeds is part of all."""
    mine = records[records.protocol == protocol]
    missing = [name for name in DATASETS if name not in set(mine.dataset)]
    if missing:
        raise ValueError(
            f"the records of protocol {protocol!r} lack the data sets {', '.join(missing)}: claims are about all "
            f"twelve. There are records of {', '.join(records.protocol.unique()) or 'no protocol'}."
        )
    others = records[records.protocol == drawn_name(protocol)]
    runs = pd.concat([mine[~mine.dataset.isin(others.dataset)], others])
    halves = [100 * half_width(a, n) for a, n in zip(runs.accuracy, runs.n_test, strict=True)]
    runs = runs.assign(accuracy=100 * runs.accuracy, half_width=halves)
    repeated = runs.groupby("dataset").seed.transform("nunique") > 1
    seeds = sorted(set.intersection(*map(set, runs[repeated].groupby("dataset").seed.unique())))
    return [_outcome(pd.concat([runs[~repeated], runs[repeated & (runs.seed == seed)]])) for seed in seeds]


def _outcome(cells: pd.DataFrame) -> Outcome:
    wide = cells.pivot(index="dataset", columns="score", values=["accuracy", "half_width"])
    return Outcome(wide["accuracy"], wide["half_width"])


def significance() -> pd.DataFrame:
    """Cells of the reported table that intersect no other of their data set, the report's "significant".

    Returns
    -------
    DataFrame
        dataset, score, accuracy, as_printed (by the reported intervals) and at_95 (by 95 % intervals everywhere: those
        of the five folds, which are of one standard error, made 1.96 times as wide).
    """
    printed = printed_outcome()
    in_folds = carvalho2009_table1().set_index("dataset").test == "CV-5"
    at_95 = Outcome(printed.accuracy, printed.half_width.mul(in_folds.map({True: Z95, False: 1.0}), axis=0))
    sets = {"as_printed": printed.significant(), "at_95": at_95.significant()}
    cells = sorted({cell for found in sets.values() for cell in found}, key=lambda c: (DATASETS.index(c[0]), c[1]))
    return pd.DataFrame(
        [
            {"dataset": d, "score": s, "accuracy": printed.mean((d,), (s,))}
            | {name: (d, s) in found for name, found in sets.items()}
            for d, s in cells
        ]
    )
