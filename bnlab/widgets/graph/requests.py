"""Messages of the requests that come from the page of a `NetworkGraph`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bnlab.widgets.base.pure import Message, Set
from bnlab.widgets.graph.settings import SETTINGS
from bnlab.widgets.graph.state import (
    AddVariable,
    Change,
    ClearEvidence,
    Close,
    Focus,
    FocusModule,
    LearnOrStop,
    NewVariable,
    Observe,
    RemoveVariable,
    RenameVariable,
    ResetPositions,
    ShowRows,
    Target,
    Try,
    TypeNoisyOr,
    TypeRow,
    UndoEdit,
    Weigh,
)

TYPED = (TypeRow, TypeNoisyOr, AddVariable, RenameVariable)
"""Messages of what was typed in the page, which stays there to be corrected if it is refused."""


def message_of(request: Mapping[str, Any]) -> Message | None:
    """Message of a request of the picture, the inspector or a control; None for one that the page serves itself."""
    match request:
        case {"type": "control", "id": id, **rest}:
            value = rest.get("value")
            if id in SETTINGS:
                return Set(str(id), value)
            if id == "threshold":
                return Set("threshold", None if value is None else value / 100)
            plain: dict[str, Message] = {
                "undo": UndoEdit(),
                "redo": UndoEdit(redo=True),
                "clear": ClearEvidence(),
                "reset": ResetPositions(),
                "focus": Focus(wanted=value is not False),
                "module": FocusModule(value or None),
                "learn": LearnOrStop(),
                "show_class": Set("show_member", not value),
                "add": NewVariable(),
            }
            return plain.get(str(id))
        case {"type": "edit", "action": action, "u": u, "v": v}:
            return Change(action, u, v, by_page=True)
        case {"type": "try", "u": u, "v": v}:
            return Try(None if u is None or v is None else (u, v))
        case {"type": "undo" | "redo" as kind}:
            return UndoEdit(redo=kind == "redo")
        case {"type": "evidence" | "do" as kind, "node": node, "state": k}:
            return Observe(node, k, do=kind == "do")
        case {"type": "weigh", "node": node, "state": k, "p": p}:
            return Weigh(node, k, p)
        case {"type": "target", "state": k}:
            return Target(k)
        case {"type": "probabilities", "node": node, "row": row, "state": k, "text": text}:
            return TypeRow(node, row, k, text)
        case {"type": "noisy-or", "node": node, "effects": effects, "leak": leak}:
            return TypeNoisyOr(node, dict(effects), leak)
        case {"type": "rows", "first": first}:
            return ShowRows(first)
        case {"type": "focus", "node": node}:
            return Focus(node)
        case {"type": "select", "node": node}:
            return Set("selected_node", node)
        case {"type": "variable", "name": name, "states": states}:
            return AddVariable(name.strip(), tuple(state for text in states.split(",") if (state := text.strip())))
        case {"type": "rename", "node": node, "name": name}:
            return RenameVariable(node, name.strip())
        case {"type": "remove", "node": node}:
            return RemoveVariable(node)
        case {"type": "close"}:
            return Close()
    return None
