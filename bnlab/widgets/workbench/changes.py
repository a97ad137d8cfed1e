"""States of a workbench that follow from one change: a setting, data, a preparation, the end of a job, a measure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from bnlab._runtime.history import History
from bnlab._runtime.names import known_name
from bnlab.analysis.preparation_editor import PreparationEditor
from bnlab.analysis.session import Estimated, Learned
from bnlab.graphs.dag import Dag, counted
from bnlab.graphs.equivalence import any_member
from bnlab.graphs.knowledge import Knowledge
from bnlab.learners.table import learner, score_named, scores_of
from bnlab.widgets.base.core import error_text
from bnlab.widgets.base.gap import STARTING
from bnlab.widgets.base.pure import Stop
from bnlab.widgets.base.timing import spent
from bnlab.widgets.workbench import messages
from bnlab.widgets.workbench.columns import (
    first_column,
    table_text,
)
from bnlab.widgets.workbench.content import size_text
from bnlab.widgets.workbench.edges import strengths_on
from bnlab.widgets.workbench.effects import ENDINGS, Compare, Estimating, FindGap, Measure, Read, Save, Search
from bnlab.widgets.workbench.knowledge import order_of, timely_rules
from bnlab.widgets.workbench.measures import SMALL, Question, missing_held
from bnlab.widgets.workbench.source import is_usual, likely_panel
from bnlab.widgets.workbench.state import METHODS, STEPS, TYPED, State

Next = tuple[State, Sequence[Any]]
NEED_TABLE = "the distance to the optimum needs a network and a table without missing values."


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


def writing(state: State, message: messages.Write) -> Save:
    """Effect that writes or offers a file."""
    path = Path(f"{state.typed['file'] or 'analysis'}{ENDINGS[message.kind]}")
    title = path.name.removesuffix(ENDINGS[message.kind]) if message.path is None else message.title
    return Save(state.session, state.validation, state.saved, message, message.path or path, title)


def places_of(state: State) -> Dag | None:
    """Graph whose places a running search is drawn in."""
    graph = state.session.study.graphs.get(str(state.shown))
    return None if graph is None else any_member(graph)
