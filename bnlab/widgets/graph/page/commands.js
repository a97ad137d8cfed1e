// What a user does with nodes and edges, by mouse, keys or buttons. A part of graph/page/view.js.

class Commands {
  // `page` is the GraphPage: `get` and `report` values, `send` messages, `say` a line, `mark` again.
  constructor(page, drawing, camera) {
    Object.assign(this, { page, drawing, camera });
    this.active = null; // name of the node in the tab order
    this.source = null; // node from which an edge is being added
    this.found = null; // name of the node that a search or a drag points at
  }

  select(node, several) {
    const before = this.page.get("selected");
    const others = before.filter((name) => name !== node.name);
    const selected = !several ? [node.name] : others.length < before.length ? others : [...before, node.name];
    this.page.report({ selected, selected_edge: null });
    this.page.say(selected.length === 1 ? `Selected: ${selected[0]}` : `Selected: ${selected.length} nodes`);
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
    this.source = this.found = null;
    if (this.page.get("selected").length || this.page.get("selected_edge")) this.page.report({ selected: [], selected_edge: null });
    this.page.say(this.page.get("status"));
    this.page.mark();
  }

  observe(node, state) {
    this.page.send({ type: "evidence", node: node.name, state: node.data.bars?.set === state ? null : state });
  }

  addEdge(u, v) {
    this.page.send({ type: "edit", action: "add", u: u.name, v: v.name });
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
    if (node !== this.source) this.addEdge(this.source, node);
    this.source = null;
    this.page.say("");
    this.page.mark();
  }

  // Go to a node whose name holds the text: the present one, the next (1) or the previous (-1).
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
      this.camera.reveal(this.drawing.node(this.found));
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
    if (focus) node?.g.focus({ preventScroll: true });
  }

  // After nodes have come and gone, one of them stays in the tab order.
  keepActive() {
    const names = this.drawing.nodeLayer.byName;
    if (!names.has(this.active)) this.active = null;
    if (this.active === null && names.size) this.activate(names.keys().next().value);
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
