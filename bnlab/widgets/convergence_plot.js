// Draws `curves` on a canvas, with a legend, a zoom and a cursor for a moment of the past; see convergence_plot.py.

const TRUTH = "true network";
const MARGIN = { top: 10, bottom: 36 };
const DASHES = [[6, 4], [2, 3], [8, 3, 2, 3], [12, 4]];
const CLICK = 4; // pixels that a click may move
const NARROWEST = 60; // pixels; less is no place to draw in
const LATER = 500; // ms
const SEND = 80; // ms between two moments that the slider sends
const COLUMNS = ["iteration", "seconds", "score", "best"];

function make(tag, properties = {}, ...children) {
  const element = Object.assign(document.createElement(tag), properties);
  element.append(...children);
  return element;
}

const setText = (element, text) => {
  if (element.textContent !== text) element.textContent = text;
};

const clamp = (value, low, high) => Math.max(low, Math.min(high, value));

function floats(bytes) {
  if (!bytes) return new Float64Array(0);
  // A copy: what arrives need not begin at a multiple of eight bytes.
  return new Float64Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength));
}

function format(value, digits = 2) {
  return (value + 0).toLocaleString("en-US", { minimumFractionDigits: digits, maximumFractionDigits: digits }).replace("-", "−");
}

function ticks(low, high, most) {
  if (!(high > low)) return [low];
  const rough = (high - low) / Math.max(most, 1);
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((m) => m * power).find((s) => s >= rough * 0.999);
  const found = [];
  for (let k = Math.ceil(low / step - 1e-9) + 0; k * step <= high + step * 1e-9; k += 1) found.push(k * step + 0);
  return found;
}

