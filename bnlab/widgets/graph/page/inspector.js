// Details of a node or an edge; see graph/inspector.py. Python formats all texts; they are inserted as text, not as HTML.
import { controlMakers } from "../../base/page/controls.js";
import { keepKeys, listen, MOVE, movesAllowed, problems } from "../../base/page/elements.js";

function h(name, attributes = {}, ...children) {
  const node = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (key.startsWith("on")) node.addEventListener(key.slice(2), value);
    else if (key.startsWith("--")) node.style.setProperty(key, value);
    else node.setAttribute(key, value);
  }
  node.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return node;
}

const NUMBER = "bnlab-number";
const ACTIONS = { add: "Add", reverse: "Reverse", delete: "Delete", require: "Require", forbid: "Forbid", free: "Free" };
const TIPS = {
  require: "Knowledge: every network must have this edge",
  forbid: "Knowledge: no network may have this edge",
  free: "Remove the rule about this edge from the knowledge",
};

const section = (title, ...children) => h("section", {}, h("h4", {}, title), ...children);
const note = (text) => (text ? h("p", { class: "bnlab-note" }, text) : null);
const span = (className, ...children) => h("span", { class: className }, ...children);
const press = (className, onclick, rest, ...children) => h("button", { type: "button", class: className, onclick, ...rest }, ...children);

const th = (text, className = null) => h("th", { scope: "row", class: className, title: text }, text);
const td = (text, className = "", rest = {}) => h("td", { class: `${NUMBER} ${className}`, ...rest }, text);
const change = (text, sign) => td(text, sign > 0 ? "bnlab-up" : sign < 0 ? "bnlab-down" : "");

// Table of rows below heads [text, tip, class]; all columns except the first hold numbers.
function table(name, heads, rows) {
  const head = heads.map(([text, tip, kind], i) => h("th", { scope: "col", class: kind ?? (i ? NUMBER : null), title: tip }, text));
  const body = h("tbody", {}, rows.map((cells) => h("tr", {}, cells)));
  const all = h("table", {}, h("thead", {}, h("tr", {}, head)), body);
  return h("div", { class: "bnlab-scroll", tabindex: "0", role: "region", "aria-label": name }, all);
}

function pairs(rows) {
  const cells = rows.map(([title, value, tip]) => [h("div", { title: tip }, title), h("div", { class: "bnlab-line" }, value)]);
  return h("div", { class: "bnlab-pairs" }, cells.flat());
}

function stateRow({ title, evidence }, state, k, send) {
  const bar = { class: "bnlab-bar", "aria-hidden": "true", "--p": state.after ?? state.before ?? 0, "--before": state.before ?? 0 };
  const parts = [
    h("span", { class: "bnlab-clipped", title: state.name }, state.name),
    h("span", bar),
    span(NUMBER, state.text ? `${state.text} %` : ""),
    span(NUMBER, state.count ?? ""),
  ];
  if (!evidence) return h("div", { class: "bnlab-state" }, parts);
  const words = [state.name, state.text && `${state.text} percent`, state.count && `${state.count} rows`];
  const about = {
    "data-key": `state ${k}`,
    "aria-pressed": String(state.observed),
    "aria-label": words.filter(Boolean).join(", "),
    title: state.observed ? "Observed; click to remove" : "Click to observe this state",
  };
  const observe = () => send({ type: "evidence", node: title, state: state.observed ? null : k });
  const set = () => send({ type: "do", node: title, state: state.done ? null : k });
  const setting = {
    "data-key": `set ${k}`,
    "aria-pressed": String(state.done),
    "aria-label": `Set ${state.name}`,
    title: state.done ? "Set by an intervention; click to remove" : "Set this state by an intervention (do)",
  };
  return h("div", { class: "bnlab-choice" }, press("bnlab-state", observe, about, parts), press("bnlab-set", set, setting, "Set"));
}

