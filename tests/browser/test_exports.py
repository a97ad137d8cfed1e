"""What can be saved with the mouse in JupyterLab, and that the files are what they say, wherever they are opened."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from xml.etree import ElementTree

import networkx as nx
import pytest
from playwright.sync_api import Browser, Locator, Page, expect
from pypdf import PdfReader

import bnlab
from bnlab.analysis import Recipe, Study
from bnlab.graphs import Dag
from tests.browser.shown import EMPTY_WORKBENCH, choose
from tools.lab import Lab

HOSTILE = "<img src=x onerror=alert(1)>"
SECOND = '"); drop'
LONG = 60_000
PNG = b"\x89PNG\r\n\x1a\n"


@pytest.fixture
def offline(browser: Browser) -> Iterator[Callable[[Path], Page]]:
    """Open a file in a browser without a network; nothing may go wrong in it, and it may ask for nothing."""
    context = browser.new_context(offline=True, viewport={"width": 1000, "height": 1200})
    wrong: list[str] = []

    def opened(path: Path) -> Page:
        page = context.new_page()
        own = path.as_uri()
        page.on("console", lambda message: wrong.append(message.text) if message.type == "error" else None)
        page.on("pageerror", lambda error: wrong.append(str(error)))
        page.on("dialog", lambda dialog: (wrong.append(f"dialog {dialog.message}"), dialog.dismiss()))
        allowed = (own, "data:", "blob:")
        page.on("request", lambda asked: None if asked.url.startswith(allowed) else wrong.append(asked.url))
        page.goto(own)
        page.wait_for_timeout(300)
        return page

    yield opened
    context.close()
    assert not wrong


def downloaded(page: Page, act: Callable[[], object], folder: Path) -> Path:
    """File that the browser saves when something is done."""
    with page.expect_download(timeout=LONG) as waiting:
        act()
    path = folder / waiting.value.suggested_filename
    waiting.value.save_as(path)
    return path


def write_patients(path: Path) -> None:
    frame = bnlab.load_network("cancer").sample(1000, seed=1).to_pandas().astype(str)
    frame["Xray"] = frame["Xray"].replace({"positive": HOSTILE})
    frame.rename(columns={"Smoker": HOSTILE, "Pollution": SECOND}).to_csv(path, index=False)


def learn_two(shown: Locator) -> None:
    shown.get_by_role("button", name="Learn network").click()
    expect(shown.get_by_role("radio", name="Exact search, BIC")).to_be_checked(timeout=LONG)
    shown.get_by_role("tab", name="Learn").click()
    shown.get_by_label("Learner").select_option(label="Chow-Liu tree")
    shown.get_by_role("button", name="Learn", exact=True).click()
    expect(shown.get_by_role("radio", name="Chow-Liu tree")).to_be_checked(timeout=LONG)
    shown.get_by_role("tab", name="Export").click()


def test_what_was_learned_is_downloaded_and_needs_nothing_else(
    lab: Lab,
    page: Page,
    console: list[str],
    offline: Callable[[Path], Page],
    tmp_path: Path,
) -> None:
    write_patients(lab.root / "people.csv")
    notebook = lab.run(page, "reports.ipynb", [EMPTY_WORKBENCH])
    shown = notebook.output(0)
    shown.get_by_label("or path").fill("people.csv")
    shown.get_by_role("button", name="Load", exact=True).click()
    expect(shown.get_by_text("people.csv: 1,000 rows, 5 columns").first).to_be_visible(timeout=LONG)
    learn_two(shown)
    shown.get_by_label("File name").fill("kept")
    shown.get_by_label("File name").press("Tab")
    session, report, again, printed, alone = (
        downloaded(page, shown.get_by_role("button", name=f"Download {kind}").click, tmp_path)
        for kind in ("session", "report", "notebook", "PDF", "network page")
    )
    assert (session.name, report.name) == ("kept.study.json", "kept.html")
    edges = notebook.python("[list(dag.edges) for dag in workbench.networks.values()]")
    assert [list(dag.edges) for dag in Study.read(session.name, session.read_bytes()).graphs.values()] == edges

    assert "Chow-Liu tree" in PdfReader(printed).pages[0].extract_text()
    network = offline(alone)
    bar = network.locator(".bn-bar").first
    bar.dispatch_event("click")
    expect(network.get_by_role("status").filter(has_text="Given")).to_be_visible()
    read = offline(report)
    expect(read.get_by_text("Chow-Liu tree").first).to_be_visible()
    expect(read.get_by_text(HOSTILE, exact=True).first).to_be_visible()
    assert read.locator("script, [onerror], img[src='x']").count() == 0
    pictures = read.locator("img")
    assert pictures.count() >= 2
    assert pictures.evaluate_all("(all) => all.every((one) => one.naturalWidth > 100 && one.alt)")

    (lab.root / again.name).write_bytes(again.read_bytes())
    notebook = lab.open(page, again.name)
    notebook.run_all_cells(timeout=180)
    failed = page.locator(".jp-OutputArea-output[data-mime-type='application/vnd.jupyter.error']")
    expect(failed).to_have_count(0)
    assert notebook.python("[list(dag.edges) for dag in networks.values()]") == edges


def test_names_in_an_exported_notebook_are_text_for_jupyterlab(lab: Lab, page: Page, console: list[str]) -> None:
    names = [
        HOSTILE, "$x^2$", r"\(x\) \\(y\\)", rf"\({HOSTILE}\)", rf"\begin{{align}}{HOSTILE}\end{{align}}",
        r"$\href{javascript:alert(1)}{a}$", "[a](javascript:alert(1)) www.example.org", "`# a`",
        "![a](https://example.org/a.png)", "a\n\n# b",
    ]  # fmt: skip
    study = Study("people.csv")
    for name in names:
        study = study.with_result(name, Recipe("chow-liu"), Dag.empty(["a", "b"]), stopped=True)
    (lab.root / "names.ipynb").write_text(json.dumps(study.notebook("$y$")), encoding="utf-8")
    lab.open(page, "names.ipynb")
    rendered = page.locator(".jp-MarkdownOutput:visible")
    last = rendered.filter(has=page.get_by_text(repr(names[-1]), exact=True)).last
    last.scroll_into_view_if_needed(timeout=LONG)
    page.wait_for_timeout(1000)
    assert page.locator(".jp-MarkdownOutput :is(mjx-container, img, script, li)").count() == 0
    assert page.locator(".jp-MarkdownOutput a:not(.jp-InternalAnchorLink)").count() == 0
    shown = page.locator(".jp-MarkdownOutput code").all_inner_texts()
    assert shown[0] == "$y$"
    # JupyterLab takes one of several backslashes away, in code too.
    assert set(map(with_single_backslashes, map(repr, names))) <= set(map(with_single_backslashes, shown))


def with_single_backslashes(text: str) -> str:
    return re.sub(r"\\+", r"\\", text)


def test_a_graph_is_saved_in_every_form(
    lab: Lab, page: Page, console: list[str], offline: Callable[[Path], Page], tmp_path: Path
) -> None:
    source = f"""\
