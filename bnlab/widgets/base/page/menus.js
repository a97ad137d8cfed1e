// Menus that open above everything else, and lines of controls whose end folds into one instead of wrapping.
import { make, place, setText } from "./elements.js";

const GAP = 4; // pixels between a menu and its button
const WIDTH = 294; // width of a menu in pixels
const LOW = 240; // pixels; with less room below a button, its menu opens above it if there is more room
const FIELDS = new Set(["select", "number", "text"]);
const FOLDS = new Set([...FIELDS, "button", "toggle", "slider"]);

// Button that opens a list of controls; an action in it closes the list.
export function menu() {
  const button = make("button", { type: "button", ariaExpanded: "false" });
  const list = make("div", { className: "bnlab-menu", popover: "auto", role: "group", tabIndex: -1 });
  const node = make("span", { className: "bnlab-opener" }, button, list);
  const away = ({ target }) => list.contains(target) || list.hidePopover();
  button.popoverTargetElement = list;
  list.addEventListener("click", ({ target }) => {
    if (target.closest("button:not([aria-pressed], [aria-disabled='true'])")) list.hidePopover();
  });
  list.addEventListener("toggle", ({ newState }) => {
    const open = newState === "open";
    button.ariaExpanded = String(open);
    document[open ? "addEventListener" : "removeEventListener"]("scroll", away, true);
    if (open) (list.querySelector("button, select, input") ?? list).focus({ preventScroll: true });
  });
  list.addEventListener("beforetoggle", ({ newState }) => {
    if (newState !== "open") return;
    const { left, top, bottom } = button.getBoundingClientRect();
    const { right } = button.closest(".bnlab-form").getBoundingClientRect();
    const below = innerHeight - bottom;
    const isAbove = below < LOW && top > below;
    const from = isAbove ? { top: "auto", bottom: `${innerHeight - top + GAP}px` } : { top: `${bottom + GAP}px`, bottom: "auto" };
    Object.assign(list.style, { width: `${WIDTH}px`, maxHeight: `${(isAbove ? top : below) - 2 * GAP}px`, ...from });
    list.style.left = `${Math.max(GAP, Math.min(left, right - WIDTH))}px`;
  });
  const isOpen = () => list.matches(":popover-open");
  return { node, button, list, isOpen, close: () => document.removeEventListener("scroll", away, true) };
}

// Line of controls. Those that have no room move from its end into a menu, if all of them may.
export class Line {
  constructor() {
    this.element = make("div", { className: "bnlab-line" });
    this.nodes = [];
    this.written = "";
  }

  draw(nodes, controls) {
    const folds = nodes.length > 1 && controls.every(({ kind, picture }) => FOLDS.has(kind) && !picture);
    const written = JSON.stringify(controls.map(({ id, label, options }) => [id, label, options]));
    const isSame = folds === this.folds && written === this.written;
    Object.assign(this, { nodes, folds, written });
    this.element.classList.toggle("bnlab-folds", folds);
    this.element.classList.toggle("bnlab-fields", controls.filter(({ kind }) => FIELDS.has(kind)).length > 2);
    if (isSame) this.put(this.shown);
    else this.fit();
  }

  // Show so many controls, and the others in the menu.
  put(count) {
    this.shown = count;
    const rest = this.nodes.slice(count);
    if (rest.length) place(this.more.list, rest);
    place(this.element, rest.length ? [...this.nodes.slice(0, count), this.more.node] : this.nodes);
  }

  fit() {
    if (this.more?.isOpen()) return;
    this.put(this.nodes.length);
    const { clientWidth } = this.element;
    if (!this.folds || !clientWidth || this.element.scrollWidth <= clientWidth) return;
    this.more ??= this.menu();
    this.element.append(this.more.node);
    const gap = parseFloat(getComputedStyle(this.element).columnGap);
    const end = this.element.getBoundingClientRect().left + clientWidth - gap - this.more.node.offsetWidth;
    this.put(Math.max(1, this.nodes.filter((node) => node.getBoundingClientRect().right <= end).length));
  }

  menu() {
    const made = menu();
    setText(made.button, "More");
    made.list.ariaLabel = "More";
    made.list.addEventListener("toggle", () => this.fit());
    return made;
  }

  close() {
    this.more?.close();
  }
}
