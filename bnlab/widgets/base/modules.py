"""Files of pages: ES modules that import each other by relative paths, and style sheets.

A widget sends its modules as text, and `base/page/loader.js` makes a blob URL of each, once per page. Nothing is built.
"""

from __future__ import annotations

import re
from functools import cache
from hashlib import sha256
from os.path import normpath
from pathlib import Path, PurePosixPath
from typing import Any

import traitlets

LIBRARY = Path(__file__).parents[2]
_IMPORT = re.compile(r'^(?:import|export)\b[^;"]*?"(\.[\w./-]+\.js)";$', re.MULTILINE)


def text_of(name: str) -> str:
    """Text of a file of the library, named by its path from `bnlab`."""
    return (LIBRARY / name).read_text(encoding="utf-8")


LOADER = text_of("widgets/base/page/loader.js")


@cache
def linked(name: str) -> list[list[Any]]:
    """Module of a file and all that it imports, each after what it imports: [key, name, text, keys by path].

    The key of a module is a digest of its text and of the keys of its imports, so that widgets share equal modules.

    Raises
    ------
    ValueError
        If modules import each other in a circle.

    Examples
    --------
    >>> [name for _, name, *_ in linked("widgets/base/page/menus.js")]
    ['widgets/base/page/elements.js', 'widgets/base/page/menus.js']
    """
    found: dict[str, list[Any]] = {}

    def add(name: str, above: tuple[str, ...]) -> str:
        if name in above:
            raise ValueError(f"modules import each other in a circle: {' -> '.join([*above, name])}")
        if name not in found:
            text = text_of(name)
            folder = PurePosixPath(name).parent
            uses = {
                path: add(Path(normpath(folder / path)).as_posix(), (*above, name)) for path in _IMPORT.findall(text)
            }
            found[name] = [sha256(repr((name, text, uses)).encode()).hexdigest()[:16], name, text, uses]
        return str(found[name][0])

    add(name, ())
    return list(found.values())


def modules(name: str) -> Any:
    """Trait ``_modules``, with the module that draws the widget last."""
    return traitlets.List(linked(name)).tag(sync=True)


def style(*names: str) -> Any:
    """Trait ``_css`` of several files.

    It is not a Path, because anywidget would watch the file and keep every widget in memory for that.
    """
    return traitlets.Unicode("\n".join(map(text_of, names))).tag(sync=True)
