"""How much memory one operation may ask for, and the error that says so before it begins."""

from __future__ import annotations

import os
import re

import numpy as np

VARIABLE = "BNLAB_MEMORY"
MAX_AXES = 64 if int(np.__version__.partition(".")[0]) >= 2 else 32
"""Most axes of an array of numpy; only tables over variables of one state reach it within memory."""
_UNITS = {"": 0, "K": 10, "M": 20, "G": 30, "T": 40}


class MemoryBudget(ValueError):
    """An operation would need more memory than it may have; nothing has been done."""


def memory_budget() -> int:
    """Bytes that one operation may use: half the memory, or the variable BNLAB_MEMORY ("8G"; else ValueError)."""
    text = os.environ.get(VARIABLE, "")
    if not text:
        return _physical() // 2
    found = re.fullmatch(r"([0-9]+(?:\.[0-9]+)?)\s*([KMGT]?)B?", text.strip().upper())
    if found is None:
        raise ValueError(f"{VARIABLE}={text!r} is not a size: write bytes, or a number with K, M, G or T such as 8G.")
    return int(float(found[1]) * 2 ** _UNITS[found[2]])


def check_memory(needed: float, what: str, instead: str) -> None:
    """Raise `MemoryBudget` when `what` needs more bytes than allowed; the message names what to do `instead`."""
    allowed = memory_budget()
    if needed > allowed:
        raise MemoryBudget(
            f"{what} would need about {written_size(needed)} of memory, more than the {written_size(allowed)} that one "
            f"operation may have: {instead}, or allow more with the environment variable {VARIABLE}."
        )


def check_pairs(n: int, bytes_a_pair: int) -> None:
    """Raise `MemoryBudget` for work on the n^2 pairs of too many variables."""
    check_memory(bytes_a_pair * n * n, f"work on the pairs of {n} variables", "select fewer variables (table.select)")


def _physical() -> int:
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):
        return 8 << 30


def written_size(size: float) -> str:
    """Bytes in words.

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
