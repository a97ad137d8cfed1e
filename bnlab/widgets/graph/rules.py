"""Background knowledge of an interactive graph: rules about its edges, as texts and as kinds of edges."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict

from bnlab.figures.graphs.drawing import NamedEdge
from bnlab.graphs import Dag, Knowledge, Pdag
from bnlab.graphs.checks import CycleError

RULES = ("require", "forbid", "free")
"""Changes of the knowledge that the page may request for an edge."""
MOST_FORBIDDEN = 200
"""Maximum number of forbidden edges that are drawn."""


def rule_against(knowledge: Knowledge | None, u: str, v: str) -> str:
    """Text of a rule that every graph with the edge u -> v breaks; "" if there is none.

    Examples
    --------
    >>> rule_against(Knowledge(tiers=[["a"], ["b"]]), "b", "a")
    "'b' -> 'a' leads from tier 2 back to tier 1"
    """
    if knowledge is None or (u, v) in knowledge.required:
        return ""
    edge = f"{u!r} -> {v!r}"
    if (u, v) in knowledge.forbidden:
        return f"{edge} is forbidden"
    tier = {name: k for k, group in enumerate(knowledge.tiers, 1) for name in group}
    if u in tier and v in tier and tier[u] > tier[v]:
        return f"{edge} leads from tier {tier[u]} back to tier {tier[v]}"
    if knowledge.within is not None and (min(u, v), max(u, v)) not in knowledge.within:
        return f"{edge} is outside `within`"
    try:
        Dag.from_edges(sorted({*knowledge.names, u, v}), [*knowledge.required, (u, v)])
    except CycleError as error:
        return f"{edge} closes a cycle with required edges, {error.cycle}"
    most = knowledge.max_parents
    limit, needed = most.get(v, most.get(None)), sum(child == v for _, child in knowledge.required)
    if limit is not None and needed >= limit:
        most_words = f"the maximum number of parents of {v!r} is {limit}"
        return f"{most_words}, and as many others are required" if needed else most_words
    return ""


def broken_rule(knowledge: Knowledge | None, before: Dag, after: Dag) -> str:
    """Text of the first rule that only the graph after a change breaks; "" if there is none.

    Examples
    --------
    >>> empty, joined = Dag.empty("ab"), Dag.from_edges("ab", [("a", "b")])
    >>> broken_rule(Knowledge(required=[("a", "b")]), joined, empty)
    "required edge 'a' -> 'b' is missing"
    >>> broken_rule(Knowledge(required=[("a", "b")]), empty, joined)
    ''
    """
    if knowledge is None:
        return ""
    known = set(knowledge.violations(before))
    broken = next((text for text in knowledge.violations(after) if text not in known), "")
    added = [edge for edge in after.edges if edge not in before.edges]
    rules = [rule for edge in added if broken and (rule := rule_against(knowledge, *edge))]
    return rules[0] if rules else broken


def with_rule(knowledge: Knowledge | None, action: str, u: str, v: str) -> Knowledge:
    """Knowledge after a rule about the edge u -> v is added or, with "free", all rules about it are removed.

    Raises
    ------
    ValueError
        If the rule contradicts another one.

    Examples
    --------
    >>> some = with_rule(None, "forbid", "a", "b")
    >>> some, with_rule(some, "free", "a", "b")
    (Knowledge(forbidden=[('a', 'b')]), Knowledge())
    """
    before = knowledge or Knowledge()
    if action == "require":
        return before | Knowledge(required=[(u, v)])
    if action == "forbid":
        return before | Knowledge(forbidden=[(u, v)])
    parts = asdict(before)
    kept = {name: [edge for edge in parts[name] if edge != (u, v)] for name in ("required", "forbidden")}
    return Knowledge.from_dict(parts | kept)


def rule_actions(knowledge: Knowledge | None, u: str, v: str, offered: Sequence[str] = RULES) -> list[str]:
    """Offered changes for the edge u -> v that would change the knowledge or contradict it."""
    required = knowledge is not None and (u, v) in knowledge.required
    forbidden = knowledge is not None and (u, v) in knowledge.forbidden
    useful = {"require": not required, "forbid": not forbidden, "free": required or forbidden}
    return [action for action in offered if useful[action]]


def edge_rules(knowledge: Knowledge | None, graph: Dag | Pdag, forbidden: bool) -> dict[NamedEdge, str] | None:
    """Kind of each edge with a rule, in the form that `GraphView.set_graph` takes."""
    if knowledge is None or not isinstance(graph, Dag):
        return None
    allowed, required = knowledge.resolved(graph.names).allowed, set(knowledge.required)
    pairs = [(u, v) for v, parents in enumerate(graph.parents) for u in parents]
    kinds = {(graph.names[u], graph.names[v]): "not allowed" for u, v in pairs if not allowed[u, v]}
    kinds |= dict.fromkeys(filter(required.__contains__, graph.edges), "required")
    if forbidden and len(knowledge.forbidden) <= MOST_FORBIDDEN:
        kinds |= dict.fromkeys((edge for edge in knowledge.forbidden if edge not in kinds), "forbidden")
    return kinds


def joined(dag: Dag, u: str, v: str) -> bool:
    """Whether an edge joins two nodes, in either direction."""
    return u in dag.parents_of(v) or v in dag.parents_of(u)


def knowledge_text(knowledge: Knowledge | None, before: Knowledge | None, dag: Dag | None) -> str:
    """Message after a change of the knowledge: the new rules, and those that the graph breaks."""
    if knowledge is None or dag is None:
        return "No knowledge."
    before = before or Knowledge()
    words = [
        f"{what}: {', '.join(f'{u} → {v}' for u, v in changed)}"
        for what, changed in (
            ("Required", [edge for edge in knowledge.required if edge not in before.required]),
            ("Forbidden", [edge for edge in knowledge.forbidden if edge not in before.forbidden]),
            ("Free", sorted({*before.required, *before.forbidden} - {*knowledge.required, *knowledge.forbidden})),
        )
        if 0 < len(changed) <= 5
    ]
    wrong = knowledge.violations(dag)
    verdict = f"The graph disagrees: {'; '.join(wrong[:3])}." if wrong else "The graph agrees with the knowledge."
    return " ".join([*(f"{text}." for text in words), verdict])
