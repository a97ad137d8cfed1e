"""A graph as files, as code, and as a still picture with a table of scores."""

from __future__ import annotations

from collections.abc import Callable
from html import escape
from pathlib import Path
from typing import Any, NamedTuple

from bnlab._runtime.files import replace_file
from bnlab._runtime.names import nearest
from bnlab.figures.graphs.node_tables import nats
from bnlab.figures.labels import score_label
from bnlab.figures.picture import Picture
from bnlab.figures.table import html_table, signed
from bnlab.graphs.pdag import python_code
from bnlab.networks.influence import InfluenceDiagram
from bnlab.networks.io.bif_text import format_bif
from bnlab.networks.io.graphml import format_graphml
from bnlab.widgets.graph.content import evidence_text
from bnlab.widgets.graph.session import GraphSession


class File(NamedTuple):
    """Kind of file that a graph is saved as."""

    name: str
    label: str
    mime: str
    text: Callable[[GraphSession], str]


def bif_text(session: GraphSession) -> str:
    """Network in BIF.

    Raises
    ------
    ValueError
        If there are no probabilities.
    """
    net = session.network
    if net is None:
        raise ValueError("BIF needs probabilities, and this graph has none: give a BayesianNetwork, or data to fit to.")
    return format_bif(net)


def graphml_text(session: GraphSession) -> str:
    """Graph in GraphML, with the states of its nodes where they are known."""
    graph = session.graph
    return format_graphml(graph.dag if isinstance(graph, InfluenceDiagram) else graph, session.variables)


def python_text(session: GraphSession) -> str:
    """Python code that builds the graph again."""
    graph = session.graph
    if not isinstance(graph, InfluenceDiagram):
        return python_code(graph)
    parts = {name: getattr(graph, name) for name in ("chance", "decision", "utility", "edges", "options")}
    written = "".join(f"    {name}={value!r},\n" for name, value in parts.items())
    return f"from bnlab.networks import InfluenceDiagram\n\ndiagram = InfluenceDiagram(\n{written})\n"


FILES = {
    "bif": File("graph.bif", "BIF: network with probabilities", "text/plain", bif_text),
    "graphml": File("graph.graphml", "GraphML", "application/xml", graphml_text),
    "python": File("graph.py", "Python code", "text/x-python", python_text),
}
SUFFIXES = {".bif": "bif", ".graphml": "graphml", ".py": "python"}


def file_of(session: GraphSession, kind: str) -> tuple[str, str, str]:
    """Name, text and type of a file.

    Raises
    ------
    ValueError
        If there is no such kind, or as for the kind.
    """
    if kind not in FILES:
        raise ValueError(f"no files of kind {kind!r}: {nearest(kind, FILES)}")
    file = FILES[kind]
    return file.name, file.text(session), file.mime


def save(session: GraphSession, path: str | Path, *, picture: Callable[[], Picture]) -> None:
    """Write a file of the kind of its suffix; ValueError for another suffix."""
    path = Path(path)
    if path.suffix == ".svg":
        picture().save(path)
        return
    if path.suffix not in SUFFIXES:
        raise ValueError(f"{path.name!r}: the suffix selects the format; use .svg, {', '.join(SUFFIXES)}.")
    replace_file(path, FILES[SUFFIXES[path.suffix]].text(session))


def still_html(session: GraphSession, picture: Picture) -> str:
    """Picture, with the evidence if there is any, and the scores where there are data."""
    given = f"<p>{escape(evidence_text(session))}</p>" if session.evidence else ""
    table = "" if session.scores is None else score_html(session)
    return f"<div>{picture.to_html()}{given}{table}</div>"


def score_html(session: GraphSession) -> str:
    """Scores of the graph as a table; after a change also the differences."""
    import pandas as pd

    assert session.scores is not None
    assert session.history is not None
    now, _, start = session.totals()
    columns: dict[str, Any] = {
        "score": [score_label(name) for name in session.scores.scores],
        "nats": [nats(value) for value in now.tolist()],
    }
    if session.history.position:
        columns["since the start"] = [signed(value) for value in (now - start).tolist()]
    caption = f"Greater is better; {session.scores.source.n_rows:,} rows."
    return html_table(pd.DataFrame(columns), right=list(columns)[1:], caption=caption).html
