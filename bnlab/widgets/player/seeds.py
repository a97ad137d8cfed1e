"""Seeds of searches, and the same searches with others."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import is_dataclass, replace
from typing import Any, Protocol, runtime_checkable


@runtime_checkable
class Seeded(Protocol):
    """A search whose random choices follow from a seed; None for one that takes no seed."""

    seed: int | None


def seed_of(search: Any) -> int | None:
    """Seed of a search, of the first of several that has one.

    Examples
    --------
    >>> from bnlab.learners.k2 import K2Search
    >>> seed_of({"k2": K2Search(lambda child, parents: 0.0, 3, seed=5)})
    5
    """
    for one in search.values() if isinstance(search, Mapping) else [search]:
        seed = one.seed if isinstance(one, Seeded) else None
        # Only a dataclass can be copied with another seed.
        if seed is not None and is_dataclass(one):
            return seed
    return None


def reseeded(search: Any, own: int | None, seed: int) -> Any:
    """The same searches with other seeds: as far apart as they were, so that chains stay different."""
    if isinstance(search, Mapping):
        return {name: reseeded(one, own, seed) for name, one in search.items()}
    mine = seed_of(search)
    if mine is None or own is None or seed == own:
        return search
    return replace(search, seed=max(mine - own + seed, 0))
