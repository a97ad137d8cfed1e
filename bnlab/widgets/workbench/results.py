"""Networks of the workbench in a list, in comparison, and in the still form."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape
from math import isnan
from typing import TYPE_CHECKING, Any

from bnlab.analysis.files import SUFFIXES
from bnlab.figures.agreement import agreement_table, distance_table, text_table
from bnlab.figures.graphs.layers import TooLarge
from bnlab.figures.graphs.network import network_html, network_layout, network_picture, not_drawn
from bnlab.figures.labels import score_label
from bnlab.figures.picture import PictureRow
from bnlab.figures.scores.differences import differences_data
from bnlab.figures.scores.network_scores import PLAIN_SCORES, NetworkScores
from bnlab.figures.table import html_table, signed
from bnlab.graphs.dag import counted
from bnlab.widgets.base.controls import Control, button, file, message, number, select, table, text
from bnlab.widgets.base.times import spent
from bnlab.widgets.workbench.learning import Activity, said

if TYPE_CHECKING:
    import pandas as pd

    from bnlab.analysis.session import Session
    from bnlab.graphs import Dag

FILES = "A .csv or .parquet file with column names, or a saved session"
PICTURES, COLUMNS = 4, 40
LISTED = ("bic", "bdeu")


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


def result_lines(
    session: Session,
    results: pd.DataFrame,
    *,
    shown: str | None,
    reference: str | None,
    replicates: int,
    threshold: float | None,
    activity: Activity,
) -> list[list[Control]]:
    """Lines of the form that lists networks and bootstraps the confidence of their edges.

    Parameters
    ----------
    session : Session
    results : DataFrame
        `result_frame` of it.
    shown, reference : str or None
        Network that is shown, and the one it is compared with.
    replicates, threshold
        Of the bootstrap; None for the suggested threshold.
    activity : Activity
    """
    if shown is None:
        return [
            [
                message("none", "No network yet: choose a learner above and press Learn."),
                said(activity.message, activity.failed),
            ]
        ]
    others = [("", "none"), *((name, name) for name in results.index if name != shown)]
    learned = shown in session.study.recipes
    bar, message_line = activity.lines("Progress of the bootstrap")
    return [
        [table("shown", "Networks", _heads(results), list(_rows(results)), shown)],
        [
            *(
                [select("reference", "Compare with", reference or "", others, "Mark the edges that differ")]
                if len(others) > 1
                else []
            ),
            button("remove", "Remove", f"Remove {shown} from the list", enabled=not activity.busy),
            button(
                "edits",
                "Save edited network as new",
                "Add the network as edited in the picture below",
                enabled=not activity.busy,
            ),
        ],
        [
            number(
                "replicates", "Bootstrap samples", replicates, "Number of networks learned from resampled rows", least=1
            ),
            button(
                "bootstrap",
                "Bootstrap edge confidence",
                "Learn the network again from resampled rows, and count its edges",
                enabled=learned and not activity.busy,
            ),
            button(
                "stop", "Stop", "Stop the bootstrap and keep the samples so far", enabled=activity.running is not None
            ),
        ],
        bar,
        _confidence_line(session, shown, threshold, activity.busy),
        message_line,
    ]


def data_lines(path: str, ready: bool, last: tuple[str, bool]) -> list[list[Control]]:
    """Lines of the form that reads data."""
    return [
        [
            file("upload", "Upload a file …", FILES, accept=",".join((*SUFFIXES, ".json")), main=not ready),
            text("path", "or path", path, FILES, placeholder="data.csv"),
            button("load", "Load", "Read this file"),
        ],
        [said(*last)],
    ]


def file_lines(name: str, ready: bool, last: tuple[str, bool]) -> list[list[Control]]:
    """Lines of the form that saves and exports the analysis."""
    return [
        [
            text("file", "File name", name, "Without suffix; it may contain existing folders"),
            button("save", "Save session", "Write a file that can be opened here again", enabled=ready),
            button("report", "Save report", "Write a self-contained HTML page", enabled=ready),
            button("notebook", "Save notebook", "Write a notebook that repeats every step", enabled=ready),
        ],
        [
            button("download-session", "Download session", enabled=ready),
            button("download-report", "Download report", enabled=ready),
            button("download-notebook", "Download notebook", enabled=ready),
        ],
        [said(*last)],
    ]


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
        heads, rows = _heads(results), [cells for _, cells in _rows(results)]
        parts.append(_head("Networks") + text_table(heads, rows).html)
        graph = session.study.graphs[shown or next(iter(session.study.graphs))]
        parts.append(f"<div>{network_html(graph)}</div>")
        parts.append(comparison_html(session, results))
    return f"<div>{''.join(parts)}</div>"


def _confidence_line(session: Session, shown: str, threshold: float | None, busy: bool) -> list[Control]:
    found = session.study.confidence.get(shown)
    if found is None:
        return []
    least = found.threshold if threshold is None else threshold
    frame = found.to_frame()
    reaching = int((frame["strength"] >= least).sum())
    which = "suggested threshold" if threshold is None else "threshold"
    note = f"{found.graphs:,} samples: {reaching} of {counted(len(frame), 'edge')} reach the {which} ({least:.0%})."
    return [
        number(
            "threshold", "Confidence threshold (%)", round(100 * least, 1), "Share of samples", most=100, step="any"
        ),
        button("average", "Consensus network", "Add the network of these edges to the list", enabled=not busy),
        message("reaching", note),
    ]


def _heads(results: pd.DataFrame) -> list[str]:
    scores = [score_label(name) for name in LISTED if name in results]
    return ["Network", "Edges", *scores, *(["Seconds"] if "seconds" in results else []), "Bootstrap"]


def _rows(results: pd.DataFrame) -> Iterator[tuple[str, list[str]]]:
    for name, row in results.iterrows():
        scores = [_nats(row[score]) for score in LISTED if score in results]
        seconds = [_seconds(row["seconds"])] if "seconds" in results else []
        shown = f"{name} (stopped early)" if row["stopped"] else str(name)
        samples = f"{row['bootstrap']:,}" if row["bootstrap"] else "–"
        yield str(name), [shown, f"{row['edges']:,}", *scores, *seconds, samples]


def _seconds(value: float) -> str:
    return "" if isnan(value) else spent(value).removesuffix(" s").replace("less than ", "<")


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
        [str(name), *(f"{_nats(row[s])} ({signed(d[s], 1) if d[s] else 'best'})" for s in scores)]
        for (name, row), (_, d) in zip(results.iterrows(), behind.iterrows(), strict=True)
    ]
    caption = "Nats, greater is better; in brackets the difference from the best network under that score."
    return text_table(["network", *map(score_label, scores)], rows, caption).html


def _size_words(session: Session) -> str:
    assert session.table is not None
    source = session.source.name if session.source else "data"
    return f"{source}: {session.table.n_rows:,} rows and {session.table.n_variables:,} variables after the preparation."


def _nats(value: Any) -> str:
    return f"{value:,.1f}".replace("-", "−")


def _head(title: str) -> str:
    return f'<h4 style="margin: 12px 0 4px">{title}</h4>'


def _wide(content: str) -> str:
    return f'<div style="overflow-x: auto">{content}</div>'
