"""Controls that Python describes as plain values and the page draws: one kit for all widgets."""
# mypy: allow-untyped-decorators

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import traitlets

from bnlab.widgets.base.page_file import page_file
from bnlab.widgets.base.page_widget import PageWidget

Control: TypeAlias = dict[str, Any]
Options: TypeAlias = Sequence[tuple[Any, str]]
"""Pairs (value, label); a value is a str, a number or None."""
Lines: TypeAlias = Sequence[Sequence[Control]]
"""From top to bottom, each from left to right."""


class Controls(PageWidget):
    """Controls in lines.

    A change in the page arrives at `on_msg` as ``{"type": "control", "id": ..., "value": ...}``.

    Parameters
    ----------
    label : str
        What assistive technology calls the controls.
    lines : sequence of sequence of Control, optional
    heading : bool
        Whether the label is also shown above the controls.

    Examples
    --------
    >>> controls = Controls("Learn", [[button("learn", "Learn")]])
    >>> controls.on_change(lambda id, value: print(id, value))
    >>> controls._handle_custom_msg({"type": "control", "id": "learn", "value": True}, [])
    learn True
    """

    _esm = page_file("base/problem.js", "base/elements.js", "base/controls.js", "base/controls_view.js")
    _css = page_file("base/controls.css")

    label = traitlets.Unicode().tag(sync=True)
    """What assistive technology calls the controls."""
    heading = traitlets.Bool(False).tag(sync=True)
    """Whether the label is shown above the controls."""
    lines = traitlets.List(traitlets.List(traitlets.Dict())).tag(sync=True)
    """See `select`, `number` and so on."""

    def __init__(self, label: str, lines: Lines = (), *, heading: bool = False) -> None:
        super().__init__(label=label, heading=heading, lines=_listed(lines))

    def show(self, lines: Lines) -> None:
        """Draw these lines; controls with the same id keep the focus."""
        self.lines = _listed(lines)

    def restore(self) -> None:
        """Show again the values that Python knows, also where the page has another one that was refused."""
        self.send({"type": "restore"})

    def on_change(self, changed: Callable[[str, Any], object]) -> None:
        """Call ``changed(id, value)`` when a control is used."""

        def answer(_: Any, content: Any, __: Any) -> None:
            if content.get("type") == "control":
                changed(str(content["id"]), content.get("value"))

        self.on_msg(answer)

    def control(self, id: str) -> Control | None:
        """Present description of a control; None when it is not shown."""
        return next((control for line in self.lines for control in line if control["id"] == id), None)

    def offer(self, name: str, text: str, mime: str) -> None:
        """Make the page save a file."""
        self.send({"type": "file", "name": name, "text": text, "mime": mime})

    def __repr__(self) -> str:
        """The label."""
        return f"Controls({self.label})"


def _listed(lines: Lines) -> list[list[Control]]:
    return [list(line) for line in lines if line]


def message(id: str, text: str, role: str = "") -> Control:
    """Sentence; with the role "status" it is spoken when it changes, with "alert" at once."""
    return {"kind": "message", "id": id, "text": text, "role": role}


def select(id: str, label: str, value: Any, options: Options, tip: str = "", *, enabled: bool = True) -> Control:
    """List with one chosen value."""
    listed = [list(option) for option in options]
    return {**_control("select", id, label, tip, enabled), "value": value, "options": listed}


def menu(id: str, label: str, options: Options, tip: str = "", *, enabled: bool = True) -> Control:
    """List of actions."""
    return {**_control("menu", id, label, tip, enabled), "options": [list(option) for option in options]}


def tabs(id: str, label: str, value: Any, options: Options) -> Control:
    """Row of tabs with one chosen value; arrow keys, Home and End move between them."""
    listed = [list(option) for option in options]
    return {**_control("tabs", id, label, "", True), "value": value, "options": listed}


def number(
    id: str,
    label: str,
    value: float | None,
    tip: str = "",
    *,
    least: float = 0,
    most: float | None = None,
    step: float | str = 1,
    enabled: bool = True,
) -> Control:
    """Number, or nothing."""
    return {
        **_control("number", id, label, tip, enabled),
        "value": value,
        "min": least,
        "max": most,
        "step": step,
    }


def slider(
    id: str,
    label: str,
    value: float,
    tip: str = "",
    *,
    least: float,
    most: float,
    step: float,
    log: bool = False,
    enabled: bool = True,
) -> Control:
    """Number in a range, with a field for values between the steps; with `log`, steps are in powers of ten."""
    return {
        **_control("slider", id, label, tip, enabled),
        "value": value,
        "min": least,
        "max": most,
        "step": step,
        "log": log,
    }


def text(id: str, label: str, value: str, tip: str = "", *, placeholder: str = "") -> Control:
    """Line of text."""
    return {**_control("text", id, label, tip, True), "value": value, "placeholder": placeholder}


def file(id: str, label: str, tip: str = "", *, accept: str = "", main: bool = False) -> Control:
    """Button that sends a file, in messages {"type": "file", "id", "name", "first", "last"} with one piece each."""
    return {**_control("file", id, label, tip, True), "accept": accept, "main": main}


def button(id: str, label: str, tip: str = "", *, enabled: bool = True, main: bool = False) -> Control:
    """Button that acts; the main one stands out."""
    return {**_control("button", id, label, tip, enabled), "main": main}


def toggle(id: str, label: str, value: bool, tip: str = "", *, enabled: bool = True) -> Control:
    """Button that stays pressed."""
    return {**_control("toggle", id, label, tip, enabled), "value": value}


def progress(id: str, label: str, share: float | None, text: str) -> Control:
    """Progress bar; without a share it is indeterminate."""
    return {**_control("progress", id, label, "", True), "share": share, "text": text}


def table(
    id: str, label: str, columns: Sequence[str], rows: Sequence[tuple[str, Sequence[str]]], chosen: str | None
) -> Control:
    """Rows (key, texts of the cells) of which one can be chosen; all columns but the first are aligned as numbers."""
    listed = [{"key": key, "cells": list(cells)} for key, cells in rows]
    return {**_control("table", id, label, "", True), "columns": list(columns), "rows": listed, "chosen": chosen}


def _control(kind: str, id: str, label: str, tip: str, enabled: bool) -> Control:
    return {"kind": kind, "id": id, "label": label, "tip": tip, "enabled": enabled}
