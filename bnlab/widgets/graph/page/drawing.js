// The drawing of a graph: a layer of edges and a layer of nodes. A part of graph/page/view.js.

const MOVE = { duration: 260, easing: "ease-out" }; // of nodes that a new layout places elsewhere
const MOST_ANIMATED = 300; // larger numbers of nodes move at once

class Drawing {
  constructor(el) {
    this.el = el;
    this.records = new WeakMap(); // of SVG elements
    this.nodeLayer = new NodeLayer(this.records, (size) => this.font(size));
    this.edgeLayer = new EdgeLayer(this.records, this.nodeLayer);
    this.dragLine = svg("path", { class: "bn-drag-line" });
    this.world = svg("g", {}, this.edgeLayer.element, this.nodeLayer.element, this.dragLine);
    this.held = []; // nodes that are being dragged
    this.routing = 0;
  }

  node(name) {
    return this.nodeLayer.byName.get(name);
  }

  edge(u, v) {
    return this.edgeLayer.byKey.get(keyOf(u, v));
  }

  // What an element of the drawing shows: { node }, { node, state }, { edge } or {}.
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
    this.family = null; // read at most once an update: getComputedStyle makes the browser compute all styles
    const at = new Map(Object.entries(positions)); // a plain object has a "constructor"
    const moved = this.nodeLayer.update(nodes, (data, node) =>
      this.held.includes(node) ? [node.x, node.y] : at.get(data.name) ?? [data.x, data.y],
    );
    this.edgeLayer.update(edges, strokes);
    this.edgeLayer.touch(moved.keys());
    this.place(moved);
    this.edgeLayer.route();
  }

  // Place nodes; those that were drawn elsewhere glide there, and their edges fade in.
  place(moved) {
    const from = (node) => `translate(${node.x}px, ${node.y}px)`;
    const far = [...moved].filter(([node, [x, y]]) => Math.hypot(node.x - x, node.y - y) > 1);
    const starts = far.map(([node]) => [node, from(node)]);
    for (const [node, [x, y]] of moved) this.nodeLayer.place(node, x, y);
    const still = matchMedia("(prefers-reduced-motion: reduce)").matches || document.hidden;
    if (!far.length || far.length > MOST_ANIMATED || still) return;
    for (const [node, start] of starts) node.g.animate([{ transform: start }, { transform: from(node) }], MOVE);
    for (const edge of this.edgeLayer.stale) edge.g.animate({ opacity: [0, 1] }, MOVE);
  }

  move(nodes, dx, dy) {
    for (const node of nodes) this.nodeLayer.place(node, node.x + dx, node.y + dy);
    this.edgeLayer.touch(nodes);
    this.routing ||= requestAnimationFrame(() => {
      this.routing = 0;
      this.edgeLayer.route();
    });
  }

  // Smallest rectangle around nodes and edges.
  bounds() {
    let [left, top, right, bottom] = [Infinity, Infinity, -Infinity, -Infinity];
    const include = (x, y, w = 0, h = 0) => {
      [left, right] = [Math.min(left, x - w / 2), Math.max(right, x + w / 2)];
      [top, bottom] = [Math.min(top, y - h / 2), Math.max(bottom, y + h / 2)];
    };
    for (const { x, y, data } of this.nodeLayer.byName.values()) include(x, y, data.w, data.h);
    for (const { samples } of this.edgeLayer.byKey.values()) for (const point of samples) include(...point);
    return left < right ? { left, top, width: right - left, height: bottom - top } : { left: 0, top: 0, width: 1, height: 1 };
  }

  end() {
    cancelAnimationFrame(this.routing);
    // JupyterLab may keep this object for as long as the page.
    for (const part of [this.edgeLayer.element, this.nodeLayer.element]) part.replaceChildren();
    for (const known of [this.nodeLayer.byName, this.edgeLayer.byKey, this.edgeLayer.stale]) known.clear();
    this.held = [];
  }
}
