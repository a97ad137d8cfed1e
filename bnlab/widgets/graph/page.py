"""What the page of a `NetworkGraph` shows: the picture with its toolbar, and the details of the selection beside it."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any, TypedDict

from bnlab.figures.graphs.drawing import NamedEdge
from bnlab.widgets.base.controls import Control
from bnlab.widgets.graph import settings, tables
from bnlab.widgets.graph.absent_edges import drawn_edge_text
from bnlab.widgets.graph.data import GraphData
from bnlab.widgets.graph.details import explanation, relevance, score_table, selection_details, sensitivity
from bnlab.widgets.graph.state import AddVariable, RenameVariable, State, TypeNoisyOr, TypeRow


class Page(TypedDict):
    """What the page shows."""

    data: GraphData
    layout: int
    selected: list[str]
    selected_edge: list[str] | None
    highlight: str
    editable: bool
    toolbar: dict[str, list[Control]]
    invitation: str
    status: str
    tried: dict[str, Any]
    details: dict[str, Any]
    scores: dict[str, Any]
    beside: bool


def page(state: State) -> Page:
    """What the page shows."""
    found = details(state)
    return {
        "data": state.data,
        "layout": state.layout,
        "selected": [*state.selected],
        "selected_edge": None if state.selected_edge is None else [*state.selected_edge],
        "highlight": state.highlight,
        "editable": state.can_edit,
        "toolbar": settings.toolbar(state),
        "invitation": "Add a variable" if state.can_add and not state.session.names else "",
        "status": state.status,
        "tried": tried(state),
        "details": found,
        "scores": score_table(state.session),
        "beside": state.details and found["kind"] != "none",
    }


def details(state: State) -> dict[str, Any]:
    """Details of the selection: of an edge, of the last node, or of two nodes as a pair."""
    edge, nodes = state.selected_edge, state.selected[-1:]
    if len(state.selected) == 2:
        nodes = state.selected
        edge = next((ends for ends in (nodes, nodes[::-1]) if ends in state.data.marks()), None)
    shown = None if edge is None else drawn_edge(state.data, edge)
    found = selection_details(state.session, nodes, shown, editable=state.can_edit)
    if "cpt" in found and state.can_edit:
        found |= tabled(state, found["title"], found["cpt"])
    if state.adding and state.can_add and found["kind"] == "none":
        return new_variable(state)
    if state.explanation and found["kind"] == "none":
        found = explanation(state.session)
    if found["kind"] == "node":
        found["can_matter"] = state.session.infers
        if state.matters:
            found |= relevance(state.session, str(state.selected_node))
    if state.sensitivity and found["kind"] == "node":
        found |= sensitivity(state.session, str(state.selected_node), state.target_state)
    return found


def tried(state: State) -> dict[str, Any]:
    """Edge that is being drawn, and what it would do; {} for none."""
    if state.tried is None or not state.can_edit:
        return {}
    u, v = state.tried
    text, sign = drawn_edge_text(state.session, u, v, state.score)
    return {"u": u, "v": v, "text": text, "sign": sign}


def tabled(state: State, node: str, table: dict[str, Any]) -> dict[str, Any]:
    """Table of a node that can be typed, and forms for the node itself."""
    if not state.edit_tables:
        return {"cpt": table | {"editable": True}}
    shown = tables.editing(state.session, node, state.first_row)
    found: dict[str, Any] = {"cpt": shown | {"editable": True, "mistyped": mistyped(state, TypeRow)}}
    if (form := tables.noisy_form(state.session.tabled, node)) is not None:
        found["noisy_or"] = form | with_texts(mistyped(state, TypeNoisyOr))
    if state.can_add:
        refused = mistyped(state, RenameVariable)
        found["variable"] = {"node": node, "name": node, **(refused or {})}
    return found


def with_texts(refused: dict[str, Any] | None) -> dict[str, Any]:
    """Texts of a noisy-OR that were refused, in the form of `bnlab.widgets.graph.tables.noisy_form`."""
    return {} if refused is None else {**refused, "effects": [[*item] for item in refused["effects"].items()]}


def new_variable(state: State) -> dict[str, Any]:
    """Form for a new variable."""
    refused = mistyped(state, AddVariable) or {"name": "", "states": ("yes", "no")}
    words = ["Separate states by commas."]
    words += ["Draw an edge from the handle below a node to another node."] if len(state.session.names) > 1 else []
    form = {**refused, "states": ", ".join(map(str, refused["states"]))}
    return {"kind": "form", "title": "New variable", "new_variable": form, "notes": words}


def mistyped(state: State, kind: Any) -> dict[str, Any] | None:
    """Texts of a kind of message that were typed and refused, and why; None if none were."""
    what = state.mistyped if state.failed else None
    return {**asdict(what), "problem": state.status} if isinstance(what, kind) else None


def drawn_edge(data: GraphData, ends: NamedEdge) -> dict[str, Any]:
    """Edge of a picture: its ends, whether it is directed, and its kind."""
    return {"u": ends[0], "v": ends[1], "directed": data.marks()[ends], "kind": data.classes.get(ends, "plain")}
