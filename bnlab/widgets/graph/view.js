// Draws `nodes` and `edges` as SVG to drag, zoom, select and edit; Python decides what an edit does. See graph/view.py.

const HIGHLIGHTS = {
  none: "nothing",
  neighbours: "neighbours",
  "markov-blanket": "Markov blanket",
  ancestors: "ancestors",
  descendants: "descendants",
};
const SHAPE_STYLES = ["fill", "stroke", "stroke-width", "stroke-dasharray", "fill-opacity", "stroke-opacity"];
const TEXT_STYLES = ["fill", "font-family", "font-size", "text-anchor"];

class Picture extends Hand {
  constructor(model, el) {
    super(model, el);
    this.build();
    this.listen();
    this.request("nodes", "edges", "legend", "status", "height", "description", "editable");
  }

  build() {
    this.wires = svg("g", { class: "bn-edges" });
    this.balls = svg("g", { class: "bn-nodes" });
    this.rubber = svg("path", { class: "bn-rubber" });
    this.world = svg("g", {}, this.wires, this.balls, this.rubber);
    this.svg = svg("svg", { class: "bn-svg", role: "group", tabindex: "-1" }, this.world);
    this.legend = make("div", { className: "bn-legend" });
    this.status = make("div", { className: "bn-status", role: "status" });
    this.status.setAttribute("aria-live", "polite");
    this.el.classList.add("bn-graph");
    this.el.append(this.toolbar(), this.svg, this.legend, this.status);
  }

  toolbar() {
    const button = (text, title, action) => {
      const made = make("button", { type: "button", textContent: text, title, onclick: action });
      made.setAttribute("aria-label", title);
      return made;
    };
    this.search = make("input", { type: "search", placeholder: "Find a node", className: "bn-search" });
    this.search.setAttribute("aria-label", "Find a node by its name; Enter goes to the next");
    this.search.addEventListener("input", () => this.seek(0));
    this.choice = make("select", { title: "What lights up around a node that is selected or under the mouse" });
    this.choice.setAttribute("aria-label", "What lights up around a node");
    for (const [value, textContent] of Object.entries(HIGHLIGHTS)) this.choice.append(make("option", { value, textContent }));
    this.choice.addEventListener("change", () => this.report({ highlight: this.choice.value }));
    this.ofEdge = make(
      "span",
      { className: "bn-group", hidden: true },
      button("Reverse", "Reverse the selected edge (R)", () => this.edit("reverse")),
      button("Delete", "Delete the selected edge (Delete)", () => this.edit("delete")),
    );
    const tools = make(
      "div",
      { className: "bn-tools", role: "toolbar" },
      this.search,
      make("label", {}, "light up ", this.choice),
      this.ofEdge,
      make("span", { className: "bn-space" }),
      make(
        "span",
        { className: "bn-group" },
        button("+", "Zoom in (+)", () => this.zoom(ZOOM.step)),
        button("−", "Zoom out (-)", () => this.zoom(1 / ZOOM.step)),
        button("Fit", "Show all of it (0)", () => this.fit()),
      ),
      make(
        "span",
        { className: "bn-group" },
        button("SVG", "Save the picture as SVG", () => this.save("svg")),
        button("PNG", "Save the picture as PNG", () => this.save("png")),
      ),
    );
    tools.setAttribute("aria-label", "Picture of the graph");
    return tools;
  }

  listen() {
    const follow = (...names) => {
      for (const name of names) {
        const heard = () => this.request(name);
        this.model.on(`change:${name}`, heard);
        (this.ends ??= []).push(() => this.model.off(`change:${name}`, heard));
      }
    };
    follow("nodes", "edges", "positions", "legend", "_strokes", "selected", "selected_edge", "hovered", "highlight");
    follow("editable", "status", "description", "height");
    const on = (element, type, method, options) =>
      element.addEventListener(type, (event) => method.call(this, event), options);
    on(this.svg, "pointerdown", this.press);
    on(this.svg, "pointermove", this.move);
    on(this.svg, "pointerup", this.release);
    on(this.svg, "pointercancel", this.release);
    on(this.svg, "pointerleave", () => this.gesture ?? this.hover(null));
    on(this.svg, "click", this.click);
    on(this.svg, "wheel", this.wheel, { passive: false });
    // Not on the SVG: a listener for focus would make it a stop of the Tab key.
    on(this.el, "focusin", this.focused);
    on(this.el, "keydown", this.key);
    this.resized = new ResizeObserver(() => this.request("height"));
    this.resized.observe(this.svg);
  }

