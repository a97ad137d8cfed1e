"""Steps of an analysis in a `Workbench`, which run in a thread, and the actions of the page that start them."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, TypeAlias

from bnlab._runtime.files import digest_of
from bnlab._runtime.history import History
from bnlab.analysis.files import WRITTEN, SavedFiles, Source, Unread, open_source, read_sent
from bnlab.analysis.preparation_editor import PreparationEditor
from bnlab.analysis.recipe import Recipe
from bnlab.analysis.study import Study
from bnlab.data.file_format import FileFormat
from bnlab.data.readers import NEEDED
from bnlab.figures.report import Report, study_report
from bnlab.graphs.confidence import EdgeConfidence
from bnlab.graphs.dag import counted
from bnlab.graphs.knowledge import Knowledge
from bnlab.learners.table import options_of
from bnlab.widgets.base.timing import spent
from bnlab.widgets.workbench.columns import OF_COLUMN, after_change, table_text
from bnlab.widgets.workbench.content import size_text
from bnlab.widgets.workbench.knowledge import changed_rules
from bnlab.widgets.workbench.measures import Question
from bnlab.widgets.workbench.running import RunningJobs
from bnlab.widgets.workbench.source import format_value
from bnlab.widgets.workbench.traits import WorkbenchTraits
from bnlab.widgets.workbench.view import WorkbenchView

ENDINGS = {"session": ".study.json", "report": ".html", "notebook": ".ipynb"}
"""Suffixes of the files that a workbench writes, by kind."""


class WorkbenchJobs(RunningJobs):
    """Steps of an analysis, one at a time in a thread; each is shown when it is done."""

    def __init__(self, panel: WorkbenchTraits, view: WorkbenchView) -> None:
        super().__init__(panel, view)
        self.saved = SavedFiles()

    def read(self, path: str) -> None:
        """Load data or open a session from a file with a given path."""
        if not path.strip():
            raise ValueError(f"{NEEDED} Or upload one.")
        if path.endswith(".json"):
            self.open_file(Path(path), digest_of(path), Study.open(path), None)
        else:
            self.load(path.strip())

    def receive(self, name: str, content: bytes) -> None:
        """Load data or open a session from the content of a file."""
        if name.lower().endswith(".json"):
            self._loaded(self._session.open(Study.read(name, content), None, None))
        else:
            self._take(lambda: read_sent(name, content))

    def open_file(self, path: Path, digest: str | None, study: Study, data: Any) -> None:
        """Open a session. Its file may be replaced later, unless it has networks that would be lost."""
        self._loaded(self._session.open(study, data, path.parent))
        if study.graphs.items() <= self._session.study.graphs.items():
            self.saved.note(path, digest)

    def load(self, data: Any) -> None:
        """Load data of any kind that a workbench takes."""
        self._take(lambda: open_source(data))

    def read_as(self, name: str, value: Any) -> None:
        """Read the file of the data with another separator, decimal mark, encoding, header, sheet or marks of gaps."""
        source = self._panel._source
        if source is None or source.format is None:
            raise ValueError("there is no file whose format could be corrected: load one.")
        format = source.format.corrected(name, format_value(name, value))
        self._take(lambda: source.read_as(format), corrected=True)

    def _take(self, read: Callable[[], Source], *, corrected: bool = False) -> None:
        """Load data. Data that cannot be read or used are shown, too, because their format may be wrong."""
        old = self._panel._source
        try:
            source = read()
        except Unread as error:
            if not corrected or old is None or old.frame.empty:
                self._panel._refused = error.source
            raise
        self._panel._refused = source
        self._loaded(self._session.load(source), corrected=corrected)

    def _loaded(self, note: str, *, corrected: bool = False) -> None:
        """Show loaded data with a note, by default their size.

        A file in an unusual format is shown in the step Data, where the format can be checked and corrected.
        """
        panel, session = self._panel, self._session
        panel._refused = None
        if session.source is not None and session.table is not None:
            suggested, own = PreparationEditor.suggested(session.frame, session.kinds), session.study.preparation
            cuts = suggested.preparation.cuts
            panel._first_preparation = suggested.preparation
            ways = {name: way for name, way in suggested.ways.items() if own.cuts.get(name) == cuts[name]}
            known = next((known for r in session.study.recipes.values() if (known := r.knowledge)), Knowledge())
            panel._begin_edits(PreparationEditor(session.frame, own, ways), known)
            panel._typed |= {"parent": None, "child": None}
            panel._take_suggested()
        panel._messages.pop("columns", None)
        self._view.show_columns()
        self._view.show_networks(next(iter(session.study.graphs), None))
        if note or session.source is None:
            panel.step = "data"  # which shows the note
        else:
            note = f"{session.source.name}: {size_text(session.frame)}."
            usual = session.source.format in (None, FileFormat(), WRITTEN)
            panel.step = (
                "data" if corrected else "compare" if session.study.graphs else "variables" if usual else "data"
            )
        self._view.report("data", note)

    def prepare(self, edits: History[PreparationEditor], column: str | None = None) -> None:
        """Apply another preparation, and show the details of a column."""
        preparing = edits.now
        table = self._session.prepare(preparing.preparation)
        self._panel._edits = edits
        self._panel._column = column or self._panel._column
        self._view.show_networks(self._panel.shown)
        self._view.report("columns", table_text(table, len(preparing.frame)))

    def ignore_identifiers(self) -> None:
        """Ignore the columns that identify rows."""
        changed = self._panel._preparing
        for name in self._panel._identifiers:
            changed = changed and changed.role(name, "leave out")
        if changed:
            self.prepare(self._panel._next_edit(changed))

    def set_knowledge(self, rules: History[Knowledge]) -> None:
        """Set the background knowledge; ValueError if it names other variables or is not possible on the table."""
        rules.now.resolved(self._session.ready.names)
        self._panel._rules = rules
        self._panel.knowledge = rules.now
        self._panel._messages.pop("limits", None)
        self._view.report("knowledge", "Press Learn for a network that agrees with these rules.")
        self._view.knowing.restore()  # updates the page even if nothing changed

    def learn(self, recipe: Recipe | None = None, name: str | None = None) -> str:
        """Learn a network, by default with the settings of the form; return its name."""
        panel, study, recipe = self._panel, self._session, recipe or self._panel._recipe()
        with self._running("learn") as watcher:
            found = study.learn(recipe, name or panel._typed["name"] or None, watcher)
        early = " Stopped early: this is the best network so far." if found in study.study.stopped else ""
        edges, seconds = counted(len(study.study.graphs[found].edges), "edge"), spent(study.seconds[found])
        panel._typed["name"] = ""
        # This message is shown in the next step of the page.
        panel._messages.pop("learn", None)
        self._view.report("list", f"{found}: {edges} in {seconds}.{early}")
        self._submit("learn", partial(self._show_learned, found))
        return found

    def learn_again(self) -> str:
        """Learn the shown network again, under the current background knowledge."""
        recipe = self._session.study.recipes.get(self._panel._name_or_shown(None))
        if recipe is None:
            return self.learn()
        others = {name: value for name, value in recipe.options.items() if name != "knowledge"}
        return self.learn(replace(recipe, options={**others, **self._panel._knowledge_option}))

    def _show_learned(self, name: str) -> None:
        """Show a network, and the step that compares it with others."""
        self._view.show_networks(name)
        self._panel.step = "compare"

    def bootstrap(self, name: str | None = None, replicates: int | None = None) -> EdgeConfidence:
        """Bootstrap a network, by default the shown one."""
        name, replicates = self._panel._name_or_shown(name), replicates or self._panel.replicates
        with self._running("trust") as watcher:
            found = self._session.bootstrap(name, replicates, watcher)
        stopped = f" Stopped; press again to continue to {replicates:,}." if found.graphs < replicates else ""
        self._view.report("trust", f"{name}: {counted(found.graphs, 'sample')} made.{stopped}")
        self._submit("trust", partial(self._view.show_networks, name))
        return found

    def posterior(self, name: str | None = None) -> EdgeConfidence:
        """Estimate the posterior probabilities of edges, by default those of the shown network."""
        name = self._panel._name_or_shown(name)
        with self._running("trust") as watcher:
            found = self._session.posterior(name, watcher)
        self._view.report("trust", f"{name}: posterior probabilities ({found.method}).")
        self._submit("trust", partial(self._view.show_networks, name))
        return found

    def average(self, name: str | None = None, threshold: float | None = None) -> str:
        """Add and show the consensus network of a bootstrap; return its name."""
        least = self._panel.threshold if threshold is None else threshold
        found = self._session.average(self._panel._name_or_shown(name), least)
        self._view.show_networks(found)
        self._view.report("trust", f"{found}: {counted(len(self._session.study.graphs[found].edges), 'edge')}.")
        return found

    def keep_edits(self) -> str:
        """Add the edited network of the picture to the list; return its name."""
        if self._view.graph is None or not self._view.edited:
            raise ValueError("this network was not edited: change an edge in the picture first.")
        found = self._session.add(f"{self._panel.shown}, edited", self._view.graph.graph)
        self._view.show_networks(found)
        self._view.report("list", f"{found}: added.")
        return found

    def add(self, name: str, graph: Any) -> str:
        """Add and show a network from elsewhere; return its name."""
        if isinstance(name, str) and not name.strip():
            raise ValueError(f"name={name!r}: a network needs a name, such as 'expert'.")
        if name in self._session.study.graphs:
            raise ValueError(f"name={name!r}: there is a network of that name; take another, or remove that one first.")
        found = self._session.add(name, graph)
        self._show_learned(found)
        self._view.report("list", f"{found}: added.")
        return found

    def remove(self, name: str | None = None) -> None:
        """Remove a network, by default the shown one."""
        gone = self._panel._name_or_shown(name)
        self._session.remove(gone)
        self._view.show_networks(None if self._panel.shown == gone else self._panel.shown)

    def write(self, kind: str, path: Path, title: str, overwrite: bool) -> None:
        """Write a file with a given name (see `SavedFiles.write`)."""
        self._session.check_is_not_data(path)
        text, note = self.content(kind, path, title)
        kept = self.saved.write(path, text, overwrite=overwrite)
        self._view.report("files", f"{note} The file that was there before is now {kept}.".lstrip() if kept else note)

    def content(self, kind: str, path: Path | None, title: str) -> tuple[str, str]:
        """Content of a file, and a note on its data, which are saved beside a session or a notebook at `path`."""
        if kind == "report":
            return self.report(title).html, ""
        study, note = (self._session.study, "") if path is None else self._session.kept_at(path)
        if kind == "session":
            return study.to_text(), note
        return json.dumps(study.notebook(title), indent=1, ensure_ascii=False), note

    def report(self, title: str) -> Report:
        """Report of the study."""
        return study_report(self._session.study, self._session.frame, title=title)


Answer: TypeAlias = Callable[[Any], object]

MIMES = {"session": "application/json", "report": "text/html", "notebook": "application/x-ipynb+json"}
SETTINGS = ("step", "estimate", "algorithm", "score", "shown", "reference", "beside", "replicates")
"""Controls that set the trait of their name."""


class PageRequests:
    """Actions of the controls of the page, each called with a value in a thread that jobs do not block."""

    def __init__(self, panel: WorkbenchTraits, view: WorkbenchView, jobs: WorkbenchJobs) -> None:
        self._panel, self._view, self._jobs = panel, view, jobs
        self._pieces: list[bytes] = []
        self._quick_actions: dict[str, Answer] = {
            **{name: partial(panel.set_trait, name) for name in SETTINGS},
            "upload": lambda _: view.report("data", "The file could not be read by the browser.", failed=True),
            "column": view.show_columns,
            "edge": view.select_edge,
            "edge:order": view.sort_edges,
            "optimum": lambda _: view.measures.find_optimum(Question.about(panel._session, panel.shown)),
            "stop-optimum": lambda _: view.measures.optima.stop(),
            "trust": lambda _: panel.set_trait("step", "trust"),
            "threshold": lambda value: panel.set_trait("threshold", None if value is None else value / 100),
            **{f"save-{kind}": partial(self._write, kind) for kind in ENDINGS},
            **{f"download-{kind}": partial(self._offer, kind) for kind in ENDINGS},
        }
        self._job_actions: dict[str, Callable[[], object]] = {
            "load": lambda: jobs.read(panel._typed["path"]),
            "learn": jobs.learn,
            "again": jobs.learn_again,
            "recommended": jobs.learn,
            "remove": jobs.remove,
            "edits": jobs.keep_edits,
            "bootstrap": jobs.bootstrap,
            "posterior": jobs.posterior,
            "average": jobs.average,
            "ignore": jobs.ignore_identifiers,
        }
        for form, controls in view.forms.items():
            controls.on_msg(partial(self._answer, "columns" if form == "details" else form))

    def _answer(self, form: str, _: Any, content: Mapping[str, Any], buffers: Any) -> None:
        """Handle a message of a form: a stop at once, everything else in a thread."""
        name, value = str(content.get("id")), content.get("value")
        if content.get("type") == "file":
            self._receive_piece(content, buffers)
        elif name == "stop":
            self._jobs.stop.set()
            self._panel._worker.submit(self._jobs.show_stopping)
        else:
            self._panel._worker.submit(partial(self._jobs.guard, form, lambda: self._run_action(form, name, value)))

    def _run_action(self, form: str, name: str, value: Any) -> None:
        """Run the action of a control."""
        typed = self._panel._typed
        if name in typed:
            typed[name] = value.strip() if form != "knowledge" and isinstance(value, str) else value or typed[name]
            (self._view.show_columns if form == "columns" else self._view.show)()
        elif name.startswith("option:"):
            self._set_option(name.removeprefix("option:"), value)
        elif name in self._quick_actions:
            self._quick_actions[name](value)
        elif name in self._job_actions:
            if name == "recommended":
                self._panel._take_suggested()
            elif name in ("learn", "again"):  # also from other steps
                form = self._panel.step = "learn"
            self._jobs.start(form, self._job_actions[name])
        elif form in ("knowledge", "limits"):
            self._jobs.start(
                form, lambda: self._jobs.set_knowledge(changed_rules(self._panel._rules, name, value, typed))
            )
        elif name.startswith("format:"):
            self._jobs.start(form, lambda: self._jobs.read_as(name.removeprefix("format:"), value))
        elif form == "columns":
            what, _, column = name.partition(":")
            shown = str(self._panel._column)
            # For a control in the details, the part after the colon is a state.
            self._jobs.start(
                form,
                lambda: self._jobs.prepare(
                    after_change(self._panel, what, column, value, shown), column if what in OF_COLUMN else None
                ),
            )

    def _receive_piece(self, content: Mapping[str, Any], buffers: Any) -> None:
        """Collect the pieces of a file, and read it when it is complete."""
        if content["first"]:
            self._pieces = []
        self._pieces += map(bytes, buffers)
        if content["last"]:
            whole, self._pieces = b"".join(self._pieces), []
            read = partial(self._jobs.receive, str(content["name"]), whole)
            self._panel._worker.submit(partial(self._jobs.start, "data", read))

    def _set_option(self, name: str, value: Any) -> None:
        option = {known.name: known for known in options_of(self._panel.algorithm, self._panel.score)}[name]
        self._panel.options = {**self._panel.options, name: option.checked(value)}

    def _write(self, kind: str, _: Any) -> None:
        """Write a file. If another file has the name and is not of this workbench, it stays and a free name is used."""
        path = Path(f"{self._panel._typed['file'] or 'analysis'}{ENDINGS[kind]}")
        text, note = self._jobs.content(kind, path, path.stem)
        written = self._jobs.saved.write_beside_others(path, text)
        other = "" if written == path else f"{path.name} is another file and stays as it is."
        self._view.report("files", " ".join(filter(None, [f"Written: {written.absolute()}.", other, note])))

    def _offer(self, kind: str, _: Any) -> None:
        title = Path(self._panel._typed["file"] or "analysis").name
        self._view.files.offer(f"{title}{ENDINGS[kind]}", self._jobs.content(kind, None, title)[0], MIMES[kind])
        self._view.report("files", f"Downloaded as {title}{ENDINGS[kind]}.")
