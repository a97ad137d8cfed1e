"""Counts of tables that lie on the workers of a Dask cluster: each counts its rows, and the sums come back.

Counts add, so nothing else in bnlab knows of it: scores, learners and tests take this source for a table.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import reduce
from itertools import chain
from operator import add
from typing import TYPE_CHECKING, Any

from bnlab.counts.memory import MemorySource
from bnlab.counts.source import batches_of
from bnlab.counts.types import Family, FamilyBatch, FamilyCounts, IntArray

if TYPE_CHECKING:
    from bnlab.data.table import Missing, Table
    from bnlab.data.variable import Variable

# Sums of so many partitions are added in one place, and one pass counts so many cells at most (8 bytes each).
TOGETHER = 8
CELLS = 1 << 25


class DaskSource:
    """Counts families over the partitions of a Dask DataFrame.

    The partitions become coded tables, a byte a value, and stay in the memory of the workers (`dask.persist`); one pass
    a batch of families reads them, and sums of counts are all that travels. A worker that is lost takes its tables with
    it, and Dask makes them again from the DataFrame. Without a cluster, threads of this process do the work.

    Parameters
    ----------
    frame : dask.dataframe.DataFrame
        Discrete columns, as `Table.from_pandas` takes them; ``dask.dataframe.read_parquet`` makes one from files.
    variables : sequence of Variable, optional
        Where they are known already, they save the pass that looks for the states.
    missing : {"error", "drop"}
        As for `Table.from_pandas`.

    Raises
    ------
    ValueError, TypeError
        As for `Table.from_pandas`.

    Examples
    --------
    With ``client = dask.distributed.Client(address)`` made before::

        visits = dask.dataframe.read_parquet("s3://clinic/visits/")
        bnlab.learn(DaskSource(visits), "hill-climbing")
    """

    def __init__(self, frame: Any, *, variables: Sequence[Variable] | None = None, missing: Missing = "error") -> None:
        import dask

        if missing == "state":
            raise ValueError('missing="state" gives each partition states of its own: fill the gaps in the DataFrame.')
        if missing == "keep":
            raise ValueError('missing="keep": counts need complete rows; choose missing="drop", or fill the gaps.')
        partitions = frame.to_delayed()
        if variables is None:
            found = dask.compute(*(dask.delayed(_variables)(part, missing) for part in partitions))
            variables = _merged(list(filter(None, found)))
        tables = [dask.delayed(_encoded)(part, tuple(variables), missing) for part in partitions]
        self._tables = dask.persist(*tables)
        self.variables = tuple(variables)
        self.names = tuple(variable.name for variable in self.variables)
        self.arities = tuple(variable.arity for variable in self.variables)
        self.n_rows = sum(dask.compute(*(dask.delayed(_length)(table) for table in self._tables)))

    def count(self, families: Sequence[Family]) -> list[FamilyCounts]:
        """Count many families, in the order given, in as few passes as `CELLS` allows."""
        return list(chain.from_iterable(map(self._pass, self._slices(families))))

    def batches(self, families: Sequence[Family]) -> Iterator[tuple[IntArray, FamilyBatch]]:
        """Count many families in stacks of one child arity (see `CountSource.batches`)."""
        if families:
            yield from batches_of(families, self.count(families))

    def _pass(self, families: list[Family]) -> list[FamilyCounts]:
        import dask

        sums = [dask.delayed(_counted)(table, families) for table in self._tables]
        while len(sums) > 1:
            sums = [dask.delayed(_added)(sums[i : i + TOGETHER]) for i in range(0, len(sums), TOGETHER)]
        counted: list[FamilyCounts] = sums[0].compute()
        return counted

    def _slices(self, families: Iterable[Family]) -> Iterator[list[Family]]:
        part: list[Family] = []
        cells = 0
        for child, parents in families:
            size = self.arities[child]
            for parent in parents:
                size = min(size * self.arities[parent], self.n_rows * self.arities[child])
            if part and cells + size > CELLS:
                yield part
                part, cells = [], 0
            part.append((child, parents))
            cells += size
        if part:
            yield part


def _variables(frame: Any, missing: Missing) -> tuple[Variable, ...] | None:
    from bnlab.data.table import Table

    frame = frame.dropna() if missing == "drop" else frame
    return Table.from_pandas(frame).variables if len(frame) else None


def _encoded(frame: Any, variables: tuple[Variable, ...], missing: Missing) -> Table | None:
    from bnlab.data.table import Table

    frame = frame.dropna() if missing == "drop" else frame
    return Table.from_pandas(frame).recoded(variables) if len(frame) else None


def _merged(found: list[tuple[Variable, ...]]) -> tuple[Variable, ...]:
    """Variables with the states of all partitions: in declared order where all agree, otherwise sorted."""
    from bnlab.data.variable import Variable

    if not found:
        raise ValueError("the DataFrame has no rows (or none is complete): a Table needs one at least.")
    merged = []
    for parts in zip(*found, strict=True):
        states = dict.fromkeys(chain.from_iterable(part.states for part in parts))
        agree = all(part.states == parts[0].states for part in parts)
        merged.append(Variable(parts[0].name, tuple(states) if agree else tuple(sorted(states))))
    return tuple(merged)


def _length(table: Table | None) -> int:
    return 0 if table is None else table.n_rows


def _counted(table: Table | None, families: list[Family]) -> list[FamilyCounts] | None:
    return None if table is None else MemorySource(table, threads=1, max_bytes=0).count(families)


def _added(parts: list[list[FamilyCounts] | None]) -> list[FamilyCounts] | None:
    present = [part for part in parts if part is not None]
    return reduce(lambda sums, counts: list(map(add, sums, counts)), present) if present else None
