"""Content of a workbench: its forms, and the still form."""

from __future__ import annotations

from html import escape

import pandas as pd

from bnlab._runtime.values import Option
from bnlab.analysis.preparation import LEFT_OUT
from bnlab.analysis.session import Session
from bnlab.figures.agreement import text_table
from bnlab.figures.graphs.network import network_html
from bnlab.figures.labels import capitalised
from bnlab.figures.table import html_table
from bnlab.graphs.confidence import EdgeConfidence
from bnlab.graphs.dag import counted
from bnlab.learners.table import CLASS_LEARNERS, OFFERED, learner, options_of, scores_of
from bnlab.scores.make import SCORE_TABLE
from bnlab.widgets.base import controls as kit
from bnlab.widgets.workbench.knowledge import knowledge_text
from bnlab.widgets.workbench.results import comparison_html, heading, list_heads, list_rows, result_frame
from bnlab.widgets.workbench.state import METHODS, STEPS, State

COLUMNS = 40
"""Maximum number of columns in the still form."""
NAMED = 5
"""Maximum number of columns that a sentence names."""
WRITTEN = {
    "session": ("session", "Preparation, rules, networks and edge confidence; the step Data opens it again"),
    "report": ("report", "Findings, networks, validation, preparation and code, as a self-contained HTML page"),
    "pdf": ("PDF", "The report, printed by a browser of the kernel's computer; needs the package playwright"),
    "page": ("network page", "The shown network to explore without Python: evidence, details, zoom"),
    "notebook": ("notebook", "Python code that repeats every step"),
}
"""Names and content of the files that a workbench writes."""
INVITATION = "Drop a table here: its columns are described, one click learns a network, and its findings come first."
NO_TARGET = "Choose a target to see how well it is predicted."
SAVE = "Write the file where the notebook is, on the computer of its kernel"
DOWNLOAD = "Save the file on the computer of the browser"
SINGLE = "A network as BIF, GraphML, SVG, PNG or Python code: see the menu Export of its picture in the step Compare."


def step_lines(state: State) -> kit.Lines:
    """Steps of the analysis, a summary, and buttons that lead to the next step."""
    idle, networks = not state.busy, state.session.study.graphs
    steps = kit.tabs("step", "Steps of the analysis", state.step, STEPS.items(), closed=state.closed_steps)
    on: list[kit.Control] = []
    if state.session.source is not None and state.step in ("data", "variables", "knowledge"):
        tip = "Learn a network with the settings of the step Learn"
        on = [kit.button("learn", "Learn again" if networks else "Learn network", tip, enabled=idle, main=True)]
    elif state.step in ("compare", "trust") and state.rules_changed:
        tip = f"Learn {state.shown} again, under the changed background knowledge"
        on = [kit.button("again", "Learn again", tip, enabled=idle, main=state.step == "compare")]
    elif state.step == "compare":
        tip = "Learn the network again from resampled rows, and count its edges"
        on = [kit.button("trust", "Check edge confidence", tip, enabled=idle, main=True)]
    if state.step in ("compare", "trust") and state.shown in state.session.study.confidence and not state.rules_changed:
        on = [kit.button("save-report", "Save report", SAVE, enabled=idle, main=True)]
    return [[steps], [kit.message("summary", summary_text(state), "status"), *on], *question_lines(state)]


