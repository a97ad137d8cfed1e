// A form that Python describes; see workbench/form.py.

let forms = 0;
const PIECE = 2 ** 21; // a message of a Jupyter server has to stay below 10 MB

function render({ model, el }) {
  const form = ++forms;
  const heading = make("h3");
  const body = make("div", { className: "bnlab-wb-lines" });
  const root = make("section", { className: "bnlab-workbench" }, heading, body);
  el.style.width = "100%";
  el.style.minWidth = "0";
  el.append(root);

  const ask = (id, value) => model.send({ type: "control", id, value });
  let kept = new Map(); // id -> { kind, node, update }

  async function send(id, file) {
    for (let at = 0; at === 0 || at < file.size; at += PIECE) {
      const piece = await file.slice(at, at + PIECE).arrayBuffer();
      const content = { type: "file", id, name: file.name, first: at === 0, last: at + PIECE >= file.size };
      model.send(content, undefined, [piece]);
    }
  }

  function labelled(field) {
    const words = make("span");
    const node = make("label", { className: "bnlab-wb-field" }, words, field);
    field.addEventListener("keydown", (event) => event.stopPropagation());
    return { node, words };
  }

  const makers = {
    words() {
      const node = make("p", { className: "bnlab-wb-words" });
      const update = (next) => {
        if (next.role && node.getAttribute("role") !== next.role) node.setAttribute("role", next.role);
        if (!next.role) node.removeAttribute("role");
        setText(node, next.text);
        node.hidden = !next.text && !next.role;
      };
      return { node, update };
    },
    choice(control) {
      const field = make("select");
      const { node, words } = labelled(field);
      let written = "";
      field.addEventListener("change", () => ask(control.id, field.value));
      const update = (next) => {
        setText(words, next.label);
        field.title = next.tip;
        const options = JSON.stringify(next.options);
        if (options !== written) {
          written = options;
          field.replaceChildren(...next.options.map(([value, label]) => make("option", { value, textContent: label })));
        }
        if (field.value !== next.value) field.value = next.value;
      };
      return { node, update };
    },
    number(control) {
      const field = make("input", { type: "number" });
      const { node, words } = labelled(field);
      field.addEventListener("change", () => ask(control.id, field.value === "" ? null : Number(field.value)));
      const update = (next) => {
        setText(words, next.label);
        field.title = next.tip;
        field.min = next.min ?? "";
        field.max = next.max ?? "";
        field.step = next.step;
        const value = next.value === null ? "" : String(next.value);
        if (document.activeElement !== field && field.value !== value) field.value = value;
      };
      return { node, update };
    },
    text(control) {
      const field = make("input", { type: "text", spellcheck: false, autocomplete: "off" });
      const { node, words } = labelled(field);
      node.classList.add("bnlab-wb-long");
      field.addEventListener("change", () => ask(control.id, field.value));
      const update = (next) => {
        setText(words, next.label);
        field.title = next.tip;
        field.placeholder = next.hint;
        if (document.activeElement !== field && field.value !== next.value) field.value = next.value;
      };
      return { node, update };
    },
    button(control) {
      const node = make("button", { type: "button" });
      node.addEventListener("click", () => {
        if (node.getAttribute("aria-disabled") !== "true") ask(control.id, true);
      });
      const update = (next) => {
        setText(node, next.label);
        node.title = next.tip;
        node.classList.toggle("bnlab-wb-main", next.main);
        // Not `disabled`: that would drop the focus.
        node.setAttribute("aria-disabled", String(!next.enabled));
      };
      return { node, update };
    },
    file(control) {
      const node = make("button", { type: "button" });
      const chooser = make("input", { type: "file", hidden: true });
      chooser.addEventListener("change", () => {
        if (chooser.files.length) send(control.id, chooser.files[0]).catch(() => ask(control.id, null));
        chooser.value = "";
      });
      node.addEventListener("click", () => chooser.click());
      const update = (next) => {
        setText(node, next.label);
        node.title = next.tip;
        chooser.accept = next.accept;
        node.classList.toggle("bnlab-wb-main", next.main);
      };
      return { node, update };
    },
    progress() {
      const bar = make("progress");
      const words = make("span");
      const node = make("div", { className: "bnlab-wb-progress" }, bar, words);
      const update = (next) => {
        bar.setAttribute("aria-label", next.label);
        if (next.share === null) bar.removeAttribute("value");
        else bar.value = next.share;
        setText(words, next.text);
      };
      return { node, update };
    },
    table(control) {
      const head = make("tr");
      const rows = make("tbody");
      const sheet = make("table", {}, make("thead", {}, head), rows);
      const node = make("div", { className: "bnlab-wb-scroll" }, sheet);
      const group = `bnlab-form-${form}-${control.id}`;
      let written = "";
      function row({ key, cells }) {
        const radio = make("input", { type: "radio", name: group, value: key });
        radio.addEventListener("change", () => ask(control.id, key));
        const name = make("label", {}, radio, make("span", { textContent: cells[0] }));
        const others = cells.slice(1).map((text) => make("td", { textContent: text }));
        return make("tr", {}, make("th", { scope: "row" }, name), ...others);
      }
      const update = (next) => {
        const content = JSON.stringify([next.columns, next.rows]);
        if (content !== written) {
          const focused = rows.contains(document.activeElement) ? document.activeElement.value : null;
          written = content;
          sheet.setAttribute("aria-label", next.label);
          head.replaceChildren(...next.columns.map((text) => make("th", { scope: "col", textContent: text })));
          rows.replaceChildren(...next.rows.map(row));
          if (focused !== null) [...rows.querySelectorAll("input")].find((radio) => radio.value === focused)?.focus();
        }
        for (const radio of rows.querySelectorAll("input")) {
          radio.checked = radio.value === next.chosen;
          radio.closest("tr").classList.toggle("bnlab-wb-chosen", radio.checked);
        }
      };
      return { node, update };
    },
  };

  function draw() {
    setText(heading, model.get("title"));
    root.setAttribute("aria-label", model.get("title"));
    const next = new Map();
    const lines = model.get("lines").map((line) =>
      line.map((control) => {
        const old = kept.get(control.id);
        const made = old?.kind === control.kind ? old : makers[control.kind](control);
        made.kind = control.kind;
        made.update(control);
        next.set(control.id, made);
        return made.node;
      }),
    );
    kept = next;
    while (body.childElementCount > lines.length) body.lastChild.remove();
    while (body.childElementCount < lines.length) body.append(make("div", { className: "bnlab-wb-line" }));
    lines.forEach((nodes, i) => {
      const line = body.children[i];
      // Nodes that stay keep the focus.
      const same = nodes.length === line.children.length && nodes.every((node, k) => line.children[k] === node);
      if (!same) line.replaceChildren(...nodes);
    });
  }

  function save(content) {
    if (content.type !== "file") return;
    const url = URL.createObjectURL(new Blob([content.text], { type: content.mime }));
    const link = Object.assign(document.createElement("a"), { href: url, download: content.name });
    link.click();
    setTimeout(() => URL.revokeObjectURL(url), 1000);
  }

  let frame = 0;
  const redraw = () => {
    if (!frame)
      frame = requestAnimationFrame(() => {
        frame = 0;
        draw();
      });
  };
  model.on("change:lines change:title", redraw);
  model.on("msg:custom", save);
  draw();
  return () => {
    cancelAnimationFrame(frame);
    el.replaceChildren();
    model.off("change:lines change:title", redraw);
    model.off("msg:custom", save);
  };
}

export default { render };
