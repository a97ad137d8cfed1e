// Draws `nodes` and `edges` as SVG to drag, zoom, select and edit; Python decides what an edit does. See graph/view.py.
import { controlOf, saveFile } from "../../base/page/controls.js";
import { focusNear, listen, make, problems, report, setText } from "../../base/page/elements.js";
import { Commands, Marks } from "./commands.js";
import { Camera, Drawing, HEIGHT, MARGIN } from "./drawing.js";
import { legendItems, pngFile, svgFile } from "./files.js";
import { Interaction } from "./interaction.js";
import { Keyboard, shortcuts } from "./keyboard.js";
import { MAP, Overview } from "./overview.js";
import { Toolbar } from "./toolbar.js";

const DRAWN = ["nodes", "edges", "positions", "legend", "_strokes", "editable", "invitation", "status", "description", "height", "highlight", "overview", "toolbar", "tried", "camera"];
const ROUTED = 300; // edges that are drawn in one frame
const SAVE_DELAY = 250; // ms after the last move of the view
const MARKED = ["selected", "selected_edge", "hovered"];

// Page of a `GraphView`: draws the values of the model, and reports to it.
class GraphPage {
  constructor(model, el) {
    Object.assign(this, { model, el });
    this.get = (name) => model.get(name);
    // With the selection, which may reach Python later otherwise; see `GraphView.set_state`.
    this.send = (message) => model.send({ ...message, selected: this.get("selected"), selected_edge: this.get("selected_edge") });
    this.report = (values) => report(model, values);
    this.say = (text) => setText(this.status, text);
    this.drawing = new Drawing(el);
    this.view = make("div", { className: "bn-view", role: "group", tabIndex: -1 }, this.drawing.scene);
    this.camera = new Camera(this.view, this.drawing, () => this.reportCamera());
    this.marks = new Marks(this.drawing);
    this.overview = new Overview(this.drawing, this.camera, () => this.report({ overview: false }));
    this.drawing.overview = this.overview;
    this.commands = new Commands(this, this.drawing, this.camera);
    this.interaction = new Interaction(this, this.drawing, this.camera, this.commands);
    this.legend = make("div", { className: "bn-legend bnlab-line" });
    this.invitation = make("button", { type: "button", className: "bn-invitation" });
    this.invitation.addEventListener("click", () => this.send({ type: "control", id: "add", value: true }));
    this.status = make("div", { className: "bn-status", role: "status", ariaLive: "polite" });
    el.classList.add("bn-graph", "bnlab-form");
    this.toolbar = new Toolbar({ find: (text) => this.commands.find(text, 0), use: (message) => this.use(message), send: this.send });
    el.append(this.toolbar.element, make("div", { className: "bn-frame" }, this.view, this.overview.element, this.invitation), this.toolbar.below, this.legend, this.status);
    this.keyboard = new Keyboard(this, this.drawing, this.camera, this.commands, this.toolbar.search);
    this.problem = problems(model, el);
    this.draw = this.problem.guard(() => this.drawPending());
    this.pending = new Set(DRAWN);
    this.listen();
    this.request();
  }

  use({ id, value }) {
    if (id === "highlight" || id === "overview") this.report({ [id]: value });
    else if (id === "full") this.toggleFull();
    else if (!this.camera.act(id)) this.save(id);
  }

  // Fit the view to the next drawing.
  fitAll() {
    this.camera.isFitted = true;
    this.reportCamera();
    this.request("height");
  }

  // Other pictures of this model, or linked to it, follow at once; the kernel gets the view when the move has ended.
  reportCamera() {
    this.model.set("camera", this.camera.part());
    clearTimeout(this.saving);
    this.saving = setTimeout(() => this.model.save_changes(), SAVE_DELAY);
  }

  // The panel that contains the picture, if there is one.
  async toggleFull() {
    try {
      if (document.fullscreenElement) await document.exitFullscreen();
      else await (this.el.closest(".bn-panel") ?? this.el).requestFullscreen();
    } catch (error) {
      this.say(`No full screen: ${error?.message ?? error}`);
    }
  }

  // Minimum and maximum height of the picture.
  heights() {
    const most = this.get("height") || HEIGHT.most;
    if (!this.el.getRootNode().fullscreenElement?.contains(this.el)) return [Math.min(HEIGHT.least, most), most];
    const full = Math.max(HEIGHT.least, innerHeight - (this.el.offsetHeight - this.view.clientHeight) - 2 * MARGIN);
    return [full, full];
  }

