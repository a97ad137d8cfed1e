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
from bnlab.widgets.base.controls import Control, Lines, button, message, named, progress, select, slider, toggle
from bnlab.widgets.base.parts import status_message
from bnlab.widgets.scores.content import BEST_MARK, CHARTS, Chart, Drawn, kind
from bnlab.widgets.scores.update import State

STEP = 0.05
ALPHA_RANGE = (0.5, 0.999)
FEWEST_ROWS = 10
RADIUS = 5.0
EMPTY: Drawn = {"figure": {"data": [], "layout": {}}, "description": ""}


class Page(TypedDict):
    """What the page shows."""

    controls: Lines
    sentence: str
    tables: str
    charts: dict[Chart, Drawn]


def page(state: State) -> Page:
    """What the page shows."""
    parts = state.parts
    charts = {name: parts.get(name, EMPTY) for name in CHARTS}
    return {
        "controls": lines(state),
        "sentence": parts.get("sentence", ""),
        "tables": parts.get("tables", ""),
        "charts": charts,
    }


def lines(state: State) -> Lines:
    """Controls of the settings, the networks and the exact search, and the status."""
    tip = "Exact search, for up to a minute: how far the networks shown are from the best one of this score"
    search = [button("optimum", "Distance to the optimum", tip, enabled=state.search is None)]
    if state.search is not None:
        search.append(button("stop", "Stop", "Stop the exact search; the bound so far stays"))
        search.append(progress("search", "Progress of the exact search", None, state.search))
    words = "Computing …" if state.computing else ""
    status = status_message(state.status or words, failed=state.failed)
    return [
        sliders(state),
        lists(state),
        networks(state),
        search,
        [message("distance", distance(state), "status")],
        [status],
    ]


def sliders(state: State) -> list[Control]:
    """Sliders; a range grows to include a value outside it."""
    sizes, (low, high) = state.content.scores.sizes, state.content.ess_range(state.settings)
    tip = "Equivalent sample size of BDeu and BDe: weight of the prior, in rows"
    ess = slider("ess", "ESS", state.ess, tip, least=10.0**low, most=10.0**high, step=STEP, log=True)
    ends = min(ALPHA_RANGE[0], state.alpha), max(ALPHA_RANGE[1], state.alpha)
    tip = "Confidence level of the tests in MIT"
    alpha = slider("alpha", "Alpha", state.alpha, tip, least=ends[0], most=ends[1], step=0.001)
    tip, least = "Number of first rows that are scored", min(FEWEST_ROWS, state.n_rows)
    rows = slider("n_rows", "Rows", state.n_rows, tip, least=least, most=sizes[-1], step=STEP, log=True)
    return [ess, alpha, {**rows, "enabled": len(sizes) > 1}]


def lists(state: State) -> list[Control]:
    """Lists of values."""
    scores = state.content.scores.all
    networks = [(None, "The best network"), *named(state.content.networks)]
    kinds = [(score, kind(score)) for score in scores.scores]
    tip = "Score of the nodes, of the sample size chart and of the summary; a click on its row does the same"
    return [
        select("reference", "Difference from", state.reference, networks, "Network that scores are compared with"),
        select("score", "Score", state.score, kinds, tip),
        select(
            "hovered",
            "Node",
            state.hovered,
            [(None, "None"), *named(scores.nodes)],
            "Node to highlight here and in linked graphs",
        ),
    ]


def networks(state: State) -> list[Control]:
    """Buttons of the networks; the best ones have a star."""
    best, made = state.parts.get("best", ()), []
    for i, name in enumerate(state.content.networks):
        label = f"{name} {BEST_MARK}" if name in best else name
        made.append(toggle(f"network {i}", label, name in state.selected, f"Show or hide {name}", picture=marker(i)))
    return made


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
