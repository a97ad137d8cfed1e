// Elements of a page, and what went wrong in it. A part of the modules of all widgets.

function make(tag, properties = {}, ...children) {
  const element = Object.assign(document.createElement(tag), properties);
  element.append(...children);
  return element;
}

const setText = (element, text) => {
  if (element.textContent !== text) element.textContent = text;
};

const MOVE = { duration: 260, easing: "ease-out" }; // of what a new value places elsewhere
const movesAllowed = () => !matchMedia("(prefers-reduced-motion: reduce)").matches && !document.hidden;

// Typing belongs to the field: the notebook is not to see its keys.
function keepKeys(...fields) {
  for (const field of fields) field.addEventListener("keydown", (event) => event.stopPropagation());
}

// Call these functions at events of a model; returns what ends that.
function listen(model, handlers) {
  for (const [event, act] of Object.entries(handlers)) model.on(event, act);
  return () => {
    for (const [event, act] of Object.entries(handlers)) model.off(event, act);
  };
}

function report(model, values) {
  for (const [name, value] of Object.entries(values)) model.set(name, value);
  model.save_changes();
}

// Shows what went wrong, in Python or in drawing.
function problems(model, el) {
  const place = make("div", { className: "bnlab-problem", role: "alert" });
  place.style.cssText =
    "color: var(--jp-ui-font-color1, #16202c); font: 13px var(--jp-ui-font-family, system-ui, sans-serif);" +
    "border-left: 4px solid var(--jp-error-color1, #d32f2f); padding: 4px 8px; overflow-wrap: anywhere;";
  let drawing = "";
  const show = () => {
    setText(place, [model.get("problem"), drawing].filter(Boolean).join(" "));
    place.style.display = place.textContent ? "" : "none";
  };
  // What has drawn itself wrong once may draw itself right the next time.
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
    // JupyterLab keeps the models of closed widgets, and they their views; these keep no more than an empty element.
    el.replaceChildren();
  };
  return { guard, stop };
}