  listen() {
    const react = (name) => {
      this.routing = false;
      this.request(name);
    };
    const handlers = [...DRAWN, ...MARKED].map((name) => [`change:${name}`, () => react(name)]);
    const receive = (content) => {
      if (content.type === "file") saveFile(content);
      if (content.type === "fit") this.fitAll();
      if (content.type === "restore") {
        this.toolbar.controls.restore();
        this.drawing.nodeLayer.restoreBars();
      }
    };
    this.leave = listen(this.model, { ...Object.fromEntries(handlers), "msg:custom": receive });
    this.onFull = () => {
      this.view.style.height = "";
      this.request("height");
    };
    document.addEventListener("fullscreenchange", this.onFull);
    this.resized = new ResizeObserver(() => {
      this.camera.refit();
      this.request("height");
    });
    this.resized.observe(this.view);
  }

  // Draw in the next frame all parts that depend on these values.
  request(...names) {
    for (const name of names) this.pending.add(name);
    this.frame ||= requestAnimationFrame(this.draw);
  }

  drawPending() {
    const pending = this.pending;
    Object.assign(this, { frame: 0, pending: new Set() });
    const changed = (...names) => names.some((name) => pending.has(name));
    const [edges, strokes] = [this.get("edges"), this.get("_strokes") ?? {}];
    if (!this.routing && changed("nodes", "edges", "positions", "_strokes")) {
      const isFocused = this.view.contains(focusNear(this.view));
      this.drawing.update({ nodes: this.get("nodes"), edges, positions: this.get("positions") ?? {}, strokes });
      this.commands.keepActive(isFocused);
    }
    // The edges of a large graph take several frames, after that of its nodes.
    const { edgeLayer } = this.drawing;
    this.routing = (!this.routing && edgeLayer.stale.size > ROUTED) || edgeLayer.route(ROUTED);
    if (this.routing) {
      this.request(...pending);
      return;
    }
    if (changed("legend", "edges", "_strokes")) {
      this.legend.replaceChildren(...legendItems(this.get("legend"), edges, strokes));
      this.legend.hidden = this.legend.childElementCount === 0;
    }
    if (changed("invitation")) {
      setText(this.invitation, this.get("invitation"));
      this.invitation.hidden = !this.get("invitation");
    }
    if (changed("status")) this.say(this.get("status"));
    if (changed("description")) this.view.ariaLabel = this.get("description");
    if (changed("editable")) this.el.classList.toggle("bn-editable", this.get("editable"));
    if (changed("overview")) this.overview.wanted = this.get("overview");
    if (changed("toolbar", "highlight", "overview", "nodes", "editable")) this.drawToolbar();
    if (changed("tried")) this.drawTry(this.get("tried") ?? {});
    const chosen = [...this.get("selected"), ...(this.get("selected_edge") ?? [])];
    this.camera.chosen = chosen.map((name) => this.drawing.node(name)).filter(Boolean);
    if (changed("height", "nodes", "edges", "positions")) this.camera.resize(...this.heights());
    const { world } = this.drawing;
    const isFirst = this.view.clientWidth > 0 && !this.inserted;
    if (this.view.clientWidth && (changed("camera") || isFirst)) this.camera.show(this.get("camera"));
    this.mark();
    this.drawing.finish();
    // Not earlier, because a request for a size makes the browser style all nodes and edges.
    if (isFirst) this.insert(world);
  }

  // The browser styles all that is inserted at once: of a large graph, one layer in each frame.
  insert(world) {
    this.inserted = true;
    const { element } = this.drawing.edgeLayer;
    if (element.childElementCount <= ROUTED) return this.drawing.scene.append(world);
    element.remove();
    requestAnimationFrame(() => {
      this.drawing.scene.append(world);
      requestAnimationFrame(() => world.prepend(element));
    });
  }

  drawToolbar() {
    const overview = controlOf("toggle", "overview", "Overview", "Show a small map while a part is out of view", { value: this.get("overview") });
    const shown = this.get("nodes").length < MAP.nodes ? [] : [overview];
    this.toolbar.draw(this.get("toolbar") ?? {}, this.get("highlight"), shown, shortcuts(this.get("editable")));
    this.drawing.request(false);
  }

  drawTry(tried) {
    if (!this.commands.trying || !tried.v) return;
    const { k, x } = this.camera.view;
    this.drawing.showTry(tried, (MARGIN - x) / k, (this.view.clientWidth - MARGIN - x) / k);
    this.say(`${tried.u} → ${tried.v}: ${tried.text}`);
  }

  mark() {
    const edge = this.get("selected_edge");
    const chosen = edge && this.drawing.edge(...edge);
    const { found, source } = this.commands;
    const [selected, hovered, highlight] = [this.get("selected"), this.get("hovered"), this.get("highlight")];
    this.marks.update({ selected, chosen, hovered, found, source, highlight });
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
    clearTimeout(this.saving);
    for (const part of [this.interaction, this.keyboard, this.drawing, this.marks]) part.end();
    this.toolbar.controls.close();
    document.removeEventListener("fullscreenchange", this.onFull);
    this.problem.stop();
  }
}

export default function render({ model, el }) {
  const page = new GraphPage(model, el);
  return () => page.end();
}
