"""Memory that one operation may use, and the error that is raised before it uses more."""

from __future__ import annotations

import os
import re

import numpy as np

VARIABLE = "BNLAB_MEMORY"
MAX_AXES = 64 if int(np.__version__.partition(".")[0]) >= 2 else 32
"""Maximum number of axes of a numpy array; within memory, only tables over variables of one state reach it."""
_UNITS = {"": 0, "K": 10, "M": 20, "G": 30, "T": 40}


class MemoryBudget(ValueError):
    """An operation would need more memory than it may use; it was not started."""


def memory_budget() -> int:
    """Bytes that one operation may use: half of the memory, or BNLAB_MEMORY (such as "8G"; otherwise ValueError)."""
    text = os.environ.get(VARIABLE, "")
    if not text:
        return _physical() // 2
    found = re.fullmatch(r"([0-9]+(?:\.[0-9]+)?)\s*([KMGT]?)B?", text.strip().upper())
    if found is None:
        raise ValueError(f"{VARIABLE}={text!r} is not a size: write bytes, or a number with K, M, G or T such as 8G.")
    return int(float(found[1]) * 2 ** _UNITS[found[2]])


def check_memory(needed: float, what: str, instead: str) -> None:
    """Raise `MemoryBudget` if `what` needs more bytes than allowed; the message says what to do `instead`."""
    allowed = memory_budget()
    if needed > allowed:
        raise MemoryBudget(
            f"{what} would need about {written_size(needed)} of memory, more than the {written_size(allowed)} that one "
            f"operation may have: {instead}, or allow more with the environment variable {VARIABLE}."
        )


def check_pairs(n: int, bytes_a_pair: int) -> None:
    """Raise `MemoryBudget` if work on the n^2 pairs of variables needs too much memory."""
    check_memory(bytes_a_pair * n * n, f"work on the pairs of {n} variables", "select fewer variables (table.select)")


def _physical() -> int:
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):
        return 8 << 30


def written_size(size: float) -> str:
    """Number of bytes with a unit.

    Examples
    --------
    >>> written_size(2_500_000)
    '2.38 MB'
    """
    units = ["bytes", "KB", "MB", "GB"]
    while size >= 1000 and units:
        size /= 1024
        units.pop(0)
    return f"{size:.3g} {units[0] if units else 'TB'}"
