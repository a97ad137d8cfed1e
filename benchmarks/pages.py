"""How soon a network answers in a real JupyterLab: ``python -m benchmarks.pages [--repeats 12]`` prints a table.

A time begins with the reader's act in the page and ends when the answer has been painted there, the way to the kernel
and back included. Of a gesture (drag, hover, zoom) the times between its frames are told.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from statistics import median

from playwright.sync_api import Page, sync_playwright

from tools.browser import FLAGS, HOW, find_chromium
from tools.lab import Lab, LabNotebook, jupyterlab

STEPS = 60  # moves of the mouse in a gesture
SETTLED = 500  # milliseconds after which nothing of the act before is under way

CLOCK = """
globalThis.painted = (act, done) => new Promise((resolve, reject) => {
  const begun = performance.now();
  act();
  const look = () => {
    const now = performance.now() - begun;
    if (done()) requestAnimationFrame(() => setTimeout(() => resolve(performance.now() - begun)));
    else if (now > 30000) reject(new Error("no answer in 30 s"));
    else setTimeout(look, 1);
  };
  look();
});
globalThis.press = (element) => {
  const { left, top, width, height } = element.getBoundingClientRect();
  const at = { bubbles: true, clientX: left + width / 2, clientY: top + height / 2, pointerId: 1, button: 0 };
  element.dispatchEvent(new PointerEvent("pointerdown", at));
  element.dispatchEvent(new PointerEvent("pointerup", at));
  element.dispatchEvent(new MouseEvent("click", at));
};
globalThis.frames = () => {
  const times = [];
  let running = true;
  const note = (time) => { times.push(time); if (running) requestAnimationFrame(note); };
  requestAnimationFrame(note);
  return () => { running = false; return times.slice(1).map((time, i) => time - times[i]); };
};
globalThis.nodeOf = (name) =>
  [...document.querySelectorAll(".bn-node")].find((g) => g.querySelector("title").textContent.split(":")[0] === name);
