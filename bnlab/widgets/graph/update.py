"""The state of a `NetworkGraph` that follows a message, and its effects."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from bnlab._runtime.names import check_known, known_name
from bnlab.graphs import as_dag
from bnlab.graphs.editing import Edit
from bnlab.networks.revise import renamed, with_table, with_variable, without_variable
from bnlab.widgets.base.pure import Effect, Failed, Message, Set, Stop, Told
from bnlab.widgets.graph import changes
from bnlab.widgets.graph.focus import HIGHLIGHTS, modules
from bnlab.widgets.graph.history import EditHistory
from bnlab.widgets.graph.rules import RULES, with_rule
from bnlab.widgets.graph.session import GraphSession
from bnlab.widgets.graph.settings import SETTINGS, drawing
from bnlab.widgets.graph.state import (
    AddVariable,
    Change,
    ClearEvidence,
    Close,
    Focus,
    FocusModule,
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
    Try,
    TypeNoisyOr,
    TypeRow,
    UndoEdit,
    Weigh,
)
from bnlab.widgets.graph.tables import noisy_words, typed_noisy_or


class Learning(Effect, channel="learn", failure="Not learned"):
    """Learn the graph of a session again from its data and its knowledge."""

    session: GraphSession
    algorithm: str | None
    options: Mapping[str, Any]

    def run(self, send: Callable[[Message], None], stopped: Callable[[], bool]) -> Learned:
        """Learned graph; None after a stop."""
        # Imported here: a graph that is only viewed must not load compiled code and pandas.
        from bnlab.learners.learn import learned, make_search

        source = self.session.source
        assert source is not None
        search = make_search(source, self.algorithm, **self.options)
        state = search.init()
        while not (stopped() or search.is_done(state)):
            state, _ = search.step(state)
        if stopped():
            return Learned(self.session, None)
        return Learned(self.session, learned(source, search.result(state), self.options.get("knowledge")))


def begun(session: GraphSession, threshold: float | None, *, bars: bool) -> State:
    """First state for a graph."""
    state = changes.taken(State(session), session, threshold)
    # On dimmed nodes, probabilities would be hard to read.
    shown = {
        "bars": changes.checked(session, "bars", bars),
        "highlight": "none" if bars else "neighbours",
    }
    drawn_here = not session.names
    state = replace(state, editable=session.dag is not None, adding=drawn_here, edit_tables=drawn_here, **shown)
    state = replace(state, show_essential=session.learned)
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
            return changes.edited(state, lambda history: history.replace(as_dag(graph, session.names)))
        case Set("threshold", None):
            return replace(state, threshold=None)
        case Set("threshold", threshold) if session.confidence is None or threshold != state.threshold:
            return changes.after_change(replace(state, threshold=threshold), *session.cut(threshold))
        case Set("evidence", evidence):
            return changes.observed(state, evidence, state.do)
        case Set("do", do):
            return changes.observed(state, state.evidence, do)
        case Set("knowledge", knowledge):
            return changes.ruled(state, knowledge)
        case Set("selected_node", None):
            return changes.selected(state, (), state.selected_edge)
        case Set("selected_node", node):
            check_known(node, session.names, f"selected_node={node!r}: no such node")
            return changes.selected(state, state.selected if node == state.selected_node else (node,), None)
        case Set("selected_edge", None):
            return changes.selected(state, state.selected, None)
        case Set("selected_edge", edge) | Select(_, [*edge]):
            if tuple(edge) not in state.data.marks():
                raise ValueError(f"selected_edge={tuple(edge)!r}: no such edge is shown; give (u, v), or None.")
            return changes.selected(state, (), (edge[0], edge[1]))
        case Select(nodes):
            return changes.selected(state, tuple(nodes), None)
        case Set("focus", names):
            return changes.focused(state, tuple(dict.fromkeys(names)))
        case Set("highlight", relation):
            new = replace(state, highlight=known_name(relation, HIGHLIGHTS, "highlight"))
            return changes.focused(new, new.focus) if new.focus else new
        case Set("status", text):
            return replace(state, status=str(text), failed=False)
        case Set(name, value) if name in SETTINGS or name in changes.PLAIN:
            return replace(state, **{name: changes.checked(session, name, value)})
        case Change(action, u, v, by_page):
            if by_page and not state.can_edit:
                raise ValueError(changes.NOT_EDITABLE)
            if by_page and action in RULES:
                return changes.ruled(state, with_rule(session.knowledge, action, u, v), by_page=True)
            ends = changes.own_ends(state, u, v) if by_page and action != "add" else (u, v)
            return changes.edited(state, lambda history: history.edit(Edit(action, *ends)))
        case Try(ends):
            return replace(state, tried=ends)
        case TypeRow(node, row, k, text):
            return changes.typed(state, node, row, k, text)
        case TypeNoisyOr(node, effects, leak):
            if not state.can_edit:
                raise ValueError(changes.NOT_EDITABLE)
            return _next(state, SetTable(node, typed_noisy_or(session.tabled, node, effects, leak), noisy_words(node)))
        case SetTable(node, table, words):
            net = with_table(session.tabled, node, table)
            return changes.after_change(state, *session.revised(net, words or f"set P({node})"))
        case NewVariable():
            return replace(changes.selected(state, (), None), adding=True)
        case AddVariable(name, states):
            net = with_variable(session.tabled, name, states)
            return changes.after_change(state, *session.revised(net, f"add variable {name}"))
        case RenameVariable(node, name):
            if name == node:
                return state
            net = renamed(session.tabled, node, name)
            return changes.after_change(state, *session.revised(net, f"rename {node} to {name}"))
        case RemoveVariable(node):
            return changes.after_change(
                state, *session.revised(without_variable(session.tabled, node), f"remove {node}")
            )
        case Close():
            chosen = state.selected or state.selected_edge
            return changes.selected(state, (), None) if chosen else replace(state, adding=False)
        case ShowRows(first):
            return replace(state, first_row=first)
        case UndoEdit(redo):
            return changes.edited(state, EditHistory.redo if redo else EditHistory.undo)
        case Observe(node, k, do):
            return changes.observed_state(state, node, k, do=do)
        case Weigh(node, k, p):
            return changes.weighed(state, node, k, p)
        case Target(k):
            return replace(state, target_state=changes.checked_target(state, k))
        case ClearEvidence():
            return changes.observed(state, {}, {})
        case Focus(node, wanted):
            around = (node,) if node is not None else state.selected or state.selected_edge or ()
            if not around and not state.focus:
                raise ValueError("select the node whose neighbourhood is to be drawn.")
            return changes.focused(state, around if wanted and around != state.focus else ())
        case FocusModule(node):
            return changes.focused(state, modules(state.session.drawn).get(node or "", ()))
        case ResetPositions():
            return replace(state, layout=state.layout + 1)
        case Switch(other, threshold):
            return changes.switched(state, other, threshold)
        case Learned(other, graph):
            return changes.learned(state, other, graph)
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
    marks, names, edge = data.marks(), data.graph.names, after.selected_edge
    return replace(
        after,
        data=data,
        selected=tuple(name for name in after.selected if name in names),
        selected_edge=next((ends for ends in (edge, edge[::-1]) if ends in marks), None) if edge else None,
    )


def looks(state: State) -> tuple[Any, ...]:
    """What the drawing depends on."""
    part = (state.focus, state.highlight) if state.focus else ()
    shown = (state.strength, state.score, state.labels, state.compare, state.bars, state.show_knowledge)
    return (id(state.session), *shown, state.show_essential, state.show_member, state.explanation, part)
