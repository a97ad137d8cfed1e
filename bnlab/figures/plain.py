"""HTML that a notebook shows when a graph, background knowledge, a comparison or a score is the value of a cell."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from bnlab.figures.graphs import drawing
from bnlab.figures.graphs.layout import NODE_HEIGHT, Layout
from bnlab.figures.graphs.network import network_picture
from bnlab.figures.picture import Picture
from bnlab.figures.table import html_table
from bnlab.graphs.comparison import Comparison
from bnlab.graphs.confidence import EdgeConfidence
from bnlab.graphs.dag import Dag, names_of
from bnlab.graphs.knowledge import Knowledge
from bnlab.scores.local import LocalScore
from bnlab.scores.make import SCORE_TABLE

DRAWN_NODES = 100
"""Maximum size of a graph that is drawn automatically; a larger one takes seconds and megabytes."""

LINE = 6
"""Maximum number of variables of a tier in one line."""

LISTED_RULES = 60
"""Maximum number of rules in the table of background knowledge, which counts the others."""

_MEASURES = {
    "shd_cpdag": "Structural Hamming distance of the essential graphs",
    "shd": "Structural Hamming distance",
    "reversed": "Edges reversed",
    "tp": "Edges in both",
    "fp": "Edges only in the learned graph",
    "fn": "Edges only in the true graph",
    "sn": "Sn = TP / (TP + FN), recall",
    "sp": "Sp = TP / (TP + FP), precision",
}

# Distances of `row_layout`: between nodes of a row, between rows, and between lines of one row.
ROW_GAP, ROW_STEP, LINE_STEP = 74.0, 90.0, 48.0


def graph_html(graph: Any) -> str | None:
    """Picture of a graph or network; None with more than `DRAWN_NODES` nodes, so that its text is shown."""
    return network_picture(graph).to_html() if len(names_of(graph) or ()) <= DRAWN_NODES else None


def confidence_html(confidence: EdgeConfidence) -> str | None:
    """Picture of the consensus network with the share of each edge; None with more than `DRAWN_NODES` nodes."""
    if len(confidence.names) > DRAWN_NODES:
        return None
    dag, place = confidence.consensus(), {name: i for i, name in enumerate(confidence.names)}
    shares = {(u, v): f"{confidence.strength[place[u], place[v]]:.0%}" for u, v in dag.edges}
    return network_picture(
        dag, labels=shares, title=f"Edges in at least {confidence.threshold:.0%} of the graphs"
    ).to_html()


def knowledge_html(knowledge: Knowledge) -> str:
    """Picture of the required and the forbidden edges, with tiers as rows, and a table of all rules."""
    rules = [("Required edge", f"{u} → {v}") for u, v in knowledge.required]
    rules += [("Forbidden edge", f"{u} → {v}") for u, v in knowledge.forbidden]
    rules += [(f"Tier {k}", ", ".join(tier)) for k, tier in enumerate(knowledge.tiers, 1)]
    rules += [(f"Max. parents of {name or 'all others'}", str(limit)) for name, limit in knowledge.limits]
    rules += [("May be joined", f"{u} – {v}") for u, v in knowledge.within or ()]
    if knowledge.within == ():
        rules.append(("May be joined", "no variables"))
    rules = rules or [("Rules", "none")]
    more = len(rules) - LISTED_RULES
    table = _rows(
        "Background knowledge", "Rule", [*rules[:LISTED_RULES], *([("More rules", f"{more:,}")] if more > 0 else [])]
    )
    picture = knowledge_picture(knowledge)
    return table if picture is None else picture.to_html() + table


def knowledge_picture(knowledge: Knowledge) -> Picture | None:
    """Picture of required and forbidden edges, tiers as rows, other variables below; None if empty or too large."""
    names, n_edges = knowledge.names, len(knowledge.required) + len(knowledge.forbidden)
    if not names or max(len(names), n_edges) > DRAWN_NODES:
        return None
    classes = dict.fromkeys(knowledge.required, "required") | dict.fromkeys(knowledge.forbidden, "forbidden")
    dag = Dag.from_edges(names, knowledge.required)
    free = [name for name in names if not any(name in tier for tier in knowledge.tiers)]
    layout = row_layout(names, [*knowledge.tiers, free], LINE) if knowledge.tiers else None
    return network_picture(dag, classes=classes, layout=layout, title="Background knowledge")


def comparison_html(comparison: Comparison) -> str:
    """Table of the measures that the comparison has."""
    measured = ((label, getattr(comparison, name)) for name, label in _MEASURES.items())
    shown = [(label, f"{value:.4g}") for label, value in measured if value is not None]
    return _rows("Learned graph against true graph", "Measure", shown)


def score_html(score: LocalScore) -> str:
    """Table of a score's parameters and properties."""
    entry = SCORE_TABLE.get(score.name)
    parameters = [(name, str(value)) for name, value in vars(score).items() if not name.startswith("_")]
    return _rows(
        f"Score {score.name}",
        "Property",
        [
            *([("Description", entry.words)] if entry else []),
            *parameters,
            ("Score equivalent", "yes" if score.score_equivalent else "no"),
            ("Unit", "nats; greater is better"),
        ],
    )


def _rows(caption: str, head: str, rows: list[tuple[str, str]]) -> str:
    import pandas as pd

    return html_table(pd.DataFrame(rows, columns=[head, "Value"]), caption=caption).html


def row_layout(names: Sequence[str], rows: Sequence[Sequence[str]], most: int = 1000) -> Layout:
    """Layout with groups of nodes as centred rows; every name is in one of them.

    A row of more than `most` nodes becomes several lines that lie close together.

    Examples
    --------
    >>> row_layout("ABC", [["A"], ["B", "C"]]).centres.tolist()
    [[89.0, 18.0], [26.0, 108.0], [152.0, 108.0]]
    >>> row_layout("ABC", [["A", "B", "C"]], most=2).centres.tolist()
    [[26.0, 18.0], [152.0, 18.0], [89.0, 66.0]]
    """
    sizes = drawing.node_sizes(names, {})
    index = {name: i for i, name in enumerate(names)}
    lines: list[tuple[float, list[int]]] = []  # with the middle of each
    for row in filter(None, rows):
        for k in range(0, len(row), most):
            below = 0.0 if not lines else lines[-1][0] + (LINE_STEP if k else ROW_STEP)
            lines.append((below, [index[name] for name in row[k : k + most]]))
    widths = [float(sizes[line, 0].sum()) + ROW_GAP * (len(line) - 1) for _, line in lines]
    centres = np.empty((len(names), 2))
    for (below, line), width in zip(lines, widths, strict=True):
        ends = np.cumsum(sizes[line, 0] + ROW_GAP)
        centres[line, 0] = (max(widths) - width) / 2 + ends - ROW_GAP - sizes[line, 0] / 2
        centres[line, 1] = NODE_HEIGHT / 2 + below
    return Layout(centres, sizes, {}, (max(widths), NODE_HEIGHT + lines[-1][0]))
