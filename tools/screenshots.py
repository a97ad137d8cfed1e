"""Take the README's picture in a real JupyterLab: ``python -m tools.screenshots`` writes docs/score_panel.png."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from playwright.sync_api import sync_playwright

from tools.browser import FLAGS, HOW, find_chromium
from tools.lab import jupyterlab

PANEL = """\
import bnlab
from bnlab.widgets import ScorePanel
net = bnlab.load_network("asia")
data = net.sample(500, seed=4)
learned = {score: bnlab.learn(data, "branching", score=score) for score in ("ll", "k2")}
ScorePanel(data, {"true network": net, "best tree, LL": learned["ll"], "best tree, K2": learned["k2"]})"""
SETTLED = 2000  # milliseconds until the charts have been drawn at their final width


def main() -> int:
    """Write the picture."""
    chromium = find_chromium()
    if chromium is None:
        print(f"the picture is taken by Chromium, and there is none here: {HOW}")
        return 1
    target = Path("docs/score_panel.png")
    target.parent.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder, jupyterlab(Path(folder)) as lab, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=FLAGS)
        page = browser.new_page(viewport={"width": 1500, "height": 1100}, device_scale_factor=1.25)
        notebook = lab.open(page, lab.write("panel.ipynb", [PANEL]))
        notebook.run_all_cells()
        page.wait_for_timeout(SETTLED)
        notebook.output(0).locator(".jp-OutputArea-output").first.screenshot(path=target)
        browser.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
