// Draws `curves` on a canvas, with a legend, a zoom and a cursor for a moment of the past; see player/convergence_plot.py.

const NARROWEST = 60; // pixels; less is no place to draw in
const LATER = 500; // ms
const SEND = 80; // ms between two moments that the slider sends

function render({ model, el }) {
  const legend = make("div", { className: "bnlab-legend" });
  legend.setAttribute("role", "group");
  legend.setAttribute("aria-label", "Runs");
  const byButtons = ["iteration", "seconds"].map((by) => make("button", { type: "button", textContent: by + (by === "iteration" ? "s" : "") }));
  const byGroup = make("div", { className: "bnlab-by" }, ...byButtons);
  byGroup.setAttribute("role", "group");
  byGroup.setAttribute("aria-label", "Score against");
  const whole = make("button", { type: "button", textContent: "Show all", title: "Undo the zoom (0)" });
  const canvas = make("canvas", { tabIndex: 0 });
  canvas.setAttribute("role", "img");
  const readout = make("div", { className: "bnlab-readout", hidden: true });
  const stage = make("div", { className: "bnlab-stage" }, canvas, readout);
  const slider = make("input", { type: "range", min: "0", max: "0", step: "1", value: "0" });
  slider.setAttribute("aria-label", "Moment, in iterations");
  const shown = make("output");
  const live = make("button", { type: "button", textContent: "Follow", title: "Show the search as it is now (End)" });
  const root = make(
    "div",
    { className: "bnlab-convergence" },
    make("div", { className: "bnlab-row" }, legend, make("span", { className: "bnlab-space" }), byGroup, whole),
    stage,
    make("div", { className: "bnlab-row bnlab-moment" }, make("label", {}, "Moment", slider), shown, live),
  );
  el.style.width = "100%";
  el.style.minWidth = "0";
  el.append(root);
  const problem = problems(model, el);

  const chart = new Chart(model, canvas, readout);
  let frame = 0;
  let sending = 0;
  let later = 0;
  let ended = false;

  const report = (name, value) => {
    model.set(name, value);
    model.save_changes();
  };

  function read() {
    chart.read(model.get("curves"));
    redraw();
  }

  const redraw = () => {
    if (!frame && !ended) frame = requestAnimationFrame(problem.guard(draw));
  };

  function colours() {
    const style = getComputedStyle(root);
    const of = (name, fallback) => style.getPropertyValue(name).trim() || fallback;
    return {
      text: style.color,
      muted: of("--jp-ui-font-color2", "#616161"),
      grid: of("--jp-border-color2", "#e0e0e0"),
      ground: of("--jp-layout-color0", "#ffffff"),
      brand: of("--jp-brand-color1", "#1976d2"),
      font: `12px ${of("--jp-ui-font-family", "system-ui, sans-serif")}`,
    };
  }

  function draw() {
    frame = 0;
    if (ended) return;
    controls();
    const width = stage.clientWidth;
    if (width >= NARROWEST) {
      chart.draw(width, colours());
      return;
    }
    // Hidden, or between two style sheets: the observer may not tell when that is over.
    clearTimeout(later);
    later = setTimeout(redraw, LATER);
  }

  function controls() {
    const by = model.get("by");
    byButtons.forEach((button, i) => button.setAttribute("aria-pressed", String(["iteration", "seconds"][i] === by)));
    whole.disabled = model.get("x_range") === null;
    canvas.setAttribute("aria-label", `Convergence, ${model.get("unit")} against ${by}. ${model.get("description")}`);
    if (legend.childElementCount !== chart.runs.length || [...legend.children].some((chip, i) => chip.dataset.name !== chart.runs[i].name)) {
      legend.replaceChildren(...chart.runs.map(chip));
    }
    [...legend.children].forEach((button, i) => {
      button.setAttribute("aria-pressed", String(!model.get("hidden").includes(chart.runs[i].name)));
    });
    const run = chart.focus();
    const end = run?.end ?? 0;
    const moment = model.get("moment");
    slider.max = String(end);
    slider.disabled = end === 0;
    if (document.activeElement !== slider || moment === null) slider.value = String(moment ?? end);
    slider.setAttribute("aria-valuetext", moment === null ? "following the search" : `iteration ${moment}`);
    setText(shown, moment === null ? `now, ${format(end, 0)}` : `iteration ${format(moment, 0)}`);
    live.disabled = moment === null;
  }

  function chip(run) {
    const button = make("button", { type: "button", title: "Show or hide this run" }, swatch(run), run.name);
    button.dataset.name = run.name;
    button.addEventListener("click", () => {
      const hidden = model.get("hidden");
      report("hidden", hidden.includes(run.name) ? hidden.filter((name) => name !== run.name) : [...hidden, run.name]);
    });
    return button;
  }

  function setMoment(moment) {
    const end = chart.focus()?.end ?? 0;
    model.set("moment", moment === null ? null : clamp(Math.round(moment), 0, end));
    if (sending) return;
    model.save_changes();
    sending = setTimeout(() => {
      sending = 0;
      if (!ended) model.save_changes();
    }, SEND);
  }

  function zoom(factor) {
    const [low, high] = chart.scale.x;
    const x = chart.momentX();
    const centre = x !== null && x >= low && x <= high ? x : (low + high) / 2;
    const far = chart.end() || 1;
    const from = Math.max(0, centre - (centre - low) * factor);
    const to = Math.min(far, centre + (high - centre) * factor);
    report("x_range", from <= 0 && to >= far ? null : [from, to]);
  }

  const place = (event) => {
    const box = canvas.getBoundingClientRect();
    return { x: event.clientX - box.left, y: event.clientY - box.top };
  };
  canvas.addEventListener("pointerdown", (event) => {
    if (event.button === 0 && chart.scale) chart.drag = place(event);
  });
  canvas.addEventListener("pointermove", (event) => {
    chart.pointer = place(event);
    if (chart.drag && chart.scale && !canvas.hasPointerCapture(event.pointerId) && Math.abs(chart.pointer.x - chart.drag.x) > CLICK) {
      canvas.setPointerCapture(event.pointerId);
    }
    redraw();
  });
  canvas.addEventListener("pointerup", (event) => {
    const end = place(event);
    const from = chart.drag;
    chart.drag = null;
    if (!from || !chart.scale) return;
    const inside = (pixel) => clamp(pixel, chart.scale.left, chart.scale.right);
    if (Math.abs(end.x - from.x) <= CLICK) setMoment(chart.momentAt(inside(end.x)));
    else report("x_range", [from.x, end.x].map((pixel) => chart.scale.back(inside(pixel))).sort((a, b) => a - b));
    redraw();
  });
  canvas.addEventListener("pointercancel", () => {
    chart.drag = null;
  });
  canvas.addEventListener("pointerleave", () => {
    chart.pointer = null;
    redraw();
  });
  canvas.addEventListener("dblclick", () => report("x_range", null));
  canvas.addEventListener("keydown", (event) => {
    const now = model.get("moment") ?? chart.focus()?.end ?? 0;
    const stride = Math.max(1, Math.round((chart.focus()?.end ?? 0) / 100));
    const act = {
      ArrowLeft: () => setMoment(now - (event.shiftKey ? 1 : stride)),
      ArrowRight: () => setMoment(now + (event.shiftKey ? 1 : stride)),
      Home: () => setMoment(0),
      End: () => setMoment(null),
      "+": () => zoom(0.5),
      "=": () => zoom(0.5),
      "-": () => zoom(2),
      0: () => report("x_range", null),
    }[event.key];
    if (!act || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    event.stopPropagation();
    act();
  });
  slider.addEventListener("input", () => setMoment(Number(slider.value)));
  slider.addEventListener("keydown", (event) => event.stopPropagation());
  live.addEventListener("click", () => setMoment(null));
  whole.addEventListener("click", () => report("x_range", null));
  byButtons.forEach((button, i) => button.addEventListener("click", () => report("by", ["iteration", "seconds"][i])));

  const watched = ["marks", "baselines", "by", "hidden", "x_range", "moment", "focus", "unit", "description", "height"];
  for (const name of watched) model.on(`change:${name}`, redraw);
  model.on("change:curves", read);
  const resized = new ResizeObserver(redraw);
  resized.observe(stage);
  const repainted = new MutationObserver(redraw);
  repainted.observe(document.body, { attributeFilter: ["data-jp-theme-name", "data-jp-theme-light"] });
  read();

  return () => {
    ended = true;
    problem.stop();
    cancelAnimationFrame(frame);
    clearTimeout(sending);
    clearTimeout(later);
    resized.disconnect();
    repainted.disconnect();
    for (const name of watched) model.off(`change:${name}`, redraw);
    model.off("change:curves", read);
  };
}

export default { render };
