"""numba's `njit` with the settings every kernel of this package shares."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numba


def njit(**options: Any) -> Callable[[Callable[..., Any]], Any]:
    """Compile without the interpreter lock and keep the machine code on disk for the next session.

    Where no folder for the code can be written (a read-only install without a home), the function is
    compiled anew in each session instead of failing at import.

    Parameters
    ----------
    **options
        Passed on to `numba.njit`.
    """

    def decorate(function: Callable[..., Any]) -> Any:
        try:
            return numba.njit(cache=True, nogil=True, **options)(function)
        except RuntimeError as error:
            if "no locator" not in str(error):
                raise
            return numba.njit(nogil=True, **options)(function)

    return decorate
