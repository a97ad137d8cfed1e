"""Requests from the page of a `Workbench`, and their answers."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any, TypeAlias

from bnlab.analysis.preparation import PreparationEditor
from bnlab.analysis.recipe import Recipe, recipe_of
from bnlab.analysis.session import Session
from bnlab.learners.table import options_of
from bnlab.widgets.base.worker import Worker
from bnlab.widgets.workbench.jobs import WorkbenchJobs, notebook_json
from bnlab.widgets.workbench.traits import WorkbenchTraits
from bnlab.widgets.workbench.view import WorkbenchView

Answer: TypeAlias = Callable[[Any], None]

ENDINGS = {"save": ".study.json", "report": ".html", "notebook": ".ipynb"}
MIMES = {"save": "application/json", "report": "text/html", "notebook": "application/x-ipynb+json"}


class PageRequests:
    """Answers to the page: each is called with a value, in a thread that no job blocks.

    Parameters
    ----------
    panel : WorkbenchTraits
    view : WorkbenchView
    jobs : WorkbenchJobs
    session : Session
    """

    def __init__(self, panel: WorkbenchTraits, view: WorkbenchView, jobs: WorkbenchJobs, session: Session) -> None:
        self._panel, self._view, self._jobs, self._session = panel, view, jobs, session
        self.event_worker = Worker(lambda: None)
        self._pieces: list[bytes] = []
        view.data.on_msg(partial(self._answer, "data", self._data_answers()))
        view.columns.on_msg(self._answer_columns)
        view.learning.on_msg(partial(self._answer, "learn", self._learn_answers()))
        view.networks.on_msg(partial(self._answer, "list", self._network_answers()))
        view.files.on_msg(partial(self._answer, "files", self._file_answers()))

    def _data_answers(self) -> dict[str, Answer]:
        return {
            "path": lambda value: setattr(self._view, "path", value),
            "load": lambda _: self._jobs.start("data", lambda: self._jobs.read(self._view.path)),
            "upload": lambda _: self._view.report("data", "The file could not be read by the browser.", failed=True),
        }

    def _learn_answers(self) -> dict[str, Answer]:
        return {
            "algorithm": lambda value: self._panel.set_trait("algorithm", value),
            "score": lambda value: self._panel.set_trait("score", value),
            "name": lambda value: setattr(self._view, "name", value.strip()),
            "learn": lambda _: self._jobs.start(
                "learn", lambda: self._jobs.learn(self._recipe(), self._view.name or None)
            ),
        }

    def _network_answers(self) -> dict[str, Answer]:
        return {
            "shown": lambda value: self._panel.set_trait("shown", value),
            "reference": lambda value: self._panel.set_trait("reference", value or None),
            "remove": lambda _: self._jobs.start("list", lambda: self._jobs.remove(self._shown())),
            "edits": lambda _: self._jobs.start("list", self._jobs.keep_edits),
            "replicates": lambda value: self._panel.set_trait("replicates", value),
            "bootstrap": lambda _: self._jobs.start(
                "list", lambda: self._jobs.bootstrap(self._shown(), self._panel.replicates)
            ),
            "threshold": lambda value: self._panel.set_trait("threshold", None if value is None else value / 100),
            "average": lambda _: self._jobs.start(
                "list", lambda: self._jobs.average(self._shown(), self._panel.threshold)
            ),
        }

    def _file_answers(self) -> dict[str, Answer]:
        return {
            "file": lambda value: setattr(self._view, "file", value.strip() or "analysis"),
            "save": lambda _: self._write_file("save", self._jobs.session_text),
            "report": lambda _: self._write_file("report", lambda path: self._jobs.report_text(path.stem)),
            "notebook": lambda _: self._write_file("notebook", lambda path: self._jobs.notebook_text(path, path.stem)),
            "download-session": lambda _: self._offer(
                "save", lambda: json.dumps(self._session.study.to_json(), indent=1)
            ),
            "download-report": lambda _: self._offer("report", lambda: self._jobs.report(self._title()).html),
            "download-notebook": lambda _: self._offer(
                "notebook", lambda: notebook_json(self._session.study, self._title())
            ),
        }

    def _answer(self, place: str, answers: Mapping[str, Answer], _: Any, content: Any, buffers: Any) -> None:
        """Answer a form; a stop at once, everything else in a thread."""
        name, value = content.get("id"), content.get("value")
        if content.get("type") == "file":
            self._receive_piece(content, buffers)
        elif name == "stop":
            self._jobs.stop.set()
            self.event_worker.submit(self._jobs.show_stopping)
        elif str(name).startswith("option:"):
            self.event_worker.submit(partial(self._jobs.guard, place, lambda: self._set_option(str(name)[7:], value)))
        elif name in answers:
            self.event_worker.submit(partial(self._jobs.guard, place, lambda: answers[name](value)))

    def _answer_columns(self, _: Any, content: Any, __: Any) -> None:
        """Answer the table of columns."""
        request = dict(content)
        if request.get("type") == "look":
            self.event_worker.submit(partial(self._jobs.guard, "columns", lambda: self._view.look(request["column"])))
        else:
            self.event_worker.submit(
                lambda: self._jobs.start(
                    "columns", lambda: self._jobs.prepare(self._prepared(request), request.get("column"))
                )
            )

    def _receive_piece(self, content: Mapping[str, Any], buffers: Any) -> None:
        """Collect the pieces of a file, and read it when it is whole."""
        if content["first"]:
            self._pieces = []
        self._pieces += map(bytes, buffers)
        if content["last"]:
            whole, self._pieces = b"".join(self._pieces), []
            self.event_worker.submit(
                partial(self._jobs.start, "data", partial(self._jobs.receive, str(content["name"]), whole))
            )

    def _prepared(self, request: Mapping[str, Any]) -> PreparationEditor:
        """Preparation as the table of columns asks for it."""
        if self._view.preparing is None:
            raise ValueError("there are no data yet: load some.")
        now = self._view.preparing
        changes: dict[str, Callable[[], PreparationEditor]] = {
            "role": lambda: now.role(request["column"], request["role"]),
            "cut": lambda: now.cut(
                request["column"], request["method"], request.get("bins") or 3, request.get("text", "")
            ),
            "cut-all": lambda: now.cut_all(request["method"], request["bins"]),
            "missing": lambda: now.missing(request["value"]),
            "suggest": lambda: PreparationEditor.suggested(now.frame),
        }
        return changes[request["type"]]()

    def _set_option(self, name: str, value: Any) -> None:
        option = {known.name: known for known in options_of(self._panel.algorithm, self._panel.score)}[name]
        try:
            self._panel.options = {**self._panel.options, name: option.checked(value)}
        finally:
            self._view.show()

    def _recipe(self) -> Recipe:
        return recipe_of(self._panel.algorithm, self._panel.score, **self._panel._present_options())

    def _shown(self) -> str:
        return str(self._panel.shown)

    def _title(self) -> str:
        return Path(self._view.file).name

    def _write_file(self, kind: str, make: Callable[[Path], tuple[str, str]]) -> None:
        """Write a file; a file of that name that is not this workbench's stays, and the new one takes a free name."""
        path = Path(f"{self._view.file}{ENDINGS[kind]}")
        text, note = make(path)
        written = self._jobs.saved.write_beside_others(path, text)
        other = "" if written == path else f"{path.name} is another file and stays as it is."
        self._view.report("files", " ".join(filter(None, [f"Written: {written.absolute()}.", other, note])))

    def _offer(self, kind: str, make: Callable[[], str]) -> None:
        name = f"{self._title()}{ENDINGS[kind]}"
        self._view.files.offer(name, make(), MIMES[kind])
        self._view.report("files", f"Downloaded as {name}.")
