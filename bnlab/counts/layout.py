"""Where the tables of many families lie when they are counted together: in stacks of one child arity."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from bnlab.counts.types import Families, Family, FamilyBatch, FloatArray, IntArray, ParentArities, refuse_family


class Layout(NamedTuple):
    """Families, and which of them are counted together.

    Attributes
    ----------
    arities : ndarray of int64, shape (n,)
    families : Families
    n_cells : ndarray of float64, shape (families,)
        Cells of each table; float, because the product may pass 2**63.
    stacks : list of ndarray of int64
        Indices of the families of each stack.
    left : ndarray of int64
        Indices of families with too many cells for a stack.
    """

    arities: IntArray
    families: Families
    n_cells: FloatArray
    stacks: list[IntArray]
    left: IntArray

    @classmethod
    def of(cls, families: Sequence[Family], arities: IntArray, most: float, together: float) -> Layout:
        """Lay out families of at most `most` cells in stacks of about `together` cells; ValueError as `refuse_family`.

        Examples
        --------
        >>> layout = Layout.of([(0, (1,)), (2, ()), (1, (0, 2))], np.array([2, 2, 3]), 10, 100)
        >>> [stack.tolist() for stack in layout.stacks], layout.left.tolist()
        ([[0], [1]], [2])
        """
        flat = Families.of(families)
        n_cells = _cells(flat, arities)
        child_arity = arities[flat.variables[flat.begins[1:] - 1]]
        dense = np.flatnonzero(n_cells <= most)
        stacks: list[IntArray] = []
        for r in np.unique(child_arity[dense]):
            same = dense[child_arity[dense] == r]
            number = (np.cumsum(n_cells[same]) - n_cells[same]) // together
            stacks += np.split(same, np.flatnonzero(np.diff(number)) + 1)
        return cls(arities, flat, n_cells, stacks, np.flatnonzero(n_cells > most))

    def places(self, stack: IntArray) -> IntArray:
        """Where the table of each family of a stack begins, and the end of the last one."""
        return np.append(0, np.cumsum(self.n_cells[stack])).astype(np.int64)

    def batch(self, stack: IntArray, cells: IntArray, places: IntArray, rows: int) -> FamilyBatch:
        """Batch of a stack from its counted cells, and the places of its tables among them."""
        r = int(self.arities[self.families.variables[self.families.begins[stack[0] + 1] - 1]])
        parents = ParentArities(self.arities, self.families, stack)
        return FamilyBatch(cells.reshape(-1, r), places[:-1] // r, self.n_cells[stack] / r, parents, rows=rows)


def _cells(families: Families, arities: IntArray) -> FloatArray:
    """Cells of the table of each family; refuses a family that names a variable twice or one that does not exist."""
    sizes, n_cells = np.diff(families.begins), np.empty(len(families))
    for size in np.unique(sizes):
        same = np.flatnonzero(sizes == size)
        members = np.sort(families.variables[families.begins[same][:, np.newaxis] + np.arange(size)], axis=1)
        wrong = (members[:, 0] < 0) | (members[:, -1] >= len(arities)) | (np.diff(members, axis=1) == 0).any(axis=1)
        if wrong.any():
            refuse_family(families[int(same[wrong.argmax()])], len(arities))
        n_cells[same] = arities[members].astype(np.float64).prod(axis=1)
    return n_cells
