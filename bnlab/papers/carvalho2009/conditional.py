"""Future work of the 2009 report, measured: further columns of Table 2 for scores of conditional likelihood.

The last paragraph of the report proposes a decomposable score of the conditional likelihood, and a version with an
NML-like penalty for small data sets, "such as those used for finding binding sites". Both are compared here with naive
Bayes, TAN under every other score, and logistic regression, under the protocol "honest": by accuracy, and by the
conditional log-likelihood of test rows. Learning curves show small samples; UCI's promoters are binding sites.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from time import process_time
from typing import Any

import numpy as np
import pandas as pd

from bnlab.classifiers.augmented import JointLogLikelihood, winners
from bnlab.counts.memory import MemorySource
from bnlab.counts.types import FloatArray, IntArray
from bnlab.data.uci import CLASS
from bnlab.learners.trees import tan
from bnlab.learners.types import ParentTuples
from bnlab.papers.base.grid import Cell, Design, StoredCells
from bnlab.papers.base.records import StoredRecords, stored_records
from bnlab.papers.carvalho2009.candidates import HONEST
from bnlab.papers.carvalho2009.protocol import DATASETS, SCORES
from bnlab.papers.carvalho2009.rows import Fold, folds, is_seeded, small_fold
from bnlab.scores import LocalScore, LocalScores, make_score

NAIVE, LOGISTIC = "naive Bayes", "logistic regression"

TREES: dict[str, LocalScore] = {
    **SCORES,
    "AIC": make_score("aic"),
    "fCLL": make_score("fcll", target=CLASS),
    "fCLL-NML": make_score("fcll-nml", target=CLASS),
}
"""Scores of the TAN classifiers."""

CLASSIFIERS = (NAIVE, *TREES, LOGISTIC)
"""Columns, in the order of the records."""

CURVE_DATASETS = ("satimage", "chess", "vehicle", "diabetes", "soybean-large")
ROWS = (50, 100, 200, 400, 800, 1600)
"""Numbers of training rows of the learning curves."""
_LARGE, _MOST = ("satimage", "chess"), 400  # with more training rows, the other files have too few test rows


def evaluate(cell: Mapping[str, Any]) -> dict[str, Any]:
    """Results of one cell.

    Parameters
    ----------
    cell : mapping with dataset, seed, and rows (number of training rows, or None for the split of Table 2)

    Returns
    -------
    dict
        n_train (rows of one training part) and n_test (test rows of all folds); hits and cll (conditional
        log-likelihood of the test rows, nats), one number per classifier in the order of `CLASSIFIERS`; seconds of
        processor time.
    """
    start = process_time()
    dataset, rows, seed = cell["dataset"], cell["rows"], cell["seed"]
    parts = folds(dataset, HONEST, seed) if rows is None else [small_fold(dataset, HONEST, rows, seed)]
    results = [_of_fold(fold) for fold in parts]
    hits, cll = (np.sum([result[k] for result in results], axis=0) for k in range(2))
    return {
        "n_train": parts[0].train.n_rows,
        "n_test": sum(len(fold.labels) for fold in parts),
        "hits": [int(h) for h in hits],
        "cll": [round(float(c), 4) for c in cll],
        "seconds": round(process_time() - start, 2),
    }


def _of_fold(fold: Fold) -> tuple[list[int], list[float]]:
    """Hits and conditional log-likelihood of each classifier."""
    source = MemorySource(fold.train, threads=1)
    n = len(source.names) - 1
    structures: dict[str, ParentTuples] = {NAIVE: (*(((n,),) * n), ())}
    structures |= {name: tan(LocalScores(source, score), n + 1, n) for name, score in TREES.items()}
    found: dict[ParentTuples, tuple[int, float]] = {}
    for structure in structures.values():
        if structure not in found:
            joint = JointLogLikelihood(structure, source.count(list(enumerate(structure))), HONEST.estimator)
            values = joint(fold.codes)
            hits = int((winners(values, joint.log_prior, HONEST.ties) == fold.labels).sum())
            found[structure] = hits, conditional_log_likelihood(values, fold.labels, source.n_rows)
    logs = logistic_regression(fold)
    results = [found[structure] for structure in structures.values()]
    last = int((logs.argmax(axis=1) == fold.labels).sum()), conditional_log_likelihood(logs, fold.labels, source.n_rows)
    results.append(last)
    return [h for h, _ in results], [c for _, c in results]


def conditional_log_likelihood(values: FloatArray, labels: IntArray, n_train: int) -> float:
    """Sum over the rows of log P(c | x), bounded from below so that a single impossible row does not dominate.

    The distribution of every classifier is mixed with the uniform one, which has the weight 1 / (n_train + 1).

    Parameters
    ----------
    values : ndarray of float64, shape (N, n_classes)
        Logarithm of P(c, x) or of P(c | x). Classes are equally probable if all values of a row are minus infinity.
    labels : ndarray of int64, shape (N,)
    n_train : int

    Returns
    -------
    float
        Nats.

    Examples
    --------
    >>> certain = np.log([[0.5, 0.25], [1.0, 1e-300]])
    >>> round(conditional_log_likelihood(certain, np.array([0, 1]), 99), 4)  # log(0.665) + log(0.005)
    -5.7063
    """
    top = values.max(axis=1, keepdims=True)
    ratios = np.where(np.isneginf(top), 1.0, np.exp(values - np.where(np.isneginf(top), 0.0, top)))
    probabilities = ratios[np.arange(len(labels)), labels] / ratios.sum(axis=1)
    weight = 1 / (n_train + 1)
    return float(np.log((1 - weight) * probabilities + weight / values.shape[1]).sum())


def logistic_regression(fold: Fold) -> FloatArray:
    """Log of P(c | x) of scikit-learn's logistic regression with its default penalty, shape (n_test, n_classes).

    Each state of the training rows has an indicator variable; other states have none.
    """
    from sklearn.linear_model import LogisticRegression
    from sklearn.preprocessing import OneHotEncoder

    *attributes, labels = (fold.train.column(i) for i in range(fold.train.n_variables))
    encoder = OneHotEncoder(handle_unknown="ignore")
    train = encoder.fit_transform(np.column_stack(attributes))
    model = LogisticRegression(max_iter=2000).fit(train, labels)
    logs = np.full((fold.codes.shape[1], fold.train.variables[-1].arity), -np.inf)
    logs[:, model.classes_] = model.predict_log_proba(encoder.transform(fold.codes.T))
    return logs


def _complete(cell: Cell) -> Cell:
    """Set the seed to 0 if the file determines the training rows."""
    return cell if cell["rows"] is not None or is_seeded(cell["dataset"], HONEST) else {**cell, "seed": 0}


def _with_rows_left(cell: Cell) -> Cell | None:
    return cell if cell["rows"] <= _MOST or cell["dataset"] in _LARGE else None


DESIGN = Design(evaluate, {"dataset": DATASETS, "rows": (None,), "seed": range(10)}, _complete)
"""Splits of Table 2."""

CURVES = Design(evaluate, {"dataset": CURVE_DATASETS, "rows": ROWS, "seed": range(10)}, _with_rows_left)
"""Small samples; the test rows are other rows of the file, at most 2,000."""

PROMOTERS = Design(evaluate, {"dataset": ("promoters",), "rows": (None, 20, 40, 80), "seed": range(50)})
"""Binding sites: five folds of the 106 sequences, and small samples of them."""

STORED = (
    StoredCells("conditional", DESIGN),
    StoredCells("small_samples", CURVES),
    StoredCells("promoters", PROMOTERS),
)


def records_frame(records: StoredRecords) -> pd.DataFrame:
    """Records as a table, one row per data set, number of rows, seed and classifier.

    Parameters
    ----------
    records : path-like or iterable of dict
        A file of records, or the values of a grid's state.

    Returns
    -------
    DataFrame with columns dataset, rows, seed, classifier, n_train, n_test, accuracy, loss
        Accuracy in percent; loss is the negative conditional log-likelihood of a test row, in nats: less is better.
    """
    columns = ["dataset", "rows", "seed", "classifier", "n_train", "n_test", "accuracy", "loss"]
    rows = [
        {**record, "classifier": name, "accuracy": 100 * hits / record["n_test"], "loss": -cll / record["n_test"]}
        for record in stored_records(records)
        for name, hits, cll in zip(CLASSIFIERS, record["hits"], record["cll"], strict=True)
    ]
    return pd.DataFrame(rows, columns=columns)


def further_columns(frame: pd.DataFrame, measure: str = "accuracy") -> pd.DataFrame:
    """Table 2 with further columns: the mean over the seeds, one row per data set, and the mean rank.

    Parameters
    ----------
    frame : DataFrame
        From `records_frame`.
    measure : "accuracy" or "loss"

    Returns
    -------
    DataFrame indexed by data set, one column per classifier
        The last row is "mean rank"; rank 1 is the best.
    """
    table = frame.pivot_table(index="dataset", columns="classifier", values=measure)
    table = table.reindex(index=[d for d in DATASETS if d in table.index], columns=list(CLASSIFIERS))
    ranks = table.rank(axis=1, ascending=measure == "loss").mean()
    return pd.concat([table, ranks.to_frame("mean rank").T]).rename_axis(index="dataset", columns="classifier")


def paired(frame: pd.DataFrame, ours: str, others: Sequence[str], measure: str = "accuracy") -> pd.DataFrame:
    """Compare one classifier with others on the same data sets, or the same data sets and numbers of rows.

    Parameters
    ----------
    frame : DataFrame
        From `records_frame`.
    ours : str
    others : sequence of str
    measure : "accuracy" or "loss"

    Returns
    -------
    DataFrame indexed by the other classifier
        better, equal and worse (numbers of data sets, by the means over the seeds), difference (mean of ours less
        theirs), low and high (95 % interval over the data sets, Student's t), p (Wilcoxon's signed ranks, two-sided).
    """
    from scipy.stats import t, wilcoxon

    means = frame.groupby(["dataset", frame.rows.fillna(0), "classifier"])[measure].mean().unstack()
    sign = 1 if measure == "accuracy" else -1
    rows = {}
    for other in others:
        difference = (means[ours] - means[other]).round(9).to_numpy()
        n = len(difference)
        half = t.ppf(0.975, n - 1) * difference.std(ddof=1) / np.sqrt(n) if n > 1 else np.nan
        rows[other] = {
            "better": int((sign * difference > 0).sum()),
            "equal": int((difference == 0).sum()),
            "worse": int((sign * difference < 0).sum()),
            "difference": difference.mean(),
            "low": difference.mean() - half,
            "high": difference.mean() + half,
            "p": float(wilcoxon(difference).pvalue) if difference.any() else 1.0,
        }
    return pd.DataFrame.from_dict(rows, orient="index").rename_axis("against")


def curve_points(frame: pd.DataFrame, classifiers: Sequence[str] = CLASSIFIERS, measure: str = "loss") -> pd.DataFrame:
    """Learning curves: mean over the seeds with a 95 % interval.

    Parameters
    ----------
    frame : DataFrame
        From `records_frame`, of small samples.
    classifiers : sequence of str
    measure : "accuracy" or "loss"

    Returns
    -------
    DataFrame with columns dataset, series, rows, seeds, low, mean, high
    """
    chosen = frame[frame.classifier.isin(classifiers)]
    groups = chosen.groupby(["dataset", "classifier", "rows"], sort=False)[measure]
    points = groups.agg(seeds="size", mean="mean", sd="std").reset_index().rename(columns={"classifier": "series"})
    half = 1.96 * points.sd / np.sqrt(points.seeds)
    points["low"], points["high"] = points["mean"] - half, points["mean"] + half
    return points[["dataset", "series", "rows", "seeds", "low", "mean", "high"]]
