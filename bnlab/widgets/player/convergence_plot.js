// The chart of `figure`, with a choice of its axis and a slider for a past iteration; see player/convergence_plot.py.

function render({ model, el }) {
  const control = (kind, id, label, tip, rest = {}) => ({ kind, id, label, tip, enabled: true, main: false, ...rest });
  const axes = [["iteration", "iterations"], ["seconds", "seconds"]];
  const [above, chart, below] = [make("div"), make("div"), make("div")];
  el.style.width = "100%";
  el.style.minWidth = "0";
  el.append(make("div", { className: "bnlab-form bnlab-convergence" }, above, chart, below));

  const report = (name, value) => {
    model.set(name, value);
    model.save_changes();
  };
  const use = ({ id, value }) => {
    if (id === "by") report("by", value);
    if (id === "all") report("x_range", null);
    if (id === "follow") report("moment", null);
    if (id === "moment") report("moment", Math.min(Math.max(Math.round(value), 0), model.get("end")));
  };
  const [top, bottom] = [new ControlLines(above, use), new ControlLines(below, use)];

  function controls() {
    const [by, end, moment, range] = ["by", "end", "moment", "x_range"].map((name) => model.get(name));
    const place = { value: moment ?? end, min: 0, max: end, step: 1, log: false, enabled: end > 0 };
    top.draw([
      [
        control("select", "by", "Score against", "Axis of the chart", { value: by, options: axes }),
        control("button", "all", "Show all", "Undo the zoom", { enabled: range !== null }),
      ],
    ]);
    bottom.draw([
      [
        control("slider", "moment", "Iteration", "Show a past iteration", place),
        control("button", "follow", "Follow", "Show the search as it is now", { enabled: moment !== null }),
      ],
    ]);
  }

  const stop = chartView({ model, el: chart }, (drawn) =>
    drawn.on("plotly_relayout", (changed) => {
      if (changed["xaxis.autorange"]) report("x_range", null);
      else if ("xaxis.range[0]" in changed) report("x_range", [changed["xaxis.range[0]"], changed["xaxis.range[1]"]]);
    }));
  const watched = ["by", "x_range", "moment", "end"];
  for (const name of watched) model.on(`change:${name}`, controls);
  controls();

  return () => {
    for (const name of watched) model.off(`change:${name}`, controls);
    for (const lines of [top, bottom]) lines.close();
    stop();
    el.replaceChildren();
  };
}

export default { render };
