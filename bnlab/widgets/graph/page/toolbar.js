// Row of controls above a drawing: a search field, icons, and menus that open above everything else.
import { controlMakers, controlOf, ControlSet, isOff } from "../../base/page/controls.js";
import { make, place, setText } from "../../base/page/elements.js";
import { menu } from "../../base/page/menus.js";
import { svg } from "./shapes.js";

// Strokes of icons in a square of 16 pixels, by the id of the control.
const ICONS = {
  undo: "M6.5 3 2.5 6.5l4 3.5M3 6.5h6.5a3.5 3.5 0 0 1 0 7H6",
  redo: "M9.5 3l4 3.5-4 3.5M13 6.5H6.5a3.5 3.5 0 0 0 0 7H10",
  clear: "M3 8a5 5 0 1 0 5-5H4.5M6.5 1 4.2 3l2.3 2.2M6.3 6.3l3.4 3.4M9.7 6.3 6.3 9.7",
  add: "M1.5 6.5a4.5 3.2 0 1 0 9 0a4.5 3.2 0 1 0-9 0M12.5 9.5v6M9.5 12.5h6",
  learn: "M4.5 3v10l8-5z",
  stop: "M4 4h8v8H4z",
  in: "M8 3v10M3 8h10",
  out: "M3 8h10",
  fit: "M2.5 5.5v-3h3M10.5 2.5h3v3M13.5 10.5v3h-3M5.5 13.5h-3v-3M5.5 6h5v4h-5z",
  full: "M9.5 6.5l4-4M10 2.5h3.5V6M6.5 9.5l-4 4M6 13.5H2.5V10",
};

Object.assign(controlMakers, {
  // Button that shows a picture instead of its label.
  icon({ id }, emit) {
    const drawn = svg("path", { fill: "none", stroke: "currentColor", "stroke-width": 1.5, "stroke-linejoin": "round" });
    const node = make("button", { type: "button", className: "bn-icon" }, svg("svg", { width: 16, height: 16, "aria-hidden": "true" }, drawn));
    node.addEventListener("click", () => isOff(node) || emit(id, true));
    const update = ({ label, tip, enabled, picture }) => {
      drawn.setAttribute("d", ICONS[picture || id]);
      Object.assign(node, { ariaLabel: label, title: tip, ariaDisabled: String(!enabled) });
    };
    return { node, update };
  },

  // What keys and the mouse do.
  keys() {
    const node = make("div", { className: "bn-keys" });
    const update = ({ rows }) =>
      node.replaceChildren(...rows.flatMap(([keys, does]) => [make("kbd", { textContent: keys }), make("span", { textContent: does })]));
    return { node, update };
  },

  // Button that opens a list of other controls.
  popup(_, emit, send) {
    const { node, button, list, close } = menu();
    const inner = new ControlSet(send);
    const update = (next) => {
      setText(button, next.label);
      Object.assign(button, { title: next.tip, ariaLabel: next.name ?? null });
      list.ariaLabel = next.name ?? next.label;
      place(list, inner.nodes([next.controls])[0]);
    };
    return { node, update, close: () => [inner, { close }].forEach((part) => part.close()) };
  },
});

const HIGHLIGHTS = [
  ["none", "nothing"],
  ["neighbours", "neighbours"],
  ["markov-blanket", "Markov blanket"],
  ["ancestors", "ancestors"],
  ["descendants", "descendants"],
];
const KINDS = ["slider", "toggle", "select"]; // in a menu, above the buttons
const byKind = (a, b) => ((KINDS.indexOf(a.kind) + 4) % 4) - ((KINDS.indexOf(b.kind) + 4) % 4);
const HELP = "Keys and mouse";
const icon = (...description) => controlOf("icon", ...description);
const ZOOMS = [
  icon("in", "Zoom in", "Zoom in (+)"),
  icon("out", "Zoom out", "Zoom out (-)"),
  icon("fit", "Fit", "Show the whole graph (0)"),
  icon("full", "Full screen", "Full screen; Escape leaves it"),
];
const PICTURES = [
  controlOf("button", "svg", "SVG: picture", "Save the picture as SVG"),
  controlOf("button", "png", "PNG: picture", "Save the picture as PNG"),
];

export class Toolbar {
  // `use` takes the messages of the page's own controls, `send` those of the others.
  constructor({ find, use, send }) {
    this.search = make("input", { type: "search", placeholder: "Find a node", className: "bn-search", size: 12 });
    this.search.ariaLabel = "Find a node by its name; Enter goes to the next";
    this.search.addEventListener("input", () => find(this.search.value));
    this.places = ["bn-tools", "bn-zooms", "bn-menus"].map((className) => make("div", { className }));
    const own = new Set([...ZOOMS, ...PICTURES, { id: "highlight" }, { id: "overview" }].map(({ id }) => id));
    this.controls = new ControlSet((message) => (own.has(message.id) ? use(message) : send(message)));
    this.below = make("div", { className: "bn-below" });
    this.element = make("div", { className: "bn-toolbar", role: "toolbar", ariaLabel: "Picture of the graph" }, this.search, ...this.places);
  }

  // The lists of the first argument are controls that Python describes.
  draw({ tools = [], view = [], save = [], below = [] }, highlight, toggles, rows) {
    const where = "What to highlight around a node that is selected or under the mouse";
    const choice = controlOf("select", "highlight", "Highlight", where, { options: HIGHLIGHTS, value: highlight });
    const menus = [
      controlOf("popup", "view", "View", "What the picture shows", { controls: [...view, ...toggles, choice].sort(byKind) }),
      controlOf("popup", "export", "Export", "Save as a file", { controls: [...PICTURES, ...save] }),
      controlOf("popup", "help", "?", "What keys and the mouse do (?)", { name: HELP, controls: [controlOf("keys", "keys", HELP, "", { rows })] }),
    ];
    this.controls.nodes([tools, ZOOMS, menus, below]).forEach((nodes, i) => place([...this.places, this.below][i], nodes));
    this.below.hidden = below.length === 0;
  }

  showHelp() {
    this.controls.made.get("help").node.firstChild.click();
  }
}
