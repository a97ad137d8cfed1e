"""Tables that compare networks: shared edges and structural distances."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape

from bnlab.analysis.agreement import distances, edge_agreement
from bnlab.figures.table import HtmlTable, html_table
from bnlab.graphs.confidence import EdgeConfidence
from bnlab.graphs.dag import Dag, counted
from bnlab.graphs.pdag import Pdag

MARKS = {"->": "→", "<-": "←", "--": "–", "": ""}


def agreement_table(
    networks: Mapping[str, Dag | Pdag], confidence: Mapping[str, EdgeConfidence] | None = None, *, most: int = 60
) -> HtmlTable:
    """Table of the edges of several networks: which networks have each edge, and in which direction.

    Parameters
    ----------
    networks, confidence
        As for `bnlab.analysis.edge_agreement`.
    most : int
        Maximum number of edges in the table.

    Examples
    --------
    >>> a = Dag.from_edges(["X", "Y", "Z"], [("X", "Y"), ("Y", "Z")])
    >>> b = Dag.from_edges(["X", "Y", "Z"], [("Y", "X")])
    >>> agreement_table({"a": a, "b": b})
     Edge  Networks  a  b
    X – Y         2  →  ←
    Y – Z         1  →
    """
    frame = edge_agreement(networks, confidence)
    # By position, because a network may have the name of another column.
    everywhere = int((frame.iloc[:, 2] == len(networks)).sum())
    heads = ["Edge", "Networks", *networks, *(["Bootstrap"] if confidence else [])]
    rows = []
    for u, v, n, *marks, strength in frame.head(most).itertuples(index=False, name=None):
        share = "" if strength != strength else f"{strength:.0%}"
        rows.append([f"{u} – {v}", str(n), *(MARKS[mark] for mark in marks), *([share] if confidence else [])])
    more = f"; {len(frame) - most:,} further ones are not listed" if len(frame) > most else ""
    caption = (
        f"{counted(len(frame), 'edge')} in any network, {everywhere} in all of them, regardless of direction{more}. "
        "→ leads from the first variable to the second, ← the other way."
    )
    if "--" in frame.iloc[:, 3:-1].to_numpy():
        caption += " – has no direction that data can decide."
    return text_table(heads, rows, caption)


def distance_table(networks: Mapping[str, Dag | Pdag]) -> HtmlTable:
    """Table of structural Hamming distances between essential graphs, and between the networks if they are directed."""
    classes = distances(networks, equivalence=True)
    caption = (
        "Structural Hamming distance between the essential graphs: pairs of nodes without the same edge; 0 means that "
        "no data can distinguish the two networks."
    )
    rows = [[name, *map(str, classes.iloc[i])] for i, name in enumerate(networks)]
    if all(isinstance(graph, Dag) for graph in networks.values()):
        plain = distances(networks)
        rows = [
            [name, *(f"{a} ({b})" for a, b in zip(classes.iloc[i], plain.iloc[i], strict=True))]
            for i, name in enumerate(networks)
        ]
        caption += " In brackets between the networks: edges that only one of the two has, and edges that are reversed."
    return text_table(["Network", *networks], rows, caption)


def text_table(heads: Sequence[str], rows: Sequence[Sequence[str]], caption: str = "") -> HtmlTable:
    """Table of texts below its caption; all columns but the first are right-aligned, and wide tables scroll."""
    import pandas as pd

    table = html_table(pd.DataFrame(list(map(list, rows)), columns=list(heads), dtype=object), right=list(heads)[1:])
    sentence = f'<p style="margin: 0 0 4px">{escape(caption)}</p>' if caption else ""
    lines = "\n".join(line.rstrip() for line in table.text.split("\n"))
    return HtmlTable(f'{sentence}<div style="overflow-x: auto">{table.html}</div>', lines)
