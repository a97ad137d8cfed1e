"""Work of a workbench that takes time: reading, learning, estimating, comparing, measuring and writing."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import partial
from math import isfinite
from pathlib import Path
from time import perf_counter
from typing import Any

from bnlab._runtime.files import digest_of
from bnlab.analysis.files import SavedFiles, Source, Unread, open_source, read_sent
from bnlab.analysis.recipe import Recipe
from bnlab.analysis.session import Session
from bnlab.analysis.study import Study
from bnlab.analysis.validation_result import CrossValidation
from bnlab.data.readers import NEEDED
from bnlab.engine.compiled import is_cached
from bnlab.figures.report import study_report
from bnlab.figures.searches.curve import Curve
from bnlab.graphs.dag import Dag
from bnlab.graphs.pdag import Pdag
from bnlab.learners.posterior.exact import ExactPosterior
from bnlab.search import Work
from bnlab.widgets.base.core import error_text
from bnlab.widgets.base.gap import optimum
from bnlab.widgets.base.pure import Effect, Message
from bnlab.widgets.base.timing import CURVE_SHARE, GRAPH_FRAME, GRAPH_SHARE, Pace, written_time
from bnlab.widgets.player.described import described, progress, time_limit_of
from bnlab.widgets.workbench import messages
from bnlab.widgets.workbench.measures import Ended, Held, Question, held_out
from bnlab.widgets.workbench.messages import Compared, Done, Found, Loaded, Offered, Progress, Sketched
from bnlab.widgets.workbench.results import comparison_html, result_frame
from bnlab.widgets.workbench.source import format_value
from bnlab.widgets.workbench.state import File, Sketch

ENDINGS = {
    "session": ".study.json",
    "report": ".html",
    "pdf": ".pdf",
    "page": "-network.html",
    "notebook": ".ipynb",
}
"""Suffixes of the files that a workbench writes, by kind."""
MIMES = {
    "session": "application/json",
    "report": "text/html",
    "pdf": "application/pdf",
    "page": "text/html",
    "notebook": "application/x-ipynb+json",
}
LONG = 0.3
"""Seconds after which a running search is drawn."""
FRAME = 0.15
"""Seconds between two reports of a running search."""


class Read(Effect, channel="job"):
    """Load data or open a session; `shown` are the data of the step Data."""

    session: Session
    shown: Source | None
    saved: SavedFiles
    asked: messages.Load | messages.Upload | messages.ReadAs | messages.Open
    form = "data"

    def run(self, send: Callable[[Message], None], stopped: Callable[[], bool]) -> Loaded:
        """Session with the data. Data that cannot be used are sent, too, because their format may be wrong."""
        match self.asked:
            case messages.Load(str() | Path() as path):
                text = str(path).strip()
                if not text:
                    raise ValueError(f"{NEEDED} Or upload one.")
                if text.endswith(".json"):
                    return self._opened(Path(text), digest_of(text), Study.open(text), None)
                return self._taken(send, lambda: open_source(text))
            case messages.Load(data):
                return self._taken(send, lambda: open_source(data))
            case messages.Upload(name, content) if name.lower().endswith(".json"):
                return Loaded(*self.session.open(Study.read(name, content)), False)
            case messages.Upload(name, content):
                return self._taken(send, lambda: read_sent(name, content))
            case messages.ReadAs(part, value):
                source = self.shown
                if source is None or source.format is None:
                    raise ValueError("there is no file whose format could be corrected: load one.")
                format = source.format.corrected(part, format_value(part, value))
                return self._taken(send, lambda: source.read_as(format), corrected=True)
            case messages.Open(path, digest, study, data):
                return self._opened(path, digest, study, data)

    def _opened(self, path: Path, digest: str | None, study: Study, data: Any) -> Loaded:
        """Open a session. Its file may be replaced later, unless it has networks that would be lost."""
        session, note = self.session.open(study, data, path.parent)
        if study.graphs.items() <= session.study.graphs.items():
            self.saved.note(path, digest)
        return Loaded(session, note, False)

    def _taken(self, send: Callable[[Message], None], read: Callable[[], Source], *, corrected: bool = False) -> Loaded:
        try:
            source = read()
        except Unread as error:
            if not corrected or self.shown is None or self.shown.frame.empty:
                send(messages.Refused(error.source))
            raise
        try:
            session, note = self.session.load(source)
        except Exception:
            send(messages.Refused(source))
            raise
        return Loaded(session, note, corrected)


class Search(Effect, channel="job"):
    """Learn a network; nodes are drawn in the places of another network."""

    session: Session
    recipe: Recipe
    name: str | None
    places: Dag | None
    form = "learn"

    def run(self, send: Callable[[Message], None], stopped: Callable[[], bool]) -> Done:
        """The network, or the best one so far after a stop."""
        watch = Watch(self.session.ready.names, self.places, send, stopped)
        return Done(self.session.learn(self.recipe, self.name, watch))


class Estimating(Effect, channel="job"):
    """Estimate the confidence of the edges of a network."""

    session: Session
    method: str
    name: str
    replicates: int
    places: Dag | None
    form = "trust"

    def run(self, send: Callable[[Message], None], stopped: Callable[[], bool]) -> Done:
        """The confidence, after a stop that of the samples so far."""
        watch = Watch(self.session.ready.names, self.places, send, stopped)
        if self.method == "posterior":
            return Done(self.session.posterior(self.name, watch))
        return Done(self.session.bootstrap(self.name, self.replicates, watch), self.replicates)


class Compare(Effect, channel="results"):
    """Score and compare the networks; a network and a step are shown with them."""

    session: Session
    shown: str | None = None
    step: str | None = None
    form = "list"

    def run(self, send: Callable[[Message], None], stopped: Callable[[], bool]) -> Compared:
        """Scores and comparison."""
        results = result_frame(self.session)
        return Compared(results, comparison_html(self.session, results), self.shown, self.step)


class Measure(Effect, channel="measures"):
    """Compute the held-out log-likelihood of a network."""

    session: Session
    held: Held
    name: str
    form = "list"

    def run(self, send: Callable[[Message], None], stopped: Callable[[], bool]) -> messages.HeldOut:
        """The log-likelihood, None after a stop."""
        try:
            return messages.HeldOut(self.held, held_out(self.session.ready, self.session.study, self.name, stopped))
        except Ended:
            return messages.HeldOut(self.held, None)


class FindGap(Effect, channel="optimum"):
    """Answer a question by an exact search."""

    session: Session
    question: Question
    form = "list"

    def run(self, send: Callable[[Message], None], stopped: Callable[[], bool]) -> Found:
        """The optimum, or the bound after a minute or a stop."""
        search = self.question.search(self.session.ready)
        return Found(self.question, optimum(search, lambda text: send(messages.Searching(text)), stopped))


class Save(Effect, channel="files"):
    """Write or offer a file, at the path that was asked for or at that of the form."""

    session: Session
    validation: CrossValidation | None
    saved: SavedFiles
    asked: messages.Write
    path: Path
    title: str
    form = "files"

    def run(self, send: Callable[[Message], None], stopped: Callable[[], bool]) -> Message:
        """What was written."""
        if self.asked.download:
            return Offered(File(self.path.name, self._content()[0], MIMES[self.asked.kind]))
        if self.asked.path is not None:
            self.session.check_is_not_data(self.path)
        text, note, kept = self._content()
        if self.asked.path is not None:
            old = self.saved.write(self.path, text, overwrite=self.asked.overwrite)
            words = f"{note} The file that was there before is now {old}.".lstrip() if old else note
        else:
            written = self.saved.write_beside_others(self.path, text)
            other = "" if written == self.path else f"{self.path.name} is another file and stays as it is."
            words = " ".join(filter(None, [f"Written: {written.absolute()}.", other, note]))
        return messages.Written(words, self.session.source, kept)

    def _content(self) -> tuple[str | bytes, str, Source | None]:
        """Content of the file, a note on its data, and the data with their file, which may be written beside it."""
        session, kind, note, kept = self.session, self.asked.kind, "", None
        if kind == "page":
            return self.asked.page, note, kept
        if kind in ("report", "pdf"):
            written = study_report(session.study, session.frame, title=self.title, validation=self.validation)
            return written.content(self.path.suffix), note, kept
        study = session.study
        if not self.asked.download:
            study, note, kept = session.kept_at(self.path)
        if kind == "session":
            return study.to_text(), note, kept
        return json.dumps(study.notebook(self.title), indent=1, ensure_ascii=False), note, kept


class Watch:
    """Follows a search: sends its progress and its graph at intervals, and ends it on request."""

    def __init__(
        self,
        names: tuple[str, ...],
        places: Dag | None,
        send: Callable[[Message], None],
        stopped: Callable[[], bool],
    ) -> None:
        self._names, self._places, self._send, self._stopped = names, places, send, stopped
        self._curve, self._pace = Curve(names), Pace(CURVE_SHARE + GRAPH_SHARE, GRAPH_FRAME)
        self._begun, self._due, self._steps, self._best = perf_counter(), 0.0, 0, float("-inf")
        self._first: Work | None = None
        self._failed = False
        if not is_cached():
            send(Progress(None, "Compiling (once, some seconds) …"))

    def __call__(self, search: Any, state: Any, info: Any) -> bool:
        """Record a step; send it when due. Return whether the search must end."""
        self._steps += 1
        point, now = progress(info, self._steps), perf_counter() - self._begun
        self._best = max(self._best, point.best_score)
        if isfinite(point.best_score):
            self._curve.add(point, now - self._curve.seconds)
        if self._stopped():
            return True
        # Exact probabilities have no graph before the end.
        if now >= LONG and not self._failed and not isinstance(search, ExactPosterior):
            self._pace.draw(partial(self._sketch, search, state))
        if now >= self._due:
            self._due = now + FRAME
            limit = time_limit_of(search)
            self._send(Progress(*self._words(described(search).snapshot(state).work, now, limit)))
        return self._stopped()

    def _words(self, done: Work | None, seconds: float, limit: float) -> tuple[float | None, str]:
        """Finished share, None if unknown, and the progress as text."""
        best = f", best score {self._best:,.2f}".replace("-", "−") if isfinite(self._best) else ""
        if done is None or not done.total:
            return None, f"step {self._steps:,}{best}, {seconds:,.1f} s"
        self._first = first = self._first or done
        # Each stage of a search has its own total, so speed is measured within one stage.
        made = done.done - first.done if first.total == done.total else 0
        left = ""
        if made > 0:
            rest = min(seconds * (done.total - done.done) / made, max(limit - seconds, 0.0))
            left = f", {written_time(rest)} left"
        return done.done / done.total, f"{done.done:,} of {done.total:,} {done.unit}{best}, {seconds:,.1f} s{left}"

    def _sketch(self, search: Any, state: Any) -> None:
        try:
            graph = present_graph(search, state, self._names)
        except Exception as error:
            # An error in a picture must not end the search.
            self._failed = True
            self._send(Sketched(Sketch(None, failure=error_text(error))))
        else:
            self._send(Sketched(Sketch(graph, self._curve, len(self._curve), self._places)))


def present_graph(search: Any, state: Any, names: tuple[str, ...]) -> Dag | Pdag:
    """Best graph of a search so far; for a bootstrap, the consensus so far."""
    found = search.result(state)
    if isinstance(found, Pdag):
        return found
    if isinstance(found, tuple):
        return Dag(names, found)
    description = described(search)
    graph: Dag | Pdag = description.graph_of(description.snapshot(state).sketch, names)
    return graph
