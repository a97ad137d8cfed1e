"""Estimates beside what runs take: processor seconds and peak memory beyond the table, each run in a fresh process.

``python -m benchmarks.estimates`` runs the grid on one core and prints a line for each run; arguments choose the lines
that contain one of them. A run of more than six minutes is stopped, and its time is a lower bound.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from time import process_time
from typing import Any

LIMIT = 360
"""Seconds after which a run is stopped."""

Run = tuple[str, str, int, dict[str, Any]]
"""Data, algorithm, rows and options."""

GRID: list[Run] = [
    ("alarm", "boss", 100_000, {}),
    ("alarm", "ordering-search", 100_000, {}),
    ("alarm", "hill-climbing", 2_000_000, {"restarts": 20}),
    ("alarm", "boss", 2_000_000, {"restarts": 20}),
    ("alarm", "k2", 2_000_000, {}),
    ("alarm", "opthpc", 2_000_000, {}),
    ("alarm", "hpc", 2_000_000, {}),
    ("alarm", "getpc", 2_000_000, {}),
    ("alarm", "structural-em", 5000, {"gaps": 0.1}),
    ("alarm x 10", "ordering-search", 1000, {}),
    ("alarm x 10", "chen", 1000, {}),
    ("alarm x 10", "hill-climbing", 1000, {"restarts": 20}),
    ("alarm x 27", "boss", 1000, {}),
    ("alarm x 27", "k2", 1000, {}),
    ("alarm x 27", "ckg", 5000, {"k": 3}),
    ("alarm x 27", "opthpc", 5000, {}),
    ("alarm x 27", "mmpc", 5000, {}),
    ("hailfinder", "chen", 5000, {}),
    ("andes", "boss", 5000, {}),
    ("random 60 12 2", "opthpc", 20_000, {}),
    ("random 60 12 2", "ordering-search", 20_000, {}),
    ("random 200 2 4", "opthpc", 20_000, {}),
    ("random 200 2 4", "hpc", 20_000, {}),
]


def table_of(data: str, rows: int) -> Any:
    """Rows of a network: a name, "name x copies", or "random variables arity parents"."""
    import bnlab
    from bnlab.experiments.costs import random_network
    from bnlab.networks import tile

    name, *numbers = data.split()
    if name == "random":
        network = random_network(*map(int, numbers))
    else:
        network = bnlab.load_network(name)
        network = tile(network, int(numbers[1]), seed=1) if numbers else network
    return network.sample(rows, seed=1)


def measure(data: str, name: str, rows: int, options: dict[str, Any]) -> None:
    """Print the estimate of a run, and then what it takes."""
    import bnlab
    from benchmarks.fresh import peak_memory
    from bnlab.skeletons.skeleton import SKELETONS

    table = table_of(data, rows)
    if gaps := options.pop("gaps", 0):
        table = bnlab.data.remove_values(table, gaps, seed=1)
    bnlab.estimate(table.take(slice(200)), name, **options)  # compiles
    begun = process_time()
    found = bnlab.estimate(table, name, **options)
    print(json.dumps([process_time() - begun, found.seconds, found.memory]), flush=True)
    Path("/proc/self/clear_refs").write_text("5")  # the peak begins anew
    before, begun = peak_memory(), process_time()
    (bnlab.skeleton if name in SKELETONS else bnlab.learn)(table, name, **options)
    print(json.dumps([process_time() - begun, peak_memory() - before]), flush=True)


def main() -> None:
    """Run the grid."""
    chosen = sys.argv[1:]
    for run in GRID:
        title = f"{run[1]} {run[3] or ''} on {run[0]}, {run[2]:,} rows"
        if not chosen or any(part in title for part in chosen):
            line(title, run)


def line(title: str, run: Run) -> None:
    """Print what a run takes beside its estimate."""
    command = [sys.executable, "-m", "benchmarks.estimates", "--run", json.dumps(run)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as child:
        os.sched_setaffinity(child.pid, {max(os.sched_getaffinity(0))})
        try:
            out, said = child.communicate(timeout=LIMIT)
            bound = ""
        except subprocess.TimeoutExpired:
            child.kill()
            out, said = child.communicate()
            bound = ">"
    print(said, end="", file=sys.stderr)
    (took, seconds, memory), *rest = [json.loads(text) for text in out.splitlines() if text.startswith("[")]
    spent, peak = rest[0] if rest else (float(LIMIT), 0)
    found = f"estimated {seconds:.3g} s and {memory / 1e6:.0f} MB in {took:.2f} s"
    print(f"{title}: {found}, took {bound}{spent:.3g} s and {peak / 1e6:.0f} MB", flush=True)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--run"]:
        measure(*json.loads(sys.argv[2]))
    else:
        main()
