"""Ctrl-C that ends a call with KeyboardInterrupt, also while numpy or compiled code runs."""

from __future__ import annotations

from _thread import allocate_lock, start_new_thread
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
R = TypeVar("R")

POLL_S = 0.05
"""Polling interval, in seconds."""


@contextmanager
def reraise_interrupts() -> Iterator[None]:
    """Raise KeyboardInterrupt if compiled code was interrupted while it made its result.

    Python itself then raises SystemError, "returned a result with an exception set", or the RuntimeError of a condition
    that has lost its lock. Both are of the class Exception, unlike KeyboardInterrupt.
    """
    try:
        yield
    except (SystemError, RuntimeError) as error:
        reraise_interrupt(error)
        raise


def reraise_interrupt(error: SystemError | RuntimeError) -> None:
    """As `reraise_interrupts`, for code in which a context manager is too slow."""
    cause = error.__cause__ or error.__context__
    while cause is not None:
        if isinstance(cause, KeyboardInterrupt):
            raise KeyboardInterrupt from error
        cause = cause.__cause__ or cause.__context__


def run_interruptible(function: Callable[P, R], *args: P.args, **kwargs: P.kwargs) -> R:
    """Call a function in a thread and wait for it; an interrupt ends the wait at once, and the result is dropped.

    It waits without a `threading.Condition`, which an interrupt may leave without its lock.
    """
    done = allocate_lock()
    done.acquire()
    results: list[R] = []
    errors: list[BaseException] = []

    def work() -> None:
        try:
            results.append(function(*args, **kwargs))
        except BaseException as error:
            errors.append(error)
        finally:
            done.release()

    start_new_thread(work, ())
    # A signal just before a wait without a timeout would take effect only after the wait.
    while not done.acquire(timeout=POLL_S):
        pass
    if errors:
        raise errors[0]
    return results[0]
