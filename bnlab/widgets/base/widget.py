"""Base of the parts of widgets: a still form, errors shown in the widget, and a `close` that closes all parts."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import anywidget
import traitlets

from bnlab.widgets.base.core import STILL, close_parts, error_text, leave_open
from bnlab.widgets.base.modules import LOADER

LOGGER = logging.getLogger(__name__)


class PageWidget(anywidget.AnyWidget):  # type: ignore[misc]
    """Widget with a JavaScript module, which shows the errors of its callbacks.

    Examples
    --------
    >>> class Word(PageWidget):
    ...     def still(self):
    ...         return {"text/html": "<b>word</b>"}
    >>> bundle, _ = Word()._repr_mimebundle_()
    >>> bundle["text/html"].startswith("<b>word</b>")
    True
    """

    _esm = traitlets.Unicode(LOADER).tag(sync=True)

    __del__ = leave_open

    problem = traitlets.Unicode().tag(sync=True)
    """Error of the last message or change from the page; "" for none."""

    def still(self) -> dict[str, Any]:
        """Content for a notebook without a kernel, by mime type."""
        return {}

    def close(self) -> None:
        """Close the widget with its views, its parts and its layout."""
        super().close()
        close_parts(self)

    def offer(self, name: str, content: str | bytes, mime: str) -> None:
        """Make the page save a file, if its module can."""
        file = {"type": "file", "name": name, "mime": mime}
        if isinstance(content, str):
            self.send({**file, "text": content})
        else:
            self.send({**file, "text": ""}, [content])

    def set_state(self, sync_data: dict[str, Any]) -> None:
        """Apply the changes of the page, or refuse all of them."""
        with self.errors_shown():
            try:
                self._check(sync_data)
            except Exception:
                self.send_state([name for name in sync_data if name in self.keys])
                raise
            super().set_state(sync_data)

    def _check(self, sync_data: dict[str, Any]) -> None:
        """Validate before `set_state`, which reverts a refused value only if the validator raises a TraitError."""
        for name in self.keys:
            if name in sync_data:
                trait = self.traits()[name]
                read = trait.metadata.get("from_json", self._trait_from_json)
                trait._validate(self, read(sync_data[name], self))

    def _handle_custom_msg(self, content: Any, buffers: Any) -> None:
        with self.errors_shown():
            for callback in list(self._msg_callbacks.callbacks):
                callback(self, content, buffers)

    @contextmanager
    def errors_shown(self) -> Iterator[None]:
        """Show an exception instead of raising it, or clear the last one."""
        self._failure = ""  # of the widget, because a method of a subclass calls this around one that does
        try:
            yield
        except Exception as error:
            LOGGER.info("exception in a callback of a widget", exc_info=True)
            self._failure = f"Not done: {error_text(error)}"
        if self._failure != self.problem:
            self.problem = self._failure

    def _repr_mimebundle_(self, **options: Any) -> Any:
        found = super()._repr_mimebundle_(**options) or {}
        still = {**self.still(), "text/plain": repr(self)}
        if "text/html" in still:
            still["text/html"] += STILL
        return ({**found[0], **still}, found[1]) if isinstance(found, tuple) else {**found, **still}
