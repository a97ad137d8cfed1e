"""Layout of networks over time: the slices side by side, the past on the left, static variables above."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bnlab.dynamic.names import split
from bnlab.figures.graphs import drawing
from bnlab.figures.graphs.layout import Layout
from bnlab.graphs.dag import GraphLike, as_dag
from bnlab.networks.network import BayesianNetwork

Floats = NDArray[np.float64]

BETWEEN, BELOW = 110.0, 34.0
"""Pixels between slices, and between the nodes of a slice."""


def slices_layout(graph: GraphLike, *, bars: bool = False) -> Layout:
    """Positions of the nodes of a transition or of an unrolled network, one column a slice.

    A variable has the same height in every slice. The second of two neighbours is moved to the right a little, so that
    edges within a slice do not hide each other.

    Parameters
    ----------
    graph : Dag, BayesianNetwork or what `bnlab.graphs.as_dag` takes
        With nodes such as ``bp[t-1]``, ``bp[t]`` or ``bp[0]``, ``bp[1]``; others are static. Slices are in the order in
        which their nodes come.
    bars : bool
        Whether the nodes of a BayesianNetwork show the probabilities of their states, for which they are larger.

    Returns
    -------
    Layout
        For `network_picture`, and for a widget, ``view.positions = dict(zip(names, layout.centres.tolist()))``.

    Raises
    ------
    ValueError
        If no node has a time.

    Examples
    --------
    >>> from bnlab.graphs import Dag
    >>> layout = slices_layout(Dag(["sex", "bp[t-1]", "bp[t]"], [(), (), (0, 1)]))
    >>> layout.centres.astype(int).tolist()
    [[145, 18], [30, 122], [230, 122]]
    """
    names = as_dag(graph).names
    if not any(map(split, names)):
        raise ValueError(f"no node of {', '.join(names)} has a time, as bp[t] has: network_layout arranges others.")
    shown: dict[str, Any] = (
        {v.name: {"states": v.states} for v in graph.variables} if bars and isinstance(graph, BayesianNetwork) else {}
    )
    return _columns(names, drawing.node_sizes(names, shown))


def transition_layout(names: Sequence[str], sizes: Floats) -> Layout | None:
    """Layout as by `slices_layout` of nodes of given widths and heights, shape (n, 2); None if it is no transition.

    Examples
    --------
    >>> transition_layout(["a", "b"], np.ones((2, 2))) is None
    True
    """
    times = {part[1] for part in map(split, names) if part is not None}
    return _columns(names, sizes) if times >= {"t-1", "t"} else None


def _columns(names: Sequence[str], sizes: Floats) -> Layout:
    """Positions of nodes of which some have a time, one column a slice."""
    parts = [split(name) for name in names]
    slices = list(dict.fromkeys(part[1] for part in parts if part is not None))
    rows = list(dict.fromkeys(part[0] for part in parts if part is not None))
    wide, tall = sizes.max(axis=0).tolist()
    static = [i for i, part in enumerate(parts) if part is None]
    top = (tall + 2 * BELOW) if static else 0.0
    shift = wide / 2
    width = len(slices) * (wide + shift) + (len(slices) - 1) * BETWEEN
    centres = np.zeros((len(names), 2))
    for i, part in enumerate(parts):
        if part is not None:
            column, row = slices.index(part[1]), rows.index(part[0])
            left = column * (wide + shift + BETWEEN) + shift * (row % 2)
            centres[i] = left + wide / 2, top + tall / 2 + row * (tall + BELOW)
    row_width = len(static) * wide + max(len(static) - 1, 0) * BELOW
    width = max(width, row_width)
    for place, i in enumerate(static):
        centres[i] = (width - row_width) / 2 + wide / 2 + place * (wide + BELOW), tall / 2
    return Layout(centres, sizes, {}, (width, top + len(rows) * tall + (len(rows) - 1) * BELOW))
