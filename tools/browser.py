"""Find the Chromium that the browser tests drive, or try to install one: ``python -m tools.browser``."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

from bnlab.figures.printed import BROWSERS

INSTALL_TIMEOUT = 600  # seconds; a blocked download can hang for very long
HOW = "install Chromium, on Debian: apt-get install chromium; elsewhere: python -m playwright install chromium"

FLAGS = [
    "--no-sandbox",  # Chromium refuses to start as root with one, as in most containers
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
]


def find_chromium() -> str | None:
    """Path of playwright's own Chromium or of one on the PATH; None when there is neither."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        own = playwright.chromium.executable_path
    if Path(own).exists():
        return own
    return next((path for name in BROWSERS if (path := shutil.which(name))), None)


def install_chromium() -> bool:
    """Let playwright download its Chromium; False when that did not work."""
    command = [sys.executable, "-m", "playwright", "install", "chromium"]
    try:
        return subprocess.run(command, capture_output=True, timeout=INSTALL_TIMEOUT).returncode == 0
    except subprocess.TimeoutExpired:
        return False


def main() -> None:
    """Make a browser available if that is possible; say in one line when it is not."""
    if find_chromium():
        return
    print("No Chromium found; asking playwright for one.", flush=True)
    if not install_chromium():
        print(f"No browser could be installed, so the browser tests cannot run ({HOW}).")


if __name__ == "__main__":
    main()
