"""Notebooks as they are stored: in normal form, run from top to bottom, and readable without a kernel.

That they still give the same numbers is checked by nbval, which runs them (see the Makefile).
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

from conftest import in_three_attempts, not_bundled
from tools import notebooks
from tools.notebooks import WIDGET, execute, is_normal, main, normalise, text

ROOT = Path(__file__).parent.parent
NOTEBOOKS = sorted((ROOT / "notebooks").rglob("*.ipynb"))
SHOWN_WITHOUT_KERNEL = {"text/html", "text/plain", "text/markdown", "text/latex", "image/png", "image/jpeg"}
PLOTLY = "application/vnd.plotly.v1+json"

read = cache(notebooks.read)

each_notebook = pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.name)


def outputs(notebook: NotebookNode) -> list[Any]:
    return [output for cell in notebook.cells if cell.cell_type == "code" for output in cell.outputs]


@each_notebook
def test_stored_in_normal_form(path: Path) -> None:
    assert is_normal(path), f"run: python -m tools.notebooks normalise {path.relative_to(ROOT)}"


@each_notebook
def test_every_cell_was_run_in_order_and_its_outputs_show_without_an_error_or_a_kernel(path: Path) -> None:
    notebook = read(path)
    counts = [cell.execution_count for cell in notebook.cells if cell.cell_type == "code"]
    assert counts == list(range(1, len(counts) + 1)), "run: make notebooks"
    for output in outputs(notebook):
        assert output.output_type != "error"
        mimes = set(output.get("data", {"text/plain": ""}))
        assert mimes & SHOWN_WITHOUT_KERNEL
        assert PLOTLY not in mimes or "text/html" in mimes, "a chart needs a picture beside it; run: make notebooks"
    stored = str(outputs(notebook))
    assert str(ROOT) not in stored
    assert str(Path.home()) + "/" not in stored
    hidden = [cell.source for cell in notebook.cells if "remove-cell" in cell.metadata.get("tags", ())]
    assert not hidden, "a finding is asserted where it is named"
    missing = [name for name in notebook.metadata.get("bnlab", {}).get("data", []) if not_bundled(name)]
    assert not missing, "`make test` runs it on a machine that has neither a network nor third-party data"


@each_notebook
def test_links_lead_to_files_and_headings(path: Path) -> None:
    for link in re.findall(r"\]\(([^)\s]+)\)", markdown(path)):
        name, _, anchor = link.partition("#")
        if not name.startswith("http"):
            target = (path.parent / name).resolve() if name else path
            assert target.is_file(), link
            headings = re.findall(r"^#+ (.*)$", markdown(target), re.MULTILINE) if anchor else []
            assert not anchor or anchor in {heading.replace(" ", "-") for heading in headings}, link


def markdown(path: Path) -> str:
    return "\n\n".join(cell.source for cell in read(path).cells if cell.cell_type == "markdown")


PAPERS = {
    "villanueva2012_opthpc": (60, 2500, 900),
    "matuszak2012_chen": (60, 2500, 900),
    "carvalho2007_consistent_k_graphs": (60, 2500, 900),
    "carvalho2009_scoring_functions": (60, 2500, 900),
    "sousa2018_dynamic": (60, 2500, 900),
}
"""Cells, words and kilobytes that the notebook of a paper may have."""


CHARTS = TABLES = 8
TABLE = re.compile(r"(<div>\s*<style.*?</style>\s*)?<table", re.DOTALL)


WITH_NETWORK = [path for path in NOTEBOOKS if path.parent.name != "course"]
"""Some lessons show a player instead."""


@pytest.mark.parametrize("path", WITH_NETWORK, ids=lambda path: path.name)
def test_a_notebook_has_an_interactive_network(path: Path) -> None:
    shown = [output.get("data", {}).get("text/plain", "") for output in outputs(read(path))]
    assert any(plain.startswith("NetworkGraph(") for plain in shown)


ASIDE = re.compile(
    r"```.*?```|`[^`]*`|\$\$.*?\$\$|\$[^$]*\$|\]\([^)]*\)"  # code, formulae, links
    r"|(?:[Tt]heorem|[Ss]ection|Lemma|Definition|Proposition)s? [\d.]+(?: and [\d.]+)?",
    re.DOTALL,
)
NUMBER = re.compile(r"(?<![\d.])\d+\.\d+(?!\.?\d)|\d+(?= ?%| of \d)")
STATED = {
    "carvalho2007_consistent_k_graphs_details": {"5"},  # the level of a test
    "edge_confidence": {"80", "1.05"},  # a question, and a rule
    "leaderboard": {"100"},  # how to read a curve
    "matuszak2012_chen": {"0.11", "20", "33", "80", "0.1"},  # reported; the band of a chart; a setting to try
    "missing_values": {"20"},  # the share of values that the code removes
    "villanueva2012_opthpc": {"30", "0.05", "0.10", "35"},  # reported, and the rules of the verdicts
}


@pytest.mark.parametrize("path", WITH_NETWORK, ids=lambda path: path.name)
def test_a_number_in_plain_markdown_is_no_result(path: Path) -> None:
    """A cell of code shows results, so that they cannot differ from what it computes. Levels of 95 % are no results."""
    assert set(NUMBER.findall(ASIDE.sub("", markdown(path)))) <= {"95"} | STATED.get(path.stem, set())


@pytest.mark.parametrize("name", PAPERS)
def test_the_notebook_of_a_paper_is_one_reading_of_few_charts_and_tables(name: str) -> None:
    path = ROOT / "notebooks" / f"{name}.ipynb"
    cells, words, kilobytes = PAPERS[name]
    notebook = read(path)
    assert len(notebook.cells) <= cells
    assert sum(len(cell.source.split()) for cell in notebook.cells if cell.cell_type == "markdown") <= words
    assert path.stat().st_size <= kilobytes * 1024
    shown = [output.data for output in outputs(notebook) if "data" in output]
    assert sum(PLOTLY in data for data in shown) <= CHARTS
    assert sum(bool(TABLE.match(data.get("text/html", ""))) for data in shown) <= TABLES


@pytest.fixture
def untidy() -> NotebookNode:
    """What an editor leaves behind."""
    widget = new_output("display_data", {WIDGET: {"model_id": "1"}, "text/html": "<img>"})
    cells = [
        new_markdown_cell("A claim.\n"),
        new_code_cell("a()", execution_count=7, outputs=[new_output("stream", name="stderr", text="warned")]),
        new_code_cell("a()", execution_count=9, outputs=[widget, new_output("stream", text="2\n")]),
        new_code_cell(
            "b", execution_count=12, outputs=[new_output("execute_result", {"text/plain": "1"}, execution_count=12)]
        ),
    ]
    cells[1].metadata = {"execution": {"iopub.execute_input": "2020"}, "tags": ["nbval-skip"]}
    cells[3].metadata = {"tags": ["check"], "jupyter": {"outputs_hidden": True}}
    return new_notebook(
        cells=cells,
        metadata={
            "widgets": {},
            "bnlab": {"data": ["letter"]},
            "language_info": {"name": "python", "version": "3.12.1"},
        },
    )


def test_normal_form_keeps_the_story_and_drops_the_circumstances(untidy: NotebookNode) -> None:
    normal = normalise(untidy)
    assert [cell.source for cell in normal.cells] == ["A claim.", "a()", "a()", "b"]
    assert [cell.get("execution_count") for cell in normal.cells] == [None, 1, 2, 3]
    assert normal.cells[1].metadata == {"tags": ["nbval-skip"]}
    assert normal.cells[3].metadata == {"tags": ["check"], "jupyter": {"outputs_hidden": True, "source_hidden": True}}
    assert normal.cells[1].outputs == []
    assert [output.get("data", output.get("text")) for output in normal.cells[2].outputs] == [
        {"text/html": "<img>"},
        "2\n",
    ]
    assert normal.cells[3].outputs[0].execution_count == 3
    assert set(normal.metadata) == {"bnlab", "kernelspec", "language_info"}
    assert "2020" not in text(normal)
    assert "3.12.1" not in text(normal)


def test_normal_form_is_its_own_normal_form(untidy: NotebookNode) -> None:
    once = text(normalise(untidy))
    assert text(normalise(nbformat.reads(once, as_version=4))) == once


def test_a_cell_keeps_its_id_when_another_is_added_before_it(untidy: NotebookNode) -> None:
    before = [cell.id for cell in normalise(untidy).cells]
    untidy.cells.insert(0, new_code_cell("import bnlab"))
    assert [cell.id for cell in normalise(untidy).cells][1:] == before
    assert len(set(before)) == len(before)


def test_check_names_the_notebook_that_is_not_normal(
    untidy: NotebookNode, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "untidy.ipynb"
    nbformat.write(untidy, path)
    assert main(["check", str(path)]) == 1
    assert "untidy.ipynb" in capsys.readouterr().out
    assert main(["normalise", str(path)]) == 0
    assert main(["check", str(path)]) == 0


def test_notebooks_run_in_this_environment_from_their_own_folder(tmp_path: Path) -> None:
    cell = new_code_cell("import os, sys\nprint(sys.prefix)\nprint(os.getcwd())")
    executed = normalise(execute(new_notebook(cells=[cell]), tmp_path))
    assert executed.cells[0].outputs[0].text.split() == [sys.prefix, str(tmp_path.resolve())]


def write_cells(path: Path, *cells: NotebookNode) -> Path:
    for cell in cells:
        cell.execution_count = 1  # only of cells that were run outputs are kept
    path.write_text(text(normalise(new_notebook(cells=[*cells]))), encoding="utf-8")
    return path


def test_nbval_compares_every_digit_offline_and_refuses_a_kernel_that_needs_more_memory_than_binder_has(
    tmp_path: Path,
) -> None:
    hidden = {"tags": ["nbval-ignore-output"]}
    numbers = write_cells(
        tmp_path / "numbers.ipynb",
        new_code_cell("x = 1 / 8"),
        new_code_cell("x", metadata=hidden),
        *(
            new_code_cell("print(f'{x:.4f}')", outputs=[new_output("stream", text=f"{stored}\n")])
            for stored in ("0.1250", "0.1251", "-0.1250")
        ),
        new_code_cell("1 / 0", metadata={"tags": ["nightly"]}),
    )
    memory = write_cells(
        tmp_path / "memory.ipynb",
        new_code_cell(OFFLINE, outputs=[new_output("stream", text="offline False\n")]),
        new_code_cell("import numpy\nx = numpy.ones(140_000_000)"),
    )
    done = run_by_nbval(numbers, memory, BNLAB_NIGHTLY="", BNLAB_DATA="")
    assert "2 failed, 5 passed, 1 deselected, 1 error" in done.stdout, done.stdout + done.stderr
    assert "more than 1,000" in done.stdout
    assert all(f"Cell {cell}" in done.stdout for cell in (3, 4)), done.stdout
    by_night = run_by_nbval(numbers, "--collect-only", BNLAB_NIGHTLY="1")
    assert "6 tests collected" in by_night.stdout, by_night.stdout + by_night.stderr


OFFLINE = """\
from bnlab.data.catalogue import DataUnavailable, cache_folder, fetch
downloaded = cache_folder().exists()
try:
    fetch('mmhc/Pigs_graph.txt')
