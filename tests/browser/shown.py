"""A widget's module in a page of its own, with a model made of plain values."""

from __future__ import annotations

from base64 import b64encode
from typing import Any

from playwright.sync_api import Locator, Page

from bnlab.widgets.base.plotly_view import plotly_js

EMPTY_WORKBENCH = "import bnlab\nworkbench = bnlab.Workbench()\nworkbench"

WIDGET = {"layout", "comm", "tabbable", "tooltip"}
OWN = {"_modules", "_strokes", "_plotly_version"}

# From now on, classes of the elements that begin an animation are in `moves`.
RECORD_MOVES = """() => {
  globalThis.moves = [];
  const { animate } = Element.prototype;
  Element.prototype.animate = function (...given) {
    moves.push(this.getAttribute("class"));
    return animate.apply(this, given);
  };
}"""

# What anywidget gives a module: values, bytes as views of buffers that begin anywhere, and what happens to them.
MODEL = """
globalThis.start = async (source, state, el = document.querySelector("#place")) => {
  const heard = {};
  const plain = (value) => {
    if (Array.isArray(value)) return value.map(plain);
    if (value === null || typeof value !== "object") return value;
    if (value.bytes) {
      const padded = new Uint8Array([0, 0, 0, ...value.bytes]);
      return new DataView(padded.buffer, 3);
    }
    return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, plain(inner)]));
  };
  const tell = (name) => (heard[`change:${name}`] ?? []).forEach((f) => f());
  const values = plain(state);
  globalThis.model = {
    state: values, sent: [], saves: 0,
    get: (name) => values[name],
    set: (name, value) => { if (values[name] !== value) { values[name] = value; tell(name); } },
    save_changes: () => model.saves++,
    send: ({ selected, selected_edge, ...message }) => {
      model.selection = { selected, selected_edge };
      model.sent.push(message);
    },
    on: (event, f) => (heard[event] ??= []).push(f),
    off: (event, f) => { heard[event] = (heard[event] ?? []).filter((g) => g !== f); },
    hear: (event, ...given) => (heard[event] ?? []).forEach((f) => f(...given)),
    listeners: () => Object.values(heard).flat().length,
  };
  const module = await import(URL.createObjectURL(new Blob([source], { type: "text/javascript" })));
  const widget = typeof module.default === "function" ? await module.default() : module.default;
  await widget.initialize?.({ model });
  globalThis.stop = await widget.render({ model, el });
};
"""
# Another widget in a page that has had one, which keeps plotly.js and its style: whether it is such a page.
REPLACE = """(body) => {
  if (!globalThis.start) return false;
  document.body.innerHTML = body;
  return true;
}"""
PLOTLY_ARRIVES = """(packed) => model.hear("msg:custom", { type: "plotly" }, [
  new DataView(Uint8Array.from(atob(packed), (c) => c.charCodeAt(0)).buffer)])"""
FRAME = "() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"


def box_of(place: Locator) -> dict[str, float]:
    """Place and size of what is shown, in pixels of the page."""
    found = place.bounding_box()
    assert found is not None, "it is not shown"
    return dict(found)


def middle_of(place: Locator) -> tuple[float, float]:
    """Middle of what is shown, in pixels of the page."""
    box = box_of(place)
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def drag(page: Page, start: tuple[float, float], end: tuple[float, float], *, release: bool = True) -> None:
    """Move the mouse from one point to another with its button pressed."""
    page.mouse.move(*start)
    page.mouse.down()
    page.mouse.move(*end, steps=4)
    if release:
        page.mouse.up()


def node_of(place: Page | Locator, name: str) -> Locator:
    """Node of the first graph in a place that has it."""
    page = place if isinstance(place, Page) else place.page
    return place.locator(".bn-node").filter(has=page.get_by_text(name, exact=True)).first


def choose(place: Page | Locator, menu: str, name: str) -> None:
    """Click on a button of a menu in the toolbar of a graph."""
    button = place.get_by_role("button", name=name)
    if not button.is_visible():  # aria-expanded still tells of a menu that has just closed that it is open
        place.get_by_role("button", name=menu, exact=True).click()
    button.click()


class Shown:
    """A widget's module, drawn in a page."""

    def __init__(self, page: Page, widget: Any, width: int | None = 800) -> None:
        self.page = page
        css = widget._css
        # Modules set the width of their own element.
        style = "" if width is None else f"width: {width}px"
        place = f'<div style="{style}"><div id=place></div></div>'
        body = f"<style>{css}</style><button>before</button>{place}"
        if not page.evaluate(REPLACE, body):
            page.set_content(f"<!doctype html>{body}")
            page.add_script_tag(content=MODEL)
        page.evaluate("([source, state]) => start(source, state)", [widget._esm, state_of(widget)])
        self.settle()

    def settle(self) -> None:
        self.page.evaluate(FRAME)

    def press(self, *keys: str) -> None:
        for key in keys:
            self.page.keyboard.press(key)
        self.settle()

    def get(self, name: str) -> Any:
        return self.page.evaluate("(name) => model.state[name]", name)

    def set(self, **values: Any) -> None:
        for name, value in values.items():
            self.page.evaluate("([name, value]) => model.set(name, value)", [name, value])
        self.settle()

    def sent(self) -> list[Any]:
        """Messages since the last call, without the selection of a graph that each of them brings."""
        return list(self.page.evaluate("() => model.sent.splice(0)"))

    def asked(self) -> list[str]:
        """Types of the messages since the last call."""
        return [message["type"] for message in self.sent()]

    def ends_cleanly(self) -> None:
        self.page.evaluate("() => stop()")
        assert self.page.evaluate("() => model.listeners()") == 0


class Drawn(Shown):
    """A widget with a chart, drawn by the plotly.js that it asks for; a page that had one before has it still."""

    def __init__(self, page: Page, widget: Any, width: int | None = 800) -> None:
        super().__init__(page, widget, width)
        self.asked_for_plotly = "plotly" in self.asked()
        if self.asked_for_plotly:
            page.evaluate(PLOTLY_ARRIVES, b64encode(plotly_js()).decode())
        page.locator(".bnlab-chart .main-svg").first.wait_for(state="attached", timeout=60_000)
        self.settle()


def state_of(widget: Any) -> dict[str, Any]:
    """What a widget's module is given of its traits."""
    names = [name for name in widget.traits(sync=True) if not name.startswith("_") or name in OWN]
    return {name: packed(getattr(widget, name)) for name in names if name not in WIDGET}


def packed(value: Any) -> Any:
    """Value as it may go to a page: bytes as a list of numbers."""
    if isinstance(value, bytes):
        return {"bytes": list(value)}
    if isinstance(value, dict):
        return {name: packed(inner) for name, inner in value.items()}
    return [packed(inner) for inner in value] if isinstance(value, list) else value
