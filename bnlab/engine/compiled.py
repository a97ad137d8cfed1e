"""The decorators of all compiled functions, and the folder in which numba caches their machine code.

numba notices a change in the file of a function, but not in a function that it calls from another file. The name of the
folder therefore contains a hash of all files of this package.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any

import numba
import numpy as np

# Arguments of compiled functions: for each number that is written out numba compiles the function once more.
ZERO, ONE, NOBODY = np.int64(0), np.int64(1), np.int64(-1)
YES, NO = np.bool_(True), np.bool_(False)


@cache
def cache_folder() -> str:
    """Folder of the machine code: that of ``NUMBA_CACHE_DIR`` if set, else one in the user's cache folder."""
    sources = sorted(Path(__file__).parent.glob("*.py"))
    digest = sha256(b"".join(source.read_bytes() for source in sources)).hexdigest()[:16]
    home = numba.config.CACHE_DIR or Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache", "bnlab")
    return str(Path(home, f"engine-{digest}"))


def is_cached() -> bool:
    """Whether some machine code is on disk, so that the first use need not wait for the compiler."""
    return any(Path(cache_folder()).rglob("*.nbi"))


def compiled(function: Callable[..., Any]) -> Any:
    """Compile a function at its first call, without the interpreter's lock, and cache its machine code on disk."""
    return _njit(function)


def inner(function: Callable[..., Any]) -> Any:
    """As `compiled`, for a function that only compiled code calls: without the wrapper for Python, which takes time."""
    return _njit(function, no_cpython_wrapper=True)


def _njit(function: Callable[..., Any], **more: Any) -> Any:
    options = {"nogil": True, "error_model": "numpy", "no_cfunc_wrapper": True, **more}
    before, numba.config.CACHE_DIR = numba.config.CACHE_DIR, cache_folder()
    try:
        return numba.njit(cache=True, **options)(function)
    except RuntimeError:  # no folder can be written: every process compiles anew
        return numba.njit(**options)(function)
    finally:
        numba.config.CACHE_DIR = before
