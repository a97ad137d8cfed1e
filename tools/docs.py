"""Write the docstrings as pages: ``make docs`` puts them in site/."""

from __future__ import annotations

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


def main() -> None:
    """Render every folder; the front door's names are imported first, because pdoc does not ask for lazy ones."""
    import pdoc

    vars(bnlab).update({name: getattr(bnlab, name) for name in bnlab.__all__})
    pdoc.render.configure(docformat="numpy")
    pdoc.pdoc(*packages(), "bnlab.checkpoint", "bnlab.search", output_directory=OUTPUT)


if __name__ == "__main__":
    main()
