"""Table of an experiment board: a row a group, a column an item, with cells to select by click or keys."""
# mypy: allow-untyped-decorators

from __future__ import annotations

import traitlets

from bnlab.graphs.dag import counted
from bnlab.widgets.base.page_file import page_file
from bnlab.widgets.base.page_widget import PageWidget


class BoardTable(PageWidget):
    """Cells with reported and reproduced numbers; arrow keys move between cells, Enter selects.

    Examples
    --------
    >>> cell = {"item": "LL", "text": "78.5", "mark": "inside", "note": "", "state": ""}
    >>> table = BoardTable(columns=["LL"], rows=[{"group": "letter", "title": "", "cells": [cell]}])
    >>> table
    BoardTable(1 row, 1 column)
    """

    _esm = page_file("base/problem.js", "base/elements.js", "board/table.js")
    _css = page_file("base/panel.css", "board/table.css")

    corner = traitlets.Unicode().tag(sync=True)
    """What the rows are."""
    columns = traitlets.List(traitlets.Unicode()).tag(sync=True)
    rows = traitlets.List(traitlets.Dict()).tag(sync=True)
    """A row each: group, title, and cells (None, or item, text, mark, note, state), one a column."""
    selected = traitlets.List(traitlets.Unicode(), default_value=None, allow_none=True).tag(sync=True)
    """Selected cell as [group, item]."""
    shown = traitlets.Bool(True).tag(sync=True)
    """Whether the table is visible; its width is measured in any case."""
    room = traitlets.Int(0).tag(sync=True)
    """Width in pixels; 0 before it is known."""
    description = traitlets.Unicode().tag(sync=True)
    """Text alternative."""

    def __repr__(self) -> str:
        """Size."""
        return f"BoardTable({counted(len(self.rows), 'row')}, {counted(len(self.columns), 'column')})"
