"""What a `Workbench` does in threads of its own, so that the kernel stays free."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING, Any

from bnlab._runtime.files import digest_of
from bnlab.analysis.choices import suggested_learner
from bnlab.analysis.preparing import Preparing
from bnlab.analysis.recipe import Recipe
from bnlab.analysis.sources import Source, open_source, read_sent
from bnlab.analysis.study import Study
from bnlab.counts.memory import is_compiled
from bnlab.graphs.confidence import EdgeConfidence
from bnlab.graphs.dag import counted
from bnlab.learners.table import scores_of
from bnlab.widgets.base.times import spent
from bnlab.widgets.workbench.learning import Watcher
from bnlab.widgets.workbench.view import WorkbenchView, size_words

if TYPE_CHECKING:
    from bnlab.figures.report import Report

WAIT = "something runs: stop it, or wait for its end."


class WorkbenchJobs(WorkbenchView):
    """Steps of an analysis, each shown when it is done."""

    def _job(self, place: str, job: Callable[[], object]) -> None:
        """Have something done that takes its time, unless something is being done already."""
        if self.busy:
            self._say(place, f"Not now: {WAIT}", failed=True)
        else:
            self._stop.clear()
            self._worker.submit(partial(self._in_words, place, self._begun(job)))

    def _begun(self, job: Callable[[], object]) -> Callable[[], None]:
        """Job whose end `stop` waits for."""
        self._ended = ended = Event()

        def watched() -> None:
            try:
                job()
            finally:
                ended.set()

        return watched

    def _afterwards(self, place: str, job: Callable[[], object]) -> None:
        """Draw what a job has found, when whoever waits for its end knows of it."""
        self._worker.submit(partial(self._in_words, place, job))

    def _in_words(self, place: str, job: Callable[[], object]) -> None:
        """Say in the page what goes wrong, where an exception would not be seen."""
        try:
            job()
        except Exception as error:
            self._say(place, str(error) or type(error).__name__, failed=True)

    def _do(self, place: str, job: Callable[[], None], wait: bool) -> None:
        """Do something in the worker's thread, and wait for it unless told otherwise."""
        if self._closed:
            raise RuntimeError("this workbench is closed: make a new one.")
        if not self.busy:
            self._stop.clear()
        if not wait:
            self._worker.submit(partial(self._in_words, place, self._begun(job)))
            return
        try:
            self._worker.call(self._begun(job))
            self._worker.call(lambda: None)
        except KeyboardInterrupt:
            self._stop.set()
            self._ended.wait()
            raise

    @contextmanager
    def _running_in(self, place: str) -> Iterator[Watcher]:
        """Show progress at a place while something runs."""
        if self._closed:
            self._stop.set()
        self.busy = True
        report = partial(self._progress, place)
        report(None, "begins" if is_compiled() else "begins with compiling its loops, which takes some seconds, once")
        shown = self._session.study.graphs.get(self.shown)
        self._live.begin(self._session.ready.names, shown)
        try:
            yield Watcher(self._stop, report, self._live.note)
        finally:
            with self._lock:
                self._running = None
            self.busy = False
            self._live.end()
            self._draw()

    def _progress(self, place: str, share: float | None, told: str) -> None:
        with self._lock:
            self._running = (place, share, told)
            self._draw_forms()

    def _stopping(self) -> None:
        """Say at once that the step in hand is the last one."""
        with self._lock:
            if self._running is not None:
                self._progress(*self._running[:2], "stopping")

    def _read(self, path: str) -> None:
        if not path.strip():
            raise ValueError("write the path of a .csv or .parquet file, or upload one.")
        if path.endswith(".json"):
            self._open_file(Path(path), digest_of(path), Study.open(path), None)
        else:
            self._load(open_source(path.strip()))

    def _receive(self, name: str, content: bytes) -> None:
        if not name.lower().endswith(".json"):
            self._load(read_sent(name, content))
            return
        self._open(Study.read(name, content), None, None)

    def _open_file(self, path: Path, digest: str | None, study: Study, data: Any) -> None:
        """Open a session, and let its file be replaced later, unless its networks are not here and would be lost."""
        self._open(study, data, path.parent)
        if study.graphs.items() <= self._session.study.graphs.items():
            self._saved.note(path, digest)

    def _open(self, study: Study, data: Any, folder: Path | None) -> None:
        told = self._session.open(study, data, folder)
        self._loaded(told)

    def _load(self, source: Source) -> None:
        self._loaded(self._session.load(source))

    def _loaded(self, told: str) -> None:
        """Show what has been loaded; `told` says what is odd about it."""
        session = self._session
        if session.source is not None and session.table is not None:
            suggested = Preparing.suggested(session.frame)
            own = session.study.preparation
            ways = {
                name: way
                for name, way in suggested.ways.items()
                if own.cuts.get(name) == suggested.preparation.cuts[name]
            }
            self._preparing = Preparing(session.frame, own, ways)
            name, self._suggestion = suggested_learner(session.table)
            self.options = {}
            self.algorithm, self.score = name, scores_of(name)[0]
            told = told or f"{session.source.name}: {size_words(session.frame)}."
        self._columns_shown()
        self._networks_changed(next(iter(session.study.graphs), None))
        self._say("data", told)

    def _prepare(self, preparing: Preparing, look: str | None = None) -> None:
        self._session.prepare(preparing.preparation)
        self._preparing = preparing
        if look is not None:
            self._columns.looked_at = look
        self._columns_shown()
        self._networks_changed(self.shown)
        self.status = self._columns.summary

    def _learn(self, recipe: Recipe, name: str | None) -> str:
        with self._running_in("learn") as watcher:
            found = self._session.learn(recipe, name, watcher)
        graph = self._session.study.graphs[found]
        early = found in self._session.study.stopped
        stopped = " It was stopped: this is the best network until then." if early else ""
        seconds = spent(self._session.seconds[found])
        self._name = ""
        self._say("learn", f"{found}: {counted(len(graph.edges), 'edge')} in {seconds}.{stopped}")
        self._afterwards("learn", partial(self._networks_changed, found))
        return found

    def _bootstrap(self, name: str, replicates: int) -> EdgeConfidence:
        with self._running_in("list") as watcher:
            found = self._session.bootstrap(name, replicates, watcher)
        stopped = f" Stopped; press again to go on to {replicates:,}." if found.graphs < replicates else ""
        self._say("list", f"{name}: {counted(found.graphs, 'sample')} made.{stopped}")
        self._afterwards("list", partial(self._networks_changed, name))
        return found

    def _average(self, name: str, threshold: float | None) -> None:
        found = self._session.average(name, threshold)
        self._networks_changed(found)
        self._say("list", f"{found}: {counted(len(self._session.study.graphs[found].edges), 'edge')}.")

    def _keep_edits(self) -> None:
        """Add the network of the picture to the list, if somebody edited it."""
        if self._graph is None or self._graph.graph == self._session.study.graphs[str(self.shown)]:
            raise ValueError("the picture shows this network as it is: change an edge there first.")
        found = self._session.add(f"{self.shown}, edited", self._graph.graph)
        self._networks_changed(found)
        self._say("list", f"{found}: added.")

    def _remove(self, name: str) -> None:
        self._session.remove(name)
        self._networks_changed(next(iter(self._session.study.graphs), None) if self.shown == name else self.shown)

    def _write(self, path: Path, make: Callable[[Path], tuple[str, str]], overwrite: bool) -> None:
        """Write a file that a person named (see `SavedFiles.write`)."""
        self._session.check_is_not_data(path)
        text, note = make(path)
        kept = self._saved.write(path, text, overwrite=overwrite)
        self._say("files", f"{note} The file that was there before is now {kept}.".lstrip() if kept else note)

    def _session_text(self, path: Path) -> tuple[str, str]:
        """Content of a session's file, whose data are in a file too; and what is to be known about them."""
        study, note = self._session.kept_at(path)
        return study.to_text(), note

    def _notebook_text(self, path: Path, title: str) -> tuple[str, str]:
        """Content of a notebook's file, whose data are in a file too; and what is to be known about them."""
        study, note = self._session.kept_at(path)
        return notebook_json(study, title), note

    def _report_text(self, title: str) -> tuple[str, str]:
        return self._report(title).html, ""

    def _report(self, title: str) -> Report:
        from bnlab.figures.report import study_report

        return study_report(self._session.study, self._session.frame, title=title)


def notebook_json(study: Study, title: str) -> str:
    """Content of the file of a notebook."""
    return json.dumps(study.notebook(title), indent=1, ensure_ascii=False)
