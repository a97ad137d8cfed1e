// What mouse, touch and keyboard do to a drawing. A part of graph/view.js.

const SLACK = 4; // pixels that a click may move
const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

class Hand extends Drawing {
  recordAt(target) {
    for (let element = target; element && element !== this.svg; element = element.parentNode) {
      const record = this.records.get(element);
      if (record) return record;
    }
    return {};
  }

  press(event) {
    if (event.button !== 0) return;
    this.pointers.set(event.pointerId, this.inSvg(event));
    if (this.pointers.size === 2) {
      this.gesture = { type: "pinch" };
      return;
    }
    const { node } = this.recordAt(event.target);
    const start = this.inSvg(event);
    this.gesture = { type: "pan", start, last: start, moved: false, id: event.pointerId };
    if (node && event.target === node.grip && this.model.get("editable")) {
      this.gesture.type = "wire";
      this.gesture.node = node;
    } else if (node) {
      const selected = this.model.get("selected");
      const names = selected.includes(node.name) ? selected : [node.name];
      this.gesture.type = "drag";
      this.gesture.nodes = names.map((name) => this.nodes.get(name)).filter(Boolean);
    }
  }

  move(event) {
    const here = this.inSvg(event);
    const gesture = this.gesture;
    if (!gesture) {
      this.hover(this.recordAt(event.target).node?.name ?? null);
      return;
    }
    if (gesture.type === "pinch") {
      this.pinch(event.pointerId, here);
      return;
    }
    if (!gesture.moved) {
      if (Math.hypot(here[0] - gesture.start[0], here[1] - gesture.start[1]) < SLACK) return;
      gesture.moved = true;
      this.svg.setPointerCapture(gesture.id);
      this.el.classList.add("bn-moving");
    }
    const [dx, dy] = [here[0] - gesture.last[0], here[1] - gesture.last[1]];
    gesture.last = here;
    if (gesture.type === "pan") this.pan(dx, dy);
    else if (gesture.type === "drag") this.drag(gesture.nodes, dx / this.view.k, dy / this.view.k);
    else this.pull(gesture.node, event);
  }

  pinch(id, here) {
    const before = [...this.pointers.values()];
    this.pointers.set(id, here);
    const after = [...this.pointers.values()];
    const distance = ([a, b]) => Math.max(Math.hypot(a[0] - b[0], a[1] - b[1]), 1);
    const [from, to] = [between(...before, 0.5), between(...after, 0.5)];
    this.pan(to[0] - from[0], to[1] - from[1]);
    this.zoom(distance(after) / distance(before), to);
  }

  drag(nodes, dx, dy) {
    this.isFitted = false;
    for (const node of nodes) {
      this.place(node, node.x + dx, node.y + dy);
      for (const edge of node.edges) this.stale.add(edge);
    }
    this.routing ||= requestAnimationFrame(() => {
      this.routing = 0;
      this.route();
    });
  }

  keep(nodes) {
    const here = nodes.filter((node) => this.nodes.get(node.name) === node);
    const moved = Object.fromEntries(here.map((node) => [node.name, [short(node.x), short(node.y)]]));
    this.report({ positions: { ...this.model.get("positions"), ...moved } });
  }

  pull(node, event) {
    const to = this.inWorld(event);
    const under = this.recordAt(document.elementFromPoint(event.clientX, event.clientY)).node ?? null;
    const target = under !== node ? under : null;
    const end = target ? [target.x, target.y] : to;
    this.rubber.setAttribute("d", `M${node.x},${node.y}L${end}`);
    this.gesture.target = target;
    this.found = target?.name ?? null;
    this.mark();
  }

