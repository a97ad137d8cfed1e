// A drawing that changes its elements by itself, such as a chart or a graph, within a page of components.
// @ts-check
import { h } from "./preact.js";
import { useEffect, useLayoutEffect, useRef } from "./preact_hooks.js";
import { useModel } from "./widget.js";

/** @typedef {import("./widget.js").Model} Model */
/** @typedef {Record<string, any>} Values */
/** @typedef {(view: { model: Model, el: HTMLElement }) => () => void} Draw */
/** @typedef {{ draw: Draw, values: Values, report?: (values: Values) => void, tell?: (message: Values) => void }} Props */

/**
 * What the drawing sees as its model: `values`, and the messages of the widget's own model.
 * @param {Model} widget
 * @param {{ current: Props }} props
 */
function modelOf(widget, props) {
  const values = /** @type {Values} */ ({ ...props.current.values });
  const heard = /** @type {Map<string, Set<(...given: any[]) => void>>} */ (new Map());
  let unsaved = /** @type {Values} */ ({});
  const put = (/** @type {string} */ name, /** @type {any} */ value) => {
    if (values[name] === value || JSON.stringify(values[name]) === JSON.stringify(value)) return;
    values[name] = value;
    for (const act of heard.get(`change:${name}`) ?? []) act();
  };
  /** @type {Model & { put: typeof put }} */
  const model = {
    put,
    get: (name) => (name in values ? values[name] : widget.get(name)),
    set(name, value) {
      put(name, value);
      unsaved[name] = value;
    },
    save_changes() {
      const saved = unsaved;
      unsaved = {};
      props.current.report?.(saved);
    },
    send: (message) => (props.current.tell ?? widget.send.bind(widget))(message),
    on(event, act) {
      if (event === "msg:custom") widget.on(event, act);
      else heard.set(event, (heard.get(event) ?? new Set()).add(act));
    },
    off(event, act) {
      if (event === "msg:custom") widget.off(event, act);
      else heard.get(event)?.delete(act);
    },
  };
  return model;
}

/** @param {Props} props */
function Embedded(props) {
  const [place, latest] = [useRef(/** @type {HTMLDivElement | null} */ (null)), useRef(props)];
  const [widget, model] = [useModel(), useRef(/** @type {ReturnType<typeof modelOf> | null} */ (null))];
  latest.current = props;
  useLayoutEffect(() => {
    for (const [name, value] of Object.entries(props.values)) model.current?.put(name, value);
  });
  useEffect(() => {
    model.current = modelOf(widget, latest);
    return props.draw({ model: model.current, el: /** @type {HTMLDivElement} */ (place.current) });
  }, []);
  return h("div", { ref: place });
}

/** Drawing with values from Python. It reports the values that it saves, and tells the messages that it sends. */
export const embedded = (/** @type {Props & { key?: string }} */ props) => h(Embedded, props);
