// Actions of a user on nodes and edges by mouse, keys or buttons, and the marks that show them.
import { keyOf } from "./edges.js";
import { short } from "./shapes.js";

const ABSENT = new Set(["missing", "only there", "dropped", "forbidden"]); // kinds of edges that are not in the graph
export const MARKS = new Set(["bn-selected", "bn-hovered", "bn-found", "bn-source", "bn-lit"]);

function reachable(names, from, to, edges) {
  const found = new Set(names);
  // A loop over a set also visits items that are added during the loop.
  for (const name of found) for (const edge of edges) if (edge.directed && edge[from] === name) found.add(edge[to]);
  return found;
}

// Names of nodes and of those around them; edges are as the model has them.
export function relatives(names, how, edges) {
  const real = edges.filter((edge) => !ABSENT.has(edge.kind));
  if (how === "ancestors") return reachable(names, "v", "u", real);
  if (how === "descendants") return reachable(names, "u", "v", real);
  const found = new Set(names);
  for (const { u, v } of real) {
    if (names.includes(u)) found.add(v);
    if (names.includes(v)) found.add(u);
  }
  if (how !== "markov-blanket") return found;
  const children = new Set(real.filter(({ u, directed }) => directed && names.includes(u)).map(({ v }) => v));
  for (const { u, v, directed } of real) if (directed && children.has(v)) found.add(u);
  return found;
}

export function setMarks(element, list) {
  const kept = [...element.classList].filter((name) => !MARKS.has(name));
  const wanted = [...kept, ...list].join(" ");
  if (element.getAttribute("class") !== wanted) element.setAttribute("class", wanted);
}

// Changes only the elements whose marks change.
export class Marks {
  constructor(drawing) {
    this.drawing = drawing;
    this.marked = [];
    this.pressed = [];
  }

  update({ selected, chosen, hovered, found, source, highlight }) {
    const { drawing } = this;
    const element = (name) => drawing.node(name)?.g;
    const selectedNodes = selected.map(element).filter(Boolean);
    const centre = element(hovered) ? [hovered] : selected;
    const dims = highlight !== "none" && centre.length > 0;
    const marks = new Map();
    const add = (marked, mark) => marked && marks.set(marked, [...(marks.get(marked) ?? []), mark]);
    for (const node of selectedNodes) add(node, "bn-selected");
    add(element(hovered), "bn-hovered");
    add(element(found), "bn-found");
    add(source?.g, "bn-source");
    add(chosen?.g, "bn-selected");
    if (dims) {
      const edges = [...drawing.edgeLayer.byKey.values()];
      const lit = relatives(centre, highlight, edges.map((edge) => edge.data));
      for (const name of lit) add(element(name), "bn-lit");
      for (const edge of edges) if (lit.has(edge.data.u) && lit.has(edge.data.v)) add(edge.g, "bn-lit");
    }
    for (const before of this.marked) if (!marks.has(before)) setMarks(before, []);
    for (const [marked, list] of marks) setMarks(marked, list);
    this.marked = [...marks.keys()];
    drawing.mark(this.marked);
    drawing.world.classList.toggle("bn-dims", dims);
    for (const node of this.pressed) node.setAttribute("aria-pressed", "false");
    for (const node of selectedNodes) node.setAttribute("aria-pressed", "true");
    this.pressed = selectedNodes;
  }

  end() {
    this.marked = this.pressed = [];
  }
}

export class Commands {
  // `page` is the GraphPage: `get` and `report` values, `send` messages, `say` a line, `mark` again.
  constructor(page, drawing, camera) {
    Object.assign(this, { page, drawing, camera });
    this.active = null; // name of the node in the tab order
    this.source = null; // node from which an edge is being added
    this.trying = false; // whether it goes to another node, as drawn so far
    this.found = null; // name of the node that a search or a drag points at
  }

  select(node, several) {
    const before = this.page.get("selected");
    const others = before.filter((name) => name !== node.name);
    const selected = !several ? [node.name] : others.length < before.length ? others : [...before, node.name];
    this.page.report({ selected, selected_edge: null });
    this.page.say(this.page.get("status"));
  }

  selectEdge({ data, title }, others = this.page.get("selected")) {
    this.page.report({ selected_edge: [data.u, data.v], selected: others });
    this.page.say(title.textContent);
  }