  release(event) {
    this.pointers.delete(event.pointerId);
    const gesture = this.gesture;
    this.gesture = null;
    this.el.classList.remove("bn-moving");
    this.rubber.setAttribute("d", "");
    if (!gesture?.moved) return;
    this.skipClick = true;
    setTimeout(() => (this.skipClick = false));
    if (gesture.type === "drag") this.keep(gesture.nodes);
    if (gesture.type === "wire") {
      this.found = null;
      if (gesture.target && event.type === "pointerup") this.send("add", gesture.node.name, gesture.target.name);
      this.mark();
    }
  }

  click(event) {
    if (this.skipClick) return;
    const { node, state, edge } = this.recordAt(event.target);
    const several = event.shiftKey || event.ctrlKey || event.metaKey;
    if (edge) this.report({ selected_edge: [edge.data.u, edge.data.v], selected: several ? this.model.get("selected") : [] });
    if (edge) this.say(edge.title.textContent);
    if (node && this.source) this.finish(node);
    else if (state !== undefined) this.evidence(node, state);
    else if (node) this.select(node, several);
    if (!edge && !node) this.clear();
    if (node) this.activate(node.name, true);
    else (this.nodes.get(this.active)?.g ?? this.svg).focus({ preventScroll: true });
  }

  hover(name) {
    if (name === this.pointed) return;
    this.pointed = name;
    clearTimeout(this.hovering);
    this.hovering = setTimeout(() => {
      if (this.model.get("hovered") !== this.pointed) this.report({ hovered: this.pointed });
    }, 30);
  }

  // -- selecting and editing --

  select(node, several) {
    const before = this.model.get("selected");
    const others = before.filter((name) => name !== node.name);
    const selected = !several ? [node.name] : others.length < before.length ? others : [...before, node.name];
    this.report({ selected, selected_edge: null });
    this.say(selected.length === 1 ? `Selected: ${selected[0]}` : `Selected: ${selected.length} nodes`);
  }

  clear() {
    this.source = null;
    this.found = null;
    if (this.model.get("selected").length || this.model.get("selected_edge")) this.report({ selected: [], selected_edge: null });
    this.say(this.model.get("status"));
    this.mark();
  }

  evidence(node, state) {
    this.model.send({ type: "evidence", node: node.name, state: node.data.bars?.set === state ? null : state });
  }

  send(action, u, v) {
    this.model.send({ type: "edit", action, u, v });
  }

  edit(action) {
    const edge = this.model.get("selected_edge");
    if (edge && this.model.get("editable")) this.send(action, ...edge);
    this.nodes.get(edge?.[0])?.g.focus({ preventScroll: true });
  }

  begin(node) {
    this.source = node;
    this.say(`New edge from ${node.name}: go to another node and press Enter, or click it. Escape gives up.`);
    this.mark();
  }

  finish(node) {
    const from = this.source;
    this.source = null;
    if (node !== from) this.send("add", from.name, node.name);
    this.say("");
    this.mark();
  }

  seek(step) {
    const wanted = this.search.value.trim().toLowerCase();
    const names = wanted ? [...this.nodes.keys()].filter((name) => name.toLowerCase().includes(wanted)) : [];
    if (!names.length) {
      this.found = null;
      this.say(wanted ? `No node has “${this.search.value.trim()}” in its name.` : this.model.get("status"));
      this.mark();
      return;
    }
    const at = names.indexOf(this.found);
    const isNew = at < 0 || !this.model.get("selected").includes(this.found);
    const i = step === 0 || isNew ? Math.max(at, 0) : (at + step + names.length) % names.length;
    this.found = names[i];
    this.reveal(this.nodes.get(this.found));
    this.say(`${this.found} (${i + 1} of ${names.length})`);
    if (step) this.report({ selected: [this.found], selected_edge: null });
    this.activate(this.found);
    this.mark();
  }

  // -- keyboard --

  activate(name, focus = false) {
    this.nodes.get(this.active)?.g.setAttribute("tabindex", "-1");
    this.active = name;
    const node = this.nodes.get(name);
    node?.g.setAttribute("tabindex", "0");
    if (focus) node?.g.focus({ preventScroll: true });
  }

