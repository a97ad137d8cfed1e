"""Controls of all widgets: Python describes them as plain values, and the page draws them."""
# mypy: allow-untyped-decorators

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from functools import partial
from typing import Any, TypeAlias

import traitlets

from bnlab.widgets.base.modules import modules, style
from bnlab.widgets.base.widget import PageWidget

Control: TypeAlias = dict[str, Any]
Options: TypeAlias = Iterable[tuple[Any, str]]
"""Pairs (value, label); a value is a str, a number or None."""
Cell: TypeAlias = str | list[Control]
"""Text or controls in a cell of a table."""
Lines: TypeAlias = Sequence[Sequence[Control]]
"""From top to bottom, each from left to right."""


class Controls(PageWidget):
    """Controls in lines.

    A change in the page arrives at `on_msg` as ``{"type": "control", "id": ..., "value": ...}``.

    Parameters
    ----------
    label : str
        Name of the controls for assistive technology.
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

    _modules = modules("widgets/base/page/controls_view.js")
    _css = style(*(f"widgets/base/page/{name}.css" for name in ("controls", "menus", "tables", "moves")))

    label = traitlets.Unicode().tag(sync=True)
    """Name of the controls for assistive technology."""
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
        """Show the values that Python has again, for example after it refused one from the page."""
        self.send({"type": "restore"})

    def on_change(self, changed: Callable[[str, Any], object]) -> None:
        """Call ``changed(id, value)`` when a control is used."""

        def answer(_: Any, content: Any, __: Any) -> None:
            if content.get("type") == "control":
                changed(str(content["id"]), content.get("value"))

        self.on_msg(answer)

    def control(self, id: str) -> Control | None:
        """Current description of a control; None if it is not shown."""
        return next((control for line in self.lines for control in line if control["id"] == id), None)

    def __repr__(self) -> str:
        """The label."""
        return f"Controls({self.label})"


def _listed(lines: Lines) -> list[list[Control]]:
    return [list(line) for line in lines if line]


def _control(kind: str, id: str, label: str, tip: str = "", enabled: bool = True, **more: Any) -> Control:
    return {"kind": kind, "id": id, "label": label, "tip": tip, "enabled": enabled, **more}


def _pairs(options: Options) -> list[list[Any]]:
    return [list(option) for option in options]


def named(values: Iterable[str]) -> list[tuple[str, str]]:
    """Options whose labels are their values.

    Examples
    --------
    >>> named(["all", "not run"])
    [('all', 'all'), ('not run', 'not run')]
    """
    return [(value, value) for value in dict.fromkeys(values)]


def bare(control: Control) -> Control:
    """The control without its label, which assistive technology still reads: for cells of a table.

    A bare message is one line, which ends with an ellipsis where it is too long.
    """
    return {**control, "bare": True}


def message(id: str, text: str, role: str = "", *, hint: bool = False) -> Control:
    """Sentence. Screen readers speak changes with the role "status", and at once with "alert". A hint is grey."""
    return {"kind": "message", "id": id, "text": text, "role": role, "hint": hint}


def select(id: str, label: str, value: Any, options: Options, tip: str = "", *, enabled: bool = True) -> Control:
    """List with one chosen value."""
    return _control("select", id, label, tip, enabled, value=value, options=_pairs(options))


def tabs(id: str, label: str, value: Any, options: Options, *, closed: Collection[Any] = ()) -> Control:
    """Row of tabs with one chosen value; arrow keys, Home and End move between those that are not closed."""
    return _control("tabs", id, label, value=value, options=_pairs(options), closed=sorted(closed))


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
    """Field for a number, which may be empty."""
    return _control("number", id, label, tip, value=value, min=least, max=most, step=step)


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
) -> Control:
    """Slider with a field for values between the steps; with `log`, steps are exponents of ten."""
    return _control("slider", id, label, tip, value=value, min=least, max=most, step=step, log=log)


def text(id: str, label: str, value: str, tip: str = "", *, placeholder: str = "") -> Control:
    """Field for a line of text."""
    return _control("text", id, label, tip, value=value, placeholder=placeholder)


def file(id: str, label: str, tip: str = "", *, accept: str = "", drop: bool = False) -> Control:
    """Button that sends a file in pieces, in messages {"type": "file", "id", "name", "first", "last"}.

    A file may be dropped on it; with `drop` it is large, to invite that.
    """
    return _control("file", id, label, tip, accept=accept, drop=drop)


def button(
    id: str, label: str, tip: str = "", *, enabled: bool = True, main: bool = False, symbol: str = ""
) -> Control:
    """Button; a main one stands out. A symbol replaces the label, which assistive technology still reads."""
    return _control("button", id, label, tip, enabled, main=main, symbol=symbol)


def icon(id: str, label: str, tip: str = "", *, enabled: bool = True, picture: str = "") -> Control:
    """Button with a picture, by default that of its id, instead of its label, in the toolbar of a `GraphView`."""
    return _control("icon", id, label, tip, enabled, picture=picture)


def undo_and_redo(last: str, next: str, make: Callable[..., Control] | None = None) -> list[Control]:
    """Buttons or icons "undo" and "redo"; `last` and `next` are the changes that they make, "" for none."""
    made = []
    for id, step, symbol in (("undo", last, "↶"), ("redo", next, "↷")):
        tip = f"{id.capitalize()} {step.replace('->', '→')}" if step else f"Nothing to {id}"
        kind = partial(button, symbol=symbol) if make is None else make
        made.append(kind(id, id.capitalize(), tip, enabled=bool(step)))
    return made


def toggle(id: str, label: str, value: bool, tip: str = "", *, picture: str = "") -> Control:
    """Button that stays pressed; `picture` is the URL of a picture before its label."""
    return _control("toggle", id, label, tip, value=value, picture=picture)


def progress(id: str, label: str, share: float | None, text: str) -> Control:
    """Progress bar; without a share it is indeterminate."""
    return _control("progress", id, label, share=share, text=text)


def code(id: str, label: str, text: str) -> Control:
    """Code with a button that copies it."""
    return _control("code", id, label, text=text)


def histogram(
    id: str,
    label: str,
    bars: Sequence[float],
    cuts: Sequence[float] = (),
    tip: str = "",
    *,
    span: tuple[float, float] = (0, 1),
    ends: tuple[str, str] = ("", ""),
    step: float | None = None,
) -> Control:
    """Bars over a span of numbers, with cut points. Heights are shares of the highest bar; `ends` are texts below.

    With a step, cut points are dragged or moved by the arrow keys, Delete removes one and a double click adds one. The
    value is the list of all cut points. A `bare` histogram is small.
    """
    heights = [round(bar, 3) for bar in bars]
    values: dict[str, Any] = {"bars": heights, "cuts": list(cuts), "span": list(span), "ends": list(ends)}
    return _control("histogram", id, label, tip, step=step, **values)


def lists(
    id: str, label: str, parts: Iterable[tuple[Any, str, Sequence[str]]], tip: str = "", *, find: str = ""
) -> Control:
    """Lists (key, label, items) between which items are dragged, or moved by the left and right arrow keys.

    The value is the moved item with the key of its new list. The first list is above the others, which are columns.
    `find` is as for `table`.
    """
    listed = [{"key": key, "label": label, "items": list(items)} for key, label, items in parts]
    return _control("lists", id, label, tip, lists=listed, find=find)


def links(id: str, label: str, parts: Iterable[tuple[str, str]], tip: str = "") -> Control:
    """Card of sentences (place, text), each a link. The value is the place of the clicked one.

    The widget with the class "bnlab-place-" and the place, in the one with the class "bnlab-places", scrolls into view.
    """
    return _control("links", id, label, tip, parts=_pairs(parts))


def table(
    id: str,
    label: str,
    columns: Sequence[str],
    rows: Iterable[tuple[str, Sequence[Cell]]],
    chosen: str | None = None,
    *,
    left: Collection[str] = (),
    find: str = "",
    order: tuple[str, bool] | None = None,
) -> Control:
    """Table of rows (key, cells) below column heads; a cell is a text or controls.

    A row whose first cell is a text can be chosen unless `chosen` is None. The first column and those of `left` hold
    texts, the others numbers. `find` is the label of a field that filters the rows, "" for none. `order` is the head of
    the column that the rows are sorted by, and whether they descend; a click on a head then sends its text under the id
    ``{id}:order``. See `greyed`.
    """
    listed = [{"key": key, "cells": list(cells), "quiet": False} for key, cells in rows]
    values: dict[str, Any] = {"columns": list(columns), "rows": listed, "chosen": chosen, "order": order and [*order]}
    return _control("table", id, label, left=list(left), find=find, **values)


def greyed(shown: Control, keys: Collection[str]) -> Control:
    """A table in which the rows with these keys are grey."""
    return {**shown, "rows": [{**row, "quiet": row["key"] in keys} for row in shown["rows"]]}


def cell(
    sets: str, value: Any, pressed: bool, text: str, label: str, *, sign: str, tip: str, classes: list[str]
) -> Control:
    """Button in a cell of a table, which sends its value under the id `sets`; arrow keys move between such cells.

    It shows `text`, and `sign` at its end; assistive technology reads `label`. `classes` are some of inside, outside,
    none, running and queued.
    """
    values = {"sets": sets, "value": value, "pressed": pressed, "text": text, "sign": sign, "classes": classes}
    return _control("cell", f"{sets}:{value}", label, tip, **values)
