"""A discrete variable: a name and its states, in the order of their codes."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass

import numpy as np

from bnlab._runtime.cached import cached_property
from bnlab._runtime.names import check_text


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
        When the name is not a string.
    ValueError
        When there is no state, a state occurs twice, a state is None or NaN, or the name or a state holds half of a
        surrogate pair.

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
        check_text(self.name, "variable name")
        # NumPy's scalars become Python's: equal tables then have equal text, and equal fingerprints.
        states = tuple(state.item() if isinstance(state, np.generic) else state for state in self.states)
        object.__setattr__(self, "states", states)
        if not self.states:
            raise ValueError(f"variable {self.name!r} has no states: it needs at least one.")
        for state in self.states:
            if state is None or (isinstance(state, float) and state != state):
                raise ValueError(f"variable {self.name!r} has the state {state!r}: give missing values a state name.")
            if isinstance(state, str) and not state.isascii():
                check_text(state, f"variable {self.name!r}: the state")
        if len(self._codes) < len(self.states):
            twice = next(s for k, s in enumerate(self.states) if self._codes[s] != k)
            raise ValueError(f"variable {self.name!r} has the state {twice!r} twice: states must differ.")

    @property
    def arity(self) -> int:
        """Number of states, r_i in the papers."""
        return len(self.states)

    @cached_property
    def _codes(self) -> dict[Hashable, int]:
        return {state: k for k, state in enumerate(self.states)}

    def code(self, state: Hashable) -> int:
        """Code of a state.

        Raises
        ------
        ValueError
            When the variable has no such state.
        """
        try:
            return self._codes[state]
        except KeyError:
            raise ValueError(
                f"variable {self.name!r} has no state {state!r}; its states are {shortened(self.states)}."
            ) from None


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
