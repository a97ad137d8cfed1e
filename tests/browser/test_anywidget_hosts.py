"""Widgets in a page that hosts them as VS Code, Colab and marimo do: anywidget's rules, and no Jupyter around them.

The host draws in a shadow tree, as marimo does, under a policy that allows scripts from blobs alone, which anywidget
itself needs, and fetches nothing. What a widget needs beyond its model and its element would be missed here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

import bnlab
from bnlab.networks import asia
from bnlab.widgets import GraphView, NetworkGraph, Workbench
from tests.browser.shown import FRAME, MODEL, drag, middle_of, node_of, state_of

POLICY = (
    "default-src 'none'; script-src 'nonce-host' blob:; style-src 'unsafe-inline'; img-src data: blob:; font-src data:"
)
PAGE = f"""<!doctype html><meta http-equiv="Content-Security-Policy" content="{POLICY}">
<body><div id=cell></div><script nonce=host>{MODEL}
// Loaders of other module systems, which must not be looked for.
globalThis.looked = [];
for (const name of ["require", "requirejs", "define", "IPython", "Jupyter"])
  Object.defineProperty(globalThis, name, {{ get: () => void looked.push(name) }});
addEventListener("securitypolicyviolation", (event) => looked.push(`refused ${{event.violatedDirective}}`));
globalThis.host = async (source, css, state) => {{
  const shadow = document.querySelector("#cell").attachShadow({{ mode: "open" }});
  const [style, el] = ["style", "div"].map((tag) => document.createElement(tag));
  style.textContent = css;
  shadow.append(style, el);
  const note = (changes) => changes.forEach((one) => looked.push(`changed ${{one.target.nodeName}}`));
  new MutationObserver(note).observe(document, {{ attributes: true, childList: true, subtree: true }});
  await start(source, state, el);
}};
</script>"""


@pytest.fixture
def host(page: Page) -> Iterator[Callable[[Any], None]]:
    """Draw a widget; at the end, it must have used nothing beyond its model and its element."""

    def draw(widget: Any) -> None:
        page.set_content(PAGE)
        given = [widget._esm, widget._css, state_of(widget)]
        page.evaluate("([source, css, state]) => host(source, css, state)", given)
        page.evaluate(FRAME)

    yield draw
    page.evaluate(FRAME)
    assert page.evaluate("() => [...new Set(looked)]") == []
    page.evaluate("() => stop()")
    assert page.evaluate("() => model.listeners()") == 0


def test_a_graph_is_drawn_dragged_and_selected(host: Callable[[Any], None], page: Page) -> None:
    host(GraphView.from_graph(asia(), editable=True))
    expect(page.locator(".bn-node")).to_have_count(8)
    assert page.locator(".bn-shape").first.evaluate("(shape) => getComputedStyle(shape).fill") != "rgb(0, 0, 0)"
    smoke, tub = node_of(page, "smoke"), node_of(page, "tub")
    smoke.click()
    assert page.evaluate("() => model.state.selected") == ["smoke"]
    smoke.hover()
    page.mouse.wheel(0, -100)  # the picture has the focus, so it zooms
    page.wait_for_function("() => model.state.camera")
    grip = tub.locator(".bn-grip")
    tub.hover()
    drag(page, middle_of(grip), middle_of(smoke.locator(".bn-shape")))
    page.evaluate(FRAME)
    edits = page.evaluate("() => model.sent.filter((message) => message.type === 'edit')")
    assert [(edit["action"], edit["u"], edit["v"]) for edit in edits] == [("add", "tub", "smoke")]


def test_details_of_a_node_are_drawn_and_a_state_is_observed(host: Callable[[Any], None], page: Page) -> None:
    widget = NetworkGraph(asia())
    widget.selected_node = "lung"
    host(widget.inspector)
    page.get_by_role("button", name="yes").first.click()
    assert page.evaluate("() => model.sent.map((message) => message.type)") == ["evidence"]
    widget.close()


def test_a_field_keeps_the_focus_and_the_text_when_its_form_is_drawn_again(
    host: Callable[[Any], None], page: Page, tmp_path: Path
) -> None:
    asia().sample(100, seed=1).to_pandas().to_csv(tmp_path / "a.csv", index=False)
    workbench = Workbench(tmp_path / "a.csv")
    form = workbench.forms["learn"]
    host(form)
    name = page.get_by_label("Name", exact=True)
    name.click()
    page.keyboard.type("my net")
    page.evaluate("(lines) => model.set('lines', lines)", form.lines[1:])
    page.evaluate(FRAME)
    expect(name).to_be_focused()
    expect(name).to_have_value("my net")
    workbench.close()


def test_tabs_are_walked_by_arrow_keys(host: Callable[[Any], None], page: Page) -> None:
    workbench = bnlab.Workbench(asia().sample(100, seed=1))
    host(workbench.forms["steps"])
    page.get_by_role("tab", name="Variables").focus()
    page.keyboard.press("ArrowRight")
    assert page.evaluate("() => model.sent.map(({ id, value }) => [id, value])") == [["step", "knowledge"]]
    workbench.close()
