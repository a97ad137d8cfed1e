// Draws the policies as a heat map on a canvas; see player/policy_map.py.

const NONE = "none";
const LEAST = 0.002;
const SMALLEST = 9; // pixels of a cell that has a label
const BAR = 46; // width of the entropies
const PAD = 6;
const NARROWEST = 60;
const LATER = 500; // ms

function floats(bytes) {
  if (!bytes || !bytes.byteLength) return new Float32Array(0);
  return new Float32Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength));
}

const clamp = (value, low, high) => Math.max(low, Math.min(high, value));

function render({ model, el }) {
  const canvas = make("canvas", { tabIndex: 0 });
  const says = make("div", { className: "bnlab-says" });
  const root = make("div", { className: "bnlab-policies" }, canvas, says);
  canvas.setAttribute("role", "img");
  el.style.width = "100%";
  el.style.minWidth = "0";
  el.append(root);
  const problem = problems(model, el);

  let frame = 0;
  let ended = false;
  let later = 0;
  let place = null; // left, top, cell
  let at = null; // [row, column] under the mouse or the keys

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
      brand: of("--jp-brand-color1", "#1976d2"),
      family: of("--jp-ui-font-family", "system-ui, sans-serif"),
    };
  }

  function fitted(c, text, most) {
    let short = text;
    while (short.length > 2 && c.measureText(short).width > most) short = `${short.slice(0, -2)}…`;
    return short;
  }

  function draw() {
    frame = 0;
    if (ended) return;
    const names = [...model.get("names"), NONE];
    const n = names.length - 1;
    const width = root.clientWidth;
    if (width < NARROWEST) {
      // Hidden, or between two style sheets: the observer may not tell when that is over.
      clearTimeout(later);
      later = setTimeout(redraw, LATER);
      return;
    }
    const ratio = window.devicePixelRatio || 1;
    const ink = colours();
    const c = canvas.getContext("2d");
    const most = clamp(width * 0.24, 40, 130);
    const rough = (width - most - BAR) / (n + 1);
    const size = clamp(rough, 7, 12);
    c.font = `${size}px ${ink.family}`;
    const labelled = rough >= SMALLEST;
    const room = labelled ? Math.min(most, Math.max(...[...names, "entropy"].map((name) => c.measureText(name).width))) + PAD : PAD;
    const cell = Math.min((width - room - BAR) / (n + 1), 34);
    const height = Math.ceil(room + cell * n + PAD);
    if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
      canvas.width = Math.round(width * ratio);
      canvas.height = Math.round(height * ratio);
      canvas.style.height = `${height}px`;
    }
    c.setTransform(ratio, 0, 0, ratio, 0, 0);
    c.clearRect(0, 0, width, height);
    place = { left: room, top: room, cell, n };
    c.font = `${size}px ${ink.family}`;
    if (labelled) labels(c, ink, names, room);
    cells(c, ink, n);
    bars(c, ink, n);
    if (at) {
      c.strokeStyle = ink.brand;
      c.lineWidth = 2;
      c.strokeRect(room + at[1] * cell, room + at[0] * cell, cell, cell);
    }
    words(names);
    canvas.setAttribute("aria-label", `Policies of the decision nodes: ${model.get("description")}. Arrow keys read single decisions.`);
  }

  function labels(c, ink, names, room) {
    c.fillStyle = ink.text;
    c.textBaseline = "middle";
    c.textAlign = "right";
    const { left, top, cell } = place;
    const active = model.get("active");
    names.slice(0, -1).forEach((name, i) => {
      c.fillStyle = active[i] === false ? ink.muted : ink.text;
      c.fillText(fitted(c, name, room - PAD), left - 4, top + (i + 0.5) * cell);
    });
    c.fillStyle = ink.text;
    c.textAlign = "left";
    names.forEach((name, j) => {
      c.save();
      c.translate(left + (j + 0.5) * cell, top - 4);
      c.rotate(-Math.PI / 2);
      c.fillText(fitted(c, name, room - PAD), 0, 0);
      c.restore();
    });
  }

  function cells(c, ink, n) {
    const { left, top, cell } = place;
    const tau = floats(model.get("tau"));
    const active = model.get("active");
    const colour = model.get("_colours");
    const gap = cell > 8 ? 1 : 0;
    c.fillStyle = ink.grid;
    c.globalAlpha = 0.35;
    for (let i = 0; i < n; i += 1) {
      if (active[i] !== false) c.fillRect(left, top + i * cell, cell * (n + 1) - gap, cell - gap);
    }
    c.fillStyle = colour.open;
    for (let i = 0; i < n; i += 1) {
      if (active[i] === false) continue;
      for (let j = 0; j <= n; j += 1) {
        const p = tau[i * (n + 1) + j];
        if (!(p > LEAST)) continue;
        c.globalAlpha = Math.sqrt(p);
        c.fillRect(left + j * cell, top + i * cell, cell - gap, cell - gap);
      }
    }
    c.globalAlpha = 1;
    c.fillStyle = colour.settled;
    for (const [u, v] of model.get("permanent")) {
      c.beginPath();
      c.arc(left + (v + 0.5) * cell - gap / 2, top + (u + 0.5) * cell - gap / 2, clamp(cell * 0.32, 2, 7), 0, 2 * Math.PI);
      c.fill();
    }
    c.strokeStyle = ink.grid;
    c.lineWidth = 1;
    c.strokeRect(left - 0.5, top - 0.5, cell * (n + 1) + 1, cell * n + 1);
  }

  // Entropy of each row, from nothing known (full) to decided (empty).
  function bars(c, ink, n) {
    const { left, top, cell } = place;
    const entropy = floats(model.get("entropy"));
    const active = model.get("active");
    const begin = left + cell * (n + 1) + 8;
    const full = BAR - 12;
    c.fillStyle = ink.muted;
    for (let i = 0; i < n; i += 1) {
      if (active[i] === false) continue;
      const long = full * clamp(entropy[i] / Math.log(Math.max(n, 2)), 0, 1);
      c.fillRect(begin, top + i * cell + cell * 0.25, Math.max(long, 0.5), Math.max(cell * 0.5, 1));
    }
    if (place.top > 24) {
      c.save();
      c.translate(begin + 6, top - 4);
      c.rotate(-Math.PI / 2);
      c.textAlign = "left";
      c.textBaseline = "middle";
      c.fillText(fitted(c, "entropy", place.top - PAD), 0, 0);
      c.restore();
    }
  }

  function words(names) {
    let text = model.get("description");
    if (at) {
      const [i, j] = at;
      const n = names.length - 1;
      const p = floats(model.get("tau"))[i * (n + 1) + j];
      const settled = model.get("permanent").some(([u, v]) => u === i && v === j);
      const value = settled ? "permanent edge" : Number.isNaN(p) || p === undefined ? "itself" : `τ = ${p.toFixed(3)}`;
      text = `${names[i]} → ${names[j]}: ${value}`;
    }
    if (says.textContent !== text) says.textContent = text;
    says.title = text;
  }

  function under(event) {
    if (!place) return null;
    const box = canvas.getBoundingClientRect();
    const i = Math.floor((event.clientY - box.top - place.top) / place.cell);
    const j = Math.floor((event.clientX - box.left - place.left) / place.cell);
    return i >= 0 && i < place.n && j >= 0 && j <= place.n ? [i, j] : null;
  }

  canvas.addEventListener("pointermove", (event) => {
    at = under(event);
    redraw();
  });
  canvas.addEventListener("pointerleave", () => {
    at = null;
    redraw();
  });
  canvas.addEventListener("blur", () => {
    at = null;
    says.removeAttribute("aria-live");
    redraw();
  });
  canvas.addEventListener("keydown", (event) => {
    const step = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] }[event.key];
    if (!step || !place || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    event.stopPropagation();
    says.setAttribute("aria-live", "polite");
    at = at ? [clamp(at[0] + step[0], 0, place.n - 1), clamp(at[1] + step[1], 0, place.n)] : [0, 0];
    redraw();
  });

  const watched = ["names", "tau", "entropy", "active", "permanent", "description"];
  for (const name of watched) model.on(`change:${name}`, redraw);
  const resized = new ResizeObserver(redraw);
  resized.observe(root);
  const repainted = new MutationObserver(redraw);
  repainted.observe(document.body, { attributeFilter: ["data-jp-theme-name", "data-jp-theme-light"] });
  redraw();

  return () => {
    ended = true;
    problem.stop();
    cancelAnimationFrame(frame);
    clearTimeout(later);
    resized.disconnect();
    repainted.disconnect();
    for (const name of watched) model.off(`change:${name}`, redraw);
  };
}

export default { render };
