// Draws `figure` with plotly.js, which the kernel sends once per page; see base/plotly_view.py.
import { listen, make, problems, report, setText } from "./elements.js";
import { keyboard, KEYS } from "./plotly_keys.js";

const PAGE = Symbol.for("bnlab.plotly");
const POLL = 50; // ms
const RETRY = 15_000; // ms, doubled each time, because a busy kernel answers late
const WAITING_AFTER = 4_000; // ms
const REST = 300; // ms
const STEP = 50; // pixels; smaller changes of width are not sent
const CLEAR = "rgba(0, 0, 0, 0)";

const CONFIG = {
  responsive: false,
  displaylogo: false,
  displayModeBar: "hover",
  modeBarButtonsToRemove: ["select2d", "lasso2d"],
};

const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

async function moduleFrom(bytes) {
  const unpacked = new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip")));
  // plotly.min.js looks for CommonJS first.
  const source = [
    "const module = { exports: {} }, exports = module.exports, define = undefined;\n",
    await unpacked.blob(),
    "\nexport default module.exports;",
  ];
  const url = URL.createObjectURL(new Blob(source, { type: "text/javascript" }));
  try {
    return (await import(/* @vite-ignore */ url)).default;
  } finally {
    URL.revokeObjectURL(url);
  }
}

// All views of a page share one copy; any open model can request it.
async function library(model, setStatus, stopped) {
  const version = model.get("_plotly_version");
  const page = ((globalThis[PAGE] ??= {})[version] ??= { loading: null, requested: -Infinity, wait: RETRY });
  const leave = listen(model, {
    "msg:custom": (content, buffers) => {
      if (content.type === "plotly") page.loading ??= moduleFrom(buffers[0]);
    },
  });
  const begun = performance.now();
  try {
    while (!page.loading && !stopped()) {
      const now = performance.now();
      if (now - page.requested > page.wait || page.requested === -Infinity) {
        if (page.requested !== -Infinity) page.wait *= 2;
        page.requested = now;
        model.send({ type: "plotly" });
      }
      if (now - begun > WAITING_AFTER) {
        setStatus("Waiting for the kernel to send plotly.js: it is busy, or no longer runs.");
      }
      await sleep(POLL);
    }
  } finally {
    leave();
  }
  return page.loading;
}

// If many charts of a page change together, they take turns, so that a slider can move in between.
const turns = (globalThis[Symbol.for("bnlab.turns")] ??= { waiting: new Set(), frame: 0 });

function nextTurn() {
  turns.frame = 0;
  const [draw] = turns.waiting;
  turns.waiting.delete(draw);
  draw?.(); // the view may be closed
  if (turns.waiting.size) turns.frame = requestAnimationFrame(nextTurn);
}

function waitTurn(draw) {
  turns.waiting.add(draw);
  turns.frame ||= requestAnimationFrame(nextTurn);
}

const sameValues = (a, b) => a === b || JSON.stringify(a) === JSON.stringify(b);

// Copy of `now` that reuses the arrays `given` to plotly for equal arrays in `old`, because plotly compares identities.
function copied(now, old, given) {
  if (now === null || typeof now !== "object" || ArrayBuffer.isView(now)) return now;
  if (Array.isArray(now)) {
    if (Array.isArray(old) && Array.isArray(given) && sameValues(old, now)) return given;
    return now.map((value, i) => copied(value, old?.[i], given?.[i]));
  }
  return Object.fromEntries(Object.entries(now).map(([name, value]) => [name, copied(value, old?.[name], given?.[name])]));
}

// Use the text colour, font and background of JupyterLab's theme; without a theme, those of the figure stay.
function themed(own, element) {
  const style = getComputedStyle(element);
  const text = style.getPropertyValue("--jp-ui-font-color1").trim();
  const ground = style.getPropertyValue("--jp-layout-color0").trim();
  delete own.width;
  own.autosize = true;
  own.uirevision ??= "kept"; // zoom and hidden traces survive an update
  if (text && !own.paper_bgcolor) {
    own.font = { ...own.font, color: text };
    own.paper_bgcolor = CLEAR;
    own.plot_bgcolor ??= CLEAR;
    const muted = style.getPropertyValue("--jp-ui-font-color2").trim();
    own.modebar = { bgcolor: ground, color: muted, activecolor: text, ...own.modebar };
    const template = own.template?.layout;
    if (template?.annotationdefaults?.font) template.annotationdefaults.font.color = text;
    own.hoverlabel = { ...own.hoverlabel, bgcolor: ground, bordercolor: text, font: { color: text } };
    if (template?.hoverlabel) delete template.hoverlabel;
  }
  return own;
}

