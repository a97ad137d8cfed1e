"""What every widget has: a still form, errors shown in place, and nothing left behind after `close`."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import ipywidgets

from bnlab.widgets.base.closing import close_parts


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
        try:
            yield
        except Exception as error:
            self.log.warning("exception in a callback of %s", type(self).__name__, exc_info=True)
            self._show_error(f"{what}: {error or type(error).__name__}")

    def _repr_mimebundle_(self, **options: Any) -> Any:
        found = super()._repr_mimebundle_(**options) or {}
        still = {**self.still(), "text/plain": repr(self)}
        return ({**found[0], **still}, found[1]) if isinstance(found, tuple) else {**found, **still}
