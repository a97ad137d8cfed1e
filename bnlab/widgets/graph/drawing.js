// Nodes, edges and legend as SVG, what lights up, and how much of it is in view. A part of graph/view.js.

const MARGIN = 14;
const ZOOM = { least: 0.05, most: 6, step: 1.25, fit: 1.25 };
const NARROW = 420; // pixels
const HEIGHT = { least: 180, most: 720 };
const BOWS = [0, 24, -24, 48, -48, 80, -80, 120, -120]; // pixels that a moved edge goes aside, tried in this order
const CLEARANCE = 6; // between a moved edge and the nodes beside it
const TWIN = 17; // the same, where there is an edge back
const GLIDE = 260; // ms
const GLIDING = 300; // more nodes than this jump
const LEGIBLE = 0.3; // scale from which names are worth drawing
const ROW = 15; // height of a bar
const HEADING = 22; // height of the name above the bars
const ABSENT = new Set(["missing", "dropped"]); // kinds of edges that the graph does not have
const MARKS = new Set(["bn-selected", "bn-hovered", "bn-found", "bn-source", "bn-lit"]);

const keyOf = (u, v) => JSON.stringify([u, v]);

function relatives(names, how, edges) {
  const found = new Set(names);
  const real = [...edges.values()].filter((edge) => !ABSENT.has(edge.data.kind)).map((edge) => edge.data);
  if (how === "ancestors" || how === "descendants") {
    const [from, to] = how === "ancestors" ? ["v", "u"] : ["u", "v"];
    const onward = new Map();
    for (const edge of real) if (edge.directed) onward.set(edge[from], [...(onward.get(edge[from]) ?? []), edge[to]]);
    const stack = [...names];
    while (stack.length) {
      for (const next of onward.get(stack.pop()) ?? []) {
        if (!found.has(next)) stack.push(next);
        found.add(next);
      }
    }
    return found;
  }
  const own = new Set(names);
  const children = new Set();
  for (const { u, v, directed } of real) {
    if (own.has(u)) found.add(v);
    if (own.has(v)) found.add(u);
    if (own.has(u) && directed) children.add(v);
  }
  if (how === "markov-blanket") for (const { u, v, directed } of real) if (directed && children.has(v)) found.add(u);
  return found;
}

class Drawing {
  constructor(model, el) {
    this.model = model;
    this.el = el;
    this.nodes = new Map();
    this.edges = new Map();
    this.records = new WeakMap(); // of elements
    this.view = { k: 1, x: 0, y: 0 };
    this.isFitted = true; // until the reader zooms or pans
    this.pending = new Set();
    this.frame = 0;
    this.glide = 0;
    this.active = null; // node in the tab order
    this.source = null; // node from which an edge is being drawn
    this.found = null;
    this.pointers = new Map();
    this.gesture = null;
    this.marked = [];
  }

  report(values) {
    for (const [name, value] of Object.entries(values)) this.model.set(name, value);
    this.model.save_changes();
  }

  say(text) {
    setText(this.status, text);
  }

  request(...names) {
    for (const name of names) this.pending.add(name);
    this.frame ||= requestAnimationFrame(() => this.draw());
  }

  draw() {
    this.frame = 0;
    this.family = null; // of the font, read at most once a drawing: it makes the browser look at all styles
    try {
      this.drawPending();
    } catch (error) {
      this.say(`The picture could not be drawn: ${error?.message ?? error}`);
    }
    this.pending.clear();
  }

  drawPending() {
    const changed = (...names) => names.some((name) => this.pending.has(name));
    if (changed("nodes", "edges", "positions", "_strokes")) this.patch();
    if (changed("legend", "edges", "_strokes")) this.drawLegend();
    if (changed("status")) this.say(this.model.get("status"));
    if (changed("description")) this.svg.setAttribute("aria-label", this.model.get("description"));
    if (changed("editable")) this.el.classList.toggle("bn-editable", this.model.get("editable"));
    if (changed("height", "nodes", "edges", "positions")) this.resize();
    this.mark();
  }

