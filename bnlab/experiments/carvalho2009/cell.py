"""One cell of the grid: a data set under a protocol and a seed, the hits of all scores."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from time import perf_counter
from typing import Any

import numpy as np

from bnlab.classifiers.augmented import JointLogLikelihood, winners
from bnlab.counts.memory import MemorySource
from bnlab.counts.source import CountSource
from bnlab.counts.types import FloatArray, IntArray
from bnlab.experiments.carvalho2009.protocol import SCORES, Protocol
from bnlab.experiments.carvalho2009.rows import Fold, folds
from bnlab.experiments.carvalho2009.trees import EdgeScores, Parents, edge_scores, structures


def evaluate(protocols: Mapping[str, Protocol], cell: Mapping[str, Any]) -> dict[str, Any]:
    """Results of one cell.

    Parameters
    ----------
    protocols : mapping from name to Protocol
    cell : mapping with dataset, protocol (a name) and seed

    Returns
    -------
    dict
        n_train (rows of one training part), n_test (test rows of all folds), hits (one number a score, in the order
        of `SCORES`) and seconds.
    """
    start = perf_counter()
    protocol = protocols[cell["protocol"]]
    learned = learned_folds(cell["dataset"], protocol, cell["seed"])
    hits = sum(fold_hits(fold, edges, protocol, [cell["seed"], k]) for k, (fold, edges) in enumerate(learned))
    return {
        "n_train": learned[0][0].train.n_rows,
        "n_test": sum(len(fold.labels) for fold, _ in learned),
        "hits": np.asarray(hits).tolist(),
        "seconds": round(perf_counter() - start, 2),
    }


def learned_folds(dataset: str, protocol: Protocol, seed: int) -> list[tuple[Fold, dict[str, EdgeScores]]]:
    """Folds and their edges' scores; protocols that agree on the rows share them when they follow each other."""
    return _learned_folds(dataset, protocol.rows, seed)


@lru_cache(maxsize=16)
def _learned_folds(dataset: str, rows: Protocol, seed: int) -> list[tuple[Fold, dict[str, EdgeScores]]]:
    return [(fold, edge_scores(MemorySource(fold.train, threads=1))) for fold in folds(dataset, rows, seed)]


def fold_hits(fold: Fold, edges: Mapping[str, EdgeScores], protocol: Protocol, draw: list[int]) -> IntArray:
    """Test rows that each score's classifier gets right, shape (scores,)."""
    source = MemorySource(fold.train, threads=1)
    hits: dict[Parents, int] = {}
    parents = structures(edges, protocol, draw)
    for structure in parents.values():
        if structure not in hits:
            hits[structure] = int((classified(source, fold, structure, protocol) == fold.labels).sum())
    return np.array([hits[parents[name]] for name in SCORES])


def classified(source: CountSource, fold: Fold, structure: Parents, protocol: Protocol) -> IntArray:
    """Class that the classifier of a structure, learned from a fold's training rows, gives each test row."""
    counts = source.count(list(enumerate(structure)))
    joint = JointLogLikelihood(structure, counts, protocol.estimator)
    return predicted(joint, fold.codes, protocol)


def predicted(joint: JointLogLikelihood, codes: IntArray, protocol: Protocol) -> IntArray:
    """Class of each row; -2, no class at all, where a tie is a miss."""
    values = joint(codes)
    if not protocol.class_prior:
        values = _without_prior(values, joint.log_prior)
    if protocol.ties in ("first", "prior"):
        return winners(values, joint.log_prior, protocol.ties)
    if protocol.ties == "last":
        return np.asarray(values.shape[1] - 1 - values[:, ::-1].argmax(axis=1))
    tied = (values == values.max(axis=1, keepdims=True)).sum(axis=1) > 1
    return np.where(tied, -2, values.argmax(axis=1))


def _without_prior(values: FloatArray, log_prior: FloatArray) -> FloatArray:
    seen = np.isfinite(log_prior)
    return np.where(seen, values - np.where(seen, log_prior, 0.0), -np.inf)
