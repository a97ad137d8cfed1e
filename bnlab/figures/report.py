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
from bnlab.figures.printed import KINDS, printed
from bnlab.figures.scores.differences import differences_data, differences_picture
from bnlab.figures.scores.network_scores import NetworkScores
from bnlab.figures.table import html_table
from bnlab.figures.theme import ACCENT, FONT, GREY, GROUND, INK, MUTED, PAPER, RULE, SIZE, TITLE
from bnlab.graphs.confidence import EdgeConfidence
from bnlab.graphs.dag import Dag, counted
from bnlab.graphs.equivalence import any_member
from bnlab.graphs.pdag import Pdag
from bnlab.networks.network import free_parameters

STYLE = f"""
body {{ font: {TITLE}px/1.5 {FONT}; margin: 2rem auto; max-width: 60rem; padding: 0 1rem; color: {INK};
  background: {GROUND}; overflow-wrap: anywhere; }}
h1, h2, h3 {{ line-height: 1.2; margin: 1.5rem 0 .5rem; }}
p, ul {{ margin: .5rem 0; }}
ul {{ padding-left: 1.25rem; }}
table, .note, pre {{ font-size: {SIZE / TITLE:g}em; }}
table {{ margin: .5rem 0; }}
th, td[style*=right] {{ overflow-wrap: normal; white-space: nowrap; }}
thead {{ border-bottom: 1px solid {GREY}; }}
section > div, .beside > * {{ overflow-x: auto; }}
.card {{ border: 1px solid {RULE}; border-left: 4px solid {ACCENT}; border-radius: 6px; padding: .25rem 1rem; }}
.card + .card {{ margin-top: .5rem; }}
.beside {{ display: flex; flex-wrap: wrap; gap: .5rem 2rem; align-items: start; }}
.beside > :first-child {{ flex: 1 1 22rem; }}
.note {{ color: {MUTED}; }}
pre {{ background: {PAPER}; padding: .75em; white-space: pre-wrap; }}
@page {{ size: A4; margin: 14mm; }}
@media print {{
  body {{ font-size: 11px; margin: 0; padding: 0; max-width: none; }}
  h1 {{ margin-top: 0; }}
  h2, h3 {{ margin: .75rem 0 .25rem; break-after: avoid; }}
  p, ul, table {{ margin: .25rem 0; }}
  td, th {{ padding-block: 1px !important; }}
  .card, img, tr {{ break-inside: avoid; }}
  img {{ max-height: 85mm; }}
  .beside {{ flex-wrap: nowrap; }}
  .beside > :first-child {{ flex-basis: 0; }}
}}
"""
# No script runs and nothing is fetched, even if the data contain HTML.
POLICY = "default-src 'none'; img-src data:; style-src 'unsafe-inline'"
STRONGEST = 60
"""Maximum number of edges in a table."""
OTHERS = 5
"""Maximum number of edges that are named though the network lacks them."""
UNITS = {"log_likelihood": "Log-likelihood of a row, nats", "log_loss": "Log loss, nats", "auc": "AUC"}
"""Names of measures that are not those of the columns, capitalised."""
TREATED = {
    "state": "Missing values are a state of their own.",
    "drop": "Rows with missing values are left out.",
    "keep": "Missing values are estimated by structural EM.",
}


@dataclass(frozen=True)
class Report:
    """Self-contained HTML page."""

    html: str

    def __repr__(self) -> str:
        """Length of the page."""
        return f"Report({len(self.html):,} characters of HTML)"

    def save(self, path: str | Path) -> None:
        """Write the page to a file; with the suffix .pdf, as it is printed, and with .png, as one picture.

        Raises
        ------
        ImportError, OSError
            As for `bnlab.figures.printed.printed`, or if the file cannot be written.
        """
        replace_file(path, self.content(Path(path).suffix))

    def content(self, suffix: str) -> str | bytes:
        """Content of a file with this suffix; errors are as for `save`."""
        return printed(self.html, suffix.lower()) if suffix.lower() in KINDS else self.html


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
        ("Networks" if len(study.graphs) > 1 else "Network", "".join(_networks(study))),
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
        sentences = "".join(f"<li>{escape(text)}</li>" for text, _ in findings(study, name, validation))
        yield f'<div class="card"><p><strong>{escape(name)}</strong></p><ul>{sentences}</ul></div>'


