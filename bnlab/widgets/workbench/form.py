"""A form that Python describes and the page draws: choices, numbers, buttons, progress, and a table to choose from."""
# mypy: allow-untyped-decorators

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import traitlets

from bnlab.widgets.base.page_file import page_file
from bnlab.widgets.base.page_widget import PageWidget

Control = dict[str, Any]


class WorkbenchForm(PageWidget):
    """Controls in lines.

    What is chosen, typed or pressed arrives at `on_msg` as ``{"type": "control", "id": ..., "value": ...}``.

    Examples
    --------
    >>> form = WorkbenchForm("Learn", [[button("learn", "Learn")]])
    >>> form
    WorkbenchForm(Learn)
    """

    _esm = page_file("base/elements.js", "workbench/form.js")
    _css = page_file("base/controls.css", "workbench/workbench.css")

    title = traitlets.Unicode().tag(sync=True)
    """Heading, and what assistive technology calls the form."""
    lines = traitlets.List(traitlets.List(traitlets.Dict())).tag(sync=True)
    """From top to bottom, each from left to right; see `choice`, `number` and so on."""

    def __init__(self, title: str, lines: Sequence[Sequence[Control]] = ()) -> None:
        super().__init__(title=title, lines=[list(line) for line in lines])

    def show(self, lines: Sequence[Sequence[Control]]) -> None:
        """Draw these lines; controls of the same id keep their focus."""
        self.lines = [list(line) for line in lines if line]

    def offer(self, name: str, text: str, mime: str) -> None:
        """Have the page save a file."""
        self.send({"type": "file", "name": name, "text": text, "mime": mime})

    def __repr__(self) -> str:
        """The title."""
        return f"WorkbenchForm({self.title})"


def words(id: str, text: str, role: str = "") -> Control:
    """Sentence; with the role "status" it is spoken when it changes, with "alert" at once."""
    return {"kind": "words", "id": id, "text": text, "role": role}


def choice(id: str, label: str, value: str, options: Sequence[tuple[str, str]], tip: str = "") -> Control:
    """List of which one (value, label) is chosen."""
    return {
        "kind": "choice",
        "id": id,
        "label": label,
        "value": value,
        "options": [list(o) for o in options],
        "tip": tip,
    }


def number(
    id: str,
    label: str,
    value: float | None,
    tip: str = "",
    *,
    least: float = 0,
    most: float | None = None,
    step: float | str = 1,
) -> Control:
    """Number, or nothing."""
    bounds = {"min": least, "max": most, "step": step}
    return {"kind": "number", "id": id, "label": label, "value": value, "tip": tip, **bounds}


def text(id: str, label: str, value: str, tip: str = "", *, hint: str = "") -> Control:
    """Line of text."""
    return {"kind": "text", "id": id, "label": label, "value": value, "tip": tip, "hint": hint}


def file(id: str, label: str, tip: str = "", *, accept: str = "", main: bool = False) -> Control:
    """Button that sends a file, as messages {"type": "file", "id", "name", "last"} with a piece of it in each."""
    return {"kind": "file", "id": id, "label": label, "tip": tip, "accept": accept, "main": main}


def button(id: str, label: str, tip: str = "", *, enabled: bool = True, main: bool = False) -> Control:
    """Button that acts; the main one of a form stands out."""
    return {"kind": "button", "id": id, "label": label, "tip": tip, "enabled": enabled, "main": main}


def progress(id: str, label: str, share: float | None, text: str) -> Control:
    """Bar of what is done; without a share it only says that something goes on."""
    return {"kind": "progress", "id": id, "label": label, "share": share, "text": text}


def table(
    id: str, label: str, columns: Sequence[str], rows: Sequence[tuple[str, Sequence[str]]], chosen: str | None
) -> Control:
    """Rows (key, texts of the cells) of which one can be chosen; all columns but the first are aligned as numbers."""
    listed = [{"key": key, "cells": list(cells)} for key, cells in rows]
    return {"kind": "table", "id": id, "label": label, "columns": list(columns), "rows": listed, "chosen": chosen}
