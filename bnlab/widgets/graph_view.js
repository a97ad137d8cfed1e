// Draws `nodes` and `edges` as SVG to drag, zoom, select and edit; Python decides what an edit does. See graph_view.py.

const SVG = "http://www.w3.org/2000/svg";
const MARGIN = 14;
const ZOOM = { least: 0.05, most: 6, step: 1.25, fit: 1.25 };
const HEIGHT = { least: 180, most: 720 };
const FLATTEST = 1.5; // a line leaves its node no flatter than this, sideways for each pixel down
const HANDLE = 0.42;
const HEAD = { length: 9, width: 7 };
const BOWS = [0, 24, -24, 48, -48, 80, -80, 120, -120]; // pixels that a moved edge goes aside, tried in this order
const CLEARANCE = 6; // between a moved edge and the nodes beside it
const TWIN = 17; // the same, where there is an edge back
const SLACK = 4; // pixels that a click may move
const GLIDE = 260; // ms
const GLIDING = 300; // more nodes than this jump
const LEGIBLE = 0.3; // scale from which names are worth drawing
const ROW = 15; // height of a bar
const HEADING = 22; // height of the name above the bars
const ABSENT = new Set(["missing", "dropped"]); // kinds of edges that the graph does not have
const HIGHLIGHTS = {
  none: "nothing",
  neighbours: "neighbours",
  "markov-blanket": "Markov blanket",
  ancestors: "ancestors",
  descendants: "descendants",
};

const keyOf = (u, v) => JSON.stringify([u, v]);
const short = (value) => Math.round(value * 10) / 10;
const clamp = (value, low, high) => Math.max(low, Math.min(high, value));

