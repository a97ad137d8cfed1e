// The drawing of a graph: a layer of edges, a layer of nodes, and the part in view.
import { MOVE, movesAllowed, setText } from "../../base/page/elements.js";
import { EdgeLayer, keyOf } from "./edges.js";
import { LabelLayer } from "./labels.js";
import { NodeLayer } from "./nodes.js";
import { clamp, short, svg } from "./shapes.js";
import { BARS_FROM, LEGIBLE, MOST_ANIMATED, MOST_REDRAWN, SIZES } from "./sizes.js";

const TRY_SIZE = 13; // pixels
const FAINT = 0.45; // scale below which lines would be too thin to see
const REST = 120; // ms without a move
const BEYOND = 400; // pixels of the drawing around the view, as in view.css
const MOST_SCALED = 3; // of a picture

// Transformation of a picture that was drawn for one view, in another.
const moved = (from, { k, x, y }) => `translate(${x - (k / from.k) * from.x}px, ${y - (k / from.k) * from.y}px) scale(${k / from.k})`;

export class Drawing {
  constructor(el) {
    this.el = el;
    this.records = new WeakMap(); // of SVG elements
    this.nodeLayer = new NodeLayer(this.records, (size) => this.font(size));
    this.edgeLayer = new EdgeLayer(this.records, this.nodeLayer);
    this.labelLayer = new LabelLayer(this);
    this.dragLine = svg("path", { class: "bn-drag-line" });
    this.dragText = svg("text", { class: "bn-label bn-drag-text" });
    const layers = [this.edgeLayer, this.nodeLayer, this.labelLayer].map(({ element }) => element);
    this.world = svg("g", {}, ...layers, this.dragLine, this.dragText);
    this.scene = svg("svg", { class: "bn-scene" });
    this.view = { k: 1, x: 0, y: 0 }; // for which it is drawn
    this.changed = false; // whether nodes or edges have changed since the last frame
    this.overview = null; // drawn together with all changes
    this.marked = []; // selected, found and related nodes and edges, the most important first
    this.held = []; // nodes that are being dragged
    this.frame = 0;
  }

  node(name) {
    return this.nodeLayer.byName.get(name);
  }

  edge(u, v) {
    return this.edgeLayer.byKey.get(keyOf(u, v));
  }

  // Record of an element of the drawing: { node }, { node, state }, { edge } or {}.
  recordAt(target) {
    for (let element = target; element; element = element.parentNode) {
      const record = this.records.get(element);
      if (record) return record;
    }
    return {};
  }

  font(size) {
    this.family ??= getComputedStyle(this.el).fontFamily;
    return `${size}px ${this.family}`;
  }

  update({ nodes, edges, positions, strokes }) {
    this.family = null; // read at most once per update, because getComputedStyle makes the browser compute all styles
    const at = new Map(Object.entries(positions)); // a plain object has a "constructor"
    const moved = this.nodeLayer.update(nodes, (data, node) =>
      this.held.includes(node) ? [node.x, node.y] : at.get(data.name) ?? [data.x, data.y],
    );
    this.edgeLayer.update(edges, strokes);
    this.edgeLayer.touch(moved.keys());
    this.place(moved);
    this.changed = true;
  }

  // Whether this number of changes is animated.
  moves(count) {
    return count > 0 && count <= MOST_ANIMATED && movesAllowed();
  }

  // Show the drawing at this scale and position. A large one that the user moves in a room is a picture until it rests.
  show(view, room = null) {
    clearTimeout(this.resting);
    const moves = room && this.nodeLayer.byName.size > MOST_REDRAWN;
    this.resting = moves ? setTimeout(() => this.show(view), REST) : 0;
    this.scene.classList.toggle("bn-moving", Boolean(moves));
    if (moves && this.covers(view, room)) this.scene.style.transform = moved(this.view, view);
    else this.draw(view);
    this.request(false);
  }

  // Whether the picture of the drawing fills a room in another view.
  covers(view, { width, height }) {
    const scale = view.k / this.view.k;
    const fills = (from, to, size) => to - scale * (from + BEYOND) <= 0 && to + scale * (size + BEYOND - from) >= size;
    return scale < MOST_SCALED && fills(this.view.x, view.x, width) && fills(this.view.y, view.y, height);
  }

  draw(view) {
    this.scene.style.transform = "";
    if (view.k !== this.view.k) this.zoom(view.k);
    this.view = view;
    this.world.setAttribute("transform", `translate(${short(view.x)} ${short(view.y)}) scale(${view.k.toFixed(4)})`);
  }

