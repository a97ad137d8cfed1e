// Controls of all widgets: functions of plain properties. `change` sends a message and returns its number.
// @ts-check
import { h } from "./preact.js";
import { useEffect, useLayoutEffect, useRef, useState } from "./preact_hooks.js";
import { useDraft } from "./widget.js";

/** @typedef {import("./widget.js").Node} Node */
/** @typedef {string | number | boolean | null} Value */
/** @typedef {readonly (readonly [Value, string])[]} Options pairs (value, label) */

/**
 * @template P
 * @param {(props: P) => Node} component
 * @returns {(props: P & { key?: string }) => Node}
 */
const make = (component) => (props) => h(/** @type {any} */ (component), props);

/** @param {Record<string, unknown>} names */
const classes = (names) =>
  Object.keys(names)
    .filter((name) => names[name])
    .join(" ");

/** Controls beside each other. @param {(Node | false)[]} nodes */
export const line = (...nodes) => h("div", { class: "bnlab-line" }, nodes);

/** Lines of controls with a name. @param {{ label: string, heading?: boolean }} props @param {(Node | false)[]} lines */
export const form = ({ label, heading = false }, ...lines) =>
  h("section", { class: "bnlab-form", "aria-label": label }, [
    heading && h("h3", null, label),
    h("div", { class: "bnlab-lines" }, lines),
  ]);

/** Sentence; screen readers speak changes with the role "status", and at once with "alert". */
export const message = make((/** @type {{ text: string, role?: "status" | "alert", hint?: boolean }} */ props) =>
  h(
    "p",
    {
      class: classes({ "bnlab-message": true, "bnlab-hint": props.hint }),
      role: props.role,
      hidden: !props.text && !props.role,
    },
    props.text,
  ),
);

/** @typedef {{ label: string, tip?: string, enabled?: boolean }} Common */

/** Button; `main` stands out, a `symbol` replaces the label, and `picture` is the URL of a picture before it. */
export const button = make(
  (
    /** @type {Common & { press: () => void, main?: boolean, symbol?: string, pressed?: boolean, picture?: string }} */ props,
  ) => {
    const { label, press, tip = "", enabled = true, main, symbol, pressed, picture } = props;
    return h(
      "button",
      {
        type: "button",
        class: classes({ "bnlab-main": main, "bnlab-symbol": symbol, "bnlab-pictured": picture }),
        title: tip,
        "aria-label": symbol && label,
        "aria-disabled": !enabled, // `disabled` would lose the focus
        "aria-pressed": pressed,
        onClick: () => enabled && press(),
      },
      picture ? [h("img", { alt: "", src: picture }), h("span", null, label)] : symbol || label,
    );
  },
);

/** Button that stays pressed. */
export const toggle = make(
  (
    /** @type {Common & { value: boolean, change: (value: boolean) => number, picture?: string }} */ {
      value,
      change,
      ...common
    },
  ) => {
    const [shown, draft] = useDraft(value);
    return button({ ...common, pressed: shown, press: () => draft(!shown, change(!shown)) });
  },
);

/** Button that takes a file. */
export const file = make(
  (
    /** @type {Common & { accept: string, take: (file: File) => void, main?: boolean }} */ { accept, take, ...common },
  ) => {
    const chooser = useRef(/** @type {HTMLInputElement | null} */ (null));
    const chosen = () => {
      const { files } = /** @type {HTMLInputElement} */ (chooser.current);
      if (files?.length) take(files[0]);
      /** @type {HTMLInputElement} */ (chooser.current).value = "";
    };
    return h("span", null, [
      button({ ...common, press: () => chooser.current?.click() }),
      h("input", { type: "file", hidden: true, accept, ref: chooser, onChange: chosen }),
    ]);
  },
);

/** @param {string} label @param {Node} input @param {boolean} [long] */
const labelled = (label, input, long) =>
  h("label", { class: classes({ "bnlab-field": true, "bnlab-long": long }) }, [h("span", null, label), input]);

/** List with one chosen value. */
export const select = make(
  (/** @type {Common & { value: Value, options: Options, change: (value: any) => number }} */ props) => {
    const { label, value, options, change, tip = "", enabled = true } = props;
    const [shown, draft] = useDraft(value);
    const chosen = (/** @type {{ currentTarget: HTMLSelectElement }} */ { currentTarget }) => {
      const next = options[currentTarget.selectedIndex][0];
      draft(next, change(next));
    };
    const at = options.findIndex(([option]) => option === shown);
    const listed = options.map(([, text], i) => h("option", { value: String(i), key: String(i) }, text));
    return labelled(
      label,
      h("select", { title: tip, disabled: !enabled, value: String(at), onChange: chosen }, listed),
    );
  },
);

/** @typedef {{ min?: number, max?: number, step?: number | "any", placeholder?: string }} Bounds */

