"""Columns of codes grouped by dtype: columns of the same dtype are the rows of a C-contiguous block."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bnlab._runtime.interrupts import run_interruptible
from bnlab.data.variable import Codes, require_rows

Blocks: TypeAlias = list[tuple[NDArray[np.intp], Codes]]
"""For each block, the positions of its variables and their codes, one variable per row."""


def blocks_of(columns: Sequence[NDArray[np.integer[Any]]], n_codes: Sequence[int]) -> Blocks:
    """Copy columns with the given numbers of codes into blocks of the smallest unsigned dtypes, smallest first."""
    dtypes = [np.min_scalar_type(n - 1) for n in n_codes]
    blocks = []
    for dtype in sorted(set(dtypes), key=lambda dtype: dtype.itemsize):
        positions = np.array([i for i, own in enumerate(dtypes) if own == dtype], dtype=np.intp)
        block = np.empty((len(positions), len(columns[0])), dtype)
        for row, i in enumerate(positions):
            block[row] = columns[i]
        blocks.append((positions, block))
    return blocks


def columns_of(blocks: Blocks) -> list[Codes]:
    """Columns in order of position, without a copy; makes the blocks read-only."""
    by_position: dict[int, Codes] = {}
    for positions, block in blocks:
        positions.flags.writeable = False
        block.flags.writeable = False
        by_position.update(zip(positions.tolist(), block, strict=True))
    return [by_position[i] for i in range(len(by_position))]


def positions_of(rows: ArrayLike | slice, n_rows: int) -> NDArray[np.intp]:
    """Positions of the rows that `Table.take` selects; ValueError if there is none."""
    if isinstance(rows, range):  # numpy would convert a range number by number
        rows = np.arange(rows.start, rows.stop, rows.step)
    array = np.arange(n_rows)[rows] if isinstance(rows, slice) else np.asarray(rows)
    if array.dtype == np.bool_:
        if array.shape != (n_rows,):
            raise ValueError(f"a mask of shape {array.shape} for {n_rows} rows: one entry a row is needed.")
        array = np.flatnonzero(array)
    if array.size and not np.issubdtype(array.dtype, np.integer):
        raise TypeError(f"rows of dtype {array.dtype}: positions are integers, a mask is boolean.")
    require_rows(array.size)
    return array.astype(np.intp, copy=False).reshape(-1)


def rows_taken(blocks: Blocks, rows: NDArray[np.intp]) -> Blocks:
    """Some rows of each block."""
    return [(positions, run_interruptible(np.take, block, rows, axis=1)) for positions, block in blocks]


def rows_joined(parts: Sequence[Blocks]) -> Blocks:
    """Rows of several tables of the same variables, one after the other."""
    same = zip(*parts, strict=True)
    return [(blocks[0][0], np.concatenate([block for _, block in blocks], axis=1)) for blocks in same]
