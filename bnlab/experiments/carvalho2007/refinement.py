"""The three structures of a fold, and how the refinement changes the optimal branching."""

from __future__ import annotations

from collections.abc import Mapping
from math import fsum
from typing import NamedTuple

from bnlab.counts.memory import MemorySource
from bnlab.data.table import Table
from bnlab.experiments.carvalho2007.protocol import AS_PRINTED, SCORE_OF, Model
from bnlab.experiments.carvalho2009.protocol import SCORES
from bnlab.experiments.carvalho2009.rows import folds
from bnlab.graphs.dag import Dag
from bnlab.learners.ckg import CkGSearch
from bnlab.learners.orderings import ordering_search
from bnlab.learners.subsets import WINDOW
from bnlab.learners.trees import WithClass, optimal_branching, with_class
from bnlab.learners.types import ParentTuples
from bnlab.scores import LocalScores
from bnlab.search import run


def scored(table: Table, score: str) -> tuple[WithClass, int]:
    """Local score of the attributes given the class, the last variable, and how many attributes there are."""
    n = table.n_variables - 1
    return with_class(LocalScores(MemorySource(table, threads=1), SCORES[score]), n), n


def learned_structures(phi: WithClass, n: int) -> dict[str, ParentTuples]:
    """Parents of every attribute, the class left out, for NB, TAN and C2G.

    Parameters
    ----------
    phi : WithClass
        Local score of the n attributes, the class among their parents.
    n : int
    """
    tree = optimal_branching(phi, n)
    return {"NB": ((),) * n, "TAN": tree, "C2G": run(CkGSearch(phi, tree, 2, batch=WINDOW))}


def model_structure(phi: WithClass, n: int, model: Model) -> ParentTuples:
    """Parents of every attribute for a model of the sweep."""
    if model.order == "search":
        return ordering_search(phi, n, model.k, seed=0)
    tree = optimal_branching(phi, n)
    return run(CkGSearch(phi, tree, model.k, order=model.order, batch=WINDOW))


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


def change_picture(table: Table, structures: Mapping[str, ParentTuples]) -> tuple[Dag, dict[tuple[str, str], str]]:
    """Branching and C2G over the attributes as one graph, and the kind of each of its edges.

    Returns
    -------
    dag : Dag
        With the edges of either.
    kinds : dict from (parent, child) to "kept", "dropped" or "added"
    """
    names = table.names[:-1]
    found = edge_kinds(structures["TAN"], structures["C2G"])
    kinds = {(names[u], names[v]): kind for (u, v), kind in found.items()}
    return Dag.from_edges(names, [(names[u], names[v]) for u, v in sorted(found)]), kinds


class Refinement(NamedTuple):
    """Structures over the attributes of a data set, the class left out.

    Attributes
    ----------
    table : Table
        Training rows, the class last.
    structures : dict from "NB", "TAN" and "C2G" to the attributes' parents
    branching : Dag
        Edges of the TAN.
    both : Dag
        Edges of the TAN or of C2G.
    kinds : dict from (parent, child) to "kept", "dropped" or "added"
        Of each edge of `both`.
    """

    table: Table
    structures: dict[str, ParentTuples]
    branching: Dag
    both: Dag
    kinds: dict[tuple[str, str], str]


def refinement(name: str, *, seed: int = 0) -> Refinement:
    """Structures under the paper's score for a data set, from the first training rows of the protocol as printed.

    Parameters
    ----------
    name : str
        One of `DATASETS`.
    seed : int
        Of the split, where the data come without one.
    """
    table = folds(name, AS_PRINTED, seed)[0].train
    structures = learned_structures(*scored(table, SCORE_OF[name]))
    both, kinds = change_picture(table, structures)
    return Refinement(table, structures, Dag(both.names, structures["TAN"]), both, kinds)
