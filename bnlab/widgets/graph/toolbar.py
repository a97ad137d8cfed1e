"""A row of controls above a graph: Python says which there are and how they stand, the page asks for changes."""
# mypy: allow-untyped-decorators

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import traitlets

from bnlab.widgets.base.page_file import page_file
from bnlab.widgets.base.page_widget import PageWidget


class GraphToolbar(PageWidget):
    """Toggles, choices and buttons.

    A change in the page arrives as the message ``{"type": "control", "id": ..., "value": ...}``.

    Examples
    --------
    >>> toolbar = GraphToolbar(controls=[toggle("essential", "Essential graph", False)])
    >>> toolbar.controls[0]["kind"]
    'toggle'
    """

    _esm = page_file("base/problem.js", "graph/toolbar.js")
    _css = page_file("graph/toolbar.css")

    controls = traitlets.List(traitlets.Dict()).tag(sync=True)
    """From left to right; see `toggle`, `choice`, `button` and `menu`."""

    def offer(self, name: str, text: str, mime: str) -> None:
        """Have the page save a file."""
        self.send({"type": "file", "name": name, "text": text, "mime": mime})

    def __repr__(self) -> str:
        """Labels of the controls."""
        return f"GraphToolbar({', '.join(control['label'] for control in self.controls)})"


def toggle(id: str, label: str, value: bool, tip: str = "", *, enabled: bool = True) -> dict[str, Any]:
    """Button that stays pressed."""
    return {"kind": "toggle", "id": id, "label": label, "value": value, "tip": tip, "enabled": enabled}


def choice(
    id: str, label: str, value: str, options: Sequence[tuple[str, str]], tip: str = "", *, enabled: bool = True
) -> dict[str, Any]:
    """List of which one (label, value) is chosen."""
    listed = [list(option) for option in options]
    return {
        "kind": "choice",
        "id": id,
        "label": label,
        "value": value,
        "options": listed,
        "tip": tip,
        "enabled": enabled,
    }


def button(id: str, label: str, tip: str = "", *, enabled: bool = True) -> dict[str, Any]:
    """Button that acts."""
    return {"kind": "button", "id": id, "label": label, "tip": tip, "enabled": enabled}


def menu(id: str, label: str, options: Sequence[tuple[str, str]], tip: str = "") -> dict[str, Any]:
    """List of actions (label, value)."""
    listed = [list(option) for option in options]
    return {"kind": "menu", "id": id, "label": label, "options": listed, "tip": tip, "enabled": True}
