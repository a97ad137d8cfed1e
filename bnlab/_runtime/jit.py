"""The decorators of the compiled functions that are not in `bnlab.engine` yet; this file goes with the last of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from hashlib import sha256
from inspect import getmodule
from pathlib import Path
from threading import current_thread, main_thread
from typing import Any

import numba
from numba.core.caching import FunctionCache
from numba.core.dispatcher import Dispatcher

from bnlab._runtime.interrupts import run_interruptible


def njit(**options: Any) -> Callable[[Callable[..., Any]], Any]:
    """Compile without the interpreter lock and keep the machine code on disk for the next session.

    Where no folder for the code can be written, the function is compiled anew in each session. So it is when a function
    that it calls has changed, even in another file.
    """
    options.setdefault("no_cfunc_wrapper", True)

    def decorate(function: Callable[..., Any]) -> Any:
        dispatcher = _interruptible(numba.njit(nogil=True, **options)(function))
        try:
            dispatcher._cache = _KernelCache(function)
        except RuntimeError as error:
            if "no locator" not in str(error):
                raise
        return dispatcher

    return decorate


inner = njit(no_cpython_wrapper=True)
"""Compile a function that compiled code alone calls: without an entry for Python, which takes a tenth of a second."""


def _interruptible(dispatcher: Any) -> Any:
    """Dispatcher that compiles in a thread, so that Ctrl-C takes effect at once and is never lost.

    Numbers that are written in a call are of the type that all numbers are of: numba would compile the kernel once more
    for each of them, and also for the first value of a variable that changes later.
    """
    compile_now = dispatcher.compile

    def compile_in_thread(arguments: Any) -> Any:
        signature = tuple(map(numba.types.unliteral, arguments))
        if current_thread() is main_thread():
            return run_interruptible(compile_now, signature)
        return compile_now(signature)

    dispatcher.compile = compile_in_thread
    return dispatcher


class _KernelCache(FunctionCache):  # type: ignore[misc]
    """Cache of a kernel and of all that it calls; numba itself looks for changes in the file of the kernel alone."""

    def __init__(self, function: Callable[..., Any]) -> None:
        super().__init__(function)
        self._function, self._is_stamped = function, False

    def stamp(self) -> Any:
        """Stamp by which machine code is out of date; not before the first call is all defined that a kernel calls."""
        files = self._cache_file
        if not self._is_stamped:
            self._is_stamped = True  # first, since kernels may call each other
            stamps = [files._source_stamp, *_called(self._function)]
            files._source_stamp = sha256(repr(stamps).encode()).hexdigest()
        return files._source_stamp

    def load_overload(self, signature: Any, target_context: Any) -> Any:
        """Compiled code; None if there is none."""
        self.stamp()
        return super().load_overload(signature, target_context)


def _called(function: Callable[..., Any]) -> Iterator[Any]:
    """What the global names of a function stand for: numbers, stamps of kernels, digests of files of its package."""
    package = function.__module__.partition(".")[0]
    for name in function.__code__.co_names:
        value = function.__globals__.get(name)
        if isinstance(value, int | float):
            yield name, value
        elif isinstance(value, Dispatcher) and isinstance(cache := value._cache, _KernelCache):  # type: ignore[attr-defined]
            yield name, cache.stamp()
        else:
            module = getmodule(value)
            if module and module.__name__ != function.__module__ and module.__name__.partition(".")[0] == package:
                yield name, sha256(Path(str(module.__file__)).read_bytes()).hexdigest()
