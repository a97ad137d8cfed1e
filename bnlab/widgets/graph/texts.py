"""Messages of a `NetworkGraph` about its graph, its evidence and its changes."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from math import exp

from bnlab.figures.graphs import node_tables
from bnlab.figures.labels import capitalised, score_label
from bnlab.figures.table import signed
from bnlab.graphs.dag import counted
from bnlab.networks.influence import InfluenceDiagram
from bnlab.networks.query.evidence import stated
from bnlab.widgets.graph.rules import knowledge_text
from bnlab.widgets.graph.session import GraphSession

MOST_NAMES = 3  # in a message
HINTS = (
    "Select a node or edge for details.",
    "Click a state of the selected node to observe it.",
    "To add an edge, drag from the handle below a node to another node.",
)


def hint_text(session: GraphSession, *, editable: bool, states: bool = True, selected: bool = False) -> str:
    """Message before anything has happened: size of the graph, and what can be done next."""
    if not session.names:
        return "An empty network. Add a variable, with its name and its states."
    parts = [size_text(session) + "."]
    if not selected:
        parts.append(HINTS[0])
    elif session.infers and states:
        parts.append(HINTS[1])
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
    names = ", ".join(focus) if len(focus) <= MOST_NAMES else f"{focus[0]} and {len(focus) - 1} more"
    around = {"none": "neighbours", "markov-blanket": "Markov blanket"}.get(relation, relation)
    words = f"{around} of {names}"
    return f"{len(part)} of {counted(len(session.names), 'node')}: {words}. “Neighbourhood only” shows all again."


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


def size_text(session: GraphSession) -> str:
    """Size of the graph in one line."""
    given = session.given
    if isinstance(given, InfluenceDiagram):
        return f"influence diagram of {counted(len(given.names), 'node')}, {counted(len(tuple(given.edges)), 'edge')}"
    n_rows = None if session.source is None else session.source.n_rows
    return node_tables.summary(session.drawn, session.n_parameters, n_rows)
