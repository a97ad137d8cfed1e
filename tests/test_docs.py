"""The documentation's examples run, its reference is complete, and its links are checked."""

from __future__ import annotations

import doctest
import re
from pathlib import Path

import pytest

import bnlab
from tools.docs import api_page, faults, modules, static

ROOT = Path(__file__).parent.parent
GUIDE = sorted((ROOT / "docs" / "guide").glob("*.md"))
WRITTEN = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]


@pytest.mark.parametrize("path", GUIDE, ids=lambda path: path.stem)
def test_every_example_of_the_guide_runs(path: Path) -> None:
    blocks = re.findall(r"```\{doctest\}\n(.*?)```", path.read_text(encoding="utf-8"), re.DOTALL)
    assert blocks or path.stem == "index"
    test = doctest.DocTestParser().get_doctest("\n".join(blocks), {"bnlab": bnlab}, path.name, str(path), 0)
    assert doctest.DocTestRunner(verbose=False).run(test).failed == 0


def test_every_public_name_is_on_a_page_of_the_reference() -> None:
    for name, module in modules().items():
        page = api_page(name, module)
        for each in module.__all__:
            if not each.endswith("_ipython_extension") and each != "scores":
                assert re.search(rf"(:: |`|bnlab\.){each}\b", page), f"{name}.{each}"


@pytest.mark.parametrize("path", WRITTEN, ids=lambda path: path.name)
def test_names_of_the_library_in_the_text_exist(path: Path) -> None:
    for name in re.findall(r"\bbnlab((?:\.[A-Za-z_]\w*)+)", path.read_text(encoding="utf-8")):
        value = bnlab
        for part in name.strip(".").split("."):
            value = getattr(value, part)


@pytest.mark.parametrize("path", WRITTEN, ids=lambda path: path.name)
def test_links_to_files_lead_to_files(path: Path) -> None:
    copied = {"notebooks": ROOT / "notebooks", "CONTRIBUTING.md": ROOT / "CONTRIBUTING.md"}
    copied["SECURITY.md"] = ROOT / "SECURITY.md"
    for link in re.findall(r"\]\(([^)#]+)[^)]*\)", path.read_text(encoding="utf-8")):
        target = (path.parent / link).resolve()
        if not target.exists():  # the build puts some files of the project beside the pages
            first, *rest = target.relative_to(ROOT / "docs").parts
            assert copied[first].joinpath(*rest).exists(), link


def test_dead_links_and_other_hosts_are_found(tmp_path: Path) -> None:
    (tmp_path / "a.html").write_text('<p id="here"><a href="#here">a</a><a href="b.html#there">b</a></p>')
    assert list(faults(tmp_path)) == ["a.html: no file b.html#there"]
    (tmp_path / "b.html").write_text('<script src="https://elsewhere.example/x.js"></script>')
    assert [fault.partition(": ")[2] for fault in faults(tmp_path)] == [
        "no place b.html#there",
        'loads from another host: <script src="https://elsewhere.example/x.js">',
    ]


def test_notebooks_are_shown_as_pictures_with_checks_folded() -> None:
    data = {"application/vnd.plotly.v1+json": {}, "text/html": "<img>"}
    cell = {"metadata": {"tags": ["check"]}, "outputs": [{"data": data}]}
    shown = static({"cells": [cell]})["cells"][0]
    assert shown["outputs"][0]["data"] == {"text/html": "<img>"}
    assert "hide-input" in shown["metadata"]["tags"]
    sentence = {"text/markdown": ["See [the\n", "details](details/a.ipynb#1-Data) of b.ipynb."]}
    shown = static({"cells": [{"metadata": {}, "outputs": [{"data": sentence}]}]})["cells"][0]["outputs"][0]["data"]
    assert shown == {"text/markdown": "See [the\ndetails](details/a.html#1-Data) of b.ipynb."}
    solution, question = {"jupyter": {"source_hidden": True}}, {}
    shown = static({"cells": [{"metadata": metadata} for metadata in (solution, question)]})["cells"]
    assert [cell["metadata"]["tags"] for cell in shown] == [["hide-input"], []]
