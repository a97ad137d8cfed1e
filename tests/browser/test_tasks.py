"""No task of the page takes long: processor time of its main thread, which a busy machine does not make longer."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
from playwright.sync_api import Page, expect

from bnlab.data import Variable
from bnlab.graphs import Dag
from bnlab.networks import BayesianNetwork
from bnlab.widgets import GraphView, NetworkGraph
from tests.browser.shown import Shown

MOST = 100_000
"""Microseconds of the longest task."""
TRIES = 3
KINDS = ["toplevel", "devtools.timeline", "disabled-by-default-devtools.timeline"]
CLICK = "() => document.querySelector('.bn-node').dispatchEvent(new MouseEvent('click', { bubbles: true }))"
ZOOM = """async () => {
  const svg = document.querySelector(".bn-view");
  svg.focus();
  for (let i = 0; i < 24; i++) {
    const [clientX, clientY, deltaY] = [300, 300, i < 12 ? -100 : 100];
    svg.dispatchEvent(new WheelEvent("wheel", { bubbles: true, cancelable: true, clientX, clientY, deltaY }));
    await new Promise(requestAnimationFrame);
  }
}"""


def pedigree(n: int) -> Dag:
    """Graph of n nodes, as large and as sparse as the network of a pedigree."""
    rng = np.random.default_rng(0)
    parents = [
        set(rng.integers(max(0, i - 120), i, rng.integers(1, 3)).tolist()) if i > 40 else set() for i in range(n)
    ]
    return Dag([f"person_{i}" for i in range(n)], parents)


def longest(page: Page, act: Callable[[], object]) -> float:
    """Processor time of the longest task of the page, without the messages of the test itself, in microseconds."""
    browser = page.context.browser
    assert browser is not None
    browser.start_tracing(page=page, categories=KINDS)
    act()
    page.wait_for_timeout(400)
    events = json.loads(browser.stop_tracing())["traceEvents"]
    main = {
        (e["pid"], e["tid"]) for e in events if e["name"] == "thread_name" and e["args"]["name"] == "CrRendererMain"
    }
    timed = [e for e in events if e.get("ph") == "X" and "tdur" in e and (e["pid"], e["tid"]) in main]
    ours = [e for e in timed if e["name"] == "Receive mojo message"]

    def lengths() -> Iterator[float]:
        for task in (e for e in timed if e["name"] == "RunTask"):
            end = task["ts"] + task["dur"]
            inside = (e["tdur"] for e in ours if task["ts"] <= e["ts"] and e["ts"] + e["dur"] <= end)
            yield task["tdur"] - sum(inside)

    found = [*lengths()]
    assert found
    return max(found)


def test_no_task_is_long_when_a_graph_is_opened_clicked_and_zoomed(page: Page) -> None:
    view = GraphView.from_graph(pedigree(724), height=620)
    # The best of some tries: other programs share caches and cores.
    opened, clicked, zoomed = [], [], []
    for _ in range(TRIES):
        opened.append(longest(page, lambda: Shown(page, view)))
        clicked.append(longest(page, lambda: page.evaluate(CLICK)))
        zoomed.append(longest(page, lambda: page.evaluate(ZOOM)))
        if max(min(opened), min(clicked), min(zoomed)) < MOST:
            break
    assert (min(opened) < MOST, min(clicked) < MOST, min(zoomed) < MOST) == (True, True, True), (
        opened,
        clicked,
        zoomed,
    )


def test_no_task_of_a_saved_page_is_long(page: Page, tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    parents = [set(rng.integers(max(0, i - 4), i, 2).tolist()) if i else set() for i in range(223)]
    dag = Dag([f"node_{i}" for i in range(223)], parents)
    tables = [rng.dirichlet((1, 1), (2,) * len(own)) for own in dag.parents]
    net = BayesianNetwork(dag, [Variable(name, ("no", "yes")) for name in dag.names], tables)
    NetworkGraph(net).save_html(tmp_path / "net.html")
    bars = page.locator(".bn-bar")

    def show() -> None:
        page.goto((tmp_path / "net.html").as_uri())
        page.locator(".bn-node").first.wait_for()
        page.get_by_role("button", name="View", exact=True).click()

    def change(n: int) -> None:
        page.get_by_role("button", name="Probabilities").dispatch_event("click")
        expect(bars).to_have_count(n)

    acts: list[Callable[[], object]] = [
        show,
        lambda: change(446),
        lambda: bars.nth(5).dispatch_event("click"),
        lambda: change(0),
    ]
    for _ in range(TRIES):
        found = [longest(page, act) for act in acts]
        if max(found) < MOST:
            break
    assert max(found) < MOST, found