function svg(tag, attributes = {}, ...children) {
  const element = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

function html(tag, properties = {}, ...children) {
  const element = Object.assign(document.createElement(tag), properties);
  element.append(...children);
  return element;
}

const setText = (element, text) => {
  if (element.textContent !== text) element.textContent = text;
};

// ---- Curves: lists of Bézier pieces, each of four points [x, y] ----

const between = (a, b, t) => [a[0] + (b[0] - a[0]) * t, a[1] + (b[1] - a[1]) * t];

function pointOn([a, b, c, d], t) {
  const s = 1 - t;
  const weights = [s * s * s, 3 * s * s * t, 3 * s * t * t, t * t * t];
  return [0, 1].map((k) => weights[0] * a[k] + weights[1] * b[k] + weights[2] * c[k] + weights[3] * d[k]);
}

function firstPart(piece, t) {
  const corners = [piece[0]];
  for (let rest = piece; rest.length > 1; ) {
    rest = rest.slice(1).map((point, i) => between(rest[i], point, t));
    corners.push(rest[0]);
  }
  return corners;
}

const backwards = (curve) => curve.map((piece) => [...piece].reverse()).reverse();

function until(curve, isClear) {
  const kept = [...curve];
  while (kept.length > 1 && !isClear(kept.at(-1)[0])) kept.pop();
  const last = kept.pop();
  let [low, high] = [0, 1];
  for (let i = 0; i < 14; i++) {
    const middle = (low + high) / 2;
    if (isClear(pointOn(last, middle))) low = middle;
    else high = middle;
  }
  return [...kept, firstPart(last, low)];
}

// Monotone cubic of x over y (Fritsch and Carlson 1980), which never overshoots its points.
function smooth(route) {
  const steps = route.slice(1).map((b, i) => [b[0] - route[i][0], b[1] - route[i][1]]);
  if (steps.some(([, down]) => Math.abs(down) < 1e-9)) return steps.map((_, i) => straight(route[i], route[i + 1]));
  const slopes = steps.map(([across, down]) => across / down);
  const inner = slopes.slice(1).map((s, i) => (s * slopes[i] <= 0 ? 0 : 2 / (1 / s + 1 / slopes[i])));
  const tangents = [slopes[0], ...inner, slopes.at(-1)].map((t) => clamp(t, -FLATTEST, FLATTEST));
  return steps.map(([, down], i) => {
    const [a, b] = [route[i], route[i + 1]];
    const h = down * (Math.abs(slopes[i]) <= FLATTEST ? 1 / 3 : HANDLE);
    return [a, [a[0] + tangents[i] * h, a[1] + h], [b[0] - tangents[i + 1] * h, b[1] - h], b];
  });
}

const straight = (a, b) => [a, between(a, b, 1 / 3), between(a, b, 2 / 3), b];

function bowed(a, b, bow) {
  const share = ((4 / 3) * bow) / Math.max(Math.hypot(b[0] - a[0], b[1] - a[1]), 1);
  const aside = [(b[1] - a[1]) * share, (a[0] - b[0]) * share];
  const [, p, q] = straight(a, b);
  return [a, [p[0] + aside[0], p[1] + aside[1]], [q[0] + aside[0], q[1] + aside[1]], b];
}

function isOutside(point, node, margin = 1) {
  const x = Math.abs(point[0] - node.x) / (node.data.w / 2 + margin);
  const y = Math.abs(point[1] - node.y) / (node.data.h / 2 + margin);
  if (node.data.shape === "diamond") return x + y > 1;
  if (node.data.shape === "box" || node.data.bars) return Math.max(x, y) > 1;
  return x * x + y * y > 1;
}

const path = (curve) =>
  `M${curve[0][0].map(short)}` + curve.map((piece) => `C${piece.slice(1).flat().map(short)}`).join("");

// The line, shortened by the length of its head, and the head.
function arrow(curve, width, directed) {
  if (!directed) return [path(curve), ""];
  const tip = curve.at(-1)[3];
  const size = HEAD.length + (width - 1.6) * 1.2;
  const line = until(curve, (p) => Math.hypot(p[0] - tip[0], p[1] - tip[1]) > size - 1);
  const base = line.at(-1)[3];
  const length = Math.max(Math.hypot(tip[0] - base[0], tip[1] - base[1]), 1e-9);
  const along = [(tip[0] - base[0]) / length, (tip[1] - base[1]) / length];
  const half = (HEAD.width + width) / 2;
  const back = [tip[0] - along[0] * size, tip[1] - along[1] * size];
  const corners = [tip, [back[0] - along[1] * half, back[1] + along[0] * half], [back[0] + along[1] * half, back[1] - along[0] * half]];
  return [path(line), `M${corners.map((corner) => corner.map(short)).join("L")}Z`];
}

// ---- Text that fits its node: the middle is left out when it does not ----

const ruler = document.createElement("canvas").getContext("2d");
const fitted = new Map();

function fit(text, width, font) {
  const key = `${font}|${Math.round(width)}|${text}`;
  if (!fitted.has(key)) {
    if (fitted.size > 20_000) fitted.clear();
    fitted.set(key, shortened(text, width, font));
  }
  return fitted.get(key);
}

function shortened(text, width, font) {
  ruler.font = font;
  const letters = [...text];
  const cut = (most) => {
    if (most >= letters.length) return text;
    const tail = Math.floor((most - 1) / 2);
    return `${letters.slice(0, most - 1 - tail).join("")}…${letters.slice(letters.length - tail).join("")}`;
  };
  let [low, high] = [1, letters.length];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (ruler.measureText(cut(middle)).width <= width) low = middle;
    else high = middle - 1;
  }
  return cut(low);
}

// ---- Relations in the graph ----

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

// ---- The picture ----

