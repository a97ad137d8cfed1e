"""Code with a button that copies it."""
# mypy: allow-untyped-decorators

from __future__ import annotations

import traitlets

from bnlab.widgets.base.page_file import page_file
from bnlab.widgets.base.page_widget import PageWidget


class BoardCode(PageWidget):
    """Python that does again what a board shows.

    Examples
    --------
    >>> BoardCode(code="1 + 1")
    BoardCode('1 + 1')
    """

    _esm = page_file("base/problem.js", "board/code.js")
    _css = page_file("board/code.css")

    code = traitlets.Unicode().tag(sync=True)

    def __repr__(self) -> str:
        """The code."""
        return f"BoardCode({self.code!r})"
