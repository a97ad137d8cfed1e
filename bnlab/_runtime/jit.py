"""numba's `njit` with the settings every kernel of this package shares."""

from __future__ import annotations

import gc
import logging
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext, suppress
from hashlib import sha256
from pathlib import Path
from threading import current_thread, main_thread
from typing import Any
from weakref import WeakSet

import numba
from llvmlite.binding import ffi
from numba.core.compiler_lock import global_compiler_lock

from bnlab._runtime.fork import hold_in_fork
from bnlab._runtime.interrupts import run_interruptible

logger = logging.getLogger("bnlab")

_stamped: WeakSet[Any] = WeakSet()
_warned: set[str] = set()

hold_in_fork(global_compiler_lock)
hold_in_fork(getattr(ffi.lib, "_lock", nullcontext()))  # a finalizer of LLVM's objects holds this one alone


def njit(**options: Any) -> Callable[[Callable[..., Any]], Any]:
    """Compile without the interpreter lock and keep the machine code on disk for the next session.

    Where no folder for the code can be written (a read-only install without a home), the function is
    compiled anew in each session instead of failing at import. Neither a full disk nor a damaged file of the cache is
    an error: the function is compiled anew. So it is when a function that it calls has changed, be it in another file.
    No address for C code is made unless ``no_cfunc_wrapper=False``, for each takes time to compile.
    """
    options.setdefault("no_cfunc_wrapper", True)

    def decorate(function: Callable[..., Any]) -> Any:
        try:
            return _with_safe_cache(_interruptible(numba.njit(cache=True, nogil=True, **options)(function)))
        except RuntimeError as error:
            if "no locator" not in str(error):
                raise
            return _interruptible(numba.njit(nogil=True, **options)(function))

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
        with _without_garbage_collection():
            if current_thread() is main_thread() and not global_compiler_lock.is_locked():
                return run_interruptible(compile_now, signature)
            return compile_now(signature)

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


def _with_safe_cache(dispatcher: Any) -> Any:
    """Dispatcher whose cache, when it cannot be read or written, is as if it were empty."""
    cache, file = dispatcher._cache, _cache_file(dispatcher)
    if file is None:
        return dispatcher
    _check_files(file)
    load, save = cache.load_overload, cache.save_overload

    def load_or_miss(*arguments: Any) -> Any:
        _stamp(dispatcher)
        try:
            return load(*arguments)
        except Exception as error:
            _warn_once(
                "compiled code in %s is damaged or of another version (%s): compiling anew, which takes some seconds.",
                cache.cache_path,
                error,
            )
            return None

    def save_if_possible(*arguments: Any) -> None:
        try:
            save(*arguments)
        except OSError as error:
            _warn_once(
                "compiled code cannot be kept in %s (%s): the next session compiles it anew, which takes some seconds.",
                cache.cache_path,
                error,
            )
        except Exception:  # the index is damaged, so nothing that it lists can be found
            with suppress(OSError):
                cache.flush()
                save(*arguments)

    cache.load_overload, cache.save_overload = load_or_miss, save_if_possible
    return dispatcher


def _cache_file(value: Any) -> Any:
    """File of a kernel's cache; None of anything else, or where another version of numba has other parts."""
    file = getattr(getattr(value, "_cache", None), "_cache_file", None)
    return file if all(hasattr(file, part) for part in ("_dump", "_load_data", "_data_path", "_source_stamp")) else None


def _check_files(file: Any) -> None:
    """Let the files of a cache end with a checksum of their content and of the source that it is of.

    numba runs what it finds: after a power failure a file may have blocks of zeros, and after a kill it may hold code
    of an older source, for the index is written first. What follows the end of a pickle is ignored when it is read.
    """
    dump, load = file._dump, file._load_data

    def checksum(content: bytes) -> bytes:
        return sha256(repr(file._source_stamp).encode() + content).digest()

    def dump_checked(value: Any) -> bytes:
        content: bytes = dump(value)
        return content + checksum(content)

    def load_checked(name: str) -> Any:
        content = Path(file._data_path(name)).read_bytes()
        size = len(content) - sha256().digest_size
        if size < 0 or content[size:] != checksum(content[:size]):
            raise ValueError(f"the checksum of {name} is another one")
        return load(name)

    file._dump, file._load_data = dump_checked, load_checked


def _warn_once(message: str, *arguments: object) -> None:
    """Log a warning the first time, and later at the level of debugging: it holds for all kernels of a folder."""
    logger.log(logging.DEBUG if message in _warned else logging.WARNING, message, *arguments)
    _warned.add(message)


def _stamp(value: Any) -> Any:
    """Stamp of a kernel, by which its machine code is out of date when it or what it calls is; None of anything else.

    numba itself looks at the file of the kernel alone. Not before the first call is all defined that a kernel calls.
    """
    file = _cache_file(value)
    if file is None:
        return None
    if file not in _stamped:
        _stamped.add(file)  # first, since kernels may call each other
        stamps = [file._source_stamp, *_called(value.py_func)]
        file._source_stamp = sha256(repr(stamps).encode()).hexdigest()
    return file._source_stamp


def _called(function: Any) -> Iterator[Any]:
    """What the global names of a function stand for: numbers, stamps of kernels, digests of other files of it."""
    package = function.__module__.partition(".")[0]
    for name in function.__code__.co_names:
        value = function.__globals__.get(name)
        stamp, module = _stamp(value), getattr(value, "__module__", None) or ""
        if isinstance(value, int | float):
            yield name, value
        elif stamp is not None:
            yield name, stamp
        elif module != function.__module__ and module.partition(".")[0] == package:
            yield name, sha256(Path(str(sys.modules[module].__file__)).read_bytes()).hexdigest()
