"""Pages of HTML as PDF or PNG files, printed by a browser."""

from __future__ import annotations

import shutil
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserType

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
"""Names of browsers on the PATH."""
CHANNELS = ("chrome", "msedge")
"""Browsers that playwright finds where they are installed."""
KINDS = (".pdf", ".png")
WIDTH = 1000
"""Width of a picture, in pixels of CSS; it has twice as many."""
NO_PLAYWRIGHT = "writing a report as PDF or PNG needs playwright: pip install 'bnlab[pdf]', or write it as .html."
NO_BROWSER = (
    "writing a report as PDF or PNG needs Chromium, Chrome or Edge: python -m playwright install chromium, or write it "
    "as .html and print that from any browser."
)


def printed(html: str, kind: str) -> bytes:
    """Print a page.

    Parameters
    ----------
    html : str
        Self-contained page. Its scripts do not run, and it can fetch nothing.
    kind : str
        ".pdf", on paper of the size that the page names, or ".png", as one picture.

    Raises
    ------
    ImportError
        If playwright is not installed.
    OSError
        If no browser is.
    """
    try:
        import playwright  # noqa: F401
    except ImportError:
        raise ImportError(NO_PLAYWRIGHT) from None
    # The calls of playwright refuse a thread that runs an event loop, as that of a notebook does.
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(_printed, html, kind).result()


def _printed(html: str, kind: str) -> bytes:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as running:
        browser = _launched(running.chromium)
        try:
            view = {"width": WIDTH, "height": WIDTH}
            context = browser.new_context(java_script_enabled=False, offline=True, viewport=view, device_scale_factor=2)
            page = context.new_page()
            page.set_content(html)
            if kind == ".pdf":
                return bytes(page.pdf(prefer_css_page_size=True, print_background=True, tagged=True, outline=True))
            return bytes(page.screenshot(full_page=True))
        finally:
            browser.close()


def _launched(chromium: BrowserType) -> Browser:
    """The first browser that starts: playwright's own, one on the PATH, or one that is installed."""
    from playwright.sync_api import Error

    paths = [path for name in BROWSERS if (path := shutil.which(name))]
    ways: list[dict[str, Any]] = [{}, *({"executable_path": path} for path in paths)]
    for way in [*ways, *({"channel": name} for name in CHANNELS)]:
        try:
            return chromium.launch(**way)
        except Error:
            continue
    raise OSError(NO_BROWSER)
