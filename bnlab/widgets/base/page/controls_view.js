// Tables and code, and the page's side of base/controls.py.
import "./controls_move.js";
import { ControlLines, controlMakers, ControlSet, finder, saveFile } from "./controls.js";
import { keepKeys, listen, make, place, problems, setText } from "./elements.js";

const STEPS = { ArrowRight: [0, 1], ArrowLeft: [0, -1], ArrowDown: [1, 0], ArrowUp: [-1, 0] };
const COPIED = 1500; // ms
const FEW = 4; // maximum number of columns that fit in a narrow page

const heads = (texts) => texts.map((textContent) => make("th", { scope: "col", textContent }));

// Heads that sort the table; unchanged heads keep the focus.
function sortHeads(head, { columns, order }, sort) {
  const signature = JSON.stringify(columns);
  if (head.dataset.sorted !== signature) {
    head.dataset.sorted = signature;
    const button = (text) => make("button", { type: "button", textContent: text, onclick: () => sort(text) });
    head.replaceChildren(...columns.map((text) => make("th", { scope: "col" }, button(text))));
  }
  columns.forEach((text, i) => {
    const now = text === order[0] && (order[1] ? "descending" : "ascending");
    if (now) head.children[i].setAttribute("aria-sort", now);
    else head.children[i].removeAttribute("aria-sort");
  });
}

// Scroll a table, but not the page, to show a row.
function revealLine(line) {
  const scroll = line.closest(".bnlab-scroll");
  const [box, place] = [line.getBoundingClientRect(), scroll.getBoundingClientRect()];
  const top = place.top + (scroll.querySelector("thead")?.offsetHeight ?? 0);
  if (box.top < top) scroll.scrollTop += box.top - top;
  else if (box.bottom > place.bottom) scroll.scrollTop += box.bottom - place.bottom;
}

// Fade an edge of a table that has more content beyond it.
function fadeEdges(scroll) {
  const mark = () => {
    const rest = scroll.scrollWidth - scroll.clientWidth - scroll.scrollLeft;
    scroll.classList.toggle("bnlab-before", scroll.scrollLeft > 1);
    scroll.classList.toggle("bnlab-after", rest > 1);
  };
  const watcher = new ResizeObserver(mark);
  watcher.observe(scroll);
  watcher.observe(scroll.firstChild);
  scroll.addEventListener("scroll", mark);
  return () => watcher.disconnect();
}

// The Tab key stops at one cell of a table; arrow keys, Home and End move between cells.
function stepCells(body, event) {
  const from = event.target.closest(".bnlab-cell")?.closest("td");
  const by = STEPS[event.key];
  const chooses = event.key === "Enter" || event.key === " ";
  if (!from || !(by || chooses || event.key === "Home" || event.key === "End")) return;
  event.stopPropagation(); // the notebook is not to see it
  if (chooses) return;
  event.preventDefault();
  const row = [...from.parentElement.querySelectorAll(".bnlab-cell")];
  let next = { Home: row[0], End: row.at(-1) }[event.key];
  let [i, j] = [from.parentElement.sectionRowIndex, from.cellIndex];
  while (!next && by) {
    [i, j] = [i + by[0], j + by[1]];
    if (!body.rows[i]?.cells[j]) return;
    next = body.rows[i].cells[j].querySelector(".bnlab-cell");
  }
  next.focus();
}

function stopAt(body, cell) {
  for (const other of body.querySelectorAll(".bnlab-cell[tabindex='0']")) other.tabIndex = -1;
  if (cell) cell.tabIndex = 0;
}

