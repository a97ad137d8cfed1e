"""What a process of its own tells: peak memory, and the first calls after an installation.

``python -m benchmarks.fresh memory-pairs rows.npz`` and so on print one line of JSON.
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from benchmarks.workload import Workload

Record = dict[str, Any]
SCORES = ("k2", "bdeu", "bic")


def memory(work: Workload, rows: int) -> Record:
    """Peak memory of bnlab on rows of the network, in bytes, each task in a fresh process."""
    from benchmarks.workload import SEED

    with tempfile.TemporaryDirectory() as folder:
        table = work.network.sample(rows, seed=SEED)
        path = Path(folder, "rows.npz")
        import numpy as np

        np.savez(
            path,
            codes=np.stack([table.column(name) for name in table.names]),
            arities=np.array(table.arities),
            family_sizes=np.array([len(parents) + 1 for _, parents in work.families]),
            families=np.array([v for child, parents in work.families for v in (child, *parents)]),
        )
        coded = sum(table.column(name).nbytes for name in table.names)
        del table
        results = {name: _child(f"memory-{name}", path) for name in ("pairs", "local", "climb")}
    return {"rows": rows, "coded": coded, "bound": 3 * coded + 200 * 10**6, **results}


def first_calls() -> Record:
    """Seconds of the first calls with nothing compiled, and of the same calls in the next process."""
    with tempfile.TemporaryDirectory() as cache:
        return {"compiling": _child("calls", cache=cache), "compiled": _child("calls", cache=cache)}


def _child(mode: str, *arguments: Any, cache: str | None = None) -> Record:
    environment = os.environ | ({"NUMBA_CACHE_DIR": cache} if cache else {})
    command = [sys.executable, "-m", "benchmarks.fresh", mode, *map(str, arguments)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(f"{' '.join(command[1:])} failed: {done.stderr}")
    record: Record = json.loads(done.stdout)
    return record


def peak_memory() -> int:
    """Greatest resident memory of this process so far, bytes."""
    status = Path("/proc/self/status")
    if status.exists():  # the resource module's figure begins with the parent's
        line = next(line for line in status.read_text().splitlines() if line.startswith("VmHWM:"))
        return int(line.split()[1]) * 1024
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit


def _memory(path: str, task: Callable[[Any, Any], None]) -> Record:
    import numpy as np

    from bnlab.counts.memory import MemorySource
    from bnlab.data import Table, Variable

    tiny = Table([Variable(name, (0, 1, 2)) for name in "abc"], [[0, 1, 2], [0, 1, 1], [2, 1, 0]])
    task(MemorySource(tiny, threads=1), [(0, ()), (1, (0,)), (2, (0, 1))])
    imports = peak_memory()
    with np.load(path) as stored:
        arities, ends = stored["arities"].tolist(), np.cumsum(stored["family_sizes"])
        flat = [part.tolist() for part in np.split(stored["families"], ends[:-1])]
        families = [(child, tuple(parents)) for child, *parents in flat]
        variables = [Variable(f"v{i}", tuple(range(arity))) for i, arity in enumerate(arities)]
        table = Table(variables, list(stored["codes"]))
    loaded = peak_memory()
    task(MemorySource(table, threads=1), families)
    return {"imports": imports, "loaded": loaded, "peak": peak_memory()}


def _pairs(source: Any, families: Any) -> None:
    from bnlab import learn
    from bnlab.counts.information import mutual_information

    mutual_information(source)
    learn(source, "chow-liu")


def _local(source: Any, families: Any) -> None:
    from bnlab.scores import LocalScores, make_score

    for score in SCORES:
        LocalScores(source, make_score(score)).many(families)


def _climb(source: Any, families: Any) -> None:
    from bnlab import learn

    learn(source, "hill-climbing")


def _calls() -> Record:
    seconds: Record = {}
    start = begin = perf_counter()

    def lap(name: str) -> None:
        nonlocal start
        seconds[name] = perf_counter() - start
        start = perf_counter()

    import bnlab

    lap("import bnlab")
    network = bnlab.load_network("asia")
    lap("load_network")
    table = network.sample(5_000, seed=1)
    lap("sample")
    bnlab.score(network.dag, table, "bic")
    lap("score")
    bnlab.learn(table, "chow-liu")
    lap("learn, Chow-Liu")
    bnlab.learn(table, "branching", score="k2")
    lap("learn, branching")
    frame = table.to_pandas()
    bnlab.TAN().fit(frame.iloc[:, :-1], frame.iloc[:, -1]).predict(frame.iloc[:, :-1])
    lap("TAN fit and predict")
    seconds["all"] = perf_counter() - begin
    return seconds


MODES: dict[str, Callable[..., Record]] = {
    "memory-pairs": lambda path: _memory(path, _pairs),
    "memory-local": lambda path: _memory(path, _local),
    "memory-climb": lambda path: _memory(path, _climb),
    "calls": _calls,
}

if __name__ == "__main__":
    print(json.dumps(MODES[sys.argv[1]](*sys.argv[2:])))
