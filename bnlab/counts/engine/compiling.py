"""Whether the counting kernels are compiled already, and the line that explains the wait when they are not."""

from __future__ import annotations

import logging
import sys
from functools import cache
from pathlib import Path
from threading import current_thread, main_thread

logger = logging.getLogger("bnlab")


@cache
def say_if_compiling() -> None:
    """Print or log one line if the kernels' machine code is not on disk yet, to explain the wait of the first call."""
    from bnlab.counts.engine import kernels

    if is_compiled():
        return
    if kernels.count_bitmaps.stats.cache_path is None:
        _print_or_log(
            "bnlab compiles its counting kernels, which takes a few seconds in each session, for there is no folder to "
            "keep them in: let the variable NUMBA_CACHE_DIR name one that you may write to."
        )
    else:
        _print_or_log("bnlab compiles its counting kernels; this happens once and takes a few seconds.")


def _print_or_log(text: str) -> None:
    """Log a line or, in a notebook, print it, because notebooks show log messages in a red box."""
    if current_thread() is not main_thread():
        return  # a widget shows it in its status
    if type(sys.stderr).__module__ == "ipykernel.iostream" and not logger.hasHandlers():
        print(text)
    else:
        logger.warning(text)


def is_compiled() -> bool:
    """Whether the counting kernels' machine code is in this process, or on disk."""
    from bnlab.counts.engine import kernels

    folder = kernels.count_bitmaps.stats.cache_path
    on_disk = folder is not None and any(Path(folder).glob("kernels.count_bitmaps*.nbi"))
    return bool(kernels.count_bitmaps.signatures) or on_disk
