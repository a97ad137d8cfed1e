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

from bnlab._runtime.cached import cached_property
from bnlab.counts.types import FloatArray
from bnlab.experiments.carvalho2009.candidates import drawn_name
from bnlab.experiments.carvalho2009.protocol import DATASETS, SCORES
from bnlab.experiments.metrics import Z95, half_width
from bnlab.experiments.published import carvalho2009_table1, carvalho2009_table2

LARGE = ("letter", "satimage", "chess")
SMALL = DATASETS[3:]
INFORMATION = ("LL", "BIC/MDL", "NML", "MIT(0.99)")
BAYESIAN = ("K2", "BDeu(1)", "BDeu(4)", "BDeu(16)")
SURE = 0.95
_ROW = {name: k for k, name in enumerate(DATASETS)}
_COLUMN = {name: k for k, name in enumerate(SCORES)}


@dataclass(frozen=True, eq=False)
class Outcome:
    """One table of results, in percent.

    Attributes
    ----------
    accuracy, half_width : ndarray of float64, shape (data sets, scores)
        In the order of `DATASETS` and `SCORES`.
    """

    accuracy: FloatArray
    half_width: FloatArray

    @cached_property
    def disjoint(self) -> NDArray[np.bool_]:
        """Whether the intervals of two scores do not intersect, shape (data sets, scores, scores)."""
        gap = np.abs(self.accuracy[:, :, None] - self.accuracy[:, None, :])
        return np.asarray(gap > self.half_width[:, :, None] + self.half_width[:, None, :])

    def disjoint_pairs(self, datasets: tuple[str, ...], scores: tuple[str, ...]) -> int:
        """Pairs of scores on a data set whose intervals do not intersect."""
        columns = [_COLUMN[score] for score in scores]
        return int(self.disjoint[np.ix_([_ROW[d] for d in datasets], columns, columns)].sum()) // 2

    def significant(self) -> list[tuple[str, str]]:
        """Cells whose interval intersects no other of their data set, the report's "significant"."""
        alone = self.disjoint.sum(axis=2) == len(SCORES) - 1
        return [(DATASETS[d], tuple(SCORES)[s]) for d, s in np.argwhere(alone)]

    def mean(self, datasets: tuple[str, ...], scores: tuple[str, ...]) -> float:
        """Mean accuracy of some scores over some data sets."""
        return float(self.accuracy[np.ix_([_ROW[d] for d in datasets], [_COLUMN[s] for s in scores])].mean())


@dataclass(frozen=True)
class Claim:
    """A sentence of the report as a number and a condition.

    Attributes
    ----------
    quote : str
    place : str
    number : str
        What `measure` gives.
    measure : callable (Outcome) -> float
    condition : callable (Outcome) -> bool, optional
        Whether the claim is true; by default, whether the number is positive.
    """

    quote: str
    place: str
    number: str
    measure: Callable[[Outcome], float]
    condition: Callable[[Outcome], bool] | None = None

    def is_true(self, outcome: Outcome) -> bool:
        """Whether a table of results satisfies the claim."""
        return self.measure(outcome) > 0 if self.condition is None else self.condition(outcome)


def _lead(o: Outcome, datasets: tuple[str, ...], score: str, rivals: tuple[str, ...]) -> float:
    return o.mean(datasets, (score,)) - max(o.mean(datasets, (rival,)) for rival in rivals if rival != score)


def _over_the_middle(o: Outcome, datasets: tuple[str, ...], score: str) -> float:
    return o.mean(datasets, (score,)) - float(np.median([o.mean(datasets, (s,)) for s in SCORES]))


