"""Hill climbing on a Parquet file of many rows, each in a fresh process: in memory, in chunks, on two Dask workers.

``python -m benchmarks.scale --rows 20000000 --ways one-core cluster`` prints one line of JSON.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from time import perf_counter, process_time
from typing import Any

import numpy as np

from benchmarks.fresh import peak_memory
from benchmarks.random_networks import random_network

SEED = 11
CHUNK = 1_000_000
WAYS = ("memory", "one-core", "chunks", "cluster")
WORKERS = 2


def write(path: Path, network: Any, rows: int) -> None:
    """Rows of a network as a Parquet file, never more than a chunk of them in memory."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    writer = None
    for part, start in enumerate(range(0, rows, CHUNK)):
        table = network.sample(min(CHUNK, rows - start), seed=SEED + part)
        columns = {
            variable.name: pa.DictionaryArray.from_arrays(
                table.column(variable.name).astype(np.int32), list(variable.states)
            )
            for variable in table.variables
        }
        batch = pa.table(columns)
        writer = writer or pq.ParquetWriter(path, batch.schema)
        writer.write_table(batch)
    if writer is not None:
        writer.close()


def climb(path: str, way: str, score: str) -> dict[str, Any]:
    """Learn from a file and tell the time and the greatest memory of this process."""
    import bnlab

    start, cpu = perf_counter(), process_time()
    with ExitStack() as stack:
        source = _source(path, way, stack)
        read = perf_counter() - start
        learned = bnlab.learn(source, "hill-climbing", score=score)
        seconds, used = perf_counter() - start, process_time() - cpu
    return {
        "edges": sorted(map(list, learned.edges)),
        "reading": read,
        "climbing": seconds - read,
        "cpu": used,
        "peak": peak_memory(),
    }


def _source(path: str, way: str, stack: ExitStack) -> Any:
    from bnlab.counts import ChunkedSource, DaskSource, MemorySource
    from bnlab.data import ParquetTables

    if way == "cluster":
        import dask.dataframe as dd
        from dask.distributed import Client, LocalCluster

        cluster = stack.enter_context(LocalCluster(n_workers=WORKERS, threads_per_worker=1, dashboard_address=":0"))
        stack.enter_context(Client(cluster))
        return DaskSource(dd.read_parquet(path, split_row_groups=True))
    tables = ParquetTables(path)
    if way == "chunks":
        return ChunkedSource(tables.tables)
    return MemorySource(tables.to_table(), threads=1 if way == "one-core" else None)


def measure(rows: int, columns: int, arity: int, score: str, ways: Sequence[str]) -> dict[str, Any]:
    """All ways on the same file; the edges must be the same."""
    network = random_network(columns, arity, max_parents=3)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "rows.parquet")
        write(path, network, rows)
        runs = {way: _child(path, way, score) for way in ways}
        size = path.stat().st_size
    edges = [run.pop("edges") for run in runs.values()]
    if any(other != edges[0] for other in edges):
        raise RuntimeError(f"the networks learned by {', '.join(ways)} differ")
    true = {tuple(sorted(edge)) for edge in network.dag.edges}
    found = {tuple(sorted(edge)) for edge in edges[0]}
    return {
        "rows": rows,
        "columns": columns,
        "arity": arity,
        "score": score,
        "parquet": size,
        "true edges": len(true),
        "edges": len(found),
        "right": len(found & true),
        **runs,
    }


def _child(path: Path, way: str, score: str) -> dict[str, Any]:
    command = [sys.executable, "-m", "benchmarks.scale", "--climb", way, "--path", str(path), "--score", score]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(f"{' '.join(command[1:])} failed: {done.stderr}")
    record: dict[str, Any] = json.loads(done.stdout)
    return record


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=10_000_000)
    parser.add_argument("--columns", type=int, default=50)
    parser.add_argument("--arity", type=int, default=4)
    parser.add_argument("--score", default="bic")
    parser.add_argument("--ways", nargs="+", choices=WAYS, default=WAYS)
    parser.add_argument("--climb", choices=WAYS, help=argparse.SUPPRESS)
    parser.add_argument("--path", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.climb:
        record = climb(given.path, given.climb, given.score)
    else:
        record = measure(given.rows, given.columns, given.arity, given.score, given.ways)
    print(json.dumps(record))


if __name__ == "__main__":
    main()
