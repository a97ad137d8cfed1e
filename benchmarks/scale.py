"""Hill climbing on a Parquet file of many rows: in memory, and in chunks, each in a fresh process.

``python -m benchmarks.scale --rows 10000000`` prints one line of JSON.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path
from time import perf_counter, process_time
from typing import Any

import numpy as np

from benchmarks.fresh import peak_memory
from bnlab.experiments.costs import random_network

SEED = 11
CHUNK = 1_000_000


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


def climb(path: str, where: str, score: str) -> dict[str, Any]:
    """Learn from a file and tell the time and the greatest memory of this process."""
    import bnlab
    from bnlab.counts import ChunkedSource
    from bnlab.data import ParquetTables

    tables = ParquetTables(path)
    start, cpu = perf_counter(), process_time()
    source: Any = tables.to_table() if where == "memory" else ChunkedSource(tables.tables)
    read = perf_counter() - start
    learned = bnlab.learn(source, "hill-climbing", score=score)
    return {
        "edges": sorted(map(list, learned.edges)),
        "reading": read,
        "seconds": perf_counter() - start,
        "cpu": process_time() - cpu,
        "peak": peak_memory(),
    }


def measure(rows: int, columns: int, arity: int, score: str) -> dict[str, Any]:
    """Both ways on the same file; the edges must be the same."""
    network = random_network(columns, arity, max_parents=3)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "rows.parquet")
        write(path, network, rows)
        runs = {where: _child(path, where, score) for where in ("memory", "chunks")}
        size = path.stat().st_size
    edges = [run.pop("edges") for run in runs.values()]
    if edges[0] != edges[1]:
        raise RuntimeError("the network learned in chunks differs from the one learned in memory")
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


def _child(path: Path, where: str, score: str) -> dict[str, Any]:
    command = [sys.executable, "-m", "benchmarks.scale", "--climb", where, "--path", str(path), "--score", score]
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
    parser.add_argument("--climb", choices=("memory", "chunks"), help=argparse.SUPPRESS)
    parser.add_argument("--path", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.climb:
        record = climb(given.path, given.climb, given.score)
    else:
        record = measure(given.rows, given.columns, given.arity, given.score)
    print(json.dumps(record))


if __name__ == "__main__":
    main()