"""
CLICK = """(name) => painted(
  () => press(nodeOf(name).querySelector(".bn-name")),
  () => document.querySelector(".bnlab-detail h3")?.textContent === name)"""
EDIT = """(action) => {
  const before = document.querySelector(".bnlab-overall").textContent;
  return painted(
    () => [...document.querySelectorAll(".bnlab-detail [data-key]")].find((b) => b.textContent === action).click(),
    () => document.querySelector(".bnlab-overall").textContent !== before);
}"""
DRAW = """(cell) => {
  window.jupyterapp.shell.currentWidget.content.activeCellIndex = cell;
  return painted(
    () => window.jupyterapp.commands.execute("notebook:run-cell"),
    () => document.querySelectorAll(".bn-node").length === 37 * cell);
}"""
NETWORK = """\
import bnlab
from benchmarks.random_networks import random_network
from bnlab.widgets import NetworkGraph
net = random_network({nodes}, 3, max_parents={parents})"""
GRAPH = "data = net.sample({rows}, seed=1)\ngraph = NetworkGraph(net, data)\ngraph"


def told(times: Sequence[float]) -> str:
    """Median and worst of some times in milliseconds."""
    return f"{median(times):.0f} ms | {max(times):.0f} ms | {len(times)}"


def opened(lab: Lab, page: Page, name: str, cells: Sequence[str], *, run: bool = True) -> LabNotebook:
    """A notebook with these cells, run, in a kernel of its own."""
    notebook = lab.open(page, lab.write(f"{name}.ipynb", cells))
    if run:
        notebook.run_all_cells(timeout=600)
        page.wait_for_selector(".bn-node")
    page.evaluate(CLOCK)
    page.wait_for_timeout(4 * SETTLED)
    return notebook


def clicks(page: Page, repeats: int) -> Iterator[float]:
    """From the click on a node to its panel."""
    for i in range(repeats):
        yield page.evaluate(CLICK, f"v{4 * i + 1}")
        page.wait_for_timeout(SETTLED)


def edits(notebook: LabNotebook, repeats: int) -> Iterator[float]:
    """From Delete or Reverse of an edge to the new scores of the graph."""
    edges = notebook.python("[e for e in graph.graph.edges if len(graph.graph.parents_of(e[1])) > 1]")
    for edge in edges[:: max(1, len(edges) // repeats)][:repeats]:
        notebook.python(f"graph.set_trait('selected_edge', {edge!r})")
        notebook.page.wait_for_selector(".bnlab-detail [data-key^=delete]")
        notebook.page.wait_for_timeout(SETTLED)
        yield notebook.page.evaluate(EDIT, "Delete")
        notebook.page.wait_for_timeout(SETTLED)


def drawings(lab: Lab, page: Page, repeats: int) -> Iterator[tuple[float, float]]:
    """From running the cell to ALARM, in a kernel that has only imported bnlab, and once more in the next cell."""
    cell = "from bnlab.widgets import NetworkGraph\nNetworkGraph(bnlab.load_network('alarm'))"
    for i in range(repeats):
        notebook = opened(lab, page, f"alarm{i}", ["import bnlab", cell, cell], run=False)
        notebook.python("__import__('bnlab') and None")
        page.evaluate("() => window.jupyterapp.commands.execute('notebook:run-cell')")
        page.wait_for_timeout(3 * SETTLED)
        first = page.evaluate(DRAW, 1)
        page.wait_for_timeout(3 * SETTLED)
        yield first, page.evaluate(DRAW, 2)


def gesture(page: Page, moves: Callable[[int], None]) -> list[float]:
    """Times between the frames while the mouse does something."""
    page.evaluate("() => { globalThis.ended = frames(); }")
    for i in range(STEPS):
        moves(i)
    return [float(time) for time in page.evaluate("() => ended()")]


def gestures(page: Page) -> Iterator[tuple[str, list[float]]]:
    """Frames of a drag, of the mouse going over the picture, and of zooming."""
    picture = page.locator(".bn-svg").bounding_box()
    node = page.locator(".bn-node .bn-shape").nth(20).bounding_box()
    if picture is None or node is None:
        raise RuntimeError("the page shows no graph")
    x, y = node["x"] + node["width"] / 2, node["y"] + node["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    yield "drag", gesture(page, lambda i: page.mouse.move(x + 2 * i, y + i))
    page.mouse.up()
    page.wait_for_timeout(SETTLED)
    left, top, width, height = (picture[key] for key in ("x", "y", "width", "height"))
    ways = [(left + width * i / STEPS, top + height * (0.3 + 0.06 * (i % 7))) for i in range(STEPS)]
    yield "hover", gesture(page, lambda i: page.mouse.move(*ways[i]))
    page.mouse.click(left + 5, top + height - 5)
    page.mouse.move(left + width / 2, top + height / 2)
    yield "zoom", gesture(page, lambda i: page.mouse.wheel(0, -60 if i < STEPS // 2 else 60))


def main() -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=12)
    repeats: int = parser.parse_args().repeats
    chromium = find_chromium()
    if chromium is None:
        print(f"the pages are shown by Chromium, and there is none here: {HOW}")
        return 1
    print("| act | median | worst | of |\n| --- | ---: | ---: | ---: |")
    with tempfile.TemporaryDirectory() as folder, jupyterlab(Path(folder)) as lab, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=FLAGS)
        page = browser.new_page(viewport={"width": 1300, "height": 1600}, reduced_motion="reduce")
        fifty = [NETWORK.format(nodes=50, parents=3), GRAPH.format(rows=100_000)]
        notebook = opened(lab, page, "fifty", fifty)
        print(f"| click on a node of 50 | {told(list(clicks(page, repeats)))} |", flush=True)
        print(f"| edit at 100,000 rows, 50 nodes | {told(list(edits(notebook, repeats)))} |", flush=True)
        first, later = zip(*drawings(lab, page, repeats), strict=True)
        print(f"| drawing of ALARM, the first in a kernel | {told(first)} |")
        print(f"| drawing of ALARM, the next | {told(later)} |", flush=True)
        for nodes in (200, 1000):
            opened(lab, page, f"nodes{nodes}", [NETWORK.format(nodes=nodes, parents=2), GRAPH.format(rows=1000)])
            for name, times in gestures(page):
                print(f"| {nodes} nodes, frames of a {name} | {told(times)} |", flush=True)
        browser.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
