"""Parts of widgets that consist of several others, and how they are arranged."""

from __future__ import annotations

from contextlib import suppress

import ipywidgets

from bnlab.widgets.base.controls import Control, Controls, message
from bnlab.widgets.base.core import Stateful, error_text
from bnlab.widgets.base.pure import Told


class Composite(Stateful):
    """Column of widgets, among them controls. Its state has a `status`, which shows errors by the message `Told`."""

    controls: Controls
    """Controls, whose values and messages code can read."""

    def _tell(self, what: str, error: Exception) -> None:
        with suppress(Exception):  # of an observer; the controls show the error all the same
            self.dispatch(Told(f"{what or 'Not done'}: {error_text(error)}"))
        self.controls.restore()


def status_message(text: str, *, failed: bool) -> Control:
    """Status of a widget, which screen readers speak."""
    return message("status", text, "alert" if failed else "status")


def html_line() -> ipywidgets.HTML:
    """HTML part as wide as the panel, with the fonts and tables of the controls; it scrolls if its content is wider."""
    # With side margins, the part would be wider than the panel, which would then scroll.
    part = ipywidgets.HTML(layout={"overflow": "auto", "width": "100%", "margin": "2px 0"})
    part.add_class("bnlab-html")
    return part


def column(flex: str, *parts: ipywidgets.DOMWidget) -> ipywidgets.VBox:
    """Column of a `row`; `flex` is a value of the CSS property flex."""
    return ipywidgets.VBox(parts, layout={"flex": flex, "min_width": "0", "max_width": "100%"})


def row(*columns: ipywidgets.DOMWidget) -> ipywidgets.Box:
    """Columns side by side; they wrap if there is no room."""
    shape = {"flex_flow": "row wrap", "width": "100%", "overflow": "hidden", "align_items": "flex-start"}
    return ipywidgets.Box(columns, layout={**shape, "grid_gap": "6px 12px"})


def show_part(part: ipywidgets.DOMWidget, shown: bool) -> None:
    """Show or hide a part."""
    part.layout.display = None if shown else "none"
