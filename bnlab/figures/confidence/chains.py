"""Markov chains that sampled graphs: their scores, and whether they agree (split R-hat)."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from bnlab.figures.labels import capitalised, plain
from bnlab.figures.searches.convergence import NATS
from bnlab.figures.searches.curve import thinned
from bnlab.figures.theme import (
    GREY,
    INK,
    SMALL,
    VERMILLION,
    Chart,
    as_figure,
    chart_layout,
    colour,
    hover,
    scatter,
    translucent,
)
from bnlab.graphs.confidence import EdgeConfidence

CONVERGED = 1.05
"""Split R-hat below which chains are considered to agree."""
MOST_POINTS = 600
HEIGHT = 480


class ChainsData(NamedTuple):
    """Scores and convergence of chains.

    Attributes
    ----------
    scores : DataFrame with columns chain, draw, score, kept
        One row per draw; draws of the burn-in are not kept.
    r_hat : DataFrame with columns draw, r_hat
        Greatest split R-hat of an edge, from the draws after the burn-in up to this one.
    """

    scores: pd.DataFrame
    r_hat: pd.DataFrame


def chains_data(confidence: EdgeConfidence) -> ChainsData:
    """Scores and R-hat of sampled graphs as tables.

    Raises
    ------
    ValueError
        If no graphs were sampled by chains.

    Examples
    --------
    >>> import bnlab
    >>> data = bnlab.load_network("cancer").sample(500, seed=1)
    >>> found = chains_data(bnlab.edge_probabilities(data, "mcmc", draws=40, chains=2))
    >>> found.scores.groupby(["chain", "kept"]).size().tolist(), found.r_hat.columns.tolist()
    ([20, 40, 20, 40], ['draw', 'r_hat'])
    """
    chains = confidence.chains
    if chains is None:
        raise ValueError(
            f"method={confidence.method!r} runs no Markov chains: use bnlab.edge_probabilities(..., method='mcmc')."
        )
    number, draws = chains.scores.shape
    draw = np.tile(np.arange(1, draws + 1), number)
    chain = np.repeat(np.arange(1, number + 1), draws)
    scores = {"chain": chain, "draw": draw, "score": chains.scores.ravel(), "kept": draw > chains.burn_in}
    return ChainsData(
        pd.DataFrame(scores), pd.DataFrame({"draw": chains.burn_in + chains.draws, "r_hat": chains.r_hat})
    )


def chains_json(confidence: EdgeConfidence, *, title: str = "Chains") -> Chart:
    """Draw the scores of the sampled graphs, one line per chain, above the greatest split R-hat of an edge.

    Chains that agree overlap after the burn-in, which has a grey background, and R-hat falls below 1.05.

    Parameters
    ----------
    confidence : EdgeConfidence
        Of ``method="mcmc"``; see `chains_data`.
    title : str

    Raises
    ------
    ValueError
        If no graphs were sampled by chains.
    """
    data = chains_data(confidence)
    traces: list[dict[str, Any]] = []
    for k, (chain, own) in enumerate(data.scores.groupby("chain")):
        kept = own.iloc[thinned(own.score.to_numpy(), MOST_POINTS)]
        words = hover(f"Chain {chain}, draw %{{x:,}}<br>Score %{{y:,.2f}}")
        look = {"line": {"width": 1.1, "color": colour(k)}, "opacity": 0.75, "name": f"Chain {chain}"}
        traces.append(scatter("lines", kept.draw.tolist(), kept.score.tolist(), **look, **words, showlegend=True))
    words = hover("Draw %{x:,}<br>Greatest split R-hat %{y:.4f}")
    line = {"line": {"width": 2, "color": INK}, "marker": {"size": 5, "color": INK}, "name": "Split R-hat"}
    course = scatter("lines+markers", data.r_hat.draw.tolist(), data.r_hat.r_hat.tolist(), **line, **words)
    traces.append(course | {"yaxis": "y2", "showlegend": False})
    draws = int(data.scores.draw.max()) if len(data.scores) else 1
    burn_in = int((~data.scores.kept).sum()) // max(data.scores.chain.nunique(), 1)
    ground = {"fillcolor": translucent(GREY, 0.15), "line": {"width": 0}, "layer": "below"}
    box = {"type": "rect", "xref": "x", "yref": "paper", "x0": 0, "x1": burn_in, "y0": 0, "y1": 1} | ground
    limit = {"type": "line", "xref": "paper", "x0": 0, "x1": 1, "yref": "y2", "y0": CONVERGED, "y1": CONVERGED}
    limit |= {"line": {"width": 1.4, "color": VERMILLION, "dash": "dash"}}
    note = {"xref": "x", "x": 0, "xanchor": "left", "yref": "paper", "y": 1, "yanchor": "bottom", "showarrow": False}
    kept_scores = data.scores.score[data.scores.kept if data.scores.kept.any() else slice(None)]
    low, high = (float(kept_scores.min()), float(data.scores.score.max())) if len(data.scores) else (0.0, 1.0)
    room = 0.1 * (high - low) or 1.0  # annealing begins with far lower scores, which would leave no room for those kept
    top = float(data.r_hat.r_hat.max()) if len(data.r_hat) else CONVERGED
    number = {"exponentformat": "none", "separatethousands": True}
    layout = chart_layout(plain(title), HEIGHT - 150, above=100, legend=True) | {
        "xaxis": {"title": {"text": "Draw"}, "range": [0, draws], "anchor": "y2", "separatethousands": True},
        "yaxis": {
            "title": {"text": capitalised(NATS)},
            "domain": [0.42, 1.0],
            "range": [low - 3 * room, high + room],
            **number,
        },
        "yaxis2": {
            "title": {"text": "Split R-hat"},
            "domain": [0.0, 0.33],
            "anchor": "x",
            "range": [0.995, max(min(top, 2.0), CONVERGED) + 0.02],
        },
        "shapes": [box, limit],
        "annotations": [note | {"text": "Burn-in", "font": {"size": SMALL}}] if burn_in else [],
    }
    return {"data": traces, "layout": layout}


chains_figure = as_figure("chains_figure", chains_json)