// Cell whose probability can be typed: a button, and a field after a click. Python checks what was typed.
function typedCell({ node, mistyped }, { code, p, text, labels }, k, send) {
  const cell = td([], "bnlab-heat", { "--p": p[k] });
  const about = { "data-key": `p ${code} ${k}`, "aria-label": `${labels[k]}: ${text[k]}`, title: labels[k] };
  function show() {
    const button = press("bnlab-cell", () => open(text[k]).focus(), about, text[k]);
    cell.replaceChildren(button);
    return button;
  }
  function open(value, invalid = false) {
    const named = { ...about, "aria-label": labels[k], "aria-invalid": invalid && "true" };
    const field = h("input", { ...named, class: "bnlab-typed", type: "text", value, size: 6, autocomplete: "off", spellcheck: "false" });
    const end = (typed, isKey) => {
      const button = show();
      if (isKey) button.focus();
      if (typed !== (isKey ? text[k] : value)) send({ type: "probabilities", node, row: code, state: k, text: typed });
    };
    field.addEventListener("keydown", (event) => {
      event.stopPropagation();
      if (event.key === "Enter") end(field.value.trim(), true);
      else if (event.key === "Escape") end(text[k], true);
      else return;
      event.preventDefault();
    });
    field.addEventListener("focus", () => field.select());
    // Later, because a field that was redrawn or ended by a key also loses the focus.
    field.addEventListener("blur", () => setTimeout(() => field.isConnected && end(field.value.trim(), false)));
    cell.replaceChildren(field);
    return field;
  }
  const { row, state, text: typed } = mistyped ?? {};
  if (row === code && state === k) open(typed, true);
  else show();
  return cell;
}

// Form of fields [key, label, value] for texts that Python checks; `submit` gets their values by key.
function form({ problem }, fields, label, submit, ...buttons) {
  const made = fields.map(([key, words, value]) => {
    const field = h("input", { type: "text", value, "data-key": `field ${key}`, autocomplete: "off", spellcheck: "false", "aria-invalid": problem && "true" });
    return [key, field, h("label", { class: "bnlab-field" }, h("span", { class: "bnlab-clipped", title: words }, words), field)];
  });
  keepKeys(...made.map(([, field]) => field));
  const onsubmit = (event) => {
    event.preventDefault();
    submit(Object.fromEntries(made.map(([key, field]) => [key, field.value])), event.target);
  };
  const button = h("button", { type: "submit", "data-key": label }, label);
  const rows = made.map(([, , row]) => row);
  return h("form", { onsubmit }, rows, h("div", { class: "bnlab-line" }, button, buttons), problem ? h("p", { class: "bnlab-note bnlab-mistyped" }, problem) : null);
}

function pager({ first, step, last, all }, send) {
  const turn = (name, to, isPossible) =>
    press("", () => isPossible && send({ type: "rows", first: to }), { "data-key": `rows ${name}`, "aria-disabled": String(!isPossible) }, name);
  const words = h("span", { class: "bnlab-note" }, `Rows ${first + 1} to ${last} of ${all}`);
  return h("div", { class: "bnlab-line" }, turn("Previous", first - step, first > 0), words, turn("Next", first + step, last < all));
}

const key = () => [h("i", { class: "bnlab-key bnlab-key-before" }), "Before ", h("i", { class: "bnlab-key" }), "After"];

const chip = (name, send, shown = name) => press("bnlab-chip", () => send({ type: "select", node: name }), { title: name }, shown);

const percent = (x) => `${(100 * x).toFixed(1)}%`;
const MATTERS = [
  ["Information", "Share of what is unknown about this node"],
  ["Change", "Greatest change of the probability of a state"],
  ["Accuracy", "Expected rise of the probability of the most probable state"],
];

