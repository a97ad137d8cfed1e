// Details of a node or an edge; see graph/inspector.py. All texts come formatted, and are inserted as text.

function h(name, attributes = {}, ...children) {
  const node = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (key.startsWith("on")) node.addEventListener(key.slice(2), value);
    else if (key.startsWith("--")) node.style.setProperty(key, value);
    else node.setAttribute(key, value === true ? "" : value);
  }
  node.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return node;
}

const ACTIONS = { add: "Add", reverse: "Reverse", delete: "Delete" };

const section = (title, ...children) => h("section", {}, h("h4", {}, title), ...children);
const clipped = (text, attributes = {}) => h("span", { class: "bnlab-clipped", title: text, ...attributes }, text);

const pairs = (rows) =>
  h(
    "div",
    { class: "bnlab-pairs" },
    rows.flatMap(([title, value, tip]) => [h("div", { title: tip }, title), h("div", { class: "bnlab-value" }, value)]),
  );

function table(head, rows, { name, className = null } = {}) {
  return h(
    "div",
    { class: "bnlab-scroll", tabindex: "0", role: "region", "aria-label": name },
    h(
      "table",
      { class: className },
      h("thead", {}, h("tr", {}, head.map((cell) => h("th", { scope: "col", class: cell.class, title: cell.tip }, cell.text)))),
      h("tbody", {}, rows),
    ),
  );
}