def question_lines(state: State) -> kit.Lines:
    """Ignored columns with the reasons, and a question about used columns that identify rows."""
    lines: list[list[kit.Control]] = []
    if state.step in ("data", "variables") and (text := left_out_text(state)):
        lines.append([kit.message("left-out", text)])
    if state.step in ("data", "variables", "knowledge", "learn") and (names := state.identifiers):
        looks, it = ("looks like an identifier", "it") if len(names) == 1 else ("look like identifiers", "them")
        text = f"{_reasons(state, names)} {looks}."
        lines.append(
            [kit.message("question", text, "alert"), kit.button("ignore", f"Ignore {it}", enabled=not state.busy)]
        )
    if state.step in ("data", "variables") and (alike := state.alike):
        pairs = [f"“{old}” and “{new}” ({name})" for name, states in alike.items() for old, new in states.items()]
        listed = ", ".join(pairs[:NAMED]) + (", …" if len(pairs) > NAMED else "")
        text = f"Only blanks or capitals differ: {listed}."
        merge = kit.button("merge-alike", f"Merge {counted(len(pairs), 'pair')}", enabled=not state.busy)
        lines.append([kit.message("alike", text, "alert"), merge])
    if count := state.networks_elsewhere:
        verb, they = ("is", "it returns") if count == 1 else ("are", "they return")
        what = f"{counted(count, 'network')} on other variables {verb} kept"
        text = f"{what}: {they} with the preparation (Undo in Variables)."
        lines.append([kit.message("elsewhere", text)])
    return lines


def left_out_text(state: State) -> str:
    """Columns that are ignored because of their content, each with the reason; "" for none."""
    kinds = state.session.kinds
    if kinds is None:
        return ""
    now = state.session.study.preparation
    names = [n for n in now.leave_out if kinds["kind"][n] in LEFT_OUT and n not in (now.unit, now.time)]
    return f"Ignored: {_reasons(state, names, identifiers='looks like an identifier')}." if names else ""


def _reasons(state: State, names: list[str], identifiers: str = "") -> str:
    """Names with the reasons for their kind, by default also for identifiers."""
    kinds = state.session.kinds
    assert kinds is not None
    reasons = {name: kinds["advice"][name].partition(":")[0] for name in names[:NAMED]}
    reasons |= {name: identifiers for name in reasons if identifiers and kinds["kind"][name] == "identifier"}
    more = len(names) - NAMED
    listed = [f"{name} ({reason})" for name, reason in reasons.items()]
    return ", ".join([*listed, *([f"{more:,} more"] if more > 0 else [])])


def summary_text(state: State) -> str:
    """Summary of the analysis: data, what of them is used, rules, and number of networks."""
    session = state.session
    if session.source is None or session.table is None:
        return INVITATION
    table, study = session.table, session.study
    what = "rows" if study.preparation.unit is None else "transitions"
    rows = "" if table.n_rows == len(session.frame) else f"{table.n_rows:,} {what}, "
    name = {"a DataFrame": "DataFrame", "a Table": "Table"}.get(session.source.name, session.source.name)
    parts = [f"{name}: {size_text(session.frame)}"]
    if rows or table.n_variables != session.frame.shape[1]:
        parts.append(f"{rows}{counted(table.n_variables, 'variable')} used")
    parts += [text] if (text := knowledge_text(state.knowledge)) else []
    if study.graphs:
        parts.append(counted(len(study.graphs), "network"))
    return "  ·  ".join(parts)


def size_text(frame: pd.DataFrame) -> str:
    """Rows and columns."""
    rows, columns = frame.shape
    return f"{rows:,} row{'s' if rows != 1 else ''}, {columns:,} column{'s' if columns != 1 else ''}"


def finding_lines(state: State) -> kit.Lines:
    """What the shown network says, unless it is being edited; each sentence leads to its evidence."""
    if not state.findings or state.is_edited:
        return []
    parts = [(place, text) for text, place in state.findings]
    table = state.session.table
    if table is not None and table.target is None and not table.has_gaps:
        parts.append(("target", NO_TARGET))
    return [[kit.links("findings", f"Findings about {state.shown}", parts, "Go to the evidence")]]


