// A NetworkGraph in a saved page: its picture and its details, whose messages are answered here; see graph/saved.py.
import { make } from "../../base/page/elements.js";
import { modelOf } from "../../base/page/values.js";
import { relatives } from "./commands.js";
import { JoinTree } from "./inference.js";
import drawInspector from "./inspector.js";
import { relevance } from "./relevance.js";
import drawView from "./view.js";

const NOTHING = { kind: "none", title: "Nothing selected" };
const AROUND = 74; // pixels of the view above and below its picture
const REST = 124; // pixels of the page above and below the picture, without its legend
const LEAST = 420; // pixels of the picture
const WIDE = matchMedia("(min-width: 920px)"); // details are beside the picture, which may fill the window
const SMALLEST = -690; // logarithm below which a probability would be 0

// As `probability` in figures/graphs/node_tables.py writes it: only what is impossible reads 0.
function percent(p) {
  const share = 100 * p;
  if (share === 0 || share > 100 - 1e-10) return share.toFixed(0);
  if (share < 0.05) return "<0.1";
  return share >= 99.95 ? ">99.9" : share.toFixed(1);
}

function probabilityText(log) {
  if (log > SMALLEST) return String(Number(Math.exp(log).toPrecision(4)));
  const power = Math.floor(log / Math.LN10);
  return `${(10 ** (log / Math.LN10 - power)).toFixed(3)}e${power}`;
}

class SavedGraph {
  constructor(file, el) {
    this.get = (name) => file.get(name);
    this.names = this.get("names");
    this.index = new Map(this.names.map((name, i) => [name, i]));
    this.edges = new Map(this.get("edges").map(({ u, v, details }) => [JSON.stringify([u, v]), details]));
    this.tree = this.get("tree") && new JoinTree(this.get("tree"));
    this.given = new Map(this.get("given").map(({ node, ...finding }) => [node, finding]));
    this.prior = this.infer(new Map());
    this.found = this.given.size ? this.infer(this.given) : this.prior;
    const [isBarred, isDetailed, matters] = ["barred", "detailed", "matters"].map(this.get);
    Object.assign(this, { isBarred, isDetailed, matters, focus: [] });
    const answer = (message) => this.answer(message);
    this.view = modelOf(this.get("view"), answer, (values) => this.changed(values));
    this.inspector = modelOf({ content: NOTHING, scores: this.get("scores"), height: 0, problem: "" }, answer);
    const picture = make("div", { className: "bn-saved-picture" });
    this.beside = make("div", { className: "bn-saved-details" });
    this.show();
    this.fill();
    el.append(make("div", { className: "bn-saved bn-panel" }, picture, this.beside));
    const ends = [drawView({ model: this.view, el: picture }), drawInspector({ model: this.inspector, el: this.beside })];
    const legend = picture.querySelector(".bn-legend");
    const fill = () => this.fill(legend.offsetHeight);
    const resized = new ResizeObserver(fill);
    resized.observe(legend);
    addEventListener("resize", fill);
    this.end = () => {
      resized.disconnect();
      removeEventListener("resize", fill);
      ends.forEach((end) => end());
    };
  }

  fill(legend = 0) {
    const { height: own } = this.get("view");
    const height = WIDE.matches ? Math.max(LEAST, innerHeight - REST - legend) : own;
    this.view.put("height", height);
    this.inspector.put("height", height + AROUND);
  }

  infer(given) {
    const done = new Set([...given].filter(([, finding]) => finding.done).map(([i]) => i));
    return this.tree && this.tree.posterior(new Map([...given].map(([i, { weights }]) => [i, weights])), done);
  }

  changed(values) {
    if (["selected", "selected_edge", "highlight"].some((name) => name in values)) this.show();
  }