CLAIMS = (
    Claim(
        "In general all scores perform similarly.",
        "section 4",
        "share of the 336 pairs of scores whose intervals intersect (true from 0.9)",
        lambda o: 1 - o.disjoint_pairs(DATASETS, tuple(SCORES)) / (12 * 28),
        lambda o: o.disjoint_pairs(DATASETS, tuple(SCORES)) <= 0.1 * 12 * 28,
    ),
    Claim(
        "The Bayesian scores hardly distinguish among each other, ...",
        "section 4",
        "pairs of Bayesian scores with disjoint intervals, soybean-large left out (true when none)",
        lambda o: o.disjoint_pairs(tuple(d for d in DATASETS if d != "soybean-large"), BAYESIAN),
        lambda o: o.disjoint_pairs(tuple(d for d in DATASETS if d != "soybean-large"), BAYESIAN) == 0,
    ),
    Claim(
        "... except for the soybean-large dataset.",
        "section 4",
        "pairs of Bayesian scores with disjoint intervals on soybean-large (true when there are any)",
        lambda o: o.disjoint_pairs(("soybean-large",), BAYESIAN),
    ),
    Claim(
        "K2 performing slightly better in soybean-large dataset.",
        "Figure 2",
        "K2 less the best BDeu on soybean-large",
        lambda o: _lead(o, ("soybean-large",), "K2", BAYESIAN),
    ),
    Claim(
        "For large datasets Bayesian scores perform well.",
        "section 4, Table 2",
        "mean of the Bayesian less mean of the other scores on letter, satimage, chess",
        lambda o: o.mean(LARGE, BAYESIAN) - o.mean(LARGE, INFORMATION),
    ),
    Claim(
        "The only significant result is the performance of NML in the soybean-large dataset.",
        "section 4, Table 2",
        "cells whose interval intersects no other of its data set (true when NML on soybean-large is the only one)",
        lambda o: len(o.significant()),
        lambda o: o.significant() == [("soybean-large", "NML")],
    ),
    Claim(
        "The NML score also performs well in vote and glass.",
        "section 4",
        "NML less the median of all scores, on the worse of the two",
        lambda o: min(_over_the_middle(o, (d,), "NML") for d in ("vote", "glass")),
    ),
    Claim(
        "For large datasets LL and K2 perform more or less the same, ...",
        "Figure 4",
        "greatest difference of LL and K2 on satimage and chess (true when the intervals intersect)",
        lambda o: max(abs(_lead(o, (d,), "LL", ("K2",))) for d in ("satimage", "chess")),
        lambda o: o.disjoint_pairs(("satimage", "chess"), ("LL", "K2")) == 0,
    ),
    Claim(
        "... with the exception of letter where the K2 is the best.",
        "Figure 4",
        "K2 less the better of LL and NML on letter",
        lambda o: _lead(o, ("letter",), "K2", ("LL", "NML")),
    ),
    Claim(
        "For small datasets NML score is in general the best choice, ...",
        "Figure 4",
        "NML less the better of LL and K2, means over the nine small data sets",
        lambda o: _lead(o, SMALL, "NML", ("LL", "K2")),
    ),
    Claim(
        "... and LL performs better than K2.",
        "Figure 4",
        "LL less K2, means over the nine small data sets",
        lambda o: _lead(o, SMALL, "LL", ("K2",)),
    ),
    Claim(
        "For small datasets information-theoretic scores perform better, ...",
        "Table 2",
        "mean of the information-theoretic less mean of the Bayesian scores over the nine small data sets",
        lambda o: o.mean(SMALL, INFORMATION) - o.mean(SMALL, BAYESIAN),
    ),
    Claim(
        "... in particular, NML seems the best.",
        "Table 2",
        "NML less the best other score, means over the nine small data sets",
        lambda o: _lead(o, SMALL, "NML", tuple(SCORES)),
    ),
    Claim(
        "LL performs well for large datasets.",
        "Figure 3",
        "LL less the best of BIC/MDL, NML, MIT, means over letter, satimage, chess",
        lambda o: _lead(o, LARGE, "LL", INFORMATION),
    ),
    Claim(
        "It seems that a good choice is to consider K2 for large datasets.",
        "section 5",
        "K2 less the median of all scores' means over letter, satimage, chess",
        lambda o: _over_the_middle(o, LARGE, "K2"),
    ),
    Claim(
        "In general, information-theoretic scores perform better than Bayesian scores.",
        "abstract",
        "mean of the information-theoretic less mean of the Bayesian scores over all data sets",
        lambda o: o.mean(DATASETS, INFORMATION) - o.mean(DATASETS, BAYESIAN),
    ),
)


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
    for claim in CLAIMS:
        share, as_printed = float(np.mean([claim.is_true(o) for o in reproduced])), claim.is_true(printed)
        satisfies = "The reported table satisfies it" if as_printed else "Not even the reported table satisfies it"
        rows.append(
            {
                "claim": claim.quote,
                "place": claim.place,
                "number": claim.number,
                "published": round(claim.measure(printed), 2),
                "true_as_printed": as_printed,
                "rerun": round(float(np.median([claim.measure(o) for o in reproduced])), 2),
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
    """One table a seed, with 95 % intervals; a data set with a single run lends it to all."""
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
    wide = cells.pivot(index="dataset", columns="score", values=["accuracy", "half_width"]).reindex(DATASETS)
    columns = list(SCORES)
    return Outcome(wide["accuracy"][columns].to_numpy(), wide["half_width"][columns].to_numpy())


def significance() -> pd.DataFrame:
    """Cells of the reported table that intersect no other of their data set, the report's "significant".

    Returns
    -------
    DataFrame
        dataset, score, accuracy, as_printed (by the reported intervals) and at_95 (by 95 % intervals everywhere: those
        of the five folds, which are of one standard error, made 1.96 times as wide).
    """
    printed = printed_outcome()
    in_folds = (carvalho2009_table1().test == "CV-5").to_numpy()
    at_95 = Outcome(printed.accuracy, printed.half_width * np.where(in_folds, Z95, 1.0)[:, None])
    sets = {"as_printed": printed.significant(), "at_95": at_95.significant()}
    cells = sorted({cell for found in sets.values() for cell in found}, key=lambda c: (DATASETS.index(c[0]), c[1]))
    return pd.DataFrame(
        [
            {"dataset": d, "score": s, "accuracy": printed.mean((d,), (s,))}
            | {name: (d, s) in found for name, found in sets.items()}
            for d, s in cells
        ]
    )
