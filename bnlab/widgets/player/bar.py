"""Controls of a player and a table of its runs; the player does what they ask for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import traitlets

from bnlab.widgets.base.page_widget import PageWidget, page_file

SPEEDS = (0.0, 1.0, 2.0, 5.0, 10.0, 30.0, 100.0)


class PlayerBar(PageWidget):
    """Controls of a player.

    What is pressed arrives at `on_msg` as ``{"type": "play" | "pause" | "step" | "stop" | "reset"}``.

    Examples
    --------
    >>> bar = PlayerBar(["chen"])
    >>> bar
    PlayerBar(Ready.)
    """

    _esm = page_file("base/problem.js", "base/elements.js", "base/controls.js", "player/bar.js")
    _css = page_file("base/controls.css", "player/bar.css")

    playing = traitlets.Bool(False).tag(sync=True)
    """Whether the search is running."""
    finished = traitlets.Bool(False).tag(sync=True)
    """Whether there is nothing left to run."""
    speed = traitlets.Float(0.0, min=0.0).tag(sync=True)
    """Steps per second; 0 for as fast as it goes."""
    speeds = traitlets.List(traitlets.Float(), list(SPEEDS)).tag(sync=True)
    """Speeds to choose from."""
    seed = traitlets.Int(None, allow_none=True, min=0).tag(sync=True)
    """Seed of the next "Reset"; None where seeds cannot be chosen."""
    runs = traitlets.List(traitlets.Dict()).tag(sync=True)
    """A row each: name, colour, glyph, iteration, best, gap, seconds, done, total, unit, left; None for the unknown."""
    run = traitlets.Unicode("").tag(sync=True)
    """Run whose graph and policies are shown."""
    keep = traitlets.Bool(False).tag(sync=True)
    """Whether "Reset" keeps the curves of earlier runs."""
    compare = traitlets.Bool(None, allow_none=True).tag(sync=True)
    """Whether edges are marked by comparison with the true network; None where there is none."""
    status = traitlets.Unicode("Ready.").tag(sync=True)
    """Last message; screen readers speak it."""
    failed = traitlets.Bool(False).tag(sync=True)
    """Whether the status is an error."""

    def __init__(self, names: Sequence[str] = (), **options: Any) -> None:
        super().__init__(run=names[0] if names else "", **options)

    def __repr__(self) -> str:
        """The status."""
        return f"PlayerBar({self.status})"