  patch() {
    const at = this.model.get("positions") ?? {};
    const moved = new Map();
    const seen = new Set();
    for (const data of this.model.get("nodes")) {
      seen.add(data.name);
      let node = this.nodes.get(data.name);
      const held = this.gesture?.nodes?.includes(node) ? [node.x, node.y] : null;
      const [x, y] = held ?? at[data.name] ?? [data.x, data.y];
      if (!node) {
        node = this.newNode(data.name);
        Object.assign(node, { x, y });
        moved.set(node, null);
      } else if (node.x !== x || node.y !== y || node.goal) {
        moved.set(node, [x, y]);
      }
      if (this.drawNode(node, data)) moved.set(node, moved.get(node) ?? null);
    }
    for (const [name, node] of this.nodes) if (!seen.has(name)) this.dropNode(name, node);
    this.patchEdges();
    this.shift(moved);
    if (!this.nodes.has(this.active)) this.active = null;
    if (this.active === null && this.nodes.size) this.activate(this.nodes.keys().next().value);
  }

  patchEdges() {
    const strokes = this.model.get("_strokes") ?? {};
    const seen = new Set();
    for (const data of this.model.get("edges")) {
      const [u, v] = [this.nodes.get(data.u), this.nodes.get(data.v)];
      if (!u || !v) continue;
      const key = keyOf(data.u, data.v);
      seen.add(key);
      const signature = JSON.stringify([data, strokes[data.kind]]);
      const edge = this.edges.get(key) ?? this.newEdge(key, u, v);
      if (edge.signature === signature) continue;
      edge.signature = signature;
      edge.data = data;
      this.styleEdge(edge, strokes[data.kind] ?? {});
      this.stale.add(edge);
    }
    for (const [key, edge] of this.edges) {
      if (seen.has(key)) continue;
      edge.g.remove();
      edge.u.edges.delete(edge);
      edge.v.edges.delete(edge);
      this.edges.delete(key);
      this.stale.delete(edge);
    }
  }

  stale = new Set(); // edges to route anew

  // Put nodes where they belong, gliding when they were drawn elsewhere.
  shift(moved) {
    const far = [...moved].filter(([node, goal]) => goal && Math.hypot(node.x - goal[0], node.y - goal[1]) > 1);
    const calm = matchMedia("(prefers-reduced-motion: reduce)").matches || document.hidden;
    cancelAnimationFrame(this.glide);
    for (const [node] of moved) {
      for (const edge of node.edges) this.stale.add(edge);
    }
    if (!far.length || far.length > GLIDING || calm) {
      for (const [node, goal] of moved) this.place(node, ...(goal ?? [node.x, node.y]));
      this.route();
      return;
    }
    const begun = performance.now();
    const starts = [...moved].map(([node, goal]) => [node, [node.x, node.y], (node.goal = goal ?? [node.x, node.y])]);
    const touched = [...this.stale];
    const step = (now) => {
      const t = clamp((now - begun) / GLIDE, 0, 1);
      const eased = t * (2 - t);
      for (const [node, start, goal] of starts) this.place(node, ...between(start, goal, eased));
      if (t < 1) {
        for (const edge of touched) if (this.edges.get(edge.key) === edge) this.drawEdge(edge, [straight([edge.u.x, edge.u.y], [edge.v.x, edge.v.y])]);
        this.glide = requestAnimationFrame(step);
      } else {
        for (const [node, , goal] of starts) {
          this.place(node, ...goal);
          node.goal = null;
        }
        this.route();
        if (this.isFitted) this.fit();
      }
    };
    step(begun);
  }

  route() {
    for (const edge of this.stale) this.drawEdge(edge, this.curve(edge));
    this.stale.clear();
  }

  place(node, x, y) {
    node.x = x;
    node.y = y;
    node.g.setAttribute("transform", `translate(${short(x)} ${short(y)})`);
  }

