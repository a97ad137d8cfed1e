"""Details of what is selected in a `NetworkGraph`, as plain values for the inspector."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from bnlab.figures.graphs import node_tables
from bnlab.figures.graphs.network import ABSENT, CONFLICT, UNDECIDED
from bnlab.figures.labels import capitalised
from bnlab.figures.queries.tornado import tornado_data
from bnlab.graphs.dag import counted
from bnlab.networks.influence import InfluenceDiagram
from bnlab.networks.query.evidence import Finding
from bnlab.networks.query.relevance import what_matters
from bnlab.widgets.graph.absent_edges import absent_edge, absent_pair
from bnlab.widgets.graph.rules import joined, rule_actions, rule_against
from bnlab.widgets.graph.session import GraphSession

if TYPE_CHECKING:
    from bnlab.data.variable import Variable

MATTERS = ("information", "share", "change", "accuracy")
"""Columns of `what_matters` in the inspector."""
MOST_SENSITIVE = 10
"""Maximum number of probabilities in the table of the sensitivity."""
Edge = Mapping[str, Any]
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


def selection_details(
    session: GraphSession, nodes: Sequence[str], edge: Mapping[str, Any] | None, *, editable: bool
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
        return _edge(session, edge, editable)
    if pair:
        return absent_pair(session, nodes[0], nodes[1], editable=editable)
    if nodes:
        return _node(session, nodes[-1]) | {"notes": notes}
    return {"kind": "none", "title": "Nothing selected"}


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
        observed=known_code(known, evidence),
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


def _edge(session: GraphSession, drawn: Edge, editable: bool) -> dict[str, Any]:
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
        shown["actions"] = ["reverse", "delete"] if there else ["add"]
        if there and directed:
            shown["actions"] += rule_actions(knowledge, u, v)
        elif there:  # a rule is about one of the directions, which are not seen
            ways = ((drawn["u"], drawn["v"]), (drawn["v"], drawn["u"]))
            shown["ways"] = [{"u": a, "v": b, "actions": rule_actions(knowledge, a, b)} for a, b in ways]
    if there and knowledge is not None:
        said = "This edge is required." if (u, v) in knowledge.required else rule_against(knowledge, u, v)
        shown["rule"] = f"Knowledge: {said}" if said else ""
    if dag is not None and there and session.edge_strengths is not None:
        strength = session.edge_strengths.of(dag, dag.index(u), dag.index(v))
        shown |= {"numbers": node_tables.edge_numbers(strength), "removal": node_tables.removal(strength)}
    elif there:
        shown["notes"] = ["The strength of an edge needs data without missing values."]
    return shown


def known_code(known: Variable, given: Mapping[str, Finding]) -> int | None:
    """Code of the state that a node is known to have; None if there is none."""
    finding = given.get(known.name)
    return None if finding is None or isinstance(finding, Mapping | list | set) else known.code(finding)


def score_table(session: GraphSession) -> dict[str, Any]:
    """Changes of the scores by edits; no rows without data or edits."""
    if session.scores is None or session.history is None or not session.history.position:
        return {"rows": []}
    last = session.history.last.replace("->", "→")
    rows = node_tables.score_rows(session.scores.scores, *session.totals())
    return {"rows": rows, "caption": f"Last change: {last}"}
