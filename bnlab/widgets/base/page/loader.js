// Links the ES modules that Python sends (see base/modules.py), and lets the last one draw the widget.

/** @typedef {[key: string, name: string, text: string, uses: Record<string, string>]} Module */

const page = /** @type {{ bnlabModules?: Map<string, string> }} */ (globalThis);
const urls = (page.bnlabModules ??= new Map()); // blob URLs by key, for all widgets of the page

/** @param {Module} module */
function link([key, name, text, uses]) {
  if (urls.has(key)) return;
  const paths = /^((?:import|export)\b[^;"]*?)"(\.[^"]+)";$/gm;
  const linked = text.replace(paths, (_, start, path) => `${start}"${urls.get(uses[path])}";`);
  // With its name, the debugger and stack traces show the file; lines are those on disk.
  const parts = [linked, `\n//# sourceURL=bnlab/${name}\n`];
  urls.set(key, URL.createObjectURL(new Blob(parts, { type: "text/javascript" })));
}

export default {
  async render(/** @type {{ model: import("./values.js").Model, el: HTMLElement }} */ { model, el }) {
    /** @type {Module[]} */
    const modules = model.get("_modules");
    modules.forEach(link);
    const { default: draw } = await import(/** @type {string} */ (urls.get(modules[modules.length - 1][0])));
    return draw({ model, el });
  },
};