/** Field that sends its text when the user leaves it or presses Enter. */
const typed = make(
  (
    /** @type {Common & Bounds & { type: string, value: string, change: (text: string) => number, bare?: boolean }} */ props,
  ) => {
    const { label, type, value, change, tip = "", enabled = true, bare, ...bounds } = props;
    const [shown, draft, drop] = useDraft(value);
    const input = h("input", {
      ...bounds,
      type,
      value: shown,
      title: tip,
      disabled: !enabled,
      "aria-label": bare && `${label}, ${tip}`,
      autocomplete: "off",
      spellcheck: false,
      onInput: (/** @type {any} */ { currentTarget }) => draft(currentTarget.value),
      onChange: (/** @type {any} */ { currentTarget }) => draft(currentTarget.value, change(currentTarget.value)),
      onBlur: () => shown === value && drop(),
    });
    return bare ? input : labelled(label, input, type === "text");
  },
);

/** Field for a line of text. */
export const text = make(
  (/** @type {Common & { value: string, change: (value: string) => number, placeholder?: string }} */ props) =>
    typed({ ...props, type: "text" }),
);

/** Field for a number, which may be empty. */
export const number = make(
  (
    /** @type {Common & Bounds & { value: number | null, change: (value: number | null) => number }} */ {
      value,
      change,
      ...props
    },
  ) =>
    typed({
      ...props,
      type: "number",
      value: String(value ?? ""),
      change: (text) => change(text === "" ? null : Number(text)),
    }),
);

/** Slider with a field for values between its steps; with `log`, steps are exponents of ten. */
export const slider = make(
  (
    /** @type {Common & { value: number, min: number, max: number, step: number, log?: boolean, change: (value: number) => number }} */ props,
  ) => {
    const { label, value, min, max, step, log = false, change, tip = "", enabled = true } = props;
    const [shown, draft] = useDraft(value);
    // Places are whole numbers, and the step is adjusted to them, so that both ends can be reached.
    const scale = (/** @type {number} */ x) => (log ? Math.log10(x) : x);
    const places = Math.max(1, Math.round((scale(max) - scale(min)) / step));
    const width = (scale(max) - scale(min)) / places;
    const moved = (/** @type {{ currentTarget: HTMLInputElement }} */ { currentTarget }) => {
      const at = scale(min) + Number(currentTarget.value) * width;
      const next = Number(currentTarget.value) >= places ? max : Number((log ? 10 ** at : at).toPrecision(log ? 3 : 6));
      draft(next, change(next));
    };
    return h("div", { class: "bnlab-slider" }, [
      h("span", null, label),
      h("input", {
        type: "range",
        min: 0,
        max: places,
        value: shown >= max ? places : Math.round((scale(shown) - scale(min)) / width),
        title: tip,
        disabled: !enabled,
        "aria-label": `${label}, ${tip}`,
        "aria-valuetext": String(shown),
        onInput: moved,
      }),
      typed({
        label,
        tip,
        enabled,
        bare: true,
        type: "number",
        step: "any",
        value: String(shown),
        change: (text) => change(Number(text)),
      }),
    ]);
  },
);

/** Row of tabs; arrow keys, Home and End move between those that are not closed. */
export const tabs = make(
  (
    /** @type {{ label: string, value: Value, options: Options, closed?: readonly Value[], change: (value: any) => number }} */ props,
  ) => {
    const { label, value, options, closed = [], change } = props;
    const [shown, draft] = useDraft(value);
    const go = (/** @type {KeyboardEvent & { currentTarget: HTMLElement }} */ event) => {
      const open = /** @type {HTMLElement[]} */ ([...event.currentTarget.querySelectorAll("[aria-disabled=false]")]);
      const [at, count] = [open.indexOf(/** @type {HTMLElement} */ (event.target)), open.length];
      const to = { ArrowRight: (at + 1) % count, ArrowLeft: (at + count - 1) % count, Home: 0, End: count - 1 }[
        event.key
      ];
      if (at < 0 || to === undefined) return;
      event.preventDefault();
      open[to].focus();
      open[to].click();
    };
    const tab = (/** @type {readonly [Value, string]} */ [option, text]) => {
      const open = !closed.includes(option);
      return h(
        "button",
        {
          type: "button",
          role: "tab",
          key: String(option),
          "aria-selected": option === shown,
          "aria-disabled": !open,
          tabIndex: option === shown ? 0 : -1,
          onClick: () => open && draft(option, change(option)),
        },
        text,
      );
    };
    return h("div", { class: "bnlab-tabs", role: "tablist", "aria-label": label, onKeyDown: go }, options.map(tab));
  },
);

/** Progress bar; without a share it is indeterminate. */
export const progress = make(
  (/** @type {{ label: string, share: number | null, text: string }} */ { label, share, text }) =>
    h("div", { class: "bnlab-progress" }, [
      h("progress", { "aria-label": label, value: share ?? undefined }),
      h("span", null, text),
    ]),
);

