"""Values of all steps of editing, with undo and redo."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Generic, Self, TypeVar

T = TypeVar("T")


@dataclass(frozen=True)
class History(Generic[T]):
    """Values of all steps, descriptions of the changes, and the current position; an immutable value.

    Examples
    --------
    >>> history = History.begin(1).step(2, "add 1").step(4, "double")
    >>> history.now, history.last, history.undo().now, history.undo().next
    (4, 'double', 2, 'double')
    >>> history.undo().redo() == history
    True
    """

    values: tuple[T, ...]
    steps: tuple[str, ...] = ()
    position: int = 0

    @classmethod
    def begin(cls, value: T) -> Self:
        """History of a value without changes."""
        return cls((value,))

    @property
    def now(self) -> T:
        """Current value."""
        return self.values[self.position]

    @property
    def start(self) -> T:
        """Value at the start of editing."""
        return self.values[0]

    @property
    def before(self) -> T:
        """Value before the last change; the current value if there was none."""
        return self.values[max(self.position - 1, 0)]

    @property
    def last(self) -> str:
        """Last change; empty if there was none."""
        return self.steps[self.position - 1] if self.position else ""

    @property
    def next(self) -> str:
        """Change that redo would make; empty if there is none."""
        return self.steps[self.position] if self.position < len(self.steps) else ""

    def step(self, value: T, words: str) -> Self:
        """Add a value as the next step; undone steps can no longer be redone."""
        at = self.position
        return replace(self, values=(*self.values[: at + 1], value), steps=(*self.steps[:at], words), position=at + 1)

    def undo(self) -> Self:
        """Go back one step; ValueError if there is nothing to undo."""
        if self.position == 0:
            raise ValueError("nothing to undo: this is where editing began.")
        return replace(self, position=self.position - 1)

    def redo(self) -> Self:
        """Go forward one step; ValueError if there is nothing to redo."""
        if self.position == len(self.steps):
            raise ValueError("nothing to redo: no step has been undone.")
        return replace(self, position=self.position + 1)
