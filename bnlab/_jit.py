"""numba's `njit` with the settings every kernel of this package shares."""

from __future__ import annotations

import logging
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import numba

logger = logging.getLogger("bnlab")


def njit(**options: Any) -> Callable[[Callable[..., Any]], Any]:
    """Compile without the interpreter lock and keep the machine code on disk for the next session.

    Where no folder for the code can be written (a read-only install without a home), the function is
    compiled anew in each session instead of failing at import. Neither a full disk nor a damaged file of the cache is
    an error: the function is compiled anew.

    Parameters
    ----------
    **options
        Passed on to `numba.njit`.
    """

    def decorate(function: Callable[..., Any]) -> Any:
        try:
            return _forgiving(numba.njit(cache=True, nogil=True, **options)(function))
        except RuntimeError as error:
            if "no locator" not in str(error):
                raise
            return numba.njit(nogil=True, **options)(function)

    return decorate


def _forgiving(dispatcher: Any) -> Any:
    """Dispatcher whose cache, when it cannot be read or written, is as if it were empty."""
    cache: Any = getattr(dispatcher, "_cache", None)
    if not hasattr(cache, "load_overload") or not hasattr(cache, "save_overload"):
        return dispatcher
    load, save = cache.load_overload, cache.save_overload

    def load_or_miss(*arguments: Any) -> Any:
        try:
            return load(*arguments)
        except Exception as error:
            logger.warning("compiled code in %s cannot be read (%s): compiling anew.", cache.cache_path, error)
            return None

    def save_if_possible(*arguments: Any) -> None:
        try:
            save(*arguments)
        except OSError as error:
            logger.warning("compiled code cannot be kept in %s: %s", cache.cache_path, error)
        except Exception:  # the index is damaged, so nothing that it lists can be found
            with suppress(OSError):
                cache.flush()
                save(*arguments)

    cache.load_overload, cache.save_overload = load_or_miss, save_if_possible
    return dispatcher
