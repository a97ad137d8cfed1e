// Controls that Python describes; see base/controls.py.
import { focusNear, keepKeys, make, movesAllowed, place, setText } from "./elements.js";
import { Line } from "./menus.js";

const PIECE = 2 ** 21; // bytes: a message to a Jupyter server must be smaller than 10 MB
const FIELDS = "button, input, select";
const REVEAL = 5000; // ms in which Python may show the place of a link
const QUIET = 400; // ms after the last move of a slider, after which it shows values from Python again

export function saveFile({ name, text, mime }, bytes = []) {
  const url = URL.createObjectURL(new Blob([text, ...bytes], { type: mime }));
  make("a", { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 1000);
}

// Field with its label; the label of a bare field is only for assistive technology.
function labelled(field) {
  const words = make("span");
  const node = make("label", { className: "bnlab-field" }, words, field);
  keepKeys(field);
  const describe = ({ label, tip, bare, enabled = true }) => {
    setText(words, label);
    words.hidden = Boolean(bare);
    if (bare) field.setAttribute("aria-label", label);
    field.title = tip;
    field.disabled = !enabled;
  };
  return { node, describe };
}

// Field that filters the items below it; `finds` returns whether a text matches.
export function finder(filter) {
  const field = make("input", { type: "search" });
  keepKeys(field);
  field.addEventListener("input", filter);
  const describe = (label) => {
    field.hidden = !label;
    Object.assign(field, { placeholder: label, ariaLabel: label });
  };
  const finds = (text) => field.hidden || text.toLowerCase().includes(field.value.trim().toLowerCase());
  return { field, describe, finds };
}

// Maker of a field of one line: a function that reads its text, and other properties of the field.
function line(type, read, set) {
  return ({ id }, emit) => {
    const field = make("input", { type });
    const { node, describe } = labelled(field);
    field.addEventListener("change", () => emit(id, read(field.value)));
    const update = (next, force) => {
      describe(next);
      set(field, next);
      const value = String(next.value ?? "");
      if ((force || !isFocused(field)) && field.value !== value) field.value = value;
    };
    return { node, update };
  };
}

// Values are any JSON, so the page identifies them by their index in the list.
function setOptions(field, options) {
  const written = JSON.stringify(options);
  if (field.dataset.options === written) return;
  field.dataset.options = written;
  field.replaceChildren(...options.map(([, label], i) => make("option", { value: String(i), textContent: label })));
}

// Description of a control that the page itself adds, as base/controls.py makes it.
export const controlOf = (kind, id, label, tip, rest = {}) => ({ kind, id, label, tip, enabled: true, main: false, ...rest });

export const isFocused = (field) => focusNear(field) === field;

// Not `disabled`, because that would lose the focus.
export const isOff = (node) => node.getAttribute("aria-disabled") === "true";

// A symbol replaces the label, which assistive technology still reads.
function pressable(next, node, words = node) {
  setText(words, next.symbol || next.label);
  node.classList.toggle("bnlab-symbol", Boolean(next.symbol));
  if (next.symbol) node.setAttribute("aria-label", next.label);
  node.title = next.tip;
  node.setAttribute("aria-disabled", String(!next.enabled));
}

// Scroll an element into view, as soon as Python shows it.
function reveal(element, until = performance.now() + REVEAL) {
  if (element?.offsetParent) {
    element.scrollIntoView({ behavior: movesAllowed() ? "smooth" : "auto", block: "center" });
  } else if (element && performance.now() < until) {
    requestAnimationFrame(() => reveal(element, until));
  }
}

// Each makes a control: its node, and update(description, force); force also replaces text that is being typed.
export const controlMakers = {
  message() {
    const node = make("p", { className: "bnlab-message" });
    const update = (next) => {
      if (next.role && node.getAttribute("role") !== next.role) node.setAttribute("role", next.role);
      if (!next.role) node.removeAttribute("role");
      setText(node, next.text);
      node.hidden = !next.text && !next.role;
      node.classList.toggle("bnlab-hint", Boolean(next.hint));
      node.classList.toggle("bnlab-cut", Boolean(next.bare));
      node.title = next.bare ? next.text : "";
    };
    return { node, update };
  },

  links({ id }, emit) {
    const node = make("div", { className: "bnlab-card", role: "group" });
    let parts = [];
    const link = (i) => {
      const made = make("button", { type: "button", className: "bnlab-link" });
      made.addEventListener("click", () => {
        emit(id, parts[i][0]);
        reveal(node.closest(".bnlab-places")?.querySelector(`.bnlab-place-${parts[i][0]}`));
      });
      return made;
    };
    const update = (next) => {
      parts = next.parts;
      node.setAttribute("aria-label", next.label);
      while (node.childElementCount > parts.length) node.lastChild.remove();
      while (node.childElementCount < parts.length) node.append(link(node.childElementCount));
      parts.forEach(([, text], i) => {
        setText(node.children[i], text);
        node.children[i].title = next.tip;
      });
    };
    return { node, update };
  },

  select({ id }, emit) {
    const field = make("select");
    const { node, describe } = labelled(field);
    let options = [];
    field.addEventListener("change", () => emit(id, options[field.selectedIndex][0]));
    const update = (next) => {
      describe(next);
      options = next.options;
      setOptions(field, options);
      const at = options.findIndex(([value]) => value === next.value);
      if (field.selectedIndex !== at) field.selectedIndex = at;
    };
    return { node, update };
  },

  tabs({ id }, emit) {
    const node = make("div", { className: "bnlab-tabs", role: "tablist" });
    let options = [];
    const tab = (_, i) => {
      const made = make("button", { type: "button", role: "tab" });
      made.addEventListener("click", () => isOff(made) || emit(id, options[i][0]));
      return made;
    };
    node.addEventListener("keydown", (event) => {
      const open = [...node.children].filter((tab) => !isOff(tab));
      const at = open.indexOf(focusNear(node));
      const count = open.length;
      const to = { ArrowRight: (at + 1) % count, ArrowLeft: (at + count - 1) % count, Home: 0, End: count - 1 }[event.key];
      event.stopPropagation();
      if (at < 0 || to === undefined) return;
      event.preventDefault();
      open[to].focus();
      open[to].click();
    });
    const update = (next) => {
      options = next.options;
      node.setAttribute("aria-label", next.label);
      if (node.childElementCount !== options.length) node.replaceChildren(...options.map(tab));
      options.forEach(([value, label], i) => {
        const chosen = value === next.value;
        setText(node.children[i], label);
        node.children[i].setAttribute("aria-selected", String(chosen));
        node.children[i].setAttribute("aria-disabled", String(next.closed.includes(value)));
        node.children[i].tabIndex = chosen ? 0 : -1;
      });
    };
    return { node, update };
  },

  number: line("number", (text) => (text === "" ? null : Number(text)), (field, { min, max, step }) => {
    Object.assign(field, { min: min ?? "", max: max ?? "", step });
  }),

  text: line("text", (text) => text, (field, { placeholder }) => {
    Object.assign(field, { placeholder, spellcheck: false, autocomplete: "off" });
    field.parentElement.classList.add("bnlab-long");
  }),

  slider({ id }, emit) {
    const range = make("input", { type: "range", min: "0", step: "1" });
    const field = make("input", { type: "number", step: "any" });
    const words = make("span");
    const node = make("div", { className: "bnlab-slider" }, words, range, field);
    keepKeys(range, field);
    let now = null;
    let timer = 0;
    // Positions are integers, and the step is adjusted to them, so that both ends can be reached.
    const scale = (value) => (now.log ? Math.log10(value) : value);
    const places = () => Math.max(1, Math.round((scale(now.max) - scale(now.min)) / now.step));
    const step = () => (scale(now.max) - scale(now.min)) / places();
    function valueAt(place) {
      if (place >= places()) return now.max;
      const at = scale(now.min) + place * step();
      return Number((now.log ? 10 ** at : at).toPrecision(now.log ? 3 : 6));
    }
    function placeOf(value) {
      return value >= now.max ? places() : Math.round((scale(value) - scale(now.min)) / step());
    }
    function place(value) {
      range.value = String(placeOf(value));
      range.setAttribute("aria-valuetext", String(value));
    }
    range.addEventListener("input", () => {
      const value = valueAt(Number(range.value));
      range.setAttribute("aria-valuetext", String(value));
      field.value = String(value);
      // Values that arrive during a move are older than those of the user.
      clearTimeout(timer);
      timer = setTimeout(() => {
        timer = 0;
        update(now, false);
      }, QUIET);
      emit(id, value);
    });
    field.addEventListener("change", () => {
      if (field.value !== "") emit(id, Number(field.value));
    });
    function update(next, force) {
      now = next;
      setText(words, next.label);
      const described = { disabled: !next.enabled, title: next.tip, ariaLabel: `${next.label}, ${next.tip}` };
      for (const input of [range, field]) Object.assign(input, described);
      range.max = String(places());
      if (timer && !force) return;
      place(next.value);
      if (force || !isFocused(field)) field.value = String(next.value);
    }
    return { node, update, close: () => clearTimeout(timer) };
  },

  button({ id }, emit) {
    const node = make("button", { type: "button" });
    node.addEventListener("click", () => isOff(node) || emit(id, true));
    const update = (next) => {
      pressable(next, node);
      node.classList.toggle("bnlab-main", next.main);
    };
    return { node, update };
  },

  toggle({ id }, emit) {
    const picture = make("img", { alt: "" });
    const words = make("span");
    const node = make("button", { type: "button" });
    node.addEventListener("click", () => isOff(node) || emit(id, node.getAttribute("aria-pressed") !== "true"));
    const update = (next) => {
      pressable(next, node, words);
      place(node, next.picture ? [Object.assign(picture, { src: next.picture }), words] : [words]);
      node.classList.toggle("bnlab-pictured", Boolean(next.picture));
      node.setAttribute("aria-pressed", String(next.value));
    };
    return { node, update };
  },

  file({ id }, emit, send) {
    const node = make("button", { type: "button" });
    const chooser = make("input", { type: "file", hidden: true });
    const take = (files) => files.length && upload(files[0]).catch(() => emit(id, null));
    async function upload(file) {
      for (let at = 0; at === 0 || at < file.size; at += PIECE) {
        const piece = await file.slice(at, at + PIECE).arrayBuffer();
        send({ type: "file", id, name: file.name, first: at === 0, last: at + PIECE >= file.size }, [piece]);
      }
    }
    chooser.addEventListener("change", () => {
      take(chooser.files);
      chooser.value = "";
    });
    const over = (event) => {
      event.preventDefault();
      event.stopPropagation(); // a notebook would take the file itself
      node.classList.toggle("bnlab-over", event.type === "dragover");
      if (event.type === "drop") take(event.dataTransfer.files);
    };
    for (const type of ["dragover", "dragleave", "drop"]) node.addEventListener(type, over);
    node.addEventListener("click", () => chooser.click());
    const update = (next) => {
      pressable(next, node);
      chooser.accept = next.accept;
      node.classList.toggle("bnlab-drop", next.drop);
    };
    return { node, update };
  },

  progress() {
    const bar = make("progress");
    const words = make("span");
    const node = make("div", { className: "bnlab-progress" }, bar, words);
    const update = (next) => {
      bar.setAttribute("aria-label", next.label);
      if (next.share === null) bar.removeAttribute("value");
      else bar.value = next.share;
      setText(words, next.text);
    };
    return { node, update };
  },
};

// Controls that are kept as long as they are shown. `send` takes a message and its buffers.
export class ControlSet {
  constructor(send) {
    this.send = send;
    this.made = new Map(); // id -> { kind, node, update, close, now }
  }

  // Nodes of several lists of controls.
  nodes(lists) {
    const next = new Map();
    const nodes = lists.map((list) => list.map((control) => this.control(control, next)));
    for (const [id, old] of this.made) if (next.get(id) !== old) old.close?.();
    this.made = next;
    return nodes;
  }

  control(control, next) {
    const old = this.made.get(control.id);
    const emit = (id, value) => this.send({ type: "control", id, value });
    const made = old?.kind === control.kind ? old : controlMakers[control.kind](control, emit, this.send);
    made.kind = control.kind;
    made.now = control;
    made.update(control, false);
    next.set(control.id, made);
    return made.node;
  }

  // Show the values of Python, also in a field with a refused value.
  restore() {
    for (const made of this.made.values()) made.update(made.now, true);
  }

  close() {
    for (const made of this.made.values()) made.close?.();
  }
}

// Lines of controls in an element.
export class ControlLines extends ControlSet {
  constructor(place, send) {
    super(send);
    this.place = place;
    this.lines = [];
    place.classList.add("bnlab-lines");
    this.resized = new ResizeObserver(() => this.keepingFocus(() => this.lines.forEach((line) => line.fit())));
    this.resized.observe(place);
  }

  draw(lists) {
    this.keepingFocus(() => {
      const nodes = this.nodes(lists); // before one is moved, because text that is being typed stays only with the focus
      for (const line of this.lines.splice(lists.length)) line.close();
      while (this.lines.length < lists.length) this.lines.push(new Line());
      place(this.place, this.lines.map(({ element }) => element));
      nodes.forEach((shown, i) => this.lines[i].draw(shown, lists[i]));
    });
  }

  // A moved control has lost the focus; the focus of a removed one goes to the control in its place.
  keepingFocus(change) {
    const now = focusNear(this.place);
    const focused = this.place.contains(now) ? now : null;
    const line = focused?.closest(".bnlab-line");
    const at = [...(line?.children ?? [])].findIndex((node) => node.contains(focused));
    change();
    if (!focused || focusNear(this.place) === focused) return;
    const next = focused.isConnected ? focused : (line.children[at] ?? line.lastElementChild);
    (next?.matches(FIELDS) ? next : next?.querySelector(FIELDS))?.focus({ preventScroll: true });
  }

  close() {
    super.close();
    this.resized.disconnect();
    for (const line of this.lines) line.close();
  }
}
