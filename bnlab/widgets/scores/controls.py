"""Controls of a score panel."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any
from urllib.parse import quote

from bnlab.figures.plotly_svg.paint import SHAPES, dashes
from bnlab.figures.scores.symlog import DASHES
from bnlab.figures.svg import element, number
from bnlab.figures.theme import colour, symbol
from bnlab.widgets.base.controls import Lines, Options, button, named, progress, select, slider, toggle
from bnlab.widgets.scores.content import BEST_MARK, ScoreContent, Settings, kind

STEP = 0.05
ALPHA_RANGE = (0.5, 0.999)
FEWEST_ROWS = 10
RADIUS = 5.0
SHOW = "show:"
"""Beginning of the id of a network's button."""
TIPS = {
    "ess": "Equivalent sample size of BDeu and BDe: weight of the prior, in rows",
    "alpha": "Confidence level of the tests in MIT",
    "n_rows": "Number of first rows that are scored",
    "reference": "Network that scores are compared with",
    "score": "Score of the nodes, of the sample size chart and of the summary; a click on its row does the same",
    "hovered": "Node to highlight here and in linked graphs",
    "optimum": "Exact search, for up to a minute: how far the networks shown are from the best one under this score",
}


def score_lines(
    content: ScoreContent, settings: Settings, best: Collection[str], searching: str | None = None
) -> Lines:
    """Controls for these settings; their ids are the names of the traits.

    Ranges grow to include values outside them. The `best` networks get a star. `searching` is the progress of an exact
    search, or None if none is running.
    """
    scores, (low, high), (ess, alpha, n_rows, *_) = content.scores, content.ess_range(settings), settings
    alphas: dict[str, Any] = {"least": min(ALPHA_RANGE[0], alpha), "most": max(ALPHA_RANGE[1], alpha)}
    sizes: dict[str, Any] = {
        "least": min(FEWEST_ROWS, n_rows),
        "most": scores.sizes[-1],
        "enabled": len(scores.sizes) > 1,
    }
    lists: dict[str, tuple[str, Options]] = {
        "reference": ("Difference from", [(None, "The best network"), *named(content.networks)]),
        "score": ("Score", [(score, kind(score)) for score in scores.all.scores]),
        "hovered": ("Node", [(None, "None"), *named(scores.all.nodes)]),
    }
    return [
        [
            slider("ess", "ESS", ess, TIPS["ess"], least=10.0**low, most=10.0**high, step=STEP, log=True),
            slider("alpha", "Alpha", alpha, TIPS["alpha"], step=0.001, **alphas),
            slider("n_rows", "Rows", n_rows, TIPS["n_rows"], step=STEP, log=True, **sizes),
        ],
        [select(name, label, getattr(settings, name), options, TIPS[name]) for name, (label, options) in lists.items()],
        [
            toggle(
                *(f"{SHOW}{name}", f"{name} {BEST_MARK}" if name in best else name, name in settings.selected),
                f"Show or hide {name}",
                picture=_marker(i),
            )
            for i, name in enumerate(content.networks)
        ],
        [
            button("optimum", "Distance to the optimum", TIPS["optimum"], enabled=searching is None),
            *(
                []
                if searching is None
                else [
                    button("stop", "Stop", "Stop the exact search; the bound so far stays"),
                    progress("searching", "Progress of the exact search", None, searching),
                ]
            ),
        ],
    ]


def _marker(i: int) -> str:
    """Data URL of a picture of the line and the marker of a network."""
    corners = SHAPES[symbol(i)] * RADIUS
    points = " ".join(f"{number(c.real)},{number(c.imag)}" for c in corners)
    dash = dashes(DASHES[i % len(DASHES)], 2)
    line = element("line", x1=-16, x2=16, stroke=colour(i), stroke_width=2, stroke_dasharray=dash)
    size = {"viewBox": "-16 -8 32 16", "width": 32, "height": 16}
    svg = element(
        "svg", line, element("polygon", points=points, fill=colour(i)), **size, xmlns="http://www.w3.org/2000/svg"
    )
    return f"data:image/svg+xml,{quote(svg)}"
