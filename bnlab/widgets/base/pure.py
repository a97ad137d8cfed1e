"""What the pure functions of widgets share: messages and effects. Nothing here knows a widget or a page."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar, dataclass_transform


@dataclass_transform(frozen_default=True)
class Message:
    """What has happened, or what is wanted. Each subclass is a frozen dataclass."""

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
