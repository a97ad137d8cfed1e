"""The thread of the widgets: every job has its turn."""

from __future__ import annotations

import threading
from threading import Event
from time import sleep

import pytest

from bnlab.widgets.base.worker import Worker, wait_all


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


def test_several_waits_share_one_time() -> None:
    given: list[float | None] = []

    def late(timeout: float | None) -> bool:
        given.append(timeout)
        sleep(0.05)
        return True

    assert wait_all(1.0, late, late)
    first, second = given
    assert first is not None
    assert second is not None
    assert second <= first - 0.05
    assert wait_all(None, late)
    assert given[-1] is None
    assert not wait_all(1.0, lambda _: False, late)
    assert len(given) == 3
