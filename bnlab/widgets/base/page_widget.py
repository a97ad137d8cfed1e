"""Base of all widgets that draw themselves in the page."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import anywidget
import traitlets

from bnlab.widgets.base.widget import BaseWidget


def page_file(*names: str) -> Any:
    """Trait for ``_esm`` or ``_css``, the text of a file of `bnlab/widgets`, or of several that make up one module.

    Parts of a module share one scope: what one declares those after it use, and only the last one exports.

    Not the Path itself: anywidget would watch the file, and keep every widget in memory for that.

    Examples
    --------
    >>> page_file("graph/inspector.js").default_value.splitlines()[-1]
    'export default { render };'
    >>> page_file("graph/page/curves.js", "graph/page/view.js").default_value.count("export")
    1
    """
    texts = [(Path(__file__).parents[1] / name).read_text(encoding="utf-8") for name in names]
    return traitlets.Unicode("\n".join(texts)).tag(sync=True)


class PageWidget(BaseWidget, anywidget.AnyWidget):  # type: ignore[misc]
    """Widget with a module of its own, which shows the errors of its callbacks.

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
    """Error of the last message or change that came from the page; "" for none."""

    def set_state(self, sync_data: dict[str, Any]) -> None:
        """Take what the page has set, or refuse all of it."""
        with self._errors_shown():
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
        with self._errors_shown():
            for callback in list(self._msg_callbacks.callbacks):
                callback(self, content, buffers)

    @contextmanager
    def _errors_shown(self, what: str = "Not done") -> Iterator[None]:
        """Show an exception, or that there is none any more."""
        self._failure = ""
        with super()._errors_shown(what):
            yield
        if self._failure != self.problem:
            self.problem = self._failure

    def _show_error(self, text: str) -> None:
        self._failure = text
