"""Networks of the workbench in a list, beside each other, and as a page that needs no kernel."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape
from math import isnan
from typing import TYPE_CHECKING, Any

from bnlab.analysis.sources import SUFFIXES
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
from bnlab.widgets.base.controls import progress as progress_bar
from bnlab.widgets.base.times import spent

if TYPE_CHECKING:
    import pandas as pd

    from bnlab.analysis.session import Session
    from bnlab.graphs import Dag

FILES = "A .csv or .parquet file with the names of the columns in it, or a saved session"
PICTURES, COLUMNS = 4, 40
LISTED = ("bic", "bdeu")


def result_frame(session: Session) -> pd.DataFrame:
    """Networks with what is known of them.

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
    running: tuple[float | None, str] | None,
    busy: bool,
    said: tuple[str, bool],
) -> list[list[Control]]:
    """Lines of the form that lists networks and asks how sure their edges are.

    Parameters
    ----------
    session : Session
    results : DataFrame
        `result_frame` of it.
    shown, reference : str or None
        Network that is looked at, and the one it is compared with.
    replicates, threshold
        Of the bootstrap; no threshold for the one that the samples suggest.
    running, busy, said
        As for `learn_lines`.
    """
    if shown is None:
        return [
            [message("none", "No network yet: choose a learner above and press Learn."), message("said", *_said(said))]
        ]
    others = [("", "nothing"), *((name, name) for name in results.index if name != shown)]
    learned = shown in session.study.recipes
    return [
        [table("shown", "Networks", _heads(results), list(_rows(results)), shown)],
        [
            *(
                [select("reference", "Compare with", reference or "", others, "Mark edges against it")]
                if len(others) > 1
                else []
            ),
            button("remove", "Remove", f"Forget {shown}", enabled=not busy),
            button("edits", "Keep my edits", "Add the picture below as a network of its own", enabled=not busy),
        ],
        [
            number("replicates", "Bootstrap samples", replicates, "Networks learned from rows drawn anew", least=1),
            button(
                "bootstrap",
                "How sure are its edges?",
                "Learn the network again from resampled rows, and count its edges",
                enabled=learned and not busy,
            ),
            button("stop", "Stop", "End it; the samples made so far count", enabled=running is not None),
        ],
        [] if running is None else [progress_bar("progress", "Progress of the bootstrap", *running)],
        _confidence_line(session, shown, threshold, busy),
        [message("said", *_said(said))],
    ]


def data_lines(path: str, ready: bool, said: tuple[str, bool]) -> list[list[Control]]:
    """Lines of the form that reads data."""
    return [
        [
            file("upload", "Upload a file …", FILES, accept=",".join((*SUFFIXES, ".json")), main=not ready),
            text("path", "or path", path, FILES, placeholder="data.csv"),
            button("load", "Load", "Read the file of this path"),
        ],
        [message("said", *_said(said))],
    ]


def file_lines(name: str, ready: bool, said: tuple[str, bool]) -> list[list[Control]]:
    """Lines of the form that keeps the analysis."""
    return [
        [
            text("file", "File name", name, "Without an ending; it may begin with folders that exist"),
            button("save", "Save session", "Write what can be opened here again", enabled=ready),
            button("report", "Save report", "Write one HTML page that needs nothing else", enabled=ready),
            button("notebook", "Save notebook", "Write a notebook that does every step again", enabled=ready),
        ],
        [
            button("download-session", "Download session", enabled=ready),
            button("download-report", "Download report", enabled=ready),
            button("download-notebook", "Download notebook", enabled=ready),
        ],
        [message("said", *_said(said))],
    ]


def comparison_html(session: Session, results: pd.DataFrame) -> str:
    """Networks beside each other: pictures, edges, distances and scores; nothing for fewer than two."""
    study = session.study
    if len(study.graphs) < 2:
        return ""
    # The width makes wide tables scroll within the place that there is, instead of making it wider.
    return f'<div style="width: 0; min-width: 100%; line-height: 1.45">{"".join(_compared(session, results))}</div>'


def still_html(session: Session, shown: str | None, status: str) -> str:
    """All that a reader without a kernel needs."""
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
    sure = int((frame["strength"] >= least).sum())
    note = (
        f"{found.graphs:,} samples: of {counted(len(frame), 'edge')} that occurred, {sure} are in at least {least:.0%} "
        f"of them{', the threshold that the samples suggest' if threshold is None else ''}."
    )
    return [
        number("threshold", "Sure from (%)", round(100 * least, 1), "Share of the samples", most=100, step="any"),
        button("average", "Network of the sure edges", "Add it to the list", enabled=not busy),
        message("sure", note),
    ]


def _said(said: tuple[str, bool]) -> tuple[str, str]:
    return said[0], "alert" if said[1] else "status"


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
