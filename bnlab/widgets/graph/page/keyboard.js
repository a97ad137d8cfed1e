// Keys on a drawing and in its search field.

export const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
const KEY_STEP = 10; // pixels that an arrow key moves a node
const REPORT_DELAY = 250; // ms after the last arrow key

const READING = [
  ["Arrows", "Go to the next node"],
  ["Enter", "Select the node; with Shift, add it"],
  ["E", "Select its next edge"],
  ["1 to 9", "Observe a state, as a click on it"],
  ["Drag a bar", "Give a state a probability"],
  ["Right click", "Set a state (do)"],
  ["F", "Draw the neighbourhood only, as a double click"],
  ["Alt + arrows", "Move the node, as dragging it"],
  ["/", "Find a node"],
  ["+, −, 0", "Zoom in, zoom out, show all"],
  ["Escape", "Select nothing"],
];
const EDITING = [
  ["A", "Begin an edge, as dragging from the handle below a node"],
  ["R, Delete", "Reverse or delete the selected edge"],
  ["Ctrl + Z, Y", "Undo, redo"],
];

// What keys and the mouse do, as pairs of texts.
export const shortcuts = (editable) => (editable ? [...READING, ...EDITING] : READING);

export class Keyboard {
  constructor(page, drawing, camera, commands, search) {
    Object.assign(this, { page, drawing, camera, commands, search });
    // Not on the SVG, because a listener for focus would put it in the tab order.
    page.el.addEventListener("focusin", (event) => this.focused(event));
    page.el.addEventListener("keydown", (event) => this.key(event));
  }

  focused(event) {
    const { node } = this.drawing.recordAt(event.target);
    if (node && node.name !== this.commands.active) this.commands.activate(node.name);
  }

  key(event) {
    const inPicture = this.camera.frame.contains(event.target);
    const handled = event.target === this.search ? this.searchKey(event) : inPicture && this.pictureKey(event);
    // Keys without modifiers are notebook commands, such as B for a new cell.
    if (handled || !(event.ctrlKey || event.metaKey)) event.stopPropagation();
    if (handled) event.preventDefault();
  }

  searchKey(event) {
    if (event.key === "Enter") this.commands.find(this.search.value, event.shiftKey ? -1 : 1);
    if (event.key !== "Escape") return event.key === "Enter";
    this.search.value = "";
    this.commands.clear();
    return true;
  }

  pictureKey(event) {
    const node = this.drawing.node(this.commands.active);
    const way = ARROWS[event.key];
    if (way) return this.arrowKey(node, way, event);
    if (event.ctrlKey || event.metaKey) return this.commandKey(event);
    if (event.altKey) return false;
    if (this.camera.act(event.key)) return true;
    const action = this.actions(node, event)[event.key.length === 1 ? event.key.toLowerCase() : event.key];
    if (!action) return false;
    action();
    return true;
  }

  arrowKey(node, way, event) {
    if (!node) return false;
    if (event.altKey || event.ctrlKey) {
      this.commands.move([node], way[0] * KEY_STEP, way[1] * KEY_STEP);
      clearTimeout(this.reporting);
      this.reporting = setTimeout(() => this.commands.reportPositions([node]), REPORT_DELAY);
      return true;
    }
    const next = this.neighbour(node, way);
    if (next) {
      this.commands.activate(next.name, true);
      this.camera.reveal(next);
    }
    return true;
  }

  // The nearest node in a direction; distance across the direction counts more than distance along it.
  neighbour(node, [dx, dy]) {
    let [best, least] = [null, Infinity];
    for (const other of this.drawing.nodeLayer.byName.values()) {
      const along = (other.x - node.x) * dx + (other.y - node.y) * dy;
      const across = Math.abs((other.x - node.x) * dy) + Math.abs((other.y - node.y) * dx);
      const cost = along + (dx ? 6 : 1.5) * across;
      if (other !== node && along > 1 && cost < least) [best, least] = [other, cost];
    }
    return best;
  }

  commandKey(event) {
    const key = event.key.toLowerCase();
    if (!this.page.get("editable") || !["z", "y"].includes(key)) return false;
    this.page.send({ type: key === "y" || event.shiftKey ? "redo" : "undo" });
    return true;
  }

  actions(node, event) {
    const { commands, page } = this;
    const editable = page.get("editable");
    const edge = editable && page.get("selected_edge");
    const pick = node && (() => (commands.source ? commands.endEdge(node) : commands.select(node, event.shiftKey)));
    const remove = edge && (() => commands.edit("delete"));
    const states = (node?.data.bars?.states ?? []).slice(0, 9);
    return {
      ...Object.fromEntries(states.map((_, i) => [i + 1, () => commands.observe(node, i)])),
      ...{ Enter: pick, " ": pick, Delete: remove, Backspace: remove },
      Escape: () => commands.clear(),
      "/": () => this.search.focus(),
      "?": () => page.toolbar.showHelp(),
      e: node && (() => commands.nextEdge(node, event.shiftKey ? -1 : 1)),
      f: node && (() => page.send({ type: "focus", node: node.name })),
      a: editable && node && (() => commands.beginEdge(node)),
      r: edge && (() => commands.edit("reverse")),
    };
  }

  end() {
    clearTimeout(this.reporting);
  }
}
