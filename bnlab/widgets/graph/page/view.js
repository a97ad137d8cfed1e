// Draws `nodes` and `edges` as SVG to drag, zoom, select and edit; Python decides what an edit does. See graph/view.py.

const HIGHLIGHTS = {
  none: "nothing",
  neighbours: "neighbours",
  "markov-blanket": "Markov blanket",
  ancestors: "ancestors",
  descendants: "descendants",
};
const DRAWN = ["nodes", "edges", "positions", "legend", "_strokes", "editable", "status", "description", "height"];
const MARKED = ["selected", "selected_edge", "hovered", "highlight"];

// The page's side of a `GraphView`: draws what the model holds, and reports to it.
class GraphPage {
  constructor(model, el) {
    this.model = model;
    this.el = el;
    this.drawing = new Drawing(el);
    this.svg = svg("svg", { class: "bn-svg", role: "group", tabindex: "-1" }, this.drawing.world);
    this.camera = new Camera(this.svg, this.drawing);
    this.drawing.onArrived = () => this.camera.isFitted && this.camera.fit();
    this.marks = new Marks(this.drawing);
    this.commands = new Commands(this, this.drawing, this.camera);
    this.interaction = new Interaction(this, this.drawing, this.camera, this.commands);
    this.legend = make("div", { className: "bn-legend" });
    this.status = make("div", { className: "bn-status", role: "status" });
    this.status.setAttribute("aria-live", "polite");
    el.classList.add("bn-graph");
    el.append(this.toolbar(), this.svg, this.legend, this.status);
    this.keyboard = new Keyboard(this, this.drawing, this.camera, this.commands, this.search);
    this.pending = new Set(DRAWN);
    this.listen();
    this.request();
  }

  get(name) {
    return this.model.get(name);
  }

  report(values) {
    for (const [name, value] of Object.entries(values)) this.model.set(name, value);
    this.model.save_changes();
  }

  send(message) {
    this.model.send(message);
  }

  say(text) {
    setText(this.status, text);
  }

  toolbar() {
    const { camera, commands } = this;
    const button = (textContent, title, onclick) => {
      const made = make("button", { type: "button", textContent, title, onclick });
      made.setAttribute("aria-label", title);
      return made;
    };
    const group = (...buttons) => make("span", { className: "bn-group" }, ...buttons);
    this.search = make("input", { type: "search", placeholder: "Find a node", className: "bn-search" });
    this.search.setAttribute("aria-label", "Find a node by its name; Enter goes to the next");
    this.search.addEventListener("input", () => commands.find(this.search.value, 0));
    this.choice = make("select", { title: "What to highlight around a node that is selected or under the mouse" });
    this.choice.setAttribute("aria-label", "What to highlight around a node");
    for (const [value, textContent] of Object.entries(HIGHLIGHTS)) this.choice.append(make("option", { value, textContent }));
    this.choice.addEventListener("change", () => this.report({ highlight: this.choice.value }));
    this.edgeButtons = group(
      button("Reverse", "Reverse the selected edge (R)", () => commands.edit("reverse")),
      button("Delete", "Delete the selected edge (Delete)", () => commands.edit("delete")),
    );
    this.edgeButtons.hidden = true;
    const tools = make(
      "div",
      { className: "bn-tools", role: "toolbar" },
      this.search,
      make("label", {}, "Highlight ", this.choice),
      this.edgeButtons,
      make("span", { className: "bn-space" }),
      group(
        button("+", "Zoom in (+)", () => camera.zoom(ZOOM.step)),
        button("−", "Zoom out (-)", () => camera.zoom(1 / ZOOM.step)),
        button("Fit", "Show the whole graph (0)", () => camera.fit()),
      ),
      group(
        button("SVG", "Save the picture as SVG", () => this.save("svg")),
        button("PNG", "Save the picture as PNG", () => this.save("png")),
      ),
    );
    tools.setAttribute("aria-label", "Picture of the graph");
    return tools;
  }

  listen() {
    this.handlers = [...DRAWN, ...MARKED].map((name) => [`change:${name}`, () => this.request(name)]);
    for (const [event, handler] of this.handlers) this.model.on(event, handler);
    this.resized = new ResizeObserver(() => this.request("height"));
    this.resized.observe(this.svg);
  }

  // Draw in the next frame what depends on these values.
  request(...names) {
    for (const name of names) this.pending.add(name);
    this.frame ||= requestAnimationFrame(() => this.draw());
  }

  draw() {
    this.frame = 0;
    try {
      this.drawPending();
    } catch (error) {
      this.say(`The picture could not be drawn: ${error?.message ?? error}`);
    }
    this.pending.clear();
  }

  drawPending() {
    const changed = (...names) => names.some((name) => this.pending.has(name));
    const [edges, strokes] = [this.get("edges"), this.get("_strokes") ?? {}];
    if (changed("nodes", "edges", "positions", "_strokes")) {
      this.drawing.update({ nodes: this.get("nodes"), edges, positions: this.get("positions") ?? {}, strokes });
      this.commands.keepActive();
    }
    if (changed("legend", "edges", "_strokes")) {
      this.legend.replaceChildren(...legendItems(this.get("legend"), edges, strokes));
      this.legend.hidden = this.legend.childElementCount === 0;
    }
    if (changed("status")) this.say(this.get("status"));
    if (changed("description")) this.svg.setAttribute("aria-label", this.get("description"));
    if (changed("editable")) this.el.classList.toggle("bn-editable", this.get("editable"));
    if (changed("height", "nodes", "edges", "positions")) this.camera.resize(this.get("height"));
    this.mark();
  }

  mark() {
    const edge = this.get("selected_edge");
    const chosen = edge && this.drawing.edge(...edge);
    const { found, source } = this.commands;
    const [selected, hovered, highlight] = [this.get("selected"), this.get("hovered"), this.get("highlight")];
    this.marks.update({ selected, chosen, hovered, found, source, highlight });
    this.edgeButtons.hidden = !(chosen && this.get("editable"));
    this.choice.value = highlight;
  }

  async save(format) {
    try {
      const file = svgFile(this.el, this.drawing, this.legend.children, this.get("description") || "graph");
      download(format === "svg" ? new Blob([file.text], { type: "image/svg+xml" }) : await pngFile(file), `graph.${format}`);
      this.say(`Saved as graph.${format}.`);
    } catch (error) {
      this.say(`The picture could not be saved: ${error?.message ?? error}`);
    }
  }

  end() {
    for (const [event, handler] of this.handlers) this.model.off(event, handler);
    this.resized.disconnect();
    cancelAnimationFrame(this.frame);
    for (const part of [this.interaction, this.keyboard, this.drawing, this.marks]) part.end();
  }
}

function render({ model, el }) {
  const page = new GraphPage(model, el);
  const problem = problems(model, el);
  return () => {
    problem.stop();
    page.end();
  };
}

export default { render };
