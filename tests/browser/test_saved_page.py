"""A graph that was saved as one HTML file, opened from the disk: no Python answers its page."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from bnlab.data import Variable
from bnlab.graphs import Dag
from bnlab.networks import BayesianNetwork, load_network, what_matters
from bnlab.widgets import NetworkGraph
from bnlab.widgets.base.modules import text_of
from bnlab.widgets.graph.saved import TOO_LARGE, join_tree
from bnlab.widgets.graph.session import GraphSession
from tests.browser.audit import nameless_controls
from tests.browser.shown import FRAME, box_of, choose, drag, node_of
from tests.browser.test_axe import OF_COLOURS, violations
from tests.hostile_names import NAMES
from tests.widgets.graph.test_saved import too_large

INFER = """async ([source, tree, asked]) => {
  const { JoinTree } = await import(URL.createObjectURL(new Blob([source], { type: "text/javascript" })));
  const made = new JoinTree(tree);
  return asked.map(([evidence, set]) => {
    const found = made.posterior(new Map(evidence), new Set(set));
    return found && { log: found.log, marginals: found.marginals.map((all) => [...all]) };
  });
}"""


Opened = Callable[..., NetworkGraph]


@pytest.fixture
def opened(page: Page, console: list[str], tmp_path: Path) -> Opened:
    """Save a graph, and open its file; arguments as for `NetworkGraph`."""

    def go(graph: Any, *arguments: Any, title: str = "Network", **traits: Any) -> NetworkGraph:
        widget = NetworkGraph(graph, *arguments, **traits)
        widget.save_html(tmp_path / "net.html", title)
        page.goto((tmp_path / "net.html").as_uri())
        page.locator(".bn-node").first.wait_for()
        return widget

    return go


def bar(page: Page, name: str, state: str) -> Locator:
    return node_of(page, name).locator(".bn-bar").filter(has=page.get_by_text(state, exact=True))


def settle(page: Page) -> None:
    page.evaluate(FRAME)


def drawn(page: Page) -> dict[str, list[float]]:
    """Probabilities of the states of all nodes by the tooltips of their bars, which have three digits."""
    settle(page)
    titles = page.locator(".bn-node").evaluate_all(
        "(all) => all.map((one) => [one.querySelector('.bn-name').textContent.replace(/^do /, ''), "
        "[...one.querySelectorAll('.bn-bar > title')].map((title) => title.textContent)])"
    )
    return {
        name: [float(re.search(r": ([\d.e+-]+)(?= \(|$)", text)[1]) for text in texts]  # type: ignore[index]
        for name, texts in titles
    }


def matches(page: Page, net: BayesianNetwork, evidence: Any = None, do: Any = None) -> None:
    expected = net.posterior(evidence or {}, do=do).marginals
    found = drawn(page)
    assert found.keys() == expected.keys()
    for name, shares in expected.items():
        assert found[name] == pytest.approx(shares, rel=0.006, abs=1e-12), name


def inferred(page: Page, net: BayesianNetwork, asked: list[Any]) -> list[Any]:
    tree = join_tree(GraphSession(net))
    assert tree is not None
    page.set_content("<!doctype html>")
    found: list[Any] = page.evaluate(INFER, [text_of("widgets/graph/page/inference.js"), tree, asked])
    return found


def likelihoods_of(net: BayesianNetwork, evidence: dict[str, Any]) -> list[Any]:
    """States and likelihoods as the page's inference takes them."""
    found = []
    for name, finding in evidence.items():
        i = net.names.index(name)
        likelihoods = finding if isinstance(finding, dict) else {finding: 1.0}
        found.append([i, [likelihoods.get(state, 0.0) for state in net.variables[i].states]])
    return found


def agrees(found: Any, net: BayesianNetwork, evidence: dict[str, Any], do: dict[str, Any] | None = None) -> None:
    expected = net.posterior(evidence, do=do)
    assert found["log"] == pytest.approx(expected.log_probability, abs=1e-9)
    for shares, name in zip(found["marginals"], net.names, strict=True):
        assert shares == pytest.approx(expected.marginals[name], abs=1e-9), name


