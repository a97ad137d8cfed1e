// A small map of a large graph in a corner of its picture; it shows the part in view, which drags and keys move.
import { make } from "../../base/page/elements.js";
import { ARROWS } from "./keyboard.js";
import { clamp, short, svg } from "./shapes.js";

export const MAP = { width: 160, height: 120, least: 32, nodes: 60 }; // pixels; minimum number of nodes for a map

export class Overview {
  // `hide` is called when the user closes the map.
  constructor(drawing, camera, hide) {
    Object.assign(this, { drawing, camera, wanted: true });
    this.edges = svg("path", { class: "bn-map-edges" });
    this.nodes = svg("path", { class: "bn-map-nodes" });
    this.window = svg("rect", { class: "bn-map-window", rx: 2 });
    const label = "Overview of the graph: arrow keys move the part in view, plus and minus zoom, 0 shows all";
    this.map = svg("svg", { role: "application", tabindex: 0, "aria-label": label }, this.edges, this.nodes, this.window);
    const close = make("button", { type: "button", className: "bn-map-close", textContent: "×", title: "Hide the overview" });
    close.ariaLabel = "Hide the overview";
    close.addEventListener("click", hide);
    this.element = make("div", { className: "bn-map", hidden: true }, this.map, close);
    this.map.addEventListener("pointerdown", (event) => this.press(event));
    this.map.addEventListener("pointermove", (event) => this.grip && this.pull(event));
    for (const end of ["pointerup", "pointercancel"]) this.map.addEventListener(end, () => (this.grip = null));
    this.map.addEventListener("keydown", (event) => this.key(event));
  }

  // Draw the graph again if it has changed, and the part in view.
  update(isChanged) {
    if (isChanged) this.box = null;
    const { width, height } = this.camera.room;
    const isLarge = this.wanted && this.drawing.nodeLayer.byName.size >= MAP.nodes && width > 2 * MAP.width;
    if (isLarge) this.box ??= this.drawing.bounds();
    const { k, x, y } = this.camera.view;
    const part = { left: -x / k, top: -y / k, width: width / k, height: height / k };
    this.element.hidden = !isLarge || this.isWithin(part);
    if (this.element.hidden) return;
    if (this.drawn !== this.box) this.draw();
    this.show(part);
  }

  isWithin({ left, top, width, height }) {
    const { box } = this;
    return left <= box.left && top <= box.top && left + width >= box.left + box.width && top + height >= box.top + box.height;
  }

  draw() {
    const { box } = this;
    this.drawn = box;
    this.scale = Math.min(MAP.width / box.width, MAP.height / box.height);
    this.map.setAttribute("width", Math.max(box.width * this.scale, MAP.least));
    this.map.setAttribute("height", Math.max(box.height * this.scale, MAP.least));
    this.map.setAttribute("viewBox", [box.left, box.top, box.width, box.height].map(short).join(" "));
    const { nodeLayer, edgeLayer } = this.drawing;
    const lines = [...edgeLayer.byKey.values()].map(({ u, v }) => `M${[u.x, u.y].map(short)}L${[v.x, v.y].map(short)}`);
    const boxes = [...nodeLayer.byName.values()].map(({ x, y, data: { w, h } }) => `M${short(x - w / 2)},${short(y - h / 2)}h${short(w)}v${short(h)}h${short(-w)}Z`);
    this.edges.setAttribute("d", lines.join(""));
    this.nodes.setAttribute("d", boxes.join(""));
  }

  // The rectangle of the part in view, no larger than the map.
  show(part) {
    const { left, top, width, height } = this.box;
    const [x, y] = [clamp(part.left, left, left + width), clamp(part.top, top, top + height)];
    const [right, bottom] = [clamp(part.left + part.width, left, left + width), clamp(part.top + part.height, top, top + height)];
    const values = { x, y, width: Math.max(right - x, 0), height: Math.max(bottom - y, 0) };
    for (const [key, value] of Object.entries(values)) this.window.setAttribute(key, short(value));
  }

  // Position of a pointer in the drawing.
  place({ clientX, clientY }) {
    const { x, y } = new DOMPoint(clientX, clientY).matrixTransform(this.map.getScreenCTM().inverse());
    return [x, y];
  }

  // A click outside the rectangle moves the view there.
  press(event) {
    if (event.button !== 0) return;
    const at = this.place(event);
    if (event.target !== this.window) this.camera.centre(...at);
    this.grip = at;
    this.map.setPointerCapture(event.pointerId);
  }

  pull(event) {
    const at = this.place(event);
    const { k } = this.camera.view;
    this.camera.pan((this.grip[0] - at[0]) * k, (this.grip[1] - at[1]) * k);
    this.grip = at;
  }

  key(event) {
    const way = ARROWS[event.key];
    const { width, height } = this.camera.room;
    if (way) this.camera.pan((-way[0] * width) / 8, (-way[1] * height) / 8);
    else if (!this.camera.act(event.key)) return;
    event.preventDefault();
    event.stopPropagation();
  }
}
