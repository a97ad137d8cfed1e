"""Steps of an analysis in a `Workbench`; they run in a thread, so that the kernel stays responsive."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING, Any

from bnlab._runtime.files import digest_of
from bnlab.analysis.files import SavedFiles, Source, open_source, read_sent
from bnlab.analysis.preparation import PreparationEditor
from bnlab.analysis.recipe import Recipe, suggested_learner
from bnlab.analysis.session import Session
from bnlab.analysis.study import Study
from bnlab.counts.memory import is_compiled
from bnlab.graphs.confidence import EdgeConfidence
from bnlab.graphs.dag import counted
from bnlab.learners.table import scores_of
from bnlab.widgets.base.times import spent
from bnlab.widgets.base.widget import errors_shown
from bnlab.widgets.base.worker import Worker
from bnlab.widgets.workbench.learning import Watcher
from bnlab.widgets.workbench.traits import WorkbenchTraits
from bnlab.widgets.workbench.view import WorkbenchView, size_words

if TYPE_CHECKING:
    from bnlab.figures.report import Report

WAIT = "a job is running: stop it, or wait for its end."


class WorkbenchJobs:
    """Steps of an analysis, one at a time in a thread; each is shown when it is done.

    Parameters
    ----------
    panel : WorkbenchTraits
    view : WorkbenchView
    session : Session
    """

    def __init__(self, panel: WorkbenchTraits, view: WorkbenchView, session: Session) -> None:
        self._panel, self._view, self._session = panel, view, session
        self.saved = SavedFiles()
        self.worker = Worker(lambda: None)
        self.stop, self._ended = Event(), Event()
        self._ended.set()

    def start(self, place: str, job: Callable[[], object]) -> None:
        """Run a job in the background, unless one is running."""
        if self._panel.busy:
            self._view.report(place, f"Not now: {WAIT}", failed=True)
        else:
            self.stop.clear()
            self._submit(place, self._with_end(job))

    def run(self, place: str, job: Callable[[], None], wait: bool) -> None:
        """Run a job in the worker thread; an interrupt of the wait stops it."""
        if not self._panel._ready:
            raise RuntimeError("this workbench is closed: make a new one.")
        if not self._panel.busy:
            self.stop.clear()
        if not wait:
            self._submit(place, self._with_end(job))
            return
        try:
            self.worker.call(self._with_end(job))
            self.worker.call(lambda: None)
        except KeyboardInterrupt:
            self.stop_and_wait()
            raise

    def stop_and_wait(self) -> None:
        """Stop the running job, and wait for its end."""
        self.stop.set()
        self._ended.wait()

    def _with_end(self, job: Callable[[], object]) -> Callable[[], None]:
        """Job whose end `stop_and_wait` waits for."""
        self._ended = ended = Event()

        def run() -> None:
            try:
                job()
            finally:
                ended.set()

        return run

    def _submit(self, place: str, job: Callable[[], object]) -> None:
        self.worker.submit(partial(self.guard, place, job))

    def guard(self, place: str, job: Callable[[], object]) -> None:
        """Run a job here; show its error in a form."""
        with errors_shown(partial(self._view.report, place, failed=True)):
            job()

    @contextmanager
    def _running(self, place: str) -> Iterator[Watcher]:
        """Show progress in a form while a job runs."""
        if not self._panel._ready:
            self.stop.set()
        self._panel.busy = True
        report = partial(self._progress, place)
        report(None, "Starting …" if is_compiled() else "Compiling (once, some seconds) …")
        shown = self._session.study.graphs.get(self._panel.shown)
        self._view.live.begin(self._session.ready.names, shown)
        try:
            yield Watcher(self.stop, report, self._view.live.note)
        finally:
            with self._panel._lock:
                self._view.running = None
            self._panel.busy = False
            self._view.live.end()
            self._view.show()

    def _progress(self, place: str, share: float | None, text: str) -> None:
        with self._panel._lock:
            self._view.running = (place, share, text)
            self._view.show_forms()

    def show_stopping(self) -> None:
        """Show at once that the present step is the last one."""
        with self._panel._lock:
            if (running := self._view.running) is not None:
                self._progress(*running[:2], "Stopping …")

    def read(self, path: str) -> None:
        if not path.strip():
            raise ValueError("give the path of a .csv or .parquet file, or upload one.")
        if path.endswith(".json"):
            self.open_file(Path(path), digest_of(path), Study.open(path), None)
        else:
            self.load(open_source(path.strip()))

    def receive(self, name: str, content: bytes) -> None:
        if not name.lower().endswith(".json"):
            self.load(read_sent(name, content))
            return
        self._open(Study.read(name, content), None, None)

    def open_file(self, path: Path, digest: str | None, study: Study, data: Any) -> None:
        """Open a session. Its file may be replaced later, unless it has networks that would be lost."""
        self._open(study, data, path.parent)
        if study.graphs.items() <= self._session.study.graphs.items():
            self.saved.note(path, digest)

    def _open(self, study: Study, data: Any, folder: Path | None) -> None:
        self._loaded(self._session.open(study, data, folder))

    def load(self, source: Source) -> None:
        self._loaded(self._session.load(source))

    def _loaded(self, note: str) -> None:
        """Show loaded data, with a note about them or "" for their size."""
        session = self._session
        if session.source is not None and session.table is not None:
            suggested = PreparationEditor.suggested(session.frame)
            own = session.study.preparation
            ways = {
                name: way
                for name, way in suggested.ways.items()
                if own.cuts.get(name) == suggested.preparation.cuts[name]
            }
            self._view.preparing = PreparationEditor(session.frame, own, ways)
            name, self._view.suggestion = suggested_learner(session.table)
            self._panel.options = {}
            self._panel.algorithm, self._panel.score = name, scores_of(name)[0]
            note = note or f"{session.source.name}: {size_words(session.frame)}."
        self._view.show_columns()
        self._view.show_networks(next(iter(session.study.graphs), None))
        self._view.report("data", note)

    def prepare(self, preparing: PreparationEditor, look: str | None = None) -> None:
        self._session.prepare(preparing.preparation)
        self._view.preparing = preparing
        if look is not None:
            self._view.columns.looked_at = look
        self._view.show_columns()
        self._view.show_networks(self._panel.shown)
        self._panel.status = self._view.columns.summary

    def learn(self, recipe: Recipe, name: str | None) -> str:
        with self._running("learn") as watcher:
            found = self._session.learn(recipe, name, watcher)
        graph = self._session.study.graphs[found]
        early = found in self._session.study.stopped
        stopped = " Stopped early: this is the best network so far." if early else ""
        seconds = spent(self._session.seconds[found])
        self._view.name = ""
        self._view.report("learn", f"{found}: {counted(len(graph.edges), 'edge')} in {seconds}.{stopped}")
        self._submit("learn", partial(self._view.show_networks, found))
        return found

    def bootstrap(self, name: str, replicates: int) -> EdgeConfidence:
        with self._running("list") as watcher:
            found = self._session.bootstrap(name, replicates, watcher)
        stopped = f" Stopped; press again to continue to {replicates:,}." if found.graphs < replicates else ""
        self._view.report("list", f"{name}: {counted(found.graphs, 'sample')} made.{stopped}")
        self._submit("list", partial(self._view.show_networks, name))
        return found

    def average(self, name: str, threshold: float | None) -> None:
        found = self._session.average(name, threshold)
        self._view.show_networks(found)
        self._view.report("list", f"{found}: {counted(len(self._session.study.graphs[found].edges), 'edge')}.")

    def keep_edits(self) -> None:
        """Add the edited network of the picture to the list."""
        if self._view.graph is None or self._view.graph.graph == self._session.study.graphs[str(self._panel.shown)]:
            raise ValueError("this network was not edited: change an edge in the picture first.")
        found = self._session.add(f"{self._panel.shown}, edited", self._view.graph.graph)
        self._view.show_networks(found)
        self._view.report("list", f"{found}: added.")

    def remove(self, name: str) -> None:
        self._session.remove(name)
        self._view.show_networks(
            next(iter(self._session.study.graphs), None) if self._panel.shown == name else self._panel.shown
        )

    def write(self, path: Path, make: Callable[[Path], tuple[str, str]], overwrite: bool) -> None:
        """Write a file with a given name (see `SavedFiles.write`)."""
        self._session.check_is_not_data(path)
        text, note = make(path)
        kept = self.saved.write(path, text, overwrite=overwrite)
        self._view.report("files", f"{note} The file that was there before is now {kept}.".lstrip() if kept else note)

    def session_text(self, path: Path) -> tuple[str, str]:
        """Content of a session's file, and a note on its data, which are written to a file too."""
        study, note = self._session.kept_at(path)
        return study.to_text(), note

    def notebook_text(self, path: Path, title: str) -> tuple[str, str]:
        """Content of a notebook's file, and a note on its data, which are written to a file too."""
        study, note = self._session.kept_at(path)
        return notebook_json(study, title), note

    def report_text(self, title: str) -> tuple[str, str]:
        return self.report(title).html, ""

    def report(self, title: str) -> Report:
        from bnlab.figures.report import study_report

        return study_report(self._session.study, self._session.frame, title=title)


def notebook_json(study: Study, title: str) -> str:
    """Content of the file of a notebook."""
    return json.dumps(study.notebook(title), indent=1, ensure_ascii=False)