  answer({ type, node, state, p, id, value }) {
    if (type === "evidence" || type === "do") this.observe(node, state, type === "do");
    else if (type === "weigh") this.weigh(node, state, p);
    else if (type === "select" || type === "close") this.select(type === "select" ? [node] : []);
    else if (type === "focus") this.focusOn([node]);
    else if (id === "clear") this.take(new Map());
    else if (id === "focus") this.focusOn(value ? this.selection() : []);
    else if (id === "module") this.focusOn(value ? this.module(value) : []);
    else if (id === "details") this.change({ isDetailed: value });
    else if (id === "matters") this.change({ matters: value });
    else if (id === "bars") this.redraw({ isBarred: value });
    else if (id === "reset") this.redraw({});
    else this.refuse("This needs bnlab in Python: this page is a saved copy.");
  }

  say(text) {
    this.view.put("status", ""); // so that screen readers speak the same text again
    this.view.put("status", text);
  }

  refuse(text) {
    this.say(text);
    this.view.hear({ type: "restore" });
  }

  select(nodes) {
    this.view.put("selected_edge", null);
    this.view.put("selected", nodes);
    this.show();
  }

  selection() {
    return this.view.get("selected_edge") ?? this.view.get("selected");
  }

  // Draw only some nodes and those around them, or all if these are drawn alone already.
  focusOn(names) {
    if (!names.length && !this.focus.length) return this.refuse("Not done: select the node whose neighbourhood is to be drawn.");
    this.redraw({ focus: String(names) === String(this.focus) ? [] : names });
  }

  // Nodes of the module of a node.
  module(name) {
    const { nodes } = this.get("pictures").plain;
    const number = nodes.find((node) => node.name === name)?.module;
    return nodes.filter(({ module }) => module === number).map((node) => node.name);
  }

  change(values) {
    Object.assign(this, values);
    this.show();
  }

  // Change the picture, and show all of it as it is laid out.
  redraw(values) {
    this.view.put("positions", {});
    this.change(values);
    this.view.hear({ type: "fit" });
  }

  observe(node, k, done) {
    const [i, given] = [this.index.get(node), new Map(this.given)];
    given.delete(i);
    if (k !== null) given.set(i, { state: k, done, weights: this.get("states")[i].map((_, j) => Number(j === k)) });
    this.take(given);
  }

  // Evidence with which a state has the probability p, as `weighed` in graph/update.py.
  weigh(node, k, p) {
    if (p === 1) return this.observe(node, k, false);
    const [i, given] = [this.index.get(node), new Map(this.given)];
    given.delete(i);
    const q = this.infer(given)?.marginals[i][k] ?? 0;
    if (q === 0 || q === 1) return this.refuse(`Not done: ${node} = ${this.get("states")[i][k]} has probability ${q} whatever its likelihood.`);
    const ratio = (p * (1 - q)) / (q * (1 - p));
    given.set(i, { state: null, done: false, weights: this.get("states")[i].map((_, j) => (j === k ? ratio : 1) / Math.max(ratio, 1)) });
    this.take(given);
  }

  take(given) {
    if (!this.tree) return this.refuse(this.get("note"));
    const found = given.size ? this.infer(given) : this.prior;
    if (!found) return this.refuse("Not done: these observations have probability 0 together.");
    this.change({ given, found });
    this.say(this.evidenceText());
  }

  evidenceText() {
    const stated = ([i, { state, weights }]) => {
      const states = this.get("states")[i];
      if (state !== null) return `${this.names[i]} = ${states[state]}`;
      return `${this.names[i]} with the likelihoods ${states.map((name, k) => `${name}: ${Number(weights[k].toPrecision(3))}`).join(", ")}`;
    };
    const [seen, done] = [false, true].map((way) => [...this.given].filter(([, finding]) => finding.done === way).map(stated).join(", "));
    if (!seen) return done ? `After do(${done}).` : "No evidence.";
    return `Given ${seen} (probability ${probabilityText(this.found.log)}${done ? ` after do(${done})` : ""}).`;
  }

  show() {
    for (const [name, value] of Object.entries({ ...this.picture(), toolbar: this.toolbar() })) this.view.put(name, value);
    const content = this.details();
    const hints = this.get("hints");
    if (hints.includes(this.view.get("status"))) this.view.put("status", hints[Number(content.kind !== "none")]);
    this.inspector.put("content", content);
    this.beside.hidden = !this.isDetailed || content.kind === "none";
  }

