"""How a call's families are counted: which kernel takes each, and where its table lies."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bnlab.counts.engine.bitmaps import MAX_ARITY
from bnlab.counts.types import Families, Family, FloatArray, IntArray, ParentArities, refuse_family

MAX_BITMAP_DEPTH = 16
STACK_CELLS = 1 << 22


class Plan(NamedTuple):
    """Families flattened for the kernels, and their tables in stacks.

    Attributes
    ----------
    arities : ndarray of int64
        Of all variables.
    families : Families
    child_arity, cell_begins, order : ndarray of int64, shape (families,)
        Arity of each child, where in its stack each table begins, and the families by the arity of the child, those
        without a place in a stack last.
    n_cells, cost : ndarray of float64, shape (families,)
        Cells of each family, and the nanoseconds that it takes.
    by_bits : ndarray of bool, shape (families,)
        Whether bitmaps count a family faster.
    stacks : list of [begin, end, cells, cost]
        Runs of `order`.
    """

    arities: IntArray
    families: Families
    child_arity: IntArray
    cell_begins: IntArray
    order: IntArray
    n_cells: FloatArray
    cost: FloatArray
    by_bits: NDArray[np.bool_]
    stacks: list[list[int]]

    @classmethod
    def of(
        cls, families: Sequence[Family], arities: IntArray, rates: tuple[float, ...], most_cells: tuple[float, float]
    ) -> Plan:
        """Plan families; `rates` as in `shapes.survey`, `most_cells` the first two sizes of `shapes.lay_out`.

        Raises
        ------
        ValueError
            When a family names a variable twice or one that does not exist.
        """
        from bnlab.counts.engine.shapes import lay_out, survey

        flat = Families.of(families)
        n = len(flat)
        shapes, costs, by_bits = np.empty((3, n), np.int64), np.empty((2, n)), np.empty(n, np.bool_)
        limits = MAX_ARITY, MAX_BITMAP_DEPTH
        wrong = survey(flat.variables, flat.begins, arities, rates, limits, shapes, costs, by_bits)
        if wrong >= 0:
            refuse_family(families[wrong], len(arities))
        stacks = lay_out((*most_cells, STACK_CELLS), shapes, costs, by_bits)
        return cls(arities, flat, *shapes, *costs, by_bits, stacks.tolist())

    @property
    def left(self) -> IntArray:
        """Families that have no place in a stack."""
        return self.order[self.stacks[-1][1] if self.stacks else 0 :]

    @property
    def flat(self) -> tuple[IntArray, IntArray]:
        """Variables of the families one after the other, and where each family begins."""
        return self.families.variables, self.families.begins

    def parent_arities(self, chosen: IntArray) -> ParentArities:
        """Arities of the parents of some families."""
        return ParentArities(self.arities, self.families, chosen)
