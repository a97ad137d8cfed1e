"""What a `NetworkGraph` gives out: files, data frames, and its form without a kernel."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from bnlab._runtime.files import replace_file
from bnlab.figures.graphs.network import edge_classes, edge_directions
from bnlab.figures.graphs.node_tables import nats
from bnlab.figures.labels import score_label
from bnlab.figures.picture import Picture
from bnlab.figures.table import html_table, signed
from bnlab.graphs.pdag import python_code
from bnlab.networks.influence import InfluenceDiagram
from bnlab.networks.io.bif_writer import format_bif
from bnlab.networks.io.graphml import format_graphml
from bnlab.widgets.graph.session import GraphSession
from bnlab.widgets.graph.texts import evidence_text

if TYPE_CHECKING:
    import pandas as pd


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


Values = Mapping[tuple[str, str], float]


def score_frame(session: GraphSession) -> pd.DataFrame:
    """Scores before and after the last change, and of the first graph; no rows without data."""
    import pandas as pd

    names: list[str] = [] if session.scores is None else list(session.scores.scores)
    now, before, start = (np.empty(0),) * 3 if session.scores is None else session.totals()
    columns = {"before": before, "after": now, "difference": now - before, "start": start, "since_start": now - start}
    return pd.DataFrame(columns, index=names)


def marginal_frame(session: GraphSession) -> pd.DataFrame:
    """Marginals before and after the evidence, one row per state; ValueError if there are none."""
    import pandas as pd

    prior, posterior = session.prior, session.posterior
    if prior is None or posterior is None or session.variables is None:
        raise ValueError(session.unavailable)
    pairs = [(v.name, state) for v in session.variables for state in v.states]
    return pd.DataFrame(
        {
            "before": np.concatenate([prior.marginals[name] for name in session.names]),
            "after": np.concatenate([posterior.marginals[name] for name in session.names]),
        },
        index=pd.MultiIndex.from_tuples(pairs, names=["node", "state"]),
    )


def edge_frame(session: GraphSession, strengths: Values | None, score: str, *, essential: bool = False) -> pd.DataFrame:
    """Edges with class and strengths, one row per edge; if `essential`, edges without a decided direction have none."""
    import pandas as pd

    own, values, shown = edge_directions(session.drawn), strengths or {}, session.drawn
    if essential and session.essential is not None:
        shown = session.essential
    marks, reference = edge_directions(shown), session.reference
    found = {} if reference is None else edge_classes(shown, reference.comparable(shown, essential=essential))
    drawn = {edge: edge if edge in marks else edge[::-1] for edge in own}
    frame = pd.DataFrame(list(own), columns=["u", "v"])
    frame["directed"] = [marks[edge] for edge in drawn.values()]
    frame["class"] = [found.get(edge, "") for edge in drawn.values()]
    frame["strength"] = np.array([values.get(edge, np.nan) for edge in own], dtype=np.float64)
    if session.edge_strengths is not None:
        for column, kind in (("gain", "gain"), ("mutual_information", "mutual-information"), ("p_value", "p-value")):
            measured = session.edge_strengths.values(session.dag, kind, score)  # type: ignore[arg-type]
            frame[column] = [measured[edge] for edge in own]
    return frame


def still_html(session: GraphSession, picture: Picture) -> str:
    """Picture, evidence if there is any, and scores if there are data."""
    given = f"<p>{escape(evidence_text(session))}</p>" if session.evidence or session.do else ""
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
