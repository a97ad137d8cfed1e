// When charts are drawn, and what of them anew. A part of base/plotly_view.js.

// Many charts of a page that change together take turns, so that a slider moves on in between.
const turns = (globalThis[Symbol.for("bnlab.turns")] ??= { waiting: new Set(), frame: 0 });

function nextTurn() {
  turns.frame = 0;
  const [draw] = turns.waiting;
  turns.waiting.delete(draw);
  draw?.(); // the view may be gone
  if (turns.waiting.size) turns.frame = requestAnimationFrame(nextTurn);
}

function waitTurn(draw) {
  turns.waiting.add(draw);
  turns.frame ||= requestAnimationFrame(nextTurn);
}

const leaveTurns = (draw) => turns.waiting.delete(draw);

const sameValues = (a, b) => a === b || JSON.stringify(a) === JSON.stringify(b);

// Copy of `now` in which arrays that are as in `old` are those that plotly was `given` for it: it looks at what is new.
function copied(now, old, given) {
  if (now === null || typeof now !== "object" || ArrayBuffer.isView(now)) return now;
  if (Array.isArray(now)) {
    if (Array.isArray(old) && Array.isArray(given) && sameValues(old, now)) return given;
    return now.map((value, i) => copied(value, old?.[i], given?.[i]));
  }
  return Object.fromEntries(Object.entries(now).map(([name, value]) => [name, copied(value, old?.[name], given?.[name])]));
}
