"""Counts of tables in chunks: counts add, so the result equals that of one table in memory exactly."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from operator import add
from typing import TYPE_CHECKING

from bnlab.counts.carried import Carried, SummedSource
from bnlab.counts.source import source_of
from bnlab.counts.types import Family, FamilyCounts
from bnlab.data.gaps import refuse_gaps

if TYPE_CHECKING:
    from bnlab.data.table import Table


class ChunkedSource(SummedSource):
    """Counts families over chunks of rows, with one pass over all chunks per call.

    Parameters
    ----------
    chunks : callable
        Called once per pass; returns a new iterable of Tables over the same variables and states.
    threads : int, optional
        As for `MemorySource`.

    Raises
    ------
    ValueError
        When there is no chunk, in a later pass too, a chunk's variables or states differ from the first one's, or
        values are missing.

    Examples
    --------
    >>> import numpy as np
    >>> from bnlab.data import Table, Variable
    >>> coin = [Variable("coin", ("heads", "tails"))]
    >>> chunks = [Table.from_codes(np.array([[0], [1]]), coin), Table.from_codes(np.array([[1]]), coin)]
    >>> ChunkedSource(lambda: chunks).count([(0, ())])[0].table
    array([[1, 2]])
    """

    def __init__(self, chunks: Callable[[], Iterable[Table]], *, threads: int | None = None) -> None:
        self._chunks = chunks
        self._threads = threads
        parts: list[Carried] = []
        first: Table | None = None
        for chunk in chunks():
            first = first or chunk
            if chunk.variables != first.variables:
                raise ValueError(
                    "the chunks differ in their variables or states; give every chunk the same states "
                    "(Table.recoded puts them in one order)"
                )
            refuse_gaps(chunk)
            parts.append(Carried.of(chunk))
        if first is None:
            raise ValueError("there is no chunk to count: the iterable of tables is empty")
        super().__init__(first.variables, parts)

    def count(self, families: Sequence[Family]) -> list[FamilyCounts]:
        """Count many families in one pass over the chunks, in the order given."""
        sums: list[FamilyCounts] | None = None
        for chunk in self._chunks():
            counts = source_of(chunk, threads=self._threads, max_bytes=0).count(families)
            sums = counts if sums is None else list(map(add, sums, counts))
        if sums is None:
            raise ValueError(
                "a second pass finds no chunk: `chunks` must return a new iterable at each call, as a function with "
                "`yield` does, not an iterator that the first pass has used up"
            )
        return sums
