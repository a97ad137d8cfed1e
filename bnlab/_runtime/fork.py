"""Forks while other threads run: every lock of the library is free in the new process.

A fork copies only the calling thread. The work of the other threads is never finished in the new process, and a lock
that one of them holds stays locked there. `multiprocessing` forks by default on Linux before Python 3.14.
"""

from __future__ import annotations

import os
from threading import Lock
from weakref import WeakSet

_locked: WeakSet[Locked] = WeakSet()


class Locked:
    """Base of objects that threads share under the lock `lock`, which is free in a forked process."""

    def __init__(self) -> None:
        self.lock = Lock()
        _locked.add(self)

    def _reset(self) -> None:
        """Called in a forked process if another thread was changing the object under the lock."""

    def free(self) -> None:
        """Replace the lock in a forked process."""
        # Not locked(), which is False for a lock that was just passed to a waiting thread.
        free = self.lock.acquire(blocking=False)
        self.lock = Lock()
        if not free:
            self._reset()


def _in_child() -> None:
    for shared in list(_locked):
        shared.free()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_in_child)
