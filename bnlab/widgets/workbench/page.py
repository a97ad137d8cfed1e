"""What the page of a `Workbench` may ask for, and how it is answered."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any, TypeAlias

from bnlab.analysis.preparing import Preparing
from bnlab.learners.table import options_of
from bnlab.widgets.workbench.jobs import WorkbenchJobs, notebook_json

Answer: TypeAlias = Callable[[Any], None]

ENDINGS = {"save": ".study.json", "report": ".html", "notebook": ".ipynb"}
MIMES = {"save": "application/json", "report": "text/html", "notebook": "application/x-ipynb+json"}


class WorkbenchPage(WorkbenchJobs):
    """Answers to what is pressed, chosen, typed and sent: each is called with a value, in a thread of its own."""

    def __init__(self) -> None:
        super().__init__()
        self._pieces: list[bytes] = []
        self._data.on_msg(partial(self._asked, "data", self._data_answers()))
        self._columns.on_msg(self._column_asked)
        self._learning.on_msg(partial(self._asked, "learn", self._learn_answers()))
        self._list.on_msg(partial(self._asked, "list", self._list_answers()))
        self._files.on_msg(partial(self._asked, "files", self._file_answers()))

    def _data_answers(self) -> dict[str, Answer]:
        return {
            "path": lambda value: setattr(self, "_path", value),
            "load": lambda _: self._job("data", lambda: self._read(self._path)),
            "upload": lambda _: self._say("data", "The file could not be read by the browser.", failed=True),
        }

    def _learn_answers(self) -> dict[str, Answer]:
        return {
            "algorithm": lambda value: self.set_trait("algorithm", value),
            "score": lambda value: self.set_trait("score", value),
            "name": lambda value: setattr(self, "_name", value.strip()),
            "learn": lambda _: self._job("learn", lambda: self._learn(self._present(), self._name or None)),
        }

    def _list_answers(self) -> dict[str, Answer]:
        return {
            "shown": lambda value: self.set_trait("shown", value),
            "reference": lambda value: self.set_trait("reference", value or None),
            "remove": lambda _: self._job("list", lambda: self._remove(str(self.shown))),
            "edits": lambda _: self._job("list", self._keep_edits),
            "replicates": lambda value: self.set_trait("replicates", value),
            "bootstrap": lambda _: self._job("list", lambda: self._bootstrap(str(self.shown), self.replicates)),
            "threshold": lambda value: self.set_trait("threshold", None if value is None else value / 100),
            "average": lambda _: self._job("list", lambda: self._average(str(self.shown), self.threshold)),
        }

    def _file_answers(self) -> dict[str, Answer]:
        return {
            "file": lambda value: setattr(self, "_file", value.strip() or "analysis"),
            "save": lambda _: self._wrote("save", self._session_text),
            "report": lambda _: self._wrote("report", lambda path: self._report_text(path.stem)),
            "notebook": lambda _: self._wrote("notebook", lambda path: self._notebook_text(path, path.stem)),
            "download-session": lambda _: self._offer(
                "save", lambda: json.dumps(self._session.study.to_json(), indent=1)
            ),
            "download-report": lambda _: self._offer("report", lambda: self._report(self._title()).html),
            "download-notebook": lambda _: self._offer(
                "notebook", lambda: notebook_json(self._session.study, self._title())
            ),
        }

    def _asked(self, place: str, answers: Mapping[str, Answer], _: Any, content: Any, buffers: Any) -> None:
        """Do what a form asks for; a stop at once, everything else in a thread."""
        name, value = content.get("id"), content.get("value")
        if content.get("type") == "file":
            self._sent(content, buffers)
        elif name == "stop":
            self._stop.set()
            self._desk.submit(self._stopping)
        elif str(name).startswith("option:"):
            self._desk.submit(partial(self._in_words, place, lambda: self._set_option(str(name)[7:], value)))
        elif name in answers:
            self._desk.submit(partial(self._in_words, place, lambda: answers[name](value)))

    def _column_asked(self, _: Any, content: Any, __: Any) -> None:
        """Do what the table of columns asks for."""
        asked = dict(content)
        if asked.get("type") == "look":
            self._desk.submit(partial(self._in_words, "columns", lambda: self._look(asked["column"])))
        else:
            self._desk.submit(
                lambda: self._job("columns", lambda: self._prepare(self._changed(asked), asked.get("column")))
            )

    def _sent(self, content: Mapping[str, Any], buffers: Any) -> None:
        """Collect the pieces of a file, and read it when it is whole."""
        if content["first"]:
            self._pieces = []
        self._pieces += map(bytes, buffers)
        if content["last"]:
            whole, self._pieces = b"".join(self._pieces), []
            self._desk.submit(partial(self._job, "data", partial(self._receive, str(content["name"]), whole)))

    def _changed(self, asked: Mapping[str, Any]) -> Preparing:
        """Preparation as the table of columns asks for it."""
        if self._preparing is None:
            raise ValueError("there are no data yet: load some.")
        now = self._preparing
        changes: dict[str, Callable[[], Preparing]] = {
            "role": lambda: now.role(asked["column"], asked["role"]),
            "cut": lambda: now.cut(asked["column"], asked["method"], asked.get("bins") or 3, asked.get("text", "")),
            "cut-all": lambda: now.cut_all(asked["method"], asked["bins"]),
            "missing": lambda: now.missing(asked["value"]),
            "suggest": lambda: Preparing.suggested(now.frame),
        }
        return changes[asked["type"]]()

    def _set_option(self, name: str, value: Any) -> None:
        option = {known.name: known for known in options_of(self.algorithm, self.score)}[name]
        try:
            self.options = {**self.options, name: option.checked(value)}
        finally:
            self._draw()

    def _title(self) -> str:
        return Path(self._file).name

    def _wrote(self, kind: str, make: Callable[[Path], tuple[str, str]]) -> None:
        """Write a file whose name nobody may have chosen: it stays beside every file that is not this workbench's."""
        path = Path(f"{self._file}{ENDINGS[kind]}")
        text, note = make(path)
        written = self._saved.write_beside_others(path, text)
        other = "" if written == path else f"{path.name} is another file and stays as it is."
        self._say("files", " ".join(filter(None, [f"Written: {written.absolute()}.", other, note])))

    def _offer(self, kind: str, make: Callable[[], str]) -> None:
        name = f"{self._title()}{ENDINGS[kind]}"
        self._files.offer(name, make(), MIMES[kind])
        self._say("files", f"Downloaded as {name}.")
