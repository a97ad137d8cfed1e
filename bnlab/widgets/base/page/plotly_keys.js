// Keys on a plotly chart go from point to point, show the label as the mouse does, and speak it.
import { setText } from "./elements.js";

export const KEYS =
  "Left and right arrow go from point to point, up and down to the next curve, Enter chooses a point, " +
  "plus and minus zoom, 0 shows all, H hides a curve, S shows all curves.";

const HOVER_LATE = 50; // ms

// Visible points [curve, point] of a chart, a list for each curve; a cell of a map is a point [row, column].
function placesOf(chart) {
  return (chart.calcdata ?? []).flatMap((curve, number) => {
    const { trace } = curve[0] ?? {};
    if (!trace || trace.visible !== true || trace.hoverinfo === "skip") return [];
    const [across, along] = [trace.xaxis, trace.yaxis].map((id, i) => chart._fullLayout[axisName(id ?? "xy"[i])]);
    if (!across || !along) return [];
    const inside = (x, y) => [[across, x], [along, y]].every(([axis, at]) => at >= -1 && at <= axis._length + 1);
    const place = (point, x, y, aim) => ({ curve: number, point, aim, x: across.c2p(x), y: along.c2p(y) });
    const cell = (point, x, y) => place(point, x, y, { xval: x, yval: y });
    const { x, y, z } = curve[0];
    const found = z
      ? z.flatMap((row, i) =>
          Array.from(row, (value, j) =>
            value == null ? null : cell([i, j], (x[j] + x[j + 1]) / 2, (y[i] + y[i + 1]) / 2)))
      : curve.map((point, i) => place(i, point.x, point.y, { pointNumber: i }));
    const shown = found.filter((at) => at && Number.isFinite(at.x) && Number.isFinite(at.y) && inside(at.x, at.y));
    return shown.length ? [shown] : [];
  });
}

const axisName = (id) => `${id[0]}axis${id.slice(1)}`;

function nearest(places, x, y) {
  const distance = (at) => (at.x - x) ** 2 + (at.y - y) ** 2;
  return places.reduce((best, at) => (distance(at) < distance(best) ? at : best));
}

// Lines of the shown label.
function labelOf(chart) {
  const lines = [...chart.querySelectorAll(".hoverlayer .hovertext text")].flatMap((text) => {
    const parts = [...text.querySelectorAll("tspan.line")];
    return (parts.length ? parts : [text]).map((part) => part.textContent.trim());
  });
  return lines.filter(Boolean).join(", ");
}

// `point` and `choose` receive plotly's data of the current point.
export function keyboard(chart, spoken, plotly, point, choose) {
  let at = null;
  let timer = 0;
  const curves = () => placesOf(chart);
  // Plotly shows the labels of quick moves one after the other, and sends no event for a label that code shows.
  const later = (act) => {
    clearTimeout(timer);
    timer = setTimeout(act, 2 * HOVER_LATE);
  };
  const announce = () => {
    setText(spoken, labelOf(chart));
    point(chart._hoverdata?.[0] ?? null);
  };
  const show = (place) => {
    at = place;
    const { trace } = chart.calcdata[place.curve][0];
    plotly().Fx.hover(
      chart,
      [{ curveNumber: place.curve, ...place.aim }],
      `${trace.xaxis ?? "x"}${trace.yaxis ?? "y"}`,
    );
    later(announce);
  };
  const hide = () => {
    clearTimeout(timer);
    if (at && plotly()) plotly().Fx.unhover(chart);
    if (at) point(null);
    setText(spoken, "");
  };
  // Current point: the previous one, or the nearest point that still exists.
  const present = (all) => {
    const line = all.findIndex((places) => places[0].curve === at?.curve);
    if (!at || line < 0) return null;
    return [line, all[line].indexOf(nearest(all[line], at.x, at.y))];
  };
  const take = () => {
    if (!present(curves())) return;
    later(() => {
      announce();
      if (chart._hoverdata?.length) choose(chart._hoverdata[0]);
    });
  };
  const go = (along, across) => {
    const all = curves();
    if (!all.length) return setText(spoken, "There are no points to go to.");
    const found = present(all);
    if (!found) return show(all[0][0]);
    const [line, index] = found;
    const here = all[line][index];
    if (Array.isArray(here.point)) {
      // The next cell with a value in the visible direction; axes may be reversed.
      const ahead = all[line].filter(
        ({ x, y }) => Math.sign(x - here.x) === Math.sign(along) && Math.sign(y - here.y) === Math.sign(across));
      if (!ahead.length) return show(here);
      return show(Number.isFinite(along) ? nearest(ahead, here.x, here.y) : ahead.at(along < 0 ? 0 : -1));
    }
    if (across) {
      const next = all[(line + across + all.length) % all.length];
      return show(nearest(next, at.x, at.y));
    }
    return show(all[line][Math.min(Math.max(index + along, 0), all[line].length - 1)]);
  };
  const press = (what) => chart.querySelector(`.modebar-btn[data-attr="zoom"][data-val="${what}"]`)?.click();
  const hidden = (visible, which) => {
    if (which.length) plotly().restyle(chart, { visible }, which);
    clearTimeout(timer);
    setText(spoken, visible === true ? "All curves are shown." : "The curve is hidden.");
  };
  // Curves that a click in the legend hides together.
  const groupOf = (number) => {
    const group = chart.data[number].legendgroup;
    return group ? chart.data.flatMap(({ legendgroup }, i) => (legendgroup === group ? [i] : [])) : [number];
  };
  const acts = {
    ArrowLeft: () => go(-1, 0),
    ArrowRight: () => go(1, 0),
    ArrowUp: () => go(0, -1),
    ArrowDown: () => go(0, 1),
    Home: () => go(-Infinity, 0),
    End: () => go(Infinity, 0),
    Enter: take,
    " ": take,
    Escape: () => {
      hide();
      at = null;
    },
    "+": () => press("in"),
    "=": () => press("in"),
    "-": () => press("out"),
    0: () => press("reset"),
    h: () => present(curves()) && hidden("legendonly", groupOf(at.curve)),
    s: () => hidden(true, chart.data.flatMap(({ visible }, i) => (visible === "legendonly" ? [i] : []))),
  };
  chart.addEventListener("keydown", (event) => {
    const act = acts[event.key];
    if (!act || event.target !== chart || event.ctrlKey || event.metaKey || event.altKey || !plotly()) return;
    event.preventDefault();
    event.stopPropagation();
    act();
  });
  chart.addEventListener("blur", hide);
  return { stop: () => clearTimeout(timer) };
}
