"""A study as one self-contained HTML file: data, steps, networks, scores, confidence and the code."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from html import escape
from pathlib import Path

import pandas as pd

from bnlab._runtime.files import replace_file
from bnlab.analysis import Study, describe_columns
from bnlab.data import Table
from bnlab.figures.agreement import agreement_table, distance_table
from bnlab.figures.graphs.network import network_html
from bnlab.figures.labels import SCORE_LABELS
from bnlab.figures.scores.differences import differences_data, differences_picture
from bnlab.figures.scores.network_scores import NetworkScores
from bnlab.figures.table import html_table
from bnlab.graphs.dag import counted
from bnlab.graphs.equivalence import any_member

STYLE = """
body { font: 16px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 60rem; padding: 0 1rem; color: #1a1a1a;
  background: #fff; overflow-wrap: anywhere; }
h1, h2, h3 { line-height: 1.2; margin: 2rem 0 .5rem; }
table { font-size: .875rem; margin: .5rem 0; }
th { overflow-wrap: normal; }
thead { border-bottom: 1px solid #767676; }
section > div { overflow-x: auto; }
pre { background: #f4f4f4; padding: .75rem; overflow-x: auto; font-size: .8125rem; white-space: pre-wrap; }
"""
# No script runs and nothing is fetched, even if the data contain HTML.
POLICY = "default-src 'none'; img-src data:; style-src 'unsafe-inline'"
STRONGEST = 60
LABELS_NOTE = " Beside each edge: its confidence (see below)."


@dataclass(frozen=True)
class Report:
    """Self-contained HTML page."""

    html: str

    def __repr__(self) -> str:
        """Length of the page."""
        return f"Report({len(self.html):,} characters of HTML)"

    def save(self, path: str | Path) -> None:
        """Write the page to a file."""
        replace_file(path, self.html)


def study_report(study: Study, frame: pd.DataFrame, *, title: str = "Analysis") -> Report:
    """Report of a study as an HTML page.

    Parameters
    ----------
    study : Study
    frame : DataFrame
        The data before preparation.
    title : str

    Raises
    ------
    ValueError, TypeError
        If the preparation does not fit the data, or a network has other variables.
    """
    table = study.preparation.apply(frame)
    parts = [
        ("Data", "".join(_data(study, frame, table))),
        ("Networks", "".join(_networks(study))),
        ("Comparison", _comparison(study)),
        ("Scores", _scores(study, table)),
        ("Confidence", "".join(_confidence(study))),
        ("Code", f"<pre>{escape(study.code())}</pre>"),
    ]
    body = "".join(f"<section><h2>{name}</h2>{content}</section>" for name, content in parts if content)
    return Report(
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{escape(title)}</title><style>{STYLE}</style></head>"
        f"<body><h1>{escape(title)}</h1>{body}</body></html>"
    )


def _data(study: Study, frame: pd.DataFrame, table: Table) -> Iterator[str]:
    source = f" from {escape(study.source)}" if study.source else ""
    yield (
        f"<p>{len(frame):,} rows and {frame.shape[1]} columns{source}; {table.n_rows:,} rows and "
        f"{table.n_variables} variables after preparation. Fingerprint of the prepared table: "
        f"<code>{table.fingerprint[:16]}</code>.</p>"
    )
    columns = describe_columns(frame).reset_index()
    columns["result"] = [_result(study, table, name) for name in columns["column"]]
    shown = columns[["column", "kind", "values", "missing", "result"]]
    yield _wide(html_table(shown.rename(columns=str.capitalize)).html)


def _result(study: Study, table: Table, name: str) -> str:
    """Content of a column of the prepared table."""
    prepared = study.preparation
    if name in prepared.leave_out:
        return "ignored"
    known = table.variables[table.index(name)].states
    listed = name in prepared.cuts or name in prepared.states
    states = "; ".join(map(str, known)) if listed else counted(len(known), "state")
    return f"target; {states}" if name == prepared.target else states


def _networks(study: Study) -> Iterator[str]:
    for name, graph in study.classes.items():
        details = ""
        if name in study.recipes:
            details += f"<p><code>{escape(study.recipes[name].code('table', study.preparation.gaps))}</code></p>"
        if name in study.stopped:
            details += "<p>The search was stopped: this is the best network until then.</p>"
        labels, note = {}, ""
        if (found := study.confidence.get(name)) is not None:
            index = {known: i for i, known in enumerate(found.names)}
            labels = {(u, v): f"{found.strength[index[u], index[v]]:.0%}" for u, v in graph.edges}
            note = LABELS_NOTE
        picture = network_html(graph, labels=labels)
        yield f"<h3>{escape(name)}</h3>{details}{_wide(picture)}<p>{counted(len(graph.edges), 'edge')}.{note}</p>"


def _comparison(study: Study) -> str:
    if len(study.graphs) < 2:
        return ""
    edges, distances = agreement_table(study.classes, study.confidence), distance_table(study.graphs)
    return f"<h3>Edges</h3>{edges.html}<h3>Distances</h3>{distances.html}"


def _scores(study: Study, table: Table) -> str:
    graphs = {name: dag for name, graph in study.graphs.items() if (dag := any_member(graph)) is not None}
    if not graphs or study.preparation.gaps:
        return ""
    totals = NetworkScores(table, graphs).totals()
    shown = totals.rename(columns=SCORE_LABELS).rename_axis("Network").reset_index()
    formats = dict.fromkeys(shown.columns[1:], "{:,.1f}".format)
    tables = html_table(shown, formats=formats, caption="Nats; greater is better.").html
    if len(graphs) == 1:
        return _wide(tables)
    labels = [SCORE_LABELS.get(name, name) for name in totals.columns]
    return _wide(tables) + _wide(differences_picture(differences_data(totals, None), labels=labels).to_html())


def _confidence(study: Study) -> Iterator[str]:
    for name, found in study.confidence.items():
        heads = {"u": "From", "v": "To", "strength": "Strength", "direction": "Direction"}
        frame = found.edge_list().rename(columns=heads)
        formats = dict.fromkeys(("Strength", "Direction"), "{:.0%}".format)
        more = f"<p>{len(frame) - STRONGEST} weaker edges are not shown.</p>" if len(frame) > STRONGEST else ""
        words = (
            f"Posterior probability ({found.method}) of an edge either way (strength), and of this direction among "
            f"those (direction). The suggested threshold is {found.threshold:.0%}."
            if found.method != "bootstrap"
            else f"Share of {found.graphs} networks, each learned from rows drawn with replacement, that have the edge "
            "(strength), and that have it in this direction among those (direction). Edges of at least "
            f"{found.threshold:.0%} are significant (Scutari and Nagarajan 2013)."
        )
        edges = html_table(frame.head(STRONGEST), formats=formats).html
        yield f"<h3>{escape(name)}</h3><p>{words}</p>{_wide(edges)}{more}"


def _wide(content: str) -> str:
    return f"<div>{content}</div>"
