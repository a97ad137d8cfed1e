"""What all widgets with a drawing of their own in the page have in common."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import anywidget
import traitlets

from bnlab.widgets.base.closing import close_parts


class PageWidget(anywidget.AnyWidget):  # type: ignore[misc]
    """Widget that has a still form, tells of its problems, and of which nothing stays when it is closed.

    What the page sets or sends calls whoever observes or listens. An exception there would end in a log that nobody
    reads; here it stands in the widget, and everything goes on.

    Examples
    --------
    >>> class Word(PageWidget):
    ...     def still(self):
    ...         return {"text/html": "<b>word</b>"}
    >>> bundle, _ = Word()._repr_mimebundle_()
    >>> bundle["text/html"]
    '<b>word</b>'
    """

    problem = traitlets.Unicode().tag(sync=True)
    """What went wrong when the page set or sent something last, in words; "" when nothing did."""

    def still(self) -> dict[str, Any]:
        """What a notebook without a kernel shows, by mime type."""
        return {}

    def close(self) -> None:
        """Close the widget, its views and its layout."""
        super().close()
        close_parts(self)

    def set_state(self, sync_data: dict[str, Any]) -> None:
        """Take what the page has set, or refuse all of it."""
        with self._in_words():
            try:
                self._check(sync_data)
            except Exception:
                self.send_state([name for name in sync_data if name in self.keys])
                raise
            super().set_state(sync_data)

    def _check(self, sync_data: dict[str, Any]) -> None:
        """Validate beforehand: `set_state` takes back what a validator refuses only if that raises a TraitError."""
        for name in self.keys:
            if name in sync_data:
                trait = self.traits()[name]
                read = trait.metadata.get("from_json", self._trait_from_json)
                trait._validate(self, read(sync_data[name], self))

    def _handle_custom_msg(self, content: Any, buffers: Any) -> None:
        with self._in_words():
            for callback in list(self._msg_callbacks.callbacks):
                callback(self, content, buffers)

    @contextmanager
    def _in_words(self) -> Iterator[None]:
        words = ""
        try:
            yield
        except Exception as error:
            words = f"Not done: {error or type(error).__name__}"
            self.log.warning("exception in a callback of %s", type(self).__name__, exc_info=True)
        if words != self.problem:
            self.problem = words

    def _repr_mimebundle_(self, **options: Any) -> Any:
        bundle, metadata = super()._repr_mimebundle_(**options) or ({}, {})
        return {**bundle, **self.still(), "text/plain": repr(self)}, metadata
