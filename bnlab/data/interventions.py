"""Which variables were set from outside in each row of a table."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bnlab._runtime.names import nearest

OBSERVED: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class Interventions:
    """Set of intervened variables of each row.

    Attributes
    ----------
    targets : tuple of tuple of str
        The different sets, each in the order of the table's variables; empty for rows that were only observed.
    codes : ndarray of intp, shape (N,)
        Position in `targets` of the set of each row.

    Examples
    --------
    >>> some = Interventions.of(["", "rain", "rain; grass"], ["grass", "rain"])
    >>> some.targets
    ((), ('rain',), ('grass', 'rain'))
    >>> some.of_variable("grass")
    array([False, False,  True])
    """

    targets: tuple[tuple[str, ...], ...]
    codes: NDArray[np.intp]

    @classmethod
    def of(cls, values: Iterable[Any], names: Sequence[str]) -> Interventions:
        """Interventions from one value a row.

        Parameters
        ----------
        values : iterable
            The name of a variable, several with commas or semicolons between them, a tuple, list or set of names, or
            a missing value or an empty text where the row was only observed.
        names : sequence of str
            The variables.

        Raises
        ------
        ValueError
            If a value names no variable.
        """
        known: dict[Any, int] = {}
        sets: dict[tuple[str, ...], int] = {}
        codes = []
        for value in values:
            key = value if isinstance(value, str) else tuple(value) if isinstance(value, (tuple, list, set)) else None
            if key is None and not _is_missing(value):
                raise ValueError(f"intervention {value!r} is no text: name the intervened variable of each row.")
            if key not in known:
                targets = tuple(sorted(_names(key, names), key=names.index))
                known[key] = sets.setdefault(targets, len(sets))
            codes.append(known[key])
        return cls(tuple(sets), np.array(codes, dtype=np.intp))

    @classmethod
    def joined(cls, parts: Sequence[tuple[Interventions | None, int]]) -> Interventions | None:
        """Interventions of rows one after the other, each part with its number of rows; None when there are none."""
        if all(part is None for part, _ in parts):
            return None
        sets: dict[tuple[str, ...], int] = {}
        codes = []
        for given, n_rows in parts:
            part = cls((OBSERVED,), np.zeros(n_rows, dtype=np.intp)) if given is None else given
            codes.append(np.array([sets.setdefault(targets, len(sets)) for targets in part.targets])[part.codes])
        return cls(tuple(sets), np.concatenate(codes))

    def any(self) -> bool:
        """Whether some variable was set in some row."""
        return any(self.targets[code] for code in np.unique(self.codes))

    def take(self, rows: NDArray[np.intp]) -> Interventions:
        """Those of some rows."""
        return Interventions(self.targets, self.codes[rows])

    def among(self, names: Iterable[str]) -> Interventions:
        """Those on some of the variables, in their order."""
        kept = tuple(names)
        return Interventions(
            tuple(tuple(name for name in kept if name in targets) for targets in self.targets), self.codes
        )

    def of_variable(self, name: str) -> NDArray[np.bool_]:
        """Whether a variable was set, in each row, shape (N,)."""
        of_set = np.array([name in targets for targets in self.targets], dtype=np.bool_)
        return of_set[self.codes]

    def texts(self) -> list[str]:
        """Names of each row's variables with semicolons between them; empty text where the row was only observed."""
        texts = ["; ".join(targets) for targets in self.targets]
        return [texts[code] for code in self.codes]


def _is_missing(value: Any) -> bool:
    import pandas as pd

    return bool(pd.isna(value))


def _names(value: str | tuple[str, ...] | None, names: Sequence[str]) -> set[str]:
    if value is None:
        return set()
    if isinstance(value, str) and value not in names:
        value = tuple(part for part in map(str.strip, re.split("[,;]", value)) if part)
    found = {value} if isinstance(value, str) else set(value)
    for name in found:
        if name not in names:
            raise ValueError(f"intervention on {name!r}: no variable is called so; {nearest(name, names)}")
    return found
