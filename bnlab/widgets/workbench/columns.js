// Table of columns, and details of one. See workbench/columns.py.

const SVG = "http://www.w3.org/2000/svg";
const HEADS = ["Column", "Content", "Missing", "Role", "Discretize", "Result"];
const WIDTH = 400;
const HEIGHT = 120;

function draw(tag, attributes) {
  const element = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  return element;
}

const count = (value) => value.toLocaleString("en-US");
const plain = (value) => Number(value.toPrecision(4)).toLocaleString("en-US", { maximumSignificantDigits: 4, useGrouping: false });

function options(select, pairs, value) {
  const key = JSON.stringify(pairs);
  if (select.dataset.pairs !== key) {
    select.replaceChildren(...pairs.map(([at, text]) => make("option", { value: at, textContent: text })));
    select.dataset.pairs = key;
  }
  if (select.value !== value) select.value = value;
}

function render({ model, el }) {
  const heading = make("h3", { textContent: "Columns" });
  const missing = make("select");
  const gaps = make("span", { className: "bnlab-columns-quiet" });
  const allMethod = make("select", { title: "Method for all numeric columns" });
  const allBins = make("input", { type: "number", min: "2", max: "99", step: "1", value: "3", title: "Number of intervals" });
  allBins.setAttribute("aria-label", "Intervals of all numeric columns");
  const apply = make("button", { type: "button", textContent: "Apply to all", title: "Discretize all numeric columns with this method" });
  const suggest = make("button", { type: "button", textContent: "Reset to suggestions", title: "Suggested roles, cut points and treatment of missing values" });
  const settings = make(
    "div",
    { className: "bnlab-line" },
    make("label", { className: "bnlab-field" }, make("span", { textContent: "Missing values" }), missing),
    make("label", { className: "bnlab-field" }, make("span", { textContent: "Discretize" }), allMethod),
    allBins,
    apply,
    suggest,
  );
  const search = make("input", { type: "search", placeholder: "Find a column" });
  search.setAttribute("aria-label", "Find a column");
  const body = make("tbody");
  const head = make("tr", {}, ...HEADS.map((text) => make("th", { scope: "col", textContent: text })));
  const sheet = make("table", {}, make("thead", {}, head), body);
  sheet.setAttribute("aria-label", "Columns");
  const more = make("p", { className: "bnlab-columns-quiet" });
  const list = make("div", { className: "bnlab-scroll bnlab-columns-list", tabIndex: -1 }, sheet);
  const closer = make("div", { className: "bnlab-columns-closer" });
  closer.setAttribute("role", "group");
  const name = make("h4");
  const advice = make("p", { className: "bnlab-columns-quiet" });
  const picture = make("div");
  const cuts = make("input", { type: "text", spellcheck: false, autocomplete: "off", placeholder: "such as 18, 65" });
  const cutsLabel = make("label", { className: "bnlab-field bnlab-long" }, make("span", { textContent: "Cut points" }), cuts);
  const states = make("ul", { className: "bnlab-columns-states" });
  closer.append(name, advice, picture, cutsLabel, states);
  const failed = make("p", { className: "bnlab-failed" });
  failed.setAttribute("role", "alert");
  const summary = make("p", { className: "bnlab-columns-words" });
  summary.setAttribute("role", "status");
  const panes = make("div", { className: "bnlab-columns-panes" }, make("div", { className: "bnlab-columns-left" }, search, list, more), closer);
  const root = make("section", { className: "bnlab-form bnlab-columns" }, heading, settings, gaps, panes, failed, summary);
  root.setAttribute("aria-label", "Columns");
  el.style.width = "100%";
  el.style.minWidth = "0";
  el.append(root);
  const problem = problems(model, el);
  keepKeys(missing, allMethod, allBins, search, cuts);

  const ask = (type, content = {}) => model.send({ type, ...content });
  missing.addEventListener("change", () => ask("missing", { value: missing.value }));
  apply.addEventListener("click", () => ask("cut-all", { method: allMethod.value, bins: Number(allBins.value) }));
  suggest.addEventListener("click", () => ask("suggest"));
  cuts.addEventListener("change", () => ask("cut", { column: model.get("looked_at"), method: "own", text: cuts.value }));
  search.addEventListener("input", () => filter());

  function row(column) {
    const look = make("button", { type: "button", className: "bnlab-columns-name", title: "Show details of this column" });
    look.addEventListener("click", () => ask("look", { column: column.name }));
    const role = make("select");
    role.addEventListener("change", () => ask("role", { column: column.name, role: role.value }));
    const method = make("select");
    const bins = make("input", { type: "number", min: "2", max: "99", step: "1" });
    const cut = () => ask("cut", { column: column.name, method: method.value, bins: Number(bins.value) });
    method.addEventListener("change", cut);
    bins.addEventListener("change", cut);
    keepKeys(role, method, bins);
    const cells = [make("span", { className: "bnlab-columns-quiet" }), make("span"), role, make("span", { className: "bnlab-columns-cut" }, method, bins), make("span")];
    return make("tr", {}, make("th", { scope: "row" }, look), ...cells.map((cell) => make("td", {}, cell)));
  }

  function fill(line, column) {
    const [first, holds, gap, used, cut, becomes] = line.children;
    const look = first.firstChild;
    setText(look, column.name);
    const now = column.name === model.get("looked_at");
    line.classList.toggle("bnlab-chosen", now);
    look.setAttribute("aria-pressed", String(now));
    setText(holds.firstChild, `${column.kind}${column.kind === "empty" ? "" : `: ${column.example}`}${column.values > 3 ? " …" : ""}`);
    holds.firstChild.title = `${count(column.values)} different values`;
    setText(gap.firstChild, column.missing ? count(column.missing) : "");
    options(used.firstChild, model.get("roles"), column.role);
    used.firstChild.setAttribute("aria-label", `Role of ${column.name}`);
    const [method, bins] = cut.firstChild.children;
    const cuttable = column.numeric && column.role !== "leave out";
    cut.firstChild.style.visibility = cuttable ? "" : "hidden";
    cut.classList.toggle("bnlab-columns-uncut", !cuttable);
    options(method, model.get("methods"), column.method);
    method.setAttribute("aria-label", `Discretization of ${column.name}`);
    bins.setAttribute("aria-label", `Intervals of ${column.name}`);
    bins.style.visibility = ["quantile", "width"].includes(column.method) ? "inherit" : "hidden";
    if (document.activeElement !== bins) bins.value = String(column.bins);
    setText(becomes.firstChild, column.becomes || "–");
    line.classList.toggle("bnlab-columns-left-out", column.role === "leave out");
  }

  function filter() {
    const wanted = search.value.trim().toLowerCase();
    model.get("columns").forEach((column, i) => {
      if (body.children[i]) body.children[i].hidden = wanted !== "" && !column.name.toLowerCase().includes(wanted);
    });
  }

  function rows() {
    const columns = model.get("columns");
    const names = JSON.stringify(columns.map((column) => column.name));
    if (body.dataset.names !== names) {
      body.dataset.names = names;
      body.replaceChildren(...columns.map(row));
    }
    columns.forEach((column, i) => fill(body.children[i], column));
    search.hidden = columns.length < 12;
    filter();
    const left = model.get("more");
    setText(more, left ? `${count(left)} further columns are not listed; they are prepared as suggested, and code can change that.` : "");
    more.hidden = !left;
  }

  function histogram(found) {
    const [low, high] = [found.edges[0], found.edges[found.edges.length - 1]];
    const most = Math.max(...found.bars, 1);
    const across = (value) => (high > low ? ((value - low) / (high - low)) * WIDTH : WIDTH / 2);
    const svg = draw("svg", { viewBox: `-1 0 ${WIDTH + 2} ${HEIGHT + 18}`, role: "img", class: "bnlab-columns-histogram" });
    svg.setAttribute("aria-label", `Histogram from ${plain(low)} to ${plain(high)}; ${found.cuts.length} cuts${found.cuts.length ? `: ${found.cuts.map(plain).join(", ")}` : ""}`);
    found.bars.forEach((rowsIn, i) => {
      const [x, next] = [across(found.edges[i]), across(found.edges[i + 1])];
      const height = (rowsIn / most) * HEIGHT;
      svg.append(draw("rect", { x, y: HEIGHT - height, width: Math.max(next - x - 1, 1), height, class: "bnlab-columns-bar" }));
    });
    for (const cut of found.cuts) svg.append(draw("line", { x1: across(cut), x2: across(cut), y1: 0, y2: HEIGHT + 3, class: "bnlab-columns-cutline" }));
    svg.append(draw("line", { x1: 0, x2: WIDTH, y1: HEIGHT, y2: HEIGHT, class: "bnlab-columns-axis" }));
    for (const [value, anchor, x] of [[low, "start", 0], [high, "end", WIDTH]]) {
      const text = draw("text", { x, y: HEIGHT + 14, "text-anchor": anchor });
      text.textContent = plain(value);
      svg.append(text);
    }
    return svg;
  }

  function state(text, rowsIn, most) {
    const bar = make("span", { className: "bnlab-columns-share" });
    bar.style.width = `${most ? (100 * rowsIn) / most : 0}%`;
    const words = make("span", { className: "bnlab-columns-state", textContent: text, title: text });
    return make("li", {}, words, make("span", { className: "bnlab-columns-count", textContent: count(rowsIn) }), make("span", { className: "bnlab-columns-track" }, bar));
  }

  function closerLook() {
    const found = model.get("preview");
    const column = model.get("columns").find((known) => known.name === model.get("looked_at"));
    closer.hidden = !column;
    if (!column) return;
    setText(name, column.name);
    closer.setAttribute("aria-label", `Details of ${column.name}`);
    setText(advice, found.advice ? `${found.advice[0].toUpperCase()}${found.advice.slice(1)}.`.replace("..", ".") : "");
    const cut = found.edges?.length > 1;
    picture.replaceChildren(...(cut ? [histogram(found)] : []));
    cutsLabel.hidden = !column.numeric;
    if (document.activeElement !== cuts) cuts.value = found.text ?? "";
    cuts.title = "Cut points, separated by commas; a value equal to a cut point lies to its left";
    const most = Math.max(...(found.counts ?? []), found.missing ?? 0, 1);
    const listed = (found.states ?? []).map((text, i) => state(text, found.counts[i], most));
    if (found.others) listed.push(make("li", { className: "bnlab-columns-quiet", textContent: `and ${count(found.others)} further values` }));
    if (found.missing) listed.push(state("missing", found.missing, most));
    states.replaceChildren(...listed);
  }

  let frame = 0;
  function redraw() {
    frame = 0;
    options(missing, model.get("policies"), model.get("missing"));
    options(allMethod, model.get("methods").filter(([value]) => value !== "own"), allMethod.value || "quantile");
    allBins.style.visibility = ["quantile", "width"].includes(allMethod.value) ? "" : "hidden";
    setText(gaps, model.get("gaps"));
    setText(failed, model.get("failed"));
    failed.hidden = !model.get("failed");
    setText(summary, model.get("summary"));
    root.hidden = model.get("columns").length === 0;
    rows();
    closerLook();
  }
  const later = () => {
    if (!frame) frame = requestAnimationFrame(problem.guard(redraw));
  };
  allMethod.addEventListener("change", later);
  const watched = "change:columns change:more change:missing change:gaps change:looked_at change:preview change:summary change:failed";
  model.on(watched, later);
  problem.guard(redraw)();
  return () => {
    cancelAnimationFrame(frame);
    problem.stop();
    model.off(watched, later);
  };
}

export default { render };
