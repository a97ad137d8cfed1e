// Names of nodes and labels of edges above a drawing that is too small to read them in their places.

const LEGIBLE = 9; // pixels of the smallest text on the screen
const SIZES = { name: 13, small: 11 }; // of texts in their places, in units of the drawing
const AIR = 2; // pixels on the screen around a text

class LabelLayer {
  constructor(drawing) {
    this.drawing = drawing;
    this.chosen = null; // texts that have room when nothing is marked; null to choose again
    this.shown = new Map(); // node or edge -> its text
    this.element = svg("g", { class: "bn-labels", "aria-hidden": "true" });
  }

  // Draw what has room at a scale: the texts of `marked` nodes and edges first, then of nodes with many edges.
  update(k, marked) {
    const isNeeded = k < LEGIBLE / SIZES.small;
    if (!isNeeded) this.chosen = [];
    this.chosen ??= this.placed(this.sorted(), k);
    const first = isNeeded ? this.placed(marked.filter(({ label }) => label.textContent), k) : [];
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

  // Those that find room, one after the other, with their places.
  placed(records, k) {
    const taken = [];
    ruler.font = this.drawing.font(100);
    for (const record of records) {
      const { asides, ...text } = record.edges ? this.name(record, k) : this.label(record, k);
      const places = asides.map((aside) => ({ ...text, y: text.y + aside }));
      const free = places.find((place, i) => this.isFree(place, taken) && (i === 0 || this.isBesideOthers(place)));
      if (free) taken.push(free);
    }
    return taken;
  }

  // The name of a node goes into its middle, or else below or above it.
  name(node, k) {
    const { h, bars } = node.data;
    const height = Math.max(SIZES.name, LEGIBLE / k);
    const aside = h / 2 + (height + AIR / k) / 2;
    const asides = bars || h * k < LEGIBLE ? [0] : [0, aside, -aside];
    return this.text(node, node.x, node.y + (bars ? (HEADING - h) / 2 : 0), height, k, asides);
  }

  label(edge, k) {
    return this.text(edge, ...edge.middle, LEGIBLE / k, k, [0]);
  }

  text(record, x, y, height, k, asides) {
    const words = record.label.textContent;
    const a = (ruler.measureText(words).width * height) / 200 + AIR / k;
    return { record, words, x, y, height, a, b: height / 2, asides };
  }

  isFree({ x, y, a, b }, taken) {
    return !taken.some((other) => Math.abs(x - other.x) < a + other.a && Math.abs(y - other.y) < b + other.b);
  }

  isBesideOthers(text) {
    const others = [...this.drawing.nodeLayer.byName.values()].filter((node) => node !== text.record);
    return this.isFree(text, others.map(({ x, y, data }) => ({ x, y, a: data.w / 2, b: data.h / 2 })));
  }

  write({ record, words, x, y, height }, kind) {
    let element = this.shown.get(record);
    if (!element) {
      element = svg("text");
      this.shown.set(record, element);
      this.element.append(element);
    }
    setText(element, words);
    const values = { x: short(x), y: short(y + 0.35 * height), "font-size": short(height), class: kind };
    for (const [key, value] of Object.entries(values)) if (element.getAttribute(key) !== String(value)) element.setAttribute(key, value);
  }

  end() {
    this.shown.clear();
    this.chosen = null;
    this.element.replaceChildren();
  }
}
