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

  const draw = problem.guard(() => {
    setText(heading, model.get("label"));
    heading.hidden = !model.get("heading");
    root.setAttribute("aria-label", model.get("label"));
    controls.draw(model.get("lines"));
  });

  const receive = (content) => {
    if (content.type === "file") saveFile(content);
    if (content.type === "restore") controls.restore();
  };
  const handlers = { "change:lines": draw, "change:label": draw, "change:heading": draw, "msg:custom": receive };
  for (const [event, act] of Object.entries(handlers)) model.on(event, act);
  draw();
  return () => {
    controls.close();
    problem.stop();
    for (const [event, act] of Object.entries(handlers)) model.off(event, act);
  };
}

export default { render };
