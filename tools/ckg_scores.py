"""Which score the classifier C2G learns best by: log-loss and accuracy over the UCI data sets.

The default of `bnlab.classifiers.CkG` follows from these measures.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
from sklearn.metrics import accuracy_score, log_loss
from sklearn.model_selection import StratifiedKFold

from bnlab.classifiers import CkG, NaiveBayes
from bnlab.data.mdl_transformer import MDLDiscretizer
from bnlab.data.uci import layouts, read_uci
from bnlab.papers.base.grid import Design, StoredCells
from bnlab.papers.base.records import StoredRecords, stored_records
from bnlab.papers.carvalho2007.protocol import DATASETS

NAIVE_BAYES = "naive Bayes"
MISSING = "?"
"""State of missing values."""


def evaluate(cell: Mapping[str, Any]) -> dict[str, float]:
    """Results of five folds, each discretised by its training rows.

    Parameters
    ----------
    cell : mapping with dataset, score and seed
        The score of C2G, or "naive Bayes", which needs none.

    Returns
    -------
    dict
        log_loss, nats a row, and accuracy.
    """
    frame = read_uci(cell["dataset"])
    X, y = frame.drop(columns="class"), frame["class"].astype(str).to_numpy()
    classes, columns = np.unique(y), list(layouts()[cell["dataset"]].numeric)
    found = np.zeros((len(y), len(classes)))
    for train, test in StratifiedKFold(5, shuffle=True, random_state=cell["seed"]).split(X, y):
        cut = MDLDiscretizer(columns).fit(X.iloc[train], y[train])
        rows = [cut.transform(X.iloc[part]).astype(object) for part in (train, test)]
        known, new = (part.where(part.notna(), MISSING).astype(str) for part in rows)
        model = NaiveBayes() if cell["score"] == NAIVE_BAYES else CkG(score=cell["score"])
        model.fit(known, y[train])
        found[np.ix_(test, np.searchsorted(classes, model.classes_))] = model.predict_proba(new)
    return {
        "log_loss": round(float(log_loss(y, found.clip(1e-15), labels=classes)), 5),
        "accuracy": round(float(accuracy_score(y, classes[found.argmax(axis=1)])), 5),
    }


WITH_FIVE = tuple(name for name in DATASETS if name != "lymphography")
"""Data sets with a row of each class in every fold."""

DESIGN = Design(evaluate, {"dataset": WITH_FIVE, "score": ("nml", "mdl", "ll", NAIVE_BAYES), "seed": (0,)})
STORED = (StoredCells("ckg_scores", DESIGN),)


def means(records: StoredRecords) -> pd.DataFrame:
    """Mean log_loss and accuracy of each score over the data sets, the least loss first."""
    frame = pd.DataFrame(stored_records(records))
    return frame.groupby("score")[["log_loss", "accuracy"]].mean().sort_values("log_loss")