Object.assign(controlMakers, {
  table({ id }, emit, send) {
    const find = finder(filter);
    const head = make("tr");
    const body = make("tbody");
    const sheet = make("table", {}, make("thead", {}, head), body);
    const scroll = make("div", { className: "bnlab-scroll" }, sheet);
    const node = make("div", { className: "bnlab-table" }, find.field, scroll);
    const endFades = fadeEdges(scroll);
    // Radio buttons with one name exclude each other in the whole page, and each widget has a copy of this module.
    const group = `bnlab-table-${Math.random()}`;
    const inner = new ControlSet(send);
    let lines = new Map(); // key -> { line, radio, words }
    let chosen = null;
    body.addEventListener("keydown", (event) => stepCells(body, event));
    body.addEventListener("focusin", ({ target }) => target.classList.contains("bnlab-cell") && stopAt(body, target));

    function filter() {
      for (const { line, words } of lines.values()) line.hidden = !find.finds(words.textContent);
    }

    function made(key) {
      const radio = make("input", { type: "radio", name: group, value: key });
      radio.addEventListener("change", () => emit(id, key));
      keepKeys(radio);
      const words = make("span");
      return { radio, words, line: make("tr", {}, make("th", { scope: "row" }, make("label", {}, radio, words))) };
    }

    function fill({ key, cells: [name, ...others], quiet }, next, parts) {
      const { line, radio, words } = lines.get(key);
      if (Array.isArray(name)) place(line.firstChild, parts.next().value);
      else setText(words, name);
      radio.hidden = next.chosen === null;
      radio.checked = key === next.chosen;
      line.classList.toggle("bnlab-chosen", radio.checked);
      line.classList.toggle("bnlab-quiet", quiet);
      while (line.childElementCount <= others.length) line.append(make("td"));
      while (line.childElementCount > others.length + 1) line.lastChild.remove();
      others.forEach((cell, i) => {
        const td = line.children[i + 1];
        td.classList.toggle("bnlab-left", next.left.includes(next.columns[i + 1]));
        td.dataset.head = next.columns[i + 1];
        if (Array.isArray(cell)) place(td, parts.next().value);
        else setText(td, cell);
      });
    }

    const update = (next, force) => {
      sheet.setAttribute("aria-label", next.label);
      find.describe(next.find);
      if (next.order) sortHeads(head, next, (text) => emit(`${id}:order`, text));
      else head.replaceChildren(...heads(next.columns));
      for (const th of head.children) th.classList.toggle("bnlab-left", next.left.includes(th.textContent));
      lines = new Map(next.rows.map(({ key }) => [key, lines.get(key) ?? made(key)]));
      const parts = inner.nodes(next.rows.flatMap(({ cells }) => cells.filter(Array.isArray))).values();
      for (const row of next.rows) fill(row, next, parts);
      // A wide table without controls can be scrolled by keys only if it can take the focus.
      const plain = !inner.made.size;
      if (next.chosen === null && plain) scroll.tabIndex = 0;
      else scroll.removeAttribute("tabindex");
      sheet.classList.toggle("bnlab-plain", plain);
      sheet.classList.toggle("bnlab-rows", plain && next.chosen === null);
      place(body, Array.from(lines.values(), ({ line }) => line));
      const cells = body.querySelector(".bnlab-cell");
      sheet.classList.toggle("bnlab-grid", Boolean(cells));
      sheet.classList.toggle("bnlab-stack", !cells && inner.made.size > 0 && next.columns.length > FEW);
      if (!body.querySelector(".bnlab-cell[tabindex='0']")) stopAt(body, cells);
      if (force) inner.restore();
      filter();
      if (next.chosen !== chosen && lines.has(next.chosen)) revealLine(lines.get(next.chosen).line);
      chosen = next.chosen;
    };
    const close = () => {
      endFades();
      inner.close();
    };
    return { node, update, close };
  },

  // Button in a cell of a table.
  cell(_, emit) {
    const words = make("span");
    const sign = make("span", { ariaHidden: "true" });
    const node = make("button", { type: "button", tabIndex: -1 }, words, sign);
    let now = null;
    node.addEventListener("click", () => emit(now.sets, now.value));
    const update = (next) => {
      now = next;
      setText(words, next.text);
      setText(sign, next.sign);
      Object.assign(node, { title: next.tip, ariaLabel: next.label, ariaPressed: String(next.pressed) });
      node.className = ["cell", ...next.classes].map((name) => `bnlab-${name}`).join(" ");
    };
    return { node, update };
  },

  code() {
    const pre = make("pre", { tabIndex: 0, role: "region" });
    const copy = make("button", { type: "button", textContent: "Copy", ariaLive: "polite" });
    const node = make("div", { className: "bnlab-code" }, pre, copy);
    let timer = 0;
    const flash = (text) => {
      setText(copy, text);
      clearTimeout(timer);
      timer = setTimeout(() => setText(copy, "Copy"), COPIED);
    };
    copy.addEventListener("click", async () => {
      try {
        await navigator.clipboard.writeText(pre.textContent);
        flash("Copied");
      } catch {
        getSelection().selectAllChildren(pre);
        flash("Selected");
      }
    });
    const update = (next) => {
      pre.setAttribute("aria-label", next.label);
      setText(pre, next.text);
    };
    return { node, update, close: () => clearTimeout(timer) };
  },
});

export default function render({ model, el }) {
  const heading = make("h3");
  const body = make("div");
  const root = make("section", { className: "bnlab-form" }, heading, body);
  Object.assign(el.style, { width: "100%", minWidth: "0" });
  el.append(root);
  const problem = problems(model, el);
  const controls = new ControlLines(body, (content, buffers) => model.send(content, undefined, buffers));

  const draw = problem.guard(() => {
    setText(heading, model.get("label"));
    heading.hidden = !model.get("heading") || !model.get("lines").length;
    root.setAttribute("aria-label", model.get("label"));
    controls.draw(model.get("lines"));
  });

  const receive = (content, bytes) => {
    if (content.type === "file") saveFile(content, bytes);
    if (content.type === "restore") controls.restore();
  };
  const leave = listen(model, { "change:lines": draw, "change:label": draw, "change:heading": draw, "msg:custom": receive });
  draw();
  return () => {
    controls.close();
    problem.stop();
    leave();
  };
}
