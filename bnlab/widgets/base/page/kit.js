// Controls of a page of components: functions of plain properties. `change` sends a message and returns its number.
// @ts-check
import { h } from "./preact.js";
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

/** Controls beside each other. @param {(Node | false)[]} nodes */
export const line = (...nodes) => h("div", { class: "bnlab-line" }, nodes);

/** Lines of controls with a name. @param {string} label @param {(Node | false)[]} lines */
export const form = (label, ...lines) =>
  h("section", { class: "bnlab-form", "aria-label": label }, h("div", { class: "bnlab-lines" }, lines));

/** Sentence; screen readers speak changes with the role "status", and at once with "alert". */
export const message = make((/** @type {{ text: string, role: "status" | "alert" }} */ { text, role }) =>
  h("p", { class: "bnlab-message", role }, text),
);

/** @typedef {{ label: string, tip?: string, enabled?: boolean }} Common */

/** Button; `picture` is the URL of a picture before its label. */
export const button = make(
  (/** @type {Common & { press: () => void, pressed?: boolean, picture?: string }} */ props) => {
    const { label, press, tip = "", enabled = true, pressed, picture } = props;
    return h(
      "button",
      {
        type: "button",
        class: picture && "bnlab-pictured",
        title: tip,
        "aria-disabled": !enabled, // `disabled` would lose the focus
        "aria-pressed": pressed,
        onClick: () => enabled && press(),
      },
      picture ? [h("img", { alt: "", src: picture }), h("span", null, label)] : label,
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
    const input = h("select", { title: tip, disabled: !enabled, value: String(at), onChange: chosen }, listed);
    return h("label", { class: "bnlab-field" }, [h("span", null, label), input]);
  },
);

/** Field for a number that sends its text when the user leaves it or presses Enter. */
const typed = make((/** @type {Common & { value: string, change: (text: string) => number }} */ props) => {
  const { label, value, change, tip = "", enabled = true } = props;
  const [shown, draft, drop] = useDraft(value);
  return h("input", {
    type: "number",
    step: "any",
    value: shown,
    title: tip,
    disabled: !enabled,
    "aria-label": `${label}, ${tip}`,
    autocomplete: "off",
    spellcheck: false,
    onInput: (/** @type {any} */ { currentTarget }) => draft(currentTarget.value),
    onChange: (/** @type {any} */ { currentTarget }) => draft(currentTarget.value, change(currentTarget.value)),
    onBlur: () => shown === value && drop(),
  });
});

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
      typed({ label, tip, enabled, value: String(shown), change: (text) => change(Number(text)) }),
    ]);
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

/** Picture or text that Python has made as HTML. */
export const html = make((/** @type {{ content: string }} */ { content }) =>
  h("div", { class: "bnlab-html", dangerouslySetInnerHTML: { __html: content } }),
);
