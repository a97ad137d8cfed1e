// Page's side of base/controls.py.

function render({ model, el }) {
  const heading = make("h3");
  const body = make("div");
  const root = make("section", { className: "bnlab-form" }, heading, body);
  el.style.width = "100%";
  el.style.minWidth = "0";
  el.append(root);
  const problem = problems(model, el);
  const controls = new ControlLines(body, (content, buffers) => model.send(content, undefined, buffers));

  function draw() {
    setText(heading, model.get("label"));
    heading.hidden = !model.get("heading");
    root.setAttribute("aria-label", model.get("label"));
    controls.draw(model.get("lines"));
  }

  let frame = 0;
  const redraw = () => {
    if (!frame)
      frame = requestAnimationFrame(() => {
        frame = 0;
        problem.guard(draw)();
      });
  };
  const receive = (content) => {
    if (content.type === "file") saveFile(content);
    if (content.type === "restore") controls.restore();
  };
  const watched = ["lines", "label", "heading"];
  for (const name of watched) model.on(`change:${name}`, redraw);
  model.on("msg:custom", receive);
  problem.guard(draw)();
  return () => {
    cancelAnimationFrame(frame);
    controls.close();
    problem.stop();
    for (const name of watched) model.off(`change:${name}`, redraw);
    model.off("msg:custom", receive);
  };
}

export default { render };