  end() {
    for (const stop of this.ends) stop();
    this.resized.disconnect();
    cancelAnimationFrame(this.frame);
    cancelAnimationFrame(this.glide);
    clearTimeout(this.hovering);
    // JupyterLab may keep this for as long as the page.
    for (const part of [this.wires, this.balls]) part.replaceChildren();
    for (const known of [this.nodes, this.edges, this.stale]) known.clear();
    this.marked = this.pressedNodes = [];
  }

  // -- saving --

  async save(format) {
    try {
      const { text, width, height } = this.still();
      const blob = new Blob([text], { type: "image/svg+xml" });
      download(format === "svg" ? blob : await painted(blob, width, height), `graph.${format}`);
      this.say(`Saved as graph.${format}.`);
    } catch (error) {
      this.say(`The picture could not be saved: ${error?.message ?? error}`);
    }
  }

  // The picture as a file of its own, in light colours, with its legend.
  still() {
    const { left, top, width, height } = this.bounds();
    const pad = 2 * MARGIN;
    const legend = this.stillLegend(width, top + height + MARGIN, left);
    const size = { width: Math.max(width, legend.width) + pad, height: height + legend.height + pad };
    const world = this.world.cloneNode(true);
    world.removeAttribute("transform");
    world.classList.remove("bn-dims", "bn-far");
    for (const element of world.querySelectorAll(".bn-hit, .bn-grip, .bn-rubber")) element.remove();
    for (const element of world.querySelectorAll(".bn-node, .bn-edge")) this.setMarks(element, []);
    const box = [left - MARGIN, top - MARGIN, size.width, size.height].map(short);
    const image = svg("svg", { xmlns: SVG, viewBox: box.join(" "), width: short(size.width), height: short(size.height) });
    const ground = svg("rect", { x: box[0], y: box[1], width: box[2], height: box[3], fill: "#ffffff" });
    image.append(svg("title", {}, this.model.get("description") || "graph"), ground, world, legend.g);
    const stage = make("div", { className: "bn-graph bn-stage" });
    stage.append(image);
    this.el.append(stage);
    inlineStyles(image);
    stage.remove();
    return { text: new XMLSerializer().serializeToString(image), ...size };
  }

  stillLegend(limit, top, left) {
    const g = svg("g");
    let [x, y, widest] = [0, top + 12, 0];
    for (const chip of this.legend.children) {
      const text = chip.textContent;
      ruler.font = this.font(12);
      const width = ruler.measureText(text).width + 62;
      if (x > 0 && x + width > Math.max(limit, 240)) [x, y] = [0, y + 24];
      const sample = chip.querySelector("path").cloneNode();
      sample.setAttribute("transform", `translate(${short(left + x)} ${short(y - 6)})`);
      g.append(sample, svg("text", { class: "bn-state", x: short(left + x + 40), y: short(y + 4) }, text));
      x += width;
      widest = Math.max(widest, x);
    }
    return { g, width: widest, height: widest ? y - top + 12 : 0 };
  }
}

// All styles are read before any is written: the rules see the classes of the elements around.
function inlineStyles(root) {
  const found = [...root.querySelectorAll("*")].map((element) => {
    const style = getComputedStyle(element);
    const names = { g: [], title: [], text: TEXT_STYLES }[element.tagName] ?? SHAPE_STYLES;
    return [element, names.map((name) => [name, style.getPropertyValue(name)])];
  });
  for (const [element, styles] of found) {
    for (const name of ["style", "class", "tabindex", "role", "aria-pressed"]) element.removeAttribute(name);
    for (const [name, value] of styles) element.setAttribute(name, value);
  }
}

async function painted(blob, width, height) {
  const url = URL.createObjectURL(blob);
  try {
    const image = new Image();
    image.src = url;
    await image.decode();
    const scale = Math.min(2, 8000 / Math.max(width, height));
    const canvas = make("canvas", { width: Math.ceil(width * scale), height: Math.ceil(height * scale) });
    canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
    return await new Promise((resolve) => canvas.toBlob(resolve, "image/png"));
  } finally {
    URL.revokeObjectURL(url);
  }
}

function download(blob, name) {
  const link = make("a", { href: URL.createObjectURL(blob), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

function render({ model, el }) {
  const picture = new Picture(model, el);
  const problem = problems(model, el);
  return () => {
    problem.stop();
    picture.end();
  };
}

export default { render };
