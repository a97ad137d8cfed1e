"""States of a `NetworkGraph` that follow from one change: an edit, evidence, rules, a selection, another graph."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from bnlab._runtime.names import check_known, known_name
from bnlab.figures.graphs.drawing import NamedEdge
from bnlab.figures.scores.graph_scores import PLAIN_SCORES
from bnlab.graphs import Dag, Knowledge
from bnlab.graphs.equivalence import agreeing_member, class_of
from bnlab.networks.influence import InfluenceDiagram
from bnlab.networks.revise import with_table
from bnlab.widgets.graph import texts
from bnlab.widgets.graph.details import variable
from bnlab.widgets.graph.history import EditHistory
from bnlab.widgets.graph.rules import knowledge_text
from bnlab.widgets.graph.session import GraphSession, new_names
from bnlab.widgets.graph.settings import INFERRED, REFUSED, STRENGTHS, drawing, offers_learning, strength_refused
from bnlab.widgets.graph.state import State
from bnlab.widgets.graph.tables import probability_of, typed_table

LABELS_FOR = 40
"""Maximum number of nodes for labels of edge probabilities by default."""
MEMBER = "Edges are shown with the directions of this graph; “Essential graph” shows its class."
NOT_EDITABLE = "the graph cannot be edited as it is shown."
PLAIN = ("details", "labels", "show_knowledge", "learnable")
"""Fields that may always be True or False."""


def edited(state: State, change: Callable[[EditHistory], EditHistory]) -> State:
    """State after a change of the graph: a learned one is shown as its class, another one with its own directions."""
    new = after_change(state, *state.session.changed(change))
    if new.graph == state.graph:
        return new
    left = state.show_essential and not new.session.learned
    return replace(new, show_essential=new.session.learned, status=f"{new.status} · {MEMBER}" if left else new.status)


def own_ends(state: State, u: str, v: str) -> NamedEdge:
    """Ends of a drawn edge in its direction in the graph, which an edge without an arrowhead does not show."""
    dag, directed = state.session.dag, state.data.marks().get((u, v), True)
    return (v, u) if not directed and dag is not None and (v, u) in dag.edges else (u, v)


def typed(state: State, node: str, row: int, k: int, text: str) -> State:
    """State after the page typed probabilities of a row."""
    if not state.can_edit:
        raise ValueError(NOT_EDITABLE)
    net = state.session.tabled
    table = typed_table(net, node, row, k, text)
    words = f"set {probability_of(net, net.dag.index(node), row)}"
    return after_change(state, *state.session.revised(with_table(net, node, table), words))


def after_change(state: State, session: GraphSession, lost: str) -> State:
    """State with another graph; `lost` says why evidence or probabilities are lost.

    A renamed variable stays selected and in focus.
    """
    now = new_names(state.session.names, session.names)
    focus = [now.get(name, name) for name in state.focus]
    return replace(
        state,
        session=session,
        selected=tuple(now.get(name, name) for name in state.selected),
        focus=tuple(name for name in focus if name in session.names),
        **possible(state, session),
        status=lost or texts.step_text(session, state.score),
        failed=False,
    )


def possible(state: State, session: GraphSession) -> dict[str, Any]:
    """Fields that need probabilities, False where a session has none."""
    found = {name: getattr(state, name) and session.infers for name in INFERRED}
    return found | {"explanation": state.explanation and session.explanation is not None}


def observed(state: State, evidence: Mapping[str, Any], do: Mapping[str, Any]) -> State:
    """State with other observations and interventions."""
    if (evidence, do) == (state.evidence, state.do):
        return state
    session = state.session.observed(evidence, do)
    return replace(state, session=session, status=texts.evidence_text(session), failed=False)


def without(given: Mapping[str, Any], node: str) -> dict[str, Any]:
    """Evidence on other nodes."""
    return {name: finding for name, finding in given.items() if name != node}


def observed_state(state: State, node: str, k: int | None, *, do: bool) -> State:
    """State in which a state of a node is observed, or with `do` set; without one, its evidence is removed."""
    known = variable(state.session, node)
    seen, done = without(state.evidence, node), without(state.do, node)
    if k is not None:
        (done if do else seen)[node] = known.states[k]
    return observed(state, seen, done)


def weighed(state: State, node: str, k: int, p: float) -> State:
    """State in which a state of a node has the probability p, by a likelihood; other evidence of the node goes."""
    given = {**state.evidence, node: likelihoods(state, node, k, p)}
    return observed(state, given, without(state.do, node))


def likelihoods(state: State, node: str, k: int, p: float) -> Any:
    """Evidence with which state k of a node has the probability p: the state itself for 1, else likelihoods.

    With the odds q / (1 - q) given the other evidence, the state is p (1 - q) / (q (1 - p)) times as likely as others.
    """
    others = state.session.observed(without(state.evidence, node), without(state.do, node))
    known, before = variable(others, node), others.posterior
    assert before is not None
    q, p = float(before.marginals[node][k]), min(max(p, 0.0), 1.0)
    if p == 1:
        return known.states[k]
    if q in (0, 1):
        raise ValueError(f"{node} = {known.states[k]} has probability {q:.0f} whatever its likelihood.")
    ratio = p * (1 - q) / (q * (1 - p))
    return {s: (ratio if i == k else 1.0) / max(ratio, 1.0) for i, s in enumerate(known.states)}


def ruled(state: State, knowledge: Knowledge | None, *, by_page: bool = False) -> State:
    """State with other background knowledge; by the page, a class is shown with another graph of it that agrees."""
    session = state.session
    if knowledge is not None:
        if session.dag is None:
            raise ValueError("knowledge: only a directed graph is compared with it; give a Dag or a BayesianNetwork.")
        knowledge.resolved(session.names)
    new = replace(state, session=session.ruled(knowledge))
    if by_page and knowledge is not None and session.dag is not None and state.show_essential:
        found = agreeing_member(class_of(session.dag), knowledge) if knowledge.violations(session.dag) else None
        if found is not None:
            new = after_change(new, *new.session.changed(lambda history: history.replace(found, "direct by knowledge")))
    words = knowledge_text(knowledge, session.knowledge, new.session.dag)
    if knowledge is not None and offers_learning(new) and knowledge.violations(new.graph):
        words = f"{words} “Learn again” finds a graph that agrees."
    return replace(new, status=words, failed=False)


def selected(state: State, nodes: tuple[str, ...], edge: NamedEdge | None) -> State:
    """State with another selection. If it is not drawn because of a focus, the focus moves to it."""
    part = state.data.graph.names
    ends = edge or nodes[-1:]
    if state.focus and not set(ends) <= set(part):
        state = replace(state, focus=tuple(ends))
    if nodes[-1:] != state.selected[-1:]:
        state = replace(state, target_state=0, first_row=0)
    new = replace(state, selected=nodes, selected_edge=edge)
    return replace(new, status=hint_text(new)) if state.status == hint_text(state) else new


def focused(state: State, names: tuple[str, ...]) -> State:
    """State that draws only some nodes and those around them; all nodes without names."""
    session = state.session
    if names and isinstance(session.given, InfluenceDiagram):
        raise ValueError("focus: an influence diagram is always drawn as a whole.")
    for name in names:
        check_known(name, session.names, f"focus: no node {name!r} in the graph")
    new = replace(state, focus=names)
    part = drawing(new).graph.names if names else ()
    return replace(new, status=texts.focus_text(session, names, part, state.highlight), failed=False)


def taken(state: State, session: GraphSession, threshold: float | None) -> State:
    """State with a graph and its own strengths; otherwise the kind of strength stays if it is possible."""
    new = replace(state, session=session, threshold=threshold, compare=session.reference is not None)
    if session.confidence is not None:
        return replace(new, strength="probability", labels=len(session.names) <= LABELS_FOR)
    if session.given_strengths is not None:
        return replace(new, strength="given")
    return replace(new, strength="none") if strength_refused(session, state.strength) else new


def switched(state: State, other: GraphSession, threshold: float | None) -> State:
    """State with another graph in place of the one before."""
    session, cleared = other.like(state.session)
    node = state.selected_node if state.selected_node in session.names else None
    new = replace(
        taken(state, session, threshold),
        selected=() if node is None else (node,),
        selected_edge=None,
        focus=tuple(name for name in state.focus if name in session.names),
        editable=state.editable and session.dag is not None,
        show_essential=shows_class(state, session),
        show_member=state.show_member and session.member is not None,
        **possible(state, session),
        target_state=0,
        first_row=0,
    )
    return replace(new, status=cleared or hint_text(new), failed=False)


def shows_class(state: State, session: GraphSession) -> bool:
    """Whether the class of another graph is shown: if it is a learned one, unless the user has decided otherwise."""
    chosen = state.show_essential if state.show_essential != state.session.learned else session.learned
    return chosen and session.dag is not None


def hint_text(state: State) -> str:
    """Message before anything has happened; it asks for a click on a state only if states are shown."""
    chosen = bool(state.selected or state.selected_edge)
    return texts.hint_text(state.session, editable=state.can_edit, states=state.bars or state.details, selected=chosen)


def learned(state: State, other: GraphSession, graph: Dag | None) -> State:
    """State with a learned graph, unless it was learned for a graph that is no longer shown."""
    new = replace(state, learning=False)
    if other.given is not state.session.given:
        return new
    if graph is None or state.stopping:
        return replace(new, status="Stopped: the graph is as before.", failed=False)
    if graph == state.graph:
        return replace(new, status="Learned again: the graph is the same.", failed=False)
    try:
        return edited(new, lambda history: history.replace(graph, "learn again"))
    except ValueError as error:  # the knowledge has changed meanwhile
        return replace(new, status=f"Not learned: {error}", failed=True)


def checked(session: GraphSession, name: str, value: Any) -> Any:
    """Value of a setting; ValueError if it is not possible."""
    if name == "score":
        return known_name(value, PLAIN_SCORES, "score")
    value = known_name(value, tuple(STRENGTHS), "strength") if name == "strength" else bool(value)
    if name == "editable":
        return value and session.dag is not None
    reason = value is not False and name not in PLAIN and REFUSED[name](session, value)
    if reason:
        raise ValueError(reason)
    return value


def checked_target(state: State, k: int) -> int:
    """State of the selected node by its index; ValueError if there is none."""
    if state.selected_node is None:
        raise ValueError("select the node whose sensitivity is to be shown.")
    known = variable(state.session, state.selected_node)
    if k not in range(known.arity):
        raise ValueError(f"state={k!r}: {known.name!r} has the states 0 to {known.arity - 1}.")
    return k
