"""What the page of a score panel shows."""

from __future__ import annotations

from functools import cache
from html import escape
from typing import TypedDict
from urllib.parse import quote

from bnlab.figures.plotly_svg.paint import SHAPES, dashes
from bnlab.figures.scores.symlog import DASHES
from bnlab.figures.svg import element, number
from bnlab.figures.theme import colour, symbol
from bnlab.widgets.scores.content import BEST_MARK, Drawn, kind
from bnlab.widgets.scores.update import State

STEP = 0.05
ALPHA_RANGE = (0.5, 0.999)
FEWEST_ROWS = 10
RADIUS = 5.0
EMPTY: Drawn = {"figure": {"data": [], "layout": {}}, "description": ""}


class Slider(TypedDict):
    """Slider of a public field."""

    name: str
    label: str
    tip: str
    value: float
    min: float
    max: float
    step: float
    log: bool
    enabled: bool


class Choice(TypedDict):
    """List of values of a public field."""

    name: str
    label: str
    tip: str
    value: str | None
    options: list[tuple[str | None, str]]


class Network(TypedDict):
    """Button of a network."""

    name: str
    label: str
    tip: str
    picture: str
    value: bool


class Button(TypedDict):
    """A button."""

    label: str
    tip: str
    enabled: bool


class Page(TypedDict):
    """What the page shows."""

    sliders: list[Slider]
    lists: list[Choice]
    networks: list[Network]
    optimum: Button
    search: str | None
    distance: str
    status: str
    sentence: str
    tables: str
    ess: Drawn
    scores: Drawn
    nodes: Drawn
    rows: Drawn


def page(state: State) -> Page:
    """What the page shows."""
    parts = state.parts
    return {
        "sliders": sliders(state),
        "lists": lists(state),
        "networks": networks(state),
        "optimum": {
            "label": "Distance to the optimum",
            "tip": "Exact search, for up to a minute: how far the networks shown are from the best one of this score",
            "enabled": state.search is None,
        },
        "search": state.search,
        "distance": distance(state),
        "status": "Computing …" if state.computing else "",
        "sentence": parts.get("sentence", ""),
        "tables": parts.get("tables", ""),
        "ess": parts.get("ess", EMPTY),
        "scores": parts.get("scores", EMPTY),
        "nodes": parts.get("nodes", EMPTY),
        "rows": parts.get("rows", EMPTY),
    }


def sliders(state: State) -> list[Slider]:
    """Sliders; a range grows to include a value outside it."""
    sizes, (low, high) = state.content.scores.sizes, state.content.ess_range(state.settings)
    return [
        {
            "name": "ess",
            "label": "ESS",
            "tip": "Equivalent sample size of BDeu and BDe: weight of the prior, in rows",
            "value": state.ess,
            "min": 10.0**low,
            "max": 10.0**high,
            "step": STEP,
            "log": True,
            "enabled": True,
        },
        {
            "name": "alpha",
            "label": "Alpha",
            "tip": "Confidence level of the tests in MIT",
            "value": state.alpha,
            "min": min(ALPHA_RANGE[0], state.alpha),
            "max": max(ALPHA_RANGE[1], state.alpha),
            "step": 0.001,
            "log": False,
            "enabled": True,
        },
        {
            "name": "n_rows",
            "label": "Rows",
            "tip": "Number of first rows that are scored",
            "value": state.n_rows,
            "min": min(FEWEST_ROWS, state.n_rows),
            "max": sizes[-1],
            "step": STEP,
            "log": True,
            "enabled": len(sizes) > 1,
        },
    ]


def lists(state: State) -> list[Choice]:
    """Lists of values."""
    scores = state.content.scores.all
    others: list[tuple[str | None, str]] = [(name, name) for name in state.content.networks]
    nodes: list[tuple[str | None, str]] = [(name, name) for name in scores.nodes]
    return [
        {
            "name": "reference",
            "label": "Difference from",
            "tip": "Network that scores are compared with",
            "value": state.reference,
            "options": [(None, "The best network"), *others],
        },
        {
            "name": "score",
            "label": "Score",
            "tip": "Score of the nodes, of the sample size chart and of the summary; a click on its row does the same",
            "value": state.score,
            "options": [(score, kind(score)) for score in scores.scores],
        },
        {
            "name": "hovered",
            "label": "Node",
            "tip": "Node to highlight here and in linked graphs",
            "value": state.hovered,
            "options": [(None, "None"), *nodes],
        },
    ]


def networks(state: State) -> list[Network]:
    """Buttons of the networks; the best ones have a star."""
    best = state.parts.get("best", ())
    return [
        {
            "name": name,
            "label": f"{name} {BEST_MARK}" if name in best else name,
            "tip": f"Show or hide {name}",
            "picture": marker(i),
            "value": name in state.selected,
        }
        for i, name in enumerate(state.content.networks)
    ]


def distance(state: State) -> str:
    """Sentence about the distances of the shown networks from the optimum; "" if they are unknown."""
    found = state.optima.get(state.question)
    return "" if found is None else state.content.gap_sentence(found, state.settings)


def still(state: State) -> str:
    """The panel without a kernel, as HTML: summary, pictures and tables."""
    far = distance(state)
    return f"{state.content.still(state.settings)}{f'<p>{escape(far)}</p>' if far else ''}"


@cache
def marker(i: int) -> str:
    """Data URL of a picture of the line and the marker of the i-th network."""
    corners = SHAPES[symbol(i)] * RADIUS
    points = " ".join(f"{number(c.real)},{number(c.imag)}" for c in corners)
    dash = dashes(DASHES[i % len(DASHES)], 2)
    line = element("line", x1=-16, x2=16, stroke=colour(i), stroke_width=2, stroke_dasharray=dash)
    size = {"viewBox": "-16 -8 32 16", "width": 32, "height": 16}
    svg = element(
        "svg", line, element("polygon", points=points, fill=colour(i)), **size, xmlns="http://www.w3.org/2000/svg"
    )
    return f"data:image/svg+xml,{quote(svg)}"
