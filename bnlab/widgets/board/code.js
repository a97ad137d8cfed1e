// Code with a button that copies it. See board/code.py.

const SAID = 1500; // ms

function render({ model, el }) {
  const pre = document.createElement("pre");
  pre.tabIndex = 0;
  pre.setAttribute("role", "region");
  pre.setAttribute("aria-label", "Code that runs this cell again");
  const button = Object.assign(document.createElement("button"), { type: "button", textContent: "Copy" });
  button.setAttribute("aria-live", "polite");
  const root = Object.assign(document.createElement("div"), { className: "bnlab-board-code" });
  root.append(pre, button);
  el.style.minWidth = "0";
  el.append(root);
  const problem = problems(model, el);

  let timer = 0;
  const say = (text) => {
    button.textContent = text;
    clearTimeout(timer);
    timer = setTimeout(() => (button.textContent = "Copy"), SAID);
  };

  button.addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(model.get("code"));
      say("Copied");
    } catch {
      const all = document.createRange();
      all.selectNodeContents(pre);
      getSelection().removeAllRanges();
      getSelection().addRange(all);
      say("Selected");
    }
  });

  const draw = () => (pre.textContent = model.get("code"));
  model.on("change:code", draw);
  draw();
  return () => {
    clearTimeout(timer);
    problem.stop();
    model.off("change:code", draw);
  };
}

export default { render };
