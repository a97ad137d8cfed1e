// The drawing of a graph: a layer of edges, a layer of nodes, and the moves between two layouts. A part of graph/page/view.js.

const ANIMATION = 260; // ms
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
    this.animating = 0;
    this.routing = 0;
    this.onArrived = () => {};
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
    this.place(moved);
  }

  // Place nodes, with an animation where they were drawn elsewhere.
  place(moved) {
    const far = [...moved].filter(([node, goal]) => goal && Math.hypot(node.x - goal[0], node.y - goal[1]) > 1);
    const still = matchMedia("(prefers-reduced-motion: reduce)").matches || document.hidden;
    cancelAnimationFrame(this.animating);
    this.edgeLayer.touch(moved.keys());
    if (far.length && far.length <= MOST_ANIMATED && !still) {
      this.animate(moved);
      return;
    }
    for (const [node, goal] of moved) this.nodeLayer.place(node, ...(goal ?? [node.x, node.y]));
    this.edgeLayer.route();
  }

  animate(moved) {
    const begun = performance.now();
    const starts = [...moved].map(([node, goal]) => [node, [node.x, node.y], (node.goal = goal ?? [node.x, node.y])]);
    const touched = [...this.edgeLayer.stale];
    const step = (now) => {
      const t = clamp((now - begun) / ANIMATION, 0, 1);
      for (const [node, start, goal] of starts) this.nodeLayer.place(node, ...(t < 1 ? between(start, goal, t * (2 - t)) : goal));
      if (t < 1) {
        for (const edge of touched) this.edgeLayer.drawStraight(edge);
        this.animating = requestAnimationFrame(step);
        return;
      }
      for (const [node] of starts) node.goal = null;
      this.edgeLayer.route();
      this.onArrived();
    };
    step(begun);
  }

  move(nodes, dx, dy) {
    for (const node of nodes) this.nodeLayer.place(node, node.x + dx, node.y + dy);
    this.edgeLayer.touch(nodes);
    this.routing ||= requestAnimationFrame(() => {
      this.routing = 0;
      this.edgeLayer.route();
    });
  }

  // Smallest rectangle around nodes and edges, where they are or are moving to.
  bounds() {
    let [left, top, right, bottom] = [Infinity, Infinity, -Infinity, -Infinity];
    const include = (x0, y0, x1, y1) => {
      [left, top, right, bottom] = [Math.min(left, x0), Math.min(top, y0), Math.max(right, x1), Math.max(bottom, y1)];
    };
    for (const { x, y, goal, data } of this.nodeLayer.byName.values()) {
      const [cx, cy] = goal ?? [x, y];
      include(cx - data.w / 2, cy - data.h / 2, cx + data.w / 2, cy + data.h / 2);
    }
    for (const { u, v, data, samples } of this.edgeLayer.byKey.values()) {
      for (const [x, y] of u.goal || v.goal ? data.points ?? [] : samples) include(x, y, x, y);
    }
    return left < right ? { left, top, width: right - left, height: bottom - top } : { left: 0, top: 0, width: 1, height: 1 };
  }

  end() {
    cancelAnimationFrame(this.animating);
    cancelAnimationFrame(this.routing);
    // JupyterLab may keep this object for as long as the page.
    for (const part of [this.edgeLayer.element, this.nodeLayer.element]) part.replaceChildren();
    for (const known of [this.nodeLayer.byName, this.edgeLayer.byKey, this.edgeLayer.stale]) known.clear();
    this.held = [];
  }
}
