"""The state of a workbench that follows a message, and effects."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from bnlab._runtime.history import History
from bnlab._runtime.names import known_name
from bnlab.analysis.findings import findings
from bnlab.analysis.preparation_editor import PreparationEditor
from bnlab.analysis.session import Estimated, Learned
from bnlab.graphs.dag import Dag, counted
from bnlab.graphs.equivalence import any_member
from bnlab.graphs.knowledge import Knowledge
from bnlab.learners.table import learner, options_of, score_named, scores_of
from bnlab.widgets.base.core import error_text
from bnlab.widgets.base.gap import STARTING
from bnlab.widgets.base.pure import Failed, Set, Stop
from bnlab.widgets.base.timing import spent
from bnlab.widgets.workbench import state as messages
from bnlab.widgets.workbench.columns import (
    OF_COLUMN,
    after_change,
    column_lines,
    detail_lines,
    first_column,
    pattern_lines,
    table_text,
)
from bnlab.widgets.workbench.content import size_text
from bnlab.widgets.workbench.edges import edge_frame, edge_heads, next_order, strengths_on
from bnlab.widgets.workbench.effects import ENDINGS, Compare, Estimating, FindGap, Measure, Read, Save, Search
from bnlab.widgets.workbench.knowledge import changed_rules, order_of, timely_rules
from bnlab.widgets.workbench.measures import SMALL, Question, missing_held
from bnlab.widgets.workbench.source import is_usual, likely_panel
from bnlab.widgets.workbench.state import METHODS, STEPS, TYPED, Learn, Running, State

Next = tuple[State, Sequence[Any]]
WAIT = "not now: a job is running: stop it, or wait for its end."
EVIDENCE = {
    **dict.fromkeys(("network", "directions", "validation"), "compare"),
    "confidence": "trust",
    "target": "variables",
}
"""Step that shows the evidence of a finding."""
NEED_TABLE = "the distance to the optimum needs a network and a table without missing values."


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
            return with_setting(state, name, value)
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
            return told(state, form, text, failed=failed), []
        case Failed(effect, error):
            return failed_effect(state, effect, error)
        case messages.Write() | messages.Offer():
            return state, [writing(state, message)]
        case messages.Written(text, source, kept):
            session = state.session if source is None or kept is None else state.session.with_kept(source, kept)
            return told(replace(state, session=session), "files", text), []
        case messages.Offered(file):
            return told(replace(state, offered=file), "files", f"Downloaded as {file.name}."), []
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
            return loaded(replace(state, reading=False, refused=None), message)
        case messages.Done(result, replicates):
            return done(replace(state, running=None, sketch=None), result, replicates)
        case messages.Compared():
            return compared(state, message)
        case messages.HeldOut() | messages.FindOptimum() | messages.StopOptimum() | messages.Searching():
            return measured(state, message)
        case messages.Found(question, optimum):
            return next_search(replace(state, optima={**state.optima, question: optimum}))
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
            return prepared(state, state.next_edit(editor))
        case messages.Prepare(what, of, value):
            edits = after_change(state, what, of, value, str(state.column))
            return prepared(replace(state, column=of) if what in OF_COLUMN else state, edits)
        case messages.IgnoreIdentifiers():
            if (now := state.preparing) is None:
                return state, []
            for name in state.identifiers:
                now = now.role(name, "leave out")
            return prepared(state, state.next_edit(now))
        case messages.MergeAlike():
            if (now := state.preparing) is None:
                return state, []
            for name, states in state.alike.items():
                now = now.recode(name, states)
            return prepared(state, state.next_edit(now))
        case messages.MakePanel(of_rows):
            if (now := state.preparing) is None:
                return state, []
            columns = (None, None) if of_rows else (state.typed["unit"] or None, state.typed["time"] or None)
            if columns == (None, None) and not of_rows:
                raise ValueError("choose the columns of the unit and of the time first.")
            new, effects = prepared(state, state.next_edit(now.panel(*columns)))
            return told(new, "data", new.status), effects
        case messages.Rule(control, value):
            rules = changed_rules(state.rules, control, value, state.typed, state.session.ready.names)
            rules.now.resolved(state.session.ready.names)
            new = without_message(replace(state, rules=rules), "limits")
            return without_message(new, "knowledge"), []
        case messages.LearnRecommended():
            return worked(suggested(state), Learn())
        case messages.LearnAgain():
            recipe = state.session.study.recipes.get(state.name_or_shown(None))
            if recipe is None:
                return worked(state, Learn())
            others = {name: value for name, value in recipe.options.items() if name != "knowledge"}
            return worked(state, Learn(replace(recipe, options={**others, **state.knowledge_option})))
        case Learn(recipe, name):
            session, places = state.session, places_of(state)
            session.ready  # noqa: B018 - raises when there are no data
            work = Search(session, recipe or state.recipe(), name or state.typed["name"] or None, places)
            return replace(state, running=Running("learn", None, "Starting …")), [work]
        case messages.Estimate(method, name, replicates):
            chosen = state.name_or_shown(name)
            state.session.recipe(chosen)
            count = state.replicates if replicates is None else replicates
            estimating = Estimating(state.session, method, chosen, count, places_of(state))
            return replace(state, running=Running("trust", None, "Starting …")), [estimating]
        case messages.Average(name, threshold):
            least = state.threshold if threshold is None else threshold
            session, found = state.session.average(state.name_or_shown(name), least)
            new = replace(state, session=session)
            return with_networks(told(new, "trust", f"{found}: {edges_text(new, found)}."), found)
        case messages.KeepEdits():
            if state.pictured is None or not state.is_edited:
                raise ValueError("this network was not edited: change an edge in the picture first.")
            found = f"{state.shown}, edited"
            new = replace(state, session=state.session.add(found, state.pictured.graph))
            return with_networks(told(new, "list", f"{found}: added."), found)
        case messages.Add(name, graph):
            if isinstance(name, str) and not name.strip():
                raise ValueError(f"name={name!r}: a network needs a name, such as 'expert'.")
            if name in state.session.study.graphs:
                raise ValueError(
                    f"name={name!r}: there is a network of that name; take another, or remove that one first."
                )
            new = told(replace(state, session=state.session.add(name, graph)), "list", f"{name}: added.")
            return with_networks(replace(new, step="compare"), name)
        case messages.Remove(name):
            gone = state.name_or_shown(name)
            new = replace(state, session=state.session.remove(gone))
            return with_networks(new, None if state.shown == gone else state.shown)
    raise TypeError(f"{message!r} is no message of a workbench.")


def checked(state: State, name: str, value: Any) -> Any:
    """Value of a public field that can be set; ValueError or TypeError if it is not possible."""
    match name:
        case "step":
            return known_name(value, STEPS, "step")
        case "estimate":
            return known_name(value, METHODS, "method")
        case "algorithm":
            return learner(value).name
        case "score":
            return score_named(value).name
        case "shown" | "reference":
            return None if value is None else state.session.known(value)
        case "beside":
            return bool(value)
        case "options":
            return dict(value)
        case "replicates":
            if int(value) != value or value < 1:
                raise ValueError(f"replicates={value!r}: give a whole number of samples, at least 1.")
            return int(value)
        case "threshold":
            if value is not None and not 0 <= value <= 1:
                raise ValueError(f"threshold={value!r}: give a share from 0 to 1, or None for the suggested one.")
            return None if value is None else float(value)
        case "knowledge":
            if not isinstance(value, Knowledge):
                raise TypeError(f"knowledge={value!r}: give a bnlab.Knowledge.")
            return value
    raise ValueError(f"{name!r} is no setting of a workbench.")


def with_setting(state: State, name: str, value: Any) -> Next:
    """State with another value of a public field, and what follows from it."""
    value = checked(state, name, value)
    if name == "knowledge":
        same = value == state.knowledge
        return state if same else replace(state, rules=state.rules.step(value, "change of the rules")), []
    new = replace(state, **{name: value})
    if name == "algorithm" and value != state.algorithm:
        return with_learner(new), []
    if name in ("shown", "reference"):
        new = without_message(new, "list") if name == "shown" else new  # it is about another network
        new = replace(new, reference=None if new.reference == new.shown else new.reference)
        return searched(new)
    return new, []


def with_learner(state: State) -> State:
    """State with a score of its learner, and suggested options only of the learner that they are suggested for."""
    scores, suggestion = scores_of(state.algorithm), state.suggested
    if scores and state.score not in scores:
        state = replace(state, score=scores[0])
    if suggestion is None:
        return state
    own = {name: value for name, value in state.options.items() if suggestion.options.get(name) != value}
    return replace(state, options=own if state.algorithm != suggestion.algorithm else {**suggestion.options, **own})


def suggested(state: State) -> State:
    """State with the suggested learner, its score and its options."""
    found = state.suggested
    if found is None:
        return state
    return replace(state, algorithm=found.algorithm, score=scores_of(found.algorithm)[0], options=found.options)


def told(state: State, form: str, text: str, *, failed: bool = False) -> State:
    """State with a message of a form, which begins with a capital letter there."""
    first, _, rest = text.partition(" ")
    said = f"{first.capitalize()} {rest}" if first.islower() and first.isalpha() else text
    return replace(state, said={**state.said, form: (said, failed)}, status=text, failed=failed)


def without_message(state: State, form: str) -> State:
    """State without the message of a form."""
    return replace(state, said={name: said for name, said in state.said.items() if name != form})


def failed_effect(state: State, effect: Any, error: Exception) -> Next:
    """State after an effect has failed."""
    match effect:
        case FindGap():
            return next_search(replace(state, search_failure=f"No distance to the optimum: {error_text(error)}"))
        case Measure():
            return replace(state, measuring=None), []
        case Search() | Estimating():
            state = replace(state, running=None, sketch=None)
        case Read():
            state = replace(state, reading=False)
    return told(state, effect.form, error_text(error), failed=True), []


def loaded(state: State, message: messages.Loaded) -> Next:
    """State with loaded data and a note, by default their size.

    A file in an unusual format is shown in the step Data, where the format can be checked and corrected.
    """
    session = message.session
    new = without_message(replace(state, session=session), "columns")
    if session.source is not None and session.table is not None and session.kinds is not None:
        first, own = PreparationEditor.suggested(session.frame, session.kinds), session.study.preparation
        cuts = first.preparation.cuts
        ways = {name: way for name, way in first.ways.items() if own.cuts.get(name) == cuts[name]}
        recipes = session.study.recipes.values()
        known = next((known for r in recipes if (known := r.knowledge)), order_of(session) or Knowledge())
        new = replace(
            new,
            first_preparation=first.preparation,
            edits=History.begin(PreparationEditor(session.frame, own, ways)),
            rules=History.begin(known),
            previews={},
            typed={**state.typed, "parent": TYPED["parent"], "child": TYPED["child"], **likely_panel(session)},
            column=state.column if state.column in session.kinds.index else first_column(session.kinds),
        )
        new = suggested(new)
    note, step = message.note, "data"  # where a note is shown
    if note or session.source is None:
        return with_networks(told(replace(new, step=step), "data", note), None)
    if not message.corrected:
        new = replace(new, typed={**new.typed, "format": None})
        asks = session.panel_columns is not None and session.panel_columns.unit is not None
        usual = is_usual(session.source.format) and not asks
        step = "compare" if session.study.graphs else "variables" if usual else "data"
    # The summary above the steps says it.
    note = f"{session.source.name}: {size_text(session.frame)}."
    return with_networks(replace(without_message(new, "data"), step=step, status=note, failed=False), None)


def prepared(state: State, edits: History[PreparationEditor]) -> Next:
    """State with the table of another preparation."""
    session = state.session.prepare(edits.now.preparation)
    rules = timely_rules(state.rules, state.session, session)
    new = replace(state, session=session, edits=edits, rules=rules)
    text = table_text(session)
    return with_networks(told(new, "columns", text), state.shown)


def with_networks(state: State, shown: str | None) -> Next:
    """State that shows one of its networks, if there is any; all are compared."""
    graphs, table = state.session.study.graphs, state.session.table
    shown = shown if shown in graphs else next(iter(graphs), None)
    reference = None if state.reference not in graphs or state.reference == shown else state.reference
    if state.measured is not table:
        state = replace(state, measured=table, strengths=strengths_on(table))
    return replace(state, shown=shown, reference=reference), [Compare(state.session)]


def done(state: State, found: Learned | Estimated, replicates: int) -> Next:
    """State with a learned network or the confidence of its edges. It is drawn only after its message is shown."""
    new = replace(state, session=state.session.with_result(found))
    if isinstance(found, Learned):
        early = " Stopped early: this is the best network so far." if found.stopped else ""
        new = without_message(replace(new, typed={**state.typed, "name": ""}), "learn")
        words = f"{found.name}: learned in {spent(found.seconds)}.{early}"
        new = told(new, "list", words)
        # The list shows the seconds.
        return new if early else without_message(new, "list"), [Compare(new.session, found.name, "compare")]
    samples = found.confidence.graphs
    if found.bootstrap is None or samples >= replicates:
        new = replace(without_message(new, "trust"), status=f"{found.name}: edge confidence is known.", failed=False)
    else:
        words = f"Stopped after {counted(samples, 'sample')}; press again to continue to {replicates:,}."
        new = told(new, "trust", words)
    return new, [Compare(new.session, found.name)]


def compared(state: State, message: messages.Compared) -> Next:
    """State with scores and comparison, unless the networks are others by now."""
    graphs = state.session.study.graphs
    if list(message.results.index) != list(graphs):
        return state, []
    new = replace(state, results=message.results, comparison=message.comparison, step=message.step or state.step)
    if message.shown in graphs:
        reference = None if state.reference == message.shown else state.reference
        new = replace(new, shown=message.shown, reference=reference)
    new, measures = next_held_out(new)
    new, search = searched(new)
    return new, [*measures, *search]


def measured(state: State, message: Any) -> Next:
    """State with another measure of the networks, or with one that is asked for."""
    match message:
        case messages.HeldOut(held, value):
            known = state.held_out if value is None else {**state.held_out, held: value}
            current = None if state.measuring == held else state.measuring
            return next_held_out(replace(state, held_out=known, measuring=current))
        case messages.FindOptimum():
            question = Question.about(state.session, state.shown)
            if question is None:
                raise ValueError(NEED_TABLE)
            return asked(state, question)
        case messages.StopOptimum():
            return replace(state, asked=None), [Stop("optimum")]
        case messages.Searching(text):
            return replace(state, search_text=text), []
    raise TypeError(f"{message!r} is no message about measures.")


def next_held_out(state: State) -> Next:
    """State in which the next held-out log-likelihood is computed; one of a network that has gone is given up."""
    missing = missing_held(state.session, state.held_out)
    if state.measuring in missing:
        return state, []
    if not missing:
        return replace(state, measuring=None), [] if state.measuring is None else [Stop("measures")]
    held, name = next(iter(missing.items()))
    return replace(state, measuring=held), [Measure(state.session, held, name)]


def searched(state: State) -> Next:
    """State in which the distance of the shown network to the optimum is found, for few variables."""
    question = Question.about(state.session, state.shown)
    table = state.session.table
    few = table is not None and table.n_variables <= SMALL
    return (state, []) if question is None or not few else asked(state, question)


def asked(state: State, question: Question) -> Next:
    """State in which the exact search answers a question, after the present one."""
    if question in state.optima or question == state.searching:
        return state, []
    if state.searching is not None:
        return replace(state, asked=question), []
    new = replace(state, searching=question, asked=None, search_text=STARTING, search_failure="")
    return new, [FindGap(state.session, question)]


def next_search(state: State) -> Next:
    """State after the end of an exact search: the question that waits, if it is about the table, is next."""
    new, question, table = replace(state, searching=None, asked=None), state.asked, state.session.table
    if question is None or table is None or question.fingerprint != table.fingerprint:
        return new, []
    return asked(new, question)


def writing(state: State, message: messages.Write | messages.Offer) -> Save:
    """Effect that writes or offers a file."""
    path = Path(f"{state.typed['file'] or 'analysis'}{ENDINGS[message.kind]}")
    name = path.name.removesuffix(ENDINGS[message.kind])
    what = state.session, state.validation, state.saved, message.kind
    if isinstance(message, messages.Offer):
        return Save(*what, Path(path.name), name, offered=True, page=message.page)
    if message.path is None:
        return Save(*what, path, path.stem, page=message.page)
    return Save(*what, message.path, message.title, message.overwrite, named=True)


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


def places_of(state: State) -> Dag | None:
    """Graph whose places a running search is drawn in."""
    graph = state.session.study.graphs.get(str(state.shown))
    return None if graph is None else any_member(graph)


def edges_text(state: State, name: str) -> str:
    """Number of edges of a network, in words."""
    return counted(len(state.session.study.graphs[name].edges), "edge")


def message_of(form: str, id: str, value: Any, page: str = "") -> Any:
    """Message of a control of a form; None if it has none. `page` is the text of a page to write."""
    name, _, rest = id.partition(":")
    plain: dict[str, Any] = {
        "ignore": messages.IgnoreIdentifiers(),
        "merge-alike": messages.MergeAlike(),
        "transitions": messages.MakePanel(),
        "rows": messages.MakePanel(of_rows=True),
        "learn": Learn(),
        "again": messages.LearnAgain(),
        "recommended": messages.LearnRecommended(),
        "stop": messages.StopJob(),
        "remove": messages.Remove(),
        "edits": messages.KeepEdits(),
        "bootstrap": messages.Estimate("bootstrap"),
        "posterior": messages.Estimate("posterior"),
        "average": messages.Average(),
        "optimum": messages.FindOptimum(),
        "stop-optimum": messages.StopOptimum(),
        "upload": messages.Told("data", "The file could not be read by the browser."),
        "trust": messages.Estimate("bootstrap"),
        "edge:order": messages.Sort(value),
        "column": messages.Inspect(value),
        **{f"save-{kind}": messages.Write(kind, page=page) for kind in ENDINGS},
        **{f"download-{kind}": messages.Offer(kind, page) for kind in ENDINGS},
    }
    if id in TYPED:
        text = value.strip() if isinstance(value, str) and form != "knowledge" else value
        return messages.Typed(id, text)
    if id in plain:
        return plain[id]
    if id in ("step", "estimate", "algorithm", "score", "shown", "reference", "beside", "replicates"):
        return Set(id, value)
    if id == "findings":
        return Set("step", EVIDENCE[value]) if value in [*EVIDENCE] else None
    if id == "threshold":
        return Set(id, None if value is None else value / 100)
    if name == "option":
        return messages.Option(rest, value)
    if name == "example":
        return messages.Load(rest)
    if name == "format":
        return messages.ReadAs(rest, value)
    if form in ("knowledge", "limits"):
        return messages.Rule(id, value)
    return messages.Prepare(name, rest, value) if form in ("columns", "details") else None
