"""The base of all widgets: a frozen state, two pure functions, and effects.

``update(state, message)`` returns the next state and effects, ``page(state)`` what the page shows. Both are pure, and
their messages and effects are values (see pure.py). `Stateful` holds the state and does everything else.
"""

from __future__ import annotations

import atexit
import logging
import os
from abc import ABCMeta, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from contextvars import copy_context
from threading import Condition, Event, RLock, Thread, current_thread
from time import monotonic
from typing import Any, ClassVar
from weakref import WeakKeyDictionary

import ipywidgets
import traitlets

from bnlab._runtime.names import nearest
from bnlab.widgets.base.pure import Failed, Set, Stop

LOGGER = logging.getLogger(__name__)

STILL = (
    '<p style="font-size: smaller; font-style: italic">Still picture of a widget: it responds in JupyterLab, Notebook '
    "7 and Voilà while its kernel runs.</p>"
)
"""Note below the still form, which is shown without a kernel and in front ends without widgets."""

LOCK = RLock()
"""One lock for all widgets: an observer of one may set a trait of another, and two locks could wait for each other."""
if hasattr(os, "register_at_fork"):  # another thread may hold it during a fork
    os.register_at_fork(after_in_child=LOCK._at_fork_reinit)  # type: ignore[attr-defined]


WORK: WeakKeyDictionary[Thread, Event] = WeakKeyDictionary()
"""Threads of all widgets, also of closed ones, each with the event that stops it."""
LAST_STEP_S = 10.0
"""How long the end of Python waits for the current steps of this work."""


@atexit.register
def end_work() -> None:
    """Stop all work and wait for it: Python's end aborts the process if a thread is within C++ code."""
    work = list(WORK.items())
    for _, stop in work:
        stop.set()
    end = monotonic() + LAST_STEP_S
    for thread, _ in work:
        thread.join(max(0.0, end - monotonic()))


class Public(traitlets.Any):  # type: ignore[misc]
    """Trait that mirrors the field of its name. A value from outside goes through `update`, which may refuse it."""

    allow_none = False
    """Otherwise traitlets would set None without calling `validate`."""

    def validate(self, widget: Any, value: Any) -> Any:
        """Value of the field after the message `Set`."""
        name = str(self.name)
        if value is not getattr(widget.state, name):
            widget.dispatch(Set(name, value))
        return getattr(widget.state, name)


def leave_open(widget: Any) -> None:
    """The ``__del__`` of all widgets: ipywidgets holds each open widget, so that one that is collected has been closed.

    Its own ``__del__`` closes again, in whichever thread collects garbage, and would wait there for `LOCK`, which
    another thread may hold while it waits for this one.
    """


class Kind(type(ipywidgets.VBox), ABCMeta):  # type: ignore[misc]
    """Metaclass of widgets, some of whose methods a subclass must implement."""


