"""Files that the graph of a `NetworkGraph` is saved as."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from bnlab._runtime.files import replace_file
from bnlab.figures.picture import Picture
from bnlab.graphs.pdag import python_code
from bnlab.networks.influence import InfluenceDiagram
from bnlab.networks.io.bif_writer import format_bif
from bnlab.networks.io.graphml import format_graphml
from bnlab.widgets.graph.session import GraphSession

DIAGRAM_PARTS = ("chance", "decision", "utility", "edges", "options")


class File(NamedTuple):
    """Kind of file that a graph is saved as; `text` is None for a page, which needs more than the session."""

    name: str
    label: str
    mime: str
    text: Callable[[GraphSession], str] | None


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
    "html": File("graph.html", "HTML: interactive page", "text/html", None),
    "bif": File("graph.bif", "BIF: network with probabilities", "text/plain", bif_text),
    "graphml": File("graph.graphml", "GraphML", "application/xml", graphml_text),
    "python": File("graph.py", "Python code", "text/x-python", python_text),
}


def text_of(kind: str, session: GraphSession, page: Callable[[], str]) -> str:
    """Text of a file of a kind."""
    text = FILES[kind].text
    return page() if text is None else text(session)


def save(session: GraphSession, path: str | Path, *, picture: Callable[[], Picture], page: Callable[[], str]) -> None:
    """Write a file of the kind of its suffix; ValueError for another suffix."""
    path = Path(path)
    kinds = {Path(file.name).suffix: kind for kind, file in FILES.items()}
    if path.suffix == ".svg":
        picture().save(path)
    elif path.suffix in kinds:
        replace_file(path, text_of(kinds[path.suffix], session, page))
    else:
        raise ValueError(f"{path.name!r}: the suffix selects the format; use .svg, {', '.join(kinds)}.")