def learn_lines(state: State) -> kit.Lines:
    """Form that learns a network."""
    chosen, scored = learner(state.algorithm), scores_of(state.algorithm)
    about = [chosen, *([SCORE_TABLE[state.score]] if scored else [])]
    ready = state.session.table is not None and not state.busy
    learners = [(known.name, known.label) for known in OFFERED.values()]
    scores = [(name, SCORE_TABLE[name].label) for name in scored]
    suggested = state.suggested
    once = ", without restarts" if state.algorithm == "boss" else ""
    rounds = _missing_text(state, f"the learner above runs in each of its rounds{once}")
    if rounds and state.algorithm in CLASS_LEARNERS:
        rounds = f"{chosen.label} needs complete rows: take another learner, or another treatment of missing values."
    return [
        [
            kit.message("suggestion", f"Recommended: {learner(suggested.algorithm).label}. {suggested.reason}"),
            kit.button("recommended", "Learn recommended network", enabled=ready, main=True),
        ]
        if suggested is not None
        else [],
        [kit.message("others", "Or choose another learner:")],
        [
            kit.select("algorithm", "Learner", state.algorithm, learners),
            *([kit.select("score", "Score", state.score, scores)] if scored else []),
            *(_option(state, option) for option in options_of(state.algorithm, state.score)),
        ],
        [
            kit.message(f"about-{i}", f"{entry.label}: {entry.words[0].lower()}{entry.words[1:]}")
            for i, entry in enumerate(about)
        ],
        [kit.message("missing", rounds)],
        [
            kit.button("learn", "Learn", "Learn a network with these settings", enabled=ready),
            _stop(state, "learn", "Stop the search and keep the best network so far"),
            kit.text("name", "Name", state.typed["name"], "Name of the network", placeholder="Automatic"),
        ],
        _progress(state, "learn", "Progress of the search"),
        state.message_line("learn"),
    ]


def trust_lines(state: State) -> kit.Lines:
    """Form that estimates the confidence of the edges of the shown network."""
    shown, idle = state.shown, not state.busy
    if shown is None:
        return []
    learned = shown in state.session.study.recipes
    bootstrap = state.estimate == "bootstrap"
    first = shown not in state.session.study.confidence
    again = "Learn the network again from resampled rows, and count its edges"
    given = "Probability of each edge given the data: exact for few variables, else sampled by a Markov chain"
    samples = "Number of networks learned from resampled rows"
    why = "" if learned else f"{shown} was not learned by one algorithm: choose a network that was."
    missing = _missing_text(state, "it learns again from each bootstrap sample")
    if not bootstrap and missing:
        why = "Edge probabilities need complete rows: take the bootstrap, or another treatment of missing values."
        learned = False
    return [
        [
            kit.select("shown", "Network", shown, kit.named(state.session.study.graphs), enabled=idle),
            kit.select("estimate", "Method", state.estimate, METHODS.items(), given, enabled=idle),
            *([kit.number("replicates", "Bootstrap samples", state.replicates, samples, least=1)] if bootstrap else []),
        ],
        [kit.message("why", why), *([kit.message("missing", missing)] if bootstrap else [])],
        [
            kit.button("bootstrap", "Bootstrap edge confidence", again, enabled=learned and idle, main=first)
            if bootstrap
            else kit.button("posterior", "Compute edge probabilities", given, enabled=learned and idle, main=first),
            _stop(state, "trust", "Stop, and keep the samples so far"),
        ],
        _progress(state, "trust", "Progress of the edge confidence"),
        _confidence(state, shown),
        state.message_line("trust"),
    ]


def file_lines(state: State) -> kit.Lines:
    """Form that saves and exports the analysis."""
    ready = state.session.source is not None
    rows: list[tuple[str, list[kit.Cell]]] = [
        (
            kind,
            [
                label[0].upper() + label[1:],
                content,
                [
                    kit.button(f"save-{kind}", f"Save {label}", SAVE, enabled=ready, main=kind == "session"),
                    kit.button(f"download-{kind}", f"Download {label}", DOWNLOAD, enabled=ready),
                ],
            ],
        )
        for kind, (label, content) in WRITTEN.items()
        if kind != "page" or state.pictured is not None
    ]
    return [
        [kit.text("file", "File name", state.typed["file"], "Without suffix; it may contain existing folders")],
        [kit.table("files", "Files", ("File", "Content", "Actions"), rows, left=("Content", "Actions"))],
        state.message_line("files"),
        [kit.message("single", SINGLE, hint=True)] if state.session.study.graphs else [],
    ]