  picture() {
    const { nodes, edges } = this.get("pictures")[this.isBarred ? "barred" : "plain"];
    const part = this.focus.length ? relatives(this.focus, this.view.get("highlight"), edges) : null;
    const isDrawn = (name) => !part || part.has(name);
    return {
      nodes: nodes.filter(({ name }) => isDrawn(name)).map((node) => (this.tree ? this.node(node) : node)),
      edges: edges.filter(({ u, v }) => isDrawn(u) && isDrawn(v)),
    };
  }

  node(node) {
    const i = this.index.get(node.name);
    const { state = null, done } = this.given.get(i) ?? {};
    const kind = this.given.has(i) ? (done ? "intervention" : "evidence") : "";
    const [p, prior] = [this.found, this.prior].map(({ marginals }) => [...marginals[i]]);
    const bars = node.bars && { states: node.bars.states, p, set: state, before: this.given.size ? prior : null };
    return { ...node, kind, bars };
  }

  toolbar() {
    const values = { focus: this.focus.length > 0, details: this.isDetailed, bars: this.isBarred };
    const now = (control) => {
      if (control.id === "clear") return { ...control, enabled: this.given.size > 0 };
      if (control.id === "module") {
        const names = String(this.focus);
        return { ...control, value: control.options.find(([name]) => name && String(this.module(name)) === names)?.[0] ?? "" };
      }
      return control.id in values ? { ...control, value: values[control.id] } : control;
    };
    return Object.fromEntries(Object.entries(this.get("view").toolbar).map(([menu, controls]) => [menu, controls.map(now)]));
  }

  // Details of the selected edge, of an edge between two selected nodes, or of the node that was selected last.
  details() {
    const [edge, selected] = [this.view.get("selected_edge"), this.view.get("selected")];
    const pair = selected.length === 2 ? selected : [];
    const ends = [edge, pair, [...pair].reverse()].map((ends) => this.edges.get(JSON.stringify(ends))).find(Boolean);
    if (ends || !selected.length) return ends ?? NOTHING;
    const i = this.index.get(selected.at(-1));
    const content = this.get("nodes")[i];
    if (!this.tree) return content;
    const [now, before] = [this.found.marginals[i], this.prior.marginals[i]];
    const { state = null, done } = this.given.get(i) ?? {};
    const states = content.states.map((row, k) => {
      const isSet = state === k;
      const shown = { before: this.given.size ? before[k] : null, after: now[k], text: percent(now[k]) };
      return { ...row, ...shown, observed: isSet && !done, done: isSet && Boolean(done) };
    });
    return { ...content, states, observing: this.given.size > 0, ...(this.matters ? this.relevance(i) : {}) };
  }

  // As `relevance` in graph/details.py.
  relevance(i) {
    const { given, names } = this;
    if (given.has(i) && given.get(i).state !== null) {
      return { matters: [], matters_note: `${names[i]} is observed or set: nothing is left to learn about it.` };
    }
    const parents = this.get("parents").map((own, v) => (given.get(v)?.done ? [] : own));
    const children = names.map((_, v) => v).filter((v) => parents[v].includes(i));
    const blanket = new Set([...parents[i], ...children, ...children.flatMap((v) => parents[v])]);
    const others = names.map((_, v) => v).filter((v) => v !== i && !given.has(v));
    const withState = (_, k, all) => new Map(given).set(i, { done: false, weights: all.map((_, j) => Number(j === k)) });
    const known = this.get("states")[i].map(withState).map((all) => this.infer(all)?.marginals ?? null);
    const values = relevance(i, others, this.found.marginals, known);
    const rows = others.map((v, at) => ({ name: names[v], blanket: blanket.has(v), values: values[at] }));
    rows.sort((a, b) => b.values[0] - a.values[0]);
    return { matters: rows, matters_note: "Nodes of the Markov blanket are bold." };
  }
}

export default function render({ model, el }) {
  const saved = new SavedGraph(model, el);
  return () => saved.end();
}
