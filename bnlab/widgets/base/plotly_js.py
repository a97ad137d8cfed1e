"""plotly.js for the charts of a page, which gets it once from the kernel."""

from __future__ import annotations

import gzip
from functools import cache
from html import unescape
from pathlib import Path
from typing import Any


@cache
def plotly_js() -> bytes:
    """plotly.js of the plotly package, compressed by gzip."""
    import plotly

    return gzip.compress((Path(plotly.__file__).parent / "package_data" / "plotly.min.js").read_bytes(), 6)


def title_of(figure: dict[str, Any]) -> str:
    """Title of a figure as plain text; "" for none.

    Examples
    --------
    >>> title_of({"layout": {"title": {"text": "Ham &amp; eggs"}}})
    'Ham & eggs'
    """
    title = figure.get("layout", {}).get("title", "")
    return unescape(str(title.get("text", "") if isinstance(title, dict) else title))