// Table with bars for the first column; a click on a head sorts by its column.
function mattersTable(rows, send) {
  const place = h("div", {});
  const top = Math.max(...rows.map(({ values }) => values[1]), 1e-9);
  function draw(by) {
    const sorted = [...rows].sort((a, b) => b.values[by + 1] - a.values[by + 1]);
    const body = sorted.map(({ name, blanket, values: [nats, ...values] }) => [
      h("th", { scope: "row" }, chip(name, send, blanket ? h("b", {}, name) : name)),
      ...values.map((x, k) => td(percent(x), k ? "" : "bnlab-share", k ? {} : { "--p": x / top, title: `${nats.toPrecision(3)} nats` })),
    ]);
    const made = table("What matters", [["Node"], ...MATTERS], body);
    made.querySelectorAll("thead th").forEach((head, i) => {
      if (i === 0) return;
      head.setAttribute("aria-sort", i - 1 === by ? "descending" : "none");
      head.replaceChildren(press("bnlab-sort", () => draw(i - 1), { "data-key": `sort ${i}` }, head.textContent));
    });
    replace(place, [made]);
  }
  if (rows.length) draw(0);
  return place;
}

function buttons(actions, { u, v }, send) {
  const button = (action) => {
    const about = { "data-key": `${action} ${u} ${v}`, title: TIPS[action] };
    return press("", () => send({ type: "edit", action, u, v }), about, ACTIONS[action]);
  };
  return h("div", { class: "bnlab-line" }, actions.map(button));
}

function changes(rows, tip, name) {
  const body = rows.map((row) => [th(row.label), change(row.change, row.better ? 1 : -1)]);
  return table(name, [["Score"], ["Change", tip]], body);
}

