// Buttons and settings of a player, and a table of its runs; Python does what is asked for. See player/bar.py.

const COLUMNS = ["run", "iterations", "best score", "behind truth", "seconds", "progress"];

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

// As bnlab/widgets/base/times.py has it, below a heading that names the unit.
function spent(seconds) {
  return seconds >= 0.01 ? format(seconds, 2) : "<0.01";
}

function render({ model, el }) {
  const ask = (type) => model.send({ type });
  const button = (text, title, type) => {
    const made = make("button", { type: "button", textContent: text, title });
    if (type) made.addEventListener("click", () => ask(type));
    return made;
  };
  const play = button("Play", "Run the search");
  play.className = "bnlab-play";
  play.addEventListener("click", () => ask(model.get("playing") ? "pause" : "play"));
  const step = button("Step", "Make one step", "step");
  const stop = button("Stop", "End the run; what it has found stays", "stop");
  const reset = button("Reset", "Begin again", "reset");
  const speed = make("select");
  const seed = make("input", { type: "number", min: "0", step: "1" });
  const seedLabel = make("label", { title: "Reset begins with it" }, "Seed", seed);
  const chooser = make("select");
  const chooserLabel = make("label", { title: "Run whose graph and policies are shown" }, "Look at", chooser);
  const keep = make("input", { type: "checkbox" });
  const keepLabel = make("label", { title: "Reset leaves the curves of the run before, to compare with the next" }, keep, "Keep curves");
  const compare = make("input", { type: "checkbox" });
  const compareLabel = make("label", { title: "Mark edges as true, reversed, extra or missing" }, compare, "Against the truth");
  const controls = make("div", { className: "bnlab-controls" }, play, step, stop, reset, make("label", {}, "Speed", speed), seedLabel, keepLabel, chooserLabel, compareLabel);
  controls.setAttribute("role", "group");
  controls.setAttribute("aria-label", "Search player");
  const status = make("div", { className: "bnlab-status" });
  status.setAttribute("role", "status");
  const head = make("tr", {}, ...COLUMNS.map((text) => make("th", { scope: "col", textContent: text })));
  head.lastChild.className = "bnlab-share";
  const body = make("tbody");
  const table = make("table", {}, make("thead", {}, head), body);
  const root = make("div", { className: "bnlab-player" }, controls, status, make("div", { className: "bnlab-scroll" }, table));
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
    const playing = model.get("playing");
    setText(play, playing ? "Pause" : "Play");
    play.title = playing ? "Hold the search after this step" : "Run the search";
    play.disabled = model.get("finished") && !playing;
    step.disabled = playing || model.get("finished");
    stop.disabled = !playing;
    setText(status, model.get("status"));
    status.dataset.failed = String(model.get("failed"));
    options();
    rows();
  }

  function options() {
    const speeds = [...new Set([...model.get("speeds"), model.get("speed")])].sort((a, b) => a - b);
    choices(speed, speeds.map((value) => [String(value), value === 0 ? "as fast as it goes" : `${value} steps a second`]), String(model.get("speed")));
    const names = model.get("runs").map((run) => run.name);
    choices(chooser, names.map((name) => [name, name]), model.get("run"));
    chooserLabel.style.display = names.length < 2 ? "none" : "";
    const against = model.get("compare");
    compareLabel.style.display = against === null ? "none" : "";
    compare.checked = Boolean(against);
    keep.checked = model.get("keep");
    const now = model.get("seed");
    seedLabel.style.display = now === null ? "none" : "";
    if (document.activeElement !== seed) seed.value = now === null ? "" : String(now);
  }

  function choices(select, pairs, value) {
    const key = JSON.stringify(pairs);
    if (select.dataset.pairs !== key) {
      select.replaceChildren(...pairs.map(([at, text]) => make("option", { value: at, textContent: text })));
      select.dataset.pairs = key;
    }
    if (select.value !== value) select.value = value;
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

  speed.addEventListener("change", () => {
    model.set("speed", Number(speed.value));
    model.save_changes();
  });
  chooser.addEventListener("change", () => {
    model.set("run", chooser.value);
    model.save_changes();
  });
  compare.addEventListener("change", () => {
    model.set("compare", compare.checked);
    model.save_changes();
  });
  keep.addEventListener("change", () => {
    model.set("keep", keep.checked);
    model.save_changes();
  });
  seed.addEventListener("change", () => {
    const value = Math.max(0, Math.round(Number(seed.value) || 0));
    seed.value = String(value);
    model.set("seed", value);
    model.save_changes();
  });
  for (const field of [seed, speed, chooser]) field.addEventListener("keydown", (event) => event.stopPropagation());

  const watched = ["playing", "finished", "speed", "speeds", "seed", "runs", "run", "keep", "compare", "status", "failed"];
  for (const name of watched) model.on(`change:${name}`, redraw);
  problem.guard(draw)();

  return () => {
    ended = true;
    problem.stop();
    cancelAnimationFrame(frame);
    for (const name of watched) model.off(`change:${name}`, redraw);
  };
}

export default { render };
