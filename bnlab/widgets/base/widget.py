"""What every widget has: a still form, errors shown in place, and nothing left behind after `close`."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import ipywidgets

LOGGER = logging.getLogger(__name__)


def close_parts(widget: Any) -> None:
    """Close what belongs to a widget: its children with all of theirs, its layout and its style.

    ipywidgets leaves them open, and so in memory.

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


@contextmanager
def errors_shown(show: Callable[[str], None], what: str = "") -> Iterator[None]:
    """Show an exception instead of raising it.

    Examples
    --------
    >>> with errors_shown(print, "Not done"):
    ...     raise ValueError("there is no file")
    Not done: there is no file
    """
    try:
        yield
    except Exception as error:
        LOGGER.warning("exception in a callback of a widget", exc_info=True)
        text = str(error) or type(error).__name__
        show(f"{what}: {text}" if what else text)


class BaseWidget(ipywidgets.DOMWidget):  # type: ignore[misc]
    """Base of `PageWidget` and `Panel`.

    An exception in a callback would end in a log that nobody reads. Here it is shown in the widget.
    """

    def still(self) -> dict[str, Any]:
        """What a notebook without a kernel shows, by mime type."""
        return {}

    def close(self) -> None:
        """Close the widget with its views, its parts and its layout."""
        super().close()
        close_parts(self)

    def _show_error(self, text: str) -> None:
        """Show an error, or with "" none."""
        raise NotImplementedError

    @contextmanager
    def _errors_shown(self, what: str = "Not done") -> Iterator[None]:
        """Show an exception in the widget; `what` says what did not happen."""
        with errors_shown(self._show_error, what):
            yield

    def _repr_mimebundle_(self, **options: Any) -> Any:
        found = super()._repr_mimebundle_(**options) or {}
        still = {**self.still(), "text/plain": repr(self)}
        return ({**found[0], **still}, found[1]) if isinstance(found, tuple) else {**found, **still}