class Stateful(ipywidgets.VBox, metaclass=Kind):  # type: ignore[misc]
    """Holds a state, runs its effects, and shows it.

    A subclass names `update`, `page` and `still`, and `public` fields, which are traits. It
    implements `_show` and `_tell`, and adds methods for code, which `dispatch` a message, or `call` one to wait for
    its effects.
    """

    update: ClassVar[Any]
    page: ClassVar[Any]
    still: ClassVar[Any]
    """``still(state)`` is the widget without a kernel, as HTML."""
    public: ClassVar[tuple[str, ...]] = ()
    __del__ = leave_open

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        for name in vars(cls).get("public", ()):
            add_trait(cls, name, Public())

    def __init__(self, state: Any, *effects: Any, **traits: Any) -> None:
        self.state, self._idle = state, Condition(LOCK)
        self._running: dict[Thread, tuple[str, Event]] = {}
        self._failures: dict[str, Exception] = {}
        super().__init__(**{name: getattr(state, name) for name in self.public}, layout={"width": "100%"}, **traits)
        self._start(effects)

    def dispatch(self, message: Any) -> None:
        """Take the next state, show it, and start its effects. If the message is refused, nothing changes."""
        with LOCK:
            if self.is_closed:
                return
            state, effects = type(self).update(self.state, message)
            shown = type(self).page(state)
            self.state = state
            try:
                with self.hold_sync(), self.hold_trait_notifications():
                    for name in self.public:
                        setattr(self, name, getattr(state, name))  # a trait notifies only of a value that differs
                    self._show(shown)
            finally:  # an observer may fail, and the state counts on its effects
                self._start(effects)

    def call(self, message: Any, *channels: str) -> None:
        """Handle a message, wait for its effects, and raise the error of one. Ctrl-C stops them.

        `channels` are those to wait for and to stop, by default all.
        """
        self._failures = {}
        self.dispatch(message)
        try:
            self.rest(*channels)
        except KeyboardInterrupt:
            for channel in channels or (None,):
                self._stop(channel)
            raise
        for channel, error in self._failures.items():
            if not channels or channel in channels:
                raise error

    def wait(self, timeout: float | None = None) -> bool:
        """Wait until nothing runs; False after `timeout` seconds, or if the work itself calls this."""
        return self.rest(timeout=timeout)

    def rest(self, *channels: str, timeout: float | None = None) -> bool:
        """Wait until nothing runs in some channels, by default in all; the result is that of `wait`."""

        def rests() -> bool:
            return not any(not channels or channel in channels for channel, _ in self._running.values())

        with LOCK:
            return current_thread() not in self._running and self._idle.wait_for(rests, timeout)

    @property
    def is_closed(self) -> bool:
        """Whether the widget is closed; one whose arguments were refused has never been open."""
        return self.comm is None

    def close(self) -> None:
        """Stop all work, and close the widget with its parts."""
        if not self.is_closed:
            self._stop()
            super().close()
            close_parts(self)

    @abstractmethod
    def _show(self, page: Mapping[str, Any]) -> None:
        """Show what the page shows."""

    @abstractmethod
    def _tell(self, what: str, error: Exception) -> None:
        """Show an error; `what` says what has not happened, "" for the answer to a message."""

    def _stop(self, channel: str | None = None) -> None:
        """Stop the effects of a channel, by default of all, after their current steps."""
        with LOCK:
            for own, stop in self._running.values():
                if channel in (None, own):
                    stop.set()

    def _start(self, effects: Sequence[Any]) -> None:
        """Run effects in threads. Each stops the earlier ones of its channel, and begins after their end."""
        for effect in effects:
            self._stop(effect.channel)
            if isinstance(effect, Stop):
                continue
            earlier = [thread for thread, (channel, _) in self._running.items() if channel == effect.channel]
            # With a copy of the context, a kernel sends the thread's output to the cell that started it.
            work = (self._run, effect, stop := Event(), earlier)
            thread = Thread(target=copy_context().run, args=work, daemon=True, name=f"bnlab {effect.channel}")
            self._running[thread] = effect.channel, stop
            WORK[thread] = stop
            thread.start()

    def _run(self, effect: Any, stop: Event, earlier: Sequence[Thread]) -> None:
        for thread in earlier:
            thread.join()
        try:
            message = effect.run(lambda message: self.handle(lambda: message), stop.is_set)
        except Exception as error:
            message = Failed(effect, error)
        if message is not None:
            self.handle(lambda: message)
        with LOCK:
            del self._running[current_thread()]
            self._idle.notify_all()

    def handle(self, make: Callable[[], Any]) -> None:
        """Handle a message for which no caller waits, and show its error."""
        with LOCK:
            try:
                self.dispatch(message := make())
            except Exception as error:
                LOGGER.info("exception in a widget", exc_info=True)
                self._tell("", error)
                return
            if isinstance(message, Failed):
                LOGGER.info("exception in the work of a widget", exc_info=message.error)
                self._failures[message.effect.channel] = message.error
                self._tell(message.effect.failure, message.error)

    def _html(self) -> str:
        """The widget without a kernel."""
        return str(type(self).still(self.state))

    def _repr_mimebundle_(self, **options: Any) -> Any:
        found = super()._repr_mimebundle_(**options) or {}
        return {**found, "text/html": f"{self._html()}{STILL}", "text/plain": repr(self)}


def close_parts(widget: Any) -> None:
    """Close the children of a widget, recursively, and its layout and style.

    ipywidgets leaves them open, which keeps them in memory.

    Examples
    --------
    >>> box = ipywidgets.VBox([ipywidgets.Button()])
    >>> close_parts(box)
    >>> box.children[0].comm, box.children[0].style.comm
    (None, None)
    """
    for child in widget.children if isinstance(widget, ipywidgets.Box) else ():
        child.close()
        close_parts(child)
    for own in ("layout", "style"):
        if widget.has_trait(own) and (part := getattr(widget, own)) is not None:
            part.close()


def add_trait(cls: Any, name: str, trait: Any) -> None:
    """Add a trait to a class that exists already."""
    setattr(cls, name, trait)
    trait.class_init(cls, name)


def error_text(error: Exception) -> str:
    """Words of an error; those of the operating system without their number.

    Examples
    --------
    >>> error_text(ValueError("there is no file")), error_text(FileNotFoundError(2, "No such file", "a.csv"))
    ('there is no file', 'a.csv: No such file.')
    """
    if isinstance(error, OSError) and error.strerror and error.filename is not None:
        return f"{os.fspath(error.filename)}: {error.strerror}."
    return str(error) or type(error).__name__


def check_known_fields(kind: str, given: Mapping[str, Any], public: Sequence[str]) -> None:
    """Raise a TypeError for a keyword that is not a public field of a widget."""
    for name, value in given.items():
        if name not in public:
            raise TypeError(f"{name}={value!r}: a {kind} has no such trait; {nearest(name, public)}")
