"""Time bnlab beside its peers and store the table: ``python -m benchmarks.run``.

Each group of tasks runs in a process of its own on one core, its contenders taking turns; some run a second time on all
cores, with the peers that use them.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from time import perf_counter
from typing import Any

from benchmarks import fresh, installed, report
from benchmarks.contenders import CONTENDERS, Bnlab
from benchmarks.measure import bandwidth, contenders, finite, measure, threads, use_cores
from benchmarks.tasks import all_tasks
from benchmarks.workload import Workload, full_workload, quick_workload
from bnlab._runtime.files import replace_file

Record = dict[str, Any]

HERE = Path(__file__).parent
PEERS = [kind.package for kind in CONTENDERS if kind is not Bnlab]
GROUPS = (
    "load", "pairs", "local", "network", "classify", "climb", "climb-large", "ckg", "dynamic", "skeleton", "sample",
    "bif",
)  # fmt: skip
ON_ALL_CORES = ("pairs", "local", "climb", "climb-large", "ckg", "skeleton")
WITH_THREADS = ("pyagrum",)
GROUP_SECONDS = 600
QUICK_BYTES = 1 << 24


def main(arguments: Sequence[str] | None = None) -> None:
    """Entry point of the command."""
    options = _options(arguments)
    if options.child:
        group, path = options.child
        Path(path).write_text(json.dumps(finite(run_group(group, options.peers, options.cores))))
        return
    results = quick(options.peers) if options.quick else full(options.peers, options.only, options.cores)
    generated = report.markdown(results)
    print(generated)
    if options.output:
        store(results, generated, options.output)


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser("python -m benchmarks.run", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a smoke test on asia in seconds; measures nothing")
    parser.add_argument("--peers", nargs="*", default=PEERS, metavar="PACKAGE", help="by default all: %(default)s")
    parser.add_argument("--only", nargs="*", default=GROUPS, choices=GROUPS, metavar="GROUP", help=f"of {GROUPS}")
    parser.add_argument("--cores", type=int, default=1, help="that a contender may use; by default %(default)s")
    parser.add_argument("--output", type=Path, help="folder of results.json and README.md; this one for a full run")
    parser.add_argument("--child", nargs=2, help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    complete = set(options.only) == set(GROUPS) and options.cores == 1
    if options.output is None and not options.quick and complete:
        options.output = HERE
    return options


def full(peers: Sequence[str], groups: Sequence[str], cores: int) -> Record:
    """Measure everything."""
    results = _machine(bandwidth(), cores)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        work = full_workload(folder)  # what has to be downloaded is, before anything is timed
        for group in groups:
            _merge(results, _in_own_process(group, peers, cores, folder))
        if set(groups) == set(GROUPS) and cores == 1:
            _measure_the_rest(results, work, peers)
    return results


def _measure_the_rest(results: Record, work: Workload, peers: Sequence[str]) -> None:
    """Some groups again on all cores, memory, first calls and installed sizes."""
    count = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    if count > 1:
        threaded = [peer for peer in peers if peer in WITH_THREADS]
        again = _machine(results["bandwidth"], count)
        for group in ON_ALL_CORES:
            _merge(again, _in_own_process(group, threaded, count, work.folder))
        results["all_cores"] = again
    parts = {
        "memory": lambda: fresh.memory(work, work.sizes[2]),
        "first_calls": fresh.first_calls,
        "installed": lambda: installed.measured(peers),
    }
    for part, measured in parts.items():
        try:
            results[part] = measured()
        except RuntimeError as error:
            results["missing"][part] = str(error).splitlines()[-1]


def quick(peers: Sequence[str]) -> Record:
    """Run every task once on little data, in this process."""
    results = _machine(bandwidth(QUICK_BYTES), 1)
    with tempfile.TemporaryDirectory() as folder:
        work = quick_workload(Path(folder))
        entrants, missing = contenders(work, set(peers))
        tasks = [measure(task, entrants, work, rounds=0) for task in all_tasks(work)]
    _merge(results, {"tasks": tasks, "missing": missing, "versions": {e.title: e.version for e in entrants}})
    return finite(results)


def run_group(group: str, peers: Sequence[str], cores: int) -> Record:
    """Measure the tasks of one group in this process."""
    use_cores(cores)
    with tempfile.TemporaryDirectory() as folder:
        work = full_workload(Path(folder), cores)
        entrants, missing = contenders(work, set(peers))
        tasks = [measure(task, entrants, work) for task in all_tasks(work) if task.group == group]
    return {"tasks": tasks, "missing": missing, "versions": {e.title: e.version for e in entrants}}


def _in_own_process(group: str, peers: Sequence[str], cores: int, folder: Path) -> Record:
    """A group's records; a process that dies or hangs takes only its own group with it."""
    begin = perf_counter()
    path = folder / f"{group}-{cores}.json"
    options = ["--cores", str(cores), "--child", group, str(path)]
    command = [sys.executable, "-m", "benchmarks.run", "--peers", *peers, *options]
    # Some peers leave files of a megabyte for each repetition where temporary files are.
    with tempfile.TemporaryDirectory(dir=folder, ignore_cleanup_errors=True) as temporary:
        environment = os.environ | threads(cores) | dict.fromkeys(("TMPDIR", "TEMP", "TMP"), temporary)
        try:
            done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=GROUP_SECONDS)
        except subprocess.TimeoutExpired:
            return {"tasks": [], "missing": {f"group {group}": f"not done after {GROUP_SECONDS} s"}, "versions": {}}
    if done.returncode or not path.exists():
        last = (done.stderr.strip() or "no message").splitlines()[-1]
        return {"tasks": [], "missing": {f"group {group}": f"exit status {done.returncode}: {last}"}, "versions": {}}
    print(f"{group}, {cores} cores: {perf_counter() - begin:.0f} s", file=sys.stderr, flush=True)
    record: Record = json.loads(path.read_text())
    return record


def _merge(results: Record, part: Record) -> None:
    results["tasks"] += part["tasks"]
    results["missing"] |= part["missing"]
    results["versions"] |= part["versions"]
    results["contenders"] = list(results["versions"])


def _machine(bytes_a_second: float, cores: int) -> Record:
    return {
        "machine": {
            "processor": _processor(),
            "cores": os.cpu_count(),
            "system": f"{platform.system()} {platform.machine()}",
            "python": platform.python_version(),
            "load": os.getloadavg()[0] if hasattr(os, "getloadavg") else 0.0,
        },
        "cores": cores,
        "bandwidth": bytes_a_second,
        "versions": {},
        "contenders": [],
        "missing": {},
        "tasks": [],
        "memory": None,
        "first_calls": None,
        "installed": None,
        "all_cores": None,
    }


def _processor() -> str:
    info = Path("/proc/cpuinfo")
    lines = info.read_text().splitlines() if info.exists() else []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor()


def store(results: Record, generated: str, folder: Path) -> None:
    """Write results.json, and the table into README.md."""
    folder.mkdir(parents=True, exist_ok=True)
    replace_file(folder / "results.json", json.dumps(results, indent=1) + "\n")
    page = folder / "README.md"
    replace_file(page, report.inserted(page.read_text() if page.exists() else "", generated))


if __name__ == "__main__":
    main()
