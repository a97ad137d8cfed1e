"""Legend of a score panel: one button a network, in its colour and shape, that shows or hides it."""
# mypy: allow-untyped-decorators

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import traitlets

from bnlab.figures.plotly_svg.paint import SHAPES, dashes
from bnlab.figures.scores.ess import DASHES
from bnlab.figures.svg import number
from bnlab.figures.theme import colour, symbol
from bnlab.widgets.base.page_file import page_file
from bnlab.widgets.base.page_widget import PageWidget

RADIUS = 5.0


class ScoreLegend(PageWidget):
    """Networks with their markers; those that are shown are pressed, the best has a star.

    A click in the page arrives as the message ``{"type": "toggle", "name": ...}``.

    Parameters
    ----------
    networks : sequence of str

    Examples
    --------
    >>> legend = ScoreLegend(["true", "tree"])
    >>> legend.selected = ["tree"]
    >>> legend
    ScoreLegend(tree)
    """

    _esm = page_file("base/problem.js", "base/elements.js", "scores/legend.js")
    _css = page_file("scores/legend.css")

    networks = traitlets.List(traitlets.Dict()).tag(sync=True)
    """Name, colour, dash (as in SVG, or None) and corners of the marker of each."""
    selected = traitlets.List(traitlets.Unicode()).tag(sync=True)
    """Names of those that are shown."""
    best = traitlets.List(traitlets.Unicode()).tag(sync=True)
    """Names of the best of them."""

    def __init__(self, networks: Sequence[str]) -> None:
        super().__init__(networks=[_key(i, name) for i, name in enumerate(networks)], selected=list(networks))

    def __repr__(self) -> str:
        """Names of the networks that are shown."""
        return f"ScoreLegend({', '.join(self.selected)})"


def _key(i: int, name: str) -> dict[str, Any]:
    corners = SHAPES[symbol(i)] * RADIUS
    points = " ".join(f"{number(c.real)},{number(c.imag)}" for c in corners)
    return {"name": name, "colour": colour(i), "dash": dashes(DASHES[i % len(DASHES)], 2), "points": points}
