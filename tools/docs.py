"""Build the documentation: ``make docs`` writes pages to site/ that need no server and no other host.

Pages come from docs/, notebooks with their stored outputs, and the changelog and benchmarks where they are; pages of
the API are generated from ``__all__``. Nothing is executed but the examples of the user guide; a network is saved as a
page to try.
"""

from __future__ import annotations

import importlib
import inspect
import json
import pkgutil
import re
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any
from urllib.parse import unquote, urlsplit

import bnlab
from bnlab.widgets import NetworkGraph
from tools.pictures import PLOTLY

ROOT = Path(__file__).parent.parent
SOURCE, OUTPUT = ROOT / "build" / "docs", ROOT / "site"
PAGES = ("CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md")
LINK = re.compile(r'(?:href|src|srcset)="([^"]*)"')


def modules() -> dict[str, ModuleType]:
    """Modules with a list of public names, by dotted name.

    Examples
    --------
    >>> {"bnlab", "bnlab.scores", "bnlab.search"} <= set(modules())
    True
    """
    names = [module.name for module in pkgutil.walk_packages(bnlab.__path__, "bnlab.") if "._" not in module.name]
    found = {name: importlib.import_module(name) for name in ("bnlab", *names)}
    return {name: module for name, module in found.items() if "__all__" in vars(module)}


def api_page(name: str, module: ModuleType) -> str:
    """Reference of a module: every name of its ``__all__``, documented where it is listed, in Markdown."""
    if name == "bnlab":
        return front_door()
    values = {each: getattr(module, each) for each in module.__all__ if not each.endswith("_ipython_extension")}
    called = {each: value for each, value in values.items() if callable(value) and inspect.getdoc(value)}
    documented = {each: value for each, value in called.items() if inspect.isclass(value) or inspect.isroutine(value)}
    parts = [f".. currentmodule:: {name}", ".. autosummary::\n\n" + "".join(f"   {each}\n" for each in documented)]
    for each, value in documented.items():
        kind = "autoclass" if inspect.isclass(value) else "autofunction"
        parts.append(f".. {kind}:: {each}" + ("\n   :members:" if kind == "autoclass" else ""))
    others = ", ".join(f"`{each}`" for each in values if each not in documented)
    constants = f"\nConstants and types: {others}.\n" if others else ""
    text = (inspect.getdoc(module) or "").partition("\n\nReferences\n")[0]
    return f"# {name}\n\n```{{eval-rst}}\n{text}\n```\n{constants}\n```{{eval-rst}}\n" + "\n\n".join(parts) + "\n```\n"


def front_door() -> str:
    """Page of the names that ``import bnlab`` gives, each with a link to its module's page."""
    rows = []
    for name in bnlab.__all__:
        value = getattr(bnlab, name)
        if not inspect.ismodule(value):
            first = (inspect.getdoc(value) or "").splitlines()[0]
            rows.append(f"| {{py:obj}}`bnlab.{name}` | {first} |")
    return "# bnlab\n\nThe names that most people use.\n\n| Name | Purpose |\n|---|---|\n" + "\n".join(rows) + "\n"


def static(notebook: dict[str, Any]) -> dict[str, Any]:
    """Notebook whose charts are their pictures alone; cells that only assert, or are collapsed, are folded."""
    for cell in notebook["cells"]:
        tags = cell["metadata"].setdefault("tags", [])
        if "check" in tags or cell["metadata"].get("jupyter", {}).get("source_hidden"):
            tags.append("hide-input")
        for output in cell.get("outputs", ()):
            data = output.get("data", {})
            data.pop(PLOTLY, None)
            if "text/markdown" in data:  # whose links are not those of a page's source
                data["text/markdown"] = re.sub(r"(\]\([^)]*)\.(?:ipynb|md)", r"\1.html", "".join(data["text/markdown"]))
    return notebook


