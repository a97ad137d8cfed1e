"""Closing of parts, so that nothing of a widget stays in the registry of all widgets."""

from __future__ import annotations

from typing import Any


def close_parts(widget: Any) -> None:
    """Close what belongs to a widget: its children with all of theirs, its layout and its style.

    ipywidgets leaves them open, and so in memory.

    Examples
    --------
    >>> import ipywidgets
    >>> box = ipywidgets.VBox([ipywidgets.Button()])
    >>> close_parts(box)
    >>> box.children[0].comm, box.children[0].style.comm
    (None, None)
    """
    for child in getattr(widget, "children", ()):
        child.close()
        close_parts(child)
    for own in ("layout", "style"):
        if (part := getattr(widget, own, None)) is not None:
            part.close()
