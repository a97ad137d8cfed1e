// Controls of a graph; see graph/toolbar.py.

function render({ model, el }) {
  const bar = document.createElement("div");
  bar.className = "bnlab-toolbar";
  bar.setAttribute("role", "toolbar");
  bar.setAttribute("aria-label", "Graph");
  el.append(bar);
  const problem = problems(model, el);

  const ask = (id, value) => model.send({ type: "control", id, value });
  let kept = new Map(); // id -> { kind, node, update }

  const tag = (name, className, text) => {
    const node = document.createElement(name);
    node.className = className;
    if (text !== undefined) node.textContent = text;
    return node;
  };

  function pressable(control) {
    const node = tag("button", "bnlab-control", control.label);
    node.type = "button";
    let now = control;
    node.addEventListener("click", () => {
      if (node.getAttribute("aria-disabled") === "true") return;
      ask(now.id, now.kind === "toggle" ? !now.value : true);
    });
    const update = (next) => {
      now = next;
      node.textContent = next.label;
      node.title = next.tip;
      // Not `disabled`: that would drop the focus when undo has nothing left to do.
      node.setAttribute("aria-disabled", String(!next.enabled));
      if (next.kind === "toggle") node.setAttribute("aria-pressed", String(next.value));
    };
    return { node, update };
  }

  function select(control) {
    const node = tag("label", "bnlab-labelled");
    const words = tag("span", "bnlab-control-label");
    const list = tag("select", "bnlab-control");
    const acts = control.kind === "menu";
    if (acts) list.classList.add("bnlab-menu");
    if (acts) list.setAttribute("aria-label", control.label);
    else node.append(words);
    node.append(list);
    let written = "";
    const update = (next) => {
      words.textContent = next.label;
      list.title = next.tip;
      list.disabled = !next.enabled;
      const options = acts ? [[`${next.label} …`, ""], ...next.options] : next.options;
      const text = JSON.stringify(options);
      if (text !== written) {
        written = text;
        list.replaceChildren(...options.map(([label, value]) => Object.assign(tag("option", "", label), { value })));
      }
      list.value = acts ? "" : next.value;
    };
    list.addEventListener("change", () => {
      const value = list.value;
      if (acts) list.value = "";
      if (value !== "" || !acts) ask(control.id, value);
    });
    return { node, update };
  }

  function draw() {
    const controls = model.get("controls");
    const next = new Map();
    for (const control of controls) {
      const old = kept.get(control.id);
      const same = old?.kind === control.kind;
      const made = same ? old : control.kind === "choice" || control.kind === "menu" ? select(control) : pressable(control);
      made.kind = control.kind;
      made.update(control);
      next.set(control.id, made);
    }
    const nodes = [...next.values()].map((made) => made.node);
    // Nodes that stay keep the focus.
    if (nodes.length !== bar.children.length || nodes.some((node, i) => bar.children[i] !== node)) bar.replaceChildren(...nodes);
    kept = next;
  }

  function save(content) {
    if (content.type !== "file") return;
    const url = URL.createObjectURL(new Blob([content.text], { type: content.mime }));
    const link = Object.assign(document.createElement("a"), { href: url, download: content.name });
    link.click();
    setTimeout(() => URL.revokeObjectURL(url), 1000);
  }

  const redraw = problem.guard(draw);
  model.on("change:controls", redraw);
  model.on("msg:custom", save);
  redraw();
  return () => {
    problem.stop();
    model.off("change:controls", redraw);
    model.off("msg:custom", save);
  };
}

export default { render };
