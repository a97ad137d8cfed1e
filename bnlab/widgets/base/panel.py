"""Base of all widgets that consist of several others."""

from __future__ import annotations

from collections.abc import Callable

import ipywidgets
import traitlets

from bnlab.widgets.base.controls import Control, Controls, message
from bnlab.widgets.base.core import LOCK
from bnlab.widgets.base.widget import BaseWidget
from bnlab.widgets.base.worker import Worker


class Panel(BaseWidget, ipywidgets.VBox):  # type: ignore[misc]
    """Column of widgets with a lock, a worker thread and a status.

    A subclass builds its parts, sets `children`, and then sets `_ready`. It overrides `_show_controls` if it has
    controls that show its traits; one of them may be its `status_message`.

    Examples
    --------
    >>> class Halves(Panel):
    ...     def halve(self, number):
    ...         self._report(f"{number} = 2 * {number // 2}")
    ...     def still(self):
    ...         return {"text/html": "<b>halves</b>"}
    >>> panel = Halves()
    >>> panel._ready = True
    >>> panel._later(lambda: panel.halve("four"))
    >>> panel.wait()
    True
    >>> panel.status, panel.failed
    ("Not done: unsupported operand type(s) for //: 'str' and 'int'", True)
    """

    status = traitlets.Unicode()
    """Last message."""
    failed = traitlets.Bool(False)
    """Whether the status is an error."""

    _ready = False
    """Whether the panel is built and not closed."""
    _controls: Controls | None = None

    def __init__(self) -> None:
        self._lock, self._worker = LOCK, Worker()
        super().__init__()
        self.layout.width = "100%"

    def wait(self, timeout: float | None = None) -> bool:
        """Wait until nothing runs; False if something still runs after `timeout` seconds."""
        return self._worker.wait(timeout)

    def close(self) -> None:
        """Close the panel with its parts; queued jobs are skipped."""
        self._ready = False
        super().close()

    def _later(self, job: Callable[[], object], what: str = "Not done") -> None:
        """Run a job in the worker thread; show an error as "what: error"."""

        def run() -> None:
            with self._errors_shown(what):
                if self._ready:
                    job()

        self._worker.submit(run)

    def _report(self, text: str, *, failed: bool = False) -> None:
        """Set and show the status."""
        with self._lock:
            self.failed, self.status = failed, text
            self._show_controls()

    def _show_controls(self) -> None:
        """Show the values of the traits, and the status, in the controls."""

    def _show_error(self, text: str) -> None:
        # A closed panel cannot show an error, and some of its parts may be open still when a job ends.
        if self._ready:
            self._report(text, failed=True)
            if self._controls is not None:
                self._controls.restore()


def status_message(panel: Panel) -> Control:
    """Status of a panel, which screen readers speak."""
    return message("status", panel.status, "alert" if panel.failed else "status")
