"""The thread of the widgets: every job has its turn."""

from __future__ import annotations

import threading
from threading import Event

import pytest

from bnlab.widgets.base.worker import Worker


def test_a_job_that_is_queued_behind_one_that_fails_is_run(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(threading, "excepthook", lambda of_thread: None)
    worker, begun, go_on = Worker(), Event(), Event()

    def failing() -> None:
        begun.set()
        assert go_on.wait(20)
        raise ValueError("no job catches this")

    worker.submit(failing)
    assert begun.wait(20)
    failed, done = worker._thread, Event()
    worker.submit(done.set)
    go_on.set()
    assert failed is not None
    failed.join(20)
    assert done.wait(20)
    assert worker.wait(20)