def assemble() -> None:
    """Put all sources of the site into one folder."""
    shutil.rmtree(SOURCE, ignore_errors=True)
    hidden = shutil.ignore_patterns(".ipynb_checkpoints", "results", "__pycache__")
    shutil.copytree(ROOT / "docs", SOURCE)
    shutil.copytree(ROOT / "notebooks", SOURCE / "notebooks", ignore=hidden)
    for path in (SOURCE / "notebooks").rglob("*.ipynb"):
        path.write_text(json.dumps(static(json.loads(path.read_text(encoding="utf-8")))), encoding="utf-8")
    (SOURCE / "benchmarks").mkdir()
    for path in (ROOT / "benchmarks").glob("*.md"):
        shutil.copy(path, SOURCE / "benchmarks" / path.name)
    for page in PAGES:
        shutil.copy(ROOT / page, SOURCE / page)
    net = bnlab.load_network("asia")
    NetworkGraph(net, net.sample(1000, seed=1)).save_html(SOURCE / "_static" / "asia.html", title="Asia")
    (SOURCE / "api").mkdir()
    pages = modules()
    for name, module in pages.items():
        (SOURCE / "api" / f"{name}.md").write_text(api_page(name, module), encoding="utf-8")
    contents = "\n".join(pages)
    index = f"# API reference\n\nWhat each module exports.\n\n```{{toctree}}\n:maxdepth: 1\n\n{contents}\n```\n"
    (SOURCE / "api" / "index.md").write_text(index, encoding="utf-8")


def heading_anchor(heading: str) -> str:
    """Anchor of a heading, as JupyterLab makes it, so that links within a notebook work in both.

    Examples
    --------
    >>> heading_anchor("4 Accuracy")
    '4-Accuracy'
    """
    return heading.replace(" ", "-")


def faults(folder: Path) -> Iterator[str]:
    """Links of HTML pages that lead nowhere, and anything that a page would load from another host."""
    written = [path for path in sorted(folder.rglob("*.html")) if "_static" not in path.parts]  # there: templates
    pages = {path: path.read_text(encoding="utf-8") for path in written}
    names = {path: set(re.findall(r'\b(?:id|name)="([^"]+)"', text)) for path, text in pages.items()}
    for path, text in pages.items():
        where = path.relative_to(folder)
        for tag in re.findall(r"<(?:script|img|link|iframe|source)\b[^>]*>", text):
            if re.search(r'(?:src|href)="(?:https?:)?//', tag) and 'rel="canonical"' not in tag:
                yield f"{where}: loads from another host: {tag}"
        for link in LINK.findall(text):
            parts = urlsplit(link.replace("&amp;", "&"))
            if parts.scheme or parts.netloc:
                continue
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            if not target.exists():
                yield f"{where}: no file {link}"
            elif parts.fragment and target in names and unquote(parts.fragment) not in names[target]:
                yield f"{where}: no place {link}"


def main() -> int:
    """Run the examples of the guide, build the site, and check its links; warnings are errors."""
    from sphinx.cmd.build import main as sphinx

    assemble()
    pages = SOURCE.with_name("html")
    for folder in (pages, OUTPUT):
        shutil.rmtree(folder, ignore_errors=True)
    options = ["-q", "-W", "--keep-going", "-d", str(SOURCE.with_name("doctrees"))]
    if sphinx([*options, "-b", "html", str(SOURCE), str(pages)]):
        return 1
    shutil.move(pages, OUTPUT)  # myst-nb leaves copies of the notebooks beside the pages
    if sphinx([*options, "-b", "doctest", str(SOURCE), str(SOURCE.with_name("doctest"))]):
        return 1
    found = list(dict.fromkeys(faults(OUTPUT)))
    print("\n".join([*found, f"{len(found)} faults in {len(list(OUTPUT.rglob('*.html')))} pages of {OUTPUT}"]))
    return int(bool(found))


if __name__ == "__main__":
    sys.exit(main())
