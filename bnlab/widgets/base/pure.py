"""What the pure functions of widgets share: messages, effects and undo. Nothing here knows a widget or a page."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, dataclass_transform


@dataclass_transform(frozen_default=True)
class Message:
    """What has happened, or what is wanted. Each subclass is a frozen dataclass."""

    change: ClassVar[Any] = ""
    """What undo would undo, in a few words; "" for a message whose changes are not undone."""

    def __init_subclass__(cls) -> None:
        dataclass(frozen=True)(cls)


@dataclass_transform(frozen_default=True)
class Effect(ABC):
    """Work that takes time or has effects outside the state, in a thread. Each subclass is a frozen dataclass."""

    channel: ClassVar[str]
    """An effect stops the earlier ones of its channel, and begins after their end."""
    failure: ClassVar[str]
    """What has not happened if the effect fails."""

    def __init_subclass__(cls, *, channel: str, failure: str = "Not done") -> None:
        cls.channel, cls.failure = channel, failure
        dataclass(frozen=True)(cls)

    @abstractmethod
    def run(self, send: Callable[[Message], None], stopped: Callable[[], bool]) -> Message | None:
        """Do the work and return a message about it; `send` sends others before, and `stopped` asks to end early."""


class Set(Message):
    """A public field is to have a value."""

    name: str
    value: Any


class Undo(Message):
    """Go back one change, or with `redo` forward."""

    redo: bool = False


class Told(Message):
    """Something went wrong, for a widget that says so in its `status`."""

    text: str


class Failed(Message):
    """An effect has raised an error, which the page shows already."""

    effect: Any
    error: Exception


@dataclass(frozen=True)
class Stop:
    """Effect that ends what runs in a channel after its current step."""

    channel: str


@dataclass(frozen=True, kw_only=True)
class Undoable:
    """Part of a state: changes before and after now, each with its words and the values that it replaced."""

    past: tuple[tuple[str, Mapping[str, Any]], ...] = field(default=(), repr=False)
    future: tuple[tuple[str, Mapping[str, Any]], ...] = field(default=(), repr=False)


def step(update: Any, undone: Sequence[str], state: Any, message: Any) -> tuple[Any, Sequence[Any]]:
    """Next state and effects. What a message with a `change` does to the fields `undone` can be undone.

    Raises
    ------
    ValueError
        If there is nothing to undo or redo, or `update` refuses the message.
    """
    if not isinstance(message, Undo):
        new, effects = update(state, message)
        old = {name: getattr(state, name) for name in undone if getattr(new, name) is not getattr(state, name)}
        if old and message.change:
            new = replace(new, past=(*state.past, (message.change, old)), future=())
        return new, effects
    back, forth = ("future", "past") if message.redo else ("past", "future")
    if not getattr(state, back):
        raise ValueError(f"nothing to {'redo' if message.redo else 'undo'}.")
    *rest, (words, values) = getattr(state, back)
    there = (*getattr(state, forth), (words, {name: getattr(state, name) for name in values}))
    found: tuple[Any, Sequence[Any]] = update(replace(state, **values, **{back: tuple(rest), forth: there}), message)
    return found
