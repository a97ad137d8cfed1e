"""Why a graph has no edge between two nodes: a cycle, a rule, or the change of the scores."""

from __future__ import annotations

from typing import Any

from bnlab.figures.graphs import node_tables
from bnlab.figures.labels import score_label
from bnlab.graphs.editing import Edit, edited
from bnlab.widgets.graph.rules import broken_rule, rule_actions, rule_against
from bnlab.widgets.graph.session import GraphSession


def absent_pair(session: GraphSession, u: str, v: str, *, editable: bool) -> dict[str, Any]:
    """Details of two nodes without an edge: the reasons for each direction."""
    edges = [absent_edge(session, *ends, editable=editable) for ends in ((u, v), (v, u))]
    return {"kind": "pair", "title": f"{u}, {v}", "subtitle": "Two nodes without an edge", "absent": edges}


def absent_edge(session: GraphSession, u: str, v: str, *, editable: bool) -> dict[str, Any]:
    """Reasons why a graph has no edge u -> v, score changes and possible actions, as plain values."""
    dag, knowledge = session.dag, session.knowledge
    assert dag is not None
    rows: list[dict[str, Any]] = []
    rule = rule_against(knowledge, u, v)
    actions = rule_actions(knowledge, u, v, ("forbid", "free"))
    try:
        after = edited(dag, Edit("add", u, v))
    except ValueError as error:
        reasons = [f"Not possible: {error}"]
    else:
        rule = rule or broken_rule(knowledge, dag, after)
        if not rule:
            actions = ["add", *actions]
        reasons = [] if rule else ["No cycle and no rule is against it."]
        if session.scores is None:
            reasons.append("Its score change needs data without missing values.")
        else:
            reasons.append("Score change with this edge, nats:")
            gains = session.scores.gain(after, after.index(u), after.index(v)).tolist()
            for name, gain in zip(session.scores.scores, gains, strict=True):
                rows.append({"label": score_label(name), "change": node_tables.change(gain), "better": gain > 0})
    if rule:
        reasons = [f"Knowledge: {rule}.", *reasons]
    return {"u": u, "v": v, "reasons": reasons, "rows": rows, "actions": actions if editable else []}