// Sections of the details by the part of the content that they show, in this order; missing parts have no section.
const SECTIONS = {
  actions: buttons,

  // The two directions of an edge without an arrowhead.
  ways: (ways, _, send) => h("div", {}, ways.map((way) => section(`${way.u} → ${way.v}`, buttons(way.actions, way, send)))),

  absent(edges, _, send) {
    const shown = (edge) => {
      const { u, v, actions, reasons, rows } = edge;
      const gains = rows.length ? [changes(rows, "Score with the edge less score without it", `Change of the scores with ${u} → ${v}`)] : [];
      return section(`Why not ${u} → ${v}?`, reasons.map(note), gains, actions.length ? buttons(actions, edge, send) : null);
    };
    return h("div", {}, edges.map(shown));
  },

  rule: note,

  confidence: (rows) => section("Probability of the edge", pairs(rows.map((row) => [row.label, row.value, row.tip]))),

  numbers: (rows) => section("Strength", pairs(rows.map((row) => [row.label, row.value, row.tip]))),

  removal(rows) {
    const shown = changes(rows, "Score without the edge less score with it", "Change of the scores without this edge");
    return h("details", {}, h("summary", { "data-key": "removal" }, "Score change without this edge, nats"), shown);
  },

  states(states, content, send) {
    const heads = [
      span("", "State"),
      h("span", {}, content.observing ? key() : []),
      span(NUMBER, states.some((s) => s.text) ? "P" : ""),
      span(NUMBER, states.some((s) => s.count !== null) ? "Rows" : ""),
    ];
    const line = h("div", { class: "bnlab-state bnlab-note", "aria-hidden": "true" }, heads);
    const head = content.evidence ? h("div", { class: "bnlab-choice" }, line) : line;
    return section("States", head, states.map((state, k) => stateRow(content, state, k, send)), note(content.states_note));
  },

  matters: (rows, { matters_note: words }, send) => h("section", {}, mattersTable(rows, send), note(words)),

  cpt(shown, _, send) {
    const { parents, states, rows, note: words, editable, rule, pages, mistyped } = shown;
    const counts = rows.some((row) => row.rows !== null);
    const heads = [
      ...parents.map((text) => [text, text, "bnlab-when"]),
      ...states.map((text) => [text, text, NUMBER]),
      ...(counts ? [["Rows", "Rows of data with this configuration", NUMBER]] : []),
    ];
    const cell = (row, p, k) => (rule ? typedCell(shown, row, k, send) : td(row.text[k], "bnlab-heat", { "--p": p, title: p }));
    const body = rows.map((row) => [
      ...row.when.map((text) => th(text, "bnlab-when")),
      ...row.p.map((p, k) => cell(row, p, k)),
      counts ? td(row.rows) : null,
    ]);
    const edit = () => send({ type: "control", id: "edit_tables", value: !rule });
    const about = { "data-key": "edit table", "aria-pressed": String(Boolean(rule)), title: "Type the probabilities of this table" };
    const title = h("h4", {}, `${parents.length ? "Probability given the parents" : "Probability"}${rule ? "" : ", %"}`);
    const head = h("div", { class: "bnlab-head" }, title, editable ? press("bnlab-chip", edit, about, "Edit") : null);
    const problem = mistyped ? h("p", { class: "bnlab-note bnlab-mistyped" }, mistyped.problem) : null;
    return h("section", {}, head, table("Probability table", heads, body), pages && pager(pages, send), problem, note(rule), note(words));
  },

  noisy_or(shown, { title: node }, send) {
    const { effects, leak, note: words } = shown;
    const fields = [...effects.map(([name, text], i) => [`effect ${i}`, name, text]), ["leak", "Leak", leak]];
    const submit = (typed) => {
      const texts = effects.map(([name], i) => [name, typed[`effect ${i}`]]); // no object: a parent may be called __proto__
      send({ type: "noisy-or", node, effects: texts, leak: typed.leak });
    };
    return section("Noisy-OR", note(words), form(shown, fields, "Set as noisy-OR", submit));
  },

  variable(shown, _, send) {
    const { node, name } = shown;
    const remove = press("", () => send({ type: "remove", node }), { "data-key": "remove" }, "Remove variable");
    return section("Variable", form(shown, [["name", "Name", name]], "Rename", (typed) => send({ type: "rename", node, ...typed }), remove));
  },

  new_variable(shown, _, send) {
    const fields = [["name", "Name", shown.name], ["states", "States", shown.states]];
    const submit = (typed, place) => {
      send({ type: "variable", ...typed });
      const [name, states] = place.querySelectorAll("input");
      [name.value, states.value] = ["", "yes, no"];
      name.focus();
    };
    return form(shown, fields, "Add variable", submit);
  },

  explanation(rows, _, send) {
    const heads = [["Node"], ["State", "In the most probable explanation"], ["P", "Probability of this state alone"], ["Second", "State in the second most probable explanation, if it differs"]];
    const body = rows.map(({ name, state, p, other }) => [h("th", { scope: "row" }, chip(name, send)), td(state), td(p), td(other)]);
    return table("Most probable explanation", heads, body);
  },

  sensitivity({ query, now, state, states, rows, note: words }, _, send) {
    const choices = (states ?? []).map((name, k) =>
      press("bnlab-chip", () => send({ type: "target", state: k }), { "data-key": `target ${k}`, "aria-pressed": String(k === state), title: name }, name),
    );
    const heads = [["Probability"], ["Value"], ["Slope", "Derivative of the query by this probability"]];
    heads.push(["Range", "The query with this probability 0.1 lower and 0.1 higher"], ["At 50%", "Value at which the query is 50%: – if there is none"]);
    const most = Math.max(...rows.flatMap(({ ends }) => ends), 1e-9);
    const body = rows.map(({ label, numbers: [value, slope, needed], ends, range }) => [
      th(label, "bnlab-wrapped"),
      td(value),
      td(slope),
      td(range, "bnlab-range", { "--from": ends[0] / most, "--to": ends[1] / most, "--now": now / most }),
      td(needed),
    ]);
    const shown = rows.length ? table("Sensitivity", heads, body) : null;
    const asked = query ? `What moves ${query} = ${now.toFixed(3)}` : "";
    return section("Sensitivity", states ? h("div", { class: "bnlab-line" }, choices) : null, note(asked), shown, note(words));
  },

  around(groups, _, send) {
    const chips = (names) => (names.length ? names.map((name) => chip(name, send)) : span("bnlab-note", "none"));
    return section("Neighbourhood", pairs(groups.map(([title, names]) => [title, chips(names)])));
  },
};

