// Table of reported and reproduced numbers, with cells to select by click or keys. See board/table.py.

const STEP = 50; // px: smaller changes of width are not sent
const MARKS = { inside: "✓", outside: "✗", none: "" };
const STATES = { running: "running …", queued: "queued" };

function render({ model, el }) {
  const table = make("table");
  const scroll = make("div", { className: "bnlab-board-scroll" }, table);
  el.classList.add("bnlab-board-place");
  el.append(scroll);
  const problem = problems(model, el);

  let frame = 0;
  let ended = false;
  let place = [0, 0]; // of the cell that keys begin from
  let buttons = []; // rows of buttons, null where there is nothing

  const redraw = () => {
    if (!frame && !ended) frame = requestAnimationFrame(problem.guard(draw));
  };

  function choose(group, item) {
    model.set("selected", [group, item]);
    model.save_changes();
  }

  function button(cell, group, i, j) {
    const words = STATES[cell.state] ?? cell.text;
    const made = make("button", { type: "button", title: cell.note });
    made.className = `bnlab-board-cell bnlab-${cell.mark}`;
    if (cell.state) made.dataset.state = cell.state;
    const mark = make("span", { className: "bnlab-board-mark", textContent: MARKS[cell.mark] ?? "" });
    mark.setAttribute("aria-hidden", "true");
    made.append(make("span", { textContent: words }), mark);
    made.setAttribute("aria-label", `${group}, ${cell.item}: ${words.replace("\n", " ")}, ${cell.verdict ?? ""}`);
    made.tabIndex = -1;
    made.addEventListener("click", () => {
      place = [i, j];
      choose(group, cell.item);
    });
    made.addEventListener("focus", () => enter(i, j));
    return made;
  }

  function enter(i, j) {
    buttons[place[0]]?.[place[1]]?.setAttribute("tabindex", "-1");
    place = [i, j];
    buttons[i][j].setAttribute("tabindex", "0");
  }

  function draw() {
    frame = 0;
    if (ended) return;
    scroll.style.display = model.get("shown") ? "" : "none";
    const focused = scroll.contains(document.activeElement);
    const [x, y] = [scroll.scrollLeft, scroll.scrollTop];
    table.setAttribute("aria-label", model.get("description"));
    const head = make("tr", {}, make("th", { scope: "col", textContent: model.get("corner") }));
    head.append(...model.get("columns").map((text) => make("th", { scope: "col", textContent: text })));
    buttons = [];
    const body = model.get("rows").map((row, i) => {
      const name = make("th", { scope: "row", title: row.title }, make("span", { textContent: row.group }));
      if (row.title && row.title !== row.group) name.append(make("small", { textContent: row.title }));
      buttons.push(row.cells.map((cell, j) => (cell ? button(cell, row.group, i, j) : null)));
      return make("tr", {}, name, ...buttons[i].map((shown) => make("td", {}, ...(shown ? [shown] : []))));
    });
    table.replaceChildren(make("thead", {}, head), make("tbody", {}, ...body));
    mark();
    if (!buttons[place[0]]?.[place[1]]) place = first();
    if (place) buttons[place[0]][place[1]].tabIndex = 0;
    else place = [0, 0];
    scroll.scrollTo(x, y);
    if (focused) buttons[place[0]]?.[place[1]]?.focus({ preventScroll: true });
  }

  function first() {
    for (const [i, row] of buttons.entries()) {
      const j = row.findIndex(Boolean);
      if (j >= 0) return [i, j];
    }
    return null;
  }

  function mark() {
    const [group, item] = model.get("selected") ?? [];
    model.get("rows").forEach((row, i) =>
      row.cells.forEach((cell, j) => {
        if (cell) buttons[i]?.[j]?.setAttribute("aria-pressed", String(row.group === group && cell.item === item));
      }),
    );
  }

  const MOVES = { ArrowRight: [0, 1], ArrowLeft: [0, -1], ArrowDown: [1, 0], ArrowUp: [-1, 0] };

  function move(event) {
    const by = MOVES[event.key];
    if (!by && event.key !== "Home" && event.key !== "End") return;
    event.preventDefault();
    event.stopPropagation();
    let [i, j] = place;
    if (event.key === "Home") j = buttons[i].findIndex(Boolean);
    else if (event.key === "End") j = buttons[i].findLastIndex(Boolean);
    else {
      do [i, j] = [i + by[0], j + by[1]];
      while (i >= 0 && i < buttons.length && j >= 0 && j < buttons[i].length && !buttons[i][j]);
    }
    buttons[i]?.[j]?.focus();
  }

  // Enter and Space choose; Lab's notebook is not to see them.
  table.addEventListener("keydown", (event) => {
    if (event.key === "Enter" || event.key === " ") event.stopPropagation();
    else move(event);
  });

  const measured = new ResizeObserver(() => {
    const room = Math.floor(el.clientWidth / STEP) * STEP;
    if (room > 0 && room !== model.get("room")) {
      model.set("room", room);
      model.save_changes();
    }
  });
  measured.observe(el);

  const watched = ["corner", "columns", "rows", "shown", "description"];
  for (const name of watched) model.on(`change:${name}`, redraw);
  model.on("change:selected", mark);
  problem.guard(draw)();

  return () => {
    ended = true;
    problem.stop();
    cancelAnimationFrame(frame);
    measured.disconnect();
    for (const name of watched) model.off(`change:${name}`, redraw);
    model.off("change:selected", mark);
  };
}

export default { render };
