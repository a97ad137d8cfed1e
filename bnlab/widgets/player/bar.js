// Controls of a player and a table of its runs; Python does what they ask for. See player/bar.py.

const COLUMNS = ["Run", "Iterations", "Best score", "Gap to truth", "Seconds", "Progress"];

function format(value, digits) {
  if (value === null || value === undefined) return "–";
  return value.toLocaleString("en-US", { minimumFractionDigits: digits, maximumFractionDigits: digits }).replace("-", "−");
}

function duration(seconds) {
  if (seconds < 1) return "less than 1 s";
  if (seconds < 90) return `${Math.round(seconds)} s`;
  if (seconds < 5400) return `${Math.round(seconds / 60)} min`;
  return `${(seconds / 3600).toFixed(1)} h`;
}

// As in bnlab/widgets/base/times.py, below a heading that names the unit.
function spent(seconds) {
  return seconds >= 0.01 ? format(seconds, 2) : "<0.01";
}

// Controls as base/controls.py describes them.
function controls(model) {
  const [playing, finished, seed, compare] = ["playing", "finished", "seed", "compare"].map((name) => model.get(name));
  const control = (kind, id, label, tip, rest = {}) => ({ kind, id, label, tip, enabled: true, main: false, ...rest });
  const speeds = [...new Set([...model.get("speeds"), model.get("speed")])].sort((a, b) => a - b);
  const speedOptions = speeds.map((value) => [value, value === 0 ? "maximum" : `${value} steps per second`]);
  const runs = model.get("runs").map(({ name }) => [name, name]);
  const over = finished && !playing;
  const playTip = playing ? "Pause after this step" : "Run the search";
  const shown = [
    control("button", "play", playing ? "Pause" : "Play", playTip, { enabled: !over, main: true }),
    control("button", "step", "Step", "Make one step", { enabled: !playing && !finished }),
    control("button", "stop", "Stop", "End the run and keep its result", { enabled: playing }),
    control("button", "reset", "Reset", "Start again"),
    control("select", "speed", "Speed", "Steps per second", { value: model.get("speed"), options: speedOptions }),
  ];
  if (seed !== null) shown.push(control("number", "seed", "Seed", "Seed of the next reset", { value: seed, min: 0, step: 1 }));
  const keepTip = "Reset keeps the curves of earlier runs, for comparison";
  shown.push(control("toggle", "keep", "Keep curves", keepTip, { value: model.get("keep") }));
  const runTip = "Run whose graph and policies are shown";
  if (runs.length > 1) shown.push(control("select", "run", "Show run", runTip, { value: model.get("run"), options: runs }));
  const compareTip = "Mark edges as true, reversed, extra or missing";
  if (compare !== null) shown.push(control("toggle", "compare", "Compare with true network", compareTip, { value: compare }));
  return [shown];
}

function render({ model, el }) {
  const ask = ({ id, value }) => {
    if (["step", "stop", "reset"].includes(id)) model.send({ type: id });
    else if (id === "play") model.send({ type: model.get("playing") ? "pause" : "play" });
    else {
      model.set(id, id === "seed" ? Math.max(0, Math.round(value ?? 0)) : value);
      model.save_changes();
      draw();
      lines.restore(); // shows a seed as it was rounded
    }
  };
  const bar = make("div");
  bar.setAttribute("role", "group");
  bar.setAttribute("aria-label", "Search player");
  const lines = new ControlLines(bar, ask);
  const status = make("div", { className: "bnlab-status" });
  status.setAttribute("role", "status");
  const head = make("tr", {}, ...COLUMNS.map((text) => make("th", { scope: "col", textContent: text })));
  head.lastChild.className = "bnlab-share";
  const body = make("tbody");
  const table = make("table", {}, make("thead", {}, head), body);
  const root = make("div", { className: "bnlab-form bnlab-player" }, bar, status, make("div", { className: "bnlab-scroll" }, table));
  el.style.width = "100%";
  el.style.minWidth = "0";
  el.append(root);
  const problem = problems(model, el);

  let frame = 0;
  let ended = false;
  const redraw = () => {
    if (!frame && !ended) frame = requestAnimationFrame(problem.guard(draw));
  };

  function draw() {
    frame = 0;
    if (ended) return;
    lines.draw(controls(model));
    setText(status, model.get("status"));
    status.dataset.failed = String(model.get("failed"));
    rows();
  }

  function rows() {
    const runs = model.get("runs");
    const gaps = runs.some((run) => run.gap !== null);
    head.children[3].style.display = gaps ? "" : "none";
    while (body.childElementCount > runs.length) body.lastChild.remove();
    while (body.childElementCount < runs.length) body.append(row());
    runs.forEach((run, i) => fill(body.children[i], run, gaps));
  }

  function row() {
    const swatch = make("span", { className: "bnlab-swatch", ariaHidden: "true" });
    const bar = make("progress");
    const share = make("td", { className: "bnlab-share" }, bar, make("span"));
    return make("tr", {}, make("td", {}, swatch, make("span")), make("td"), make("td"), make("td"), make("td"), share);
  }

  function fill(line, run, gaps) {
    const [name, iteration, best, gap, seconds, share] = line.children;
    name.firstChild.style.color = run.colour;
    setText(name.firstChild, run.glyph);
    setText(name.lastChild, run.name);
    name.title = run.name;
    setText(iteration, format(run.iteration, 0));
    setText(best, format(run.best, 2));
    setText(gap, run.gap === null ? "–" : `${format(run.gap, 2)} %`);
    gap.style.display = gaps ? "" : "none";
    setText(seconds, spent(run.seconds));
    const [bar, words] = share.children;
    bar.hidden = run.total === null;
    bar.setAttribute("aria-label", `Progress of ${run.name}`);
    if (run.total !== null) {
      bar.max = Math.max(run.total, 1);
      bar.value = run.done;
    }
    const left = run.left === null || run.ended ? "" : `, ${duration(run.left)} left`;
    const done = run.total === null ? "" : `${format(run.done, 0)} of ${format(run.total, 0)} ${run.unit}${left}`;
    setText(words, run.ended ? `finished${done ? `, ${done}` : ""}` : done || "length unknown");
  }

  const watched = ["playing", "finished", "speed", "speeds", "seed", "runs", "run", "keep", "compare", "status", "failed"];
  for (const name of watched) model.on(`change:${name}`, redraw);
  problem.guard(draw)();

  return () => {
    ended = true;
    problem.stop();
    cancelAnimationFrame(frame);
    lines.close();
    for (const name of watched) model.off(`change:${name}`, redraw);
  };
}

export default { render };