  newNode(name) {
    const node = { name, edges: new Set(), frame: null, values: "", rows: [], goal: null };
    node.title = svg("title");
    node.body = svg("g");
    node.grip = svg("circle", { class: "bn-grip", r: 6 });
    node.g = svg("g", { class: "bn-node", tabindex: "-1", role: "button" }, node.title, node.body, node.grip);
    node.grip.append(svg("title", {}, "Drag to another node to add an edge (or press A)"));
    this.records.set(node.g, { node });
    this.balls.append(node.g);
    this.nodes.set(name, node);
    return node;
  }

  dropNode(name, node) {
    node.g.remove();
    this.nodes.delete(name);
  }

  // True when the node has another outline than before.
  drawNode(node, data) {
    const { x, y, bars, ...rest } = data;
    const before = node.data;
    const frame = JSON.stringify([rest, bars?.states]);
    node.data = data;
    if (node.frame !== frame) {
      node.frame = frame;
      this.frameNode(node, data);
    }
    if (bars) this.fillBars(node, bars);
    return !before || before.w !== data.w || before.h !== data.h || before.shape !== data.shape || !before.bars !== !bars;
  }

  frameNode(node, data) {
    const kind = /^[\w-]+$/.test(data.kind) ? ` bn-kind-${data.kind}` : "";
    node.g.setAttribute("class", `bn-node${kind}`);
    this.marked = this.marked.filter((element) => element !== node.g);
    setText(node.title, data.title || data.name);
    node.values = "";
    node.rows = data.bars ? this.bars(node, data) : [];
    const rows = node.rows.map((row) => row.g);
    node.body.replaceChildren(this.outline(data), data.bars ? this.heading(data) : this.label(data), ...rows);
    node.grip.setAttribute("cy", data.h / 2);
  }

  outline({ w, h, shape, bars }) {
    const common = { class: "bn-shape" };
    if (shape === "diamond" && !bars) return svg("path", { ...common, d: `M0,${-h / 2}L${w / 2},0L0,${h / 2}L${-w / 2},0Z` });
    if (shape === "box" || bars) {
      return svg("rect", { ...common, x: -w / 2, y: -h / 2, width: w, height: h, rx: shape === "box" ? 2 : 9 });
    }
    return svg("ellipse", { ...common, rx: w / 2, ry: h / 2 });
  }

  font(size) {
    this.family ??= getComputedStyle(this.el).fontFamily;
    return `${size}px ${this.family}`;
  }

  label({ name, w, shape }) {
    const room = shape === "diamond" ? w * 0.66 : w - (shape === "box" ? 10 : 14);
    return svg("text", { class: "bn-name", y: 4.5 }, fit(name, room, this.font(13)));
  }

  heading({ name, w, h }) {
    return svg("text", { class: "bn-name", y: -h / 2 + 16 }, fit(name, w - 12, this.font(13)));
  }

  bars(node, { w, h, bars }) {
    return bars.states.map((state, i) => this.bar(node, state, i, -w / 2 + 6, -h / 2 + HEADING + i * ROW, w - 12));
  }

  bar(node, state, i, left, top, room) {
    const row = { state, left, room, title: svg("title") };
    row.fill = svg("rect", { class: "bn-fill", x: left, y: top, height: ROW - 1, rx: 2 });
    row.before = svg("line", { class: "bn-before", y1: top + ROW - 6, y2: top + ROW - 1 });
    row.share = svg("text", { class: "bn-share", x: left + room - 3, y: top + 11 });
    const ground = svg("rect", { class: "bn-row", x: left, y: top, width: room, height: ROW - 1, rx: 2 });
    const name = svg("text", { class: "bn-state", x: left + 4, y: top + 11 }, fit(state, room - 48, this.font(11)));
    row.g = svg("g", { class: "bn-bar" }, row.title, ground, row.fill, name, row.share);
    this.records.set(row.g, { node, state: i });
    return row;
  }

  // Evidence changes the bars of all nodes: what is there is moved, not made anew.
  fillBars(node, bars) {
    const values = JSON.stringify(bars);
    if (node.values === values) return;
    node.values = values;
    node.rows.forEach((row, i) => this.fillBar(node, row, bars, i));
  }

