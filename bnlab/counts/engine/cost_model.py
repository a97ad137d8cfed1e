"""Time that each kernel takes to count a family, in nanoseconds; it decides which kernel counts."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from bnlab.counts.engine.bitmaps import BLOCK_WORDS, MAX_BITMAP_DEPTH
from bnlab.counts.types import FloatArray

_BIT = 0.08  # ns for a word of one cell
_CELL = 6.0  # ns to start the work on one cell of one block
_BIN = 0.7  # ns to add a row to a histogram
_READ = 0.04  # ns to read one code
_MISS = 8.0  # ns to add a row to a table of more cells than rows


class CostModel(NamedTuple):
    """Measured costs of counting a family of a table, in nanoseconds.

    Attributes
    ----------
    bitmap_cell : float
        Cost of bitmaps for each cell of the family's table.
    histogram, histogram_variable : float
        Cost of a histogram for the family and for each of its variables, plus one nanosecond for each cell.
    histogram_most_cells : float
        Maximum cost of all cells of a histogram.
    """

    bitmap_cell: float
    histogram: float
    histogram_variable: float
    histogram_most_cells: float

    @classmethod
    def of(cls, n_rows: int) -> CostModel:
        """Costs for a table of `n_rows` rows."""
        words = (n_rows + 63) // 64
        bitmap_cell = words * _BIT + _CELL * (words // BLOCK_WORDS + 1)
        return cls(bitmap_cell, n_rows * _BIN, n_rows * _READ, n_rows * _MISS)

    def bitmaps_below(self) -> FloatArray:
        """Number of cells below which bitmaps count a table of k variables faster, for k up to `MAX_BITMAP_DEPTH`."""
        variables = np.arange(MAX_BITMAP_DEPTH + 1.0)
        return (self.histogram + variables * self.histogram_variable) / (self.bitmap_cell - 1)
