"""The state of a workbench that follows a message, and effects."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from bnlab.analysis.findings import findings
from bnlab.graphs.dag import counted
from bnlab.learners.table import options_of
from bnlab.widgets.base.pure import Failed, Set, Stop
from bnlab.widgets.workbench import changes, messages
from bnlab.widgets.workbench.changes import Next
from bnlab.widgets.workbench.columns import (
    OF_COLUMN,
    PANEL,
    after_change,
    column_lines,
    detail_lines,
    pattern_lines,
)
from bnlab.widgets.workbench.edges import edge_frame, edge_heads, next_order
from bnlab.widgets.workbench.effects import Estimating, Read, Search
from bnlab.widgets.workbench.knowledge import changed_rules
from bnlab.widgets.workbench.state import Running, State

WAIT = "not now: a job is running: stop it, or wait for its end."


def update(state: State, message: Any) -> Next:
    """Next state and effects."""
    new, effects = changed(state, message)
    if new.step in new.closed_steps:
        new = replace(new, step="data" if new.session.source is None else "learn")
    return with_columns(state, with_findings(state, with_edges(state, new))), effects


def changed(state: State, message: Any) -> Next:
    """Next state and effects, without what follows from other fields."""
    match message:
        case Set(name, value):
            return changes.with_setting(state, name, value)
        case messages.Typed(name, value):
            # An empty field for a number, or an empty choice, keeps the last value.
            now = value if isinstance(value, (str, bool)) else value or state.typed[name]
            return replace(state, typed={**state.typed, name: now}), []
        case messages.Option(name, value):
            option = {known.name: known for known in options_of(state.algorithm, state.score)}[name]
            return replace(state, options={**state.options, name: option.checked(value)}), []
        case messages.Inspect(column):
            return replace(state, column=column), []
        case messages.Sort(head):
            return replace(state, order=next_order(state.order, heads_of(state), head)), []
        case messages.Picture(pictured):
            return replace(state, pictured=pictured), []
        case messages.Told(form, text, failed):
            return changes.told(state, form, text, failed=failed), []
        case Failed(effect, error):
            return changes.failed_effect(state, effect, error)
        case messages.Write():
            return state, [changes.writing(state, message)]
        case messages.Written(text, source, kept):
            session = state.session if source is None or kept is None else state.session.with_kept(source, kept)
            return changes.told(replace(state, session=session), "files", text), []
        case messages.Offered(file):
            return changes.told(replace(state, offered=file), "files", f"Downloaded as {file.name}."), []
        case messages.Progress(share, text) if state.running is not None:
            return replace(state, running=Running(state.running.form, share, text)), []
        case messages.Sketched(sketch) if state.running is not None:
            return replace(state, sketch=sketch), []
        case messages.Progress() | messages.Sketched():
            return state, []
        case messages.StopJob():
            running = None if state.running is None else state.running._replace(text="Stopping …")
            return replace(state, running=running), [Stop("job")]
        case messages.Refused(source):
            return replace(state, refused=source), []
        case messages.Loaded():
            return changes.loaded(replace(state, reading=False, refused=None), message)
        case messages.Done(result, replicates):
            return changes.done(replace(state, running=None, sketch=None), result, replicates)
        case messages.Compared():
            return changes.compared(state, message)
        case messages.HeldOut() | messages.FindOptimum() | messages.StopOptimum() | messages.Searching():
            return changes.measured(state, message)
        case messages.Found(question, optimum):
            return changes.next_search(replace(state, optima={**state.optima, question: optimum}))
    if state.busy or state.reading:
        raise ValueError(WAIT)
    return worked(state, message)


def worked(state: State, message: Any) -> Next:
    """Next state and effects of a message that is refused while a job runs."""
    match message:
        case messages.Load() | messages.Upload() | messages.ReadAs() | messages.Open():
            return replace(state, reading=True), [Read(state.session, state.read, state.saved, message)]
        case messages.Edit(editor):
            if state.edits is None:
                raise ValueError("there are no data yet: load some.")
            return changes.prepared(state, state.next_edit(editor))
        case messages.Prepare(what, of, value):
            edits = after_change(state, what, of, value, str(state.column))
            new, effects = changes.prepared(replace(state, column=of) if what in OF_COLUMN else state, edits)
            return changes.told(new, "data", new.status) if what in PANEL else new, effects
        case messages.Rule(control, value):
            rules = changed_rules(state.rules, control, value, state.typed, state.session.ready.names)
            rules.now.resolved(state.session.ready.names)
            new = changes.without_message(replace(state, rules=rules), "limits")
            return changes.without_message(new, "knowledge"), []
        case messages.LearnRecommended():
            return worked(changes.suggested(state), messages.Learn())
        case messages.LearnAgain():
            recipe = state.session.study.recipes.get(state.name_or_shown(None))
            if recipe is None:
                return worked(state, messages.Learn())
            others = {name: value for name, value in recipe.options.items() if name != "knowledge"}
            return worked(state, messages.Learn(replace(recipe, options={**others, **state.knowledge_option})))
        case messages.Learn(recipe, name):
            session, places = state.session, changes.places_of(state)
            session.ready  # noqa: B018 - raises when there are no data
            work = Search(session, recipe or state.recipe(), name or state.typed["name"] or None, places)
            return replace(state, running=Running("learn", None, "Starting …")), [work]
        case messages.Estimate(method, name, replicates):
            chosen = state.name_or_shown(name)
            state.session.recipe(chosen)
            count = state.replicates if replicates is None else replicates
            estimating = Estimating(state.session, method, chosen, count, changes.places_of(state))
            return replace(state, running=Running("trust", None, "Starting …")), [estimating]
        case messages.Average(name, threshold):
            least = state.threshold if threshold is None else threshold
            session, found = state.session.average(state.name_or_shown(name), least)
            size = counted(len(session.study.graphs[found].edges), "edge")
            new = changes.told(replace(state, session=session), "trust", f"{found}: {size}.")
            return changes.with_networks(new, found)
        case messages.KeepEdits():
            if state.pictured is None or not state.is_edited:
                raise ValueError("this network was not edited: change an edge in the picture first.")
            found = f"{state.shown}, edited"
            new = replace(state, session=state.session.add(found, state.pictured.graph))
            return changes.with_networks(changes.told(new, "list", f"{found}: added."), found)
        case messages.Add(name, graph):
            if isinstance(name, str) and not name.strip():
                raise ValueError(f"name={name!r}: a network needs a name, such as 'expert'.")
            if name in state.session.study.graphs:
                raise ValueError(
                    f"name={name!r}: there is a network of that name; take another, or remove that one first."
                )
            new = changes.told(replace(state, session=state.session.add(name, graph)), "list", f"{name}: added.")
            return changes.with_networks(replace(new, step="compare"), name)
        case messages.Remove(name):
            gone = state.name_or_shown(name)
            new = replace(state, session=state.session.remove(gone))
            return changes.with_networks(new, None if state.shown == gone else state.shown)
    raise TypeError(f"{message!r} is no message of a workbench.")


def with_edges(old: State, new: State) -> State:
    """State with the numbers of the edges of the shown network, as it is in its picture."""
    used = (new.session.study.graphs, new.session.study.confidence, new.pictured, new.shown, new.strengths)
    before = (old.session.study.graphs, old.session.study.confidence, old.pictured, old.shown, old.strengths)
    if all(one is other for one, other in zip(used, before, strict=True)):
        return new
    graph = new.session.study.graphs.get(str(new.shown))
    if graph is None or new.shown is None:
        return replace(new, edges=new.edges.head(0))
    essential = new.session.study.as_class(new.shown)
    if new.pictured is not None and new.pictured.name == new.shown:
        graph, essential = new.pictured.graph, new.pictured.essential or new.pictured.graph
    found = new.session.study.confidence.get(new.shown)
    return replace(new, edges=edge_frame(graph, new.strengths, found, essential))


def with_findings(old: State, new: State) -> State:
    """State with what the shown network says, also about held-out rows once they were predicted."""
    if new.session is old.session and new.shown == old.shown and new.held_out is old.held_out:
        return new
    if new.shown not in new.session.study.graphs:
        return replace(new, findings=())
    return replace(new, findings=findings(new.session.study, str(new.shown), new.validation))


def with_columns(old: State, new: State) -> State:
    """State with the forms about columns, which take long to make if there are many."""
    used = (new.session, new.edits, new.column, new.typed, new.said.get("columns"))
    before = (old.session, old.edits, old.column, old.typed, old.said.get("columns"))
    if all(one is other for one, other in zip(used, before, strict=True)):
        return new
    forms = {"columns": column_lines(new), "details": detail_lines(new), "patterns": pattern_lines(new)}
    return replace(new, column_forms=forms)


def heads_of(state: State) -> dict[str, str]:
    """Columns of the table of edges."""
    return edge_heads(state.edges, state.session.study.confidence.get(str(state.shown)))
