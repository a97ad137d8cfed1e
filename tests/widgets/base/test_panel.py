"""The base of panels: errors are shown in place, and a closed panel does nothing more."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from threading import Event
from typing import Any

import pytest

from bnlab.widgets.base.controls import Controls, message, number
from bnlab.widgets.base.panel import Panel, status_message

WORDS = "no <b>room</b>"


class Counted(Panel):
    """Panel with one control."""

    def __init__(self) -> None:
        super().__init__()
        self._controls = Controls("Count")
        self._show_controls()
        self.children = [self._controls]
        self.sent: list[Any] = []
        self._controls.on_msg(lambda *_: None)
        self._controls.send = lambda content, *_: self.sent.append(content)
        self._ready = True

    def _show_controls(self) -> None:
        self._controls.show([[number("count", "Count", 1), status_message(self)]])

    def fail(self) -> None:
        raise ValueError(WORDS)


@pytest.fixture
def panel(caplog: pytest.LogCaptureFixture) -> Iterator[Counted]:
    with caplog.at_level(logging.CRITICAL):
        made = Counted()
        yield made
        made.close()


def test_an_error_of_a_job_is_shown_and_refused_values_are_restored(panel: Counted) -> None:
    panel._later(panel.fail)
    assert panel.wait(20)
    assert (panel.status, panel.failed) == (f"Not done: {WORDS}", True)
    assert panel.sent == [{"type": "restore"}]
    assert panel._controls.control("status") == message("status", panel.status, "alert")
    panel._report("Done.")
    assert (panel.status, panel.failed) == ("Done.", False)
    assert panel._controls.control("status") == message("status", "Done.", "status")


def test_a_closed_panel_runs_no_queued_job_and_shows_no_error(panel: Counted) -> None:
    begun, go_on, ran = Event(), Event(), []

    def first() -> None:
        begun.set()
        assert go_on.wait(20)
        raise ValueError(WORDS)

    panel._later(first)
    panel._later(lambda: ran.append(1))
    assert begun.wait(20)
    panel.close()
    go_on.set()
    assert panel.wait(20)
    assert (ran, panel.status, panel.comm, panel.children[0].comm) == ([], "", None, None)
