"""Counts of tables on the workers of a Dask cluster: each worker counts its rows, and only the sums are transferred.

Counts add, so the rest of bnlab does not depend on Dask: scores, learners and tests use this source like a table.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import chain
from operator import methodcaller
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from bnlab._runtime.names import nearest
from bnlab.counts.base import in_order
from bnlab.counts.carried import Carried, SummedSource
from bnlab.counts.layout import Layout
from bnlab.counts.memory import SPARSE_FLOOR
from bnlab.counts.source import source_of
from bnlab.counts.types import Families, Family, FamilyBatch, FamilyCounts, IntArray
from bnlab.data.gaps import refuse_gaps

if TYPE_CHECKING:
    from bnlab.data.table import Missing, Table
    from bnlab.data.variable import Variable

T = TypeVar("T")

CELLS = 1 << 25
"""Cells of the tables that one pass transfers, from all workers together (8 bytes each)."""

_ATTEMPTS = 10  # passes in a row that lost workers may interrupt
_POLL_S = 5.0  # seconds between checks whether the worker is still there


class DaskSource(SummedSource):
    """Counts families over the partitions of a Dask DataFrame.

    The partitions become coded tables, a byte a value, and stay in the memory of the workers (`dask.persist`). An actor
    on each worker keeps bitmaps and other data structures for fast counting. One pass for each batch of families sends
    these as one array to the actors, and each returns the sums over its rows as one array. If a worker is lost, so are
    its tables: Dask computes them again from the DataFrame, and the pass restarts. Without a cluster, threads of this
    process count. With weights or interventions, the workers count without compiled code, which is slower.

    Parameters
    ----------
    frame : dask.dataframe.DataFrame
        Discrete columns, as `Table.from_pandas` takes them; ``dask.dataframe.read_parquet`` makes one from files.
    variables : sequence of Variable, optional
        If given, no pass is needed to find the states.
    missing : {"error", "drop"}
        As for `Table.from_pandas`.
    weights, interventions : str, optional
        Columns that are no variables, as for `bnlab.load_data`.

    Raises
    ------
    ValueError, TypeError
        As for `Table.from_pandas`, and if there is no such column.

    Examples
    --------
    After ``client = dask.distributed.Client(address)``::

        visits = dask.dataframe.read_parquet("s3://clinic/visits/")
        bnlab.learn(DaskSource(visits), "hill-climbing")
    """

    def __init__(
        self,
        frame: Any,
        *,
        variables: Sequence[Variable] | None = None,
        missing: Missing = "error",
        weights: str | None = None,
        interventions: str | None = None,
    ) -> None:
        import dask

        if missing == "state":
            raise ValueError('missing="state" gives each partition states of its own: fill the gaps in the DataFrame.')
        if missing == "keep":
            raise ValueError('missing="keep": counts need complete rows; choose missing="drop", or fill the gaps.')
        columns = {"weights": weights, "interventions": interventions}
        check_columns(frame, columns)
        partitions = frame.to_delayed()
        if variables is None:
            found = dask.compute(*(dask.delayed(_variables)(part, missing, columns) for part in partitions))
            variables = merged_variables(list(filter(None, found)))
        tables = dask.persist(
            *(dask.delayed(_encoded)(part, tuple(variables), missing, columns) for part in partitions)
        )
        self._take(variables, tables)

    @classmethod
    def of_tables(cls, variables: Sequence[Variable], tables: Sequence[Any]) -> DaskSource:
        """Source of tables that the workers make, such as the transitions of a panel.

        Parameters
        ----------
        variables : sequence of Variable
        tables : sequence of dask.delayed.Delayed
            Each of a `Table` over these variables, or of None if none of its rows counts.

        Raises
        ------
        ValueError
            If a table has other variables or states, values are missing, or there is no row.

        Examples
        --------
        >>> import dask
        >>> from bnlab.data import Table, Variable
        >>> coin = [Variable("coin", ("heads", "tails"))]
        >>> tables = [dask.delayed(Table)(coin, [[0, 1]]), dask.delayed(Table)(coin, [[1]])]
        >>> with dask.config.set(scheduler="threads"):
        ...     DaskSource.of_tables(coin, tables).count([(0, ())])[0].table
        array([[1, 2]])
        """
        import dask

        source = cls.__new__(cls)
        source._take(variables, dask.persist(*tables))
        return source

    def _take(self, variables: Sequence[Variable], tables: Sequence[Any]) -> None:
        """Count the rows of persisted tables."""
        import dask

        variables = tuple(variables)
        found = dask.compute(*(dask.delayed(_carried)(table, variables) for table in tables))
        parts = [part for part in found if part is not None]
        if not parts:
            raise ValueError("no row counts: the DataFrame has none, or all weights are zero.")
        super().__init__(variables, parts)
        self._plain = not self.carried.weighted and self.same_rows
        self._arities = np.array(self.arities, dtype=np.int64)
        self._counters = _counters(tables)

    def count(self, families: Sequence[Family]) -> list[FamilyCounts]:
        """Count many families, in the order given."""
        if self._plain:
            return in_order(self.batches(families))
        parts = [part for part in self._counters.call_each(methodcaller("counts", families)) if part is not None]
        return [sum(counts[1:], counts[0]) for counts in zip(*parts, strict=True)]

    def batches(self, families: Sequence[Family]) -> Iterator[tuple[IntArray, FamilyBatch]]:
        """Count many families in stacks (see `CountSource.batches`), in as few passes as `CELLS` allows."""
        if not families:
            return
        if not self._plain:
            yield from super().batches(families)
            return
        layout = Layout.of(families, self._arities, SPARSE_FLOOR, CELLS / len(self._counters))
        for stack in layout.stacks:
            chosen, places = layout.families.chosen(stack), layout.places(stack)
            parts = self._counters.call_each(methodcaller("cells", chosen, places))
            yield stack, layout.batch(stack, sum(parts[1:], parts[0]), places, self.n_rows)
        for place in layout.left.tolist():
            found = self._counters.call_each(methodcaller("observed", families[place]))
            counts = [part for part in found if part is not None]
            yield np.array([place]), FamilyBatch.of([sum(counts[1:], counts[0])])


class _Counter:
    """Counts the rows of some tables; it stays on their worker, with the bitmaps of each table."""

    def __init__(self, tables: Sequence[Table | None], threads: int | None = None) -> None:
        self._sources: list[Any] = [
            source_of(table, threads=threads, max_bytes=0) for table in tables if table is not None
        ]

    def cells(self, families: Families, places: IntArray) -> IntArray:
        """Tables of families one after the other, flat (see `MemorySource.cells`)."""
        total = np.zeros(int(places[-1]), dtype=np.int64)
        for source in self._sources:
            total += source.cells(families, places)
        return total

    def counts(self, families: Sequence[Family]) -> list[FamilyCounts] | None:
        """Counts of families, whatever the rows carry; None if there are no rows."""
        parts = [source.count(families) for source in self._sources]
        return [sum(counts[1:], counts[0]) for counts in zip(*parts, strict=True)] if parts else None

    def observed(self, family: Family) -> FamilyCounts | None:
        """Counts of a family whose table is too large for `cells`; None if there are no rows."""
        counts = [source.count([family])[0] for source in self._sources]
        return sum(counts[1:], counts[0]) if counts else None


class _InProcess:
    """Counters without a cluster: a single one."""

    def __init__(self, tables: Sequence[Table | None]) -> None:
        self._counter = _Counter(tables)

    def __len__(self) -> int:
        return 1

    def call_each(self, call: Callable[[Any], Any]) -> list[Any]:
        """Call a method of each counter and return the results."""
        return [call(self._counter)]


class _OnCluster:
    """Counters that are actors, one on each worker that holds tables; `tables` are Dask futures."""

    def __init__(self, tables: Sequence[Any]) -> None:
        self._tables = tables
        self._actors: list[tuple[Any, Any]] = []

    def __len__(self) -> int:
        return len(self._retry(self._start))

    def call_each(self, call: Callable[[Any], Any]) -> list[Any]:
        """Call a method of each counter and return the results."""

        def results() -> list[Any]:
            calls = [(future, call(actor)) for future, actor in self._start()]
            return [_wait_for(future, result) for future, result in calls]

        return self._retry(results)

    def _retry(self, action: Callable[[], T]) -> T:
        """Result of an action, which is repeated with new actors if one is lost."""
        for _ in range(_ATTEMPTS - 1):
            try:
                return action()
            except _LOST:
                self._actors = []
        return action()

    def _start(self) -> list[tuple[Any, Any]]:
        """Start the actors if needed; return the future of each, which keeps it alive, and its handle."""
        if not self._actors:
            from distributed import wait

            wait(self._tables)
            client = self._tables[0].client
            shares: dict[str, list[Any]] = {}
            held = client.who_has(self._tables)
            for table in self._tables:
                shares.setdefault(next(iter(held[table.key]), ""), []).append(table)
            threads = client.nthreads()
            futures = [
                client.submit(
                    *(_Counter, share, threads.get(worker, 1)),
                    actor=True,
                    pure=False,
                    workers=[worker] if worker else None,
                    allow_other_workers=bool(worker),
                )
                for worker, share in shares.items()
            ]
            self._actors = [(future, future.result()) for future in futures]
        return self._actors


# An actor whose worker is lost raises OSError (such as TimeoutError) during a call, and RuntimeError after that.
_LOST = (OSError, RuntimeError)


def _wait_for(future: Any, result: Any) -> Any:
    while True:
        try:
            return result.result(timeout=_POLL_S)
        except TimeoutError:
            if future.status != "finished":
                raise


def _counters(tables: Sequence[Any]) -> _InProcess | _OnCluster:
    """Counters of persisted tables."""
    import dask
    from distributed.client import futures_of

    futures = list(chain.from_iterable(map(futures_of, tables)))
    return _OnCluster(futures) if futures else _InProcess(dask.compute(*tables))


def _variables(frame: Any, missing: Missing, columns: Mapping[str, str | None]) -> tuple[Variable, ...] | None:
    table = table_of_partition(frame, missing, columns)
    return None if table is None else table.variables


def _encoded(
    frame: Any, variables: tuple[Variable, ...], missing: Missing, columns: Mapping[str, str | None]
) -> Table | None:
    table = table_of_partition(frame, missing, columns)
    return None if table is None else table.recoded(variables)


def check_columns(frame: Any, columns: Mapping[str, str | None]) -> None:
    """Raise a ValueError if an option names a column that a DataFrame does not have."""
    for option, column in columns.items():
        if column is not None and column not in frame.columns:
            raise ValueError(f"{option}={column!r}: no column is called so; {nearest(column, frame.columns)}")


def table_of_partition(frame: Any, missing: Missing, columns: Mapping[str, str | None]) -> Table | None:
    """Table of a partition; None if none of its rows counts."""
    from bnlab.data.table import Table

    frame = frame.reset_index(drop=True)
    given = {option: column for option, column in columns.items() if column is not None}
    rest = frame.drop(columns=list(given.values()))
    rest = rest.dropna() if missing == "drop" else rest
    if not len(rest):
        return None
    apart = {option: frame.loc[rest.index, column] for option, column in given.items()}
    if "weights" in apart and (apart["weights"] == 0).all():
        return None
    table = Table.from_pandas(rest)
    if "interventions" in apart:
        table = table.with_interventions(apart["interventions"].astype(object).tolist())
    return table.with_weights(apart["weights"]) if "weights" in apart else table


def merged_variables(found: list[tuple[Variable, ...]]) -> tuple[Variable, ...]:
    """Variables with the states of all partitions: in declared order if all partitions agree, otherwise sorted."""
    from bnlab.data.variable import Variable

    if not found:
        raise ValueError("the DataFrame has no rows (or none is complete): a Table needs one at least.")
    merged = []
    for parts in zip(*found, strict=True):
        states = dict.fromkeys(chain.from_iterable(part.states for part in parts))
        agree = all(part.states == parts[0].states for part in parts)
        merged.append(Variable(parts[0].name, tuple(states) if agree else tuple(sorted(states))))
    return tuple(merged)


def _carried(table: Table | None, variables: tuple[Variable, ...]) -> Carried | None:
    if table is None:
        return None
    if table.variables != variables:
        raise ValueError("a table has other variables or states; Table.recoded gives all tables the same.")
    refuse_gaps(table)
    return Carried.of(table)
