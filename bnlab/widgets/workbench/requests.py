"""Requests from the page of a `Workbench`, and their answers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any, TypeAlias

from bnlab.analysis.preparation import PreparationEditor
from bnlab.learners.table import options_of
from bnlab.widgets.workbench.jobs import ENDINGS, WorkbenchJobs
from bnlab.widgets.workbench.traits import WorkbenchTraits
from bnlab.widgets.workbench.view import WorkbenchView

Answer: TypeAlias = Callable[[Any], object]

MIMES = {"session": "application/json", "report": "text/html", "notebook": "application/x-ipynb+json"}
SETTINGS = ("algorithm", "score", "shown", "reference", "replicates")
"""Controls that set the trait of their name."""


class PageRequests:
    """Answers to the page: each is called with a value, in a thread that no job blocks."""

    def __init__(self, panel: WorkbenchTraits, view: WorkbenchView, jobs: WorkbenchJobs) -> None:
        self._panel, self._view, self._jobs = panel, view, jobs
        self._pieces: list[bytes] = []
        self._answers: dict[str, Answer] = {
            **{name: partial(panel.set_trait, name) for name in SETTINGS},
            "upload": lambda _: view.report("data", "The file could not be read by the browser.", failed=True),
            "column": view.show_columns,
            "threshold": lambda value: panel.set_trait("threshold", None if value is None else value / 100),
            **{f"save-{kind}": partial(self._write, kind) for kind in ENDINGS},
            **{f"download-{kind}": partial(self._offer, kind) for kind in ENDINGS},
        }
        self._begun: dict[str, Callable[[], object]] = {
            "load": lambda: jobs.read(panel._typed["path"]),
            "learn": jobs.learn,
            "remove": jobs.remove,
            "edits": jobs.keep_edits,
            "bootstrap": jobs.bootstrap,
            "average": jobs.average,
        }
        for form, controls in view.forms.items():
            controls.on_msg(partial(self._answer, "columns" if form == "details" else form))

    def _answer(self, form: str, _: Any, content: Mapping[str, Any], buffers: Any) -> None:
        """Answer a form; a stop at once, everything else in a thread."""
        name, value = str(content.get("id")), content.get("value")
        if content.get("type") == "file":
            self._receive_piece(content, buffers)
        elif name == "stop":
            self._jobs.stop.set()
            self._panel._worker.submit(self._jobs.show_stopping)
        else:
            self._panel._worker.submit(partial(self._jobs.guard, form, lambda: self._use(form, name, value)))

    def _use(self, form: str, name: str, value: Any) -> None:
        """Do what a control of a form asks for."""
        typed = self._panel._typed
        if name in typed:
            typed[name] = value.strip() if isinstance(value, str) else value or typed[name]
            (self._view.show_columns if form == "columns" else self._view.show)()
        elif name.startswith("option:"):
            self._set_option(name.removeprefix("option:"), value)
        elif name in self._answers:
            self._answers[name](value)
        elif name in self._begun:
            self._jobs.start(form, self._begun[name])
        elif form == "columns":
            column = name.partition(":")[2] or None
            self._jobs.start(form, lambda: self._jobs.prepare(self._prepared(name, value), column))

    def _receive_piece(self, content: Mapping[str, Any], buffers: Any) -> None:
        """Collect the pieces of a file, and read it when it is whole."""
        if content["first"]:
            self._pieces = []
        self._pieces += map(bytes, buffers)
        if content["last"]:
            whole, self._pieces = b"".join(self._pieces), []
            read = partial(self._jobs.receive, str(content["name"]), whole)
            self._panel._worker.submit(partial(self._jobs.start, "data", read))

    def _prepared(self, name: str, value: Any) -> PreparationEditor:
        """Preparation as a control of the columns asks for it."""
        now, typed = self._panel._preparing, self._panel._typed
        if now is None:
            raise ValueError("there are no data yet: load some.")
        what, _, column = name.partition(":")
        method, bins = now.ways.get(column, ("", 3))
        changes: dict[str, Callable[[], PreparationEditor]] = {
            "role": lambda: now.role(column, value),
            "method": lambda: now.cut(column, value, bins),
            "bins": lambda: now.cut(column, method, value or bins),
            "cuts": lambda: now.cut(str(self._panel._column), "own", text=value),
            "cut-all": lambda: now.cut_all(typed["method"], typed["bins"]),
            "missing": lambda: now.missing(value),
            "suggest": lambda: PreparationEditor.suggested(now.frame),
        }
        return changes[what]()

    def _set_option(self, name: str, value: Any) -> None:
        option = {known.name: known for known in options_of(self._panel.algorithm, self._panel.score)}[name]
        self._panel.options = {**self._panel.options, name: option.checked(value)}

    def _write(self, kind: str, _: Any) -> None:
        """Write a file; a file of that name that is not this workbench's stays, and the new one takes a free name."""
        path = Path(f"{self._panel._typed['file'] or 'analysis'}{ENDINGS[kind]}")
        text, note = self._jobs.content(kind, path, path.stem)
        written = self._jobs.saved.write_beside_others(path, text)
        other = "" if written == path else f"{path.name} is another file and stays as it is."
        self._view.report("files", " ".join(filter(None, [f"Written: {written.absolute()}.", other, note])))

    def _offer(self, kind: str, _: Any) -> None:
        title = Path(self._panel._typed["file"] or "analysis").name
        self._view.files.offer(f"{title}{ENDINGS[kind]}", self._jobs.content(kind, None, title)[0], MIMES[kind])
        self._view.report("files", f"Downloaded as {title}{ENDINGS[kind]}.")
