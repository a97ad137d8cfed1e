// The chart of `figure`, with a choice of its axis and a slider for a past moment; see player/convergence_plot.py.

const SEND = 80; // ms between two moments that the slider sends
const AXES = ["iteration", "seconds"];

const grouped = (digits) => digits.toLocaleString("en-US");

function render({ model, el }) {
  const byButtons = AXES.map((by) => make("button", { type: "button", textContent: by === "iteration" ? "iterations" : by }));
  const byGroup = make("div", { className: "bnlab-by" }, ...byButtons);
  byGroup.setAttribute("role", "group");
  byGroup.setAttribute("aria-label", "Score against");
  const whole = make("button", { type: "button", textContent: "Show all", title: "Undo the zoom" });
  const place = make("div");
  const slider = make("input", { type: "range", min: "0", max: "0", step: "1", value: "0" });
  slider.setAttribute("aria-label", "Moment, in iterations");
  const shown = make("output");
  const live = make("button", { type: "button", textContent: "Follow", title: "Show the search as it is now" });
  const root = make(
    "div",
    { className: "bnlab-convergence" },
    make("div", { className: "bnlab-row" }, byGroup, whole),
    place,
    make("div", { className: "bnlab-row bnlab-moment" }, make("label", {}, "Moment", slider), shown, live),
  );
  el.style.width = "100%";
  el.style.minWidth = "0";
  el.append(root);

  let sending = 0;

  const report = (name, value) => {
    model.set(name, value);
    model.save_changes();
  };

  function controls() {
    const [by, end, moment] = ["by", "end", "moment"].map((name) => model.get(name));
    byButtons.forEach((button, i) => button.setAttribute("aria-pressed", String(AXES[i] === by)));
    whole.disabled = model.get("x_range") === null;
    slider.max = String(end);
    slider.disabled = end === 0;
    if (document.activeElement !== slider || moment === null) slider.value = String(moment ?? end);
    slider.setAttribute("aria-valuetext", moment === null ? "following the search" : `iteration ${moment}`);
    setText(shown, moment === null ? `now, ${grouped(end)}` : `iteration ${grouped(moment)}`);
    live.disabled = moment === null;
  }

  function setMoment(moment) {
    model.set("moment", moment);
    if (sending) return;
    model.save_changes();
    sending = setTimeout(() => {
      sending = 0;
      model.save_changes();
    }, SEND);
  }

  const view = chartView({ model, el: place }, (chart) =>
    chart.on("plotly_relayout", (changed) => {
      if (changed["xaxis.autorange"]) report("x_range", null);
      else if ("xaxis.range[0]" in changed) report("x_range", [changed["xaxis.range[0]"], changed["xaxis.range[1]"]]);
    }));
  slider.addEventListener("input", () => setMoment(Number(slider.value)));
  slider.addEventListener("keydown", (event) => event.stopPropagation());
  live.addEventListener("click", () => setMoment(null));
  whole.addEventListener("click", () => report("x_range", null));
  byButtons.forEach((button, i) => button.addEventListener("click", () => report("by", AXES[i])));
  const watched = ["by", "x_range", "moment", "end"];
  for (const name of watched) model.on(`change:${name}`, controls);
  controls();

  return () => {
    clearTimeout(sending);
    for (const name of watched) model.off(`change:${name}`, controls);
    view();
    el.replaceChildren();
  };
}

export default { render };
