// Model of a drawing whose values are not traits: those of a part of a page, or of a page without Python.
// @ts-check

/**
 * @typedef {{ get(name: string): any, set(name: string, value: any): void, save_changes(): void,
 *   send(message: object, callbacks?: undefined, buffers?: ArrayBuffer[]): void,
 *   on(event: string, act: (...given: any[]) => void): void, off(event: string, act: (...given: any[]) => void): void }} Model
 */
/** @typedef {Record<string, any>} Values */
/** @typedef {{ values: Values, report?: (values: Values) => void, tell?: (message: Values) => void }} Owner */

/**
 * What the drawing sees as its model: `values`, and the messages of the widget's own model. It reports the values that
 * it saves, and tells the messages that it sends. `put` gives it another value.
 * @param {Pick<Model, "get" | "send" | "on" | "off">} widget
 * @param {{ current: Owner }} owner
 */
export function modelOf(widget, owner) {
  const values = /** @type {Values} */ ({ ...owner.current.values });
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
      owner.current.report?.(saved);
    },
    send: (message) => (owner.current.tell ?? widget.send.bind(widget))(message),
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
