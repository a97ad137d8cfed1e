"""TypeScript types of the pages and messages of widgets: ``python -m tools.page_types`` writes them beside the pages.

A test compares the files with the Python code, so ``tsc`` finds a page that reads or sends what Python does not know.
"""

from __future__ import annotations

import collections.abc
import types
from dataclasses import MISSING, fields
from importlib import import_module
from pathlib import Path
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints, is_typeddict

import bnlab
from bnlab.widgets.base.pure import Set

LIBRARY = Path(bnlab.__file__).parent
WIDGETS = {"widgets/scores/page/score_panel": "bnlab.widgets.scores.score_panel.ScorePanel"}
"""Widgets by their pages, without the suffix of the file."""
PLAIN = {str: "string", int: "number", float: "number", bool: "boolean", type(None): "null"}


def ts(kind: Any) -> str:
    """TypeScript for a type.

    Examples
    --------
    >>> ts(list[tuple[str, float]]), ts(dict[str, int] | None), ts(Literal["a", "b"])
    ('[string, number][]', 'Record<string, number> | null', '"a" | "b"')
    """
    origin, args = get_origin(kind), get_args(kind)
    if kind in PLAIN:
        return PLAIN[kind]
    if is_typeddict(kind):
        return "{ " + " ".join(f"{name}: {ts(held)};" for name, held in get_type_hints(kind).items()) + " }"
    if origin in (Union, types.UnionType):
        return " | ".join(map(ts, args))
    if origin is Literal:
        return " | ".join(f'"{value}"' for value in args)
    if origin is tuple and Ellipsis not in args:
        return f"[{', '.join(map(ts, args))}]"
    if origin in (list, tuple, collections.abc.Sequence):
        return f"({ts(args[0])})[]" if get_origin(args[0]) in (Union, types.UnionType) else f"{ts(args[0])}[]"
    if origin in (dict, collections.abc.Mapping):
        return f"Record<{ts(args[0])}, {ts(args[1])}>"
    return "any"


def message(kind: type) -> str:
    """Message as the page sends it."""
    hints = get_type_hints(kind)
    parts = [f"{part.name}{'' if part.default is MISSING else '?'}: {ts(hints[part.name])};" for part in fields(kind)]
    return " ".join(["{", f'type: "{kind.__name__}";', *parts, "}"])


def text(page: str) -> str:
    """Types of the page of one widget."""
    module, _, name = WIDGETS[page].rpartition(".")
    widget = vars(import_module(module))[name]
    parts = [f"  {name}: {ts(kind)};" for name, kind in get_type_hints(get_type_hints(widget.page)["return"]).items()]
    messages = [f"  | {message(kind)}" for kind in (Set, *widget.messages)]
    head = f"// Written by tools/page_types.py from {WIDGETS[page]}."
    return "\n".join([head, "export type Page = {", *parts, "};", "export type Message =", *messages]) + ";\n"


def path_of(page: str) -> Path:
    """File of the types of a page."""
    return LIBRARY / f"{page}_types.d.ts"


if __name__ == "__main__":
    for page in WIDGETS:
        path_of(page).write_text(text(page), encoding="utf-8")
