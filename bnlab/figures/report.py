"""A study as one self-contained HTML file: findings first, then their evidence, then the data and the code."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from html import escape
from pathlib import Path

import pandas as pd

from bnlab._runtime.files import replace_file
from bnlab.analysis import CrossValidation, Study, describe_columns, findings
from bnlab.data import Table
from bnlab.figures.agreement import agreement_table, distance_table
from bnlab.figures.graphs.network import network_html
from bnlab.figures.labels import SCORE_LABELS, capitalised
from bnlab.figures.scores.differences import differences_data, differences_picture
from bnlab.figures.scores.network_scores import NetworkScores
from bnlab.figures.table import html_table
from bnlab.graphs.dag import Dag, counted
from bnlab.graphs.equivalence import any_member
from bnlab.graphs.pdag import Pdag
from bnlab.networks.network import free_parameters

STYLE = """
body { font: 16px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 60rem; padding: 0 1rem; color: #1a1a1a;
  background: #fff; overflow-wrap: anywhere; }
h1, h2, h3 { line-height: 1.2; margin: 2rem 0 .5rem; }
table { font-size: .875rem; margin: .5rem 0; }
th { overflow-wrap: normal; }
thead { border-bottom: 1px solid #767676; }
section > div { overflow-x: auto; }
.findings { border: 1px solid #d0d0d0; border-left: .3rem solid #1f77b4; border-radius: .3rem; padding: .25rem 1rem; }
pre { background: #f4f4f4; padding: .75rem; overflow-x: auto; font-size: .8125rem; white-space: pre-wrap; }
@page { size: A4; margin: 15mm; }
@media print {
  body { font-size: 11px; margin: 0; max-width: none; }
  h2, h3 { break-after: avoid; }
  img, tr { break-inside: avoid; }
  img { max-height: 90mm; }
}
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


def study_report(
    study: Study, frame: pd.DataFrame, *, title: str = "Analysis", validation: CrossValidation | None = None
) -> Report:
    """Report of a study as an HTML page.

    Parameters
    ----------
    study : Study
    frame : DataFrame
        The data before preparation.
    title : str
    validation : CrossValidation, optional
        Cross-validation of learners that have the names of the networks, for what they predict on held-out rows.

    Raises
    ------
    ValueError, TypeError
        If the preparation does not fit the data, or a network has other variables.
    """
    rows, table = study.preparation.tables(frame)
    parts = [
        ("Findings", "".join(_findings(study, validation))),
        ("Networks", "".join(_networks(study))),
        ("Confidence", "".join(_confidence(study))),
        ("Held-out rows", _validation(validation)),
        ("Comparison", _comparison(study)),
        ("Scores", _scores(study, table)),
        ("Data", "".join(_data(study, frame, rows, table))),
        ("Limits", _limits(study, table)),
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


def _findings(study: Study, validation: CrossValidation | None) -> Iterator[str]:
    for name in study.graphs:
        sentences = " ".join(text for text, _ in findings(study, name, validation))
        yield f'<div class="findings"><p><strong>{escape(name)}.</strong> {escape(sentences)}</p></div>'


def _validation(validation: CrossValidation | None) -> str:
    """Measures of the learners on rows that their networks have not seen."""
    if validation is None:
        return ""
    summary = validation.summary().reset_index()[["measure", "learner", "mean", "low", "high"]]
    summary["measure"] = [
        "AUC" if measure == "auc" else capitalised(measure.replace("_", " ")) for measure in summary["measure"]
    ]
    words = f"Each row is predicted by networks learned without it ({validation.folds} folds); 95% intervals."
    formats = dict.fromkeys(("Mean", "Low", "High"), "{:.4g}".format)
    return f"<p>{words}</p>{_wide(html_table(summary.rename(columns=str.capitalize), formats=formats).html)}"


def _limits(study: Study, table: Table) -> str:
    """What the results do not say."""
    if not study.graphs:
        return ""
    limits = [
        "An edge says that two variables stay dependent whichever other variables are known. It does not prove that "
        "one causes the other: a common cause that was not measured looks the same.",
        "Rows are taken to be independent. If several come from one person, place or day, edges look surer than they "
        "are.",
    ]
    if left_out := study.preparation.leave_out:
        limits.append(f"{counted(len(left_out), 'column')} left out can explain edges among the others.")
    for name, graph in study.graphs.items():
        if (dag := any_member(graph)) is not None:
            numbers = free_parameters(dag.reordered(table.names), table.arities)
            limits.append(f"{name!r} has {counted(numbers, 'free parameter')}, from {counted(table.n_rows, 'row')}.")
    return f"<ul>{''.join(f'<li>{escape(limit)}</li>' for limit in limits)}</ul>"


def _data(study: Study, frame: pd.DataFrame, rows: Table, table: Table) -> Iterator[str]:
    prepared = study.preparation
    what = (
        "rows" if prepared.unit is None else f"transitions of {escape(prepared.unit)} by {escape(str(prepared.time))}"
    )
    source = f" from {escape(study.source)}" if study.source else ""
    yield (
        f"<p>{len(frame):,} rows and {frame.shape[1]} columns{source}; {table.n_rows:,} {what} and "
        f"{table.n_variables} variables after preparation. Fingerprint of the prepared table: "
        f"<code>{table.fingerprint[:16]}</code>.</p>"
    )
    columns = describe_columns(frame).reset_index()
    columns["result"] = [_result(study, rows, name) for name in columns["column"]]
    shown = columns[["column", "kind", "values", "missing", "result"]]
    yield _wide(html_table(shown.rename(columns=str.capitalize)).html)


def _result(study: Study, table: Table, name: str) -> str:
    """Content of a column of the prepared table."""
    prepared = study.preparation
    if name in (prepared.unit, prepared.time):
        return "unit" if name == prepared.unit else "time"
    if name in prepared.leave_out:
        return "ignored"
    known = table.variables[table.index(name)].states
    listed = name in prepared.cuts or name in prepared.states
    states = "; ".join(map(str, known)) if listed else counted(len(known), "state")
    return f"target; {states}" if name == prepared.target else states


def _networks(study: Study) -> Iterator[str]:
    for name, graph in study.graphs.items():
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
    edges, distances = agreement_table(study.graphs, study.confidence), distance_table(study.graphs)
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
        frame = _as_drawn(study.as_class(name), found.edge_list())
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


def _as_drawn(graph: Dag | Pdag, edges: pd.DataFrame) -> pd.DataFrame:
    """Edges with their confidence, each in the direction that the network has."""
    ways = dict.fromkeys(graph.edges if isinstance(graph, Dag) else graph.directed_edges, "→")
    ways |= {} if isinstance(graph, Dag) else dict.fromkeys(graph.undirected_edges, "–")
    rows = []
    for u, v, strength, direction in edges.itertuples(index=False, name=None):
        if (v, u) in ways:
            u, v, direction = v, u, 1 - direction
        rows.append((u, ways.get((u, v), "no edge"), v, strength, direction))
    return pd.DataFrame(rows, columns=["From", "Network", "To", "Strength", "Direction"])


def _wide(content: str) -> str:
    return f"<div>{content}</div>"
