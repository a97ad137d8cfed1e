// Nodes of a graph as SVG, with the bars of their states.
import { setText } from "../../base/page/elements.js";
import { MARKS } from "./commands.js";
import { clamp, fit, fitAll, short, svg } from "./shapes.js";
import { HEADING, SIZES } from "./sizes.js";

const MODULE_COLOURS = 6;
const ROW = 15; // height of a bar in pixels

export class NodeLayer {
  // `records` maps SVG elements to nodes and edges; `font` returns the font of a size.
  constructor(records, font) {
    this.records = records;
    this.font = font;
    this.byName = new Map();
    this.element = svg("g", { class: "bn-nodes" });
    this.small = SIZES.small; // size of the texts of bars
  }

  // Show these nodes; returns the centres of nodes that are new, have moved or have another outline.
  update(list, centreOf) {
    const moved = new Map();
    for (const data of list) {
      const node = this.byName.get(data.name) ?? this.add(data.name);
      const [x, y] = centreOf(data, node);
      if (this.draw(node, data) || node.x !== x || node.y !== y) moved.set(node, [x, y]);
    }
    const seen = new Set(list.map(({ name }) => name));
    for (const [name, node] of this.byName) {
      if (seen.has(name)) continue;
      node.g.remove();
      this.byName.delete(name);
    }
    return moved;
  }

  add(name) {
    const [title, body, grip] = [svg("title"), svg("g"), svg("circle", { class: "bn-grip", r: 6 })];
    grip.append(svg("title", {}, "Drag to another node to add an edge (or press A)"));
    const g = svg("g", { class: "bn-node", tabindex: "-1", role: "button" }, title, body, grip);
    const node = { name, edges: new Set(), frame: null, values: "", rows: [], title, body, grip, g };
    this.records.set(node.g, { node });
    this.element.append(node.g);
    this.byName.set(name, node);
    return node;
  }

  place(node, x, y) {
    Object.assign(node, { x, y });
    node.g.setAttribute("transform", `translate(${short(x)} ${short(y)})`);
  }

  // Returns whether the outline of the node has changed.
  draw(node, data) {
    const { x: _x, y: _y, bars, ...rest } = data;
    const before = node.data;
    const frame = JSON.stringify([rest, bars?.states]);
    node.data = data;
    if (node.frame !== frame) {
      node.frame = frame;
      this.drawFrame(node, data);
    }
    if (bars) this.fillBars(node, bars);
    return !before || before.w !== data.w || before.h !== data.h || before.shape !== data.shape || !before.bars !== !bars;
  }

  drawFrame(node, data) {
    const kind = /^[\w-]+$/.test(data.kind) ? ` bn-kind-${data.kind}` : "";
    const marks = [...node.g.classList].filter((name) => MARKS.has(name)).map((name) => ` ${name}`);
    const module = Number.isInteger(data.module) ? ` bn-module-${data.module % MODULE_COLOURS}` : "";
    node.g.setAttribute("class", `bn-node${module}${kind}${marks.join("")}`);
    setText(node.title, data.title || data.name);
    node.values = "";
    node.rows = (data.bars?.states ?? []).map((state, i) => this.bar(node, state, i, data));
    this.nameStates(node.rows);
    const rows = node.rows.map((row) => row.g);
    node.label = this.label(data);
    node.body.replaceChildren(this.outline(data), node.label, ...rows);
    node.grip.setAttribute("cy", data.h / 2);
  }

  outline({ w, h, shape, bars }) {
    const common = { class: "bn-shape" };
    if (shape === "diamond" && !bars) return svg("path", { ...common, d: `M0,${-h / 2}L${w / 2},0L0,${h / 2}L${-w / 2},0Z` });
    if (shape === "oval" && !bars) return svg("ellipse", { ...common, rx: w / 2, ry: h / 2 });
    return svg("rect", { ...common, x: -w / 2, y: -h / 2, width: w, height: h, rx: shape === "box" ? 2 : 9 });
  }

  // The name, above the bars if there are any.
  label({ name, w, h, shape, bars, kind }) {
    const room = bars ? w - 12 : shape === "diamond" ? w * 0.66 : w - (shape === "box" ? 10 : 14);
    return svg("text", { class: "bn-name", x: 0, y: bars ? -h / 2 + 16 : 4.5 }, fit(kind === "intervention" ? `do ${name}` : name, room, this.font(SIZES.name)));
  }

  // Change the size of the texts of bars.
  resize(size) {
    if (size === this.small) return;
    this.small = size;
    this.element.style.setProperty("--bn-bar-text", `${size}px`);
    for (const { rows } of this.byName.values()) this.nameStates(rows);
  }

  nameStates(rows) {
    const texts = fitAll(rows.map(({ state }) => state), rows[0]?.room - 4.4 * this.small, this.font(this.small));
    rows.forEach((row, i) => setText(row.name, texts[i]));
  }

  bar(node, state, i, { w, h }) {
    const [left, top, room] = [-w / 2 + 6, -h / 2 + HEADING + i * ROW, w - 12];
    const row = { state, left, room, title: svg("title") };
    row.fill = svg("rect", { class: "bn-fill", x: left, y: top, height: ROW - 1, rx: 2 });
    // Below the descenders of the texts, and above the next row.
    row.before = svg("rect", { class: "bn-before", x: left, y: top + ROW - 2, height: 1.8 });
    row.share = svg("text", { class: "bn-share", x: left + room - 3, y: top + 10 });
    const ground = svg("rect", { class: "bn-row", x: left, y: top, width: room, height: ROW - 1, rx: 2 });
    row.name = svg("text", { class: "bn-state", x: left + 4, y: top + 10 });
    row.g = svg("g", { class: "bn-bar" }, row.title, ground, row.fill, row.name, row.share);
    this.records.set(row.g, { node, state: i });
    return row;
  }

  // Evidence changes the bars of all nodes, so existing elements are updated, not replaced.
  fillBars(node, bars) {
    const values = JSON.stringify(bars);
    if (node.values === values) return;
    node.values = values;
    node.rows.forEach((row, i) => this.fillBar(node, row, bars, i));
  }

  setShare(row, p) {
    setText(row.share, `${(100 * p).toFixed(p > 0 && p < 0.1 ? 1 : 0)}%`);
    row.fill.setAttribute("width", short(Math.max(row.room * p, 0.5)));
  }

  // Draw a bar as it is wanted, until the next update or `restoreBars`.
  tryBar(node, i, p) {
    node.values = "";
    this.setShare(node.rows[i], p);
  }

  restoreBars() {
    for (const node of this.byName.values()) if (node.data.bars && !node.values) this.fillBars(node, node.data.bars);
  }

  fillBar(node, row, bars, i) {
    const p = clamp(bars.p[i] ?? 0, 0, 1);
    this.setShare(row, p);
    setText(row.title, `${node.name} = ${row.state}: ${p.toPrecision(3)}${bars.before ? ` (before: ${bars.before[i].toPrecision(3)})` : ""}`);
    row.g.setAttribute("class", `bn-bar${bars.set === i ? " bn-set" : ""}${bars.best === i ? " bn-best" : ""}`);
    if (!bars.before) {
      row.before.remove();
      return;
    }
    row.before.setAttribute("width", short(Math.max(row.room * clamp(bars.before[i] ?? 0, 0, 1), 0.5)));
    if (!row.before.parentNode) row.fill.after(row.before);
  }
}