/** @typedef {{ key: string, cells: (string | Node)[], quiet?: boolean }} Row */

/**
 * Table; the first column and those of `left` hold texts. With `choose`, each row has a radio button; with `sort`, heads
 * are buttons, and `order` is the head of the sorted column with whether it descends; `find` is the label of a filter.
 */
export const table = make(
  (
    /** @type {{ label: string, columns: string[], rows: Row[], left?: string[], chosen?: string | null,
     * choose?: (key: string) => number, order?: readonly [string, boolean], sort?: (head: string) => void, find?: string }} */ props,
  ) => {
    const { label, columns, rows, left = [], chosen = null, choose, order, sort, find } = props;
    const [shown, draft] = useDraft(chosen);
    const [words, setWords] = useState("");
    const [group] = useState(() => `bnlab-${Math.random()}`); // radio buttons of one name exclude each other in the whole page
    const scroll = useRef(/** @type {HTMLDivElement | null} */ (null));
    useEffect(() => fadeEdges(/** @type {HTMLDivElement} */ (scroll.current)), []);
    useLayoutEffect(() => reveal(scroll.current?.querySelector(".bnlab-chosen")), [shown]);
    const head = (/** @type {string} */ text) =>
      h(
        "th",
        {
          scope: "col",
          key: text,
          class: classes({ "bnlab-left": left.includes(text) }),
          "aria-sort": text === order?.[0] ? (order[1] ? "descending" : "ascending") : undefined,
        },
        sort ? h("button", { type: "button", onClick: () => sort(text) }, text) : text,
      );
    const radio = (/** @type {string} */ key) =>
      choose &&
      h("input", {
        type: "radio",
        name: group,
        checked: key === shown,
        onChange: () => draft(key, choose(key)),
      });
    const row = (/** @type {Row} */ { key, cells: [name, ...others], quiet }) =>
      h(
        "tr",
        {
          key,
          class: classes({ "bnlab-chosen": choose && key === shown, "bnlab-quiet": quiet }),
          hidden: Boolean(find) && typeof name === "string" && !name.toLowerCase().includes(words.trim().toLowerCase()),
        },
        [
          h("th", { scope: "row" }, h("label", null, [radio(key), h("span", null, name)])),
          ...others.map((cell, i) =>
            h(
              "td",
              { class: classes({ "bnlab-left": left.includes(columns[i + 1]) }), "data-head": columns[i + 1] },
              cell,
            ),
          ),
        ],
      );
    const plain = rows.every(({ cells }) => cells.every((cell) => typeof cell === "string"));
    const look = classes({ "bnlab-plain": plain, "bnlab-rows": plain && !choose });
    const filter = (/** @type {any} */ { currentTarget }) => setWords(currentTarget.value);
    return h("div", { class: "bnlab-table" }, [
      find && h("input", { type: "search", placeholder: find, "aria-label": find, value: words, onInput: filter }),
      // A table without controls can be scrolled by keys only if it can take the focus.
      h(
        "div",
        { class: "bnlab-scroll", ref: scroll, tabIndex: plain && !choose ? 0 : undefined },
        h("table", { "aria-label": label, class: look }, [
          h("thead", null, h("tr", null, columns.map(head))),
          h("tbody", null, rows.map(row)),
        ]),
      ),
    ]);
  },
);

/** Picture or text that Python has made as HTML. */
export const html = make((/** @type {{ content: string }} */ { content }) =>
  h("div", { class: "bnlab-html", dangerouslySetInnerHTML: { __html: content } }),
);

/** Fade an edge of a table that has more content beyond it. @param {HTMLElement} scroll */
function fadeEdges(scroll) {
  const mark = () => {
    scroll.classList.toggle("bnlab-before", scroll.scrollLeft > 1);
    scroll.classList.toggle("bnlab-after", scroll.scrollWidth - scroll.clientWidth - scroll.scrollLeft > 1);
  };
  const watcher = new ResizeObserver(mark);
  watcher.observe(scroll);
  watcher.observe(/** @type {Element} */ (scroll.firstChild));
  scroll.addEventListener("scroll", mark);
  return () => watcher.disconnect();
}

/** Scroll a table, but not the page, to show a row. @param {Element | null | undefined} row */
function reveal(row) {
  const scroll = row?.closest(".bnlab-scroll");
  if (!row || !scroll) return;
  const [box, place] = [row.getBoundingClientRect(), scroll.getBoundingClientRect()];
  const top = place.top + (scroll.querySelector("thead")?.offsetHeight ?? 0);
  if (box.top < top) scroll.scrollTop += box.top - top;
  else if (box.bottom > place.bottom) scroll.scrollTop += box.bottom - place.bottom;
}