class Picture {
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
    this.build();
    this.listen();
    this.request("nodes", "edges", "legend", "status", "height", "description", "editable");
  }

  build() {
    this.wires = svg("g", { class: "bn-edges" });
    this.balls = svg("g", { class: "bn-nodes" });
    this.rubber = svg("path", { class: "bn-rubber" });
    this.world = svg("g", {}, this.wires, this.balls, this.rubber);
    this.svg = svg("svg", { class: "bn-svg", role: "group", tabindex: "-1" }, this.world);
    this.legend = html("div", { className: "bn-legend" });
    this.status = html("div", { className: "bn-status", role: "status" });
    this.status.setAttribute("aria-live", "polite");
    this.el.classList.add("bn-graph");
    this.el.append(this.toolbar(), this.svg, this.legend, this.status);
  }

  toolbar() {
    const button = (text, title, action) => {
      const made = html("button", { type: "button", textContent: text, title, onclick: action });
      made.setAttribute("aria-label", title);
      return made;
    };
    this.search = html("input", { type: "search", placeholder: "Find a node", className: "bn-search" });
    this.search.setAttribute("aria-label", "Find a node by its name; Enter goes to the next");
    this.search.addEventListener("input", () => this.seek(0));
    this.choice = html("select", { title: "What lights up around a node that is selected or under the mouse" });
    this.choice.setAttribute("aria-label", "What lights up around a node");
    for (const [value, textContent] of Object.entries(HIGHLIGHTS)) this.choice.append(html("option", { value, textContent }));
    this.choice.addEventListener("change", () => this.report({ highlight: this.choice.value }));
    this.ofEdge = html(
      "span",
      { className: "bn-group", hidden: true },
      button("Reverse", "Reverse the selected edge (R)", () => this.edit("reverse")),
      button("Delete", "Delete the selected edge (Delete)", () => this.edit("delete")),
    );
    const tools = html(
      "div",
      { className: "bn-tools", role: "toolbar" },
      this.search,
      html("label", {}, "light up ", this.choice),
      this.ofEdge,
      html("span", { className: "bn-space" }),
      html(
        "span",
        { className: "bn-group" },
        button("+", "Zoom in (+)", () => this.zoom(ZOOM.step)),
        button("−", "Zoom out (-)", () => this.zoom(1 / ZOOM.step)),
        button("Fit", "Show all of it (0)", () => this.fit()),
      ),
      html(
        "span",
        { className: "bn-group" },
        button("SVG", "Save the picture as SVG", () => this.save("svg")),
        button("PNG", "Save the picture as PNG", () => this.save("png")),
      ),
    );
    tools.setAttribute("aria-label", "Picture of the graph");
    return tools;
  }

  listen() {
    const follow = (...names) => {
      for (const name of names) {
        const heard = () => this.request(name);
        this.model.on(`change:${name}`, heard);
        (this.ends ??= []).push(() => this.model.off(`change:${name}`, heard));
      }
    };
    follow("nodes", "edges", "positions", "legend", "_strokes", "selected", "selected_edge", "hovered", "highlight");
    follow("editable", "status", "description", "height");
    const on = (element, type, method, options) =>
      element.addEventListener(type, (event) => method.call(this, event), options);
    on(this.svg, "pointerdown", this.press);
    on(this.svg, "pointermove", this.move);
    on(this.svg, "pointerup", this.release);
    on(this.svg, "pointercancel", this.release);
    on(this.svg, "pointerleave", () => this.gesture ?? this.hover(null));
    on(this.svg, "click", this.click);
    on(this.svg, "wheel", this.wheel, { passive: false });
    // Not on the SVG: a listener for focus would make it a stop of the Tab key.
    on(this.el, "focusin", this.focused);
    on(this.el, "keydown", this.key);
    this.resized = new ResizeObserver(() => this.request("height"));
    this.resized.observe(this.svg);
  }

  end() {
    for (const stop of this.ends) stop();
    this.resized.disconnect();
    cancelAnimationFrame(this.frame);
    cancelAnimationFrame(this.glide);
    clearTimeout(this.hovering);
  }

  report(values) {
    for (const [name, value] of Object.entries(values)) this.model.set(name, value);
    this.model.save_changes();
  }

  say(text) {
    setText(this.status, text);
  }

  // -- drawing --

  request(...names) {
    for (const name of names) this.pending.add(name);
    this.frame ||= requestAnimationFrame(() => this.draw());
  }

  draw() {
    this.frame = 0;
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
    if (changed("height", "nodes", "positions")) this.resize();
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
    const node = { name, edges: new Set(), signature: "", goal: null };
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
    const { x, y, ...rest } = data;
    const signature = JSON.stringify(rest);
    const before = node.data;
    node.data = data;
    if (node.signature === signature) return false;
    node.signature = signature;
    const kind = /^[\w-]+$/.test(data.kind) ? ` bn-kind-${data.kind}` : "";
    node.g.setAttribute("class", `bn-node${kind}`);
    this.marked = this.marked.filter((element) => element !== node.g);
    setText(node.title, data.title || data.name);
    const parts = [this.outline(data), ...(data.bars ? this.bars(node, data) : [this.label(data)])];
    node.body.replaceChildren(...parts);
    node.grip.setAttribute("cy", data.h / 2);
    return !before || before.w !== data.w || before.h !== data.h || before.shape !== data.shape || !before.bars !== !data.bars;
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
    return `${size}px ${getComputedStyle(this.el).fontFamily}`;
  }

  label({ name, w, shape }) {
    const room = shape === "diamond" ? w * 0.66 : w - (shape === "box" ? 10 : 14);
    return svg("text", { class: "bn-name", y: 4.5 }, fit(name, room, this.font(13)));
  }

  bars(node, { name, w, h, bars }) {
    const heading = svg("text", { class: "bn-name", y: -h / 2 + 16 }, fit(name, w - 12, this.font(13)));
    const left = -w / 2 + 6;
    const room = w - 12;
    return [heading, ...bars.states.map((state, i) => this.bar(node, bars, state, i, left, -h / 2 + HEADING + i * ROW, room))];
  }

  bar(node, bars, state, i, left, top, room) {
    const p = clamp(bars.p[i] ?? 0, 0, 1);
    const text = `${(100 * p).toFixed(p > 0 && p < 0.1 ? 1 : 0)}%`;
    const row = svg(
      "g",
      { class: bars.set === i ? "bn-bar bn-set" : "bn-bar" },
      svg("title", {}, `${node.name} = ${state}: ${p.toPrecision(3)}${bars.before ? ` (before: ${bars.before[i].toPrecision(3)})` : ""}`),
      svg("rect", { class: "bn-row", x: left, y: top, width: room, height: ROW - 1, rx: 2 }),
      svg("rect", { class: "bn-fill", x: left, y: top, width: Math.max(room * p, 0.5), height: ROW - 1, rx: 2 }),
    );
    if (bars.before) {
      const at = left + room * clamp(bars.before[i] ?? 0, 0, 1);
      row.append(svg("line", { class: "bn-before", x1: at, x2: at, y1: top + ROW - 6, y2: top + ROW - 1 }));
    }
    row.append(
      svg("text", { class: "bn-state", x: left + 4, y: top + 11 }, fit(state, room - 48, this.font(11))),
      svg("text", { class: "bn-share", x: left + room - 3, y: top + 11 }, text),
    );
    this.records.set(row, { node, state: i });
    return row;
  }

  newEdge(key, u, v) {
    const edge = { key, u, v, signature: "" };
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
      return html("span", { className: "bn-chip" }, sample, `${label}${count}`);
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
    for (const { data } of this.edges.values()) for (const [x, y] of data.points ?? []) include(x, y, x, y);
    return left < right ? { left, top, width: right - left, height: bottom - top } : { left: 0, top: 0, width: 1, height: 1 };
  }

  resize() {
    const width = this.svg.clientWidth;
    if (!width || (!this.isFitted && this.svg.style.height && !this.model.get("height"))) return;
    const { width: w, height: h } = this.bounds();
    const natural = h * Math.min(1, (width - 2 * MARGIN) / w) + 2 * MARGIN;
    const height = this.model.get("height") || clamp(natural, HEIGHT.least, HEIGHT.most);
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

  // -- mouse and touch --

  recordAt(target) {
    for (let element = target; element && element !== this.svg; element = element.parentNode) {
      const record = this.records.get(element);
      if (record) return record;
    }
    return {};
  }

  press(event) {
    if (event.button !== 0) return;
    this.pointers.set(event.pointerId, this.inSvg(event));
    if (this.pointers.size === 2) {
      this.gesture = { type: "pinch" };
      return;
    }
    const { node } = this.recordAt(event.target);
    const start = this.inSvg(event);
    this.gesture = { type: "pan", start, last: start, moved: false, id: event.pointerId };
    if (node && event.target === node.grip && this.model.get("editable")) {
      this.gesture.type = "wire";
      this.gesture.node = node;
    } else if (node) {
      const selected = this.model.get("selected");
      const names = selected.includes(node.name) ? selected : [node.name];
      this.gesture.type = "drag";
      this.gesture.nodes = names.map((name) => this.nodes.get(name)).filter(Boolean);
    }
  }

  move(event) {
    const here = this.inSvg(event);
    const gesture = this.gesture;
    if (!gesture) {
      this.hover(this.recordAt(event.target).node?.name ?? null);
      return;
    }
    if (gesture.type === "pinch") {
      this.pinch(event.pointerId, here);
      return;
    }
    if (!gesture.moved) {
      if (Math.hypot(here[0] - gesture.start[0], here[1] - gesture.start[1]) < SLACK) return;
      gesture.moved = true;
      this.svg.setPointerCapture(gesture.id);
      this.el.classList.add("bn-moving");
    }
    const [dx, dy] = [here[0] - gesture.last[0], here[1] - gesture.last[1]];
    gesture.last = here;
    if (gesture.type === "pan") this.pan(dx, dy);
    else if (gesture.type === "drag") this.drag(gesture.nodes, dx / this.view.k, dy / this.view.k);
    else this.pull(gesture.node, event);
  }

  pinch(id, here) {
    const before = [...this.pointers.values()];
    this.pointers.set(id, here);
    const after = [...this.pointers.values()];
    const distance = ([a, b]) => Math.max(Math.hypot(a[0] - b[0], a[1] - b[1]), 1);
    const [from, to] = [between(...before, 0.5), between(...after, 0.5)];
    this.pan(to[0] - from[0], to[1] - from[1]);
    this.zoom(distance(after) / distance(before), to);
  }

  drag(nodes, dx, dy) {
    this.isFitted = false;
    for (const node of nodes) {
      this.place(node, node.x + dx, node.y + dy);
      for (const edge of node.edges) this.stale.add(edge);
    }
    this.routing ||= requestAnimationFrame(() => {
      this.routing = 0;
      this.route();
    });
  }

  keep(nodes) {
    const here = nodes.filter((node) => this.nodes.get(node.name) === node);
    const moved = Object.fromEntries(here.map((node) => [node.name, [short(node.x), short(node.y)]]));
    this.report({ positions: { ...this.model.get("positions"), ...moved } });
  }

  pull(node, event) {
    const to = this.inWorld(event);
    const under = this.recordAt(document.elementFromPoint(event.clientX, event.clientY)).node ?? null;
    const target = under !== node ? under : null;
    const end = target ? [target.x, target.y] : to;
    this.rubber.setAttribute("d", `M${node.x},${node.y}L${end}`);
    this.gesture.target = target;
    this.found = target?.name ?? null;
    this.mark();
  }

  release(event) {
    this.pointers.delete(event.pointerId);
    const gesture = this.gesture;
    this.gesture = null;
    this.el.classList.remove("bn-moving");
    this.rubber.setAttribute("d", "");
    if (!gesture?.moved) return;
    this.skipClick = true;
    setTimeout(() => (this.skipClick = false));
    if (gesture.type === "drag") this.keep(gesture.nodes);
    if (gesture.type === "wire") {
      this.found = null;
      if (gesture.target && event.type === "pointerup") this.send("add", gesture.node.name, gesture.target.name);
      this.mark();
    }
  }

  click(event) {
    if (this.skipClick) return;
    const { node, state, edge } = this.recordAt(event.target);
    const several = event.shiftKey || event.ctrlKey || event.metaKey;
    if (edge) this.report({ selected_edge: [edge.data.u, edge.data.v], selected: several ? this.model.get("selected") : [] });
    if (edge) this.say(edge.title.textContent);
    if (node && this.source) this.finish(node);
    else if (state !== undefined) this.evidence(node, state);
    else if (node) this.select(node, several);
    if (!edge && !node) this.clear();
    if (node) this.activate(node.name, true);
    else (this.nodes.get(this.active)?.g ?? this.svg).focus({ preventScroll: true });
  }

  hover(name) {
    if (name === this.pointed) return;
    this.pointed = name;
    clearTimeout(this.hovering);
    this.hovering = setTimeout(() => {
      if (this.model.get("hovered") !== this.pointed) this.report({ hovered: this.pointed });
    }, 30);
  }

  // -- selecting and editing --

  select(node, several) {
    const before = this.model.get("selected");
    const others = before.filter((name) => name !== node.name);
    const selected = !several ? [node.name] : others.length < before.length ? others : [...before, node.name];
    this.report({ selected, selected_edge: null });
    this.say(selected.length === 1 ? `Selected: ${selected[0]}` : `Selected: ${selected.length} nodes`);
  }

  clear() {
    this.source = null;
    this.found = null;
    if (this.model.get("selected").length || this.model.get("selected_edge")) this.report({ selected: [], selected_edge: null });
    this.say(this.model.get("status"));
    this.mark();
  }

  evidence(node, state) {
    this.model.send({ type: "evidence", node: node.name, state: node.data.bars?.set === state ? null : state });
  }

  send(action, u, v) {
    this.model.send({ type: "edit", action, u, v });
  }

  edit(action) {
    const edge = this.model.get("selected_edge");
    if (edge && this.model.get("editable")) this.send(action, ...edge);
    this.nodes.get(edge?.[0])?.g.focus({ preventScroll: true });
  }

  begin(node) {
    this.source = node;
    this.say(`New edge from ${node.name}: go to another node and press Enter, or click it. Escape gives up.`);
    this.mark();
  }

  finish(node) {
    const from = this.source;
    this.source = null;
    if (node !== from) this.send("add", from.name, node.name);
    this.say("");
    this.mark();
  }

  seek(step) {
    const wanted = this.search.value.trim().toLowerCase();
    const names = wanted ? [...this.nodes.keys()].filter((name) => name.toLowerCase().includes(wanted)) : [];
    if (!names.length) {
      this.found = null;
      this.say(wanted ? `No node has “${this.search.value.trim()}” in its name.` : this.model.get("status"));
      this.mark();
      return;
    }
    const at = names.indexOf(this.found);
    const isNew = at < 0 || !this.model.get("selected").includes(this.found);
    const i = step === 0 || isNew ? Math.max(at, 0) : (at + step + names.length) % names.length;
    this.found = names[i];
    this.reveal(this.nodes.get(this.found));
    this.say(`${this.found} (${i + 1} of ${names.length})`);
    if (step) this.report({ selected: [this.found], selected_edge: null });
    this.activate(this.found);
    this.mark();
  }

  // -- keyboard --

  activate(name, focus = false) {
    this.nodes.get(this.active)?.g.setAttribute("tabindex", "-1");
    this.active = name;
    const node = this.nodes.get(name);
    node?.g.setAttribute("tabindex", "0");
    if (focus) node?.g.focus({ preventScroll: true });
  }

  focused(event) {
    const { node } = this.recordAt(event.target);
    if (node && node.name !== this.active) this.activate(node.name);
  }

  // The nearest node in a direction; what lies aside counts more than what lies ahead.
  beside(node, [dx, dy]) {
    let [best, least] = [null, Infinity];
    for (const other of this.nodes.values()) {
      const ahead = (other.x - node.x) * dx + (other.y - node.y) * dy;
      const aside = Math.abs((other.x - node.x) * dy) + Math.abs((other.y - node.y) * dx);
      const cost = ahead + (dx ? 6 : 1.5) * aside;
      if (other !== node && ahead > 1 && cost < least) [best, least] = [other, cost];
    }
    return best;
  }

  key(event) {
    const inPicture = this.svg.contains(event.target);
    const handled = event.target === this.search ? this.searchKey(event) : inPicture && this.pictureKey(event);
    // Plain keys are commands to the notebook, such as B for a new cell.
    if (handled || !(event.ctrlKey || event.metaKey)) event.stopPropagation();
    if (handled) event.preventDefault();
  }

  searchKey(event) {
    if (event.key === "Enter") this.seek(event.shiftKey ? -1 : 1);
    else if (event.key === "Escape") {
      this.search.value = "";
      this.clear();
    } else return false;
    return true;
  }

  pictureKey(event) {
    const node = this.nodes.get(this.active);
    const way = ARROWS[event.key];
    if (way) return this.arrowKey(node, way, event);
    if (event.ctrlKey || event.metaKey) return this.commandKey(event);
    if (event.altKey) return false;
    const action = this.actions(node, event)[event.key.length === 1 ? event.key.toLowerCase() : event.key];
    if (!action) return false;
    action();
    return true;
  }

  arrowKey(node, way, event) {
    if (!node) return false;
    if (event.altKey || event.ctrlKey) {
      this.drag([node], way[0] * 10, way[1] * 10);
      clearTimeout(this.keeping);
      this.keeping = setTimeout(() => this.keep([node]), 250);
      return true;
    }
    const next = this.beside(node, way);
    if (next) {
      this.activate(next.name, true);
      this.reveal(next);
    }
    return true;
  }

  commandKey(event) {
    const key = event.key.toLowerCase();
    if (!this.model.get("editable") || !["z", "y"].includes(key)) return false;
    this.model.send({ type: key === "y" || event.shiftKey ? "redo" : "undo" });
    return true;
  }

  actions(node, event) {
    const pick = node && (() => (this.source ? this.finish(node) : this.select(node, event.shiftKey)));
    const edge = this.model.get("selected_edge");
    const editable = this.model.get("editable");
    const digits = Object.fromEntries(
      (node?.data.bars?.states ?? []).slice(0, 9).map((_, i) => [String(i + 1), () => this.evidence(node, i)]),
    );
    return {
      ...digits,
      Enter: pick,
      " ": pick,
      Escape: () => this.clear(),
      "+": () => this.zoom(ZOOM.step),
      "=": () => this.zoom(ZOOM.step),
      "-": () => this.zoom(1 / ZOOM.step),
      0: () => this.fit(),
      "/": () => this.search.focus(),
      e: node && (() => this.nextEdge(node, event.shiftKey ? -1 : 1)),
      a: editable && node && (() => this.begin(node)),
      r: editable && edge && (() => this.edit("reverse")),
      Delete: editable && edge && (() => this.edit("delete")),
      Backspace: editable && edge && (() => this.edit("delete")),
    };
  }

  nextEdge(node, step) {
    const edges = [...node.edges];
    if (!edges.length) return;
    const now = this.model.get("selected_edge");
    const at = now ? edges.findIndex((edge) => edge.key === keyOf(...now)) : -1;
    const { data, title } = edges[at < 0 ? 0 : (at + step + edges.length) % edges.length];
    this.report({ selected_edge: [data.u, data.v] });
    this.say(title.textContent);
  }

  // -- saving --

  async save(format) {
    try {
      const { text, width, height } = this.still();
      const blob = new Blob([text], { type: "image/svg+xml" });
      download(format === "svg" ? blob : await painted(blob, width, height), `graph.${format}`);
      this.say(`Saved as graph.${format}.`);
    } catch (error) {
      this.say(`The picture could not be saved: ${error?.message ?? error}`);
    }
  }

  // The picture as a file of its own, in light colours, with its legend.
  still() {
    const { left, top, width, height } = this.bounds();
    const pad = 2 * MARGIN;
    const legend = this.stillLegend(width, top + height + MARGIN, left);
    const size = { width: Math.max(width, legend.width) + pad, height: height + legend.height + pad };
    const world = this.world.cloneNode(true);
    world.removeAttribute("transform");
    world.classList.remove("bn-dims", "bn-far");
    for (const element of world.querySelectorAll(".bn-hit, .bn-grip, .bn-rubber")) element.remove();
    for (const element of world.querySelectorAll(".bn-node, .bn-edge")) this.setMarks(element, []);
    const box = [left - MARGIN, top - MARGIN, size.width, size.height].map(short);
    const image = svg("svg", { xmlns: SVG, viewBox: box.join(" "), width: short(size.width), height: short(size.height) });
    const ground = svg("rect", { x: box[0], y: box[1], width: box[2], height: box[3], fill: "#ffffff" });
    image.append(svg("title", {}, this.model.get("description") || "graph"), ground, world, legend.g);
    const stage = html("div", { className: "bn-graph bn-stage" });
    stage.append(image);
    this.el.append(stage);
    inlineStyles(image);
    stage.remove();
    return { text: new XMLSerializer().serializeToString(image), ...size };
  }

  stillLegend(limit, top, left) {
    const g = svg("g");
    let [x, y, widest] = [0, top + 12, 0];
    for (const chip of this.legend.children) {
      const text = chip.textContent;
      ruler.font = this.font(12);
      const width = ruler.measureText(text).width + 62;
      if (x > 0 && x + width > Math.max(limit, 240)) [x, y] = [0, y + 24];
      const sample = chip.querySelector("path").cloneNode();
      sample.setAttribute("transform", `translate(${short(left + x)} ${short(y - 6)})`);
      g.append(sample, svg("text", { class: "bn-state", x: short(left + x + 40), y: short(y + 4) }, text));
      x += width;
      widest = Math.max(widest, x);
    }
    return { g, width: widest, height: widest ? y - top + 12 : 0 };
  }
}