  fillBar(node, row, bars, i) {
    const p = clamp(bars.p[i] ?? 0, 0, 1);
    setText(row.share, `${(100 * p).toFixed(p > 0 && p < 0.1 ? 1 : 0)}%`);
    setText(row.title, `${node.name} = ${row.state}: ${p.toPrecision(3)}${bars.before ? ` (before: ${bars.before[i].toPrecision(3)})` : ""}`);
    row.g.setAttribute("class", bars.set === i ? "bn-bar bn-set" : "bn-bar");
    row.fill.setAttribute("width", short(Math.max(row.room * p, 0.5)));
    if (!bars.before) {
      row.before.remove();
      return;
    }
    const at = short(row.left + row.room * clamp(bars.before[i] ?? 0, 0, 1));
    row.before.setAttribute("x1", at);
    row.before.setAttribute("x2", at);
    if (!row.before.parentNode) row.fill.after(row.before);
  }

  newEdge(key, u, v) {
    const edge = { key, u, v, signature: "", reach: [] };
    edge.title = svg("title");
    edge.line = svg("path", { class: "bn-line" });
    edge.head = svg("path", { class: "bn-head" });
    edge.hit = svg("path", { class: "bn-hit" });
    edge.g = svg("g", { class: "bn-edge" }, edge.title, edge.line, edge.head, edge.hit);
    this.records.set(edge.g, { edge });
    u.edges.add(edge);
    v.edges.add(edge);
    this.wires.append(edge.g);
    this.edges.set(key, edge);
    return edge;
  }

  styleEdge(edge, stroke) {
    const { u, v, directed, strength, title } = edge.data;
    const has = typeof strength === "number";
    edge.width = has ? 1 + 4.5 * clamp(strength, 0, 1) : stroke.width ?? 1.6;
    const colour = stroke.colour ?? "";
    edge.line.style.stroke = colour;
    edge.head.style.fill = colour;
    edge.line.style.strokeWidth = edge.width;
    edge.line.style.strokeDasharray = stroke.dash ?? "";
    // The colours of kinds would lose their contrast.
    const fades = has && !colour;
    edge.g.style.setProperty("--bn-strength", fades ? 0.5 + 0.5 * clamp(strength, 0, 1) : 1);
    if (fades) edge.g.style.setProperty("--bn-line", "var(--bn-ink)");
    else edge.g.style.removeProperty("--bn-line");
    setText(edge.title, title || `${u} ${directed ? "→" : "–"} ${v}`);
  }

  // As Python routed it while both ends stand where it put them, else simply.
  curve({ u, v, data }) {
    const points = data.points ?? [];
    const isAt = (point, node) => point && Math.hypot(point[0] - node.x, point[1] - node.y) < 0.5;
    if (points.length > 1 && isAt(points[0], u) && isAt(points.at(-1), v)) return smooth(points);
    const [a, b] = [[u.x, u.y], [v.x, v.y]];
    const twin = this.edges.has(keyOf(data.v, data.u));
    const bows = twin ? [TWIN] : BOWS;
    let [best, fewest] = [null, Infinity];
    for (const bow of bows) {
      const piece = bowed(a, b, bow);
      const hits = bows.length > 1 ? this.hits(piece, u, v, fewest) : 0;
      if (hits < fewest) [best, fewest] = [piece, hits];
      if (fewest === 0) break;
    }
    return [best];
  }

  // How many points of a curve lie on other nodes.
  hits(piece, u, v, enough) {
    const points = Array.from({ length: 15 }, (_, i) => pointOn(piece, (i + 1) / 16));
    const [xs, ys] = [points.map((p) => p[0]), points.map((p) => p[1])];
    const [left, right, top, bottom] = [Math.min(...xs), Math.max(...xs), Math.min(...ys), Math.max(...ys)];
    let hits = 0;
    for (const node of this.nodes.values()) {
      if (node === u || node === v) continue;
      const { w, h } = node.data;
      const [a, b] = [w / 2 + CLEARANCE, h / 2 + CLEARANCE];
      if (node.x + a < left || node.x - a > right || node.y + b < top || node.y - b > bottom) continue;
      for (const point of points) if (!isOutside(point, node, CLEARANCE)) hits++;
      if (hits >= enough) break;
    }
    return hits;
  }

