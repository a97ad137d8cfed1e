// Elements of a drawing, text that fits a width, and curves: lists of Bézier pieces, each of four points [x, y].

export const SVG = "http://www.w3.org/2000/svg";

export function svg(tag, attributes = {}, ...children) {
  const element = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

export const ruler = document.createElement("canvas").getContext("2d");
const fitted = new Map();

export function fit(text, width, font) {
  const key = `${font}|${Math.round(width)}|${text}`;
  if (!fitted.has(key)) {
    if (fitted.size > 20_000) fitted.clear();
    fitted.set(key, shortened(text, width, font));
  }
  return fitted.get(key);
}

const DIGITS = [12, 6, 4, 3, 2];
const INTERVAL = /^([<>]=?|[([])([^,]+)(?:(, ?)([^,]+)([)\]]))?$/;
const isNumber = (text) => /^-?inf$/.test(text) || Number.isFinite(Number(text));
const rounded = (number, digits) => (number.includes("inf") ? number : String(Number(Number(number).toPrecision(digits))));

// An interval with its bounds rounded; null if they would be equal, undefined for another text.
function roundedTo(text, digits) {
  const [, open, low, comma = "", high = "", end = ""] = INTERVAL.exec(text) ?? [];
  if (!open || !isNumber(low) || !isNumber(high)) return undefined;
  const bounds = [rounded(low, digits), high && rounded(high, digits)];
  return bounds[0] === bounds[1] ? null : `${open}${bounds[0]}${comma}${bounds[1]}${end}`;
}

const distinct = (texts) => new Set(texts).size;

// How many letters all texts have in common at their beginning.
function commonStart([first, ...others]) {
  let n = 0;
  while (n < first.length && others.every((text) => text[n] === first[n])) n += 1;
  return n;
}

// Texts that fit a width, without the beginning that all have in common if they would look the same.
export function fitAll(texts, width, font) {
  const shown = fitAlike(texts, width, font);
  if (distinct(shown) === distinct(texts)) return shown;
  const start = commonStart(texts);
  return texts.map((text) => fit(`…${text.slice(start)}`, width, font));
}

// The bounds of all intervals are rounded alike, so that a cut has one number.
function fitAlike(texts, width, font) {
  ruler.font = font;
  const fits = (shown) => shown && ruler.measureText(shown).width <= width;
  const intervals = texts.filter((text) => roundedTo(text, 15) !== undefined);
  const digits = intervals.every(fits) ? null : DIGITS.find((n) => intervals.every((text) => fits(roundedTo(text, n))));
  return texts.map((text) => fit((digits && roundedTo(text, digits)) || text, width, font));
}

// An interval is shortened by digits: without its middle, its two numbers would run together.
function shortened(text, width, font) {
  ruler.font = font;
  const fits = (shown) => shown && ruler.measureText(shown).width <= width;
  if (fits(text)) return text;
  if (roundedTo(text, 15) === undefined) return cutShort(text, width);
  const digits = DIGITS.find((n) => fits(roundedTo(text, n)));
  if (digits) return roundedTo(text, digits);
  let most = text.length - 1;
  while (most > 1 && !fits(`${text.slice(0, most)}…`)) most -= 1;
  return `${text.slice(0, most)}…`;
}

function cutShort(text, width) {
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

const FLATTEST = 1.5; // a line leaves its node no flatter than this, sideways for each pixel down
const HANDLE = 0.42;
const HEAD = { length: 9, width: 7 };

export const short = (value) => Math.round(value * 10) / 10;
export const clamp = (value, low, high) => Math.max(low, Math.min(high, value));

export const between = (a, b, t) => [a[0] + (b[0] - a[0]) * t, a[1] + (b[1] - a[1]) * t];

function firstPart(piece, t) {
  const corners = [piece[0]];
  for (let rest = piece; rest.length > 1; ) {
    rest = rest.slice(1).map((point, i) => between(rest[i], point, t));
    corners.push(rest[0]);
  }
  return corners;
}

export function pointOn([a, b, c, d], t) {
  const s = 1 - t;
  const [p, q, r, u] = [s * s * s, 3 * s * s * t, 3 * s * t * t, t * t * t];
  return [p * a[0] + q * b[0] + r * c[0] + u * d[0], p * a[1] + q * b[1] + r * c[1] + u * d[1]];
}

export const backwards = (curve) => curve.map((piece) => [...piece].reverse()).reverse();

export function until(curve, isClear) {
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
export function smooth(route) {
  const steps = route.slice(1).map((b, i) => [b[0] - route[i][0], b[1] - route[i][1]]);
  if (steps.some(([, down]) => Math.abs(down) < 1e-9)) {
    // With level parts, from left to right or back: y over x.
    const way = Math.sign(steps[0][0]);
    if (steps.every(([across]) => across * way > 1e-9)) return smooth(route.map(turned)).map((piece) => piece.map(turned));
    return steps.map((_, i) => straight(route[i], route[i + 1]));
  }
  const slopes = steps.map(([across, down]) => across / down);
  const inner = slopes.slice(1).map((s, i) => (s * slopes[i] <= 0 ? 0 : 2 / (1 / s + 1 / slopes[i])));
  const tangents = [slopes[0], ...inner, slopes.at(-1)].map((t) => clamp(t, -FLATTEST, FLATTEST));
  return steps.map(([, down], i) => {
    const [a, b] = [route[i], route[i + 1]];
    const h = down * (Math.abs(slopes[i]) <= FLATTEST ? 1 / 3 : HANDLE);
    return [a, [a[0] + tangents[i] * h, a[1] + h], [b[0] - tangents[i + 1] * h, b[1] - h], b];
  });
}

const turned = ([x, y]) => [y, x];

const straight = (a, b) => [a, between(a, b, 1 / 3), between(a, b, 2 / 3), b];

export function bent(a, b, bend) {
  const share = ((4 / 3) * bend) / Math.max(Math.hypot(b[0] - a[0], b[1] - a[1]), 1);
  const aside = [(b[1] - a[1]) * share, (a[0] - b[0]) * share];
  const [, p, q] = straight(a, b);
  return [a, [p[0] + aside[0], p[1] + aside[1]], [q[0] + aside[0], q[1] + aside[1]], b];
}

export function isOutside(point, node, margin = 1) {
  const x = Math.abs(point[0] - node.x) / (node.data.w / 2 + margin);
  const y = Math.abs(point[1] - node.y) / (node.data.h / 2 + margin);
  if (node.data.shape === "diamond") return x + y > 1;
  if (node.data.shape === "box" || node.data.bars) return Math.max(x, y) > 1;
  return x * x + y * y > 1;
}

export const path = (curve) =>
  `M${curve[0][0].map(short)}` + curve.map((piece) => `C${piece.slice(1).flat().map(short)}`).join("");

// The line, shortened by the length of its arrowhead, and the arrowhead.
export function arrow(curve, width, directed) {
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