const MARKS = new Set(["bn-selected", "bn-hovered", "bn-found", "bn-source", "bn-lit"]);
const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
const SHAPE_STYLES = ["fill", "stroke", "stroke-width", "stroke-dasharray", "fill-opacity", "stroke-opacity"];
const TEXT_STYLES = ["fill", "font-family", "font-size", "text-anchor"];

// All styles are read before any is written: the rules see the classes of the elements around.
function inlineStyles(root) {
  const found = [...root.querySelectorAll("*")].map((element) => {
    const style = getComputedStyle(element);
    const names = { g: [], title: [], text: TEXT_STYLES }[element.tagName] ?? SHAPE_STYLES;
    return [element, names.map((name) => [name, style.getPropertyValue(name)])];
  });
  for (const [element, styles] of found) {
    for (const name of ["style", "class", "tabindex", "role", "aria-pressed"]) element.removeAttribute(name);
    for (const [name, value] of styles) element.setAttribute(name, value);
  }
}

async function painted(blob, width, height) {
  const url = URL.createObjectURL(blob);
  try {
    const image = new Image();
    image.src = url;
    await image.decode();
    const scale = Math.min(2, 8000 / Math.max(width, height));
    const canvas = html("canvas", { width: Math.ceil(width * scale), height: Math.ceil(height * scale) });
    canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
    return await new Promise((resolve) => canvas.toBlob(resolve, "image/png"));
  } finally {
    URL.revokeObjectURL(url);
  }
}

function download(blob, name) {
  const link = html("a", { href: URL.createObjectURL(blob), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

function render({ model, el }) {
  const picture = new Picture(model, el);
  return () => picture.end();
}

export default { render };
