"""Write the docstrings as pages: ``make docs`` puts them in site/."""

from __future__ import annotations

import importlib
import warnings
from collections.abc import Callable, Iterable
from pathlib import Path

import bnlab

LIBRARY = Path(bnlab.__file__).parent
OUTPUT = Path("site")


def packages() -> list[str]:
    """Dotted names of the library's folders.

    Examples
    --------
    >>> {"bnlab", "bnlab.scores", "bnlab.experiments.published"} <= set(packages())
    True
    """
    folders = sorted(path.parent.relative_to(LIBRARY.parent) for path in LIBRARY.rglob("__init__.py"))
    return [".".join(folder.parts) for folder in folders]


def unnested(names: list[str], within: Callable[[str], Iterable[str]]) -> list[str]:
    """Those names that none before them brings along.

    Examples
    --------
    >>> unnested(["a", "a.b", "a.c"], lambda name: {"a": ["a", "a.b"]}.get(name, [name]))
    ['a', 'a.c']
    """
    chosen: list[str] = []
    brought: set[str] = set()
    for name in names:
        if name not in brought:
            chosen.append(name)
            brought.update(within(name))
    return chosen


def main() -> None:
    """Render every folder; names that are loaded when first used are loaded before, because pdoc does not ask for them.

    Warnings are errors, but for annotations that only a type checker can evaluate: they are shown as they are written.
    """
    import pdoc

    warnings.simplefilter("error")
    warnings.filterwarnings("ignore", "Error parsing type annotation")
    for package in map(importlib.import_module, packages()):
        vars(package).update({name: getattr(package, name) for name in getattr(package, "__all__", ())})
    pdoc.render.configure(docformat="numpy")
    modules = [*packages(), "bnlab.checkpoint", "bnlab.search"]
    pdoc.pdoc(*unnested(modules, lambda name: pdoc.extract.walk_specs([name])), output_directory=OUTPUT)


if __name__ == "__main__":
    main()
