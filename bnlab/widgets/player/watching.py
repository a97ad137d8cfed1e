"""What can be told of any search while it runs: its curve, how far it is, its present graph and its policies."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import singledispatch
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from bnlab.experiments.grid import Grid
from bnlab.graphs import Dag, Pdag
from bnlab.graphs.confidence import EdgeConfidence
from bnlab.learners.bootstrap import Bootstrap
from bnlab.learners.chain import Chain
from bnlab.learners.chen.multi_start import MultiStartChen
from bnlab.learners.chen.search import ChenSearch, ChenState
from bnlab.learners.growing_tree import GrowingTree
from bnlab.learners.hill_climbing.search import HillClimbing
from bnlab.learners.k2 import K2Search
from bnlab.learners.orderings import OrderingSearch
from bnlab.learners.types import Floats, Mask
from bnlab.search import Progress
from bnlab.skeletons.by_target import ByTarget, joined
from bnlab.skeletons.heupc import HeuPC

Families: TypeAlias = tuple[tuple[int, ...], ...]
Sketch: TypeAlias = "Families | NDArray[np.uint64] | Floats"
"""A graph that is cheap to take and to keep: families as tuples, a bit for each edge in the rows of an array, or shares
of edges among many graphs."""


class Work(NamedTuple):
    """Units of work done, in all, and what they are."""

    done: int
    total: int
    unit: str


@dataclass(frozen=True, eq=False)
class Policies:
    """Randomised policies at a moment.

    Attributes
    ----------
    tau : ndarray of float, shape (n, n)
        [i, j] for i -> j, [i, i] for no edge; rows sum to one.
    flags : ndarray of bool, shape (n,)
        Which decisions are still to be taken.
    edges : ndarray of bool, shape (n, n)
        Permanent edges.
    """

    tau: Floats
    flags: Mask
    edges: Mask

    @property
    def active(self) -> tuple[bool, ...]:
        """Which decisions are still to be taken."""
        return tuple(self.flags.tolist())

    @property
    def permanent(self) -> tuple[tuple[int, int], ...]:
        """Permanent edges (u, v)."""
        return tuple((int(u), int(v)) for u, v in np.argwhere(self.edges))


@singledispatch
def work(search: Any, state: Any, info: Any) -> Work | None:
    """How far a search has come, where it can tell: by what its steps say, or else as registered here for its class.

    Parameters
    ----------
    search : Search
    state : its state
    info : what its last step said, or None

    Examples
    --------
    >>> from bnlab.learners.growing_tree import GrowingTree
    >>> tree = GrowingTree(lambda child, parents: float(len(parents)), 3)
    >>> work(tree, tree.init(), None)
    Work(done=0, total=2, unit='edges')
    """
    if hasattr(info, "done") and hasattr(info, "total"):
        return Work(int(info.done), int(info.total), "sets of parents" if hasattr(info, "scored") else "targets")
    return None


@work.register
def _(search: ChenSearch, state: Any, info: Any) -> Work | None:
    if search.max_iterations is not None:
        return Work(state.iteration, search.max_iterations, "iterations")
    if search.readings.limit != "overall":
        return None
    # After Q iterations every node decides when it is its turn: a little beyond Q is left.
    return Work(state.iteration, max(search.Q, state.iteration + sum(state.active)), "iterations")


@work.register
def _(search: MultiStartChen, state: Any, info: Any) -> Work:
    total = search.rounds * search.chains + search.polish
    done = total if state.done else min(state.round * search.chains + len(state.found), total)
    return Work(done, total, "turns")


@work.register
def _(search: HillClimbing, state: Any, info: Any) -> Work | None:
    if not search.restarts:
        return None
    return Work(state.restart + state.done, search.restarts + 1, "climbs")


@work.register
def _(search: K2Search, state: Any, info: Any) -> Work:
    orders = search.orders
    count = 1 if orders is None else orders if isinstance(orders, int) else len(orders)
    return Work(state.order * search.n + state.position, count * search.n, "variables")


@work.register
def _(search: OrderingSearch, state: Any, info: Any) -> Work:
    return Work(state.start, search.restarts, "starts")


@work.register
def _(search: GrowingTree, state: Any, info: Any) -> Work:
    return Work(state.iteration, search.n - 1, "edges")


@work.register
def _(search: Grid, state: Any, info: Any) -> Work:
    return Work(len(state), len(search.cells), "cells")


@work.register
def _(search: Bootstrap, state: Any, info: Any) -> Work:
    return Work(state.done, search.replicates, "samples")


@work.register
def _(search: HeuPC, state: Any, info: Any) -> Work:
    # The total is of the present order; each order looks at all edges anew.
    unit = "edges" if state.order else "variables"
    return Work(state.done, state.total, f"{unit}, order {state.order}")


@work.register
def _(search: Chain, state: Any, info: Any) -> Work | None:
    found: Work | None = work(*search.present(state), info)
    return found


def progress(info: Any, steps: int) -> Progress:
    """What a step said as a point of a curve; without a score it has none.

    Parameters
    ----------
    info : anything
    steps : int
        Steps made, this one included: the iteration where the step does not tell.
    """
    if isinstance(info, Progress):
        return info
    best = getattr(info, "best_score", None)
    if best is None:
        return Progress(steps, (), float("-inf"))
    return Progress(steps, (float(getattr(info, "score", best)),), float(best))


def phi_of(search: Any) -> Any:
    """Local scores of a search, or of the first of two in a row; None where it has none."""
    return getattr(search, "phi", None) or getattr(getattr(search, "first", None), "phi", None)


def names_of(search: Any) -> tuple[str, ...] | None:
    """Names of the variables, where the search knows them."""
    for owner in (search, phi_of(search), getattr(search, "tester", None), getattr(search, "table", None)):
        names = getattr(owner, "names", None)
        if names is not None:
            return tuple(map(str, names))
    return None


@singledispatch
def sketch(search: Any, state: Any) -> Sketch | None:
    """Present graph: parents, or what is registered here for its class; None for searches without a graph."""
    if isinstance(state, ChenState):
        return state.net.parents
    present = getattr(state, "parents", None)
    if present is not None and not hasattr(state, "leaders"):
        return tuple(present)
    found = search.result(state)
    return found if _are_families(found) else None


@sketch.register
def _(search: Grid, state: Any) -> None:
    return None


@sketch.register(ByTarget)
def _(search: Any, state: Any) -> Families:
    return tuple(map(tuple, state.found))


@sketch.register
def _(search: HeuPC, state: Any) -> Families:
    return tuple(tuple(sorted(neighbours)) for neighbours in state.neighbours)


@sketch.register
def _(search: Bootstrap, state: Any) -> Floats:
    shares: Floats = state.arcs / max(state.done, 1)
    return shares


@singledispatch
def graph(search: Any, found: Any, names: Sequence[str]) -> Dag | Pdag:
    """Graph that `sketch` told of."""
    if isinstance(found, np.ndarray):
        bits = np.unpackbits(found.view(np.uint8), axis=1, bitorder="little")
        return Dag(names, [tuple(np.flatnonzero(row).tolist()) for row in bits])
    return Dag(names, found)


@graph.register(ByTarget)
def _(search: Any, found: Any, names: Sequence[str]) -> Pdag:
    return Pdag(names, undirected=sorted(joined(found, search.rule)))


@graph.register
def _(search: HeuPC, found: Any, names: Sequence[str]) -> Pdag:
    return Pdag(names, undirected=[(x, y) for x, ys in enumerate(found) for y in ys if x < y])


@graph.register
def _(search: Bootstrap, found: Any, names: Sequence[str]) -> Dag:
    return EdgeConfidence(tuple(names), found, 0).averaged()


def policies(state: Any) -> Policies | None:
    """Policies of a state of Chen's search or of its multi-start version, if it has any."""
    decisions = getattr(state, "decisions", None)
    if decisions is not None:
        return Policies(decisions.tau, decisions.active, decisions.permanent)
    shared = getattr(state, "policies", None)
    if shared is None:
        return None
    n = len(shared)
    return Policies(shared, np.ones(n, dtype=np.bool_), np.zeros((n, n), dtype=np.bool_))


def edge_kinds(dag: Dag | Pdag, settled: Policies | None) -> Mapping[tuple[str, str], str] | None:
    """Permanent and chosen edges told apart, while policies decide on them."""
    if settled is None or not isinstance(dag, Dag):
        return None
    permanent = {(dag.names[u], dag.names[v]) for u, v in settled.permanent}
    return {edge: "permanent" if edge in permanent else "chosen" for edge in dag.edges}


def _are_families(found: Any) -> bool:
    return (
        isinstance(found, tuple)
        and bool(found)
        and all(isinstance(family, tuple) and all(isinstance(u, int) for u in family) for family in found)
    )
