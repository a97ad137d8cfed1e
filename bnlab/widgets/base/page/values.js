// Model of a drawing in a page without Python.
// @ts-check

/**
 * @typedef {{ get(name: string): any, set(name: string, value: any): void, save_changes(): void,
 *   send(message: object, callbacks?: undefined, buffers?: ArrayBuffer[]): void,
 *   on(event: string, act: (...given: any[]) => void): void, off(event: string, act: (...given: any[]) => void): void }} Model
 */
/** @typedef {Record<string, any>} Values */

/**
 * What the drawing sees as its model. `tell` gets the messages that it sends, and `report` the values that it saves.
 * `put` gives it another value, and `hear` a message.
 * @param {Values} first
 * @param {(message: Values) => void} tell
 * @param {(values: Values) => void} [report]
 */
export function modelOf(first, tell, report) {
  const values = { ...first };
  const heard = /** @type {Map<string, Set<(...given: any[]) => void>>} */ (new Map());
  let unsaved = /** @type {Values} */ ({});
  const call = (/** @type {string} */ event, /** @type {any[]} */ ...given) => {
    for (const act of heard.get(event) ?? []) act(...given);
  };
  const put = (/** @type {string} */ name, /** @type {any} */ value) => {
    if (values[name] === value || JSON.stringify(values[name]) === JSON.stringify(value)) return;
    values[name] = value;
    call(`change:${name}`);
  };
  /** @type {Model & { put: typeof put, hear: (message: Values) => void }} */
  const model = {
    put,
    hear: (message) => call("msg:custom", message),
    get: (name) => values[name],
    set(name, value) {
      put(name, value);
      unsaved[name] = value;
    },
    save_changes() {
      const saved = unsaved;
      unsaved = {};
      report?.(saved);
    },
    send: tell,
    on: (event, act) => void heard.set(event, (heard.get(event) ?? new Set()).add(act)),
    off: (event, act) => void heard.get(event)?.delete(act),
  };
  return model;
}
