"""One cell of the grids: a data set under a protocol and a seed."""

from __future__ import annotations

from collections.abc import Mapping
from time import perf_counter
from typing import Any

import numpy as np

from bnlab.counts.memory import MemorySource
from bnlab.data.table import Table
from bnlab.experiments.carvalho2007.protocol import CLASSIFIERS, SCORE_OF, SWEEP, Model
from bnlab.experiments.carvalho2007.refinement import edge_changes, learned_structures, model_structure, scored, total
from bnlab.experiments.carvalho2009.cell import classified
from bnlab.experiments.carvalho2009.protocol import Protocol
from bnlab.experiments.carvalho2009.rows import Codes, Fold, folds
from bnlab.learners.trees import WithClass
from bnlab.learners.types import ParentTuples

_MODELS = {model.name: model for model in SWEEP}


def evaluate(protocols: Mapping[str, Protocol], cell: Mapping[str, Any]) -> dict[str, Any]:
    """Results of one cell of Table 1.

    Parameters
    ----------
    protocols : mapping from name to Protocol
    cell : mapping with dataset, protocol (a name) and seed

    Returns
    -------
    dict
        n_train (rows of one training part), n_test (test rows of all folds), hits and hits_unsmoothed (of NB, TAN and
        C2G), gains (a fold each: score of C2G less the branching's, nats), edges (kept, dropped, added
        over all folds), forests (folds whose C2G has one parent beside the class at most) and seconds.
    """
    start = perf_counter()
    protocol = protocols[cell["protocol"]]
    parts = [
        _fold(fold, SCORE_OF[cell["dataset"]], protocol) for fold in folds(cell["dataset"], protocol, cell["seed"])
    ]
    return {
        "n_train": parts[0]["n_train"],
        **{key: np.sum([part[key] for part in parts], axis=0).tolist() for key in _SUMMED},
        "gains": [round(part["gain"], 6) for part in parts],
        "folds": len(parts),
        "seconds": round(perf_counter() - start, 2),
    }


_SUMMED = ("n_test", "hits", "hits_unsmoothed", "edges", "forests")


def _fold(fold: Fold, score: str, protocol: Protocol) -> dict[str, Any]:
    phi, n = scored(fold.train, score)
    structures = learned_structures(phi, n)
    raw = protocol.but("unsmoothed", "", smoothing="none")
    return {
        "n_train": fold.train.n_rows,
        "n_test": len(fold.labels),
        "hits": [hits(phi, structures[name], fold, protocol) for name in CLASSIFIERS],
        "hits_unsmoothed": [hits(phi, structures[name], fold, raw) for name in CLASSIFIERS],
        "gain": total(phi, structures["C2G"]) - total(phi, structures["TAN"]),
        "edges": list(edge_changes(structures["TAN"], structures["C2G"]).values()),
        "forests": int(max(map(len, structures["C2G"])) <= 1),
    }


def evaluate_model(protocol: Protocol, cell: Mapping[str, Any]) -> dict[str, Any]:
    """Results of one cell of the sweep: a model on a data set.

    Parameters
    ----------
    protocol : Protocol
    cell : mapping with dataset, model (a name) and seed

    Returns
    -------
    dict
        n_train and n_test (rows of all folds), train_hits, test_hits, score (of the attributes, mean over the folds,
        nats), edges (over all folds) and seconds (of learning alone).
    """
    parts = [
        _model_fold(fold, SCORE_OF[cell["dataset"]], _MODELS[cell["model"]], protocol)
        for fold in folds(cell["dataset"], protocol, cell["seed"])
    ]
    sums = {key: sum(part[key] for part in parts) for key in parts[0]}
    return {**sums, "score": round(sums["score"] / len(parts), 4), "seconds": round(sums["seconds"], 2)}


def _model_fold(fold: Fold, score: str, model: Model, protocol: Protocol) -> dict[str, Any]:
    start = perf_counter()
    phi, n = scored(fold.train, score)
    parents = model_structure(phi, n, model)
    seconds = perf_counter() - start
    return {
        "n_train": fold.train.n_rows,
        "n_test": len(fold.labels),
        "train_hits": hits(phi, parents, _on_itself(fold.train), protocol),
        "test_hits": hits(phi, parents, fold, protocol),
        "score": total(phi, parents),
        "edges": sum(map(len, parents)),
        "seconds": seconds,
    }


def hits(phi: WithClass, parents: ParentTuples, fold: Fold, protocol: Protocol) -> int:
    """Test rows that the classifier of a structure gets right."""
    source = MemorySource(fold.train, threads=1)
    return int((classified(source, fold, phi.augmented(parents), protocol) == fold.labels).sum())


def _on_itself(table: Table) -> Fold:
    codes: Codes = np.stack([table.column(i) for i in range(table.n_variables)]).astype(np.int64)
    return Fold(table, codes[:-1], codes[-1])
