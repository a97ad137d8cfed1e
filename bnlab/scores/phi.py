"""The function phi(child, parents) that learners maximise: a score of counted data, with a cache."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial
from math import fsum
from operator import index
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from bnlab._runtime.cached import cached_property
from bnlab._runtime.interrupts import reraise_interrupt, reraise_interrupts
from bnlab._runtime.names import nearest
from bnlab._runtime.threads import run_parallel
from bnlab.counts.cache import BoundedCache
from bnlab.counts.memory import MemorySource
from bnlab.counts.source import DataLike, count_source
from bnlab.counts.types import Families, Family, FamilyBatch, FloatArray, IntArray
from bnlab.scores.function import LocalScoreFunction
from bnlab.scores.local import LocalScore
from bnlab.scores.structure_prior import DecomposablePrior, check_bayesian

if TYPE_CHECKING:
    from bnlab.scores.table_scores import TableScores

Node: TypeAlias = int | str

MAX_ENTRIES = 1 << 18
_FAMILIES_AT_ONCE = 1024  # if each family needs hyperparameters of its own
_MIN_CELLS_TO_SPLIT = 1 << 16  # of a batch between threads


class LocalScores(LocalScoreFunction):
    """Local scores of one table, counted once and cached: phi(child, parents) in nats; greater is better.

    Parameters
    ----------
    data : Table, DataFrame or CountSource
    score : LocalScore
    structure_prior : DecomposablePrior, optional
        Prior of structures, such as `EdgePrior`. Each local score includes the terms of its edges; the score must be
        Bayesian.
    max_entries : int
        Maximum size of the cache, in families; the least recently used ones are removed.

    Attributes
    ----------
    n : int
        Number of variables.
    names : tuple of str
    arities : tuple of int
    threads : int
        Threads that may score at the same time.
    by_passes : bool
        Whether each call is a pass over chunks or a cluster, so that few calls matter more than few families.
    hits, misses : int
        Calls answered from the cache, and families scored.

    Examples
    --------
    >>> from bnlab.data import Table, Variable
    >>> from bnlab.scores import K2
    >>> bit = ("0", "1")
    >>> table = Table([Variable("X", bit), Variable("Y", bit)], [[0, 0, 1, 1], [0, 0, 1, 1]])
    >>> phi = LocalScores(table, K2())
    >>> phi("Y", ("X",)) > phi("Y", ()), phi.misses
    (True, 2)
    """

    n: int
    names: tuple[str, ...]

    def __init__(
        self,
        data: DataLike,
        score: LocalScore,
        *,
        structure_prior: DecomposablePrior | None = None,
        max_entries: int = MAX_ENTRIES,
    ) -> None:
        self.source = count_source(data)
        self._in_memory = self.source if isinstance(self.source, MemorySource) else None
        self.score = score
        self.names = self.source.names
        self.n = len(self.names)
        self.threads = 1 if self._in_memory is None else self._in_memory.threads
        self.by_passes = self._in_memory is None
        self.arities = self.source.arities
        self.structure_prior = structure_prior
        self._log_odds = None if structure_prior is None else _log_odds(structure_prior, score, self.names)
        self.hits = 0
        self.misses = 0
        self._cache: BoundedCache[Family, float] = BoundedCache(max_entries)

    @cached_property
    def _positions(self) -> dict[Node, int]:
        indices = range(len(self.names))
        return dict(zip((*self.names, *indices), (*indices, *indices), strict=True))

    @property
    def score_equivalent(self) -> bool:  # type: ignore[override]
        """Whether Markov-equivalent graphs score the same.

        They do not if families count different rows (interventions, missing values), or if a prior distinguishes the
        directions of an edge.
        """
        symmetric = self._log_odds is None or np.array_equal(self._log_odds, self._log_odds.T)
        return self.score.score_equivalent and symmetric and self.source.same_rows

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickled without its cache."""
        made = partial(LocalScores, structure_prior=self.structure_prior, max_entries=self._cache.bound)
        return made, (self.source, self.score)

    def __repr__(self) -> str:
        prior = "" if self.structure_prior is None else f"{self.structure_prior!r}, "
        return f"LocalScores({self.score!r}, {prior}{self.n} variables, {self.source.n_rows:,} rows)"

    def __call__(self, child: Node, parents: Iterable[Node] = ()) -> float:
        """Score of one family.

        Parameters
        ----------
        child : int or str
        parents : iterable of int or str
            In any order.

        Raises
        ------
        ValueError
            When a variable is unknown, its own parent, or twice among the parents.
        """
        if type(parents) is tuple:
            # Only checked families with ascending parents are keys, so a key that is found needs no check.
            value = self._cache.get((child, parents))  # type: ignore[arg-type]
            if value is not None:
                self.hits += 1
                return value
        return self._score_one(self._family(child, parents))

    @reraise_interrupts()
    def many(self, families: Iterable[tuple[Node, Iterable[Node]]]) -> FloatArray:
        """Scores of many families; those not in the cache are counted together.

        Returns
        -------
        ndarray of float64, shape (families,)
            Nats, in the order given.

        Raises
        ------
        ValueError
            As for a call.
        """
        given = list(families)
        try:
            return self.indexed(self._in_order(given))
        except ValueError:
            for child, parents in given:
                self._family(child, parents)  # raises the error that names the family as given
            raise

    def indexed(self, families: Sequence[Family]) -> FloatArray:
        """As `many`, for families in normal form: indices, parents ascending.

        Parameters
        ----------
        families : sequence of (child, parents)
            Indices, parents ascending.

        Returns
        -------
        ndarray of float64, shape (families,)
            Nats, in the order given.

        Raises
        ------
        ValueError
            When a variable does not exist, is its own parent, or twice among the parents.
        """
        misses = self.misses
        found = self._cache.find(families, lambda missing: self.once(missing).tolist())
        self.hits += len(families) - (self.misses - misses)
        return np.array(found)

    def compiled(self) -> TableScores | None:
        """The same score by compiled code, without a cache; None if the score or the source does not support it."""
        if self._in_memory is None:
            return None
        from bnlab.scores.table_scores import table_scores

        return table_scores(self._in_memory, self.score, self._log_odds)

    def once(self, families: Sequence[Family]) -> FloatArray:
        """As `indexed`, for families that are scored only once: the cache is neither read nor filled."""
        self.misses += len(families)
        values = self._scores(families)
        if self._log_odds is not None:
            flat = Families.of(families)
            children = np.repeat(flat.variables[flat.begins[1:] - 1], np.diff(flat.begins))
            if len(flat):
                values += np.add.reduceat(self._log_odds[flat.variables, children], flat.begins[:-1])
        return values

    def bounds(self, child: int, parents: IntArray) -> FloatArray:
        """Upper bounds of the scores of families of one child, without counting them (see `LocalScore.upper_bound`).

        Parameters
        ----------
        child : int
        parents : ndarray of int, shape (families, parents of each)

        Returns
        -------
        ndarray of float64, shape (families,)
            Nats; infinite if no bound is known.
        """
        q = np.array(self.arities, dtype=np.float64)[parents].prod(axis=1)
        bounds = self.score.upper_bound(self.arities[child], q, self.source.rows_of(child))
        return bounds if self._log_odds is None else bounds + self._log_odds[parents, child].sum(axis=1)

    def total(self, parents: Sequence[Iterable[Node]]) -> float:
        """Score of a network: the sum over all variables (Definition 2.11).

        Parameters
        ----------
        parents : sequence of iterables of int or str, length n
            Parents of each variable.
        """
        if len(parents) != self.n:
            raise ValueError(f"{len(parents)} parent sets for {self.n} variables: each needs one, () if empty")
        return fsum(self.many(list(enumerate(parents))))

    def _scores(self, families: Sequence[Family]) -> FloatArray:
        if self.score.needs_family:
            return self._scores_one_by_one(families)
        values = np.empty(len(families))
        for positions, batch in self.source.batches(families):
            values[positions] = self._of_batch(batch)
        return values

    def _score_one(self, family: Family) -> float:
        """Score of one checked family, without a plan: a search scores one after the other."""
        value = self._cache.get(family)
        if value is not None:
            self.hits += 1
            return value
        try:
            batch = None if self._in_memory is None or self.score.needs_family else self._in_memory.alone(family)
            if batch is None:
                return float(self.indexed([family])[0])
            value = float(self.score.batch(batch)[0])
            if self._log_odds is not None:
                value += float(self._log_odds[list(family[1]), family[0]].sum())
        except (SystemError, RuntimeError) as error:
            reraise_interrupt(error)
            raise
        self.misses += 1
        self._cache.put(family, value)
        return value

    def _of_batch(self, batch: FamilyBatch) -> FloatArray:
        threads = self.threads
        if threads == 1 or batch.table.size < _MIN_CELLS_TO_SPLIT:
            return self.score.batch(batch)
        return np.concatenate(run_parallel([partial(self.score.batch, part) for part in batch.split(threads)], threads))

    def _scores_one_by_one(self, families: Sequence[Family]) -> FloatArray:
        values: list[float] = []
        for begin in range(0, len(families), _FAMILIES_AT_ONCE):
            stack = families[begin : begin + _FAMILIES_AT_ONCE]
            for family, counts in zip(stack, self.source.count(stack), strict=True):
                values.append(self.score.for_family(family, self.source.variables)(counts))
        return np.array(values)

    def _in_order(self, families: Iterable[tuple[Node, Iterable[Node]]]) -> list[Family]:
        """Families as indices, parents ascending. Tuples are not checked here: the counting code refuses wrong ones."""
        position = self._positions.__getitem__
        found: list[Family] = []
        for child, parents in families:
            if type(parents) is tuple:
                try:
                    found.append((position(child), tuple(sorted(map(position, parents)))))
                    continue
                except KeyError:
                    pass
            found.append(self._family(child, parents))
        return found

    def _family(self, child: Node, parents: Iterable[Node]) -> Family:
        if isinstance(parents, str):
            raise TypeError(f"parents={parents!r}: parents are a collection; a single one is ({parents!r},)")
        given = tuple(parents)
        try:
            i = self._positions[child]
            indices = tuple(sorted([self._positions[p] for p in given]))
        except KeyError as error:
            node = error.args[0]
            if isinstance(node, str):
                raise ValueError(f"no variable is called {node!r}: {nearest(node, self.names)}") from None
            raise ValueError(f"variable {index(node)} is not in 0..{self.n - 1}") from None
        if i in indices:
            raise ValueError(f"family {(child, given)}: a variable cannot be its own parent")
        if len(set(indices)) < len(indices):
            raise ValueError(f"family {(child, given)}: a parent is named twice")
        return i, indices


def _log_odds(prior: Any, score: LocalScore, names: tuple[str, ...]) -> FloatArray:
    """Term of each edge in log P(B); refuses a prior or a score that does not support it."""
    if not isinstance(prior, DecomposablePrior):
        raise TypeError(
            f"structure_prior is a {type(prior).__name__}: local scores need a prior that is a product over edges, "
            "such as bnlab.scores.EdgePrior."
        )
    check_bayesian(score)
    return prior.log_odds(names)
