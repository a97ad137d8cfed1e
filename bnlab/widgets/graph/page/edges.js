// Edges of a graph as SVG, routed around the nodes.
import { MOVE, movesAllowed, setText } from "../../base/page/elements.js";
import { arrow, backwards, bent, clamp, isOutside, path, pointOn, short, smooth, svg, until } from "./shapes.js";
import { MOST_ANIMATED } from "./sizes.js";

const BENDS = [0, 24, -24, 48, -48, 80, -80, 120, -120]; // sideways offsets of a moved edge in pixels, tried in this order
const CLEARANCE = 6; // pixels between a moved edge and the nodes beside it
const LABEL = { width: 36, height: 14 }; // pixels of a label
const TWO_WAY_BEND = 17; // offset in pixels if an edge in the other direction exists

export const keyOf = (u, v) => JSON.stringify([u, v]);

export class EdgeLayer {
  constructor(records, nodes) {
    this.records = records;
    this.nodes = nodes;
    this.byKey = new Map();
    this.stale = new Set(); // edges to route again
    this.known = null; // corners of the smallest rectangle around all edges, until one changes
    this.element = svg("g", { class: "bn-edges" });
  }

  update(list, strokes) {
    const seen = new Set();
    const fades = this.byKey.size > 0 && list.length <= MOST_ANIMATED && movesAllowed();
    for (const data of list) {
      const [u, v] = [this.nodes.byName.get(data.u), this.nodes.byName.get(data.v)];
      if (!u || !v) continue;
      const key = keyOf(data.u, data.v);
      const old = this.byKey.get(key);
      const edge = old ?? this.add(key, u, v);
      if (!old && fades) edge.g.animate({ opacity: [0, 1] }, MOVE);
      seen.add(edge);
      const signature = JSON.stringify([data, strokes[data.kind]]);
      if (edge.signature === signature) continue;
      Object.assign(edge, { signature, data });
      this.style(edge, strokes[data.kind] ?? {});
      this.stale.add(edge);
    }
    for (const edge of this.byKey.values()) if (!seen.has(edge)) this.remove(edge, fades);
  }

  corners() {
    if (this.byKey.size === 0) return [];
    if (!this.known) {
      const [low, high] = [[Infinity, Infinity], [-Infinity, -Infinity]];
      for (const { samples } of this.byKey.values()) {
        for (const [x, y] of samples) {
          [low[0], low[1]] = [Math.min(low[0], x), Math.min(low[1], y)];
          [high[0], high[1]] = [Math.max(high[0], x), Math.max(high[1], y)];
        }
      }
      this.known = [low, high];
    }
    return this.known;
  }

  remove(edge, fades) {
    this.known = null;
    this.records.delete(edge.g);
    if (fades) edge.g.animate({ opacity: [1, 0] }, MOVE).onfinish = () => edge.g.remove();
    else edge.g.remove();
    for (const known of [edge.u.edges, edge.v.edges, this.stale]) known.delete(edge);
    this.byKey.delete(edge.key);
  }

  add(key, u, v) {
    const [title, line, head, tail, hit] = [svg("title"), ...["line", "head", "tail", "hit"].map((part) => svg("path", { class: `bn-${part}` }))];
    const label = svg("text", { class: "bn-label" });
    const g = svg("g", { class: "bn-edge" }, title, line, head, hit);
    const edge = { key, u, v, signature: "", samples: [], middle: [0, 0], g, title, line, head, tail, hit, label };
    this.records.set(edge.g, { edge });
    u.edges.add(edge);
    v.edges.add(edge);
    this.element.append(edge.g);
    this.byKey.set(key, edge);
    return edge;
  }

  style(edge, stroke) {
    const { u, v, directed, strength, title } = edge.data;
    const has = typeof strength === "number";
    edge.width = has ? 0.8 + 2.2 * clamp(strength, 0, 1) : stroke.width ?? 1.6;
    const colour = stroke.colour ?? "";
    edge.head.style.fill = edge.tail.style.fill = colour;
    const share = edge.data.share ?? 1;
    edge.head.style.setProperty("--bn-part", share);
    edge.tail.style.setProperty("--bn-part", 1 - share);
    Object.assign(edge.line.style, { stroke: colour, strokeWidth: edge.width, strokeDasharray: stroke.dash ?? "" });
    // Colours of edge kinds would lose their contrast.
    const fades = has && !colour;
    edge.g.classList.toggle("bn-forbidden", edge.data.kind === "forbidden");
    edge.g.style.setProperty("--bn-strength", fades ? 0.4 + 0.6 * clamp(strength, 0, 1) : 1);
    if (fades) edge.g.style.setProperty("--bn-line", "var(--bn-strong)");
    else edge.g.style.removeProperty("--bn-line");
    setText(edge.label, edge.data.label ?? "");
    // Each element that is not there saves time in a large graph.
    if (!edge.label.textContent) edge.label.remove();
    else if (!edge.label.parentNode) edge.g.append(edge.label);
    if (share === 1) edge.tail.remove();
    else if (!edge.tail.parentNode) edge.head.after(edge.tail);
    setText(edge.title, title || `${u} ${directed ? "→" : "–"} ${v}`);
  }