def test_the_page_computes_what_python_computes_on_alarm(page: Page) -> None:
    net, rng = load_network("alarm"), np.random.default_rng(1)
    rows = net.sample(12, seed=2).to_pandas()
    cases: list[tuple[dict[str, Any], dict[str, Any]]] = [({}, {})]
    for k, row in enumerate(rows.to_dict("records")):
        seen = rng.choice(net.names, size=3 + 2 * k, replace=False).tolist()
        cases.append(({name: row[name] for name in seen[1:]}, {seen[0]: row[seen[0]]} if k % 3 == 0 else {}))
    states = {v.name: v.states for v in net.variables}
    cases.append(({"BP": {s: 0.2 + k for k, s in enumerate(states["BP"])}, "HR": states["HR"][0]}, {}))
    cases.append(({}, {"HR": states["HR"][0], "CVP": states["CVP"][1]}))
    asked = [
        [likelihoods_of(net, evidence) + likelihoods_of(net, do), [net.names.index(name) for name in do]]
        for evidence, do in cases
    ]
    for found, (evidence, do) in zip(inferred(page, net, asked), cases, strict=True):
        agrees(found, net, evidence, do or None)


def test_no_product_leaves_the_range_of_numbers_and_constants_are_no_node_of_a_clique(page: Page) -> None:
    """A class with 1,500 children, a node of one state, and a node on its own."""
    names = ["class", *(f"x{i}" for i in range(1500)), "constant", "alone"]
    dag = Dag(names, [(), *[(0,)] * 1501, ()])
    pair = np.array([[0.1, 0.9], [0.3, 0.7]])
    tables = [np.array([0.5, 0.5]), *[pair] * 1500, np.ones((2, 1)), np.array([0.25, 0.75])]
    states = [("a", "b")] * 1501 + [("only",), ("a", "b")]
    net = BayesianNetwork(dag, [Variable(n, s) for n, s in zip(names, states, strict=True)], tables)
    # Likelihoods 0.1 / 0.3 and 0.9 / 0.7 that nearly cancel out.
    evidence = {f"x{i}": "a" if i < 279 else "b" for i in range(1500)}
    found = inferred(page, net, [[[], []], [likelihoods_of(net, evidence), []]])
    agrees(found[0], net, {})
    log = 279 * np.log([0.1, 0.3]) + 1221 * np.log([0.9, 0.7])
    first = 1 / (1 + np.exp(log[1] - log[0]))
    assert found[1]["marginals"][0] == pytest.approx([first, 1 - first], abs=1e-9)
    assert found[1]["log"] == pytest.approx(np.logaddexp(*log) + np.log(0.5), abs=1e-9)


def test_a_click_on_a_bar_is_evidence_and_the_right_button_sets(
    opened: Opened, page: Page, screenshot: Callable[[str], Path]
) -> None:
    net = load_network("asia")
    opened(net, net.sample(500, seed=1), title="What the x-ray says")
    expect(page.get_by_role("heading", name="What the x-ray says")).to_be_visible()
    matches(page, net)
    bar(page, "xray", "yes").click()
    expect(page.get_by_role("status")).to_have_text("Given xray = yes (probability 0.1103).")
    matches(page, net, {"xray": "yes"})
    bar(page, "smoke", "no").click(button="right")
    expect(page.get_by_role("status")).to_contain_text("after do(smoke = no)")
    matches(page, net, {"xray": "yes"}, {"smoke": "no"})
    node_of(page, "lung").locator(".bn-name").click(force=True)
    expect(page.get_by_role("heading", name="lung")).to_be_visible()
    screenshot("saved_page")
    # The details have the same numbers, and the table as in Python.
    shown = net.posterior({"xray": "yes"}, do={"smoke": "no"}).marginals["lung"]
    rows = page.locator("button.bnlab-state .bnlab-number:nth-child(3)").all_text_contents()
    assert rows == [f"{100 * p:.1f} %" for p in shown]
    assert page.locator(".bnlab-heat").all_text_contents() == ["10.0", "90.0", "1.0", "99.0"]
    page.get_by_role("button", name="Set no").click()
    matches(page, net, {"xray": "yes"}, {"smoke": "no", "lung": "no"})
    page.get_by_role("button", name="Clear evidence").click()
    matches(page, net)
    expect(page.get_by_role("status")).to_have_text("No evidence.")


def test_a_dragged_bar_gets_its_likelihood(opened: Opened, page: Page) -> None:
    net = load_network("asia")
    widget = opened(net)
    box = box_of(bar(page, "bronc", "yes").locator(".bn-row"))
    y = box["y"] + box["height"] / 2
    drag(page, (box["x"] + 20, y), (box["x"] + 0.8 * box["width"], y))
    words = page.get_by_role("status")
    expect(words).to_contain_text("Given bronc with the likelihoods yes: 1, no: ")
    at = next(p for p in drawn(page)["bronc"])
    assert at == pytest.approx(0.8, abs=0.02)
    # As the widget answers the same message.
    widget.view._handle_custom_msg({"type": "weigh", "node": "bronc", "state": 0, "p": at}, [])
    matches(page, net, widget.evidence)
    expect(words).to_have_text(widget.status)


