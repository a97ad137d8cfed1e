"""Run exported code as a person would, and write what came of it: the process that test_exports_run.py starts.

It ends when that code starts a program, opens a connection or writes a file.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

import IPython.core.inputtransformer2 as shell

import bnlab
from bnlab.widgets.workbench.workbench import Workbench

WATCHED = (
    "open", "os.mkdir", "os.system", "os.exec", "os.posix_spawn", "os.fork", "subprocess.Popen", "socket.connect",
)  # fmt: skip
CACHES = ("__pycache__", "numba", f"{os.sep}engine-")
watching = False


def watch(event: str, arguments: tuple[Any, ...]) -> None:
    """End the process at what code of a session never does."""
    if not watching or event not in WATCHED or any(cache in str(arguments[0]) for cache in CACHES):
        return
    if event != "open" or set(str(arguments[1])) & set("wax+"):
        print(event, arguments, file=sys.stderr, flush=True)
        os._exit(3)


def run(code: str) -> dict[str, Any]:
    """What code makes: fingerprint of the table, edges of the networks, arcs of the last bootstrap."""
    global watching
    made: dict[str, Any] = {}
    watching = True
    exec(compile(code, "exported", "exec"), made)
    watching = False
    return {
        "table": made["table"].fingerprint,
        "networks": {name: [dag.names, dag.edges] for name, dag in made["networks"].items()},
        "arcs": made["confidence"].arcs.tolist() if "confidence" in made else None,
    }


def cells(path: Path) -> str:
    """Code of a notebook, as the shell of a kernel reads it."""
    read = shell.TransformerManager().transform_cell
    notebook = json.loads(path.read_text(encoding="utf-8"))
    return "".join(read("".join(cell["source"])) for cell in notebook["cells"] if cell["cell_type"] == "code")


def main() -> None:
    """Run the scripts and notebooks that the arguments name."""
    # Compiled code is loaded, and parts of packages are imported, before anything is watched.
    workbench = Workbench("iris-bezdek")
    workbench.learn("chow-liu")
    workbench.bootstrap(replicates=1)
    bnlab.widgets.ScorePanel(workbench.table, workbench.networks).close()
    workbench.report()
    workbench.close()
    sys.addaudithook(watch)
    found = []
    for path in map(Path, sys.argv[1:]):
        found.append(run(cells(path) if path.suffix == ".ipynb" else path.read_text(encoding="utf-8")))
    print(json.dumps(found))


if __name__ == "__main__":
    main()