  // Texts that are too small at this scale move to a layer of their own; texts of bars grow in their rows.
  zoom(k) {
    const { world } = this;
    this.labelLayer.chosen = null;
    const thin = String(Math.round(-Math.log2(k))); // in steps, because the browser styles all lines anew
    if (world.dataset.thin !== thin) world.dataset.thin = thin;
    world.classList.toggle("bn-far", k < LEGIBLE / SIZES.small);
    world.classList.toggle("bn-farther", k < LEGIBLE / SIZES.name);
    world.classList.toggle("bn-farthest", k < FAINT);
    world.classList.toggle("bn-barless", k < BARS_FROM);
    this.nodeLayer.resize(clamp(Math.ceil((2 * LEGIBLE) / k) / 2, SIZES.small, SIZES.name));
  }

  mark(elements) {
    this.marked = elements.map((element) => this.records.get(element)).map(({ node, edge }) => node ?? edge);
    this.request(false);
  }

  // Route edges and place labels in the next frame.
  request(changed = true) {
    this.changed ||= changed;
    this.frame ||= requestAnimationFrame(() => this.finish());
  }

  finish() {
    cancelAnimationFrame(this.frame);
    this.frame = 0;
    this.edgeLayer.route();
    if (this.changed) this.labelLayer.chosen = null;
    if (!this.resting) this.labelLayer.update(this.view.k, this.marked);
    if (!this.resting) this.overview?.update(this.changed);
    this.changed = false;
  }

  // Place nodes; nodes that were drawn elsewhere move there gradually, and their edges fade in.
  place(moved) {
    const from = (node) => `translate(${node.x}px, ${node.y}px)`;
    const far = [...moved].filter(([node, [x, y]]) => Math.hypot(node.x - x, node.y - y) > 1);
    const starts = far.map(([node]) => [node, from(node)]);
    for (const [node, [x, y]] of moved) this.nodeLayer.place(node, x, y);
    if (!this.moves(far.length)) return;
    for (const [node, start] of starts) node.g.animate([{ transform: start }, { transform: from(node) }], MOVE);
    for (const edge of this.edgeLayer.stale) edge.g.animate({ opacity: [0, 1] }, MOVE);
  }

  move(nodes, dx, dy) {
    for (const node of nodes) this.nodeLayer.place(node, node.x + dx, node.y + dy);
    this.edgeLayer.touch(nodes);
    this.request();
  }

  // Write above a node what an edge to it would do, in the part in view from `left` to `right`.
  showTry({ v, text = "", sign = 0 }, left = 0, right = 0) {
    const node = this.node(v);
    setText(this.dragText, node ? text : "");
    for (const part of [this.dragLine, this.dragText]) part.dataset.sign = sign;
    if (!node) return;
    this.dragText.style.fontSize = `${short(TRY_SIZE / Math.min(this.view.k, 1))}px`;
    const half = this.dragText.getComputedTextLength() / 2;
    const x = Math.max(left + half, Math.min(node.x, right - half));
    this.dragText.setAttribute("x", short(x));
    this.dragText.setAttribute("y", short(node.y - node.data.h / 2 - 8));
  }

  // Smallest rectangle around nodes and edges, with the width of the names at a scale.
  bounds(k = 1) {
    let [left, top, right, bottom] = [Infinity, Infinity, -Infinity, -Infinity];
    const include = (x, y, w = 0, h = 0) => {
      [left, right] = [Math.min(left, x - w / 2), Math.max(right, x + w / 2)];
      [top, bottom] = [Math.min(top, y - h / 2), Math.max(bottom, y + h / 2)];
    };
    for (const node of this.nodeLayer.byName.values()) {
      const { x, y, data } = node;
      include(x, y, k < LEGIBLE / SIZES.name ? Math.max(data.w, 2 * this.labelLayer.reach(node, k)) : data.w, data.h);
    }
    for (const corner of this.edgeLayer.corners()) include(...corner);
    return left < right ? { left, top, width: right - left, height: bottom - top } : { left: 0, top: 0, width: 1, height: 1 };
  }

  end() {
    cancelAnimationFrame(this.frame);
    clearTimeout(this.resting);
    this.labelLayer.end();
    // JupyterLab may keep this object as long as the page.
    for (const part of [this.edgeLayer.element, this.nodeLayer.element]) part.replaceChildren();
    for (const known of [this.nodeLayer.byName, this.edgeLayer.byKey, this.edgeLayer.stale]) known.clear();
    this.held = [];
  }
}

export const MARGIN = 14;
const ZOOM = { least: 0.05, most: 6, step: 1.25, fit: 1.5 };
const BESIDE = 876; // pixels of a panel from which details are beside the picture
export const HEIGHT = { least: 220, most: 720 };

export class Camera {
  // `moved` is called when the user has moved or scaled the view.
  constructor(frame, drawing, moved) {
    Object.assign(this, { frame, drawing, moved });
    this.view = { k: 1, x: 0, y: 0 };
    this.isFitted = true; // until the user zooms, pans or drags
    this.chosen = []; // selected nodes
  }

