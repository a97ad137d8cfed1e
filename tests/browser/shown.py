"""A widget's module in a page of its own, with a model made of plain values."""

from __future__ import annotations

from typing import Any

from playwright.sync_api import Locator, Page

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
FRAME = "() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"


def choose(place: Page | Locator, menu: str, name: str) -> None:
    """Click on a button of a menu in the toolbar of a graph."""
    opens = place.get_by_role("button", name=menu, exact=True)
    if opens.get_attribute("aria-expanded") != "true":
        opens.click()
    place.get_by_role("button", name=name).click()


class Shown:
    """A widget's module, drawn in a page."""

    def __init__(self, page: Page, widget: Any, width: int | None = 800) -> None:
        self.page = page
        css = widget._css
        # Modules set the width of their own element.
        style = "" if width is None else f"width: {width}px"
        place = f'<div style="{style}"><div id=place></div></div>'
        page.set_content(f"<!doctype html><style>{css}</style><button>before</button>{place}")
        page.add_script_tag(content=MODEL)
        names = [name for name in widget.traits(sync=True) if not name.startswith("_") or name in OWN]
        state = {name: packed(getattr(widget, name)) for name in names if name not in WIDGET}
        page.evaluate("([source, state]) => start(source, state)", [widget._esm, state])
        self.settle()

    def settle(self) -> None:
        self.page.evaluate(FRAME)

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

    def box(self) -> dict[str, float]:
        box = self.page.locator("canvas").bounding_box()
        assert box is not None
        return dict(box)

    def ends_cleanly(self) -> None:
        self.page.evaluate("() => stop()")
        assert self.page.evaluate("() => model.listeners()") == 0


def packed(value: Any) -> Any:
    """Value as it may go to a page: bytes as a list of numbers."""
    if isinstance(value, bytes):
        return {"bytes": list(value)}
    if isinstance(value, dict):
        return {name: packed(inner) for name, inner in value.items()}
    return [packed(inner) for inner in value] if isinstance(value, list) else value
