"""Jobs of a `Workbench`, which run one at a time in a thread and show their progress."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from threading import Event
from typing import TypeVar

from bnlab.analysis.session import Watch
from bnlab.engine.compiled import is_cached
from bnlab.graphs.equivalence import any_member
from bnlab.widgets.base.widget import errors_shown
from bnlab.widgets.base.worker import Worker
from bnlab.widgets.workbench.traits import WorkbenchTraits
from bnlab.widgets.workbench.view import WorkbenchView

T = TypeVar("T")

WAIT = "a job is running: stop it, or wait for its end."


class RunningJobs:
    """Runs the jobs of a workbench in a thread; each is shown when it is done."""

    def __init__(self, panel: WorkbenchTraits, view: WorkbenchView) -> None:
        self._panel, self._view, self._session = panel, view, panel._session
        self.worker = Worker()
        self.stop = Event()

    def start(self, form: str, job: Callable[[], object]) -> None:
        """Run a job in the background, unless one is running."""
        if self._panel.busy:
            self._view.report(form, f"Not now: {WAIT}", failed=True)
        else:
            self.stop.clear()
            self._submit(form, job)

    def run(self, form: str, job: Callable[[], T], wait: bool) -> T | None:
        """Run a job in the worker thread; return its result, or None without `wait`. Ctrl-C stops the job."""
        if not self._panel._ready:
            raise RuntimeError("this workbench is closed: make a new one.")
        if not self._panel.busy:
            self.stop.clear()
        if not wait:
            self._submit(form, job)
            return None
        try:
            found = self.worker.call(job)
            self.worker.call(lambda: None)
        except KeyboardInterrupt:
            self.stop_and_wait()
            raise
        return found

    def stop_and_wait(self) -> None:
        """Stop the running job, and wait for its end."""
        self.stop.set()
        self.worker.call(lambda: None)

    def _submit(self, form: str, job: Callable[[], object]) -> None:
        self.worker.submit(partial(self.guard, form, job))

    def guard(self, form: str, job: Callable[[], object]) -> None:
        """Run a job here; show its error in a form."""
        with errors_shown(partial(self._view.report, form, failed=True)):
            job()

    @contextmanager
    def _running(self, form: str) -> Iterator[Watch]:
        """Show progress in a form while a job runs."""
        names = self._session.ready.names  # raises before anything runs
        if not self._panel._ready:
            self.stop.set()
        self._panel.busy = True
        report = partial(self._progress, form)
        report(None, "Starting …" if is_cached() else "Compiling (once, some seconds) …")
        graph = self._session.study.graphs.get(self._panel.shown)
        shown = None if graph is None else any_member(graph)
        self._view.live.begin(names, shown, self.stop, report)
        try:
            yield self._view.live.watch
        finally:
            with self._panel._lock:
                self._panel._running = None
            self._panel.busy = False
            self._view.live.end()
            self._view.show()

    def _progress(self, form: str, share: float | None, text: str) -> None:
        with self._panel._lock:
            self._panel._running = (form, share, text)
            self._view.show_forms()

    def show_stopping(self) -> None:
        """Show at once that the current step is the last one."""
        with self._panel._lock:
            if (running := self._panel._running) is not None:
                self._progress(*running[:2], "Stopping …")
