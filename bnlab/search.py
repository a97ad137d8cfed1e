"""The shape of every algorithm that loops: it says how to start, step and stop, and the caller owns the loop.

A state is a plain value that can be copied and stored, so pausing, resuming and replaying are the same act. A bar, a
widget, a test and a file of checkpoints are callers of `iterate`; none of them is known here.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol, TypeVar

State = TypeVar("State")
Info = TypeVar("Info", covariant=True)
Result = TypeVar("Result", covariant=True)


class Search(Protocol[State, Info, Result]):
    """An algorithm as four verbs."""

    def init(self) -> State:
        """State before the first step."""

    def step(self, state: State) -> tuple[State, Info]:
        """Next state, and what a watcher may want to know of the step; the argument is left as it was."""

    def is_done(self, state: State) -> bool:
        """Whether there is nothing left to do."""

    def result(self, state: State) -> Result:
        """What has been found so far."""


def iterate(search: Search[State, Info, Result], state: State | None = None) -> Iterator[tuple[State, Info]]:
    """Yield each state with its step's information until the search is done, from a given state if there is one."""
    current = search.init() if state is None else state
    while not search.is_done(current):
        current, info = search.step(current)
        yield current, info


def run(search: Search[State, Info, Result], state: State | None = None) -> Result:
    """Step until done and return the result, from a given state if there is one."""
    last = search.init() if state is None else state
    while not search.is_done(last):
        last, _ = search.step(last)
    return search.result(last)
