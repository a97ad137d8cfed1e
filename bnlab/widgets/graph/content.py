"""Content of a `NetworkGraph` for its session: details, bars, tables, messages, and the still form."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from html import escape
from math import exp
from typing import TYPE_CHECKING, Any

import numpy as np

from bnlab.figures.graphs import node_tables
from bnlab.figures.graphs.network import ABSENT, CONFLICT, UNDECIDED, Reference, edge_classes, edge_directions
from bnlab.figures.graphs.node_tables import nats
from bnlab.figures.labels import capitalised, score_label
from bnlab.figures.picture import Picture
from bnlab.figures.queries.tornado import tornado_data
from bnlab.figures.table import html_table, signed
from bnlab.graphs import Dag, Pdag, essential_graph, skeleton
from bnlab.graphs.dag import counted
from bnlab.networks.influence import InfluenceDiagram
from bnlab.networks.query.evidence import Finding, stated
from bnlab.networks.query.relevance import what_matters
from bnlab.widgets.graph.absent_edges import absent_edge, absent_pair
from bnlab.widgets.graph.focus import WORDS
from bnlab.widgets.graph.rules import joined, knowledge_text, rule_actions, rule_against
from bnlab.widgets.graph.session import GraphSession

if TYPE_CHECKING:
    import pandas as pd

    from bnlab.data.variable import Variable

MATTERS = ("information", "share", "change", "accuracy")
"""Columns of `what_matters` in the inspector."""
MOST_SENSITIVE = 10
"""Maximum number of probabilities in the table of the sensitivity."""
Values = Mapping[tuple[str, str], float]
Edge = Mapping[str, Any]

HINTS = (
    "Select a node or edge for details.",
    "Click a state of the selected node to observe it.",
    "To add an edge, drag from the handle below a node to another node.",
)
CLASS_TEXTS = {
    "true": "also in {}",
    "in both": "also in {}",
    "reversed": "reversed in {}",
    "extra": "not in {}",
    "only here": "not in {}",
    "missing": "only in {}",
    "only there": "only in {}",
}
OPEN_TEXTS = {
    UNDECIDED: "The data do not decide its direction",
    CONFLICT: "Tests contradict each other about its direction",
}


def variable(session: GraphSession, name: str) -> Variable:
    """Variable of a node; ValueError if its states are unknown."""
    if session.variables is None:
        raise ValueError(f"node {name!r}: its states are unknown; give a BayesianNetwork or data.")
    return session.variables[session.names.index(name)]


def content(
    session: GraphSession, nodes: Sequence[str], edge: Mapping[str, Any] | None, *, editable: bool, ruled: bool
) -> dict[str, Any]:
    """Details of the selection: nodes by name, or an edge as the picture shows it.

    Two nodes without an edge are a pair, source first. Otherwise the details are those of the last node.
    """
    # If the states are known, inference is too expensive, which is worth a note.
    notes = [capitalised(session.unavailable)] if session.unavailable and session.variables is not None else []
    notes += [session.estimate_note] if session.estimate_note else []
    # The picture may draw an edge of a comparison, or a forbidden edge, between two nodes without an edge.
    pair = len(nodes) == 2 and session.dag is not None and not joined(session.dag, *nodes)
    if edge is not None and not pair:
        return _edge(session, edge, editable, ruled)
    if pair:
        return absent_pair(session, nodes[0], nodes[1], editable=editable)
    if nodes:
        return _node(session, nodes[-1]) | {"notes": notes}
    return {"kind": "none", "title": "Nothing selected"}


def hint_text(session: GraphSession, *, editable: bool, states: bool = True) -> str:
    """First message: size of the graph, and possible actions."""
    if not session.names:
        return "An empty network. Add a variable, with its name and its states."
    parts = [size_text(session) + ".", HINTS[0], *([HINTS[1]] if session.infers and states else [])]
    if session.unavailable and session.variables is not None:
        parts.append(capitalised(session.unavailable))
    if session.estimate_note:
        parts.append(session.estimate_note)
    if session.knowledge is not None:
        parts.append(knowledge_text(session.knowledge, session.knowledge, session.dag))
    return " ".join([*parts, *([HINTS[2]] if editable else [])])


def focus_text(session: GraphSession, focus: Sequence[str], part: Sequence[str], relation: str) -> str:
    """Message about the drawn part of the graph."""
    if not focus:
        return f"All {counted(len(session.names), 'node')} are drawn."
    words = f"{WORDS.get(relation, WORDS['neighbours'])} of {', '.join(focus)}"
    return f"{len(part)} of {counted(len(session.names), 'node')}: {words}. “Neighbourhood only” shows all again."


def _node(session: GraphSession, name: str) -> dict[str, Any]:
    shown: dict[str, Any] = {"kind": "node", "title": name, "subtitle": _kind(session, name)}
    shown["around"] = [
        [capitalised(title), names] for title, names in node_tables.neighbours(session.drawn, name).items()
    ]
    if session.variables is None:
        return shown
    shown |= _states(session, name)
    dag, i = session.dag, session.names.index(name)
    if dag is not None and session.infers:
        net = session.network
        assert net is not None
        family = None if session.source is None else session.source.count([(i, dag.parents[i])])[0]
        shown["cpt"] = node_tables.cpt_rows(net, i, family)
    return shown


def relevance(session: GraphSession, name: str) -> dict[str, Any]:
    """Information of each other node about a node, given the observations and interventions."""
    if name in session.evidence or name in session.do:
        return {"matters": [], "matters_note": f"{name} is observed or set: nothing is left to learn about it."}
    if session.estimate_note:
        return {"matters": [], "matters_note": "It needs exact inference, whose tables would be too large."}
    net = session.network
    assert net is not None
    frame = what_matters(net.do(session.do) if session.do else net, name, session.evidence)
    frame = frame.drop(index=list(session.do))
    rows = [
        {"name": node, "blanket": bool(row["blanket"]), "values": [float(row[column]) for column in MATTERS]}
        for node, row in frame.iterrows()
    ]
    return {"matters": rows, "matters_note": "Nodes of the Markov blanket are bold."}


def sensitivity(session: GraphSession, name: str, k: int) -> dict[str, Any]:
    """Probabilities of the network that move the probability of a state the most, given the evidence."""
    if name in session.evidence or name in session.do:
        return {"sensitivity": {"rows": [], "note": f"{name} is observed or set: its probability is fixed."}}
    if session.estimate_note:
        return {"sensitivity": {"rows": [], "note": "It needs exact inference, whose tables would be too large."}}
    net, known = session.network, variable(session, name)
    assert net is not None
    if known.arity < 2:
        return {"sensitivity": {"rows": [], "note": f"{name} has one state, whose probability is 1."}}
    found = tornado_data(net.do(session.do) if session.do else net, name, known.states[k], session.evidence, most=None)
    # Of a node of two states, a change of one probability is a change of the other.
    two = {v.name: v.states[1] for v in net.variables if v.arity == 2}
    own = np.array([two.get(node, ...) != s for node, s in zip(found.bars.node, found.bars.state, strict=True)])
    bars = found.bars[own & ~found.bars.node.isin(list(session.do)) & (found.bars.derivative != 0)]
    rows = []
    for bar in bars.head(MOST_SENSITIVE).to_dict("records"):
        ends = sorted(found.now if np.isnan(bar[end]) else bar[end] for end in ("at_low", "at_high"))
        needed = "–" if np.isnan(bar["needed"]) else f"{bar['needed']:.3g}"
        numbers = [f"{bar['probability']:.3g}", f"{bar['derivative']:.3g}".replace("-", "−"), needed]
        row = {"label": bar["label"], "node": bar["node"], "numbers": numbers, "ends": list(map(float, ends))}
        rows.append(row | {"range": f"{ends[0]:.2f} to {ends[1]:.2f}"})
    note = "Range: with the probability 0.1 lower and 0.1 higher, the others of its row in proportion."
    states = [str(state) for state in known.states[: node_tables.MOST_STATES]]
    about = {"query": found.query, "now": found.now, "state": k, "states": states}
    return {"sensitivity": about | {"rows": rows, "note": note if rows else "No probability of the network moves it."}}


def explanation(session: GraphSession) -> dict[str, Any]:
    """Details of the most probable explanation, and of the second most probable one."""
    found, posterior = session.explanation, session.posterior
    if found is None or posterior is None:
        return {"kind": "none", "title": "Nothing selected"}
    other = {} if found.runner_up is None else found.runner_up.states
    rows = []
    for name, value in found.states.items():
        if name not in session.do:
            own = float(posterior.marginals[name][variable(session, name).code(value)])
            differs = str(other[name]) if other and other[name] != value else ""
            rows.append({"name": name, "state": str(value), "p": f"{own:.1%}", "other": differs})
    words = f"Probability of all these states together: {found.probability:.3g}."
    if found.runner_up is not None:
        words += f" Of the second most probable ones: {found.runner_up.probability:.3g}."
    shown = {"kind": "explanation", "title": "Most probable explanation"}
    given = "given the evidence" if session.evidence or session.do else "without evidence"
    return shown | {"subtitle": f"Most probable states together, {given}", "explanation": rows, "notes": [words]}


def _states(session: GraphSession, name: str) -> dict[str, Any]:
    known = variable(session, name)
    prior, posterior, evidence = session.prior, session.posterior, session.evidence
    given = {**evidence, **session.do}
    counts = None
    if session.source is not None:
        counts = session.source.count([(session.names.index(name), ())])[0].dense()
    rows = node_tables.state_rows(
        known,
        counts=counts,
        prior=prior.marginals[name] if prior is not None and given else None,
        posterior=None if posterior is None else posterior.marginals[name],
        observed=_code(known, evidence),
    )
    for k, row in enumerate(rows):
        row["done"] = name in session.do and k == known.code(session.do[name])
    more = known.arity - len(rows)
    return {
        "states": rows,
        "states_note": f"{len(rows)} of {known.arity:,} states; {more:,} are not shown." if more else "",
        "evidence": prior is not None,
        "observing": bool(given),
    }


def _kind(session: GraphSession, name: str) -> str:
    if isinstance(session.given, InfluenceDiagram):
        kind = session.given.kind(name)
        options = session.given.options.get(name, ())
        return f"{kind} node" + (f": {', '.join(map(str, options))}" if options else "")
    return "" if session.variables is None else counted(variable(session, name).arity, "state")


def _edge(session: GraphSession, drawn: Edge, editable: bool, ruled: bool) -> dict[str, Any]:
    u, v, directed = drawn["u"], drawn["v"], drawn["directed"]
    dag, reference = session.dag, session.reference
    # An undirected edge of the essential graph may have the other direction in the graph itself.
    if dag is not None and not directed and (v, u) in dag.edges:
        u, v = v, u
    there = dag is not None and (u, v) in dag.edges
    title = f"{drawn['u']} {'→' if directed else '–'} {drawn['v']}"
    shown: dict[str, Any] = {"kind": "edge", "title": title, "u": u, "v": v}
    shown["subtitle"] = OPEN_TEXTS.get(drawn["kind"], "")
    if reference is not None:
        compared = CLASS_TEXTS.get(drawn["kind"], "").format(reference.name)
        is_open = not directed and drawn["kind"] not in ABSENT and (dag is not None or session.drawn.directed)  # type: ignore[union-attr]
        also = OPEN_TEXTS[UNDECIDED] if compared and is_open else shown["subtitle"]
        shown["subtitle"] = ". ".join(filter(None, [compared, also]))
    if session.confidence is not None:
        p, share = session.probabilities.get((drawn["u"], drawn["v"])), session.direction(u, v)
        shown["confidence"] = [
            *([] if p is None else [{"label": "Joined", "value": f"{p:.1%}", "tip": "In either direction"}]),
            {"label": f"{u} → {v}", "value": f"{share:.1%}", "tip": "Share of this direction"},
            {"label": f"{v} → {u}", "value": f"{1 - share:.1%}", "tip": "Share of the other direction"},
        ]
    knowledge = session.knowledge
    if drawn["kind"] == "forbidden" and not there:
        return shown | {"absent": [absent_edge(session, u, v, editable=editable)]}
    if editable:
        shown["actions"] = ["reverse", "delete", *rule_actions(knowledge, u, v)] if there else ["add"]
    elif ruled and there and directed:
        shown["actions"] = rule_actions(knowledge, u, v)
    if there and knowledge is not None:
        said = "This edge is required." if (u, v) in knowledge.required else rule_against(knowledge, u, v)
        shown["rule"] = f"Knowledge: {said}" if said else ""
    if dag is not None and there and session.edge_strengths is not None:
        strength = session.edge_strengths.of(dag, dag.index(u), dag.index(v))
        shown |= {"numbers": node_tables.edge_numbers(strength), "removal": node_tables.removal(strength)}
    elif there:
        shown["notes"] = ["The strength of an edge needs data without missing values."]
    return shown


def comparable(reference: Reference | None, shown: Any, *, essential: bool = False) -> Reference | None:
    """Reference of the same kind as the shown graph: for an essential graph, the essential graph of the reference.

    A graph without directed edges counts as a skeleton, unless `essential` is set.
    """
    if reference is None or not isinstance(shown, Pdag) or not isinstance(reference.graph, Dag):
        return reference
    classes = bool(shown.directed) or essential
    graph = essential_graph(reference.graph) if classes else skeleton(reference.graph)
    return replace(reference, graph=graph, essential=classes)


def bars(session: GraphSession, *, explained: bool = False) -> dict[str, dict[str, Any]] | None:
    """Bars of all nodes with their values before the evidence; nodes with very many states have none.

    With `explained`, "best" is the state in the most probable explanation.
    """
    prior, posterior, given = session.prior, session.posterior, {**session.evidence, **session.do}
    if prior is None or posterior is None or session.variables is None:
        return None
    found = session.explanation if explained else None
    best = {} if found is None else found.states
    return {
        v.name: {
            "best": v.code(best[v.name]) if v.name in best else None,
            "states": list(map(str, v.states)),
            "p": posterior.marginals[v.name].tolist(),
            "set": _code(v, given),
            "before": prior.marginals[v.name].tolist() if given else None,
        }
        for v in session.variables
        if v.arity <= node_tables.MOST_STATES
    }


def _code(known: Variable, given: Mapping[str, Finding]) -> int | None:
    """Code of the state that a node is known to have; None if there is none."""
    finding = given.get(known.name)
    return None if finding is None or isinstance(finding, Mapping | list | set) else known.code(finding)


def evidence_text(session: GraphSession) -> str:
    """Message about the evidence and its probability."""
    if session.posterior is None or not (session.evidence or session.do):
        return "No evidence."
    seen, done = (", ".join(stated(*item) for item in given.items()) for given in (session.evidence, session.do))
    if not seen:
        return f"After do({done})."
    logarithm = session.posterior.log_probability
    # Below this, a float would be 0.
    probability = f"{exp(logarithm):.4g}" if logarithm > -690 else f"{Decimal(logarithm).exp():.3e}"
    return f"Given {seen} (probability {probability}{f' after do({done})' if done else ''})."


def step_text(session: GraphSession, score: str) -> str:
    """Message about the last change of the graph, with the change of one score."""
    assert session.history is not None
    last, change = session.history.last.replace("->", "→"), ""
    if session.scores is not None and session.history.now.dag != session.history.before.dag:
        now, before, _ = session.totals()
        at = session.scores.scores.index(score)
        change = f"{score_label(score)} {signed(now[at] - before[at])}"
    return " · ".join(filter(None, [last or "Initial graph", change, size_text(session)]))


def score_table(session: GraphSession) -> dict[str, Any]:
    """Changes of the scores by edits; no rows without data or edits."""
    if session.scores is None or session.history is None or not session.history.position:
        return {"rows": []}
    last = session.history.last.replace("->", "→")
    rows = node_tables.score_rows(session.scores.scores, *session.totals())
    return {"rows": rows, "caption": f"Last change: {last}"}


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


def edge_frame(session: GraphSession, strengths: Values | None, score: str) -> pd.DataFrame:
    """Edges with class and strengths, one row per edge."""
    import pandas as pd

    marks, values = edge_directions(session.drawn), strengths or {}
    found = {} if session.reference is None else edge_classes(session.drawn, session.reference)
    frame = pd.DataFrame(list(marks), columns=["u", "v"])
    frame["directed"] = list(marks.values())
    frame["class"] = [found.get(edge, "") for edge in marks]
    frame["strength"] = np.array([values.get(edge, np.nan) for edge in marks], dtype=np.float64)
    if session.edge_strengths is not None:
        for column, kind in (("gain", "gain"), ("mutual_information", "mutual-information"), ("p_value", "p-value")):
            measured = session.edge_strengths.values(session.dag, kind, score)  # type: ignore[arg-type]
            frame[column] = [measured[edge] for edge in marks]
    return frame


def size_text(session: GraphSession) -> str:
    """Size of the graph in one line."""
    given = session.given
    if isinstance(given, InfluenceDiagram):
        return f"influence diagram of {counted(len(given.names), 'node')}, {counted(len(tuple(given.edges)), 'edge')}"
    n_rows = None if session.source is None else session.source.n_rows
    return node_tables.summary(session.drawn, session.n_parameters, n_rows)


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