def test_evidence_that_is_impossible_is_refused(opened: Opened, page: Page) -> None:
    net = load_network("asia")
    opened(net)
    bar(page, "lung", "yes").click()
    bar(page, "either", "no").click()
    expect(page.get_by_role("status")).to_have_text("Not done: these observations have probability 0 together.")
    matches(page, net, {"lung": "yes"})


def test_the_keyboard_alone_selects_observes_and_walks_the_edges(opened: Opened, page: Page) -> None:
    net = load_network("asia")
    opened(net, net.sample(500, seed=1))
    page.get_by_role("searchbox").focus()
    page.keyboard.type("tub")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="tub")).to_be_visible()
    node_of(page, "tub").focus()
    page.keyboard.press("1")
    matches(page, net, {"tub": "yes"})
    page.keyboard.press("e")
    expect(page.get_by_role("heading", name=re.compile("^(asia → tub|tub → either)$"))).to_be_visible()
    expect(page.get_by_text("Mutual information")).to_be_visible()
    for key in ("r", "a", "Delete", "Control+z"):  # nothing can be edited
        page.keyboard.press(key)
    settle(page)
    assert page.locator(".bn-edge").count() == 8
    page.keyboard.press("Escape")
    expect(page.get_by_role("heading", name="tub")).to_be_hidden()


def test_the_view_menu_draws_bars_and_neighbourhoods(opened: Opened, page: Page) -> None:
    net = load_network("alarm")
    opened(net, evidence={"HR": "HIGH"})
    assert page.locator(".bn-bar").count() == 0
    choose(page, "View", "Probabilities")
    expect(page.locator(".bn-bar")).to_have_count(sum(net.arities))
    matches(page, net, {"HR": "HIGH"})
    page.keyboard.press("Escape")
    node_of(page, "CATECHOL").focus()
    page.keyboard.press("f")
    around = {"CATECHOL", *net.dag.parents_of("CATECHOL"), *net.dag.children_of("CATECHOL")}
    expect(page.locator(".bn-node")).to_have_count(len(around))
    assert {*drawn(page)} == around
    choose(page, "View", "Neighbourhood only")
    expect(page.locator(".bn-node")).to_have_count(37)


def test_a_module_of_a_large_network_is_drawn_alone(opened: Opened, page: Page) -> None:
    stars = [[f"{letter}{i}" for i in range(55)] for letter in "ab"]
    edges = [(star[0], other) for star in stars for other in star[1:]]
    opened(Dag.from_edges([name for star in stars for name in star], [*edges, ("a0", "b0")]))
    page.get_by_role("button", name="View", exact=True).click()
    module = page.get_by_label("Module")
    module.select_option("b0 and 54 more")
    expect(page.locator(".bn-node")).to_have_count(56)
    expect(module.locator("option:checked")).to_have_text("b0 and 54 more")
    module.select_option("all")
    expect(page.locator(".bn-node")).to_have_count(110)


def test_what_matters_follows_the_evidence(opened: Opened, page: Page) -> None:
    net = load_network("asia")
    opened(net, selected_node="lung")
    page.get_by_role("tab", name="What matters").click()
    table = page.get_by_role("region", name="What matters")

    def agrees(evidence: Any, do: Any = None) -> None:
        frame = what_matters(net.do(do) if do else net, "lung", evidence).drop(index=list(do or {}))
        rows = table.locator("tbody tr").all()
        assert {row.locator("th").inner_text() for row in rows} == {*frame.index}
        for row in rows:
            expected = frame.loc[row.locator("th").inner_text()]
            assert (row.locator("b").count() == 1) == expected["blanket"]
            found = [float(text.removesuffix("%")) for text in row.locator("td").all_text_contents()]
            assert found == pytest.approx([100 * expected[name] for name in ("share", "change", "accuracy")], abs=0.051)
            nats = row.locator("td").first.get_attribute("title") or ""
            assert float(nats.removesuffix(" nats")) == pytest.approx(expected["information"], rel=0.005, abs=1e-12)

    agrees({})
    bar(page, "dysp", "yes").click()
    agrees({"dysp": "yes"})
    bar(page, "either", "yes").click(button="right")
    agrees({"dysp": "yes"}, {"either": "yes"})
    bar(page, "lung", "no").click()
    words = page.get_by_text("lung is observed or set: nothing is left to learn about it.")
    expect(words).to_be_visible()
    for tab, count in (("Details", 0), ("What matters", 1)):
        page.get_by_role("tab", name=tab).click()
        expect(words).to_have_count(count)
    page.get_by_role("tab", name="What matters").press("ArrowLeft")
    expect(page.get_by_role("tab", name="Details")).to_be_focused()
    expect(words).to_have_count(0)


