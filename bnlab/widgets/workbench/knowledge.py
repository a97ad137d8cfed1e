"""Form of a workbench about background knowledge: edges, tiers and maximum numbers of parents."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from bnlab.figures.graphs.network import network_picture
from bnlab.graphs.dag import Dag, counted
from bnlab.graphs.knowledge import Knowledge
from bnlab.widgets.base import controls as kit
from bnlab.widgets.workbench.traits import WorkbenchTraits

KINDS = (("required", "Required"), ("forbidden", "Forbidden"))
PICTURED = 40
"""Most variables of a picture of the required edges."""


def knowledge_lines(panel: WorkbenchTraits) -> kit.Lines:
    """Background knowledge, and what adds to it."""
    table = panel._session.table
    if table is None:
        return []
    known, typed, idle = panel.knowledge, panel._typed, not panel.busy
    names = [(None, "choose …"), *kit.named(table.names)]
    tiers = [(None, "any"), *((k, str(k)) for k in range(1, len(known.tiers) + 2))]
    tier_of = {name: k for k, group in enumerate(known.tiers, 1) for name in group}
    limits = known.max_parents
    text, failed = panel._messages.get("knowledge", ("", False))
    edges = [(kind, edge) for kind, _ in KINDS for edge in asdict(known)[kind]]
    return [
        [kit.message("about", "Every learner returns only networks that agree with these rules.")],
        [
            kit.select("kind", "Edge", typed["kind"], KINDS),
            kit.select("parent", "from", typed["parent"], names),
            kit.select("child", "to", typed["child"], names),
            kit.button("add-edge", "Add edge", enabled=idle),
            kit.number("most", "Max. parents per node", limits.get(None), "Empty for any number"),
        ],
        [kit.message("said", text, "alert" if failed else "status")],
        [
            kit.table(
                "edges",
                "Required and forbidden edges",
                ("Edge", "Rule", "Remove"),
                [
                    (f"{i}", [f"{u} → {v}", kind, [kit.button(f"drop:{i}", "Remove", f"Remove {u} → {v}")]])
                    for i, (kind, (u, v)) in enumerate(edges)
                ],
                left=("Rule", "Remove"),
            )
        ]
        if edges
        else [],
        [
            kit.table(
                "tiers",
                "Tiers and maximum numbers of parents",
                ("Variable", "Tier", "Max. parents"),
                [
                    (
                        name,
                        [
                            name,
                            [kit.bare(kit.select(f"tier:{name}", f"Tier of {name}", tier_of.get(name), tiers))],
                            [kit.bare(kit.number(f"limit:{name}", f"Max. parents of {name}", limits.get(name)))],
                        ],
                    )
                    for name in table.names
                ],
                left=("Tier", "Max. parents"),
                find="Find a variable" if table.n_variables > 12 else "",
            )
        ],
        [kit.message("order", "No edge leads from a later tier to an earlier one.")],
        [kit.button("clear", "Remove all rules", enabled=idle and known != Knowledge())],
    ]


def knowledge_text(known: Knowledge) -> str:
    """Number of rules, "" for none.

    Examples
    --------
    >>> knowledge_text(Knowledge(required=[("a", "b")], tiers=[["a"], ["b"]]))
    'knowledge: 1 edge, 2 tiers'
    """
    edges = len(known.required) + len(known.forbidden)
    parts = [(edges, "edge"), (len(known.tiers), "tier"), (len(known.limits), "limit")]
    listed = ", ".join(counted(number, what) for number, what in parts if number)
    return f"knowledge: {listed}" if listed else ""


def knowledge_picture(known: Knowledge) -> str:
    """Picture of the required edges as HTML, "" for none."""
    names = sorted({name for edge in known.required for name in edge})
    if not 0 < len(names) <= PICTURED:
        return ""
    return f"<h4>Required edges</h4>{network_picture(Dag.from_edges(names, known.required)).to_html()}"


def changed(known: Knowledge, control: str, value: Any, typed: dict[str, Any]) -> Knowledge:
    """Knowledge after the use of a control; ValueError when rules then contradict each other."""
    what, _, name = control.partition(":")
    parts = asdict(known)
    if what == "clear":
        return Knowledge()
    if what == "add-edge":
        if typed["parent"] is None or typed["child"] is None:
            raise ValueError("choose the two variables of the edge first.")
        parts[typed["kind"]] = (*parts[typed["kind"]], (typed["parent"], typed["child"]))
    elif what == "drop":
        place = int(name)
        for kind, _ in KINDS:
            count = len(parts[kind])
            if 0 <= place < count:
                parts[kind] = tuple(edge for i, edge in enumerate(parts[kind]) if i != place)
                break
            place -= count
    elif what == "tier":
        tiers = [[other for other in tier if other != name] for tier in parts["tiers"]] + [[]]
        if value is not None:
            tiers[value - 1].append(name)
        parts["tiers"] = [tier for tier in tiers if tier]
    elif what in ("limit", "most"):
        limits = dict(parts["limits"])
        limits.pop(name or None, None)
        parts["limits"] = [*limits.items(), *([] if value is None else [(name or None, value)])]
    return Knowledge.from_dict(parts)