def _validation(validation: CrossValidation | None) -> str:
    """Measures of the learners on rows that their networks have not seen."""
    if validation is None:
        return ""
    summary = validation.summary()
    rows = {measure: UNITS.get(measure, capitalised(measure.replace("_", " "))) for measure, _ in summary.index}
    shown = pd.DataFrame({"Measure": list(rows.values())})
    for learner in validation.learners:
        means = summary.xs(learner, level="learner").loc[list(rows)]
        shown[learner] = [
            _signed(f"{row.mean:.4g}" + ("" if row.low != row.low else f" ({row.low:.4g} to {row.high:.4g})"))
            for row in means[["mean", "low", "high"]].itertuples(index=False)
        ]
    words = (
        f"Each row is predicted by networks learned without it, in {validation.folds} folds; in brackets 95% intervals."
    )
    return f"<p>{words}</p>{_wide(html_table(shown, right=validation.learners).html)}"


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
    prepared, size = study.preparation, f"{len(frame):,} rows and {frame.shape[1]} columns"
    what = "rows" if prepared.unit is None else f"transitions of {prepared.unit} by {prepared.time}"
    sentences = [
        f"{size}{f' from {study.source}' if study.source else ''}; {table.n_rows:,} {what} and {table.n_variables} "
        "variables after preparation.",
        *([f"{counted(len(prepared.leave_out), 'column')} ignored."] if prepared.leave_out else []),
        *([f"Cut into intervals: {', '.join(prepared.cuts)}."] if prepared.cuts else []),
        TREATED.get(prepared.missing, ""),
    ]
    yield f"<p>{escape(' '.join(filter(None, sentences)))}</p>"
    columns = describe_columns(frame).reset_index()
    columns["result"] = [_result(study, rows, name) for name in columns["column"]]
    shown = columns[["column", "kind", "values", "missing", "result"]]
    yield _wide(html_table(shown.rename(columns=str.capitalize)).html)
    yield f'<p class="note">Fingerprint of the prepared table: <code>{table.fingerprint[:16]}</code>.</p>'


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
    """Picture of each network, and the table of its edges beside it."""
    for name, graph in study.classes.items():
        found, labels = study.confidence.get(name), {}
        if found is not None:
            index = {known: i for i, known in enumerate(found.names)}
            labels = {(u, v): f"{found.strength[index[u], index[v]]:.0%}" for u, v in graph.edges}
        notes = []
        if name in study.recipes:
            notes.append(
                f"Learned by <code>{escape(study.recipes[name].code('table', study.preparation.gaps))}</code>."
            )
        if name in study.stopped:
            notes.append("The search was stopped: this is the best network until then.")
        if found is not None:
            notes.append(escape(_confidence(graph, found)))
        title = f"<h3>{escape(name)}</h3>" if len(study.graphs) > 1 else ""
        picture = network_html(graph, labels=labels)
        yield f'{title}<div class="beside"><div>{picture}</div><div>{_edges(graph, found)}</div></div>'
        yield f'<p class="note">{" ".join(notes)}</p>'


def _edges(graph: Dag | Pdag, found: EdgeConfidence | None) -> str:
    """Table of the edges of a network, the surest first; an open direction has no arrowhead."""
    if not graph.edges:
        return ""
    open_edges = set(graph.undirected_edges) if isinstance(graph, Pdag) else set()
    rows = []
    for u, v in graph.edges:
        i, j = (0, 0) if found is None else (found.names.index(u), found.names.index(v))
        share, way = (0.0, 0.0) if found is None else (found.strength[i, j], found.arcs[i, j])
        direction = "open" if (u, v) in open_edges else f"{way / share:.0%}" if share else "decided"
        rows.append((f"{u} {'–' if (u, v) in open_edges else '→'} {v}", share, direction))
    head = "Found in" if found is None or found.method == "bootstrap" else "Posterior probability"
    frame = pd.DataFrame(rows, columns=["Edge", head, "This direction"]).sort_values(
        head, ascending=False, kind="stable"
    )
    shown = frame.drop(columns=head) if found is None else frame
    table = html_table(shown.head(STRONGEST), formats={head: "{:.0%}".format}, right=["This direction"]).html
    more = len(frame) - STRONGEST
    return f"{table}<p>{counted(more, 'further edge')}.</p>" if more > 0 else table


def _confidence(graph: Dag | Pdag, found: EdgeConfidence) -> str:
    """Where the confidence of the edges comes from, and the surest edges that the network lacks."""
    text = (
        f"Found in: share of {found.graphs:,} networks learned from rows drawn with replacement; edges of at least "
        f"{found.threshold:.0%} are significant (Scutari and Nagarajan 2013)."
        if found.method == "bootstrap"
        else f"Posterior probability: of the edge in either direction ({found.method})."
    )
    own = {frozenset(edge) for edge in graph.edges}
    rest = [(u, v, share) for u, v, share, _ in found.edge_list().itertuples(index=False) if {u, v} not in own]
    named = ", ".join(f"{u} – {v} ({share:.0%})" for u, v, share in rest[:OTHERS])
    return f"{text} Not in the network: {named}{', …' if len(rest) > OTHERS else '.'}" if rest else text


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
    formats = dict.fromkeys(shown.columns[1:], lambda value: _signed(f"{value:,.1f}"))
    tables = html_table(shown, formats=formats, caption="Nats; greater is better.").html
    if len(graphs) == 1:
        return _wide(tables)
    labels = [SCORE_LABELS.get(name, name) for name in totals.columns]
    return _wide(tables) + _wide(differences_picture(differences_data(totals, None), labels=labels).to_html())


def _signed(number: str) -> str:
    return number.replace("-", "−")


def _wide(content: str) -> str:
    return f"<div>{content}</div>"