function point(found) {
  const { curveNumber, pointNumber, pointIndex, x, y, customdata, data } = found;
  const index = pointNumber ?? pointIndex ?? null;
  return { trace: data?.name ?? "", trace_index: curveNumber, index, x: x ?? null, y: y ?? null, customdata: customdata ?? null };
}

// `made` receives the chart each time that plotly creates it.
export function chartView({ model, el }, made = () => {}) {
  const chart = make("div", { className: "bnlab-chart", tabIndex: 0, role: "application", ariaRoleDescription: "chart" });
  const status = make("div", { className: "bnlab-chart-status", role: "status" });
  const spoken = make("div", { className: "bnlab-chart-spoken", role: "status" });
  Object.assign(el.style, { position: "relative", minWidth: "0", width: "100%" }); // the hidden line stays inside
  el.role = "figure";
  el.append(chart, status, spoken);
  const problem = problems(model, el);

  let Plotly = null;
  let ended = false;
  let postponed = false;
  let drawn = false;
  let drawing = false;
  let stale = false; // drawn in another theme
  let drawnWidth = 0;
  let seen = false;
  let later = 0;
  let last = null; // curves of the drawn figure, and the objects that plotly got for them
  let given = null;

  const setStatus = (text) => setText(status, text);

  async function draw() {
    if (ended || !Plotly) return;
    // Two concurrent drawings, one of them of a purged chart, would leave the chart empty.
    if (drawing) return redraw();
    // JupyterLab hides the page briefly when the theme changes; plotly would then use its default width.
    const hidden = el.clientWidth === 0;
    if (hidden && !postponed) redraw();
    postponed = hidden;
    if (hidden) return;
    const figure = model.get("figure");
    el.setAttribute("aria-label", model.get("description"));
    chart.setAttribute("aria-label", `${model.get("description")}. ${KEYS}`);
    chart.style.height = `${figure.layout?.height ?? 400}px`;
    drawing = true;
    try {
      if (stale) {
        if (drawn) Plotly.purge(chart);
        drawn = stale = false;
        last = given = null;
      }
      given = copied(figure.data ?? [], last, given);
      last = figure.data;
      const layout = () => themed(structuredClone(figure.layout ?? {}), el);
      await Plotly.react(chart, given, layout(), CONFIG);
      // After a change of width, the first drawing places the legend by its old number of lines.
      if (drawn && chart.clientWidth !== drawnWidth) await Plotly.react(chart, given, layout(), CONFIG);
      drawnWidth = chart.clientWidth;
      if (!drawn) connect();
      drawn = true;
      setStatus("");
    } catch (error) {
      setStatus(`The chart could not be drawn: ${error?.message ?? error}`);
    } finally {
      drawing = false;
      if (ended) Plotly.purge(chart);
    }
  }

  const keys = keyboard(
    chart,
    spoken,
    () => (drawn ? Plotly : null),
    (found) => report(model, { hovered: found && point(found) }),
    (found) => report(model, { clicked: point(found) }),
  );

  function connect() {
    made(chart);
    chart.on("plotly_click", (event) => report(model, { clicked: point(event.points[0]) }));
    chart.on("plotly_hover", (event) => report(model, { hovered: point(event.points[0]) }));
    chart.on("plotly_unhover", () => report(model, { hovered: null }));
  }

  // A chart out of view waits until the others are done, or until it is near the view.
  const redraw = () => {
    clearTimeout(later);
    later = 0;
    if (ended) return;
    if (drawn && !seen) later = setTimeout(() => waitTurn(draw), REST);
    else waitTurn(draw);
  };

  let width = 0;
  const resized = new ResizeObserver(() => {
    const now = Math.round(el.clientWidth);
    if (now === width) return;
    width = now;
    const room = Math.floor(now / STEP) * STEP;
    if (typeof model.get("room") === "number" && room > 0 && room !== model.get("room")) report(model, { room });
    redraw();
  });
  // Draw again: an update of only the title's colour would put the subtitle over the title.
  const repainted = new MutationObserver(() => {
    stale = true;
    redraw();
  });
  const watched = new IntersectionObserver((entries) => {
    seen = entries.at(-1).isIntersecting;
    if (seen && later) redraw();
  });

  const leave = listen(model, { "change:figure": redraw, "change:description": redraw });
  resized.observe(el);
  watched.observe(el);
  repainted.observe(document.body, { attributeFilter: ["data-jp-theme-name", "data-jp-theme-light"] });

  library(model, setStatus, () => ended).then(
    (loaded) => {
      Plotly = loaded;
      redraw();
    },
    (error) => setStatus(`plotly.js could not be loaded: ${error?.message ?? error}`),
  );

  return () => {
    ended = true;
    problem.stop();
    keys.stop();
    clearTimeout(later);
    turns.waiting.delete(draw);
    resized.disconnect();
    watched.disconnect();
    repainted.disconnect();
    leave();
    if (drawn) Plotly.purge(chart);
  };
}
