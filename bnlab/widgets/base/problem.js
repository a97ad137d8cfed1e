// Says in a widget what went wrong, in Python or in drawing. A part of the modules of all widgets.

function problems(model, el) {
  const place = document.createElement("div");
  place.setAttribute("role", "alert");
  place.className = "bnlab-problem";
  place.style.cssText =
    "color: var(--jp-ui-font-color1, #16202c); font: 13px var(--jp-ui-font-family, system-ui, sans-serif);" +
    "border-left: 4px solid var(--jp-error-color1, #d32f2f); padding: 4px 8px; overflow-wrap: anywhere;";
  let drawing = "";
  const show = () => {
    const text = [model.get("problem"), drawing].filter(Boolean).join(" ");
    if (place.textContent !== text) place.textContent = text;
    place.style.display = text ? "" : "none";
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
  model.on("change:problem", show);
  show();
  const stop = () => {
    model.off("change:problem", show);
    // JupyterLab keeps the models of closed widgets, and they their views; these keep no more than an empty element.
    el.replaceChildren();
  };
  return { guard, stop };
}
