// Controls with movable parts, by pointer or keys: cut points of a histogram, and items of lists.
import { controlMakers, finder, isFocused } from "./controls.js";
import { make, place, setText } from "./elements.js";

const FAR = 4; // pixels that a pointer moves before a drag begins
const KEYS_QUIET = 400; // ms between the last key that moves a cut point and its message
const JUMP = 10; // steps of PageUp and PageDown
const APART = 0.12; // minimum distance of the numbers at two cut points, as a share of the width
const GAP = 0.12; // between two bars, as a share of their width

// Follow the pointer from `start` to its release; Escape and a lost pointer cancel.
function follow(node, start, { move, end, cancel }) {
  const leave = new AbortController();
  const on = (type, act) => node.addEventListener(type, act, { signal: leave.signal });
  const stop = (act) => (event) => {
    leave.abort();
    act(event);
  };
  node.setPointerCapture(start.pointerId);
  on("pointermove", move);
  on("pointerup", stop(end));
  on("lostpointercapture", stop(cancel));
  on("keydown", (event) => event.key === "Escape" && stop(cancel)(event));
}

// Outline of bars, as a CSS value: one element draws them all.
function outline(bars) {
  const width = 100 / bars.length;
  const corners = bars.flatMap((height, i) => {
    const [left, right, top] = [(i + GAP) * width, (i + 1 - GAP) * width, 100 * (1 - height)];
    return [[left, 100], [left, top], [right, top], [right, 100]];
  });
  return `polygon(${corners.map(([x, y]) => `${x.toFixed(2)}% ${y.toFixed(2)}%`).join(", ")})`;
}

