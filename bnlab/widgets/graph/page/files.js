// The legend of a drawing, and a drawing as an SVG or PNG file.
import { make } from "../../base/page/elements.js";
import { setMarks } from "./commands.js";
import { MARGIN } from "./drawing.js";
import { ruler, short, svg, SVG } from "./shapes.js";

// Samples in the legend of what is no kind of line: a class and a path.
const SAMPLES = {
  "direction not decided": ["bn-line", "M3,6a3.5,3.5 0 1 0 7,0a3.5,3.5 0 1 0 -7,0m7,0h14a3.5,3.5 0 1 0 7,0a3.5,3.5 0 1 0 -7,0"],
  strength: ["bn-wedge", "M1,5.6L33,2L33,10L1,6.4Z"],
  shares: ["bn-wedge", "M1,6L9,2V5.2H25V2L33,6L25,10V6.8H9V10Z"],
  before: ["bn-before", "M2,5H32V7H2Z"],
  module: ["bn-wedge", "M2,6a4,4 0 1 0 8,0a4,4 0 1 0 -8,0M13,6a4,4 0 1 0 8,0a4,4 0 1 0 -8,0M24,6a4,4 0 1 0 8,0a4,4 0 1 0 -8,0"],
  best: ["bn-frame-sample", "M5,1.5H29V10.5H5Z"],
};

export function legendItems(entries, edges, strokes) {
  return entries.map(({ kind, label, count }) => {
    const [name, d] = SAMPLES[kind] ?? ["bn-line", "M2,6H32"];
    const isEdge = name === "bn-line";
    const { colour = "", width = 1.6, dash } = strokes[kind] ?? {};
    const sample = svg("path", { class: name, d });
    if (isEdge) Object.assign(sample.style, { stroke: colour, strokeWidth: width, strokeDasharray: dash ?? "" });
    const all = count ?? edges.filter((edge) => edge.kind === kind).length;
    const picture = svg("svg", { width: 34, height: 12, "aria-hidden": "true" }, sample);
    return make("span", { className: "bn-chip" }, picture, label, ...(isEdge ? [make("span", { textContent: ` ${all}` })] : []));
  });
}

// The legend as SVG, in lines of at most `limit` pixels.
function svgLegend(items, font, limit, top, left) {
  const g = svg("g");
  let [x, y, widest] = [0, top + 12, 0];
  for (const item of items) {
    const text = item.textContent;
    ruler.font = font;
    const width = ruler.measureText(text).width + 62;
    if (x > 0 && x + width > Math.max(limit, 240)) [x, y] = [0, y + 24];
    const sample = item.querySelector("path").cloneNode();
    sample.setAttribute("transform", `translate(${short(left + x)} ${short(y - 6)})`);
    g.append(sample, svg("text", { class: "bn-state", x: short(left + x + 40), y: short(y + 4) }, text));
    x += width;
    widest = Math.max(widest, x);
  }
  return { g, width: widest, height: widest ? y - top + 12 : 0 };
}

const SHAPE_STYLES = ["fill", "stroke", "stroke-width", "stroke-dasharray", "fill-opacity", "stroke-opacity"];
const TEXT_STYLES = ["fill", "stroke", "stroke-width", "stroke-opacity", "paint-order", "font-family", "font-size", "text-anchor"];

// The drawing as a self-contained SVG in light colours, with its legend.
export function svgFile(el, drawing, legendItems, title) {
  const { left, top, width, height } = drawing.bounds();
  const pad = 2 * MARGIN;
  const legend = svgLegend(legendItems, drawing.font(12), width, top + height + MARGIN, left);
  const size = { width: Math.max(width, legend.width) + pad, height: height + legend.height + pad };
  const world = drawing.world.cloneNode(true);
  world.removeAttribute("transform");
  world.classList.remove("bn-dims", "bn-far", "bn-farther", "bn-farthest", "bn-barless");
  for (const element of world.querySelectorAll(".bn-hit, .bn-grip, .bn-drag-line, .bn-drag-text, .bn-labels")) element.remove();
  for (const element of world.querySelectorAll(".bn-node, .bn-edge")) setMarks(element, []);
  const box = [left - MARGIN, top - MARGIN, size.width, size.height].map(short);
  const image = svg("svg", { xmlns: SVG, viewBox: box.join(" "), width: short(size.width), height: short(size.height) });
  const ground = svg("rect", { x: box[0], y: box[1], width: box[2], height: box[3], fill: "#ffffff" });
  image.append(svg("title", {}, title), ground, world, legend.g);
  const stage = make("div", { className: "bn-graph bn-stage" }, image);
  el.append(stage);
  inlineStyles(image);
  stage.remove();
  return { text: withoutControls(new XMLSerializer().serializeToString(image)), ...size };
}

// Read all styles before any is written, because rules depend on the classes of surrounding elements.
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

// A serializer writes control characters, which XML does not allow; no reader accepts such a file.
const withoutControls = (text) => text.replace(/[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, "\ufffd");

export async function pngFile({ text, width, height }) {
  const image = new Image();
  image.src = `data:image/svg+xml,${encodeURIComponent(text)}`;
  await image.decode();
  const scale = Math.min(2, 8000 / Math.max(width, height));
  const canvas = make("canvas", { width: Math.ceil(width * scale), height: Math.ceil(height * scale) });
  canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
  return new Promise((resolve) => canvas.toBlob(resolve, "image/png"));
}