  drawEdge(edge, curve) {
    edge.reach = curve.flatMap((piece) => [0.25, 0.5, 0.75].map((t) => pointOn(piece, t)));
    const clear = until(backwards(until(curve, (p) => isOutside(p, edge.v))), (p) => isOutside(p, edge.u));
    const [line, head] = arrow(backwards(clear), edge.width, edge.data.directed);
    edge.line.setAttribute("d", line);
    edge.head.setAttribute("d", head);
    edge.hit.setAttribute("d", path(backwards(clear)));
  }

  drawLegend() {
    const strokes = this.model.get("_strokes") ?? {};
    const counts = new Map();
    for (const { kind } of this.model.get("edges")) counts.set(kind, (counts.get(kind) ?? 0) + 1);
    const chips = this.model.get("legend").map(({ kind, label }) => {
      const sample = svg("svg", { width: 34, height: 12, "aria-hidden": "true" });
      sample.append(kind === "strength" ? svg("path", { class: "bn-wedge", d: "M1,5.6L33,2L33,10L1,6.4Z" }) : svg("path", { class: "bn-line", d: "M2,6H32" }));
      const { colour, width, dash } = strokes[kind] ?? {};
      if (kind !== "strength") Object.assign(sample.firstChild.style, { stroke: colour ?? "", strokeWidth: width ?? 1.6, strokeDasharray: dash ?? "" });
      const count = kind === "strength" ? "" : ` ${counts.get(kind) ?? 0}`;
      return make("span", { className: "bn-chip" }, sample, `${label}${count}`);
    });
    this.legend.replaceChildren(...chips);
    this.legend.hidden = chips.length === 0;
  }

  // -- marks: what is selected, active, lit; only elements whose marks change are touched --

  mark() {
    const selected = new Set(this.model.get("selected"));
    const edge = this.model.get("selected_edge");
    const chosen = edge && this.edges.get(keyOf(...edge));
    const hovered = this.model.get("hovered");
    const how = this.model.get("highlight");
    const centre = hovered !== null && this.nodes.has(hovered) ? [hovered] : [...selected];
    const dims = how !== "none" && centre.length > 0;
    const lit = dims ? relatives(centre, how, this.edges) : null;
    const marks = new Map();
    const add = (element, mark) => marks.set(element, [...(marks.get(element) ?? []), mark]);
    for (const name of selected) if (this.nodes.has(name)) add(this.nodes.get(name).g, "bn-selected");
    if (this.nodes.has(hovered)) add(this.nodes.get(hovered).g, "bn-hovered");
    if (this.nodes.has(this.found)) add(this.nodes.get(this.found).g, "bn-found");
    if (this.source) add(this.source.g, "bn-source");
    if (chosen) add(chosen.g, "bn-selected");
    if (lit) {
      for (const name of lit) if (this.nodes.has(name)) add(this.nodes.get(name).g, "bn-lit");
      for (const e of this.edges.values()) if (lit.has(e.data.u) && lit.has(e.data.v)) add(e.g, "bn-lit");
    }
    for (const element of this.marked) {
      if (!marks.has(element)) this.setMarks(element, []);
    }
    for (const [element, list] of marks) this.setMarks(element, list);
    this.marked = [...marks.keys()];
    this.world.classList.toggle("bn-dims", dims);
    this.ofEdge.hidden = !(chosen && this.model.get("editable"));
    this.choice.value = how;
    for (const element of this.pressedNodes ?? []) element.setAttribute("aria-pressed", "false");
    this.pressedNodes = [...selected].filter((name) => this.nodes.has(name)).map((name) => this.nodes.get(name).g);
    for (const element of this.pressedNodes) element.setAttribute("aria-pressed", "true");
  }

  setMarks(element, list) {
    const kept = [...element.classList].filter((name) => !MARKS.has(name));
    const wanted = [...kept, ...list].join(" ");
    if (element.getAttribute("class") !== wanted) element.setAttribute("class", wanted);
  }

