// Mouse and touch on a drawing.
import { focusNear } from "../../base/page/elements.js";
import { between, clamp } from "./shapes.js";

const SLACK = 4; // pixels that the pointer may move during a click
const HOVER_DELAY = 30; // ms

export class Interaction {
  constructor(page, drawing, camera, commands) {
    Object.assign(this, { page, drawing, camera, commands });
    this.pointers = new Map();
    this.clicked = {}; // record of what the last click hit
    this.gesture = null; // of the pressed pointers: "pan", "drag", "weigh", "connect" or "pinch"
    const on = (type, react) => camera.frame.addEventListener(type, react, { passive: type !== "wheel" });
    on("pointerdown", (event) => this.press(event));
    on("pointermove", (event) => this.move(event));
    for (const end of ["pointerup", "pointercancel"]) on(end, (event) => this.release(event));
    on("pointerleave", () => this.gesture ?? this.hover(null));
    on("click", (event) => this.click(event));
    camera.frame.addEventListener("contextmenu", (event) => this.menu(event));
    on("wheel", (event) => this.wheel(event));
  }

  press(event) {
    if (event.button !== 0) return;
    const start = this.camera.inFrame(event);
    this.pointers.set(event.pointerId, start);
    const { node, state } = this.drawing.recordAt(event.target);
    const selected = this.page.get("selected");
    const connects = node && event.target === node.grip && this.page.get("editable");
    const type = this.pointers.size === 2 ? "pinch" : connects ? "connect" : state !== undefined ? "weigh" : node ? "drag" : "pan";
    const names = type !== "drag" ? [] : selected.includes(node.name) ? selected : [node.name];
    this.drawing.held = names.map((name) => this.drawing.node(name)).filter(Boolean);
    this.gesture = { type, node, state, start, last: start, moved: false, id: event.pointerId };
  }

  move(event) {
    const here = this.camera.inFrame(event);
    const { gesture } = this;
    if (!gesture) this.hover(this.drawing.recordAt(event.target).node?.name ?? null);
    else if (gesture.type === "pinch") this.pinch(event.pointerId, here);
    else if (gesture.moved || Math.hypot(here[0] - gesture.start[0], here[1] - gesture.start[1]) >= SLACK) this.pull(event, here);
  }

  pull(event, here) {
    const { gesture } = this;
    if (!gesture.moved) {
      gesture.moved = true;
      this.camera.frame.setPointerCapture(gesture.id);
    }
    const [dx, dy] = [here[0] - gesture.last[0], here[1] - gesture.last[1]];
    gesture.last = here;
    const { k } = this.camera.view;
    if (gesture.type === "pan") this.camera.pan(dx, dy);
    else if (gesture.type === "drag") this.commands.move(this.drawing.held, dx / k, dy / k);
    else if (gesture.type === "weigh") this.weigh(event);
    else this.connect(gesture.node, event);
  }

  pinch(id, here) {
    const before = [...this.pointers.values()];
    this.pointers.set(id, here);
    const after = [...this.pointers.values()];
    const distance = ([a, b]) => Math.max(Math.hypot(a[0] - b[0], a[1] - b[1]), 1);
    const [from, to] = [between(...before, 0.5), between(...after, 0.5)];
    this.camera.pan(to[0] - from[0], to[1] - from[1]);
    this.camera.zoom(distance(after) / distance(before), to);
  }

  // Draw a bar to the pointer, in whole per cent.
  weigh(event) {
    const { node, state } = this.gesture;
    const { left, room } = node.rows[state];
    const share = clamp((this.camera.inDrawing(event)[0] - node.x - left) / room, 0, 1);
    this.gesture.p = Math.round(100 * share) / 100;
    this.drawing.nodeLayer.tryBar(node, state, this.gesture.p);
    this.page.say(`${node.name} = ${node.rows[state].state}: ${Math.round(100 * share)}%`);
  }

  // Draw the line from a node to the pointer, or to the node under it.
  connect(node, event) {
    const under = this.drawing.recordAt(this.page.el.getRootNode().elementFromPoint(event.clientX, event.clientY)).node;
    const target = under === node ? undefined : under;
    if (target !== this.gesture.target) this.commands.tryEdge(node, target);
    const end = target ? [target.x, target.y] : this.camera.inDrawing(event);
    this.drawing.dragLine.setAttribute("d", `M${node.x},${node.y}L${end}`);
    this.gesture.target = target;
    this.commands.found = target?.name ?? null;
    this.page.mark();
  }

  release(event) {
    const { gesture, drawing, commands } = this;
    const held = drawing.held;
    this.pointers.delete(event.pointerId);
    this.gesture = null;
    drawing.held = [];
    drawing.dragLine.setAttribute("d", "");
    if (!gesture?.moved) return;
    this.skipClick = true;
    setTimeout(() => (this.skipClick = false));
    if (gesture.type === "drag") commands.reportPositions(held);
    if (gesture.type === "weigh") {
      const { node, state, p } = gesture;
      if (event.type === "pointerup") this.page.send({ type: "weigh", node: node.name, state, p });
      else drawing.nodeLayer.restoreBars();
    }
    if (gesture.type === "connect") {
      commands.found = null;
      if (gesture.target) commands.tryEdge();
      if (gesture.target && event.type === "pointerup") commands.addEdge(gesture.node, gesture.target);
      this.page.mark();
    }
  }

  click(event) {
    // The first click may open details, beside which the picture moves: the second one is on the same node.
    if (event.detail < 2) this.clicked = this.drawing.recordAt(event.target);
    if (this.skipClick) return;
    const { commands } = this;
    const { node, state, edge } = this.clicked;
    const several = event.shiftKey || event.ctrlKey || event.metaKey;
    if (edge) commands.selectEdge(edge, several ? this.page.get("selected") : []);
    if (node && commands.source) commands.endEdge(node);
    else if (state !== undefined) commands.observe(node, state);
    else if (node) commands.select(node, several);
    if (!edge && !node) commands.clear();
    if (node) commands.activate(node.name, true);
    else (this.drawing.node(commands.active)?.g ?? this.camera.frame).focus({ preventScroll: true });
    if (node && state === undefined && event.detail === 2) this.page.send({ type: "focus", node: node.name });
  }

  // The right button on a state sets it; elsewhere it opens the notebook's own menu.
  menu(event) {
    const { node, state } = this.drawing.recordAt(event.target);
    if (state === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    this.commands.intervene(node, state);
  }

  hover(name) {
    if (name === this.pointed) return;
    this.pointed = name;
    clearTimeout(this.hovering);
    this.hovering = setTimeout(() => {
      if (this.page.get("hovered") !== this.pointed) this.page.report({ hovered: this.pointed });
    }, HOVER_DELAY);
  }

  wheel(event) {
    if (!event.ctrlKey && !event.metaKey && !this.page.el.contains(focusNear(this.page.el))) {
      this.page.say("Click the picture first, or hold Ctrl, to zoom with the wheel.");
      return;
    }
    event.preventDefault();
    const lines = event.deltaMode === 1 ? 20 : 1;
    this.camera.zoom(Math.exp(-clamp(event.deltaY * lines, -200, 200) * (event.ctrlKey ? 0.008 : 0.002)), this.camera.inFrame(event));
  }

  end() {
    clearTimeout(this.hovering);
    this.gesture = null;
  }
}
