"""Form of a workbench for background knowledge: edges, tiers and maximum numbers of parents."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from bnlab._runtime.history import History
from bnlab.analysis.session import Session
from bnlab.dynamic.names import at
from bnlab.dynamic.structure import time_order
from bnlab.figures.plain import knowledge_picture
from bnlab.graphs.dag import counted
from bnlab.graphs.knowledge import Knowledge
from bnlab.widgets.base import controls as kit
from bnlab.widgets.workbench.state import State

KINDS = (("required", "Required"), ("forbidden", "Forbidden"))
PICTURED = 20
"""Maximum number of variables in a picture of all rules."""
MANY = 12
"""Minimum number of variables for a field that finds one."""
TIERS = (
    "No edge leads from a later tier to an earlier one. Drag a variable to a tier, or move it with the left and right "
    "arrow keys; up and down go to another variable."
)


def knowledge_lines(state: State) -> kit.Lines:
    """Background knowledge, and controls that change it."""
    table = state.session.table
    if table is None:
        return []
    known, typed, idle = state.knowledge, state.typed, not state.busy
    names = [(None, "Choose …"), *kit.named(table.names)]
    free = [name for name in table.names if not any(name in tier for tier in known.tiers)]
    tiers = [(None, "No order", free), *((k, f"Tier {k}", tier) for k, tier in enumerate(known.tiers, 1))]
    find = "Find a variable" if table.n_variables > MANY else ""
    edges = [(rule, edge) for kind, rule in KINDS for edge in asdict(known)[kind]]
    return [
        [kit.message("about", "Every learner returns only networks that agree with these rules.")],
        [
            kit.select("kind", "Edge", typed["kind"], KINDS),
            kit.select("parent", "From", typed["parent"], names),
            kit.select("child", "To", typed["child"], names),
            kit.button("add-edge", "Add edge", enabled=idle),
        ],
        [
            kit.button("clear", "Remove all rules", enabled=idle and known != Knowledge()),
            *kit.undo_and_redo(state.rules.last, state.rules.next),
        ],
        state.message_line("knowledge"),
        [
            kit.table(
                "edges",
                "Required and forbidden edges",
                ("Edge", "Rule", "Remove"),
                [
                    (f"{i}", [f"{u} → {v}", rule, [kit.button(f"drop:{i}", "Remove", f"Remove {u} → {v}")]])
                    for i, (rule, (u, v)) in enumerate(edges)
                ],
                left=("Rule", "Remove"),
            )
        ]
        if edges
        else [],
        [kit.lists("tiers", "Tiers", [*tiers, (len(known.tiers) + 1, "New tier", ())], TIERS, find=find)],
        _single_tier_line(free, idle) if len(known.tiers) == 1 else [],
    ]


def _single_tier_line(free: Sequence[str], idle: bool) -> list[kit.Control]:
    """Says that a single tier forbids nothing, and offers to put the other variables after or before it."""
    words = kit.message(
        "single", "A single tier forbids no edge: another one has to come before or after it.", "status"
    )
    if not free:
        return [words]
    return [
        words,
        kit.button("causes", "Causes first", "Put all other variables in a later tier", enabled=idle),
        kit.button("outcomes", "Outcomes last", "Put all other variables in an earlier tier", enabled=idle),
    ]


def limit_lines(state: State) -> kit.Lines:
    """Maximum numbers of parents, for all variables and for single ones."""
    table = state.session.table
    if table is None:
        return []
    limits = state.knowledge.max_parents
    rows: list[tuple[str, list[kit.Cell]]] = [
        (name, [name, [kit.bare(kit.number(f"limit:{name}", f"Max. parents of {name}", limits.get(name)))]])
        for name in table.names
    ]
    find = "Find a variable" if table.n_variables > MANY else ""
    heads = ("Variable", "Max. parents")
    return [
        [kit.number("most", "Max. parents per node", limits.get(None), "Empty for any number")],
        state.message_line("limits"),
        [kit.message("about", "A number below replaces it for one variable.", hint=True)],
        [kit.table("limits", "Maximum numbers of parents", heads, rows, left=heads[1:], find=find)],
    ]


def order_of(session: Session) -> Knowledge | None:
    """Rules of time for the transitions of a panel; None if the table has rows."""
    rows, table = session.rows, session.table
    if rows is None or table is None or session.study.preparation.unit is None:
        return None
    present = [at(name, "t") for name in rows.names if at(name, "t") in table.names]
    return time_order([name for name in table.names if name not in present], present)


def timely_rules(rules: History[Knowledge], before: Session, after: Session) -> History[Knowledge]:
    """Rules after a change of the table: its variables in the order of time, and the edges among them as before."""
    order, names = order_of(after), set() if after.table is None else {*after.table.names}
    if order == order_of(before):
        return rules
    required, forbidden = (
        [edge for edge in edges if names.issuperset(edge)] for edges in (rules.now.required, rules.now.forbidden)
    )
    return rules.step(Knowledge(required, forbidden) | (order or Knowledge()), "order of time")


def knowledge_text(known: Knowledge) -> str:
    """Text of the number of rules; "" for none.

    Examples
    --------
    >>> knowledge_text(Knowledge(required=[("a", "b")], tiers=[["a"], ["b"]]))
    'knowledge: 1 edge, 2 tiers'
    """
    edges = len(known.required) + len(known.forbidden)
    parts = [(edges, "edge"), (len(known.tiers), "tier"), (len(known.limits), "limit")]
    listed = ", ".join(counted(number, what) for number, what in parts if number)
    return f"knowledge: {listed}" if listed else ""


def knowledge_html(known: Knowledge) -> str:
    """Picture of the rules about edges as HTML, "" for none; only variables with an edge if there are many."""
    joined = {name for edge in (*known.required, *known.forbidden) for name in edge}
    placed = {name for tier in known.tiers for name in tier}
    shown = joined if joined and len(joined | placed) > PICTURED else joined | placed
    tiers = [[name for name in tier if name in shown] for tier in known.tiers]
    drawn = knowledge_picture(Knowledge(known.required, known.forbidden, filter(None, tiers))) if shown else None
    if drawn is None:
        return ""
    free = "" if placed >= shown else "; variables without an order are below"
    notes = [f"Tiers from top to bottom{free}."] if placed & shown else []
    notes += ["Only variables with an edge are drawn."] if shown != joined | placed else []
    return f"<h4>Rules</h4>{drawn.to_html()}<p>{' '.join(notes)}</p>"


def changed_rules(
    rules: History[Knowledge], control: str, value: Any, typed: Mapping[str, Any], names: Sequence[str]
) -> History[Knowledge]:
    """History of the knowledge after the use of a control; ValueError if rules would contradict each other."""
    what, _, name = control.partition(":")
    if what in ("undo", "redo"):
        return rules.undo() if what == "undo" else rules.redo()
    parts = asdict(rules.now)
    words = "change of the rules"
    if what == "clear":
        return rules.step(Knowledge(), "removal of all rules")
    if what == "add-edge":
        if typed["parent"] is None or typed["child"] is None:
            raise ValueError("choose the two variables of the edge first.")
        parts[typed["kind"]] = (*parts[typed["kind"]], (typed["parent"], typed["child"]))
        words = f"{typed['kind']} edge {typed['parent']} → {typed['child']}"
    elif what == "drop":
        place = int(name)
        for kind, _ in KINDS:
            count = len(parts[kind])
            if 0 <= place < count:
                words = f"removal of {' → '.join(parts[kind][place])}"
                parts[kind] = tuple(edge for i, edge in enumerate(parts[kind]) if i != place)
                break
            place -= count
    elif what == "tiers":
        name, tier = value
        tiers = [[other for other in tier if other != name] for tier in parts["tiers"]] + [[]]
        if tier is not None:
            if not 0 < tier <= len(tiers):
                raise ValueError(f"tier {tier} of {name!r}: there are the tiers 1 to {len(tiers)}.")
            tiers[tier - 1].append(name)
        parts["tiers"] = [tier for tier in tiers if tier]
        words = f"tier of {name}"
    elif what in ("causes", "outcomes"):
        (tier,) = rules.now.tiers
        others = [name for name in names if name not in tier]
        parts["tiers"] = [tier, others] if what == "causes" else [others, tier]
        words = "order of the tiers"
    elif what in ("limit", "most"):
        limits = dict(parts["limits"])
        limits.pop(name or None, None)
        parts["limits"] = [*limits.items(), *([] if value is None else [(name or None, value)])]
        words = f"max. parents of {name}" if name else "max. parents per node"
    known = Knowledge.from_dict(parts)
    return rules if known == rules.now else rules.step(known, words)
