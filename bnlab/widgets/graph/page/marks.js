// Marks of a drawing: selected, hovered, found and highlighted nodes and edges. A part of graph/page/view.js.

const ABSENT = new Set(["missing", "only there", "dropped"]); // kinds of edges that the graph does not have
const MARKS = new Set(["bn-selected", "bn-hovered", "bn-found", "bn-source", "bn-lit"]);

function reachable(names, from, to, edges) {
  const found = new Set(names);
  // A loop over a set goes through what is added meanwhile, too.
  for (const name of found) for (const edge of edges) if (edge.directed && edge[from] === name) found.add(edge[to]);
  return found;
}

function relatives(names, how, edges) {
  const real = edges.map((edge) => edge.data).filter((edge) => !ABSENT.has(edge.kind));
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

function setMarks(element, list) {
  const kept = [...element.classList].filter((name) => !MARKS.has(name));
  const wanted = [...kept, ...list].join(" ");
  if (element.getAttribute("class") !== wanted) element.setAttribute("class", wanted);
}

// Touches only the elements whose marks change.
class Marks {
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
      const lit = relatives(centre, highlight, edges);
      for (const name of lit) add(element(name), "bn-lit");
      for (const edge of edges) if (lit.has(edge.data.u) && lit.has(edge.data.v)) add(edge.g, "bn-lit");
    }
    for (const before of this.marked) if (!marks.has(before)) setMarks(before, []);
    for (const [marked, list] of marks) setMarks(marked, list);
    this.marked = [...marks.keys()];
    drawing.world.classList.toggle("bn-dims", dims);
    for (const node of this.pressed) node.setAttribute("aria-pressed", "false");
    for (const node of selectedNodes) node.setAttribute("aria-pressed", "true");
    this.pressed = selectedNodes;
  }

  end() {
    this.marked = this.pressed = [];
  }
}