  nextEdge(node, step) {
    const edges = [...node.edges];
    if (!edges.length) return;
    const now = this.page.get("selected_edge");
    const at = now ? edges.findIndex((edge) => edge.key === keyOf(...now)) : -1;
    this.selectEdge(edges[at < 0 ? 0 : (at + step + edges.length) % edges.length]);
  }

  clear() {
    if (this.trying) this.tryEdge();
    this.source = this.found = null;
    if (this.page.get("selected").length || this.page.get("selected_edge")) this.page.report({ selected: [], selected_edge: null });
    this.page.say(this.page.get("status"));
    this.page.mark();
  }

  observe(node, state) {
    this.page.send({ type: "evidence", node: node.name, state: node.data.bars?.set === state ? null : state });
  }

  intervene(node, state) {
    const done = node.data.kind === "intervention" && node.data.bars?.set === state;
    this.page.send({ type: "do", node: node.name, state: done ? null : state });
  }

  addEdge(u, v) {
    this.page.send({ type: "edit", action: "add", u: u.name, v: v.name });
  }

  // Ask Python what an edge would do, as long as it is being drawn; without a target it is not.
  tryEdge(u, v) {
    this.trying = Boolean(v);
    if (!v) {
      this.drawing.showTry({});
      this.page.say(this.page.get("status"));
    }
    this.page.send({ type: "try", u: v ? u.name : null, v: v?.name ?? null });
  }

  edit(action) {
    const [u, v] = this.page.get("selected_edge") ?? [];
    if (u !== undefined && this.page.get("editable")) this.page.send({ type: "edit", action, u, v });
    this.drawing.node(u)?.g.focus({ preventScroll: true });
  }

  beginEdge(node) {
    this.source = node;
    this.page.say(`New edge from ${node.name}: go to another node and press Enter, or click it. Escape cancels.`);
    this.page.mark();
  }

  endEdge(node) {
    if (this.trying) this.tryEdge();
    if (node !== this.source) this.addEdge(this.source, node);
    this.source = null;
    this.page.say("");
    this.page.mark();
  }

  // Go to a node whose name contains the text: the current one, the next (1) or the previous (-1).
  find(text, step) {
    const wanted = text.trim().toLowerCase();
    const names = wanted ? [...this.drawing.nodeLayer.byName.keys()].filter((name) => name.toLowerCase().includes(wanted)) : [];
    const at = names.indexOf(this.found);
    const isNew = at < 0 || !this.page.get("selected").includes(this.found);
    const i = step === 0 || isNew ? Math.max(at, 0) : (at + step + names.length) % names.length;
    this.found = names[i] ?? null;
    if (this.found === null) {
      this.page.say(wanted ? `No node has “${text.trim()}” in its name.` : this.page.get("status"));
    } else {
      this.camera.reveal(this.drawing.node(this.found), step !== 0);
      this.page.say(`${this.found} (${i + 1} of ${names.length})`);
      if (step) this.page.report({ selected: [this.found], selected_edge: null });
      this.activate(this.found);
    }
    this.page.mark();
  }

  activate(name, focus = false) {
    this.drawing.node(this.active)?.g.setAttribute("tabindex", "-1");
    this.active = name;
    const node = this.drawing.node(name);
    node?.g.setAttribute("tabindex", "0");
    if (this.source && node && focus) this.tryEdge(this.source, node === this.source ? undefined : node);
    if (focus) node?.g.focus({ preventScroll: true });
  }

  // After nodes are added or removed, one node stays in the tab order, and in focus if a node had the focus.
  keepActive(isFocused) {
    const names = this.drawing.nodeLayer.byName;
    if (names.has(this.active)) return;
    this.active = null;
    const next = this.page.get("selected").find((name) => names.has(name)) ?? names.keys().next().value;
    if (next !== undefined) this.activate(next, isFocused);
  }

  move(nodes, dx, dy) {
    this.camera.isFitted = false;
    this.drawing.move(nodes, dx, dy);
  }

  reportPositions(nodes) {
    const here = nodes.filter((node) => this.drawing.node(node.name) === node);
    const moved = Object.fromEntries(here.map((node) => [node.name, [short(node.x), short(node.y)]]));
    this.page.report({ positions: { ...this.page.get("positions"), ...moved } });
  }
}
