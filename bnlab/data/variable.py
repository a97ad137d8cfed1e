"""Discrete variables: a name, and states in the order of their codes; checks and translation of codes."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bnlab._runtime.cached import cached_property
from bnlab._runtime.values import check_unicode

Codes = NDArray[np.unsignedinteger[Any]]


@dataclass(frozen=True)
class Variable:
    """Name and states of one discrete variable.

    Parameters
    ----------
    name : str
    states : tuple of hashable
        At least one, all different; code k stands for ``states[k]``.

    Raises
    ------
    TypeError
        If the name is not a string.
    ValueError
        If there is no state, a state occurs twice, a state is None or NaN, or the name or a state contains an unpaired
        surrogate.

    Examples
    --------
    >>> season = Variable("season", ("dry", "wet"))
    >>> season.arity, season.code("wet")
    (2, 1)
    """

    name: str
    states: tuple[Hashable, ...]

    def __post_init__(self) -> None:
        if not isinstance(self.name, str):
            raise TypeError(f"variable name {self.name!r} is a {type(self.name).__name__}: names are strings.")
        check_unicode("variable name", self.name)
        # Scalars of NumPy become Python objects, so that equal tables have the same text and fingerprint.
        states = tuple([state.item() if isinstance(state, np.generic) else state for state in self.states])
        object.__setattr__(self, "states", states)
        if not self.states:
            raise ValueError(f"variable {self.name!r} has no states: it needs at least one.")
        for state in self.states:
            if state is None or (isinstance(state, float) and state != state):
                raise ValueError(f"variable {self.name!r} has the state {state!r}: give missing values a state name.")
            if isinstance(state, str) and not state.isascii():
                check_unicode(f"variable {self.name!r}: the state", state)
        if len(self._codes) < len(self.states):
            twice = next(s for k, s in enumerate(self.states) if self._codes[s] != k)
            raise ValueError(f"variable {self.name!r} has the state {twice!r} twice: states must differ.")

    @classmethod
    def of_checked(cls, name: str, states: tuple[str, ...]) -> Variable:
        """Variable of strings that are known to be valid Unicode; ValueError if a state occurs twice."""
        codes = {state: k for k, state in enumerate(states)}
        if not states or len(codes) < len(states):
            return cls(name, states)
        variable = object.__new__(cls)
        vars(variable).update(name=name, states=states, _codes=codes)
        return variable

    @property
    def arity(self) -> int:
        """Number of states, r_i in the papers."""
        return len(self.states)

    @cached_property
    def _codes(self) -> dict[Hashable, int]:
        return {state: k for k, state in enumerate(self.states)}

    def code(self, state: Hashable) -> int:
        """Code of a state, which is matched by equality, otherwise by its text (1 and "1").

        Raises
        ------
        ValueError
            If the variable has no such state.
        """
        found = self.find(state)
        if found < 0:
            raise ValueError(f"variable {self.name!r} has no state {state!r}; its states are {shortened(self.states)}.")
        return found

    def find(self, state: Hashable) -> int:
        """Code of a state, as `code`; -1 if the variable has no such state."""
        if state in self._codes:
            return self._codes[state]
        return next((self._by_text[text] for text in _texts(state) if text in self._by_text), -1)

    @cached_property
    def _by_text(self) -> dict[str, int]:
        """Code of the state with each text; -1 if several have it."""
        found: dict[str, int] = {}
        for k, state in enumerate(self.states):
            for text in _texts(state):
                found[text] = k if found.get(text, k) == k else -1
        return found


def _texts(state: Hashable) -> list[str]:
    """Texts of a state; 1.0 is also "1", because pandas makes 1.0 of 1 beside missing values."""
    return [str(state), str(int(state))] if isinstance(state, float) and state.is_integer() else [str(state)]


def shortened(items: tuple[object, ...], limit: int = 8) -> str:
    """List of values for a message or a summary, cut after `limit`.

    Examples
    --------
    >>> shortened((0, 1, 2, 3), limit=2)
    '0, 1, ... (4 in all)'
    >>> shortened(("a", "b"))
    "'a', 'b'"
    """
    shown = ", ".join(repr(item) for item in items[:limit])
    return shown if len(items) <= limit else f"{shown}, ... ({len(items)} in all)"


def checked_codes(variable: Variable, column: ArrayLike, gaps: bool = False) -> NDArray[np.integer[Any]]:
    """Codes of a variable as an array; an error unless they are integers below the arity (with gaps, up to it)."""
    codes = np.asarray(column)
    if codes.ndim != 1:
        raise ValueError(f"column {variable.name!r} has {codes.ndim} dimensions: codes of shape (N,) are needed.")
    if codes.size == 0:
        return codes.astype(np.uint8)
    if not np.issubdtype(codes.dtype, np.integer):
        raise TypeError(f"column {variable.name!r} is of dtype {codes.dtype}: codes are integers.")
    low, high = codes.min(), codes.max()
    if low < 0 or high >= variable.arity + gaps:
        wrong = low if low < 0 else high
        raise ValueError(
            f"column {variable.name!r} holds the code {wrong}: its {variable.arity} states have the codes "
            f"0 to {variable.arity - 1}."
        )
    return codes


def checked_columns(
    variables: Sequence[Variable], columns: Sequence[ArrayLike], gaps: bool = False
) -> list[NDArray[np.integer[Any]]]:
    """Codes of variables as arrays of equal length, at least 1; an error otherwise, or as for `checked_codes`."""
    if len(columns) != len(variables):
        raise ValueError(f"{len(columns)} columns for {len(variables)} variables: one each is needed.")
    arrays = [checked_codes(variable, column, gaps) for variable, column in zip(variables, columns, strict=True)]
    n_rows = len(arrays[0])
    for variable, array in zip(variables, arrays, strict=True):
        if len(array) != n_rows:
            raise ValueError(
                f"column {variable.name!r} has {len(array)} rows and column {variables[0].name!r} has {n_rows}: all "
                "columns need the same length."
            )
    require_rows(n_rows)
    return arrays


def require_rows(n_rows: int) -> None:
    """Raise ValueError for a table without rows."""
    if n_rows == 0:
        raise ValueError("the table has no rows: at least one is needed.")


def translated_codes(codes: Codes, old: Variable, new: Variable) -> NDArray[np.integer[Any]]:
    """Translate codes of `old` to codes of `new`; gaps stay gaps. ValueError if rows have a state that `new` lacks."""
    if old.states == new.states:
        return codes
    to_new = np.array([*map(new.find, old.states), new.arity], dtype=np.int64)  # the last one is of a missing value
    result = to_new[codes]
    if (result < 0).any():
        unknown = tuple(old.states[k] for k in np.unique(codes[result < 0]))
        raise ValueError(
            f"variable {new.name!r}: rows show the unknown states {shortened(unknown)}; "
            f"known states are {shortened(new.states)}."
        )
    return result
