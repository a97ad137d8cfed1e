"""Files of the page's side of a widget."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import traitlets


def page_file(name: str) -> Any:
    """Trait for ``_esm`` or ``_css``, the text of a file in this folder.

    Not the Path itself: anywidget would watch the file for every widget, and for that keep each one alive for ever.

    Examples
    --------
    >>> page_file("node_inspector.js").default_value.splitlines()[-1]
    'export default { render };'
    """
    return traitlets.Unicode((Path(__file__).parent / name).read_text(encoding="utf-8")).tag(sync=True)
