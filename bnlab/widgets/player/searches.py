"""Searches of a player by name: the given ones, or those that named algorithms make for data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from bnlab import learners, skeletons
from bnlab._runtime.names import known_name
from bnlab.counts.base import CountSource
from bnlab.counts.source import as_data
from bnlab.data.table import Table
from bnlab.learners.table import GAP_LEARNERS, LEARNERS
from bnlab.search import Search
from bnlab.skeletons.skeleton import SKELETONS

EXAMPLE = (
    'give what bnlab.learners.make_search(table, "hill-climbing") or bnlab.skeletons.make_search(table, "opthpc") makes'
)
MCMC = "mcmc"
ALGORITHMS = (*LEARNERS, *GAP_LEARNERS, *SKELETONS, MCMC)


def searches_of(
    given: Any, algorithm: str | Sequence[str] | None, options: Mapping[str, Any], seed: int | None = None
) -> dict[str, Any]:
    """Searches by their names: the given searches, or those of algorithms on the given data.

    Raises
    ------
    TypeError, ValueError
        As for `bnlab.widgets.SearchPlayer`.
    """
    import pandas as pd

    if not isinstance(given, Table | CountSource | pd.DataFrame):
        if algorithm is not None or options:
            what = ", ".join([*(["algorithm"] if algorithm is not None else []), *options])
            raise TypeError(f"{what}: only for data, as in SearchPlayer(table, 'boss'); without them {EXAMPLE}.")
        return searches_by_name(given)
    data = as_data(given)
    if algorithm is None:
        n_rows = round(data.total if isinstance(data, Table) else data.n_rows)
        name = learners.recommended(len(data.names), n_rows, options.get("score")).algorithm
        return {name: learners.make_search(data, **options)}
    listed = [algorithm] if isinstance(algorithm, str) else algorithm
    named = [known_name(name, ALGORITHMS, "algorithm") for name in listed]
    return searches_by_name({name: _search(data, name, options, seed) for name in named})


def _search(data: Table | CountSource, name: str, options: Mapping[str, Any], seed: int | None) -> Any:
    entry = LEARNERS.get(name) or GAP_LEARNERS.get(name)
    takes_seed = entry is None or any(option.name == "seed" for option in entry.options)
    if seed is not None and takes_seed and name not in SKELETONS:
        options = {**options, "seed": seed}
    if name == MCMC:
        return learners.partition_sampler(data, **options)
    return (skeletons if name in SKELETONS else learners).make_search(data, name, **options)


def searches_by_name(given: Any) -> dict[str, Any]:
    """Searches by their names; TypeError if one lacks a method of a search, ValueError if there is none."""
    if isinstance(given, list | tuple):
        given = {f"search {i}": one for i, one in enumerate(given, start=1)}
    searches = {str(name): one for name, one in (given if isinstance(given, Mapping) else {"search": given}).items()}
    if not searches:
        raise ValueError("there is no search to play: give at least one.")
    for name, search in searches.items():
        if not isinstance(search, Search):
            lacks = "which is not a search, for it lacks one of the methods init, step, is_done and result"
            raise TypeError(f"{name!r} is a {type(search).__name__}, {lacks}: {EXAMPLE}.")
    return searches
