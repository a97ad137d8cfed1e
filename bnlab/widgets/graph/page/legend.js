// Legend of a drawing: a sample, a label and a count for each kind of edge. A part of graph/page/view.js.

function legendItems(entries, edges, strokes) {
  const counts = new Map();
  for (const { kind } of edges) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  return entries.map(({ kind, label }) => {
    const sample = svg("svg", { width: 34, height: 12, "aria-hidden": "true" });
    const isStrength = kind === "strength";
    sample.append(isStrength ? svg("path", { class: "bn-wedge", d: "M1,5.6L33,2L33,10L1,6.4Z" }) : svg("path", { class: "bn-line", d: "M2,6H32" }));
    const { colour, width, dash } = strokes[kind] ?? {};
    if (!isStrength) Object.assign(sample.firstChild.style, { stroke: colour ?? "", strokeWidth: width ?? 1.6, strokeDasharray: dash ?? "" });
    return make("span", { className: "bn-chip" }, sample, isStrength ? label : `${label} ${counts.get(kind) ?? 0}`);
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