  focused(event) {
    const { node } = this.recordAt(event.target);
    if (node && node.name !== this.active) this.activate(node.name);
  }

  // The nearest node in a direction; what lies aside counts more than what lies ahead.
  beside(node, [dx, dy]) {
    let [best, least] = [null, Infinity];
    for (const other of this.nodes.values()) {
      const ahead = (other.x - node.x) * dx + (other.y - node.y) * dy;
      const aside = Math.abs((other.x - node.x) * dy) + Math.abs((other.y - node.y) * dx);
      const cost = ahead + (dx ? 6 : 1.5) * aside;
      if (other !== node && ahead > 1 && cost < least) [best, least] = [other, cost];
    }
    return best;
  }

  key(event) {
    const inPicture = this.svg.contains(event.target);
    const handled = event.target === this.search ? this.searchKey(event) : inPicture && this.pictureKey(event);
    // Plain keys are commands to the notebook, such as B for a new cell.
    if (handled || !(event.ctrlKey || event.metaKey)) event.stopPropagation();
    if (handled) event.preventDefault();
  }

  searchKey(event) {
    if (event.key === "Enter") this.seek(event.shiftKey ? -1 : 1);
    else if (event.key === "Escape") {
      this.search.value = "";
      this.clear();
    } else return false;
    return true;
  }

  pictureKey(event) {
    const node = this.nodes.get(this.active);
    const way = ARROWS[event.key];
    if (way) return this.arrowKey(node, way, event);
    if (event.ctrlKey || event.metaKey) return this.commandKey(event);
    if (event.altKey) return false;
    const action = this.actions(node, event)[event.key.length === 1 ? event.key.toLowerCase() : event.key];
    if (!action) return false;
    action();
    return true;
  }

  arrowKey(node, way, event) {
    if (!node) return false;
    if (event.altKey || event.ctrlKey) {
      this.drag([node], way[0] * 10, way[1] * 10);
      clearTimeout(this.keeping);
      this.keeping = setTimeout(() => this.keep([node]), 250);
      return true;
    }
    const next = this.beside(node, way);
    if (next) {
      this.activate(next.name, true);
      this.reveal(next);
    }
    return true;
  }

  commandKey(event) {
    const key = event.key.toLowerCase();
    if (!this.model.get("editable") || !["z", "y"].includes(key)) return false;
    this.model.send({ type: key === "y" || event.shiftKey ? "redo" : "undo" });
    return true;
  }

  actions(node, event) {
    const pick = node && (() => (this.source ? this.finish(node) : this.select(node, event.shiftKey)));
    const edge = this.model.get("selected_edge");
    const editable = this.model.get("editable");
    const digits = Object.fromEntries(
      (node?.data.bars?.states ?? []).slice(0, 9).map((_, i) => [String(i + 1), () => this.evidence(node, i)]),
    );
    return {
      ...digits,
      Enter: pick,
      " ": pick,
      Escape: () => this.clear(),
      "+": () => this.zoom(ZOOM.step),
      "=": () => this.zoom(ZOOM.step),
      "-": () => this.zoom(1 / ZOOM.step),
      0: () => this.fit(),
      "/": () => this.search.focus(),
      e: node && (() => this.nextEdge(node, event.shiftKey ? -1 : 1)),
      a: editable && node && (() => this.begin(node)),
      r: editable && edge && (() => this.edit("reverse")),
      Delete: editable && edge && (() => this.edit("delete")),
      Backspace: editable && edge && (() => this.edit("delete")),
    };
  }

  nextEdge(node, step) {
    const edges = [...node.edges];
    if (!edges.length) return;
    const now = this.model.get("selected_edge");
    const at = now ? edges.findIndex((edge) => edge.key === keyOf(...now)) : -1;
    const { data, title } = edges[at < 0 ? 0 : (at + step + edges.length) % edges.length];
    this.report({ selected_edge: [data.u, data.v] });
    this.say(title.textContent);
  }
}