// Index of the last value at or before `x`, -1 when there is none.
function before(values, x) {
  let low = 0;
  let high = values.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (values[middle] <= x) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

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

  let runs = [];
  let frame = 0;
  let scale = null; // how the last drawing maps values to pixels
  let pointer = null; // mouse on the canvas, in pixels
  let drag = null; // where a drag began
  let sending = 0;
  let later = 0;
  let ended = false;

  const visible = () => runs.filter((run) => !model.get("hidden").includes(run.name));
  const focus = () => runs.find((run) => run.name === model.get("focus")) ?? runs[0];
  const report = (name, value) => {
    model.set(name, value);
    model.save_changes();
  };

  function read() {
    runs = model.get("curves").map((curve) => ({
      ...curve,
      ...Object.fromEntries(COLUMNS.map((column) => [column, floats(curve[column])])),
    }));
    redraw();
  }

  const redraw = () => {
    if (!frame && !ended) frame = requestAnimationFrame(draw);
  };

  function extent() {
    const by = model.get("by");
    const far = Math.max(...runs.map((run) => (by === "iteration" ? run.end : run.seconds_end)), 0);
    const x = model.get("x_range") ?? [0, far || 1];
    let low = Infinity;
    let high = -Infinity;
    for (const run of visible()) {
      const begin = Math.max(before(run[by], x[0]), 0);
      const end = before(run[by], x[1]);
      for (let k = begin; k <= end; k += 1) {
        low = Math.min(low, run.score[k]);
        high = Math.max(high, run.score[k], run.best[k]);
      }
    }
    for (const score of Object.values(model.get("baselines"))) {
      low = Math.min(low, score);
      high = Math.max(high, score);
    }
    if (!Number.isFinite(low)) [low, high] = [0, 1];
    const room = (high - low || Math.abs(high) * 0.01 || 1) * 0.05;
    return { by, x, y: [low - room, high + room] };
  }

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
    if (width < NARROWEST) {
      // Hidden, or between two style sheets: the observer may not tell when that is over.
      clearTimeout(later);
      later = setTimeout(redraw, LATER);
      return;
    }
    const height = model.get("height");
    const ratio = window.devicePixelRatio || 1;
    if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
      canvas.width = Math.round(width * ratio);
      canvas.height = Math.round(height * ratio);
      canvas.style.height = `${height}px`;
    }
    const ink = colours();
    const c = canvas.getContext("2d");
    c.setTransform(ratio, 0, 0, ratio, 0, 0);
    c.clearRect(0, 0, width, height);
    c.font = ink.font;
    c.textBaseline = "middle";
    const { by, x, y } = extent();
    const lines = baselines(c, width);
    const yTicks = ticks(y[0], y[1], Math.floor((height - MARGIN.top - MARGIN.bottom) / 46));
    const step = yTicks.length > 1 ? yTicks[1] - yTicks[0] : 1;
    const digits = Math.max(0, -Math.floor(Math.log10(step) + 1e-9));
    const labels = yTicks.map((tick) => format(tick, Math.min(digits, 6)));
    // The greatest width so far: curves do not jump sideways while their labels grow.
    const left = (scale?.left ?? 0) > 0 && scale.wide === width
      ? Math.max(scale.left, ...labels.map((text) => c.measureText(text).width + 10))
      : Math.max(...labels.map((text) => c.measureText(text).width + 10));
    scale = {
      left, right: width - lines.room, top: MARGIN.top, bottom: height - MARGIN.bottom, wide: width, by, x, y,
      across: (value) => left + ((value - x[0]) / (x[1] - x[0])) * (width - lines.room - left),
      down: (value) => height - MARGIN.bottom - ((value - y[0]) / (y[1] - y[0])) * (height - MARGIN.bottom - MARGIN.top),
      back: (pixel) => x[0] + ((pixel - left) / (width - lines.room - left)) * (x[1] - x[0]),
    };
    grid(c, ink, yTicks, labels);
    c.save();
    c.beginPath();
    c.rect(scale.left - 4, scale.top - 4, scale.right - scale.left + 8, scale.bottom - scale.top + 8);
    c.clip();
    for (const line of lines.all) rule(c, ink, line);
    for (const run of visible()) curve(c, run, "score");
    for (const run of visible()) curve(c, run, "best");
    for (const run of visible()) dots(c, run);
    c.restore();
    for (const line of lines.all) {
      c.textAlign = "left";
      c.fillStyle = line.name === TRUTH ? ink.text : ink.muted;
      if (line.at >= scale.top - 6 && line.at <= scale.bottom + 6) c.fillText(line.text, scale.right + 6, line.place);
    }
    cursor(c, ink);
    hover(c, ink);
  }

  // Lines to measure against; their names stand to the right, moved apart where they would overlap.
  function baselines(c, width) {
    const all = Object.entries(model.get("baselines")).map(([name, score], i) => ({ name, score, dash: name === TRUTH ? [] : DASHES[i % DASHES.length] }));
    const most = width > 700 ? 150 : 92;
    for (const line of all) {
      line.text = line.name;
      while (line.text.length > 3 && c.measureText(line.text).width > most) line.text = `${line.text.slice(0, -2)}…`;
    }
    return { all, room: all.length ? Math.max(...all.map((line) => c.measureText(line.text).width)) + 12 : 12 };
  }

  function rule(c, ink, line) {
    line.at = scale.down(line.score);
    line.place = line.at;
    c.strokeStyle = line.name === TRUTH ? ink.text : ink.muted;
    c.lineWidth = line.name === TRUTH ? 1.6 : 1.2;
    c.setLineDash(line.dash);
    c.beginPath();
    c.moveTo(scale.left, line.at);
    c.lineTo(scale.right, line.at);
    c.stroke();
    c.setLineDash([]);
  }

  function grid(c, ink, yTicks, labels) {
    const most = Math.max(2, Math.floor((scale.right - scale.left) / 80));
    const xTicks = ticks(scale.x[0], scale.x[1], most);
    const digits = xTicks.length > 1 ? Math.max(0, -Math.floor(Math.log10(xTicks[1] - xTicks[0]) + 1e-9)) : 0;
    c.strokeStyle = ink.grid;
    c.fillStyle = ink.muted;
    c.lineWidth = 1;
    c.beginPath();
    c.textAlign = "right";
    yTicks.forEach((tick, i) => {
      const at = Math.round(scale.down(tick)) + 0.5;
      c.moveTo(scale.left, at);
      c.lineTo(scale.right, at);
      c.fillText(labels[i], scale.left - 6, at);
    });
    c.textAlign = "center";
    for (const tick of xTicks) {
      const at = Math.round(scale.across(tick)) + 0.5;
      c.moveTo(at, scale.top);
      c.lineTo(at, scale.bottom);
      c.fillText(format(tick, scale.by === "seconds" ? Math.min(digits, 4) : 0), at, scale.bottom + 11);
    }
    c.stroke();
    c.textAlign = "right";
    c.fillText(`${scale.by}; ${model.get("unit")}`, scale.right, scale.bottom + 28);
  }

  function curve(c, run, column) {
    const xs = run[scale.by];
    const ys = run[column];
    if (!xs.length) return;
    c.strokeStyle = run.colour;
    c.lineWidth = column === "best" ? 2.2 : 1.1;
    c.globalAlpha = column === "best" ? 1 : 0.5;
    c.lineJoin = "round";
    c.beginPath();
    c.moveTo(scale.across(xs[0]), scale.down(ys[0]));
    for (let k = 1; k < xs.length; k += 1) {
      if (column === "best") c.lineTo(scale.across(xs[k]), scale.down(ys[k - 1]));
      c.lineTo(scale.across(xs[k]), scale.down(ys[k]));
    }
    c.stroke();
    c.globalAlpha = 1;
  }

  function dots(c, run) {
    c.fillStyle = run.colour;
    c.strokeStyle = run.colour;
    c.lineWidth = 1;
    for (const mark of model.get("marks")[run.name] ?? []) {
      const at = scale.across(mark[scale.by]);
      if (mark.mark === "permanent") {
        const y = scale.down(mark.score);
        c.beginPath();
        c.moveTo(at, y - 4);
        c.lineTo(at + 4, y);
        c.lineTo(at, y + 4);
        c.lineTo(at - 4, y);
        c.fill();
      } else {
        c.globalAlpha = 0.6;
        c.beginPath();
        c.moveTo(at, scale.bottom - 5);
        c.lineTo(at, scale.bottom + 3);
        c.stroke();
        c.globalAlpha = 1;
      }
    }
    const last = run.best.length - 1;
    if (last >= 0) {
      c.beginPath();
      c.arc(scale.across(run[scale.by][last]), scale.down(run.best[last]), 3.5, 0, 2 * Math.PI);
      c.fill();
    }
  }

  function momentX() {
    const moment = model.get("moment");
    const run = focus();
    if (moment === null || !run) return null;
    if (scale.by === "iteration") return moment;
    const k = before(run.iteration, moment);
    if (k < 0) return 0;
    if (k + 1 >= run.iteration.length) return run.seconds[k];
    const share = (moment - run.iteration[k]) / (run.iteration[k + 1] - run.iteration[k]);
    return run.seconds[k] + share * (run.seconds[k + 1] - run.seconds[k]);
  }

  function cursor(c, ink) {
    const x = momentX();
    if (x === null || x < scale.x[0] || x > scale.x[1]) return;
    const at = Math.round(scale.across(x)) + 0.5;
    c.strokeStyle = ink.brand;
    c.fillStyle = ink.brand;
    c.lineWidth = 1.5;
    c.beginPath();
    c.moveTo(at, scale.top);
    c.lineTo(at, scale.bottom);
    c.stroke();
    c.beginPath();
    c.moveTo(at - 5, scale.top - 6);
    c.lineTo(at + 5, scale.top - 6);
    c.lineTo(at, scale.top + 1);
    c.fill();
  }

  function hover(c, ink) {
    readout.hidden = !pointer;
    if (!pointer || pointer.x < scale.left || pointer.x > scale.right) {
      readout.hidden = true;
      return;
    }
    if (drag && Math.abs(pointer.x - drag.x) > CLICK) {
      c.fillStyle = ink.brand;
      c.globalAlpha = 0.15;
      c.fillRect(Math.min(drag.x, pointer.x), scale.top, Math.abs(pointer.x - drag.x), scale.bottom - scale.top);
      c.globalAlpha = 1;
    }
    const x = scale.back(pointer.x);
    c.strokeStyle = ink.muted;
    c.lineWidth = 1;
    c.setLineDash([3, 3]);
    c.beginPath();
    c.moveTo(Math.round(pointer.x) + 0.5, scale.top);
    c.lineTo(Math.round(pointer.x) + 0.5, scale.bottom);
    c.stroke();
    c.setLineDash([]);
    readout.replaceChildren(...words(x));
    const side = pointer.x > (scale.left + scale.right) / 2;
    readout.style.left = side ? "auto" : `${pointer.x + 14}px`;
    readout.style.right = side ? `${scale.wide - pointer.x + 14}px` : "auto";
  }

  function words(x) {
    const rows = [make("div", { textContent: scale.by === "seconds" ? `${format(x, 3)} s` : `iteration ${format(Math.round(x), 0)}` })];
    for (const run of visible()) {
      const k = before(run[scale.by], x);
      if (k < 0) continue;
      const swatch = make("span", { className: "bnlab-swatch" });
      swatch.style.background = run.colour;
      rows.push(make("div", {}, swatch, `${run.name}: ${format(run.score[k])}, best ${format(run.best[k])}`));
    }
    const near = visible().flatMap((run) => (model.get("marks")[run.name] ?? []).map((mark) => ({ ...mark, run: run.name })))
      .map((mark) => ({ ...mark, far: Math.abs(scale.across(mark[scale.by]) - pointer.x) }))
      .filter((mark) => mark.far < 5)
      .sort((a, b) => a.far - b.far);
    if (near.length) rows.push(make("div", { textContent: near[0].text }));
    return rows;
  }

  function controls() {
    const by = model.get("by");
    byButtons.forEach((button, i) => button.setAttribute("aria-pressed", String(["iteration", "seconds"][i] === by)));
    whole.disabled = model.get("x_range") === null;
    canvas.setAttribute("aria-label", `Convergence, ${model.get("unit")} against ${by}. ${model.get("description")}`);
    if (legend.childElementCount !== runs.length || [...legend.children].some((chip, i) => chip.dataset.name !== runs[i].name)) {
      legend.replaceChildren(...runs.map(chip));
    }
    [...legend.children].forEach((button, i) => {
      button.setAttribute("aria-pressed", String(!model.get("hidden").includes(runs[i].name)));
    });
    const run = focus();
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
    const swatch = make("span", { className: "bnlab-swatch" });
    swatch.style.background = run.colour;
    const button = make("button", { type: "button", title: "Show or hide this run" }, swatch, run.name);
    button.dataset.name = run.name;
    button.addEventListener("click", () => {
      const hidden = model.get("hidden");
      report("hidden", hidden.includes(run.name) ? hidden.filter((name) => name !== run.name) : [...hidden, run.name]);
    });
    return button;
  }

  function setMoment(moment) {
    const end = focus()?.end ?? 0;
    model.set("moment", moment === null ? null : clamp(Math.round(moment), 0, end));
    if (sending) return;
    model.save_changes();
    sending = setTimeout(() => {
      sending = 0;
      if (!ended) model.save_changes();
    }, SEND);
  }

  function momentAt(pixel) {
    const x = scale.back(pixel);
    const run = focus();
    if (!run) return null;
    if (scale.by === "iteration") return x;
    const k = before(run.seconds, x);
    return k < 0 ? 0 : run.iteration[k];
  }

  function zoom(factor) {
    const [low, high] = scale.x;
    const x = momentX();
    const centre = x !== null && x >= low && x <= high ? x : (low + high) / 2;
    const far = extentOfAll();
    const from = Math.max(0, centre - (centre - low) * factor);
    const to = Math.min(far, centre + (high - centre) * factor);
    report("x_range", from <= 0 && to >= far ? null : [from, to]);
  }

  const extentOfAll = () => Math.max(...runs.map((run) => (model.get("by") === "iteration" ? run.end : run.seconds_end)), 0) || 1;

  const place = (event) => {
    const box = canvas.getBoundingClientRect();
    return { x: event.clientX - box.left, y: event.clientY - box.top };
  };
  canvas.addEventListener("pointerdown", (event) => {
    if (event.button === 0 && scale) drag = place(event);
  });
  canvas.addEventListener("pointermove", (event) => {
    pointer = place(event);
    if (drag && scale && !canvas.hasPointerCapture(event.pointerId) && Math.abs(pointer.x - drag.x) > CLICK) {
      canvas.setPointerCapture(event.pointerId);
    }
    redraw();
  });
  canvas.addEventListener("pointerup", (event) => {
    const end = place(event);
    const from = drag;
    drag = null;
    if (!from || !scale) return;
    const inside = (pixel) => clamp(pixel, scale.left, scale.right);
    if (Math.abs(end.x - from.x) <= CLICK) setMoment(momentAt(inside(end.x)));
    else report("x_range", [from.x, end.x].map((pixel) => scale.back(inside(pixel))).sort((a, b) => a - b));
    redraw();
  });
  canvas.addEventListener("pointercancel", () => {
    drag = null;
  });
  canvas.addEventListener("pointerleave", () => {
    pointer = null;
    redraw();
  });
  canvas.addEventListener("dblclick", () => report("x_range", null));
  canvas.addEventListener("keydown", (event) => {
    const now = model.get("moment") ?? focus()?.end ?? 0;
    const stride = Math.max(1, Math.round((focus()?.end ?? 0) / 100));
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
