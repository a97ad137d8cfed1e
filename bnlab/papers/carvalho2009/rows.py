"""Training and test rows of a data set under a protocol, and the classes that a classifier predicts for test rows."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from bnlab.classifiers.augmented import JointLogLikelihood, winners
from bnlab.classifiers.encoding import UNSEEN
from bnlab.counts.base import CountSource
from bnlab.data.discretize import cuts_of_columns, with_intervals
from bnlab.data.splits import Split, five_fold, holdout
from bnlab.data.table import Table
from bnlab.data.uci import CLASS, layouts, read_uci
from bnlab.data.variable import Variable
from bnlab.learners.types import ParentTuples
from bnlab.papers.carvalho2009.protocol import Protocol

Codes = NDArray[np.int64]
_TRAIN = {"letter": 15_000, "satimage": 4_435, "segment": 1_540, "waveform": 300}
"""Numbers of training rows in both papers. The protocol determines that of chess; other data sets have five folds."""
_FIRST_ROWS = ("letter", "satimage")
"""Data sets whose first rows are the training rows. Those of chess, segment and waveform were not published."""


@dataclass(frozen=True, eq=False)
class Fold:
    """One split: a training table, and the test rows in its coding.

    Attributes
    ----------
    train : Table
        The class is the last variable.
    codes : ndarray of int64, shape (n_attributes, n_test)
    labels : ndarray of int64, shape (n_test,)
        `UNSEEN`, also in the codes, for a state that the training table does not have.
    """

    train: Table
    codes: Codes
    labels: Codes


def folds(dataset: str, protocol: Protocol, seed: int) -> list[Fold]:
    """Splits of a data set: one (holdout) or five (folds)."""
    frame = complete_rows(dataset, protocol)
    splits = draw(dataset, protocol, frame[CLASS], seed)
    if protocol.cuts == "all rows":
        table = _table(dataset, protocol, frame, frame)
        return [_fold(table, train, test, protocol) for train, test in splits]
    return [_fold(_table(dataset, protocol, frame, frame.iloc[train]), train, test, protocol) for train, test in splits]


def small_fold(dataset: str, protocol: Protocol, rows: int, seed: int, most: int = 2_000) -> Fold:
    """Random sample of `rows` training rows, and at most `most` of the others as test rows."""
    frame = complete_rows(dataset, protocol)
    order = np.random.default_rng([seed, rows]).permutation(len(frame))
    train, test = order[:rows], order[rows:][:most]
    learned_from = frame if protocol.cuts == "all rows" else frame.iloc[train]
    return _fold(_table(dataset, protocol, frame, learned_from), train, test, protocol)


def complete_rows(dataset: str, protocol: Protocol) -> pd.DataFrame:
    """Rows without missing values; nominal columns have the states that `protocol.states` selects."""
    frame = _complete_rows(dataset, protocol.row_id and dataset == "glass")
    if protocol.states == "file":
        return frame
    nominal = frame.select_dtypes("category")
    return frame.assign(**{name: column.cat.remove_unused_categories() for name, column in nominal.items()})


@lru_cache(maxsize=16)
def _complete_rows(dataset: str, keep_id: bool) -> pd.DataFrame:
    return read_uci(dataset, keep_id=keep_id).dropna(ignore_index=True)


def draw(dataset: str, protocol: Protocol, labels: pd.Series, seed: int) -> list[Split]:
    """Rows of each split."""
    n = len(labels)
    stratify = labels.to_numpy() if protocol.stratified else None
    train = n - protocol.chess_test if dataset == "chess" else _TRAIN.get(dataset)
    if protocol.split == "UCI notes":
        train = {"letter": 16_000, "segment": 210}.get(dataset, train)
    if train is None:
        splits = five_fold(n, seed, stratify)
    elif dataset in _FIRST_ROWS and protocol.split != "drawn":
        splits = [(np.arange(train), np.arange(train, n))]
    else:
        splits = holdout(n, train, seed, stratify)
    return [(test, train) for train, test in splits] if protocol.split == "exchanged" else splits


def is_seeded(dataset: str, protocol: Protocol) -> bool:
    """Whether the split, or the tree, depends on the seed."""
    return dataset not in _FIRST_ROWS or protocol.split == "drawn" or protocol.tree == "random"


def _table(dataset: str, protocol: Protocol, frame: pd.DataFrame, learned_from: pd.DataFrame) -> Table:
    """Table of a frame, whose numeric attributes are cut as the rows of another one show."""
    numeric = layouts()[dataset].numeric
    columns = [name for name in frame.columns.drop(CLASS) if name in numeric or _is_number(frame[name], protocol)]
    cut = with_intervals(frame, cuts_of_columns(learned_from, columns, "mdl", y=learned_from[CLASS]))
    return Table.from_pandas(cut, target=CLASS)


def _is_number(column: pd.Series, protocol: Protocol) -> bool:
    if not isinstance(column.dtype, pd.CategoricalDtype):
        return True
    return protocol.columns == "numbers" and pd.api.types.is_numeric_dtype(column.cat.categories)


def _fold(table: Table, train: Codes, test: Codes, protocol: Protocol) -> Fold:
    learned = table.take(train)
    codes = np.stack([table.column(i)[test] for i in range(table.n_variables)]).astype(np.int64)
    if protocol.states == "training rows":
        learned, codes = without_unseen(learned, codes)
    return Fold(learned, codes[:-1], codes[-1])


def without_unseen(table: Table, codes: Codes) -> tuple[Table, Codes]:
    """Training table without states that do not occur in it, and test codes in its coding."""
    variables, columns = [], []
    narrowed = np.empty_like(codes)
    for i, variable in enumerate(table.variables):
        seen, column = np.unique(table.column(i), return_inverse=True)
        new = np.full(variable.arity, UNSEEN, dtype=np.int64)
        new[seen] = np.arange(len(seen))
        narrowed[i] = new[codes[i]]
        columns.append(column.reshape(-1))
        variables.append(Variable(variable.name, tuple(variable.states[k] for k in seen)))
    return Table(variables, columns, target=table.target), narrowed


def classified(source: CountSource, fold: Fold, structure: ParentTuples, protocol: Protocol) -> Codes:
    """Class of each test row, predicted by the classifier of a structure with parameters from the training rows.

    It is -2 (no class) for a tie that counts as a miss.
    """
    joint = JointLogLikelihood(structure, source.count(list(enumerate(structure))), protocol.estimator)
    values = joint(fold.codes)
    if not protocol.class_prior:
        seen = np.isfinite(joint.log_prior)
        values = np.where(seen, values - np.where(seen, joint.log_prior, 0.0), -np.inf)
    if protocol.ties in ("first", "prior"):
        return winners(values, joint.log_prior, protocol.ties)
    if protocol.ties == "last":
        return np.asarray(values.shape[1] - 1 - values[:, ::-1].argmax(axis=1))
    tied = (values == values.max(axis=1, keepdims=True)).sum(axis=1) > 1
    return np.where(tied, -2, values.argmax(axis=1))
