"""Files of the page's side of a widget."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import traitlets


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
