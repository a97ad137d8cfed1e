"""A graph as files, as code, and as a still picture with a table of scores."""

from __future__ import annotations

from collections.abc import Callable
from html import escape
from pathlib import Path
from typing import NamedTuple

from bnlab._runtime.files import replace_file
from bnlab.figures.graphs.node_tables import nats
from bnlab.figures.labels import score_label
from bnlab.figures.picture import Picture
from bnlab.figures.table import html_table, signed
from bnlab.graphs.pdag import python_code
from bnlab.networks.influence import InfluenceDiagram
from bnlab.networks.io.bif_text import format_bif
from bnlab.networks.io.graphml import format_graphml
from bnlab.widgets.graph.content import evidence_text, score_frame
from bnlab.widgets.graph.session import GraphSession

DIAGRAM_PARTS = ("chance", "decision", "utility", "edges", "options")


class File(NamedTuple):
    """Kind of file that a graph is saved as."""

    name: str
    label: str
    mime: str
    text: Callable[[GraphSession], str]


def bif_text(session: GraphSession) -> str:
    """Network in BIF; ValueError if there are no probabilities."""
    if session.network is None:
        raise ValueError("BIF needs probabilities, and this graph has none: give a BayesianNetwork, or data to fit to.")
    return format_bif(session.network)


def graphml_text(session: GraphSession) -> str:
    """Graph in GraphML, with the states of its nodes where they are known."""
    return format_graphml(session.drawn, session.variables)


def python_text(session: GraphSession) -> str:
    """Python code that builds the graph again."""
    graph = session.graph
    if not isinstance(graph, InfluenceDiagram):
        return python_code(graph)
    written = "".join(f"    {name}={getattr(graph, name)!r},\n" for name in DIAGRAM_PARTS)
    return f"from bnlab.networks import InfluenceDiagram\n\ndiagram = InfluenceDiagram(\n{written})\n"


FILES = {
    "bif": File("graph.bif", "BIF: network with probabilities", "text/plain", bif_text),
    "graphml": File("graph.graphml", "GraphML", "application/xml", graphml_text),
    "python": File("graph.py", "Python code", "text/x-python", python_text),
}


def save(session: GraphSession, path: str | Path, *, picture: Callable[[], Picture]) -> None:
    """Write a file of the kind of its suffix; ValueError for another suffix."""
    path = Path(path)
    texts = {Path(file.name).suffix: file.text for file in FILES.values()}
    if path.suffix == ".svg":
        picture().save(path)
    elif path.suffix in texts:
        replace_file(path, texts[path.suffix](session))
    else:
        raise ValueError(f"{path.name!r}: the suffix selects the format; use .svg, {', '.join(texts)}.")


def still_html(session: GraphSession, picture: Picture) -> str:
    """Picture, with the evidence if there is any, and the scores where there are data."""
    given = f"<p>{escape(evidence_text(session))}</p>" if session.evidence else ""
    return f"<div>{picture.to_html()}{given}{_score_html(session)}</div>"


def _score_html(session: GraphSession) -> str:
    """Scores of the graph as a table; after a change also the differences."""
    import pandas as pd

    if session.scores is None or session.history is None:
        return ""
    frame = score_frame(session)
    shown = pd.DataFrame({"score": list(map(score_label, frame.index)), "nats": list(map(nats, frame.after))})
    if session.history.position:
        shown["since the start"] = list(map(signed, frame.since_start))
    caption = f"Greater is better; {session.scores.source.n_rows:,} rows."
    return html_table(shown, right=list(shown)[1:], caption=caption).html