  // -- view --

  bounds() {
    let [left, top, right, bottom] = [Infinity, Infinity, -Infinity, -Infinity];
    const include = (x0, y0, x1, y1) => {
      [left, top, right, bottom] = [Math.min(left, x0), Math.min(top, y0), Math.max(right, x1), Math.max(bottom, y1)];
    };
    for (const { x, y, goal, data } of this.nodes.values()) {
      const [cx, cy] = goal ?? [x, y];
      include(cx - data.w / 2, cy - data.h / 2, cx + data.w / 2, cy + data.h / 2);
    }
    for (const { u, v, data, reach } of this.edges.values()) {
      for (const [x, y] of u.goal || v.goal ? data.points ?? [] : reach) include(x, y, x, y);
    }
    return left < right ? { left, top, width: right - left, height: bottom - top } : { left: 0, top: 0, width: 1, height: 1 };
  }

  resize() {
    const width = this.svg.clientWidth;
    if (!width || (!this.isFitted && this.svg.style.height && !this.model.get("height"))) return;
    const { width: w, height: h } = this.bounds();
    const natural = h * Math.min(1, (width - 2 * MARGIN) / w) + 2 * MARGIN;
    const asked = this.model.get("height");
    // In a narrow place a picture that is as high as asked for would be mostly empty.
    const height = asked && (width > NARROW || natural > asked) ? asked : clamp(natural, HEIGHT.least, asked || HEIGHT.most);
    this.svg.style.height = `${Math.round(height)}px`;
    if (this.isFitted) this.fit();
  }

  fit() {
    const { clientWidth: width, clientHeight: height } = this.svg;
    if (!width || !height) return;
    const all = this.bounds();
    const k = clamp(Math.min((width - 2 * MARGIN) / all.width, (height - 2 * MARGIN) / all.height), ZOOM.least, ZOOM.fit);
    this.look(k, (width - all.width * k) / 2 - all.left * k, (height - all.height * k) / 2 - all.top * k);
    this.isFitted = true;
  }

  look(k, x, y) {
    this.view = { k, x, y };
    this.world.classList.toggle("bn-far", k < LEGIBLE);
    this.world.setAttribute("transform", `translate(${short(x)} ${short(y)}) scale(${k.toFixed(4)})`);
  }

  zoom(factor, at = [this.svg.clientWidth / 2, this.svg.clientHeight / 2]) {
    const { k, x, y } = this.view;
    const next = clamp(k * factor, ZOOM.least, ZOOM.most);
    this.isFitted = false;
    this.look(next, at[0] - ((at[0] - x) / k) * next, at[1] - ((at[1] - y) / k) * next);
  }

  pan(dx, dy) {
    this.isFitted = false;
    this.look(this.view.k, this.view.x + dx, this.view.y + dy);
  }

  inSvg(event) {
    const box = this.svg.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
  }

  inWorld(event) {
    const [x, y] = this.inSvg(event);
    return [(x - this.view.x) / this.view.k, (y - this.view.y) / this.view.k];
  }

  reveal(node) {
    const { k, x, y } = this.view;
    const [cx, cy] = [node.x * k + x, node.y * k + y];
    const [w, h] = [this.svg.clientWidth, this.svg.clientHeight];
    const [mx, my] = [Math.min(60, w / 4), Math.min(30, h / 4)];
    const [dx, dy] = [clamp(cx, mx, w - mx) - cx, clamp(cy, my, h - my) - cy];
    if (dx || dy) this.pan(dx, dy);
  }

  wheel(event) {
    if (!event.ctrlKey && !event.metaKey && !this.el.contains(document.activeElement)) {
      this.say("The wheel zooms after a click into the picture, or with Ctrl held.");
      return;
    }
    event.preventDefault();
    const lines = event.deltaMode === 1 ? 20 : 1;
    this.zoom(Math.exp(-clamp(event.deltaY * lines, -200, 200) * (event.ctrlKey ? 0.008 : 0.002)), this.inSvg(event));
  }
}
