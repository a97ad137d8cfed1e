"""Edges that a graph does not have: what is against them, a cycle or a rule, and how they would change the scores."""

from __future__ import annotations

from typing import Any

from bnlab.figures.graphs import node_tables
from bnlab.figures.labels import score_label
from bnlab.graphs.editing import Edit, edited
from bnlab.widgets.graph.rules import broken_rule, rule_actions, rule_against
from bnlab.widgets.graph.session import GraphSession

NO_CYCLE = ": a Bayesian network has no cycle."
"""End of an error, which a line in a picture has no room for."""


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
        reasons = [] if rule else ["It creates no cycle and breaks no rule."]
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


def drawn_edge_text(session: GraphSession, u: str, v: str, score: str) -> tuple[str, int]:
    """Change of a score by the edge u -> v, or what is against it; with its sign, 0 if there is no change.

    Examples
    --------
    >>> from bnlab.networks import cancer
    >>> session = GraphSession(cancer())
    >>> drawn_edge_text(session, "Smoker", "Xray", "bic"), drawn_edge_text(session, "Xray", "Smoker", "bic")
    (('Possible', 0), ('would close Smoker → Cancer → Xray → Smoker', -1))
    """
    dag, knowledge = session.dag, session.knowledge
    assert dag is not None
    try:
        after = edited(dag, Edit("add", u, v))
    except ValueError as error:
        reason = str(error).removesuffix(NO_CYCLE).removeprefix(f"adding {u} -> {v}").lstrip(": ")
        return reason.replace("->", "→").removesuffix("."), -1
    if rule := rule_against(knowledge, u, v) or broken_rule(knowledge, dag, after):
        return f"Knowledge: {rule.replace('->', '→')}", -1
    if session.scores is None:
        return "Possible", 0
    gain = float(session.scores.gain(after, after.index(u), after.index(v))[session.scores.scores.index(score)])
    return f"{score_label(score)} {node_tables.change(gain)}", (gain > 0) - (gain < 0)
