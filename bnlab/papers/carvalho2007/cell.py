"""Evaluation of a cell: the structures learned from each fold, their hits, and the changes by the refinement."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from math import fsum
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np

from bnlab.counts.memory import MemorySource
from bnlab.data.table import Table
from bnlab.graphs.dag import Dag
from bnlab.learners.consistent import CkGSearch
from bnlab.learners.orderings import ordering_search
from bnlab.learners.trees import optimal_branching
from bnlab.learners.types import ParentTuples
from bnlab.learners.with_class import WithClass, with_class
from bnlab.papers.carvalho2007.protocol import AS_PRINTED, CLASSIFIERS, SCORE_OF, SWEEP
from bnlab.papers.carvalho2009.protocol import SCORES, Protocol
from bnlab.papers.carvalho2009.rows import Codes, Fold, classified, folds
from bnlab.scores import LocalScores
from bnlab.search import run


def scored(table: Table, score: str) -> tuple[WithClass, int]:
    """Local score of the attributes given the class (the last variable), and the number of attributes."""
    n = table.n_variables - 1
    return with_class(LocalScores(MemorySource(table, threads=1), SCORES[score]), n), n


def learned_structures(phi: WithClass, n: int) -> dict[str, ParentTuples]:
    """Parents of every attribute, without the class, for NB, TAN and C2G.

    Parameters
    ----------
    phi : WithClass
        Local score of the n attributes, whose parents include the class.
    n : int
    """
    tree = optimal_branching(phi, n)
    return {"NB": ((),) * n, "TAN": tree, "C2G": run(CkGSearch(phi, tree, 2))}


def model_structure(phi: WithClass, n: int, model: str) -> ParentTuples:
    """Parents of every attribute for a model of the sweep."""
    order, k = SWEEP[model]
    if order == "search":
        return ordering_search(phi, n, k, seed=0)
    tree = optimal_branching(phi, n)
    return run(CkGSearch(phi, tree, k, order=order))


def total(phi: WithClass, parents: ParentTuples) -> float:
    """Score of the attributes under a structure, nats."""
    return fsum(phi.many(list(enumerate(parents))))


def edge_kinds(tree: ParentTuples, refined: ParentTuples) -> dict[tuple[int, int], str]:
    """Kind of each edge of the branching or the refinement: kept, dropped or added, in this order."""
    before, after = ({(p, child) for child, of in enumerate(parents) for p in of} for parents in (tree, refined))
    kinds = {"kept": before & after, "dropped": before - after, "added": after - before}
    return {edge: kind for kind, edges in kinds.items() for edge in sorted(edges)}


def edge_changes(tree: ParentTuples, refined: ParentTuples) -> dict[str, int]:
    """Numbers of edges that the refinement kept, dropped and added.

    Examples
    --------
    >>> edge_changes(((), (0,), (1,)), ((), (), (0, 1)))
    {'kept': 1, 'dropped': 1, 'added': 1}
    """
    kinds = list(edge_kinds(tree, refined).values())
    return {kind: kinds.count(kind) for kind in ("kept", "dropped", "added")}


class Refinement(NamedTuple):
    """Structures over the attributes of a data set, without the class.

    Attributes
    ----------
    table : Table
        Training rows, with the class as the last variable.
    structures : dict from "NB", "TAN" and "C2G" to the attributes' parents
    branching : Dag
        Edges of the TAN.
    both : Dag
        Edges of the TAN or of C2G.
    kinds : dict from (parent, child) to "kept", "dropped" or "added"
        Kind of each edge of `both`.
    """

    table: Table
    structures: dict[str, ParentTuples]
    branching: Dag
    both: Dag
    kinds: dict[tuple[str, str], str]

    @classmethod
    def of(cls, table: Table, structures: dict[str, ParentTuples]) -> Refinement:
        """Make the graphs of structures from `learned_structures`."""
        names = table.names[:-1]
        found = edge_kinds(structures["TAN"], structures["C2G"])
        kinds = {(names[u], names[v]): kind for (u, v), kind in found.items()}
        return cls(table, structures, Dag(names, structures["TAN"]), Dag.from_edges(names, kinds), kinds)


def refinement(name: str) -> Refinement:
    """Structures of a data set under the paper's score, learned from the first fold of the protocol "as printed".

    Parameters
    ----------
    name : str
        One of `DATASETS`.
    """
    table = folds(name, AS_PRINTED, seed=0)[0].train
    return Refinement.of(table, learned_structures(*scored(table, SCORE_OF[name])))


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
        C2G), gains (score of C2G less that of the branching for each fold, nats), edges (kept, dropped, added over all
        folds), forests (folds whose C2G has at most one parent besides the class) and seconds.
    """
    start = perf_counter()
    protocol = protocols[cell["protocol"]]
    rows = folds(cell["dataset"], protocol, cell["seed"])
    parts = [_fold(fold, SCORE_OF[cell["dataset"]], protocol) for fold in rows]
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
    raw = unsmoothed(protocol)
    return {
        "n_train": fold.train.n_rows,
        "n_test": len(fold.labels),
        "hits": [hits(phi, structures[name], fold, protocol) for name in CLASSIFIERS],
        "hits_unsmoothed": [hits(phi, structures[name], fold, raw) for name in CLASSIFIERS],
        "gain": total(phi, structures["C2G"]) - total(phi, structures["TAN"]),
        "edges": list(edge_changes(structures["TAN"], structures["C2G"]).values()),
        "forests": int(max(map(len, structures["C2G"])) <= 1),
    }


def unsmoothed(protocol: Protocol) -> Protocol:
    """Same protocol with relative frequencies."""
    return replace(protocol, smoothing="none")


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
        nats), edges (over all folds) and seconds (of learning only).
    """
    parts = [
        _model_fold(fold, SCORE_OF[cell["dataset"]], cell["model"], protocol)
        for fold in folds(cell["dataset"], protocol, cell["seed"])
    ]
    sums = {key: sum(part[key] for part in parts) for key in parts[0]}
    return {**sums, "score": round(sums["score"] / len(parts), 4), "seconds": round(sums["seconds"], 2)}


def _model_fold(fold: Fold, score: str, model: str, protocol: Protocol) -> dict[str, Any]:
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
    """Number of test rows that the classifier of a structure classifies correctly."""
    source = MemorySource(fold.train, threads=1)
    return int((classified(source, fold, phi.augmented(parents), protocol) == fold.labels).sum())


def _on_itself(table: Table) -> Fold:
    codes: Codes = np.stack([table.column(i) for i in range(table.n_variables)]).astype(np.int64)
    return Fold(table, codes[:-1], codes[-1])
