// Names of nodes and labels of edges above a drawing, if they are too small to read in the drawing itself.
// A name has at least nine pixels; it is in its node, or beside it if no other node is there, or left out.
import { fit, ruler, short, svg } from "./shapes.js";
import { BARS_FROM, HEADING, LEGIBLE, SIZES } from "./sizes.js";

const AIR = 2; // pixels on the screen around a text
const OVERHANG = 0.6; // maximum half width or height of a name in its node, as a share of the size of the node
const LEAST_LETTERS = 4; // of a shortened name
const BREAKS = /(?<=[\s_.-])|(?<=\p{Ll})(?=\p{Lu})/u; // where a name may break into lines
const widths = new Map(); // of texts, by font

export class LabelLayer {
  constructor(drawing) {
    this.drawing = drawing;
    this.chosen = null; // texts that have room if nothing is marked; null to choose again
    this.shown = new Map(); // node or edge -> its text
    this.element = svg("g", { class: "bn-labels", "aria-hidden": "true" });
  }

  // Draw the texts that have room at a scale: first of `marked` nodes and edges, then of nodes with many edges.
  update(k, marked) {
    const isNeeded = k < LEGIBLE / SIZES.small;
    if (!isNeeded) this.chosen = [];
    this.chosen ??= this.placed(this.sorted(), k);
    const first = isNeeded ? this.placed(marked.filter(({ label }) => label.textContent), k, true) : [];
    const known = new Set(first.map(({ record }) => record));
    const rest = this.chosen.filter((text) => !known.has(text.record) && this.isFree(text, first));
    const fitting = new Set([...first, ...rest].map(({ record }) => record));
    for (const [record, element] of this.shown) {
      if (fitting.has(record)) continue;
      element.remove();
      this.shown.delete(record);
    }
    for (const text of first) this.write(text, "bn-over bn-lit");
    for (const text of rest) this.write(text, "bn-over");
  }

  sorted() {
    const { nodeLayer, edgeLayer } = this.drawing;
    const nodes = [...nodeLayer.byName.values()].sort((a, b) => b.edges.size - a.edges.size);
    return [...nodes, ...[...edgeLayer.byKey.values()].filter(({ label }) => label.textContent)];
  }

  // Place texts one after the other if there is room; nodes around them stay visible. As a last resort, `marked`
  // texts may cover nodes.
  placed(records, k, marked = false) {
    const taken = [];
    const boxes = [...this.drawing.nodeLayer.byName.values()].map(({ name, x, y, data }) => ({ name, x, y, a: data.w / 2, b: data.h / 2 }));
    ruler.font = this.drawing.font(100);
    for (const record of records) {
      const places = record.edges ? this.name(record, k) : [this.label(record, k)];
      const free = places.filter((place) => this.isFree(place, taken));
      const place = free.find((each) => this.isFree(each, boxes, record.name)) ?? (marked ? free[0] : undefined);
      if (place) taken.push(place);
    }
    return taken;
  }

  // Positions of a name in order of preference: in its node, in several lines in place of bars, below or above the
  // node, across it, and in place of bars shortened.
  name(node, k) {
    const { w, h, bars } = node.data;
    const height = Math.max(SIZES.name, LEGIBLE / k);
    const words = node.label.textContent;
    const fits = ({ a, b }) => a < OVERHANG * w && b < OVERHANG * h;
    if (bars && k >= BARS_FROM) return [this.text(node, [words], node.x, node.y + (HEADING - h) / 2, height, k)];
    const middle = this.text(node, [words], node.x, node.y, height, k);
    if (fits(middle)) return [middle];
    const inLines = bars ? [this.text(node, this.lines(words, w, height), node.x, node.y, height, k)] : [];
    const aside = h / 2 + middle.b + 0.5 / k;
    const beside = [aside, -aside].map((shift) => ({ ...middle, y: node.y + shift, isBeside: true }));
    const part = fit(words, (100 * (w - (2 * AIR) / k)) / height, ruler.font);
    const shortened = !bars || part.length < LEAST_LETTERS ? [] : [this.text(node, [part], node.x, node.y, height, k)];
    return [...inLines.filter(fits), ...beside, middle, ...shortened];
  }

  // Lines of a name of at most this width, if possible.
  lines(words, width, height) {
    const lines = [""];
    for (const part of words.split(BREAKS)) {
      const longer = lines.at(-1) + part;
      if (lines.at(-1) && this.width(longer, height) > width) lines.push(part);
      else lines[lines.length - 1] = longer;
    }
    return lines;
  }

  width(words, height) {
    const key = `${ruler.font}|${words}`;
    if (!widths.has(key)) widths.set(key, ruler.measureText(words).width);
    return (widths.get(key) * height) / 100;
  }

  // Half the width of the name of a node at a scale.
  reach(node, k) {
    ruler.font = this.drawing.font(100);
    return this.name(node, k)[0].a;
  }

  label(edge, k) {
    return this.text(edge, [edge.label.textContent], ...edge.middle, LEGIBLE / k, k);
  }

  text(record, lines, x, y, height, k) {
    const a = Math.max(...lines.map((line) => this.width(line, height))) / 2 + AIR / k;
    return { record, lines, x, y, height, a, b: (lines.length * height + AIR / k) / 2 };
  }

  // Whether a text overlaps none of some texts, or none of the boxes of other nodes.
  isFree({ x, y, a, b }, taken, own = null) {
    const meets = (other) => Math.abs(x - other.x) < a + other.a && Math.abs(y - other.y) < b + other.b;
    return !taken.some((other) => meets(other) && other.name !== own);
  }

  // A text in its node has a fainter halo, which does not cover the node.
  write({ record, lines, x, y, height, isBeside = !record.edges }, kind) {
    let element = this.shown.get(record);
    if (!element) {
      element = svg("text");
      this.shown.set(record, element);
      this.element.append(element);
    }
    if (element.childElementCount !== lines.length || element.textContent !== lines.join("")) {
      element.replaceChildren(...lines.map((line, i) => svg("tspan", { x: 0, dy: `${i ? 1 : (1 - lines.length) / 2 + 0.35}em` }, line)));
    }
    const values = { transform: `translate(${short(x)} ${short(y)})`, "font-size": Math.ceil(10 * height) / 10, class: isBeside ? kind : `${kind} bn-within` };
    for (const [key, value] of Object.entries(values)) if (element.getAttribute(key) !== String(value)) element.setAttribute(key, value);
  }

  end() {
    this.shown.clear();
    this.chosen = null;
    this.element.replaceChildren();
  }
}
