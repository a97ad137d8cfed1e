"""Forks while other threads run: every lock is free in the new process.

A fork copies only the calling thread. The work of the other threads is never finished in the new process, and a lock
that one of them holds stays locked there. `multiprocessing` forks by default on Linux before Python 3.14.
"""

from __future__ import annotations

import _frozen_importlib
import logging  # noqa: F401 -- first, so that its own lock is taken after those here: an import or a compiler may log
import os
import sys
from contextlib import AbstractContextManager, ExitStack
from threading import Lock, RLock, get_ident
from typing import Any
from weakref import WeakSet

# Python has no public function that lists the imports in progress. Without this list, a process that is forked while a
# thread imports a module of the library waits forever when it needs that module (test_fork.py shows it at the first
# fork).
_importlib: Any = _frozen_importlib

_PACKAGES = {
    *("bnlab", "dask", "distributed", "llvmlite", "networkx", "numba", "numpy", "opt_einsum", "pandas", "pooch"),
    *("pyarrow", "scipy", "sklearn", *sys.stdlib_module_names),
}
"""Packages that the library imports. The import of another program may last as long as the program runs."""

_ROUNDS = 100
"""Maximum number of rounds of waiting for imports: an import that waits for this thread never ends."""

_locked: WeakSet[Locked] = WeakSet()
_held: list[AbstractContextManager[object]] = [RLock()]  # one fork at a time
_entered = ExitStack()


class Locked:
    """Base of objects that threads share under the lock `_lock`, which is free in a forked process."""

    def __init__(self) -> None:
        self._lock: Lock | RLock = Lock()
        _locked.add(self)

    def share_lock(self, lock: RLock) -> None:
        """Use this lock for the object, so that it stays consistent with everything else that the lock guards."""
        self._lock = lock

    def _reset(self) -> None:
        """Called in a forked process if another thread was changing the object under the lock."""


def hold_in_fork(lock: AbstractContextManager[object]) -> None:
    """Hold a lock during each fork, so that no other thread holds it.

    It is for state of other packages, which cannot be reset in the new process. A fork waits for the lock.
    """
    _held.append(lock)


def _before() -> None:
    """Take the locks when no other thread is importing a module, which could otherwise never be imported again."""
    _hold()
    for _ in range(_ROUNDS):
        importing = _imports()
        if not importing:
            return
        _entered.close()  # an import may need one of the locks
        for name in importing:
            _importlib._lock_unlock_module(name)
        _hold()


def _hold() -> None:
    for lock in _held:
        _entered.enter_context(lock)


def _imports() -> set[str]:
    """Modules that other threads are importing."""
    locks = [(name, lock()) for name, lock in list(_importlib._module_locks.items())]
    me = get_ident()
    return {name for name, lock in locks if lock and lock.owner != me and name.partition(".")[0] in _PACKAGES}


def _in_child() -> None:
    _entered.close()
    for holder in list(_locked):
        # Not locked(), which is False for a lock that was just passed to a waiting thread.
        free = holder._lock.acquire(blocking=False)
        holder._lock = Lock()
        if not free:
            holder._reset()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_before, after_in_parent=_entered.close, after_in_child=_in_child)