import bnlab
from bnlab.widgets import NetworkGraph
net = bnlab.load_network("asia")
names = {{"asia": {HOSTILE!r}, "dysp": {SECOND!r}}}
dag = bnlab.Dag([names.get(name, name) for name in net.names], net.dag.parents)
variables = [bnlab.data.Variable(name, v.states) for name, v in zip(dag.names, net.variables)]
graph = NetworkGraph(bnlab.networks.BayesianNetwork(dag, variables, net.cpts))
graph"""
    notebook = lab.run(page, "saved.ipynb", [source])
    shown = notebook.output(0)
    edges = [tuple(edge) for edge in notebook.python("list(dag.edges)")]

    bif = downloaded(page, lambda: choose(shown, "Export", "BIF: network with probabilities"), tmp_path)
    net = bnlab.load_network(bif)
    assert net.dag.edges == tuple(edges)
    assert net.n_parameters == bnlab.load_network("asia").n_parameters

    graphml = nx.read_graphml(downloaded(page, lambda: choose(shown, "Export", "GraphML"), tmp_path))
    assert sorted(graphml.edges) == sorted(edges)

    code = downloaded(page, lambda: choose(shown, "Export", "Python code"), tmp_path).read_text(encoding="utf-8")
    made: dict[str, object] = {}
    exec(code, made)
    assert Dag.from_edges(net.names, edges) in made.values()

    svg = downloaded(page, lambda: choose(shown, "Export", "SVG"), tmp_path)
    texts = {"".join(text.itertext()) for text in ElementTree.parse(svg).iter("{http://www.w3.org/2000/svg}text")}
    assert {"smoke", SECOND} <= texts
    picture = offline(svg)
    assert picture.evaluate("() => document.documentElement.getBoundingClientRect().width") > 100
    png = downloaded(page, lambda: choose(shown, "Export", "PNG"), tmp_path)
    assert png.read_bytes().startswith(PNG)
    assert png.stat().st_size > 10_000
    assert notebook.python("graph.view.problem") == ""
