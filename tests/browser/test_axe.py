"""axe-core finds no serious violation of WCAG in any widget, in JupyterLab's light and dark theme."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

import bnlab
from bnlab import widgets
from tools.lab import Lab

RECORDS = Path(__file__).parents[2] / "notebooks" / "results" / "matuszak2012"
SERIOUS = {"serious", "critical"}
SET_UP = """\
import shutil
import bnlab
from bnlab.papers import ChenPanel, EdgeExplorer, ExperimentBoard
from bnlab.widgets import *
net = bnlab.load_network("asia")
table = net.sample(2000, seed=1)"""
WIDGETS = {
    "NetworkGraph": """\
widget = NetworkGraph(net, table, truth=net, show_knowledge=True)
widget.evidence = {"xray": "yes"}
widget.matters = widget.edit_tables = True
widget.selected_node = "lung"
widget""",
    "NetworkGraph of nothing": "NetworkGraph()",
    "NetworkGraph that is drawn": """\
widget = NetworkGraph()
for name in ("flu", "cold", "fever"):
    widget.add_variable(name)
widget.edit("add", "flu", "fever")
widget.selected_node = "fever"
widget""",
    "NetworkGraph of an edge": """\
widget = NetworkGraph(bnlab.load_network("hailfinder"))
widget.selected_edge = ("Date", "Scenario")
widget""",
    "NetworkGraph of many nodes": """\
import numpy as np
names, rng = [f"v{i}" for i in range(80)], np.random.default_rng(1)
widget = NetworkGraph(bnlab.Dag(names, [[int(rng.integers(0, i))] if i else [] for i in range(80)]))
widget""",
    "GraphView": "GraphView.from_graph(net, strengths={edge: 0.5 for edge in net.dag.edges}, editable=True)",
    "SearchPlayer": """\
player = SearchPlayer(table, "hill-climbing", score="bic", truth=net)
player.play()
player.wait()
player""",
    "ScorePanel": "ScorePanel(table, {'true': net, 'empty': []})",
    "ExperimentBoard": f"""\
shutil.copytree({str(RECORDS)!r}, "records", dirs_exist_ok=True)
ExperimentBoard("matuszak2012", "records")""",
    "ChenPanel": 'ChenPanel("simple", beta=0.01)',
    "EdgeExplorer": """\
explorer = EdgeExplorer("Child", 500, algorithm="mmpc")
explorer.edge = ["Age", "ChestXray"]
explorer""",
    "ConvergencePlot": """\
from bnlab.search import Trace
trace = Trace()
trace.run(bnlab.learners.make_search(table, "hill-climbing"))
ConvergencePlot({"climb": trace}, truth=bnlab.score(net, table))""",
    "PolicyMap": """\
policies = PolicyMap(net.names)
policies.show(np.full((8, 8), 0.125))
policies""",
    "PlotlyView": "PlotlyView({'data': [{'y': [1, 3, 2]}], 'layout': {'title': {'text': 'Three points'}}})",
}
WORKBENCH = """\
import numpy as np
bench = Workbench(table.to_pandas().assign(age=np.linspace(20, 80, 2000)))
bench.recode("smoke", {"yes": "smoker"})
bench.knowledge = bnlab.Knowledge([("smoke", "lung")], [("xray", "dysp")], [["age", "smoke"], ["lung"]])
bench.learn("hill-climbing")
bench"""
STEPS = ("Data", "Variables", "Knowledge", "Learn", "Compare", "Trust", "Export")


OF_COLOURS = ["color-contrast", "link-in-text-block"]
"""Rules that a theme can break; what breaks another one is found in either."""


def violations(page: Page, where: str = ".jp-OutputArea-output", rules: Sequence[str] = ()) -> list[str]:
    """Serious violations in some elements of all rules, or of those named: rule, what it says, and the elements."""
    options = {"resultTypes": ["violations"], **({"runOnly": list(rules)} if rules else {})}
    found: dict[str, Any] = Axe().run(page, where, options).response
    return [
        f"{one['id']} ({one['impact']}): {one['help']}: {node['html'][:160]}"
        for one in found["violations"]
        if one["impact"] in SERIOUS
        for node in one["nodes"]
    ]


def test_every_widget_is_looked_at() -> None:
    looked_at = {name.partition(" ")[0] for name in WIDGETS} | {"Workbench"}
    ours = {name for name in widgets.__all__ if name[0].isupper()}
    assert looked_at == ours | {"ChenPanel", "EdgeExplorer", "ExperimentBoard"}


def test_axe_finds_a_control_without_a_name_and_a_faint_text(page: Page) -> None:
    page.set_content("<main><button></button><p style='color: #aaa'>faint</p></main>")
    assert [found.split(":")[0] for found in violations(page, "main")] == [
        "button-name (critical)",
        "color-contrast (serious)",
    ]
    assert [found.split(":")[0] for found in violations(page, "main", OF_COLOURS)] == ["color-contrast (serious)"]


@pytest.mark.slow
def test_no_widget_has_a_serious_violation(lab: Lab, page: Page) -> None:
    notebook = lab.run(page, "axe.ipynb", [SET_UP, *WIDGETS.values()], timeout=240)
    outputs = {name: notebook.output(1 + i) for i, name in enumerate(WIDGETS)}
    for shown in outputs.values():
        expect(shown.locator(".bn-view, .js-plotly-plot, .bnlab-form").first).to_be_visible(timeout=60_000)
    large = outputs["NetworkGraph of many nodes"]
    for _ in range(6):
        large.get_by_role("button", name="Zoom in").click()
    expect(large.locator(".bn-map")).to_be_visible()
    for theme in ("light", "dark"):
        notebook.theme(theme)
        menu = large.get_by_role("button", name="View", exact=True)
        menu.focus()
        page.wait_for_timeout(500)  # scrolling closes an open menu
        if menu.get_attribute("aria-expanded") != "true":
            menu.press("Enter")
        expect(large.locator(".bnlab-menu").first).to_be_visible()
        assert not violations(page, rules=OF_COLOURS if theme == "dark" else ()), theme


@pytest.mark.slow
def test_no_step_of_the_workbench_has_a_serious_violation(lab: Lab, page: Page) -> None:
    notebook = lab.run(page, "steps.ipynb", [SET_UP, WORKBENCH], timeout=240)
    shown = notebook.output(1)
    for theme in ("light", "dark"):
        notebook.theme(theme)
        for step in STEPS:
            tab = shown.get_by_role("tab", name=step)
            tab.click()
            expect(tab).to_have_attribute("aria-selected", "true")
            page.wait_for_timeout(200)
            assert not violations(page, rules=OF_COLOURS if theme == "dark" else ()), (theme, step)


def test_no_report_has_a_serious_violation(page: Page, tmp_path: Path) -> None:
    bench = widgets.Workbench(bnlab.load_network("asia").sample(300, seed=1))
    for algorithm in ("chow-liu", "hill-climbing"):
        bench.learn(algorithm)
    bench.bootstrap(replicates=5)
    bench.export_report(tmp_path / "report.html")
    bench.close()
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
        page.goto((tmp_path / "report.html").as_uri())
        expect(page.get_by_role("heading", level=1)).to_be_visible()
        page.wait_for_timeout(300)
        assert not violations(page, "body", OF_COLOURS if scheme == "dark" else ()), scheme
    page.emulate_media(color_scheme="light")
