"""Time bnlab beside its peers and store the table: ``python -m benchmarks.run``.

Each group of tasks runs in a process of its own on one core, its contenders taking turns.
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
from typing import Any

from benchmarks import fresh, report
from benchmarks.contenders import CONTENDERS, Bnlab
from benchmarks.measure import ONE_THREAD, bandwidth, contenders, finite, measure, use_one_core
from benchmarks.tasks import all_tasks
from benchmarks.workload import full_workload, quick_workload

Record = dict[str, Any]

HERE = Path(__file__).parent
PEERS = [kind.package for kind in CONTENDERS if kind is not Bnlab]
GROUPS = ("load", "pairs", "local", "network", "tan", "sample", "bif")
GROUP_SECONDS = 300
MEMORY_ROWS = 1_000_000
QUICK_BYTES = 1 << 24


def main(arguments: Sequence[str] | None = None) -> None:
    """Entry point of the command."""
    options = _options(arguments)
    if options.child:
        group, path = options.child
        Path(path).write_text(json.dumps(finite(run_group(group, options.peers))))
        return
    results = quick(options.peers) if options.quick else full(options.peers, options.only)
    generated = report.markdown(results)
    print(generated)
    if options.output:
        store(results, generated, options.output)


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser("python -m benchmarks.run", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a smoke test on asia in seconds; measures nothing")
    parser.add_argument("--peers", nargs="*", default=PEERS, metavar="PACKAGE", help="by default all: %(default)s")
    parser.add_argument("--only", nargs="*", default=GROUPS, choices=GROUPS, metavar="GROUP", help=f"of {GROUPS}")
    parser.add_argument("--output", type=Path, help="folder of results.json and README.md; this one for a full run")
    parser.add_argument("--child", nargs=2, help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    if options.output is None and not options.quick and set(options.only) == set(GROUPS):
        options.output = HERE
    return options


def full(peers: Sequence[str], groups: Sequence[str]) -> Record:
    """Measure everything."""
    work = full_workload()  # what has to be downloaded is, before anything is timed
    results = _machine(bandwidth())
    with tempfile.TemporaryDirectory() as folder:
        for group in groups:
            _merge(results, _in_own_process(group, peers, Path(folder, f"{group}.json")))
    if set(groups) == set(GROUPS):
        for part, measured in (("memory", lambda: fresh.memory(work, MEMORY_ROWS)), ("first_calls", fresh.first_calls)):
            try:
                results[part] = measured()
            except RuntimeError as error:
                results["missing"][part] = str(error).splitlines()[-1]
    return results


def quick(peers: Sequence[str]) -> Record:
    """Run every task once or twice on little data, in this process."""
    results = _machine(bandwidth(QUICK_BYTES))
    with tempfile.TemporaryDirectory() as folder:
        work = quick_workload(Path(folder))
        entrants, missing = contenders(work, set(peers))
        tasks = [measure(task, entrants, work, rounds=1) for task in all_tasks(work)]
    _merge(results, {"tasks": tasks, "missing": missing, "versions": {e.title: e.version for e in entrants}})
    return finite(results)


def run_group(group: str, peers: Sequence[str]) -> Record:
    """Measure the tasks of one group in this process."""
    use_one_core()
    work = full_workload()
    entrants, missing = contenders(work, set(peers))
    tasks = [measure(task, entrants, work) for task in all_tasks(work) if task.group == group]
    return {"tasks": tasks, "missing": missing, "versions": {e.title: e.version for e in entrants}}


def _in_own_process(group: str, peers: Sequence[str], path: Path) -> Record:
    """A group's records; a process that dies or hangs takes only its own group with it."""
    print(f"{group} ...", file=sys.stderr, flush=True)
    command = [sys.executable, "-m", "benchmarks.run", "--peers", *peers, "--child", group, str(path)]
    try:
        done = subprocess.run(
            command, env=os.environ | ONE_THREAD, capture_output=True, text=True, timeout=GROUP_SECONDS
        )
    except subprocess.TimeoutExpired:
        return {"tasks": [], "missing": {f"group {group}": f"not done after {GROUP_SECONDS} s"}, "versions": {}}
    if done.returncode or not path.exists():
        last = (done.stderr.strip() or "no message").splitlines()[-1]
        return {"tasks": [], "missing": {f"group {group}": f"exit status {done.returncode}: {last}"}, "versions": {}}
    record: Record = json.loads(path.read_text())
    return record


def _merge(results: Record, part: Record) -> None:
    results["tasks"] += part["tasks"]
    results["missing"] |= part["missing"]
    results["versions"] |= part["versions"]
    results["contenders"] = list(results["versions"])


def _machine(bytes_a_second: float) -> Record:
    return {
        "machine": {
            "processor": _processor(),
            "cores": os.cpu_count(),
            "system": f"{platform.system()} {platform.machine()}",
            "python": platform.python_version(),
            "load": os.getloadavg()[0] if hasattr(os, "getloadavg") else 0.0,
        },
        "bandwidth": bytes_a_second,
        "versions": {},
        "contenders": [],
        "missing": {},
        "tasks": [],
        "memory": None,
        "first_calls": None,
    }


def _processor() -> str:
    info = Path("/proc/cpuinfo")
    lines = info.read_text().splitlines() if info.exists() else []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor()


def store(results: Record, generated: str, folder: Path) -> None:
    """Write results.json, and the table into README.md."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "results.json").write_text(json.dumps(results, indent=1) + "\n")
    page = folder / "README.md"
    page.write_text(report.inserted(page.read_text() if page.exists() else "", generated))


if __name__ == "__main__":
    main()
