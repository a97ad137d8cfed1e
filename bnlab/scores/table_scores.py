"""Scores of a table in memory by compiled code: all families that differ from one by a parent, at once."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from threading import local
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from bnlab._runtime.threads import run_parallel
from bnlab.counts.memory import MemorySource
from bnlab.counts.types import Family, FloatArray
from bnlab.scores.dirichlet import K2, BDeu
from bnlab.scores.likelihood import AIC, BIC, LL, PenalisedLikelihood
from bnlab.scores.local import LocalScore
from bnlab.scores.nml import NML, multinomial_complexity

if TYPE_CHECKING:
    from bnlab.engine.rows import Table
    from bnlab.engine.score import Score

MAX_BITMAP_BYTES = 1 << 28
"""Maximum memory for bitmaps: one bit for each row and each state of each variable."""
MAX_COMPLEXITY_ROWS = 1 << 17
"""Maximum number of rows for which the parametric complexities of fNML are tabled."""
MAX_MASKED = 256
"""Cells of a family up to which masks suffice to count its further parents; with one of more, rows are listed."""
_ROW_NS = 0.5  # of a row of a family, at worst
_MIN_SHARED_NS = 7e6  # least work for threads: below, waking a thread costs more than it saves


class _Own(local):
    """What each thread has for itself."""

    score: Score | None = None


class TableScores:
    """A score of a table in memory.

    Parameters
    ----------
    table : engine.rows.Table
    score : engine.score.Score
    log_odds : ndarray of float64, shape (n, n), optional
        Nats that an edge u -> v adds by a prior of structures; [u, v].
    threads : int
        Threads that may share the families of a call; the values do not depend on it.
    """

    def __init__(self, table: Table, score: Score, log_odds: FloatArray | None = None, threads: int = 1) -> None:
        self._table, self._score, self._log_odds, self._threads = table, score, log_odds, threads
        self._own = _Own()

    def permuted(self, order: Sequence[int]) -> TableScores:
        """Score with the variables in another order: variable k becomes ``order[k]``."""
        from bnlab.engine.rows import reordered
        from bnlab.engine.score import reordered_score

        at = np.array(order)
        odds = None if self._log_odds is None else self._log_odds[np.ix_(at, at)]
        return TableScores(reordered(self._table, at), reordered_score(self._score, at), odds, self._threads)

    def of_sample(self, n_rows: int) -> TableScores | None:
        """The score of a sample of the rows, each of which counts for several: a cheap test of what can improve it.

        In few rows chance adds more to a score, so that few of the changes that improve the score of all rows fail.
        Scores that are likelihoods with a penalty are divided by the number that each row counts for.

        Parameters
        ----------
        n_rows : int

        Returns
        -------
        TableScores or None
            None where the table has too few rows for a sample to save time, or a prior of structures counts.
        """
        from bnlab.engine.rows import table_of
        from bnlab.engine.score import score_of

        codes, arities = self._table.codes, self._table.arities
        every = codes.shape[1]
        if every < 2 * n_rows or self._log_odds is not None:
            return None
        rows = np.sort(np.random.default_rng(0).permutation(every)[:n_rows])
        sample = table_of(np.ascontiguousarray(codes[:, rows]), arities)
        weight, score = every / n_rows, self._score
        complexity = score.complexity
        if complexity.size:
            complexity = complexity[:, (np.arange(n_rows + 1) * weight).astype(np.int64)] / weight
        of_sample = score_of(score.kind, sample, score.penalty / weight, score.ess, complexity, weight)
        return TableScores(sample, of_sample, threads=self._threads)

    def toggles(self, families: Sequence[Family], wanted: FloatArray, margin: float = -np.inf) -> FloatArray:
        """Score families and all that differ from each of them by one parent.

        Parameters
        ----------
        families : sequence of (child, parents)
        wanted : ndarray of float64, shape (families, n)
            For each family and node u, the score that the family with u added or removed must exceed to matter. Scores
            that do not matter may be returned as -inf. Where it is infinite nothing is scored; it must be infinite for
            the child.
        margin : float
            Families with an added node matter only if they also gain more than this.

        Returns
        -------
        ndarray of float64, shape (families, n)
            The score of the unchanged family is at the child; -inf where nothing is scored.
        """
        n, n_rows = self._table.codes.shape
        if self._table.ends.size == 0 and self._needs_rows(families):
            from bnlab.engine.rows import with_others

            self._table = with_others(self._table)
        is_parent = np.zeros((len(families), n), dtype=np.bool_)
        for row, (_, parents) in enumerate(families):
            is_parent[row, list(parents)] = True
        threads = self._threads if len(families) * n * n_rows * _ROW_NS >= _MIN_SHARED_NS else 1
        parts = threads if len(families) < 2 * threads else 1
        # The parts of a family write apart: each of them needs the place of the child while it works.
        values = np.full((parts, len(families), n), -np.inf)

        def score(row: int, part: int) -> None:
            some = np.where(np.arange(n) % parts == part, wanted[row], np.inf) if parts > 1 else wanted[row]
            self._score_one(families[row][0], is_parent[row], some, margin, values[part, row])

        tasks = [partial(score, row, part) for row in range(len(families)) for part in range(parts)]
        run_parallel(tasks, threads)
        best: FloatArray = values[0] if parts == 1 else values.max(axis=0)
        return best

    def _needs_rows(self, families: Sequence[Family]) -> bool:
        """Whether masks are a slow way to count the further parents of some family, or no way."""
        arities = self._table.arities
        cells = (arities[child] * arities[list(parents)].prod(dtype=np.float64) for child, parents in families)
        return bool((self._table.first < 0).any()) or max(cells, default=0) > MAX_MASKED

    def _score_one(
        self, child: int, is_parent: NDArray[np.bool_], wanted: FloatArray, margin: float, values: FloatArray
    ) -> None:
        from bnlab.engine.moves import toggles

        if self._log_odds is None:
            toggles(self._table, self._score_of_thread(), child, is_parent, wanted, margin, values)
            return
        odds = self._log_odds[:, child]
        prior = float(odds[is_parent].sum())
        of_toggled = prior + np.where(is_parent, -odds, odds)
        of_toggled[child] = prior
        toggles(self._table, self._score_of_thread(), child, is_parent, wanted - of_toggled, -np.inf, values)
        found = wanted < np.inf
        found[child] = True
        values[found] += of_toggled[found]

    def _score_of_thread(self) -> Score:
        """The score with tables of log-gamma that no other thread fills."""
        score = self._own.score
        if score is None:
            from bnlab.engine.score import with_own_tables

            score = self._own.score = with_own_tables(self._score)
        return score


def table_scores(source: MemorySource, score: LocalScore, log_odds: FloatArray | None = None) -> TableScores | None:
    """Compiled form of a score; None if there is none, or the bitmaps of the table would need too much memory."""
    from bnlab.engine.score import BDEU, LIKELIHOOD, score_of
    from bnlab.engine.score import K2 as K2_KIND

    kind, n_rows = type(score), source.n_rows
    if kind not in (LL, AIC, BIC, NML, K2, BDeu) or (kind is NML and n_rows > MAX_COMPLEXITY_ROWS):
        return None
    if sum(source.arities) * n_rows / 8 > MAX_BITMAP_BYTES:
        return None
    table, complexity, penalty = source.rows, None, 0.0
    if isinstance(score, NML):
        complexity = np.zeros((max(source.arities) + 1, n_rows + 1))
        for r in set(source.arities):
            complexity[r] = multinomial_complexity(r, np.arange(n_rows + 1))
    if isinstance(score, PenalisedLikelihood):
        penalty = float(score.penalty(np.array([n_rows]))[0])
    kinds = {K2: K2_KIND, BDeu: BDEU}
    ess = score.ess if isinstance(score, BDeu) else 0.0
    compiled = score_of(kinds.get(kind, LIKELIHOOD), table, penalty, ess, complexity)
    return TableScores(table, compiled, log_odds, source.threads)
