"""What learners of skeletons are called in figures, in which order, and how panels of networks are laid out."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from bnlab.figures.labels import plain
from bnlab.figures.theme import PALETTE, SYMBOLS, TEMPLATE

if TYPE_CHECKING:
    import plotly.graph_objects as go

# Villanueva and Maciel 2012, section 4.
ALGORITHM_LABELS = {"opthpc": "OptHPC", "hpc": "HPC", "mmpc": "MMPC", "getpc": "GetPC", "heupc": "HeuPC"}

_ABREAST = 2
_PANEL = 330


def algorithm_label(name: str) -> str:
    """Name of a learner as figures print it; an unknown one stays as it is.

    Examples
    --------
    >>> algorithm_label("opthpc"), algorithm_label("mine")
    ('OptHPC', 'mine')
    """
    return ALGORITHM_LABELS.get(name, name)


def algorithms_in_order(labels: Iterable[str]) -> list[str]:
    """Distinct labels, those of the paper first, in its order."""
    distinct = list(dict.fromkeys(labels))
    known = list(ALGORITHM_LABELS.values())
    return [label for label in known if label in distinct] + [label for label in distinct if label not in known]


def algorithm_style(label: str) -> tuple[str, str]:
    """Colour and marker shape of a learner, the same in every figure."""
    known = list(ALGORITHM_LABELS.values())
    i = known.index(label) if label in known else sum(map(ord, label))
    return PALETTE[i % len(PALETTE)], SYMBOLS[i % len(SYMBOLS)]


def algorithm_dash(label: str) -> str:
    """Dash of a learner's curve: GetPC's lies on MMPC's nearly everywhere, and lets it shine through."""
    return "6px,5px" if label == "GetPC" else "solid"


def network_panels(names: list[str], title: str, subtitle: str) -> tuple[go.Figure, dict[str, tuple[int, int]]]:
    """Empty panels, two abreast, one a network, with a legend above them.

    Returns
    -------
    figure : plotly.graph_objects.Figure
    places : dict of str to (int, int)
        Row and column of each panel, from 1.
    """
    from plotly.subplots import make_subplots

    columns = min(_ABREAST, len(names))
    rows = -(-len(names) // columns)
    height = rows * _PANEL + 150
    figure = make_subplots(
        rows=rows,
        cols=columns,
        subplot_titles=[plain(name) for name in names],
        horizontal_spacing=0.09,
        vertical_spacing=84 / height,
    )
    figure.update_layout(
        template=TEMPLATE,
        title={"text": plain(title), "subtitle": {"text": subtitle, "font": {"size": 12}}},
        height=height,
        margin={"t": 136, "r": 12},
        hovermode="closest",
        legend={"orientation": "h", "x": 0, "xanchor": "left", "yref": "container", "yanchor": "top"},
    )
    figure.update_layout(legend={"y": 1 - 66 / height})
    figure.update_annotations(font={"size": 13}, yshift=2)
    return figure, {name: (i // columns + 1, i % columns + 1) for i, name in enumerate(names)}