  touch(nodes) {
    for (const node of nodes) for (const edge of node.edges) this.stale.add(edge);
  }

  // Draw moved edges, at most some of them; returns whether others are left.
  route(most = Infinity) {
    for (const edge of [...this.stale].slice(0, most)) {
      this.draw(edge, this.curve(edge));
      this.stale.delete(edge);
    }
    return this.stale.size > 0;
  }

  // The route from Python if both ends are where the layout placed them, otherwise a simple curve.
  curve({ u, v, data }) {
    const points = data.points ?? [];
    const isAt = (point, node) => point && Math.hypot(point[0] - node.x, point[1] - node.y) < 0.5;
    if (points.length > 1 && isAt(points[0], u) && isAt(points.at(-1), v)) return smooth(points);
    const [a, b] = [[u.x, u.y], [v.x, v.y]];
    if (this.byKey.has(keyOf(data.v, data.u))) return [bent(a, b, TWO_WAY_BEND)];
    let [best, fewest] = [null, Infinity];
    for (const bend of BENDS) {
      const piece = bent(a, b, bend);
      const hits = this.hits(piece, u, v, fewest);
      if (hits < fewest) [best, fewest] = [piece, hits];
      if (fewest === 0) break;
    }
    return [best];
  }

  // Number of sampled points of a curve that are on other nodes; the count stops at `enough`.
  hits(piece, u, v, enough) {
    const points = Array.from({ length: 15 }, (_, i) => pointOn(piece, (i + 1) / 16));
    const [xs, ys] = [points.map((p) => p[0]), points.map((p) => p[1])];
    const [left, right, top, bottom] = [Math.min(...xs), Math.max(...xs), Math.min(...ys), Math.max(...ys)];
    let hits = 0;
    for (const node of this.nodes.byName.values()) {
      if (node === u || node === v) continue;
      const { w, h } = node.data;
      const [a, b] = [w / 2 + CLEARANCE, h / 2 + CLEARANCE];
      if (node.x + a < left || node.x - a > right || node.y + b < top || node.y - b > bottom) continue;
      for (const point of points) if (!isOutside(point, node, CLEARANCE)) hits++;
      if (hits >= enough) break;
    }
    return hits;
  }

  // Place of the label of an edge: near its middle, and away from other labels if possible.
  labelled(edge, curve) {
    const places = curve.flatMap((piece) => [0.1, 0.3, 0.5, 0.7, 0.9].map((t) => pointOn(piece, t)));
    const middle = Math.floor(places.length / 2);
    if (!edge.label.textContent) return places[middle];
    const others = [...this.byKey.values()].filter((other) => other !== edge && other.label.textContent).map((other) => other.middle);
    const isFree = ([x, y]) => !others.some(([a, b]) => Math.abs(x - a) < LABEL.width && Math.abs(y - b) < LABEL.height);
    const nearest = places.map((_, i) => i).sort((i, j) => Math.abs(i - middle) - Math.abs(j - middle));
    return places[nearest.find((i) => isFree(places[i])) ?? middle];
  }

  draw(edge, curve) {
    this.known = null;
    edge.samples = curve.flatMap((piece) => [0.25, 0.5, 0.75].map((t) => pointOn(piece, t)));
    const clear = until(backwards(until(curve, (p) => isOutside(p, edge.v))), (p) => isOutside(p, edge.u));
    const share = edge.data.share ?? 1;
    const [line, head] = arrow(backwards(clear), edge.width, edge.data.directed && share > 0);
    const [back, tail] = share < 1 ? arrow(clear, edge.width, true) : ["", ""];
    edge.line.setAttribute("d", share > 0 ? line : back);
    edge.head.setAttribute("d", head);
    edge.tail.setAttribute("d", tail);
    edge.hit.setAttribute("d", path(backwards(clear)));
    edge.middle = this.labelled(edge, clear).map(short);
    edge.label.setAttribute("x", edge.middle[0]);
    edge.label.setAttribute("y", edge.middle[1] + 4);
  }
}
