// Elements of a drawing, and text that fits its place: the middle is left out when it does not. A part of the
// modules that draw.

const SVG = "http://www.w3.org/2000/svg";

function svg(tag, attributes = {}, ...children) {
  const element = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

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