Object.assign(controlMakers, {
  histogram({ id }, emit) {
    const bars = make("span");
    const chart = make("div", {}, bars);
    const ends = make("p");
    const node = make("div", { className: "bnlab-histogram" }, chart, ends);
    let now = null;
    let cuts = []; // as drawn
    const lines = [];
    let timer = 0;
    let held = false;

    const movable = () => now.step !== null;
    const send = () => {
      clearTimeout(timer);
      timer = 0;
      if (cuts.join() !== now.cuts.join()) emit(id, cuts);
    };
    const rounded = (value) => Number((Math.round(value / now.step) * now.step).toPrecision(12));

    function draw() {
      const [low, high] = now.span;
      while (lines.length > cuts.length) lines.pop().remove();
      while (lines.length < cuts.length) chart.append(lines[lines.push(line(lines.length)) - 1]);
      let last = -Infinity;
      cuts.forEach((cut, i) => {
        const share = high > low ? (cut - low) / (high - low) : 0.5;
        lines[i].style.left = `${100 * share}%`;
        if (!movable()) return;
        const crowded = share - last < APART;
        lines[i].classList.toggle("bnlab-crowded", crowded);
        if (!crowded) last = share;
        const label = `Cut point ${i + 1} of ${cuts.length}`;
        Object.assign(lines[i], { ariaLabel: label, ariaValueNow: String(cut), ariaValueMin: String(low), ariaValueMax: String(high) });
        lines[i].dataset.value = String(cut);
      });
    }

    // Move a cut point as near to a value as its neighbours allow.
    function put(i, value) {
      const least = i > 0 ? rounded(cuts[i - 1]) + now.step : now.span[0];
      const most = i + 1 < cuts.length ? rounded(cuts[i + 1]) - now.step : now.span[1];
      if (least > most) return;
      const found = Math.min(Math.max(rounded(value), least), most);
      cuts = cuts.map((cut, j) => (j === i ? found : cut));
      draw();
    }

    function valueAt(event) {
      const { left, width } = chart.getBoundingClientRect();
      return now.span[0] + ((event.clientX - left) / width) * (now.span[1] - now.span[0]);
    }

    function grab(event) {
      if (event.button) return;
      const [i, before] = [lines.indexOf(event.currentTarget), cuts];
      const done = (act) => () => {
        held = false;
        act();
      };
      held = true;
      event.stopPropagation();
      follow(lines[i], event, {
        move: (at) => put(i, valueAt(at)),
        end: done(send),
        cancel: done(() => {
          cuts = before;
          draw();
        }),
      });
    }

    function press(event) {
      const i = lines.indexOf(event.currentTarget);
      const by = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1, PageUp: JUMP, PageDown: -JUMP }[event.key];
      event.stopPropagation(); // the notebook is not to see it
      if (event.key === "Delete" || event.key === "Backspace") {
        cuts = cuts.filter((_, j) => j !== i);
        draw();
        (lines[i] ?? lines.at(-1))?.focus();
        send();
      } else if (by !== undefined) {
        put(i, cuts[i] + by * now.step);
        clearTimeout(timer);
        timer = setTimeout(send, KEYS_QUIET);
      } else return;
      event.preventDefault();
    }

    function line() {
      if (!movable()) return make("i");
      const made = make("i", { role: "slider", tabIndex: 0 });
      made.addEventListener("pointerdown", grab);
      made.addEventListener("keydown", press);
      return made;
    }

    chart.addEventListener("dblclick", (event) => {
      if (!movable() || lines.includes(event.target)) return;
      const value = rounded(valueAt(event));
      if (cuts.includes(value)) return;
      cuts = [...cuts, value].sort((a, b) => a - b);
      draw();
      send();
    });
    const update = (next, force) => {
      if (now && (now.step === null) !== (next.step === null)) lines.splice(0).forEach((old) => old.remove());
      now = next;
      node.setAttribute("aria-label", next.label);
      node.setAttribute("role", movable() ? "group" : "img");
      chart.title = next.tip;
      node.classList.toggle("bnlab-small", Boolean(next.bare));
      bars.style.clipPath = next.bars.length ? outline(next.bars) : "";
      ends.hidden = Boolean(next.bare);
      ends.replaceChildren(...next.ends.map((textContent) => make("span", { textContent })));
      if ((timer || held) && !force) return; // a cut point is being moved
      cuts = next.cuts;
      draw();
    };
    return { node, update, close: () => timer && send() };
  },

  // Lists between which items are dragged, or moved by the arrow keys.
  lists({ id }, emit) {
    const hint = make("p", { id: `bnlab-hint-${Math.random()}` });
    const find = finder(filter);
    const places = make("div");
    const node = make("div", { className: "bnlab-lists", role: "group" }, hint, find.field, places);
    let now = null;
    let lists = []; // { place, title, items }
    let chips = new Map(); // item -> button
    let waits = false; // whether the answer to the last move is pending

    const at = (item) => now.lists.findIndex(({ items }) => items.includes(item));
    const shown = (i) => now.lists[i].items.map((item) => chips.get(item)).filter((chip) => !chip.hidden);

    function filter() {
      for (const [item, chip] of chips) chip.hidden = !find.finds(item);
    }

    function moved(item, to) {
      if (waits || !now.lists[to] || to === at(item)) return;
      waits = true;
      emit(id, [item, now.lists[to].key]);
    }

    function press(event, item) {
      const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
      const row = shown(at(item));
      const i = row.indexOf(chips.get(item));
      const next = { ArrowDown: row[i + 1], ArrowUp: row[i - 1], Home: row[0], End: row.at(-1) }[event.key];
      event.stopPropagation(); // the notebook is not to see it
      if (by) moved(item, at(item) + by);
      next?.focus();
      if (by || next) event.preventDefault();
    }

    // A copy of the item follows the pointer, because the list would clip the item itself.
    function grab(event, item) {
      if (event.button) return;
      const chip = chips.get(item);
      let copy = null;
      const over = ({ clientX: x, clientY: y }) =>
        lists.findIndex(({ place }) => {
          const { left, right, top, bottom } = place.getBoundingClientRect();
          return left <= x && x <= right && top <= y && y <= bottom;
        });
      const leave = () => {
        copy?.remove();
        chip.classList.remove("bnlab-dragged");
        for (const { place } of lists) place.classList.remove("bnlab-over");
      };
      const move = (to) => {
        if (!copy && Math.hypot(to.clientX - event.clientX, to.clientY - event.clientY) < FAR) return;
        if (!copy) {
          copy = make("span", { className: "bnlab-copy", textContent: item, ariaHidden: "true" });
          chip.classList.add("bnlab-dragged");
          node.append(copy);
        }
        const { left, top } = node.getBoundingClientRect();
        Object.assign(copy.style, { left: `${to.clientX - left}px`, top: `${to.clientY - top}px` });
        lists.forEach(({ place }, i) => place.classList.toggle("bnlab-over", i === over(to)));
      };
      const end = (to) => {
        const dragged = copy !== null;
        leave();
        if (dragged) moved(item, over(to));
      };
      follow(chip, event, { move, end, cancel: leave });
    }

    function madeChip(item) {
      const chip = make("button", { type: "button", textContent: item, title: item });
      chip.setAttribute("aria-describedby", hint.id);
      chip.addEventListener("keydown", (event) => press(event, item));
      chip.addEventListener("pointerdown", (event) => grab(event, item));
      chip.addEventListener("focus", () => stopAtChip(chip));
      return chip;
    }

    // The Tab key stops at one item of a list.
    function stopAtChip(chip) {
      for (const other of chip.parentElement.children) other.tabIndex = other === chip ? 0 : -1;
    }

    function madeList() {
      const title = make("h4");
      const items = make("div");
      return { title, items, place: make("section", { role: "group" }, title, items) };
    }

    const update = (next) => {
      now = next;
      waits = false;
      const focused = [...chips.values()].find(isFocused);
      node.setAttribute("aria-label", next.label);
      setText(hint, next.tip);
      find.describe(next.find);
      chips = new Map(next.lists.flatMap(({ items }) => items.map((item) => [item, chips.get(item) ?? madeChip(item)])));
      lists = next.lists.map((_, i) => lists[i] ?? madeList());
      next.lists.forEach(({ label, items: held }, i) => {
        const { place: section, title, items } = lists[i];
        setText(title, label);
        section.setAttribute("aria-label", label);
        place(items, held.map((item) => chips.get(item)));
        const stop = focused && items.contains(focused) ? focused : items.firstElementChild;
        if (stop) stopAtChip(stop);
      });
      place(places, lists.map((list) => list.place));
      filter();
      if (focused?.isConnected && !isFocused(focused)) focused.focus({ preventScroll: true });
      focused?.scrollIntoView({ block: "nearest", inline: "nearest" });
    };
    return { node, update };
  },
});
