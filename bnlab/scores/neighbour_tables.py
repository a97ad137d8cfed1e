"""What the compiled loops of `neighbour_kernels` are given: bitmaps of a table, and what each count adds to a score."""

from __future__ import annotations

from math import lgamma
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bnlab.counts.engine.bitmaps import MAX_ARITY
from bnlab.counts.source import InMemorySource
from bnlab.counts.types import FloatArray, IntArray
from bnlab.scores.local import FREQUENT, CountTerms, LocalScore

_TABLES = 128  # of what counts add under N' = ess / q, of which a family needs several
_WORD = 0.09  # ns for a word of an AND
_AND = 3.0  # ns to start one
_ROW = 1.2  # ns to look at one row


class CompiledScore(NamedTuple):
    """First arguments of `score_neighbours`, which describes them."""

    codes: NDArray[np.uint8]
    arities: IntArray
    first: IntArray
    bits: NDArray[np.uint64]
    width: int
    few: int
    terms: FloatArray
    keys: FloatArray
    used: IntArray
    of_rows: IntArray
    ess: float
    penalty: float

    def for_another_thread(self) -> CompiledScore:
        """The same, with tables of its own where they are filled on the way."""
        if not self.ess:
            return self
        return self._replace(terms=self.terms.copy(), keys=self.keys.copy(), used=self.used.copy())


def compiled_score(source: InMemorySource, score: LocalScore) -> CompiledScore | None:
    """Score of a source, where that has bitmaps of its states (see `InMemorySource.states`) and the score is a sum."""
    states = source.states()
    terms = None if states is None else score.terms(source.n_rows)
    if states is None or terms is None:
        return None
    few = max(1, int((states.width * _WORD + _AND) / _ROW))
    tables, of_rows = np.empty((_TABLES, FREQUENT)), np.zeros(MAX_ARITY + 1, dtype=np.int64)
    keys, used = np.zeros((_TABLES, 3)), np.zeros(1, dtype=np.int64)
    if not terms.ess:
        tables, keys = _tabled(terms, set(source.arities), of_rows)
    return CompiledScore(*states, few, tables.reshape(-1), keys, used, of_rows, terms.ess, terms.penalty)


def _tabled(terms: CountTerms, arities: set[int], of_rows: IntArray) -> tuple[FloatArray, FloatArray]:
    """Tables and keys of the cells, and of the totals for each arity of the child unless these are the same."""
    tables, keys = np.empty((MAX_ARITY + 1, len(terms.cells))), np.zeros((MAX_ARITY + 1, 3))
    tables[0] = terms.cells
    keys[0] = 0.0, terms.prior, lgamma(terms.prior or 1.0)
    for r in arities:
        rows = terms.rows(r)
        if rows is not terms.cells:
            of_rows[r], tables[r] = r, rows
            keys[r] = 0.0, terms.prior * r, lgamma(terms.prior * r or 1.0)
    return tables, keys
