// Elements of a page, and messages about its errors.

export function make(tag, properties = {}, ...children) {
  const element = Object.assign(document.createElement(tag), properties);
  element.append(...children);
  return element;
}

export const setText = (element, text) => {
  if (element.textContent !== text) element.textContent = text;
};

// Nodes in unchanged order are not touched, so they keep the focus.
export function place(parent, nodes) {
  const staying = new Set(nodes);
  for (const node of [...parent.childNodes]) if (!staying.has(node)) node.remove();
  nodes.forEach((node, i) => parent.childNodes[i] === node || parent.insertBefore(node, parent.childNodes[i] ?? null));
}

export const MOVE = { duration: 260, easing: "ease-out" }; // for elements that a new value moves
export const movesAllowed = () => !matchMedia("(prefers-reduced-motion: reduce)").matches && !document.hidden;

// Element that has the focus; some hosts draw a widget in a shadow tree, whose inside the document does not see.
export const focusNear = (element) => element.getRootNode().activeElement ?? null;

// Keys typed in a field must not reach the notebook.
export function keepKeys(...fields) {
  for (const field of fields) field.addEventListener("keydown", (event) => event.stopPropagation());
}

// Call these functions at events of a model; returns a function that stops this.
export function listen(model, handlers) {
  for (const [event, act] of Object.entries(handlers)) model.on(event, act);
  return () => {
    for (const [event, act] of Object.entries(handlers)) model.off(event, act);
  };
}

export function report(model, values) {
  for (const [name, value] of Object.entries(values)) model.set(name, value);
  model.save_changes();
}

// Shows errors of Python and of drawing.
export function problems(model, el) {
  const place = make("div", { className: "bnlab-problem", role: "alert" });
  place.style.cssText =
    "color: var(--jp-ui-font-color1, #16202c); font: 13px var(--jp-ui-font-family, system-ui, sans-serif);" +
    "border-left: 4px solid var(--jp-error-color1, #d32f2f); padding: 4px 8px; overflow-wrap: anywhere;";
  let drawing = "";
  const show = () => {
    setText(place, [model.get("problem"), drawing].filter(Boolean).join(" "));
    place.style.display = place.textContent ? "" : "none";
  };
  // After a failed drawing, the next one may succeed.
  const guard = (draw) => (...given) => {
    try {
      draw(...given);
      drawing = "";
    } catch (error) {
      drawing = `This could not be drawn: ${error?.message ?? error}`;
    }
    show();
  };
  el.append(place);
  const leave = listen(model, { "change:problem": show });
  show();
  const stop = () => {
    leave();
    // JupyterLab keeps the models of closed widgets with their views, so only an empty element is left here.
    el.replaceChildren();
  };
  return { guard, stop };
}