def _missing_text(state: State, then: str) -> str:
    """Text about the treatment of missing values; "" if there are none."""
    table = state.session.table
    if table is None or not table.has_gaps:
        return ""
    values = counted(sum(table.gaps.values()), "value")
    return f"Structural EM estimates the {values} that are missing: {then}."


def _option(state: State, option: Option) -> kit.Control:
    value, step = state.options.get(option.name, option.value), 1 if option.whole else "any"
    return kit.number(f"option:{option.name}", option.label, value, option.words, least=option.least, step=step)


def _progress(state: State, form: str, label: str) -> list[kit.Control]:
    running = state.running
    return [] if running is None or running[0] != form else [kit.progress("progress", label, *running[1:])]


def _stop(state: State, form: str, tip: str) -> kit.Control:
    return kit.button("stop", "Stop", tip, enabled=state.running is not None and state.running[0] == form)


def _confidence(state: State, shown: str) -> list[kit.Control]:
    found = state.session.study.confidence.get(shown)
    if found is None:
        return []
    least = found.threshold if state.threshold is None else state.threshold
    frame = found.edge_list()
    reaching = int((frame["strength"] >= least).sum())
    which = "suggested threshold" if state.threshold is None else "threshold"
    source = confidence_text(found)
    note = f"{capitalised(source)}: {reaching} of {counted(len(frame), 'edge')} reach the {which} ({least:.0%})."
    percent, idle = round(100 * least, 1), not state.busy
    return [
        kit.slider(
            "threshold", "Confidence threshold (%)", percent, "Least confidence of an edge", least=0, most=100, step=1
        ),
        kit.button("average", "Consensus network", "Add the network of these edges to the list", enabled=idle),
        kit.message("reaching", note),
    ]


def confidence_text(found: EdgeConfidence) -> str:
    """Source of the confidence of edges."""
    if found.method == "exact":
        return "exact posterior"
    return f"{found.graphs:,} {'samples' if found.method == 'bootstrap' else 'sampled graphs'}"


def still(state: State) -> str:
    """Workbench for pages without a kernel: findings, columns, networks and their comparison, as HTML."""
    session, shown = state.session, state.shown
    parts = [f"<p>{escape(state.status)}</p>"]
    if state.findings:
        listed = "".join(f"<li>{escape(text)}</li>" for text, _ in state.findings)
        parts.append(f"{heading(f'Findings about {escape(str(shown))}')}<ul>{listed}</ul>")
    if session.kinds is not None and session.table is not None:
        columns = session.kinds.head(COLUMNS).reset_index()[["column", "kind", "values", "missing", "example"]]
        more = len(session.kinds) - COLUMNS
        wide = html_table(columns.rename(columns=str.capitalize)).html
        parts.append(
            f'{heading("Columns")}<div style="overflow-x: auto">{wide}</div><p>{escape(_size_text(session))}</p>'
        )
        parts.append(f"<p>{counted(more, 'further column')}.</p>" if more > 0 else "")
    if session.study.graphs:
        # Without the seconds, a notebook that is run again stays the same.
        results = result_frame(session).drop(columns="seconds")
        heads, rows = list_heads(results), [cells for _, cells in list_rows(results)]
        parts.append(heading("Networks") + text_table(heads, rows).html)
        graph = session.study.as_class(shown or next(iter(session.study.graphs)))
        parts.append(f"<div>{network_html(graph)}</div>")
        parts.append(comparison_html(session, results))
    return f"<div>{''.join(parts)}</div>"


def _size_text(session: Session) -> str:
    assert session.table is not None
    source = session.source.name if session.source else "data"
    what = "rows" if session.study.preparation.unit is None else "transitions"
    return (
        f"{source}: {session.table.n_rows:,} {what} and {session.table.n_variables:,} variables after the preparation."
    )
