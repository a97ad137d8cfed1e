// A drawing that changes its elements by itself, such as a chart or a graph, within a page of components.
// @ts-check
import { h } from "./preact.js";
import { useEffect, useLayoutEffect, useRef } from "./preact_hooks.js";
import { modelOf } from "./values.js";
import { useModel } from "./widget.js";

/** @typedef {import("./widget.js").Model} Model */
/** @typedef {(view: { model: Model, el: HTMLElement }) => () => void} Draw */
/** @typedef {import("./values.js").Owner & { draw: Draw }} Props */

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
