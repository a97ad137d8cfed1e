"""What an installation weighs: bytes of a package with all that it depends on, and the seconds of its import."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from statistics import median
from typing import Any

from packaging.requirements import Requirement

Record = dict[str, Any]

STATEMENTS = {
    "bnlab": "from bnlab import TAN, learn, load_network, score, skeleton",
    "pybnesian": "import pybnesian",
    "pyagrum": "import pyagrum",
    "pgmpy": "from pgmpy.causal_discovery import PC, HillClimbSearch",
    "causal-learn": "from causallearn.search.ConstraintBased.PC import pc",
}
REPEATS = 3


def measured(peers: Sequence[str]) -> Record:
    """Bytes and seconds of bnlab and of those peers that are installed by pip."""
    packages = [package for package in STATEMENTS if package == "bnlab" or package in peers]
    return {package: _measured(package) for package in packages if _is_installed(package)}


def _is_installed(package: str) -> bool:
    try:
        distribution(package)
    except PackageNotFoundError:
        return False
    return True


def _measured(package: str) -> Record:
    needed = dependencies(package)
    return {
        "bytes": sum(size(name) for name in needed),
        "own_bytes": size(package),
        "packages": len(needed),
        "statement": STATEMENTS[package],
        "seconds": median(_import_seconds(STATEMENTS[package]) for _ in range(REPEATS)),
    }


def dependencies(package: str) -> frozenset[str]:
    """A package and all it needs in this environment, extras left out."""
    found: set[str] = set()
    waiting = [package]
    while waiting:
        name = waiting.pop()
        if name not in found and _is_installed(name):
            found.add(name)
            waiting += _required(name)
    return frozenset(found)


def _required(package: str) -> Iterator[str]:
    for line in distribution(package).requires or ():
        requirement = Requirement(line)
        if requirement.marker is None or requirement.marker.evaluate({"extra": ""}):
            yield requirement.name.lower().replace("_", "-")


def size(package: str) -> int:
    """Bytes of a package's files; of one installed in place, those of the folder that bears its name."""
    files = [Path(str(file.locate())) for file in distribution(package).files or ()]
    if any("editable" in file.name for file in files):
        spec = importlib.util.find_spec(package)
        places = spec.submodule_search_locations if spec is not None else None
        files = [file for place in places or () for file in Path(place).rglob("*") if "__pycache__" not in file.parts]
    else:
        files = [file for file in files if file.suffix != ".pyc"]
    return sum(file.stat().st_size for file in files if file.is_file())


def _import_seconds(statement: str) -> float:
    """Seconds of CPU time of a statement in a new process, the start of Python left out."""
    program = f"from time import process_time as t\nb = t()\n{statement}\nprint(t() - b)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, env=os.environ)
    if done.returncode:
        raise RuntimeError(f"{statement}: {done.stderr}")
    return float(done.stdout.splitlines()[-1])
