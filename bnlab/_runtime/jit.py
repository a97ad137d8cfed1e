"""numba's `njit` with the settings every kernel of this package shares."""

from __future__ import annotations

import gc
import logging
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from hashlib import sha256
from inspect import getmodule
from pathlib import Path
from threading import current_thread, main_thread
from typing import Any

import numba
from llvmlite.binding import ffi
from numba.core.caching import FunctionCache, IndexDataCacheFile
from numba.core.compiler_lock import global_compiler_lock
from numba.core.dispatcher import Dispatcher

from bnlab._runtime.files import lock_named
from bnlab._runtime.fork import hold_in_fork
from bnlab._runtime.interrupts import run_interruptible

logger = logging.getLogger("bnlab")

_warned: set[str] = set()

hold_in_fork(global_compiler_lock)
if hasattr(ffi.lib, "_lock"):  # which a later llvmlite may name otherwise
    hold_in_fork(ffi.lib._lock)  # a finalizer of LLVM's objects holds this one alone


def njit(**options: Any) -> Callable[[Callable[..., Any]], Any]:
    """Compile without the interpreter lock and keep the machine code on disk for the next session.

    Where no folder for the code can be written (a read-only install without a home), the function is
    compiled anew in each session instead of failing at import. Neither a full disk nor a damaged file of the cache is
    an error: the function is compiled anew. So it is when a function that it calls has changed, be it in another file.
    No address for C code is made unless ``no_cfunc_wrapper=False``, for each takes time to compile.
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

    An optimisation of LLVM takes up to a second, and an exception that is raised in what it calls back is dropped. The
    compilation ends in the thread, and its result is there at the next call. A kernel that another one calls, which is
    compiled at this moment, stays with it: its thread holds the compiler's lock.

    Numbers that are written in a call are of the type that all numbers are of: numba would compile the kernel once more
    for each of them, and also for the first value of a variable that changes later.
    """
    compile_now = dispatcher.compile

    def compile_in_thread(arguments: Any) -> Any:
        signature = tuple(map(numba.types.unliteral, arguments))
        outermost = not global_compiler_lock.is_locked()
        with _without_garbage_collection():
            try:
                if outermost and current_thread() is main_thread():
                    return run_interruptible(compile_now, signature)
                return compile_now(signature)
            finally:
                if isinstance(dispatcher._cache, _KernelCache):
                    dispatcher._cache.unlock()

    dispatcher.compile = compile_in_thread
    return dispatcher


@contextmanager
def _without_garbage_collection() -> Iterator[None]:
    """Pause the search for cycles of objects, which takes a seventh of a compilation: numba makes many objects."""
    enabled = gc.isenabled()
    try:
        gc.disable()
        yield
    finally:
        if enabled:
            gc.enable()


class _KernelFiles(IndexDataCacheFile):  # type: ignore[misc]
    """Files of a kernel's cache, which end with a checksum of their content and of the source that it is of.

    numba runs what it finds: after a power failure a file may have blocks of zeros, and after a kill it may hold code
    of an older source, for the index is written first. What follows the end of a pickle is ignored when it is read.
    """

    def _dump(self, value: Any) -> bytes:
        content: bytes = super()._dump(value)
        return content + self._checksum(content)

    def _load_data(self, name: str) -> Any:
        content = Path(self._data_path(name)).read_bytes()
        size = len(content) - sha256().digest_size
        if size < 0 or content[size:] != self._checksum(content[:size]):
            raise ValueError(f"the checksum of {name} is another one")
        return super()._load_data(name)

    def _checksum(self, content: bytes) -> bytes:
        return sha256(repr(self._source_stamp).encode() + content).digest()


class _KernelCache(FunctionCache):  # type: ignore[misc]
    """Cache of a kernel: where it cannot be read or written it is as if empty, and it is of all that the kernel calls.

    numba itself looks for changes in the file of the kernel alone.
    """

    def __init__(self, function: Callable[..., Any]) -> None:
        super().__init__(function)
        self._function, self._is_stamped = function, False
        stamp = self._impl.locator.get_source_stamp()
        self._cache_file = _KernelFiles(self.cache_path, self._impl.filename_base, stamp)
        self._lock = ExitStack()

    def stamp(self) -> Any:
        """Stamp by which machine code is out of date; not before the first call is all defined that a kernel calls."""
        files = self._cache_file
        if not self._is_stamped:
            self._is_stamped = True  # first, since kernels may call each other
            stamps = [files._source_stamp, *_called(self._function)]
            files._source_stamp = sha256(repr(stamps).encode()).hexdigest()
        return files._source_stamp

    def load_overload(self, signature: Any, target_context: Any) -> Any:
        """Compiled code; None where there is none, or none that can be read: the caller compiles, and then unlocks.

        Another process that compiles the same kernel is waited for: at a first start of JupyterLab two processes or
        more, one of them the notebook's, compile beside each other.
        """
        self.stamp()
        found = self._load(signature, target_context)
        if found is None:
            self._lock.enter_context(lock_named(Path(self.cache_path, f"{self._impl.filename_base}.lock")))
            found = self._load(signature, target_context)
        return found

    def unlock(self) -> None:
        """Let other processes compile the kernel."""
        self._lock.close()

    def _load(self, signature: Any, target_context: Any) -> Any:
        try:
            return super().load_overload(signature, target_context)
        except Exception as error:
            _warn_once(
                "compiled code in %s is damaged or of another version (%s): compiling anew, which takes some seconds.",
                self.cache_path,
                error,
            )
            return None

    def save_overload(self, signature: Any, data: Any) -> None:
        """Keep compiled code, if it can be written."""
        try:
            super().save_overload(signature, data)
        except OSError as error:
            _warn_once(
                "compiled code cannot be kept in %s (%s): the next session compiles it anew, which takes some seconds.",
                self.cache_path,
                error,
            )
        except Exception:  # the index is damaged, so nothing that it lists can be found
            with suppress(OSError):
                self.flush()
                super().save_overload(signature, data)


def _warn_once(message: str, *arguments: object) -> None:
    """Log a warning the first time, and later at the level of debugging: it holds for all kernels of a folder."""
    logger.log(logging.DEBUG if message in _warned else logging.WARNING, message, *arguments)
    _warned.add(message)


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
