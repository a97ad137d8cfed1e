"""Networks of the workbench as a frame, in comparison, and in the still form."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape
from typing import TYPE_CHECKING

from bnlab.figures.agreement import agreement_table, distance_table, text_table
from bnlab.figures.graphs.layers import TooLarge
from bnlab.figures.graphs.network import network_html, network_layout, network_picture, not_drawn
from bnlab.figures.labels import score_label
from bnlab.figures.picture import PictureRow
from bnlab.figures.scores.differences import differences_data
from bnlab.figures.scores.network_scores import PLAIN_SCORES, NetworkScores
from bnlab.figures.table import html_table, signed
from bnlab.graphs.dag import counted
from bnlab.widgets.workbench.forms import list_heads, list_rows, nats

if TYPE_CHECKING:
    import pandas as pd

    from bnlab.analysis.session import Session
    from bnlab.graphs import Dag

PICTURES, COLUMNS = 4, 40


def result_frame(session: Session) -> pd.DataFrame:
    """Networks with learner, size and scores.

    Returns
    -------
    DataFrame, indexed by the names of the networks
        algorithm, learned_by : str; edges : int; seconds : float, NaN for one of an earlier session; stopped : bool;
        bootstrap : int, samples; then every score in nats, greater is better.
    """
    import pandas as pd

    study = session.study
    rows = [
        {
            "algorithm": study.recipes[name].algorithm if name in study.recipes else "",
            "learned_by": (study.recipes[name].score or "") if name in study.recipes else "",
            "edges": len(graph.edges),
            "seconds": session.seconds.get(name, float("nan")),
            "stopped": name in study.stopped,
            "bootstrap": study.confidence[name].graphs if name in study.confidence else 0,
        }
        for name, graph in study.graphs.items()
    ]
    columns = ["algorithm", "learned_by", "edges", "seconds", "stopped", "bootstrap"]
    frame = pd.DataFrame(rows, index=pd.Index(list(study.graphs), name="network", dtype=object), columns=columns)
    if session.table is None or not study.graphs:
        return frame
    return frame.join(NetworkScores(session.table, study.graphs).totals())


def comparison_html(session: Session, results: pd.DataFrame) -> str:
    """Comparison of networks: pictures, edges, distances and scores; "" for fewer than two."""
    study = session.study
    if len(study.graphs) < 2:
        return ""
    # The width makes wide tables scroll within the place that there is, instead of making it wider.
    return f'<div style="width: 0; min-width: 100%; line-height: 1.45">{"".join(_compared(session, results))}</div>'


def still_html(session: Session, shown: str | None, status: str) -> str:
    """Workbench without a kernel."""
    parts = [f"<p>{escape(status)}</p>"]
    if session.kinds is not None and session.table is not None:
        columns = session.kinds.head(COLUMNS).reset_index()[["column", "kind", "values", "missing", "example"]]
        more = len(session.kinds) - COLUMNS
        parts.append(_head("Columns") + _wide(html_table(columns).html) + f"<p>{escape(_size_words(session))}</p>")
        parts.append(f"<p>{counted(more, 'further column')}.</p>" if more > 0 else "")
    if session.study.graphs:
        # Without the seconds, a notebook that is run again stays the same.
        results = result_frame(session).drop(columns="seconds")
        heads, rows = list_heads(results), [cells for _, cells in list_rows(results)]
        parts.append(_head("Networks") + text_table(heads, rows).html)
        graph = session.study.graphs[shown or next(iter(session.study.graphs))]
        parts.append(f"<div>{network_html(graph)}</div>")
        parts.append(comparison_html(session, results))
    return f"<div>{''.join(parts)}</div>"


def _compared(session: Session, results: pd.DataFrame) -> Iterator[str]:
    study = session.study
    graphs = dict(list(study.graphs.items())[:PICTURES])
    yield _head("Side by side") + _side_by_side(graphs)
    yield _head("Edges") + agreement_table(study.graphs, study.confidence).html
    yield _head("Distances") + distance_table(study.graphs).html
    yield _head("Scores") + _scores_html(results)


def _side_by_side(graphs: dict[str, Dag]) -> str:
    try:
        layout = network_layout(*graphs.values())
    except TooLarge as error:
        return not_drawn(error)
    return PictureRow(
        tuple(network_picture(graph, layout=layout) for graph in graphs.values()), tuple(graphs)
    ).to_html()


def _scores_html(results: pd.DataFrame) -> str:
    scores = [name for name in PLAIN_SCORES if name in results]
    behind = differences_data(results[scores])
    rows = [
        [str(name), *(f"{nats(row[s])} ({signed(d[s], 1) if d[s] else 'best'})" for s in scores)]
        for (name, row), (_, d) in zip(results.iterrows(), behind.iterrows(), strict=True)
    ]
    caption = "Nats, greater is better; in brackets the difference from the best network under that score."
    return text_table(["network", *map(score_label, scores)], rows, caption).html


def _size_words(session: Session) -> str:
    assert session.table is not None
    source = session.source.name if session.source else "data"
    return f"{source}: {session.table.n_rows:,} rows and {session.table.n_variables:,} variables after the preparation."


def _head(title: str) -> str:
    return f'<h4 style="margin: 12px 0 4px">{title}</h4>'


def _wide(content: str) -> str:
    return f'<div style="overflow-x: auto">{content}</div>'