// What is shown of a node.
function tabs({ title, matters }, send) {
  const { node, update } = controlMakers.tabs({ id: "matters" }, (id, value) => send({ type: "control", id, value }));
  update({ label: title, options: [[false, "Details"], [true, "What matters"]], value: Boolean(matters), closed: [] });
  [...node.children].forEach((tab, i) => (tab.dataset.key = `tab ${i}`));
  node.lastChild.title = "How informative every other node is about this one";
  return node;
}

function details(content, send) {
  const close = press("bnlab-close", () => send({ type: "close" }), { "aria-label": "Close details", title: "Select nothing" }, "×");
  const head = h("div", { class: "bnlab-head" }, h("h3", { title: content.title }, content.title), content.kind === "explanation" ? null : close);
  const parts = Object.keys(SECTIONS).filter((part) => content[part] && (part === "matters" || !content.matters));
  const sections = parts.map((part) => SECTIONS[part](content[part], content, send));
  return [head, note(content.subtitle), content.can_matter ? tabs(content, send) : null, ...sections, ...(content.notes ?? []).map(note)].filter(Boolean);
}

function differences({ rows, caption }) {
  const heads = [["Score"], ["Change", "By the last change"], ["Total", "Since the initial graph"]];
  const body = rows.map((row) => [th(row.label), change(row.last, row.way), change(row.start, row.way_start)]);
  const words = h("p", { class: "bnlab-note bnlab-clipped", role: "status", title: caption }, caption);
  return [h("h4", {}, "Score changes of the graph, nats"), words, table("Score changes of the graph", heads, body)];
}

// Replace the content of an element; the part with the same key keeps the focus.
function replace(element, nodes, keepsFocus = true) {
  const key = keepsFocus ? element.querySelector(":focus")?.dataset.key : undefined;
  element.replaceChildren(...nodes);
  if (key) [...element.querySelectorAll("[data-key]")].find((node) => node.dataset.key === key)?.focus();
}

export default function render({ model, el }) {
  const detail = h("div", { class: "bnlab-detail", tabindex: "0", role: "region", "aria-label": "Selection" });
  const scores = h("div", { class: "bnlab-overall" });
  const panel = h("div", { class: "bnlab-form bnlab-inspector" }, detail, scores);
  el.style.width = "100%";
  el.append(panel);
  const problem = problems(model, el);
  const send = (message) => model.send(message);
  let shown = "";
  let isOpen = false; // whether the user has opened the section on the effects of a removal

  const bars = () => [...detail.querySelectorAll(".bnlab-bar")];
  const length = (bar) => getComputedStyle(bar).backgroundSize;

  function drawDetail() {
    const content = model.get("content");
    const now = JSON.stringify([content.kind, content.title]);
    const top = shown === now ? detail.scrollTop : 0;
    const lengths = shown === now && movesAllowed() ? bars().map(length) : [];
    isOpen = detail.querySelector("details")?.open ?? isOpen;
    replace(detail, details(content, send), shown === now);
    for (const part of detail.querySelectorAll("details")) part.open = isOpen;
    bars().forEach((bar, i) => lengths[i] && lengths[i] !== length(bar) && bar.animate({ backgroundSize: [lengths[i], length(bar)] }, MOVE));
    detail.scrollTop = top;
    shown = now;
  }

  function drawScores() {
    const found = model.get("scores");
    scores.hidden = found.rows.length === 0;
    if (found.rows.length) replace(scores, differences(found));
  }

  const drawings = {
    "change:content": problem.guard(drawDetail),
    "change:scores": problem.guard(drawScores),
    "msg:custom": ({ type }) => type === "focus" && detail.querySelector("input")?.focus(),
    "change:height": () => panel.style.setProperty("max-height", `${model.get("height")}px`),
  };
  const leave = listen(model, drawings);
  for (const [event, draw] of Object.entries(drawings)) if (event !== "msg:custom") draw();
  return () => {
    problem.stop();
    leave();
  };
}
