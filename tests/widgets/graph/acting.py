"""What the tests of the network graph do to it: messages to its state, and what its page sends."""

from __future__ import annotations

from typing import Any

from bnlab.widgets import NetworkGraph
from bnlab.widgets.graph.state import State
from bnlab.widgets.graph.update import update


def after(state: State, *messages: Any) -> State:
    """State after messages without effects."""
    for message in messages:
        state, effects = update(state, message)
        assert not effects
    return state


def ask(widget: NetworkGraph, **content: Any) -> None:
    """Send a message as the picture does."""
    widget.view._handle_custom_msg(content, [])


def press(widget: NetworkGraph, id: str, value: Any = True) -> None:
    """Send a message as a control does."""
    ask(widget, type="control", id=id, value=value)


def control(widget: NetworkGraph, id: str) -> Any:
    """Control above the picture; None if there is none."""
    controls = [control for part in widget.view.toolbar.values() for control in part]
    return next((control for control in controls if control["id"] == id), None)
