"""Picture of a graph beside the details of the selection: how the page of a `NetworkGraph` is shown."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from bnlab.widgets.base.parts import column, row, show_part
from bnlab.widgets.graph.inspector import NodeInspector
from bnlab.widgets.graph.page import Page
from bnlab.widgets.graph.state import State
from bnlab.widgets.graph.view import GraphView, renamed_places

AROUND = 74  # pixels of the view above and below its picture
PICTURE, DETAILS = "1000 1 460px", "1 1 404px"


class GraphDisplay:
    """Picture and inspector side by side, in `box`.

    Parameters
    ----------
    height : int
        Pixels.

    Attributes
    ----------
    is_showing : bool
        Whether what changes in the picture comes from `show`, not from the user.
    """

    def __init__(self, height: int) -> None:
        self.view, self.inspector = GraphView(height=height), NodeInspector(height=height + AROUND)
        self._beside = column(DETAILS, self.inspector)
        self.box = row(column(PICTURE, self.view), self._beside)
        self.is_showing = False
        self._shown: Page | None = None
        self._whole, self._focused = self.view.places, False

    def show(self, page: Page, state: State) -> None:
        """Show the page of a state; the graph is drawn again only if its drawing differs."""
        view, inspector, before = self.view, self.inspector, self._shown
        self.is_showing = True
        try:
            with view.hold_sync(), inspector.hold_sync():
                if before is None or before["data"] != page["data"] or before["layout"] != page["layout"]:
                    self._draw(page, before, state)
                view.selected, view.selected_edge = page["selected"], page["selected_edge"]
                for name in ("highlight", "editable", "toolbar", "invitation", "status", "tried"):
                    view.set_trait(name, page[name])
                inspector.content, inspector.scores = page["details"], page["scores"]
            show_part(self._beside, page["beside"])
            self._shown = page
        finally:
            self.is_showing = False

    def _draw(self, page: Page, before: Page | None, state: State) -> None:
        """Draw the graph. The whole graph has its places again after a part of it was drawn."""
        view, data, old = self.view, page["data"], None if before is None else before["data"]
        names = None if old is None else renamed(old.graph.names, data.graph.names, state.session.names)
        if names is not None:
            view.places, self._whole = (renamed_places(places, *names) for places in (view.places, self._whole))
        parted = old is not None and old.graph.names != data.graph.names and names is None
        part = state.focus
        if part and not self._focused:
            self._whole = view.places
        if self._focused and not part:
            view.places = self._whole
        other = before is not None and before["layout"] != page["layout"]
        bars = old is not None and bool(old.bars) != bool(data.bars) and not view.positions
        view.show(data, relayout=other or bars or (bool(part) and parted))
        self._focused = bool(part)
        if parted:
            view.send({"type": "fit"})

    def marimo_html(self) -> Any:
        """Picture and details in marimo, which shows widgets, but not boxes of them."""
        import marimo  # type: ignore[import-not-found]

        parts = ((PICTURE, self.view), (DETAILS, self.inspector))
        shown = (f'<div style="flex: {flex}; min-width: 0">{marimo.as_html(part).text}</div>' for flex, part in parts)
        return marimo.Html(f'<div style="display: flex; flex-flow: row wrap; gap: 6px 12px">{"".join(shown)}</div>')


def renamed(before: Sequence[str], after: Sequence[str], names: Sequence[str]) -> tuple[str, str] | None:
    """Old and new name, if one drawn name differs and the old one is no longer among all names; otherwise None."""
    differ = [pair for pair in zip(before, after, strict=False) if pair[0] != pair[1]]
    is_one = len(before) == len(after) and len(differ) == 1 and differ[0][0] not in names
    return differ[0] if is_one else None
