"""Store notebooks in one normal form, so that a diff shows what changed and nothing else.

Run as ``python -m tools.notebooks {execute,normalise,check} notebook.ipynb ...``. The form: cell ids made from the
cell's text (a cell that moves keeps its id), no environment, timing or widget state, code cells numbered from 1.
JupyterLab collapses the cells that only assert, which are tagged `check`.
Live widgets are taken out of the outputs because a reader without a kernel would see "model not found" in place of
the picture that is stored beside them.
"""

from __future__ import annotations

import argparse
import hashlib
import sys
from collections.abc import Sequence
from pathlib import Path

import nbformat
from nbformat import NotebookNode

from bnlab._runtime.files import replace_file

KERNELSPEC = {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"}
LANGUAGE = {"file_extension": ".py", "mimetype": "text/x-python", "name": "python", "pygments_lexer": "ipython3"}
WIDGET = "application/vnd.jupyter.widget-view+json"
KEPT_OF_CELL = ("tags", "jupyter")
CELL_TIMEOUT = 1800


def execute(notebook: NotebookNode, folder: Path) -> NotebookNode:
    """Run all cells in a new kernel of this environment, started in `folder`; charts get a picture beside them."""
    from nbclient import NotebookClient

    from tools.pictures import add_pictures

    client = NotebookClient(
        notebook,
        timeout=CELL_TIMEOUT,
        kernel_name="python3",
        record_timing=False,
        store_widget_state=False,
        resources={"metadata": {"path": str(folder)}},
    )
    return add_pictures(client.execute())


def normalise(notebook: NotebookNode) -> NotebookNode:
    """Copy of `notebook` in normal form; a notebook in normal form is returned as it is."""
    own = {"bnlab": notebook.metadata.bnlab} if "bnlab" in notebook.metadata else {}
    cells: list[NotebookNode] = []
    taken: set[str] = set()
    executed = 0
    for cell in notebook.cells:
        executed += bool(cell.get("execution_count"))
        cells.append(_normal_cell(cell, _identity(cell, taken), executed))
    return nbformat.from_dict(
        {
            "cells": cells,
            "metadata": {**own, "kernelspec": KERNELSPEC, "language_info": LANGUAGE},
            "nbformat": 4,
            "nbformat_minor": 5,
        }
    )


def _identity(cell: NotebookNode, taken: set[str]) -> str:
    for repeat in range(len(taken) + 1):
        digest = hashlib.sha256(f"{cell.cell_type}{repeat}{cell.source.rstrip()}".encode()).hexdigest()[:8]
        if digest not in taken:
            break
    taken.add(digest)
    return digest


def _normal_cell(cell: NotebookNode, identity: str, executed: int) -> NotebookNode:
    normal = {
        "cell_type": cell.cell_type,
        "id": identity,
        "metadata": {key: cell.metadata[key] for key in KEPT_OF_CELL if key in cell.metadata},
        "source": cell.source.rstrip(),
    }
    if "attachments" in cell:
        normal["attachments"] = cell.attachments
    if "check" in normal["metadata"].get("tags", ()):
        normal["metadata"]["jupyter"] = {**normal["metadata"].get("jupyter", {}), "source_hidden": True}
    if cell.cell_type == "code":
        count = executed if cell.execution_count else None
        normal["execution_count"] = count
        normal["outputs"] = [_normal_output(output, count) for output in cell.outputs if _is_kept(output)]
    return nbformat.from_dict(normal)


def _is_kept(output: NotebookNode) -> bool:
    if output.output_type == "stream":
        return output.name != "stderr" and bool(output.text)
    return "data" not in output or any(mime != WIDGET for mime in output.data)


def _normal_output(output: NotebookNode, count: int | None) -> NotebookNode:
    normal = nbformat.from_dict(dict(output))
    normal.get("data", {}).pop(WIDGET, None)
    if normal.output_type == "execute_result":
        normal.execution_count = count
    return normal


def read(path: Path) -> NotebookNode:
    """Notebook at `path`, in the current format."""
    return nbformat.read(path, as_version=4)


def text(notebook: NotebookNode) -> str:
    """The file that holds `notebook`."""
    nbformat.validate(notebook)
    return str(nbformat.writes(notebook)) + "\n"


def is_normal(path: Path) -> bool:
    """Whether the file is what `normalise` would write."""
    return path.read_text(encoding="utf-8") == text(normalise(read(path)))


def main(arguments: Sequence[str] | None = None) -> int:
    """Carry out one command on the notebooks named; 1 when `check` found one that is not in normal form."""
    parser = argparse.ArgumentParser(description="Keep the stored notebooks in one normal form.")
    parser.add_argument("command", choices=["execute", "normalise", "check"])
    parser.add_argument("paths", nargs="+", type=Path)
    options = parser.parse_args(arguments)
    if options.command == "check":
        changed = [path for path in options.paths if not is_normal(path)]
        for path in changed:
            print(f"{path}: not in normal form; run: python -m tools.notebooks normalise {path}")
        return int(bool(changed))
    for path in options.paths:
        notebook = read(path)
        if options.command == "execute":
            print(f"running {path}", flush=True)
            notebook = execute(notebook, path.parent)
        replace_file(path, text(normalise(notebook)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
