"""Take the pictures of the widgets in JupyterLab: ``python -m tools.screenshots [name ...]``.

Writes ``docs/_static/NAME.png`` and, in the dark theme, ``docs/_static/NAME_dark.png``.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from playwright.sync_api import sync_playwright

from tools.browser import FLAGS, HOW, find_chromium
from tools.lab import jupyterlab

FOLDER = Path("docs/_static")
RESULTS = Path("notebooks/results").resolve()
SETTLED = 2500  # milliseconds until everything has been drawn at its final width
CELLS = {
    "network_graph": """\
import bnlab
from bnlab.widgets import NetworkGraph
net = bnlab.load_network("asia")
graph = NetworkGraph(net, data=net.sample(10_000, seed=1), bars=True)
graph.observe_state("xray", "yes")
graph.selected_node = "lung"
graph""",
    "score_panel": """\
import bnlab
from bnlab.widgets import ScorePanel
net = bnlab.load_network("asia")
data = net.sample(1000, seed=4)
learned = {f"learned at ess {e}": bnlab.learn(data, "hill-climbing", score="bdeu", ess=e) for e in (1, 10, 100)}
ScorePanel(data, {"true network": net, **learned, "no edges": []})""",
    "search_player": """\
import bnlab
from bnlab.learners import paper_search
from bnlab.widgets import SearchPlayer
net = bnlab.load_network("simple")
phi = bnlab.scores.local_scores(net.sample(100_000, seed=0), "k2")
player = SearchPlayer(paper_search(phi, phi.n, seed=0), truth=net)
player.play()
player.wait()
player""",
    "edge_explorer": """\
from bnlab.papers import EdgeExplorer
explorer = EdgeExplorer("Child", 500, algorithm="mmpc")
explorer.edge = ["Disease", "CO2"]
explorer""",
    "workbench": """\
from sklearn.datasets import load_iris
from bnlab.widgets import Workbench
iris = load_iris(as_frame=True).frame.rename(columns={"target": "species"})
iris["species"] = load_iris().target_names[iris["species"]]
bench = Workbench(iris)
bench.set_role("species", "target")
bench.learn()
bench.bootstrap()
bench.wait()
bench""",
    "experiment_board": f"""\
from bnlab.papers import ExperimentBoard
board = ExperimentBoard("carvalho2007", {str(RESULTS / "carvalho2007")!r})
board.selected = ["vote", "C2G"]
board.wait(120)
board""",
}


def main(names: Sequence[str]) -> int:
    """Write the pictures of these names, or all."""
    chromium = find_chromium()
    if chromium is None:
        print(f"the pictures are taken by Chromium, and there is none here: {HOW}")
        return 1
    FOLDER.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder, jupyterlab(Path(folder)) as lab, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=FLAGS)
        page = browser.new_page(viewport={"width": 1500, "height": 3000}, device_scale_factor=1.25)
        for name in names or CELLS:
            notebook = lab.run(page, f"{name}.ipynb", [CELLS[name]])
            failure = notebook.output(0).locator('[data-mime-type="application/vnd.jupyter.error"]')
            if failure.count():
                raise RuntimeError(f"the cell of {name!r} failed:\n{failure.first.inner_text()}")
            for theme, file in (("light", f"{name}.png"), ("dark", f"{name}_dark.png")):
                notebook.theme(theme)
                page.wait_for_timeout(SETTLED)
                notebook.output(0).locator(".jp-OutputArea-output").first.screenshot(path=FOLDER / file)
        browser.close()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
