// The chart of `figure`, with a choice of its axis and a slider for a past iteration; see player/charts.py.
import { ControlLines, controlOf } from "../../base/page/controls.js";
import { listen, make, report } from "../../base/page/elements.js";
import { chartView } from "../../base/page/plotly_chart.js";

export default function render({ model, el }) {
  const axes = [["iteration", "Iterations"], ["seconds", "Seconds"]];
  const [above, chart, below] = [make("div"), make("div"), make("div")];
  Object.assign(el.style, { width: "100%", minWidth: "0" });
  el.append(make("div", { className: "bnlab-form bnlab-convergence" }, above, chart, below));

  const use = ({ id, value }) => {
    if (id === "by") report(model, { by: value });
    if (id === "all") report(model, { x_range: null });
    if (id === "follow") report(model, { moment: null });
    if (id === "moment") report(model, { moment: Math.min(Math.max(Math.round(value), 0), model.get("end")) });
  };
  const [top, bottom] = [new ControlLines(above, use), new ControlLines(below, use)];

  function controls() {
    const [by, end, moment, range] = ["by", "end", "moment", "x_range"].map((name) => model.get(name));
    const place = { value: moment ?? end, min: 0, max: end, step: 1, log: false, enabled: end > 0 };
    top.draw([
      [
        controlOf("select", "by", "Score against", "Axis of the chart", { value: by, options: axes }),
        controlOf("button", "all", "Show all", "Undo the zoom", { enabled: range !== null }),
      ],
    ]);
    bottom.draw([
      [
        controlOf("slider", "moment", "Iteration", "Show a past iteration", place),
        controlOf("button", "follow", "Follow", "Show the search as it is now", { enabled: moment !== null }),
      ],
    ]);
  }

  const stop = chartView({ model, el: chart }, (drawn) =>
    drawn.on("plotly_relayout", (changed) => {
      const ends = [changed["xaxis.range[0]"], changed["xaxis.range[1]"]];
      if (changed["xaxis.autorange"]) report(model, { x_range: null });
      else if (ends[0] !== undefined) report(model, { x_range: ends });
    }));
  const leave = listen(model, Object.fromEntries(["by", "x_range", "moment", "end"].map((name) => [`change:${name}`, controls])));
  controls();

  return () => {
    leave();
    for (const lines of [top, bottom]) lines.close();
    stop();
    el.replaceChildren();
  };
}
