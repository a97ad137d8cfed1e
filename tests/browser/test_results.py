"""The results of a workbench in a real JupyterLab: networks and edges linked to their pictures, and their speed."""

from __future__ import annotations

from playwright.sync_api import Page, expect

from tests.browser.shown import RECORD_MOVES, node_of
from tools.lab import Lab

RESULTS = """import bnlab
workbench = bnlab.Workbench(bnlab.load_network("asia").sample(2000, seed=1).to_pandas())
workbench.learn("chow-liu", name="tree")
workbench.learn("hill-climbing", name="climbed")
workbench.bootstrap(replicates=5)
workbench.wait()
workbench"""


def test_networks_and_edges_are_linked_to_their_pictures(lab: Lab, page: Page) -> None:
    notebook = lab.run(page, "results.ipynb", [RESULTS], wide=True)
    shown = notebook.output(0)
    networks, edges = shown.get_by_role("table", name="Networks"), shown.get_by_role("table", name="Edges")
    expect(networks.get_by_role("row", name="climbed")).to_contain_text("nats")
    expect(networks.get_by_role("radio", name="climbed")).to_be_checked()
    expect(shown.locator(".bn-label").filter(has_text="%").first).to_be_visible()

    head = edges.get_by_role("columnheader", name="p-value")
    head.get_by_role("button").click()
    expect(head).to_have_attribute("aria-sort", "ascending")
    head.get_by_role("button").press("Enter")
    expect(head).to_have_attribute("aria-sort", "descending")
    expect(head.get_by_role("button")).to_be_focused()

    edges.get_by_role("radio", name="bronc → dysp").check()
    expect(shown.get_by_role("heading", name="bronc → dysp")).to_be_visible()
    other = shown.locator(".bn-edge").filter(has=page.locator("title", has_text="either → dysp")).first
    other.locator(".bn-hit").dispatch_event("click")
    expect(edges.get_by_role("radio", name="either → dysp")).to_be_checked()
    expect(networks.get_by_role("radio", name="climbed")).to_be_checked()

    shown.get_by_role("button", name="Forbid").click()
    expect(shown.get_by_role("button", name="Learn again")).to_be_visible()
    expect(shown.get_by_text("knowledge: 1 edge")).to_be_visible()

    node_of(shown, "smoke").locator(".bn-bar").first.click()
    expect(shown.locator(".bn-set")).to_have_count(1)
    shown.locator(".bn-view").evaluate("(picture) => { picture.dataset.same = 'yes'; }")
    page.emulate_media(reduced_motion="no-preference")
    page.evaluate(RECORD_MOVES)
    networks.get_by_role("radio", name="tree").check()
    expect(shown.locator(".bn-edge").filter(has=page.locator("title", has_text="asia – lung"))).to_have_count(1)
    assert "bn-edge" in page.evaluate("() => moves"), "edges that differ fade in or out"
    page.emulate_media(reduced_motion="reduce")
    expect(shown.locator(".bn-view[data-same]")).to_have_count(1)
    expect(shown.locator(".bn-set")).to_have_count(1)

    shown.get_by_label("Compare with").select_option(label="climbed")
    shown.get_by_role("button", name="Side by side").click()
    pictures = shown.locator(".bn-graph")
    expect(pictures).to_have_count(2)
    expect(shown.locator(".bn-set")).to_have_count(2)
    node_of(pictures.nth(1), "xray").locator(".bn-bar").first.click()
    expect(shown.locator(".bn-set")).to_have_count(4)
    node_of(pictures.nth(0), "dysp").hover()
    expect(pictures.nth(1).locator(".bn-node.bn-hovered")).to_contain_text("dysp")
    worlds = [picture.locator(".bn-scene > g") for picture in pictures.all()]
    for picture, button in ((0, "Zoom in"), (1, "Zoom in"), (0, "Fit")):
        before = [world.get_attribute("transform") for world in worlds]
        pictures.nth(picture).get_by_role("button", name=button).click()
        for world, old in zip(worlds, before, strict=True):
            expect(world).not_to_have_attribute("transform", old or "")
        scales = [(world.get_attribute("transform") or "").split("scale")[1] for world in worlds]
        assert scales[0] == scales[1]
    while notebook.python("workbench.graph.view.camera") is not None:  # saved a moment later
        page.wait_for_timeout(50)
    for theme in ("light", "dark"):
        notebook.theme(theme)
        still = shown.locator(".bnlab-html img").first
        expect(still).to_have_css("filter", "none" if theme == "light" else "invert(0.88) hue-rotate(180deg)")

    shown.get_by_text("Structural Hamming distance").scroll_into_view_if_needed()
    expect(shown.get_by_text("knowledge: 1 edge")).to_be_in_viewport()
    expect(shown.get_by_role("tab", name="Compare")).to_be_in_viewport()
    networks.get_by_role("radio", name="climbed").check()
    shown.get_by_role("button", name="Learn again").click()
    expect(networks.get_by_role("radio", name="Hill climbing, BIC")).to_be_checked(timeout=60_000)
    page.set_viewport_size({"width": 900, "height": 600})
    shown.get_by_role("group", name="Findings").get_by_role("button", name="direction").click()
    expect(shown.locator(".bnlab-place-directions"), "it is scrolled into view").to_be_in_viewport(ratio=0.3)
    assert ("either", "dysp") not in notebook.python("workbench.networks['Hill climbing, BIC'].edges")
