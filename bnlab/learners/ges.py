"""Greedy equivalence search: the steps of a climb lead from one equivalence class to another.

References
----------
D. M. Chickering. Optimal structure identification with greedy search. JMLR 3, 2002.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from heapq import merge
from typing import Any, NamedTuple, TypeAlias

from bnlab._runtime.cached import cached_property
from bnlab.graphs.dag import Dag
from bnlab.graphs.edge_rules import EdgeRules
from bnlab.graphs.equivalence import extended
from bnlab.graphs.paths import reachable
from bnlab.graphs.pdag import Pdag, completed, essential_graph
from bnlab.learners.edges import Known, edge_rules
from bnlab.learners.types import Family, Phi, ScoreSearch, evaluate, rounding_unit, scores_alone
from bnlab.search import Event, Progress, Snapshot

Sets: TypeAlias = tuple[frozenset[int], ...]
Option: TypeAlias = tuple[int, tuple[int, ...], frozenset[int]]
"""Of a step at y: x, the neighbours that turn, and the parents that y has without x."""


class Neighbourhoods(NamedTuple):
    """Parents, undirected neighbours, and all neighbours of each node."""

    parents: Sets
    lines: Sets
    near: Sets

    @classmethod
    def of(cls, graph: Pdag) -> Neighbourhoods:
        """Neighbourhoods in a graph."""
        parents: list[set[int]] = [set() for _ in graph.names]
        lines: list[set[int]] = [set() for _ in graph.names]
        near: list[set[int]] = [set() for _ in graph.names]
        for u, v in graph.directed:
            parents[v].add(u)
        for u, v in graph.undirected:
            lines[u].add(v)
            lines[v].add(u)
        for u, v in graph.directed | graph.undirected:
            near[u].add(v)
            near[v].add(u)
        return cls(*(tuple(map(frozenset, sets)) for sets in (parents, lines, near)))

    def reaches(self, start: int, end: int, closed: frozenset[int]) -> bool:
        """Whether a path that follows no edge against its direction leads from start to end outside some nodes."""
        onward = [self.near[v] - self.parents[v] - closed for v in range(len(self.near))]
        return end in reachable(onward, [start])

    def cliques(self, base: frozenset[int], others: Sequence[int]) -> Iterator[frozenset[int]]:
        """Cliques of a base and some of the others; none if the base is no clique."""
        if any(not base - {v} <= self.near[v] for v in base):
            return
        waiting = [(base, [v for v in others if base <= self.near[v]])]
        while waiting:
            clique, left = waiting.pop()
            yield clique
            waiting += [(clique | {v}, [w for w in left[k + 1 :] if w in self.near[v]]) for k, v in enumerate(left)]

    def insertions(self, y: int, rules: EdgeRules) -> Iterator[Option]:
        """Edges of y that may be inserted."""
        for x in range(len(self.near)):
            if x == y or y in self.near[x] or not (rules.allowed[x, y] or rules.allowed[y, x]):
                continue
            common = self.lines[y] & self.near[x]
            for clique in self.cliques(common, sorted(self.lines[y] - self.near[x])):
                if len(self.parents[y] | clique) < rules.limits[y]:
                    yield x, tuple(sorted(clique - common)), self.parents[y] | clique

    def deletions(self, y: int, rules: EdgeRules) -> Iterator[Option]:
        """Edges of y that may be deleted."""
        for x in sorted(self.lines[y] | self.parents[y]):
            if rules.required[x, y] or rules.required[y, x]:
                continue
            common = self.lines[y] & self.near[x]
            for clique in self.cliques(frozenset(), sorted(common)):
                yield x, tuple(sorted(common - clique)), (self.parents[y] | clique) - {x}


class Step(NamedTuple):
    """Insertion or deletion of the edge of x and y, in the order in which steps are tried.

    Attributes
    ----------
    rank : int
        Gain in units of rounding, negative so that the greatest comes first.
    y, x : int
        The edge is x -> y, or x - y if it turns out to be undirected.
    others : tuple of int
        Insertion: neighbours t of y, not joined to x, that become t -> y. Deletion: neighbours h of both that become
        y -> h and x -> h.
    """

    rank: int
    y: int
    x: int
    others: tuple[int, ...]


@dataclass(frozen=True, eq=False)
class GESState:
    """State of a `GreedyEquivalenceSearch`.

    Attributes
    ----------
    graph : Pdag
        Essential graph of the current class.
    phase : {"insert", "delete", "done"}
    steps : tuple of tuple of Step
        For each variable y the steps of positive gain, best first.
    score : float
    iteration : int
    """

    graph: Pdag
    phase: str
    steps: tuple[tuple[Step, ...], ...]
    score: float
    iteration: int = 0

    @property
    def done(self) -> bool:
        """Whether no step is left."""
        return self.phase == "done"


@dataclass(frozen=True, eq=False)
class GreedyEquivalenceSearch(ScoreSearch):
    """A `Search` over equivalence classes: the best insertion of an edge until none gains, then the best deletion.

    Parameters
    ----------
    phi : LocalScoreFunction
        Equivalent graphs have the same score, such as BIC and BDeu.
    n : int
        Number of variables.
    max_parents : int, optional
        Maximum number of parents of a variable; by default any number.
    knowledge : Knowledge, optional
        Every class on the way has a member that agrees with it. The result has the directions that follow from it.

    Raises
    ------
    ValueError
        If the score distinguishes equivalent graphs, or the options are out of range or contradict each other.

    Notes
    -----
    With enough rows from a network that a graph represents exactly, the result is its class (Chickering 2002). Gains
    are compared in multiples of a power of two near 1e-10 of the greatest ``|φ(i, ∅)|``. Of steps of equal gain, the
    first in the order of the variables is made: of y, then of x, then of the further variables.
    """

    phi: Phi
    n: int
    max_parents: int | None = field(default=None, kw_only=True)
    knowledge: Known = field(default=None, kw_only=True)

    def __post_init__(self) -> None:
        if not self.local_scores.score_equivalent:
            raise ValueError(
                "the score distinguishes equivalent graphs, and greedy equivalence search needs one that does not: "
                "'bic' or 'bdeu', without interventions or priors on directions. Or learn a graph, "
                "bnlab.learn(data, 'hill-climbing'), and take its class, bnlab.essential."
            )
        _ = self._rules

    @cached_property
    def _rules(self) -> EdgeRules:
        return edge_rules(self.n, self.variable_names(), knowledge=self.knowledge, max_parents=self.max_parents)

    @cached_property
    def _unit(self) -> float:
        return rounding_unit(scores_alone(self.local_scores, self.n))

    @cached_property
    def _names(self) -> tuple[str, ...]:
        return self.variable_names() or tuple(map(str, range(self.n)))

    def init(self) -> GESState:
        """Class of the required edges."""
        graph = essential_graph(Dag(self._names, self._rules.parents))
        return self._ranked(GESState(graph, "insert", ((),) * self.n, self._score(graph)), range(self.n))

    def step(self, state: GESState) -> tuple[GESState, Progress]:
        """Make the best step that leads to a class, or end a phase."""
        for step in merge(*state.steps):
            graph = self._after(state, step)
            if graph is not None:
                changed = self._changed(state.graph, graph, step)
                after = replace(state, graph=graph, score=self._score(graph), iteration=state.iteration + 1)
                event = Event(after.iteration, state.phase, step.x, step.y)
                return self._ranked(after, changed), Progress(after.iteration, (after.score,), after.score, (event,))
        after = replace(state, phase="delete" if state.phase == "insert" else "done", iteration=state.iteration + 1)
        if not after.done:
            after = self._ranked(after, range(self.n))
        return after, Progress(after.iteration, (after.score,), after.score)

    def result(self, state: GESState) -> Pdag:  # type: ignore[override]
        """Essential graph of the class so far, with the directions that follow from the knowledge."""
        return completed(state.graph, self._known(state.graph))

    def snapshot(self, state: GESState) -> Snapshot:
        """Essential graph of the current class."""
        return Snapshot(None, (tuple(sorted(state.graph.directed)), tuple(sorted(state.graph.undirected))))

    def graph_of(self, sketch: Any, names: Sequence[str]) -> Pdag:  # type: ignore[override]
        """Essential graph of a sketch."""
        return Pdag(names, *sketch)

    def _score(self, graph: Pdag) -> float:
        return self.score_of(extended(graph))

    def _known(self, graph: Pdag) -> set[tuple[int, int]]:
        """Undirected edges of which the rules allow one direction, in that direction."""
        allowed = self._rules.allowed
        both = {(a, b) for u, v in graph.undirected for a, b in ((u, v), (v, u))}
        return {(a, b) for a, b in both if not allowed[b, a]}

    def _agrees(self, graph: Pdag) -> bool:
        """Whether some member of a class follows the rules."""
        if self.knowledge is None and self.max_parents is None:
            return True
        try:
            parents = extended(completed(graph, self._known(graph)))
        except ValueError:
            return False
        return not self._rules.violations(parents)

    def _after(self, state: GESState, step: Step) -> Pdag | None:
        """Essential graph after a step; None if the step does not lead to a class that follows the rules."""
        now, graph = Neighbourhoods.of(state.graph), state.graph
        _, y, x, others = step
        if state.phase == "insert":
            if now.reaches(y, x, (now.lines[y] & now.near[x]).union(others)):
                return None
            turned, arrows = {_pair(t, y) for t in others}, {(x, y), *((t, y) for t in others)}
        else:
            turned = {_pair(u, h) for h in others for u in (x, y)} & graph.undirected
            arrows = {(y, h) for h in others} | {(x, h) for h in others if h in now.lines[x]}
            graph = Pdag(self._names, graph.directed - {(x, y)}, graph.undirected - {_pair(x, y)})
        partial = Pdag(self._names, graph.directed | arrows, graph.undirected - turned)
        found = essential_graph(Dag(self._names, extended(partial)))
        return found if self._agrees(found) else None

    def _changed(self, before: Pdag, after: Pdag, step: Step) -> list[int]:
        """Variables whose steps may differ: with another neighbourhood, or a neighbour that is x or y of the step."""
        old, new, ends = Neighbourhoods.of(before), Neighbourhoods.of(after), {step.x, step.y}
        return [
            v
            for v in range(self.n)
            if v in ends or old.parents[v] != new.parents[v] or old.lines[v] != new.lines[v] or new.lines[v] & ends
        ]

    def _ranked(self, state: GESState, changed: Iterable[int]) -> GESState:
        """State with the steps of some variables ranked anew."""
        now = Neighbourhoods.of(state.graph)
        listed = now.insertions if state.phase == "insert" else now.deletions
        found = [(y, *option) for y in changed for option in listed(y, self._rules)]
        families: list[Family] = [(y, tuple(sorted(own))) for y, x, _, less in found for own in (less, less | {x})]
        scores = evaluate(self.local_scores, families).reshape(-1, 2)
        gains = scores[:, 1] - scores[:, 0] if state.phase == "insert" else scores[:, 0] - scores[:, 1]
        steps: dict[int, list[Step]] = {y: [] for y in changed}
        for (y, x, others, _), gain in zip(found, gains.tolist(), strict=True):
            if (rank := -round(gain / self._unit)) < 0:
                steps[y].append(Step(rank, y, x, others))
        every = (tuple(sorted(steps[y])) if y in steps else own for y, own in enumerate(state.steps))
        return replace(state, steps=tuple(every))


def _pair(u: int, v: int) -> tuple[int, int]:
    return (min(u, v), max(u, v))
