"""How often a test repeats what it does: some times in `make test`, more often in `make nightly`."""

from __future__ import annotations

import os


def times(normal: int, nightly: int) -> int:
    """Repetitions: `nightly` when ``BNLAB_NIGHTLY`` is set, as `make nightly` does, otherwise `normal`."""
    return nightly if os.environ.get("BNLAB_NIGHTLY") else normal
