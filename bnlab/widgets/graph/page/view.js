// Draws `nodes` and `edges` as SVG to drag, zoom, select and edit; Python decides what an edit does. See graph/view.py.

const HIGHLIGHTS = [
  ["none", "nothing"],
  ["neighbours", "neighbours"],
  ["markov-blanket", "Markov blanket"],
  ["ancestors", "ancestors"],
  ["descendants", "descendants"],
];
const button = (...description) => controlOf("button", ...description);
const WHERE = "What to highlight around a node that is selected or under the mouse";
const EDGE_TOOLS = [
  button("reverse", "Reverse", "Reverse the selected edge (R)"),
  button("delete", "Delete", "Delete the selected edge (Delete)"),
];
const PICTURE_TOOLS = [
  button("in", "Zoom in", "Zoom in (+)"),
  button("out", "Zoom out", "Zoom out (-)"),
  button("fit", "Fit", "Show the whole graph (0)"),
  button("svg", "SVG", "Save the picture as SVG"),
  button("png", "PNG", "Save the picture as PNG"),
];
const DRAWN = ["nodes", "edges", "positions", "legend", "_strokes", "editable", "status", "description", "height"];
const MARKED = ["selected", "selected_edge", "hovered", "highlight"];

// The page's side of a `GraphView`: draws what the model holds, and reports to it.
class GraphPage {
  constructor(model, el) {
    Object.assign(this, { model, el });
    this.get = (name) => model.get(name);
    this.send = (message) => model.send(message);
    this.report = (values) => report(model, values);
    this.say = (text) => setText(this.status, text);
    this.drawing = new Drawing(el);
    this.svg = svg("svg", { class: "bn-svg", role: "group", tabindex: "-1" }, this.drawing.world);
    this.camera = new Camera(this.svg, this.drawing);
    this.marks = new Marks(this.drawing);
    this.commands = new Commands(this, this.drawing, this.camera);
    this.interaction = new Interaction(this, this.drawing, this.camera, this.commands);
    this.legend = make("div", { className: "bn-legend bnlab-line" });
    this.status = make("div", { className: "bn-status", role: "status", ariaLive: "polite" });
    el.classList.add("bn-graph", "bnlab-form");
    el.append(this.toolbar(), this.svg, this.legend, this.status);
    this.keyboard = new Keyboard(this, this.drawing, this.camera, this.commands, this.search);
    this.problem = problems(model, el);
    this.draw = this.problem.guard(() => this.drawPending());
    this.pending = new Set(DRAWN);
    this.listen();
    this.request();
  }

  toolbar() {
    this.search = make("input", { type: "search", placeholder: "Find a node", className: "bn-search", size: 12 });
    this.search.ariaLabel = "Find a node by its name; Enter goes to the next";
    this.search.addEventListener("input", () => this.commands.find(this.search.value, 0));
    const place = make("div");
    this.tools = new ControlLines(place, ({ id, value }) => this.use(id, value));
    return make("div", { className: "bn-tools bnlab-line", role: "toolbar", ariaLabel: "Picture of the graph" }, this.search, place);
  }

  use(id, value) {
    if (id === "highlight") this.report({ highlight: value });
    else if (id === "in") this.camera.zoom(ZOOM.step);
    else if (id === "out") this.camera.zoom(1 / ZOOM.step);
    else if (id === "fit") this.camera.fit();
    else if (id === "svg" || id === "png") this.save(id);
    else this.commands.edit(id);
  }

  listen() {
    const handlers = [...DRAWN, ...MARKED].map((name) => [`change:${name}`, () => this.request(name)]);
    this.leave = listen(this.model, Object.fromEntries(handlers));
    this.resized = new ResizeObserver(() => this.request("height"));
    this.resized.observe(this.svg);
  }

  // Draw in the next frame what depends on these values.
  request(...names) {
    for (const name of names) this.pending.add(name);
    this.frame ||= requestAnimationFrame(this.draw);
  }

  drawPending() {
    const pending = this.pending;
    Object.assign(this, { frame: 0, pending: new Set() });
    const changed = (...names) => names.some((name) => pending.has(name));
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
    const edgeTools = chosen && this.get("editable") ? EDGE_TOOLS : [];
    const choice = controlOf("select", "highlight", "Highlight", WHERE, { options: HIGHLIGHTS, value: highlight });
    this.tools.draw([[choice, ...edgeTools], PICTURE_TOOLS]);
  }

  async save(format) {
    try {
      const file = svgFile(this.el, this.drawing, this.legend.children, this.get("description") || "graph");
      const [text, mime] = format === "svg" ? [file.text, "image/svg+xml"] : [await pngFile(file), "image/png"];
      saveFile({ name: `graph.${format}`, text, mime });
      this.say(`Saved as graph.${format}.`);
    } catch (error) {
      this.say(`The picture could not be saved: ${error?.message ?? error}`);
    }
  }

  end() {
    this.leave();
    this.resized.disconnect();
    cancelAnimationFrame(this.frame);
    for (const part of [this.interaction, this.keyboard, this.drawing, this.marks]) part.end();
    this.tools.close();
    this.problem.stop();
  }
}

function render({ model, el }) {
  const page = new GraphPage(model, el);
  return () => page.end();
}

export default { render };