except DataUnavailable:
    print('offline', downloaded)"""


def run_by_nbval(*paths: Path | str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run notebooks and compare their outputs with the stored ones, with the options of `make test`."""
    makefile = (ROOT / "Makefile").read_text().replace("\\\n", " ")
    flags = re.search(r"^NBVAL := (.*)$", makefile, re.MULTILINE)[1].split()
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "conftest", *flags]
    command += [f"--rootdir={ROOT}", *map(str, paths)]
    return subprocess.run(command, cwd=ROOT, env=os.environ | environment, capture_output=True, text=True, check=False)


@pytest.mark.needs_data
@pytest.mark.parametrize("name", ["villanueva2012_opthpc", "details/villanueva2012_opthpc_details"])
def test_a_notebook_is_true_with_the_samples_of_the_study_too(name: str, shared_data: Any) -> None:
    """Where the study's samples are on the machine they replace those drawn from the bundled networks."""
    for archive in ("alarm", "child", "ins", "hailf"):
        assert (shared_data / "mmhc" / f"{archive}_data.zip").is_file()
    done = run_by_nbval(ROOT / "notebooks" / f"{name}.ipynb", BNLAB_NIGHTLY="")
    assert done.returncode == 0, done.stdout + done.stderr


def test_a_kernel_that_does_not_start_has_two_more_attempts() -> None:
    results = iter([RuntimeError("died"), RuntimeError("late"), "kernel"])

    def start(name: str) -> str:
        result = next(results)
        if isinstance(result, RuntimeError):
            raise result
        return f"{name} {result}"

    assert in_three_attempts(start, "python") == "python kernel"
    results = iter([RuntimeError(word) for word in ("first", "second", "third")])
    with pytest.raises(RuntimeError, match="third"):
        in_three_attempts(start, "python")
