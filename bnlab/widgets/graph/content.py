"""What the parts of a `NetworkGraph` show of its session: contents of the panel, bars, tables."""

from __future__ import annotations

from collections.abc import Mapping
from math import exp
from typing import TYPE_CHECKING, Any

import numpy as np

from bnlab.figures.graphs import node_tables
from bnlab.figures.graphs.network import AnyGraph, edge_classes
from bnlab.figures.labels import score_label
from bnlab.figures.table import signed
from bnlab.graphs import Dag, Pdag, essential_graph, skeleton
from bnlab.graphs.dag import counted
from bnlab.networks.influence import InfluenceDiagram
from bnlab.widgets.graph.session import GraphSession

if TYPE_CHECKING:
    import pandas as pd

    from bnlab.data.variable import Variable

Values = Mapping[tuple[str, str], float]

HINTS = (
    "Click a node or an edge for all about it.",
    "Click a state to observe it; its probability and those of all other nodes follow.",
    "Drag from the rim of a node to another to add an edge. Select an edge to reverse or delete it.",
)
CLASS_WORDS = {
    "true": "as in the reference",
    "reversed": "the other way in the reference",
    "extra": "not in the reference",
    "missing": "only in the reference",
}
LONGEST_TITLE = 8


def variable(session: GraphSession, name: str) -> Variable:
    """Variable of a node; ValueError when nothing tells its states."""
    if session.variables is None:
        raise ValueError(f"node {name!r}: nothing tells its states; give a BayesianNetwork or data.")
    return session.variables[session.names.index(name)]


def content(
    session: GraphSession,
    node: str | None,
    edge: Mapping[str, Any] | None,
    *,
    editable: bool = False,
) -> dict[str, Any]:
    """Content of the panel for what is selected: a node by name, or an edge as the picture shows it."""
    # That a graph alone has no probabilities is no news; that inference is out of reach is.
    notes = [session.unavailable] if session.unavailable and session.variables is not None else []
    if node is not None:
        return _node(session, node) | {"notes": notes}
    if edge is not None:
        return _edge(session, edge, editable)
    hints = [HINTS[0], *([HINTS[1]] if session.infers else []), *([HINTS[2]] if editable else [])]
    return {"kind": "none", "title": "Nothing selected", "subtitle": size_words(session), "notes": [*hints, *notes]}


def _node(session: GraphSession, name: str) -> dict[str, Any]:
    drawn = session.given.dag if isinstance(session.given, InfluenceDiagram) else session.graph
    shown: dict[str, Any] = {"kind": "node", "title": name, "subtitle": _kind(session, name)}
    shown["around"] = [list(group) for group in node_tables.neighbours(drawn, name).items()]  # type: ignore[arg-type]
    if session.variables is None:
        return shown
    shown |= _states(session, name)
    dag, i = session.dag, session.names.index(name)
    if dag is not None and session.infers:
        net = session.network
        assert net is not None
        family = None if session.source is None else session.source.count([(i, dag.parents[i])])[0]
        shown["cpt"] = node_tables.cpt_rows(net, i, family)
    if dag is not None and session.scores is not None:
        shown["local"] = node_tables.local_scores(session.scores, dag, i)
    return shown


def _states(session: GraphSession, name: str) -> dict[str, Any]:
    known = variable(session, name)
    prior, posterior, evidence = session.prior, session.posterior, session.evidence
    counts = None
    if session.source is not None:
        counts = session.source.count([(session.names.index(name), ())])[0].dense()
    rows = node_tables.state_rows(
        known,
        counts=counts,
        prior=prior.marginals[name] if prior is not None and evidence else None,
        posterior=None if posterior is None else posterior.marginals[name],
        observed=known.code(evidence[name]) if name in evidence else None,
    )
    more = known.arity - len(rows)
    return {
        "states": rows,
        "states_note": f"{len(rows)} of {known.arity:,} states; {more:,} are not shown." if more else "",
        "evidence": prior is not None,
        "observing": bool(evidence),
    }


def _kind(session: GraphSession, name: str) -> str:
    if isinstance(session.given, InfluenceDiagram):
        kind = session.given.kind(name)
        options = session.given.options.get(name, ())
        return f"{kind} node" + (f": {', '.join(map(str, options))}" if options else "")
    return "" if session.variables is None else counted(variable(session, name).arity, "state")


def _edge(session: GraphSession, drawn: Mapping[str, Any], editable: bool) -> dict[str, Any]:
    u, v, directed = drawn["u"], drawn["v"], drawn["directed"]
    dag = session.dag
    # An undirected edge of the essential graph may run the other way in the graph itself.
    if dag is not None and not directed and (v, u) in dag.edges:
        u, v = v, u
    there = dag is not None and (u, v) in dag.edges
    title = f"{drawn['u']} {'→' if directed else '–'} {drawn['v']}"
    shown: dict[str, Any] = {"kind": "edge", "title": title, "u": u, "v": v}
    shown["subtitle"] = CLASS_WORDS.get(drawn["kind"], "")
    if editable:
        shown["actions"] = ["reverse", "delete"] if there else ["add"]
    if there and session.scores is not None:
        strength = session.strength(u, v)
        shown |= {"numbers": node_tables.edge_numbers(strength), "removal": node_tables.removal(strength)}
    elif there:
        shown["notes"] = ["Without data there are no numbers on the strength of an edge."]
    return shown