  // Size of the frame, read once after each change: to read it later makes the browser lay out all that has changed.
  get room() {
    this.known ??= { width: this.frame.clientWidth, height: this.frame.clientHeight };
    return this.known;
  }

  // Make the picture as high as the graph needs, from `least` to `most` pixels, and fit it.
  resize(least, most) {
    this.known = null;
    const { width } = this.room;
    if (!width) return;
    if (this.isFitted || least === most || !this.frame.style.height) {
      const isWide = (this.frame.closest(".bn-panel") ?? this.frame).clientWidth >= BESIDE;
      const { width: w, height: h } = this.drawing.bounds();
      const natural = h * Math.min(isWide ? ZOOM.fit : 1, (width - 2 * MARGIN) / w) + 2 * MARGIN;
      this.frame.style.height = `${Math.round(clamp(natural, least, most))}px`;
      this.known = null;
    }
    if (this.isFitted) this.fill();
    else this.chosen.forEach((node) => this.reveal(node));
  }

  fit() {
    this.fill();
    this.moved();
  }

  // In the frame in which the room changes, so that no node is cut even for a moment.
  refit() {
    this.known = null;
    if (this.isFitted) this.fill();
  }

  // Zoom or fit by a key or by the id of a control; returns whether it is one of these.
  act(name) {
    const step = { in: ZOOM.step, "+": ZOOM.step, "=": ZOOM.step, out: 1 / ZOOM.step, "-": 1 / ZOOM.step }[name];
    const fits = name === "fit" || name === "0";
    if (step) this.zoom(step);
    else if (fits) this.fit();
    return Boolean(step) || fits;
  }

  // Centre of the part in view, and its scale; null if the whole drawing is in view.
  part() {
    const { k, x, y } = this.view;
    const { width, height } = this.room;
    return this.isFitted ? null : [short((width / 2 - x) / k), short((height / 2 - y) / k), k];
  }

  show(part) {
    if (String(part) === String(this.part())) return;
    if (!part) return this.fill();
    const [x, y, k] = part;
    this.isFitted = false;
    this.set(k, this.room.width / 2 - x * k, this.room.height / 2 - y * k);
  }

  fill() {
    const { width, height } = this.room;
    if (!width || !height) return;
    const { width: wide, height: high } = this.drawing.bounds();
    const nodes = Math.min((width - 2 * MARGIN) / wide, (height - 2 * MARGIN) / high, ZOOM.fit);
    // Names may reach into the margin.
    const k = clamp(Math.min(nodes, (width - MARGIN / 2) / this.drawing.bounds(nodes).width), ZOOM.least, ZOOM.fit);
    const { left, top, width: w, height: h } = this.drawing.bounds(k);
    this.set(k, (width - w * k) / 2 - left * k, (height - h * k) / 2 - top * k);
    this.isFitted = true;
  }

  set(k, x, y, room = null) {
    this.view = { k, x, y };
    this.drawing.show(this.view, room);
  }

  zoom(factor, at = [this.room.width / 2, this.room.height / 2]) {
    const { k, x, y } = this.view;
    const next = clamp(k * factor, ZOOM.least, ZOOM.most);
    this.isFitted = false;
    this.set(next, at[0] - ((at[0] - x) / k) * next, at[1] - ((at[1] - y) / k) * next, this.room);
    this.moved();
  }

  pan(dx, dy) {
    this.isFitted = false;
    this.set(this.view.k, this.view.x + dx, this.view.y + dy, this.room);
    this.moved();
  }

  // Move a position of the drawing to the centre.
  centre(x, y, k = this.view.k) {
    this.show([x, y, k]);
    this.moved();
  }

  // Bring a node into view; `near` so large that the names around it can be read.
  reveal(node, near = false) {
    const { k, x, y } = this.view;
    if (near && k < LEGIBLE / SIZES.small) return this.centre(node.x, node.y, 1);
    const [cx, cy] = [node.x * k + x, node.y * k + y];
    const { width: w, height: h } = this.room;
    const [mx, my] = [Math.min(60, w / 4), Math.min(30, h / 4)];
    const [dx, dy] = [clamp(cx, mx, w - mx) - cx, clamp(cy, my, h - my) - cy];
    if (dx || dy) this.set(k, x + dx, y + dy);
  }

  // Position of a pointer in the frame, and in the drawing.
  inFrame(event) {
    const box = this.frame.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
  }

  inDrawing(event) {
    const [x, y] = this.inFrame(event);
    return [(x - this.view.x) / this.view.k, (y - this.view.y) / this.view.k];
  }
}
