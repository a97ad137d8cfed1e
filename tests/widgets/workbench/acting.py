"""What the tests of the workbench do to its page, and what they read of it."""

from __future__ import annotations

from typing import Any

from bnlab.widgets import Workbench


def press(workbench: Workbench, part: Any, name: str, value: Any = True) -> None:
    """Do what the page does when a control is used, and wait for what comes of it."""
    part._handle_custom_msg({"type": "control", "id": name, "value": value}, [])
    assert workbench.wait(60)


def send(workbench: Workbench, name: str, content: bytes, piece: int = 2**20) -> None:
    """Do what the page does when a file is uploaded in pieces of so many bytes, and wait for what comes of it."""
    for at in range(0, max(len(content), 1), piece):
        told = {"type": "file", "id": "upload", "name": name, "first": at == 0, "last": at + piece >= len(content)}
        workbench.forms["data"]._handle_custom_msg(told, [memoryview(content[at : at + piece])])
    assert workbench.wait(60)


def controls(part: Any) -> dict[str, dict[str, Any]]:
    """Controls of a form that are shown, by name."""
    return {known["id"]: known for line in part.lines for known in line}