def classes(session: GraphSession, reference: AnyGraph) -> dict[tuple[str, str], str]:
    """Class of each edge of the present graph against a reference, with those it misses."""
    graph = session.graph
    return {} if isinstance(graph, InfluenceDiagram) else edge_classes(graph, reference)


def comparable(reference: AnyGraph | None, shown: Any, *, essential: bool = False) -> AnyGraph | None:
    """Reference of the kind that is shown: an essential graph is compared with the essential graph.

    A graph without any direction is taken for a skeleton, unless it is said to be essential.
    """
    if not isinstance(shown, Pdag) or not isinstance(reference, Dag):
        return reference
    return essential_graph(reference) if shown.directed or essential else skeleton(reference)


def titles(session: GraphSession) -> dict[str, str]:
    """Tooltips of the nodes: their states."""
    if session.variables is None:
        return {}
    return {v.name: f"{v.name}: {_listed(list(map(str, v.states)))}" for v in session.variables}


def _listed(states: list[str]) -> str:
    more = len(states) - LONGEST_TITLE
    return ", ".join(states[:LONGEST_TITLE]) + (f" and {more} more" if more > 0 else "")


def bars(session: GraphSession) -> dict[str, dict[str, Any]] | None:
    """Bars of all nodes, with those before the evidence; of nodes of very many states none."""
    prior, posterior, evidence = session.prior, session.posterior, session.evidence
    if prior is None or posterior is None or session.variables is None:
        return None
    return {
        v.name: {
            "states": list(map(str, v.states)),
            "p": posterior.marginals[v.name].tolist(),
            "set": v.code(evidence[v.name]) if v.name in evidence else None,
            "before": prior.marginals[v.name].tolist() if evidence else None,
        }
        for v in session.variables
        if v.arity <= node_tables.MOST_STATES
    }


def evidence_words(session: GraphSession) -> str:
    """Say what is observed, and how probable that is."""
    if not session.evidence or session.posterior is None:
        return "No evidence."
    seen = ", ".join(f"{name} = {state}" for name, state in session.evidence.items())
    return f"Given {seen} (probability {exp(session.posterior.log_probability):.4g})."


def step_words(session: GraphSession, score: str) -> str:
    """Say what the last change was, and what it did to one score."""
    assert session.history is not None
    last = session.history.last.replace("->", "→")
    change = score_words(session, score) if last else ""
    return " · ".join(filter(None, [last or "The graph that editing began with", change, size_words(session)]))


def score_table(session: GraphSession, chosen: str) -> dict[str, Any]:
    """Scores of the graph for the panel; no rows without data."""
    if session.scores is None or session.history is None:
        return {"rows": []}
    now, before, start = session.totals()
    last = session.history.last.replace("->", "→")
    caption = f"Last change: {last}" if last else "Nothing changed yet; greater is better."
    rows = node_tables.score_rows(session.scores.scores, now, before, start)
    return {"rows": rows, "caption": caption, "chosen": chosen}


def score_words(session: GraphSession, name: str) -> str:
    """Change of one score by the last change, in words; empty without data."""
    if session.scores is None:
        return ""
    now, before, _ = session.totals()
    at = session.scores.scores.index(name)
    return f"{score_label(name)} {signed(now[at] - before[at])}"


def score_frame(session: GraphSession) -> pd.DataFrame:
    """Scores before and after the last change, and of the first graph."""
    import pandas as pd

    columns = ["before", "after", "difference", "start", "since_start"]
    if session.scores is None:
        return pd.DataFrame(columns=columns, dtype=np.float64)
    now, before, start = session.totals()
    values = np.column_stack([before, now, now - before, start, now - start])
    return pd.DataFrame(values, index=list(session.scores.scores), columns=columns)


def marginal_frame(session: GraphSession) -> pd.DataFrame:
    """Marginals before and after the evidence, a row a state; ValueError when there are none."""
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


def edge_frame(session: GraphSession, reference: AnyGraph | None, strengths: Values | None, score: str) -> pd.DataFrame:
    """Edges with class and strengths, a row an edge."""
    import pandas as pd

    graph = session.graph
    lines = {} if not isinstance(graph, Pdag) else dict.fromkeys(graph.undirected_edges, False)
    arrows = graph.directed_edges if isinstance(graph, Pdag) else tuple(graph.edges)
    marks = dict.fromkeys(arrows, True) | lines
    found = {} if reference is None else classes(session, reference)
    values = strengths or {}
    frame = pd.DataFrame(
        {
            "u": [u for u, _ in marks],
            "v": [v for _, v in marks],
            "directed": list(marks.values()),
            "class": [found.get(edge, "") for edge in marks],
            "strength": np.array([values.get(edge, np.nan) for edge in marks], dtype=np.float64),
        }
    )
    if session.scores is not None:
        for column, kind in (("gain", "gain"), ("mutual_information", "mutual-information"), ("p_value", "p-value")):
            measured = session.strengths(kind, score)  # type: ignore[arg-type]
            frame[column] = [measured[edge] for edge in marks]
    return frame


def size_words(session: GraphSession) -> str:
    """Say in a line how large the graph is."""
    given = session.given
    if isinstance(given, InfluenceDiagram):
        return f"influence diagram of {counted(len(given.names), 'node')}, {counted(len(tuple(given.edges)), 'edge')}"
    n_rows = None if session.source is None else session.source.n_rows
    return node_tables.summary(session.graph, session.n_parameters, n_rows)  # type: ignore[arg-type]
