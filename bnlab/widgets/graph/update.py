"""The state of a `NetworkGraph` that follows a message, and its effects."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from bnlab._runtime.names import check_known, known_name
from bnlab.figures.graphs.drawing import NamedEdge
from bnlab.figures.scores.graph_scores import PLAIN_SCORES
from bnlab.graphs import Dag, Knowledge, as_dag
from bnlab.graphs.editing import Edit
from bnlab.networks.influence import InfluenceDiagram
from bnlab.networks.revise import renamed, with_table, with_variable, without_variable
from bnlab.widgets.base.pure import Effect, Failed, Message, Set, Stop
from bnlab.widgets.graph import content
from bnlab.widgets.graph.history import EditHistory
from bnlab.widgets.graph.rules import RULES, knowledge_text, with_rule
from bnlab.widgets.graph.session import GraphSession
from bnlab.widgets.graph.settings import REFUSED, SETTINGS, STRENGTHS, drawing, offers_learning, strength_refused
from bnlab.widgets.graph.state import (
    AddVariable,
    Change,
    ClearEvidence,
    Close,
    Focus,
    Learn,
    Learned,
    LearnOrStop,
    Mistyped,
    NewVariable,
    Observe,
    RemoveVariable,
    RenameVariable,
    ResetPositions,
    Select,
    SetTable,
    ShowRows,
    State,
    StopLearning,
    Switch,
    Target,
    Told,
    Try,
    TypeNoisyOr,
    TypeRow,
    UndoEdit,
    Weigh,
)
from bnlab.widgets.graph.tables import noisy_words, probability_of, typed_noisy_or, typed_table

LABELS_FOR = 40
"""Maximum number of nodes for labels of edge probabilities by default."""
HIGHLIGHTS = ("none", "neighbours", "markov-blanket", "ancestors", "descendants")
NOT_EDITABLE = "the graph cannot be edited as it is shown."
INFERRED = ("bars", "matters", "sensitivity", "edit_tables")
"""Fields that need probabilities."""
PLAIN = ("details", "labels", "show_knowledge", "learnable")
"""Fields that may always be True or False."""


class Learning(Effect, channel="learn", failure="Not learned"):
    """Learn the graph of a session again from its data and its knowledge."""

    session: GraphSession
    algorithm: str | None
    options: Mapping[str, Any]

    def run(self, send: Callable[[Message], None], stopped: Callable[[], bool]) -> Learned:
        """Learned graph; None after a stop."""
        # Imported here: a graph that is only viewed must not load compiled code and pandas.
        from bnlab.learners import make_search

        assert self.session.source is not None
        search = make_search(self.session.source, self.algorithm, **self.options)
        state = search.init()
        while not (stopped() or search.is_done(state)):
            state, _ = search.step(state)
        if stopped():
            return Learned(self.session, None)
        return Learned(self.session, Dag(self.session.names, search.result(state)))


def begun(session: GraphSession, threshold: float | None, *, bars: bool, matters: bool = False) -> State:
    """First state for a graph."""
    state = taken(State(session), session, threshold)
    # On dimmed nodes, probabilities would be hard to read.
    shown = {"bars": checked(session, "bars", bars), "highlight": "none" if bars else "neighbours", "matters": matters}
    drawn_here = not session.names
    state = replace(state, editable=session.dag is not None, adding=drawn_here, edit_tables=drawn_here, **shown)
    return replace(state, data=drawing(state))


def update(state: State, message: Any) -> tuple[State, Sequence[Any]]:
    """Next state and effects."""
    session = state.session
    match message:
        case Learn(algorithm, options):
            if session.learning_refused:
                raise ValueError(session.learning_refused)
            score = state.score if algorithm is None else None
            given = {"score": score, "knowledge": session.knowledge, **options}
            new = replace(state, learning=True, stopping=False, status="Learning …", failed=False)
            return new, [Learning(session, algorithm, given)]
        case LearnOrStop():
            return update(state, StopLearning() if state.learning else Learn())
        case StopLearning():
            return replace(state, stopping=True, status="Stopping …", failed=False), [Stop("learn")]
    return drawn(state, _next(state, message)), []


def _next(state: State, message: Any) -> State:
    """Next state of a message without effects; its drawing is that of the state before."""
    session = state.session
    match message:
        case Set("graph", graph) if graph is state.graph:
            return state
        case Set("graph", graph):
            return edited(state, lambda history: history.replace(as_dag(graph, session.names)))
        case Set("threshold", None):
            return replace(state, threshold=None)
        case Set("threshold", threshold) if session.confidence is None or threshold != state.threshold:
            return after_change(replace(state, threshold=threshold), *session.cut(threshold))
        case Set("evidence", evidence):
            return observed(state, evidence, state.do)
        case Set("do", do):
            return observed(state, state.evidence, do)
        case Set("knowledge", knowledge):
            return ruled(state, knowledge)
        case Set("selected_node", None):
            return selected(state, (), state.selected_edge)
        case Set("selected_node", node):
            check_known(node, session.names, f"selected_node={node!r}: no such node")
            return selected(state, state.selected if node == state.selected_node else (node,), None)
        case Set("selected_edge", None):
            return replace(state, selected_edge=None)
        case Set("selected_edge", edge) | Select(_, [*edge]):
            if tuple(edge) not in state.data.marks():
                raise ValueError(f"selected_edge={tuple(edge)!r}: no such edge is shown; give (u, v), or None.")
            return selected(state, (), (edge[0], edge[1]))
        case Select(nodes):
            return selected(state, tuple(nodes), None)
        case Set("focus", names):
            return focused(state, tuple(dict.fromkeys(names)))
        case Set("highlight", relation):
            new = replace(state, highlight=known_name(relation, HIGHLIGHTS, "highlight"))
            return focused(new, new.focus) if new.focus else new
        case Set("status", text):
            return replace(state, status=str(text), failed=False)
        case Set(name, value) if name in SETTINGS or name in PLAIN:
            return replace(state, **{name: checked(session, name, value)})
        case Change(action, u, v, by_page):
            if by_page and not (state.can_rule if action in RULES else state.can_edit):
                raise ValueError(NOT_EDITABLE)
            if by_page and action in RULES:
                return ruled(state, with_rule(session.knowledge, action, u, v))
            return edited(state, lambda history: history.edit(Edit(action, u, v)))
        case Try(ends):
            return replace(state, tried=ends)
        case TypeRow(node, row, k, text):
            return typed(state, node, row, k, text)
        case TypeNoisyOr(node, effects, leak):
            if not state.can_edit:
                raise ValueError(NOT_EDITABLE)
            return _next(state, SetTable(node, typed_noisy_or(session.tabled, node, effects, leak), noisy_words(node)))
        case SetTable(node, table, words):
            net = with_table(session.tabled, node, table)
            return after_change(state, *session.revised(net, words or f"set P({node})"))
        case NewVariable():
            return replace(selected(state, (), None), adding=True)
        case AddVariable(name, states):
            net = with_variable(session.tabled, name, states)
            return after_change(state, *session.revised(net, f"add variable {name}"))
        case RenameVariable(node, name):
            return renamed_in(state, node, name)
        case RemoveVariable(node):
            return after_change(state, *session.revised(without_variable(session.tabled, node), f"remove {node}"))
        case Close():
            return selected(state, (), None) if state.selected or state.selected_edge else replace(state, adding=False)
        case ShowRows(first):
            return replace(state, first_row=first)
        case UndoEdit(redo):
            return edited(state, EditHistory.redo if redo else EditHistory.undo)
        case Observe(node, k, do):
            known = content.variable(session, node)
            seen, done = without(state.evidence, node), without(state.do, node)
            if k is not None:
                (done if do else seen)[node] = known.states[k]
            return observed(state, seen, done)
        case Weigh(node, k, p):
            return observed(state, {**state.evidence, node: weighed(state, node, k, p)}, without(state.do, node))
        case Target(k):
            return replace(state, target_state=checked_target(state, k))
        case ClearEvidence():
            return observed(state, {}, {})
        case Focus(node, wanted):
            around = (node,) if node is not None else state.selected or state.selected_edge or ()
            if not around and not state.focus:
                raise ValueError("select the node whose neighbourhood is to be drawn.")
            return focused(state, around if wanted and around != state.focus else ())
        case ResetPositions():
            return replace(state, layout=state.layout + 1)
        case Switch(other, threshold):
            return switched(state, other, threshold)
        case Learned(other, graph):
            return learned(state, other, graph)
        case Told(text):
            return replace(state, status=text, failed=True, mistyped=None)
        case Mistyped(text, what):
            return replace(state, status=text, failed=True, mistyped=what)
        case Failed(Learning()):
            return replace(state, learning=False)
    raise ValueError(f"{message!r} is no message of a network graph.")


def drawn(before: State, after: State) -> State:
    """State whose drawing is that of its other fields, with a selection of what is drawn."""
    if looks(before) == looks(after):
        return after
    data = drawing(after)
    marks, names = data.marks(), data.graph.names
    return replace(
        after,
        data=data,
        selected=tuple(name for name in after.selected if name in names),
        selected_edge=after.selected_edge if after.selected_edge in marks else None,
    )


def looks(state: State) -> tuple[Any, ...]:
    """What the drawing depends on."""
    part = (state.focus, state.highlight) if state.focus else ()
    shown = (state.strength, state.score, state.labels, state.compare, state.bars, state.show_knowledge)
    return (id(state.session), *shown, state.show_essential, state.show_member, state.explanation, part)


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
    known = content.variable(state.session, state.selected_node)
    if k not in range(known.arity):
        raise ValueError(f"state={k!r}: {known.name!r} has the states 0 to {known.arity - 1}.")
    return k


def edited(state: State, change: Callable[[EditHistory], EditHistory]) -> State:
    """State after a change of the graph."""
    return after_change(state, *state.session.changed(change))


def typed(state: State, node: str, row: int, k: int, text: str) -> State:
    """State after the page typed probabilities of a row."""
    if not state.can_edit:
        raise ValueError(NOT_EDITABLE)
    net = state.session.tabled
    table = typed_table(net, node, row, k, text)
    words = f"set {probability_of(net, net.dag.index(node), row)}"
    return after_change(state, *state.session.revised(with_table(net, node, table), words))


def renamed_in(state: State, node: str, name: str) -> State:
    """State in which a variable has another name, under which it stays selected, observed and in focus."""
    session = state.session
    if name == node:
        return state

    def turned(names: Sequence[str]) -> tuple[str, ...]:
        return tuple(name if own == node else own for own in names)

    def moved(given: Mapping[str, Any]) -> dict[str, Any]:
        return dict(zip(turned([*given]), given.values(), strict=True))

    new, lost = session.revised(renamed(session.tabled, node, name), f"rename {node} to {name}")
    new = new if lost else new.observed(moved(state.evidence), moved(state.do))
    return replace(after_change(state, new, lost), selected=turned(state.selected), focus=turned(state.focus))


def after_change(state: State, session: GraphSession, lost: str) -> State:
    """State with another graph; `lost` says why evidence or probabilities are lost."""
    return replace(
        state,
        session=session,
        focus=tuple(name for name in state.focus if name in session.names),
        **possible(state, session),
        status=lost or content.step_text(session, state.score),
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
    return replace(state, session=session, status=content.evidence_text(session), failed=False)


def without(given: Mapping[str, Any], node: str) -> dict[str, Any]:
    """Evidence on other nodes."""
    return {name: finding for name, finding in given.items() if name != node}


def weighed(state: State, node: str, k: int, p: float) -> Any:
    """Evidence with which state k of a node has the probability p: the state itself for 1, else likelihoods.

    With the odds q / (1 - q) given the other evidence, the state is p (1 - q) / (q (1 - p)) times as likely as others.
    """
    others = state.session.observed(without(state.evidence, node), without(state.do, node))
    known, before = content.variable(others, node), others.posterior
    assert before is not None
    q, p = float(before.marginals[node][k]), min(max(p, 0.0), 1.0)
    if p == 1:
        return known.states[k]
    if q in (0, 1):
        raise ValueError(f"{node} = {known.states[k]} has probability {q:.0f} whatever its likelihood.")
    ratio = p * (1 - q) / (q * (1 - p))
    return {s: (ratio if i == k else 1.0) / max(ratio, 1.0) for i, s in enumerate(known.states)}


def ruled(state: State, knowledge: Knowledge | None) -> State:
    """State with other background knowledge."""
    session = state.session
    if knowledge is not None:
        if session.dag is None:
            raise ValueError("knowledge: only a directed graph is compared with it; give a Dag or a BayesianNetwork.")
        knowledge.resolved(session.names)
    new = replace(state, session=session.ruled(knowledge))
    words = knowledge_text(knowledge, session.knowledge, session.dag)
    if knowledge is not None and offers_learning(new) and knowledge.violations(state.graph):
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
    return replace(state, selected=nodes, selected_edge=edge)


def focused(state: State, names: tuple[str, ...]) -> State:
    """State that draws only some nodes and those around them; all nodes without names."""
    session = state.session
    if names and isinstance(session.given, InfluenceDiagram):
        raise ValueError("focus: an influence diagram is always drawn as a whole.")
    for name in names:
        check_known(name, session.names, f"focus: no node {name!r} in the graph")
    new = replace(state, focus=names)
    part = drawing(new).graph.names if names else ()
    return replace(new, status=content.focus_text(session, names, part, state.highlight), failed=False)


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
        show_essential=state.show_essential and session.dag is not None,
        show_member=state.show_member and session.member is not None,
        **possible(state, session),
        target_state=0,
        first_row=0,
    )
    return replace(new, status=cleared or hint_text(new), failed=False)


def hint_text(state: State) -> str:
    """First message; it asks for a click on a state only if states are shown."""
    return content.hint_text(state.session, editable=state.can_edit, states=state.bars or state.details)


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
