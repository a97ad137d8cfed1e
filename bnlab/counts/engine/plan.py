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
_LIMITS = MAX_ARITY, MAX_BITMAP_DEPTH


class Plan(NamedTuple):
    """Families flattened for the kernels, and their tables in stacks.

    Attributes
    ----------
    arities : ndarray of int64
        Of all variables.
    variables, begins : ndarray of int64
        As in `Families`.
    child_arity, n_cells, by_bits, cost : ndarray, shape (families,)
        Shape of each family, whether bitmaps count it faster, and the nanoseconds that it takes.
    cell_begins : ndarray of int64, shape (families,)
        Where in its stack a family's table begins.
    order : ndarray of int64, shape (families,)
        Families by the arity of the child, those without a place in a stack last.
    r, places, q : ndarray, shape (families,)
        For each in `order` the arity of the child, where its table begins, and its parent configurations.
    stacks : list of [begin, end, cells, cost]
        Runs of `order`.
    """

    arities: IntArray
    variables: IntArray
    begins: IntArray
    child_arity: IntArray
    n_cells: FloatArray
    by_bits: NDArray[np.bool_]
    cost: FloatArray
    cell_begins: IntArray
    order: IntArray
    r: IntArray
    places: IntArray
    q: FloatArray
    stacks: list[list[int]]

    @classmethod
    def of(
        cls,
        families: Sequence[Family],
        arities: IntArray,
        rates: tuple[float, ...],
        bin_cells: float,
        dense_cells: float,
    ) -> Plan:
        """Plan families; `rates`, `bin_cells` and `dense_cells` as in `planning.survey` and `planning.lay_out`.

        Raises
        ------
        ValueError
            When a family names a variable twice or one that does not exist.
        """
        from bnlab.counts.engine import shapes as planning

        flat = Families.of(families)
        n = len(flat)
        whole, real, by_bits = np.empty((5, n), np.int64), np.empty((3, n)), np.empty(n, np.bool_)
        sizes = bin_cells, dense_cells, STACK_CELLS
        wrong, stacks = planning.plan(flat.variables, flat.begins, arities, rates, _LIMITS, sizes, whole, real, by_bits)
        if wrong >= 0:
            refuse_family(families[wrong], len(arities))
        child_arity, cell_begins, order, r, places = whole
        n_cells, cost, q = real
        return cls(
            arities, flat.variables, flat.begins, child_arity, n_cells, by_bits, cost, cell_begins, order, r, places, q,
            stacks.tolist(),
        )  # fmt: skip

    @property
    def left(self) -> IntArray:
        """Families that have no place in a stack."""
        return self.order[self.stacks[-1][1] if self.stacks else 0 :]

    def shapes(self, families: IntArray) -> ParentArities:
        """Arities of the parents of some families."""
        return ParentArities(self.arities, self.variables, self.begins, families)
