// Legend of a drawing: a sample, a label and a count for each kind of edge. A part of graph/page/view.js.

function legendItems(entries, edges, strokes) {
  return entries.map(({ kind, label }) => {
    const isStrength = kind === "strength";
    const { colour = "", width = 1.6, dash } = strokes[kind] ?? {};
    const sample = isStrength ? svg("path", { class: "bn-wedge", d: "M1,5.6L33,2L33,10L1,6.4Z" }) : svg("path", { class: "bn-line", d: "M2,6H32" });
    if (!isStrength) Object.assign(sample.style, { stroke: colour, strokeWidth: width, strokeDasharray: dash ?? "" });
    const count = edges.filter((edge) => edge.kind === kind).length;
    const picture = svg("svg", { width: 34, height: 12, "aria-hidden": "true" }, sample);
    return make("span", { className: "bn-chip" }, picture, isStrength ? label : `${label} ${count}`);
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
