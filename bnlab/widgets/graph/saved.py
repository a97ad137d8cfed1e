"""A `NetworkGraph` as one HTML file that needs neither Python nor a network connection.

The file carries the modules of the widget's own page, what they show, and the network. `page/saved.js` stands in for
Python: it answers what makes sense without it, and computes probabilities in the tree of cliques that is sent along.
"""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Iterator, Mapping
from dataclasses import replace
from hashlib import sha256
from html import escape
from math import exp
from typing import Any

import numpy as np

from bnlab.figures.graphs.detour import with_detours
from bnlab.networks.propagation import factors_of
from bnlab.networks.query.evidence import findings_of
from bnlab.networks.query.inference import JunctionTree
from bnlab.widgets.base.modules import LOADER, linked, text_of
from bnlab.widgets.graph import texts
from bnlab.widgets.graph.data import GraphData
from bnlab.widgets.graph.details import score_table
from bnlab.widgets.graph.exports import still_html
from bnlab.widgets.graph.page import details
from bnlab.widgets.graph.session import GraphSession
from bnlab.widgets.graph.settings import drawing
from bnlab.widgets.graph.state import State
from bnlab.widgets.graph.view import GraphView

MOST_CELLS = 2**20
"""Most cells of all cliques, so that a page answers at once and its file stays small."""
TOO_LARGE = (
    "This network is too large to compute with in a page: the probabilities are those of the moment when it was saved."
)
ANSWERED = ("clear", "focus", "module", "details", "bars", "reset")
"""Controls that work without Python."""
DRAWN = ("focus", "module", "details", "bars", "reset")
"""Those that also work if the page cannot compute."""
CODE = ("_modules", "_css")
"""Traits of the picture that are not its values."""
FOLDER = "widgets/graph/page"
STYLES = (
    *(f"widgets/base/page/{name}.css" for name in ("controls", "menus")),
    *(f"{FOLDER}/{name}.css" for name in ("view", "toolbar", "inspector", "saved")),
)
START = text_of(f"{FOLDER}/start.js")
# Only the script of the page runs, which makes URLs of its modules, and nothing is fetched.
POLICY = (
    "default-src 'none'; img-src data: blob:; style-src 'unsafe-inline'; "
    f"script-src blob: 'sha256-{b64encode(sha256(START.encode()).digest()).decode()}'"
)


def saved_page(state: State, view: GraphView, title: str) -> str:
    """HTML page of a graph as it is shown, with a still picture for readers without scripts."""
    # No "<" is left that could begin a tag or a comment.
    carried = json.dumps(_carried(state, view)).replace("<", "\\u003c")
    css = "\n".join(map(text_of, STYLES))
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{escape(title)}</title><style>{css}</style></head>"
        f"<body><h1>{escape(title)}</h1><main></main>"
        f"<noscript>{still_html(state.session, view.picture())}</noscript>"
        f'<script type="application/json" id="content">{carried}</script>'
        f'<script type="module">{START}</script></body></html>\n'
    )


def _carried(state: State, view: GraphView) -> dict[str, Any]:
    """What the page is made of, as `page/saved.js` reads it."""
    session = state.session
    tree = join_tree(session)
    note = TOO_LARGE if session.infers and tree is None else ""
    plain = replace(state, editable=False, tried=None, explanation=False, matters=False, sensitivity=False)
    shown = {name: getattr(view, name) for name in GraphView.class_own_traits(sync=True) if name not in CODE}
    tools = {
        menu: [control for control in controls if control["id"] in (ANSWERED if tree else DRAWN)]
        for menu, controls in view.toolbar.items()
    }
    shown |= {"editable": False, "tried": {}, "invitation": "", "toolbar": tools}
    hints = [_status(session, note, selected=selected) for selected in (False, True)]
    shown |= {"status": hints[bool(view.selected or view.selected_edge)], "problem": ""}
    drawn = {"barred" if state.bars else "plain": {"nodes": view.nodes, "edges": view.edges}}
    if session.infers:
        drawn["plain" if state.bars else "barred"] = _laid_out(drawing(replace(plain, bars=not state.bars)))
    marks = list(state.data.marks())
    return {
        "loader": LOADER,
        "_modules": linked(f"{FOLDER}/saved.js"),
        "view": shown,
        "pictures": drawn,
        "barred": state.bars,
        "detailed": state.details,
        "matters": state.matters,
        "hints": hints,
        "names": list(session.names),
        "states": [list(map(str, variable.states)) for variable in session.variables or ()],
        "nodes": [
            _static(details(replace(plain, selected=(name,), selected_edge=None)), note) for name in session.names
        ],
        "edges": [
            {"u": u, "v": v, "details": details(replace(plain, selected=(), selected_edge=(u, v)))} for u, v in marks
        ],
        "scores": score_table(session),
        "given": [] if tree is None else list(_given(session)),
        "tree": tree,
        "parents": [] if session.dag is None else [list(parents) for parents in session.dag.parents],
        "note": note,
    }


def _status(session: GraphSession, note: str, *, selected: bool) -> str:
    """Message of the page before anything has happened."""
    if session.evidence or session.do:
        return f"{texts.evidence_text(session)} {note}".strip()
    if note or not session.names:
        return f"{texts.size_text(session)}. {'' if selected else f'{texts.HINTS[0]} '}{note}"
    return texts.hint_text(session, editable=False, selected=selected)


def _static(found: dict[str, Any], note: str) -> dict[str, Any]:
    """Details of a node, without evidence to set if the page cannot compute."""
    return found | {"evidence": False, "can_matter": False, "notes": [note]} if note else found


def _laid_out(data: GraphData) -> dict[str, Any]:
    """Nodes and edges at the positions of their own layout."""
    index = {name: i for i, name in enumerate(data.graph.names)}
    layout = with_detours(data.layout(), [(index[u], index[v]) for u, v in data.marks()])
    return {"nodes": data.nodes(layout), "edges": data.edges(layout)}


def join_tree(session: GraphSession) -> dict[str, Any] | None:
    """Tree of cliques and tables of a network, as `page/inference.js` takes them; None if they are too large.

    Examples
    --------
    >>> from bnlab.networks import cancer
    >>> tree = join_tree(GraphSession(cancer()))
    >>> [clique["nodes"] for clique in tree["cliques"]], tree["factors"][0]
    ([[0, 1, 2], [2, 4], [2, 3]], {'nodes': [0], 'table': [0.9, 0.1]})
    """
    tree = session.inference if session.infers else None
    if not isinstance(tree, JunctionTree) or tree.n_cells > MOST_CELLS:
        return None
    net = session.tabled
    return {
        "arities": list(net.arities),
        "cliques": [{"nodes": list(each.nodes), "parent": each.parent} for each in tree.propagation.cliques],
        "factors": [
            {"nodes": list(nodes), "table": table.ravel().tolist()} for table, nodes in factors_of(net.dag, net.cpts)
        ],
    }


def _given(session: GraphSession) -> Iterator[Mapping[str, Any]]:
    """Evidence and interventions: node, likelihoods of its states, the state if it is known, and whether it is set."""
    net = session.tabled
    for given, done in ((session.evidence, False), (session.do, True)):
        for name, finding in given.items():
            found = findings_of(net, {name: finding})
            for i, code in found.codes.items():
                yield {"node": i, "weights": np.eye(net.arities[i])[code].tolist(), "state": int(code), "done": done}
            for i, weights in found.weights.items():
                scaled = (weights * exp(found.log_scale)).tolist()
                yield {"node": i, "weights": scaled, "state": None, "done": done}