function render({ model, el }) {
  const panel = h("div", { class: "bnlab-inspector" });
  const detail = h("div", { class: "bnlab-detail", tabindex: "0", role: "region", "aria-label": "Selection" });
  const overall = h("div", { class: "bnlab-overall" });
  panel.append(detail, overall);
  el.classList.add("bnlab-inspector-place");
  el.append(panel);
  const problem = problems(model, el);

  const send = (message) => model.send(message);

  function states(content) {
    const settable = content.evidence;
    const row = (state, k) => {
      const share = state.after ?? state.before;
      const bar = h(
        "span",
        { class: "bnlab-bar", "aria-hidden": "true" },
        share === null ? null : h("span", { class: "bnlab-fill", "--p": share }),
        state.before === null ? null : h("span", { class: "bnlab-before", "--p": state.before }),
      );
      const parts = [
        clipped(state.name),
        bar,
        h("span", { class: "bnlab-number" }, state.text ? `${state.text} %` : ""),
        h("span", { class: "bnlab-number bnlab-count" }, state.count ?? ""),
      ];
      if (!settable) return h("div", { class: "bnlab-state" }, parts);
      const label = `${state.name}${state.text ? `, ${state.text} percent` : ""}${state.count ? `, ${state.count} rows` : ""}`;
      return h(
        "button",
        {
          type: "button",
          class: "bnlab-state",
          "data-key": `state ${k}`,
          "aria-pressed": String(state.observed),
          "aria-label": label,
          title: state.observed ? "Observed; click to remove" : "Click to observe this state",
          onclick: () => send({ type: "evidence", node: content.title, state: state.observed ? null : k }),
        },
        parts,
      );
    };
    const head = h(
      "div",
      { class: "bnlab-state bnlab-state-head", "aria-hidden": "true" },
      h("span", {}, "state"),
      h("span", {}, content.observing ? "▏before   ▬ after" : ""),
      h("span", { class: "bnlab-number" }, content.states.some((s) => s.text) ? "P" : ""),
      h("span", { class: "bnlab-number" }, content.states.some((s) => s.count !== null) ? "rows" : ""),
    );
    return section(
      "States",
      head,
      content.states.map(row),
      content.states_note ? h("p", { class: "bnlab-note" }, content.states_note) : null,
    );
  }

  function cpt({ parents, states: names, rows, note }) {
    const counts = rows.some((row) => row.rows !== null);
    const head = [
      ...parents.map((text) => ({ text, tip: text, class: "bnlab-when" })),
      ...names.map((text) => ({ text, tip: text, class: "bnlab-number" })),
      ...(counts ? [{ text: "rows", tip: "Rows of data with this configuration", class: "bnlab-number bnlab-count" }] : []),
    ];
    const body = rows.map((row) =>
      h(
        "tr",
        {},
        row.when.map((text) => h("th", { scope: "row", class: "bnlab-when", title: text }, text)),
        row.p.map((p, k) => h("td", { class: "bnlab-heat", "--p": p, title: `${p}` }, row.text[k])),
        counts ? h("td", { class: "bnlab-number bnlab-count" }, row.rows) : null,
      ),
    );
    return section(
      parents.length ? "Probability given the parents, %" : "Probability, %",
      table(head, body, { name: "Probability table", className: parents.length > 2 ? "bnlab-many" : null }),
      note ? h("p", { class: "bnlab-note" }, note) : null,
    );
  }

  function neighbourhood(groups) {
    const chips = (names) =>
      names.length === 0
        ? h("span", { class: "bnlab-quiet" }, "none")
        : names.map((name) =>
            h(
              "button",
              {
                type: "button",
                class: "bnlab-chip",
                title: name,
                onclick: () => send({ type: "select", node: name }),
              },
              name,
            ),
          );
    return section(
      "Neighbourhood",
      pairs(groups.map(([title, names]) => [title, chips(names)])),
    );
  }

  function local(rows) {
    const head = [
      { text: "score" },
      { text: "local", class: "bnlab-number", tip: "What this node adds to the score of the graph, in nats" },
      { text: "parents' share", class: "bnlab-number", tip: "Local score less that without parents" },
    ];
    const body = rows.map((row) =>
      h("tr", {}, h("th", { scope: "row" }, row.label), h("td", { class: "bnlab-number" }, row.value), h("td", { class: "bnlab-number" }, row.change)),
    );
    return section("Local scores, nats", table(head, body, { name: "Local scores" }));
  }

  function numbers(rows) {
    return section("Strength", pairs(rows.map((row) => [row.label, row.value, row.tip])));
  }

  function removal(rows) {
    const head = [{ text: "score" }, { text: "change", class: "bnlab-number", tip: "Score without the edge less score with it" }];
    const body = rows.map((row) =>
      h("tr", {}, h("th", { scope: "row" }, row.label), h("td", { class: `bnlab-number ${row.better ? "bnlab-up" : "bnlab-down"}` }, row.change)),
    );
    return section("Score change without this edge, nats", table(head, body, { name: "Change of the scores without this edge" }));
  }

  function edits({ u, v, actions }) {
    const act = (action) =>
      h(
        "button",
        { type: "button", class: "bnlab-action", "data-key": action, onclick: () => send({ type: "edit", action, u, v }) },
        ACTIONS[action],
      );
    return h("div", { class: "bnlab-actions" }, actions.map(act));
  }

  function selection(content) {
    const parts = [
      h("div", {}, h("h3", { title: content.title }, content.title), h("p", { class: "bnlab-note" }, content.subtitle ?? "")),
    ];
    if (content.kind === "node") {
      if (content.states) parts.push(states(content));
      if (content.cpt) parts.push(cpt(content.cpt));
      parts.push(neighbourhood(content.around));
      if (content.local) parts.push(local(content.local));
    }
    if (content.kind === "edge") {
      if (content.actions) parts.push(edits(content));
      if (content.numbers) parts.push(numbers(content.numbers));
      if (content.removal) parts.push(removal(content.removal));
    }
    for (const line of content.notes ?? []) parts.push(h("p", { class: "bnlab-note" }, line));
    return parts;
  }

  let shown = "";
  function drawDetail() {
    const content = model.get("content");
    const same = shown === `${content.kind} ${content.title}`;
    shown = `${content.kind} ${content.title}`;
    const [top, key] = [detail.scrollTop, same ? detail.querySelector(":focus")?.dataset.key : undefined];
    detail.replaceChildren(...selection(content));
    detail.scrollTop = same ? top : 0;
    if (key) [...detail.querySelectorAll("[data-key]")].find((node) => node.dataset.key === key)?.focus();
  }

  function drawScores() {
    const { rows, caption, chosen } = model.get("scores");
    overall.hidden = rows.length === 0;
    if (rows.length === 0) return;
    const key = overall.querySelector(":focus")?.dataset.key;
    const head = [
      { text: "score" },
      { text: "before", class: "bnlab-number", tip: "Before the last change" },
      { text: "now", class: "bnlab-number" },
      { text: "change", class: "bnlab-number", tip: "By the last change" },
      { text: "total", class: "bnlab-number", tip: "Since the initial graph" },
    ];
    const way = (sign) => (sign > 0 ? "bnlab-up" : sign < 0 ? "bnlab-down" : "");
    const body = rows.map((row) =>
      h(
        "tr",
        { class: row.score === chosen ? "bnlab-chosen" : null },
        h(
          "th",
          { scope: "row" },
          h(
            "button",
            {
              type: "button",
              class: "bnlab-score",
              "data-key": row.score,
              "aria-pressed": String(row.score === chosen),
              title: "Use this score for the strength of edges",
              onclick: () => send({ type: "control", id: "score", value: row.score }),
            },
            row.label,
          ),
        ),
        h("td", { class: "bnlab-number" }, row.before),
        h("td", { class: "bnlab-number" }, row.now),
        h("td", { class: `bnlab-number ${way(row.way)}` }, row.last),
        h("td", { class: `bnlab-number ${way(row.way_start)}` }, row.start),
      ),
    );
    overall.replaceChildren(
      h("h4", {}, "Scores of the graph, nats"),
      clipped(caption, { class: "bnlab-note bnlab-clipped", role: "status" }),
      table(head, body, { name: "Scores of the graph" }),
    );
    if (key) [...overall.querySelectorAll("[data-key]")].find((node) => node.dataset.key === key)?.focus();
  }

  const size = () => panel.style.setProperty("--bnlab-height", `${model.get("height")}px`);
  const [redrawDetail, redrawScores] = [problem.guard(drawDetail), problem.guard(drawScores)];
  const listening = [
    ["change:content", redrawDetail],
    ["change:scores", redrawScores],
    ["change:height", size],
  ];
  for (const [event, handler] of listening) model.on(event, handler);
  size();
  redrawDetail();
  redrawScores();
  return () => {
    problem.stop();
    for (const [event, handler] of listening) model.off(event, handler);
  };
}

export default { render };
