// Buttons that show and hide networks; see scores/legend.py.

const SVG = "http://www.w3.org/2000/svg";

function drawn(tag, attributes) {
  const node = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== null) node.setAttribute(name, value);
  }
  return node;
}

function key({ colour, dash, points }) {
  const svg = drawn("svg", { viewBox: "-16 -8 32 16", width: 32, height: 16, "aria-hidden": "true" });
  svg.append(
    drawn("line", { x1: -16, x2: 16, stroke: colour, "stroke-width": 2, "stroke-dasharray": dash }),
    drawn("polygon", { points, fill: colour }),
  );
  return svg;
}

function render({ model, el }) {
  const bar = make("div", { className: "bnlab-score-legend" });
  bar.setAttribute("role", "group");
  bar.setAttribute("aria-label", "Networks shown");
  el.style.minWidth = "0";
  el.append(bar);
  const problem = problems(model, el);
  let buttons = new Map(); // name -> { button, star }

  function build() {
    buttons = new Map();
    const nodes = model.get("networks").map((network) => {
      const words = make("span", { className: "bnlab-score-name", textContent: network.name });
      const star = make("span");
      const button = make("button", { type: "button", title: network.name }, key(network), words, star);
      button.addEventListener("click", () => model.send({ type: "toggle", name: network.name }));
      buttons.set(network.name, { button, star });
      return button;
    });
    bar.replaceChildren(...nodes);
    place();
  }

  function place() {
    const shown = new Set(model.get("selected"));
    const best = new Set(model.get("best"));
    for (const [name, { button, star }] of buttons) {
      button.setAttribute("aria-pressed", String(shown.has(name)));
      star.textContent = best.has(name) ? "★" : "";
      if (best.has(name)) star.setAttribute("aria-label", "best");
      else star.removeAttribute("aria-label");
      star.setAttribute("role", "img");
      star.hidden = !best.has(name);
    }
  }

  const draw = problem.guard(build);
  const mark = problem.guard(place);
  model.on("change:networks", draw);
  model.on("change:selected", mark);
  model.on("change:best", mark);
  draw();
  return () => {
    problem.stop();
    model.off("change:networks", draw);
    model.off("change:selected", mark);
    model.off("change:best", mark);
  };
}

export default { render };
