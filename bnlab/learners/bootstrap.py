"""Confidence in the edges of a learned network by the bootstrap (Friedman, Goldszmidt and Wyner 1999)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor, Future
from dataclasses import dataclass, field
from itertools import islice
from typing import TYPE_CHECKING, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bnlab._runtime.budget import check_pairs
from bnlab._runtime.values import check_counts
from bnlab.data.load import as_table
from bnlab.graphs.confidence import EdgeConfidence, arcs_of
from bnlab.graphs.dag import Dag
from bnlab.graphs.knowledge import Knowledge
from bnlab.graphs.pdag import Pdag
from bnlab.search import Described, Snapshot, Work

if TYPE_CHECKING:
    from bnlab.data.table import Table

BYTES_A_PAIR = 32
"""For the sum of the arcs before and after a replicate, and the arcs of the replicate."""


class BootstrapState(NamedTuple):
    """Replicates made, and the sum of their arcs, shape (n, n)."""

    done: int
    arcs: NDArray[np.float64]


class ConfidenceSearch(Described):
    """Base of searches whose sketches are frequencies or probabilities of edges, shape (n, n)."""

    threshold: ClassVar[float | None] = None
    """Minimum confidence of the edges shown, as for `EdgeConfidence.consensus`."""

    def graph_of(self, sketch: NDArray[np.float64], names: Sequence[str]) -> Dag:
        """Consensus graph."""
        return EdgeConfidence(tuple(names), sketch, 0).consensus(self.threshold)

    def strengths_of(self, sketch: NDArray[np.float64], names: Sequence[str]) -> dict[tuple[str, str], float]:
        """Confidence in the edges of the consensus graph."""
        return EdgeConfidence(tuple(names), sketch, 0).strengths(self.threshold)


@dataclass(frozen=True)
class Bootstrap(ConfidenceSearch):
    """Learn repeatedly from resampled rows: a `Search` with one replicate per step.

    A replicate draws N rows with replacement, rows of whole weights as often as these say; its random numbers follow
    from (seed, replicate). A DAG counts as its essential graph: directions that the data, with their interventions,
    cannot determine count one half each way. Hill climbing must break ties at random in each replicate
    (``ties="random"``). With one rule for all replicates, directions that the data leave open look certain: of the
    edges with a confidence of 97 %, 76 % existed instead of 96 % (`bnlab.papers.studies.calibration`; asia, sachs,
    child and alarm, 100 to 10,000 rows).

    Parameters
    ----------
    table : Table or DataFrame
    learner : callable
        Table -> Dag or Pdag on its variables. To run in other processes it must be a function of a module, or a
        `functools.partial` of one, such as ``partial(bnlab.learn, algorithm="hill-climbing", ties="random")``.
    replicates : int
    seed : int
    knowledge : Knowledge, optional
        Passed to every call, `learner(table, knowledge=knowledge)`, which must return a graph that agrees with it.
        Directions that it determines count in full.

    Raises
    ------
    ValueError
        If `replicates` is less than 1, `seed` less than 0, or the knowledge is of other variables.
    TypeError
        If one of them is not an integer.

    Examples
    --------
    >>> from functools import partial
    >>> import bnlab
    >>> from bnlab.search import run
    >>> data = bnlab.load_network("cancer").sample(2000, seed=1)
    >>> confidence = run(Bootstrap(data, partial(bnlab.learn, algorithm="exact"), replicates=20))
    >>> confidence.consensus().edges
    (('Pollution', 'Cancer'), ('Smoker', 'Cancer'), ('Cancer', 'Xray'), ('Cancer', 'Dyspnoea'))
    """

    table: Table
    learner: Callable[..., Dag | Pdag]
    replicates: int = 200
    seed: int = 0
    knowledge: Knowledge | None = field(default=None, kw_only=True)

    def __post_init__(self) -> None:
        check_counts(1, replicates=self.replicates)
        check_counts(0, seed=self.seed)
        object.__setattr__(self, "table", as_table(self.table).repeated())
        check_pairs(self.table.n_variables, BYTES_A_PAIR)
        if self.knowledge is not None:
            self.knowledge.resolved(self.table.names)

    def init(self) -> BootstrapState:
        """Return the state before the first replicate."""
        n = self.table.n_variables
        return BootstrapState(0, np.zeros((n, n)))

    def step(self, state: BootstrapState) -> tuple[BootstrapState, int]:
        """Make one replicate; the information is the number of replicates."""
        after = BootstrapState(state.done + 1, state.arcs + self.replicate(state.done))
        return after, after.done

    def is_done(self, state: BootstrapState) -> bool:
        """Whether all replicates are made."""
        return state.done >= self.replicates

    def result(self, state: BootstrapState) -> EdgeConfidence:
        """Confidence after the replicates made so far."""
        return EdgeConfidence(self.table.names, state.arcs / max(state.done, 1), state.done)

    def snapshot(self, state: BootstrapState) -> Snapshot:
        """Replicates made, and the share of them that have each edge."""
        return Snapshot(Work(state.done, self.replicates, "samples"), state.arcs / max(state.done, 1))

    def variable_names(self) -> tuple[str, ...]:
        """Names of the variables."""
        return self.table.names

    def replicate(self, number: int) -> NDArray[np.float64]:
        """Arcs of the essential graph of one replicate, shape (n, n)."""
        n_rows = self.table.n_rows
        rows = np.random.default_rng((self.seed, number)).integers(0, n_rows, n_rows)
        options = {} if self.knowledge is None else {"knowledge": self.knowledge}
        table = self.table.take(rows)
        graph = self.learner(table, **options)
        if not isinstance(graph, Dag):
            return arcs_of(graph)
        known = Knowledge() if self.knowledge is None else self.knowledge
        return arcs_of(known.essential_graph(graph, table.experiments))

    def run_on(
        self, executor: Executor, state: BootstrapState | None = None, *, ahead: int = 16
    ) -> Iterator[tuple[BootstrapState, int]]:
        """Iterate with the replicates on an executor, `ahead` of them at a time; the states equal those of `step`."""
        state = self.init() if state is None else state
        numbers = iter(range(state.done, self.replicates))
        waiting: list[Future[NDArray[np.float64]]] = [
            executor.submit(self.replicate, number) for number in islice(numbers, ahead)
        ]
        try:
            while waiting:
                state = BootstrapState(state.done + 1, state.arcs + waiting.pop(0).result())
                waiting.extend(executor.submit(self.replicate, number) for number in islice(numbers, 1))
                yield state, state.done
        finally:
            for future in waiting:
                future.cancel()
