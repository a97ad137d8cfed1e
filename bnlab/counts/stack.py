"""Counts of many families of any arity, their tables one behind the other."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from bnlab.counts.types import FamilyBatch, FloatArray, IntArray, ParentArities


@dataclass(frozen=True, eq=False)
class FamilyStack:
    """Whole tables of families, sorted by the arity of the child.

    Attributes
    ----------
    cells : ndarray of int64
        N_ijk of one family after the other; the child's state runs fastest, then the parents' configuration.
    begins : ndarray of int64, shape (families,)
        Where in `cells` each family begins; the next one follows without a gap.
    r : ndarray of int64, shape (families,)
        Number of states of each child, ascending.
    q : ndarray of float64, shape (families,)
        Possible parent configurations of each family.
    parent_arities : ParentArities
    rows : int
        Rows of data that every family counts.
    """

    cells: IntArray
    begins: IntArray
    r: IntArray
    q: FloatArray
    parent_arities: ParentArities
    rows: int

    def __len__(self) -> int:
        return len(self.begins)

    @property
    def flat(self) -> tuple[IntArray, IntArray, IntArray]:
        """Cells, where those of each family begin, and the number of states of its child."""
        return self.cells, self.begins, self.r

    def split(self, parts: int) -> list[FamilyStack]:
        """So many stacks or fewer, one after the other, of about equally many cells."""
        cuts = np.searchsorted(self.begins, np.arange(1, parts) * (len(self.cells) // parts)).tolist()
        bounds = sorted({0, *cuts, len(self)})
        return [self._part(begin, end) for begin, end in pairwise(bounds)]

    def _part(self, begin: int, end: int) -> FamilyStack:
        here, first = slice(begin, end), self.begins[begin]
        cells = self.cells[first : self.begins[end] if end < len(self) else len(self.cells)]
        shapes = self.parent_arities.part(here)
        return FamilyStack(cells, self.begins[here] - first, self.r[here], self.q[here], shapes, self.rows)

    def batches(self) -> Iterator[tuple[slice, FamilyBatch]]:
        """Families of one arity at a time: which ones they are, and their counts."""
        cuts = np.flatnonzero(np.diff(self.r)) + 1
        for begin, end in zip([0, *cuts.tolist()], [*cuts.tolist(), len(self)], strict=True):
            here, r = slice(begin, end), int(self.r[begin])
            last_cell = self.begins[end] if end < len(self) else len(self.cells)
            table = self.cells[self.begins[begin] : last_cell].reshape(-1, r)
            first = (self.begins[here] - self.begins[begin]) // r
            yield here, FamilyBatch(table, first, self.q[here], self.parent_arities.part(here), rows=self.rows)
