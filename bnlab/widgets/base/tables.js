// Controls of several parts: tables, grids of cells, histograms and code. A part of base/controls_view.js.

const STEPS = { ArrowRight: [0, 1], ArrowLeft: [0, -1], ArrowDown: [1, 0], ArrowUp: [-1, 0] };
const COPIED = 1500; // ms
const FEW = 3; // columns that fit in a narrow place
let tables = 0;

const heads = (texts) => texts.map((textContent) => make("th", { scope: "col", textContent }));

Object.assign(controlMakers, {
  table({ id }, ask, send) {
    const find = make("input", { type: "search" });
    const head = make("tr");
    const body = make("tbody");
    const sheet = make("table", {}, make("thead", {}, head), body);
    const node = make("div", { className: "bnlab-table" }, find, make("div", { className: "bnlab-scroll" }, sheet));
    const group = `bnlab-table-${++tables}`;
    const inner = new ControlSet(send);
    let lines = new Map(); // key -> { line, radio, words }
    keepKeys(find);
    find.addEventListener("input", filter);

    function filter() {
      const wanted = find.hidden ? "" : find.value.trim().toLowerCase();
      for (const { line, words } of lines.values()) line.hidden = !words.textContent.toLowerCase().includes(wanted);
    }

    function made(key) {
      const radio = make("input", { type: "radio", name: group, value: key });
      radio.addEventListener("change", () => ask(id, key));
      keepKeys(radio);
      const words = make("span");
      return { radio, words, line: make("tr", {}, make("th", { scope: "row" }, make("label", {}, radio, words))) };
    }

    function fill({ key, cells: [name, ...others], quiet }, next, parts) {
      const { line, radio, words } = lines.get(key);
      setText(words, name);
      radio.hidden = next.chosen === null;
      radio.checked = key === next.chosen;
      line.classList.toggle("bnlab-chosen", radio.checked);
      line.classList.toggle("bnlab-quiet", quiet);
      while (line.childElementCount <= others.length) line.append(make("td"));
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
      find.hidden = !next.find;
      find.placeholder = next.find;
      find.setAttribute("aria-label", next.find);
      head.replaceChildren(...heads(next.columns));
      lines = new Map(next.rows.map(({ key }) => [key, lines.get(key) ?? made(key)]));
      const parts = inner.nodes(next.rows.flatMap(({ cells }) => cells.filter(Array.isArray))).values();
      for (const row of next.rows) fill(row, next, parts);
      place(body, Array.from(lines.values(), ({ line }) => line));
      sheet.classList.toggle("bnlab-stack", inner.made.size > 0 && next.columns.length > FEW);
      if (force) inner.restore();
      filter();
    };
    return { node, update, close: () => inner.close() };
  },

  // One cell is a stop of the Tab key; arrow keys, Home and End move between cells.
  grid({ id }, ask) {
    const sheet = make("table");
    const node = make("div", { className: "bnlab-grid" }, sheet);
    let cells = []; // rows of buttons, null where there is nothing
    let at = [0, 0];
    let written = "";
    const cell = ([i, j]) => cells[i]?.[j];

    function stop(there) {
      if (cell(at)) cell(at).tabIndex = -1;
      at = there;
      cell(at).tabIndex = 0;
    }

    function button({ value, text, sign, label, tip, look }, there) {
      const mark = make("span", { textContent: sign, ariaHidden: "true" });
      const made = make("button", { type: "button", title: tip, tabIndex: -1, ariaLabel: label });
      made.className = ["cell", ...look].map((name) => `bnlab-${name}`).join(" ");
      made.append(make("span", { textContent: text }), mark);
      made.addEventListener("click", () => ask(id, value));
      made.addEventListener("focus", () => stop(there));
      return made;
    }

    function build(next) {
      const focused = node.contains(document.activeElement);
      const [x, y] = [node.scrollLeft, node.scrollTop];
      sheet.setAttribute("aria-label", next.label);
      cells = next.rows.map((row, i) => row.cells.map((given, j) => given && button(given, [i, j])));
      const body = next.rows.map(({ name, title }, i) => {
        const head = make("th", { scope: "row", title }, make("span", { textContent: name }));
        if (title && title !== name) head.append(make("small", { textContent: title }));
        return make("tr", {}, head, ...cells[i].map((shown) => make("td", {}, ...(shown ? [shown] : []))));
      });
      sheet.replaceChildren(make("thead", {}, make("tr", {}, ...heads(next.columns))), make("tbody", {}, ...body));
      const places = cells.flatMap((row, i) => row.flatMap((shown, j) => (shown ? [[i, j]] : [])));
      if (!cell(at)) at = places[0] ?? [0, 0];
      if (cell(at)) cell(at).tabIndex = 0;
      node.scrollTo(x, y);
      if (focused) cell(at)?.focus({ preventScroll: true });
    }

    sheet.addEventListener("keydown", (event) => {
      const by = STEPS[event.key];
      const row = cells[at[0]] ?? [];
      const ends = { Home: row.findIndex(Boolean), End: row.findLastIndex(Boolean) };
      // Enter and Space choose; the notebook is not to see them.
      if (!by && !(event.key in ends) && event.key !== "Enter" && event.key !== " ") return;
      event.stopPropagation();
      if (event.key === "Enter" || event.key === " ") return;
      event.preventDefault();
      let [i, j] = by ? at : [at[0], ends[event.key]];
      if (by) {
        do [i, j] = [i + by[0], j + by[1]];
        while (cell([i, j]) === null);
      }
      cell([i, j])?.focus();
    });

    const update = (next) => {
      const content = JSON.stringify([next.label, next.columns, next.rows]);
      if (content !== written) build(next);
      written = content;
      const chosen = JSON.stringify(next.chosen);
      next.rows.forEach((row, i) =>
        row.cells.forEach((given, j) => {
          if (given) cells[i][j].setAttribute("aria-pressed", String(JSON.stringify(given.value) === chosen));
        }),
      );
    };
    return { node, update };
  },

  histogram() {
    const bars = make("div");
    const ends = make("p");
    const node = make("div", { className: "bnlab-histogram", role: "img" }, bars, ends);
    const update = (next) => {
      node.setAttribute("aria-label", next.label);
      const drawn = [...next.bars.map(() => make("span")), ...next.cuts.map(() => make("i"))];
      next.bars.forEach((height, i) => (drawn[i].style.height = `${100 * height}%`));
      next.cuts.forEach((left, i) => (drawn[next.bars.length + i].style.left = `${100 * left}%`));
      bars.replaceChildren(...drawn);
      ends.replaceChildren(...next.ends.map((textContent) => make("span", { textContent })));
    };
    return { node, update };
  },

  code() {
    const pre = make("pre", { tabIndex: 0, role: "region" });
    const copy = make("button", { type: "button", textContent: "Copy", ariaLive: "polite" });
    const node = make("div", { className: "bnlab-code" }, pre, copy);
    let timer = 0;
    const say = (text) => {
      setText(copy, text);
      clearTimeout(timer);
      timer = setTimeout(() => setText(copy, "Copy"), COPIED);
    };
    copy.addEventListener("click", async () => {
      try {
        await navigator.clipboard.writeText(pre.textContent);
        say("Copied");
      } catch {
        getSelection().selectAllChildren(pre);
        say("Selected");
      }
    });
    const update = (next) => {
      pre.setAttribute("aria-label", next.label);
      setText(pre, next.text);
    };
    return { node, update, close: () => clearTimeout(timer) };
  },
});
