"""Sliders and lists of a score panel."""

from __future__ import annotations

from bnlab.widgets.base.controls import Lines, select, slider
from bnlab.widgets.scores.content import ScoreContent, Settings, kind

STEP = 0.05
ALPHA_RANGE = (0.5, 0.999)
FEWEST_ROWS = 10
BEST = "the best network"
NOBODY = "none"


def score_lines(content: ScoreContent, settings: Settings) -> Lines:
    """Controls at these settings; each has the name of its trait. A range grows when a value is outside."""
    scores = content.scores
    low, high = content.ess_range(settings)
    n_rows = scores.sizes[-1]
    return [
        [
            slider(
                "ess",
                "ess",
                settings.ess,
                "Equivalent sample size of BDeu and BDe: weight of the prior, in rows",
                least=10.0**low,
                most=10.0**high,
                step=STEP,
                log=True,
            ),
            slider(
                "alpha",
                "alpha",
                settings.alpha,
                "Confidence level of the tests in MIT",
                least=min(ALPHA_RANGE[0], settings.alpha),
                most=max(ALPHA_RANGE[1], settings.alpha),
                step=0.001,
            ),
            slider(
                "n_rows",
                "rows",
                settings.n_rows,
                "Number of first rows that are scored",
                least=min(FEWEST_ROWS, settings.n_rows),
                most=n_rows,
                step=STEP,
                log=True,
                enabled=len(scores.sizes) > 1,
            ),
        ],
        [
            select(
                "reference",
                "difference from",
                settings.reference,
                [(None, BEST), *((name, name) for name in content.networks)],
                "Network that scores are compared with",
            ),
            select(
                "score",
                "score",
                settings.score,
                [(score, kind(score)) for score in scores.all.scores],
                "Score of the nodes, of the sample size chart and of the summary; a click on its row does the same",
            ),
            select(
                "hovered",
                "node",
                settings.hovered,
                [(None, NOBODY), *((node, node) for node in scores.all.nodes)],
                "Node to highlight here and in linked graphs",
            ),
        ],
    ]