def test_an_empty_network_is_a_page_too(page: Page, console: list[str], tmp_path: Path) -> None:
    NetworkGraph().save_html(tmp_path / "net.html")
    page.goto((tmp_path / "net.html").as_uri())
    expect(page.get_by_role("status")).to_contain_text("0 nodes")


def test_a_picture_is_saved_from_the_page(opened: Opened, page: Page) -> None:
    opened(load_network("asia"))
    for name, begins in (("SVG", b"<svg"), ("PNG", b"\x89PNG")):
        with page.expect_download() as waiting:
            choose(page, "Export", name)
        assert Path(waiting.value.path()).read_bytes().startswith(begins)


def test_probabilities_of_a_large_network_stay_as_they_were(opened: Opened, page: Page) -> None:
    opened(too_large(), bars=True)
    expect(page.get_by_role("status")).to_contain_text(TOO_LARGE)
    before = drawn(page)["ab"]
    node_of(page, "ab").focus()
    page.keyboard.press("1")
    page.keyboard.press("Enter")
    expect(page.get_by_role("region", name="Selection").get_by_text(TOO_LARGE)).to_be_visible()
    assert drawn(page)["ab"] == before
    expect(page.get_by_role("button", name="Set 0")).to_have_count(0)


def test_every_name_is_text(opened: Opened, page: Page, no_dialogs: None) -> None:
    names = [name for name in NAMES.values() if name]
    dag = Dag(names, [(i - 1,) if i % 8 else () for i in range(len(names))])
    tables = [np.array([[0.25, 0.75], [0.5, 0.5]]) if i % 8 else np.array([0.5, 0.5]) for i in range(len(names))]
    net = BayesianNetwork(dag, [Variable(name, (name, "other")) for name in names], tables)
    opened(net, bars=True, title=NAMES["script"])
    assert page.title() == NAMES["script"]
    for name in ("__proto__", "constructor", NAMES["tag"]):
        page.get_by_role("searchbox").fill(name)
        page.keyboard.press("Enter")
        expect(page.locator(".bnlab-inspector h3")).to_have_text(name)
        page.locator(".bnlab-state[aria-pressed]").first.click()
        expect(page.locator(".bnlab-state[aria-pressed=true]")).to_have_count(1)
        expect(page.get_by_role("status")).to_contain_text(f"{name} = {name}")
    assert page.locator("[onerror], main script, iframe, a").count() == 0


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 600])
def test_readers_of_every_kind_find_their_way(opened: Opened, page: Page, theme: Any, width: int) -> None:
    page.emulate_media(color_scheme=theme)
    page.set_viewport_size({"width": width, "height": 900})
    net = load_network("asia")
    opened(net, net.sample(500, seed=1), truth=net, evidence={"xray": "yes"}, selected_node="lung")
    settle(page)
    assert not violations(page, "body", OF_COLOURS if theme == "dark" else ())
    assert not nameless_controls(page, page.locator("body"))
    assert page.evaluate("() => document.documentElement.scrollWidth <= innerWidth")
    if width > 1000:
        assert page.evaluate("() => document.documentElement.scrollHeight <= innerHeight")
    ground = page.locator("body").evaluate("(body) => getComputedStyle(body).backgroundColor")
    assert (max(map(int, re.findall(r"\d+", ground)[:3])) < 80) == (theme == "dark")
    page.emulate_media(color_scheme="light")


def test_without_scripts_there_is_a_still_picture(browser: Browser, tmp_path: Path) -> None:
    NetworkGraph(load_network("asia")).save_html(tmp_path / "net.html")
    with browser.new_context(java_script_enabled=False) as context:
        page = context.new_page()
        page.goto((tmp_path / "net.html").as_uri())
        picture = page.locator("noscript img")
        expect(picture).to_be_visible()
        assert "lung: yes 6%" in str(picture.get_attribute("alt"))
