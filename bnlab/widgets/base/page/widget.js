// The page's side of base/core.py: draws what Python shows with one component, and sends its messages.
// @ts-check
import { createContext, h, render } from "./preact.js";
import { useContext, useErrorBoundary, useState } from "./preact_hooks.js";

/** @typedef {import("./preact.js").ComponentChild} Node */
/**
 * @typedef {{ get(name: string): any, set(name: string, value: any): void, save_changes(): void,
 *   send(message: object, callbacks?: undefined, buffers?: ArrayBuffer[]): void,
 *   on(event: string, act: (...given: any[]) => void): void, off(event: string, act: (...given: any[]) => void): void }} Model
 */
/**
 * What a component draws, and how it answers. `send` returns the number of its message.
 * @template Page, Message
 * @typedef {{ page: Page, send: (message: Message) => number }} View
 */

const FIELDS = "button, input, select";

const Pending = createContext(/** @type {Set<number>} */ (new Set()));
const ModelOf = createContext(/** @type {Model | null} */ (null));

/** Model of the widget, for drawings that need more than its page. */
export const useModel = () => /** @type {Model} */ (useContext(ModelOf));

/**
 * Value of a field: that of the user until Python has answered, then that of Python. A draft without a number is still
 * being typed.
 * @template T
 * @param {T} value
 * @returns {[T, (draft: T, number?: number) => void, () => void]}
 */
export function useDraft(value) {
  const pending = useContext(Pending);
  const [draft, setDraft] = useState(/** @type {{ value: T, number?: number } | null} */ (null));
  const held = draft !== null && (draft.number === undefined || pending.has(draft.number));
  return [held ? draft.value : value, (value, number) => setDraft({ value, number }), () => setDraft(null)];
}

/** @param {{ component: (view: any) => Node, view: object, model: Model, pending: Set<number> }} props */
function Root({ component, view, model, pending }) {
  const [failure, retry] = useErrorBoundary((error) => console.error(error));
  const words = [model.get("problem"), failure && `This could not be drawn: ${failure.message ?? failure}`];
  const shown = words.filter(Boolean).join(" ");
  const drawn = failure
    ? h("button", { type: "button", onClick: retry }, "Draw again")
    : h(/** @type {any} */ (component), view);
  return h(ModelOf.Provider, { value: model }, [
    h(Pending.Provider, { value: new Set(pending) }, drawn),
    h("p", { class: "bnlab-problem", role: "alert", hidden: !shown }, shown),
  ]);
}

/**
 * Function that draws a widget with a component: the default export of its module.
 * @template Page, Message
 * @param {(view: View<Page, Message>) => Node} component
 */
export const widget =
  (component) =>
  (/** @type {{ model: Model, el: HTMLElement }} */ { model, el }) => {
    /** @type {string[]} */
    const parts = model.get("_parts");
    const pending = /** @type {Set<number>} */ (new Set());
    let last = Math.floor(Math.random() * 2 ** 40); // other views of this widget count from elsewhere
    let isWaiting = false;

    const send = (/** @type {object} */ message) => {
      pending.add(++last);
      model.send({ ...message, number: last });
      later();
      return last;
    };
    const draw = () => {
      isWaiting = false;
      const page = Object.fromEntries(parts.map((name) => [name, model.get(`page_${name}`)]));
      const refocus = focusIn(el);
      render(h(Root, { component, view: { page, send }, model, pending }), el);
      refocus();
    };
    const later = () => {
      if (!isWaiting) queueMicrotask(draw);
      isWaiting = true;
    };
    const answered = () => {
      const number = model.get("answered");
      if (!pending.has(number)) return;
      for (const sent of pending) if (sent <= number) pending.delete(sent);
      later();
    };

    const events = ["problem", ...parts.map((name) => `page_${name}`)].map((name) => `change:${name}`);
    for (const event of events) model.on(event, later);
    model.on("change:answered", answered);
    // Keys typed in the widget are not for the notebook.
    const keep = (/** @type {Event} */ event) => event.stopPropagation();
    el.addEventListener("keydown", keep);
    Object.assign(el.style, { width: "100%", minWidth: "0" });
    draw();
    return () => {
      for (const event of events) model.off(event, later);
      model.off("change:answered", answered);
      el.removeEventListener("keydown", keep);
      render(null, el);
    };
  };

/**
 * Note the focus in an element. The result puts it where it was, or on the control in the place of a removed one.
 * @param {HTMLElement} el
 */
function focusIn(el) {
  const focused = /** @type {Document | ShadowRoot} */ (el.getRootNode()).activeElement;
  const line = el.contains(focused) ? focused?.closest(".bnlab-line") : null;
  const at = [...(line?.children ?? [])].findIndex((node) => node.contains(focused));
  return () => {
    if (!line || !focused || focused.isConnected) return;
    const place = line.isConnected ? (line.children[at] ?? line.lastElementChild) : null;
    const field = place?.matches(FIELDS) ? place : place?.querySelector(FIELDS);
    if (field instanceof HTMLElement) field.focus({ preventScroll: true });
  };
}
