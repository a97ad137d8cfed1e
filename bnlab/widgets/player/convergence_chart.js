// The curves on their canvas, with lines to measure against, a cursor and a readout. A part of player/convergence_plot.js.

const TRUTH = "true network";
const MARGIN = { top: 10, bottom: 36 };
const DASHES = [[6, 4], [2, 3], [8, 3, 2, 3], [12, 4]];
const CLICK = 4; // pixels that a click may move
const COLUMNS = ["iteration", "seconds", "score", "best"];

class Chart {
  constructor(model, canvas, readout) {
    Object.assign(this, { model, canvas, readout });
    this.runs = [];
    this.scale = null; // how the last drawing maps values to pixels
    this.pointer = null; // mouse on the canvas, in pixels
    this.drag = null; // where a drag began
  }

  visible() {
    return this.runs.filter((run) => !this.model.get("hidden").includes(run.name));
  }

  focus() {
    return this.runs.find((run) => run.name === this.model.get("focus")) ?? this.runs[0];
  }

  read(curves) {
    this.runs = curves.map((curve) => ({
      ...curve,
      ...Object.fromEntries(COLUMNS.map((column) => [column, floats(curve[column])])),
    }));
  }

  extent() {
    const by = this.model.get("by");
    const x = this.model.get("x_range") ?? [0, this.end() || 1];
    let low = Infinity;
    let high = -Infinity;
    for (const run of this.visible()) {
      const begin = Math.max(before(run[by], x[0]), 0);
      const end = before(run[by], x[1]);
      for (let k = begin; k <= end; k += 1) {
        low = Math.min(low, run.score[k]);
        high = Math.max(high, run.score[k], run.best[k]);
      }
    }
    for (const score of Object.values(this.model.get("baselines"))) {
      low = Math.min(low, score);
      high = Math.max(high, score);
    }
    if (!Number.isFinite(low)) [low, high] = [0, 1];
    const room = (high - low || Math.abs(high) * 0.01 || 1) * 0.05;
    return { by, x, y: [low - room, high + room] };
  }

  // How values map to pixels; the greatest width of labels so far, for curves do not jump sideways while they grow.
  measure(c, width, labels, room) {
    const { by, x, y } = this.extent();
    const needed = Math.max(...labels.map((text) => c.measureText(text).width + 10));
    const left = this.scale?.wide === width ? Math.max(this.scale.left, needed) : needed;
    const [right, top, bottom] = [width - room, MARGIN.top, this.model.get("height") - MARGIN.bottom];
    this.scale = {
      left, right, top, bottom, wide: width, by, x, y,
      across: (value) => left + ((value - x[0]) / (x[1] - x[0])) * (right - left),
      down: (value) => bottom - ((value - y[0]) / (y[1] - y[0])) * (bottom - top),
      back: (pixel) => x[0] + ((pixel - left) / (right - left)) * (x[1] - x[0]),
    };
  }

  resize(width) {
    const height = this.model.get("height");
    const ratio = window.devicePixelRatio || 1;
    const [w, h] = [Math.round(width * ratio), Math.round(height * ratio)];
    if (this.canvas.width !== w || this.canvas.height !== h) {
      Object.assign(this.canvas, { width: w, height: h });
      this.canvas.style.height = `${height}px`;
    }
    const c = this.canvas.getContext("2d");
    c.setTransform(ratio, 0, 0, ratio, 0, 0);
    c.clearRect(0, 0, width, height);
    return c;
  }

  draw(width, ink) {
    const c = this.resize(width);
    c.font = ink.font;
    c.textBaseline = "middle";
    const { y } = this.extent();
    const lines = this.baselines(c, width);
    const yTicks = ticks(y[0], y[1], Math.floor((this.model.get("height") - MARGIN.top - MARGIN.bottom) / 46));
    const step = yTicks.length > 1 ? yTicks[1] - yTicks[0] : 1;
    const digits = Math.max(0, -Math.floor(Math.log10(step) + 1e-9));
    const labels = yTicks.map((tick) => format(tick, Math.min(digits, 6)));
    this.measure(c, width, labels, lines.room);
    this.grid(c, ink, yTicks, labels);
    this.lines(c, ink, lines.all);
    this.cursor(c, ink);
    this.hover(c, ink);
  }

  lines(c, ink, all) {
    const { left, right, top, bottom } = this.scale;
    c.save();
    c.beginPath();
    c.rect(left - 4, top - 4, right - left + 8, bottom - top + 8);
    c.clip();
    for (const line of all) this.rule(c, ink, line);
    for (const column of ["score", "best"]) for (const run of this.visible()) this.curve(c, run, column);
    for (const run of this.visible()) this.dots(c, run);
    c.restore();
    c.textAlign = "left";
    for (const line of all) {
      c.fillStyle = line.name === TRUTH ? ink.text : ink.muted;
      if (line.at >= top - 6 && line.at <= bottom + 6) c.fillText(line.text, right + 6, line.place);
    }
  }

  // Lines to measure against; long names are cut.
  baselines(c, width) {
    const all = Object.entries(this.model.get("baselines")).map(([name, score], i) => ({ name, score, dash: name === TRUTH ? [] : DASHES[i % DASHES.length] }));
    const most = width > 700 ? 150 : 92;
    for (const line of all) {
      line.text = line.name;
      while (line.text.length > 3 && c.measureText(line.text).width > most) line.text = `${line.text.slice(0, -2)}…`;
    }
    return { all, room: all.length ? Math.max(...all.map((line) => c.measureText(line.text).width)) + 12 : 12 };
  }

  rule(c, ink, line) {
    line.at = this.scale.down(line.score);
    line.place = line.at;
    c.strokeStyle = line.name === TRUTH ? ink.text : ink.muted;
    c.lineWidth = line.name === TRUTH ? 1.6 : 1.2;
    c.setLineDash(line.dash);
    c.beginPath();
    c.moveTo(this.scale.left, line.at);
    c.lineTo(this.scale.right, line.at);
    c.stroke();
    c.setLineDash([]);
  }

  grid(c, ink, yTicks, labels) {
    const most = Math.max(2, Math.floor((this.scale.right - this.scale.left) / 80));
    const xTicks = ticks(this.scale.x[0], this.scale.x[1], most);
    const digits = xTicks.length > 1 ? Math.max(0, -Math.floor(Math.log10(xTicks[1] - xTicks[0]) + 1e-9)) : 0;
    c.strokeStyle = ink.grid;
    c.fillStyle = ink.muted;
    c.lineWidth = 1;
    c.beginPath();
    c.textAlign = "right";
    yTicks.forEach((tick, i) => {
      const at = Math.round(this.scale.down(tick)) + 0.5;
      c.moveTo(this.scale.left, at);
      c.lineTo(this.scale.right, at);
      c.fillText(labels[i], this.scale.left - 6, at);
    });
    c.textAlign = "center";
    for (const tick of xTicks) {
      const at = Math.round(this.scale.across(tick)) + 0.5;
      c.moveTo(at, this.scale.top);
      c.lineTo(at, this.scale.bottom);
      c.fillText(format(tick, this.scale.by === "seconds" ? Math.min(digits, 4) : 0), at, this.scale.bottom + 11);
    }
    c.stroke();
    c.textAlign = "right";
    c.fillText(`${this.scale.by}; ${this.model.get("unit")}`, this.scale.right, this.scale.bottom + 28);
  }

  curve(c, run, column) {
    const xs = run[this.scale.by];
    const ys = run[column];
    if (!xs.length) return;
    c.strokeStyle = run.colour;
    c.lineWidth = column === "best" ? 2.2 : 1.1;
    c.globalAlpha = column === "best" ? 1 : 0.5;
    c.lineJoin = "round";
    c.beginPath();
    c.moveTo(this.scale.across(xs[0]), this.scale.down(ys[0]));
    for (let k = 1; k < xs.length; k += 1) {
      if (column === "best") c.lineTo(this.scale.across(xs[k]), this.scale.down(ys[k - 1]));
      c.lineTo(this.scale.across(xs[k]), this.scale.down(ys[k]));
    }
    c.stroke();
    c.globalAlpha = 1;
  }

  dots(c, run) {
    c.fillStyle = run.colour;
    c.strokeStyle = run.colour;
    c.lineWidth = 1;
    for (const mark of this.model.get("marks")[run.name] ?? []) {
      const at = this.scale.across(mark[this.scale.by]);
      if (mark.mark === "permanent") {
        const y = this.scale.down(mark.score);
        c.beginPath();
        c.moveTo(at, y - 4);
        c.lineTo(at + 4, y);
        c.lineTo(at, y + 4);
        c.lineTo(at - 4, y);
        c.fill();
      } else {
        c.globalAlpha = 0.6;
        c.beginPath();
        c.moveTo(at, this.scale.bottom - 5);
        c.lineTo(at, this.scale.bottom + 3);
        c.stroke();
        c.globalAlpha = 1;
      }
    }
    const last = run.best.length - 1;
    if (last < 0) return;
    c.textAlign = "center";
    for (const k of this.stations(run, last)) c.fillText(run.glyph, this.scale.across(run[this.scale.by][k]), this.scale.down(run.best[k]));
  }

  // Where the glyph of a run stands on its line: at its end, and where that is not alone a few times before.
  stations(run, last) {
    if (this.visible().length < 2) return [last];
    const [low, high] = this.scale.x;
    const at = [1, 3, 5].map((part) => before(run[this.scale.by], low + ((high - low) * part) / 6));
    return [...new Set([...at.filter((k) => k >= 0 && k < last), last])];
  }

  momentX() {
    const moment = this.model.get("moment");
    const run = this.focus();
    if (moment === null || !run) return null;
    if (this.scale.by === "iteration") return moment;
    const k = before(run.iteration, moment);
    if (k < 0) return 0;
    if (k + 1 >= run.iteration.length) return run.seconds[k];
    const share = (moment - run.iteration[k]) / (run.iteration[k + 1] - run.iteration[k]);
    return run.seconds[k] + share * (run.seconds[k + 1] - run.seconds[k]);
  }

  momentAt(pixel) {
    const x = this.scale.back(pixel);
    const run = this.focus();
    if (!run) return null;
    if (this.scale.by === "iteration") return x;
    const k = before(run.seconds, x);
    return k < 0 ? 0 : run.iteration[k];
  }

  cursor(c, ink) {
    const x = this.momentX();
    if (x === null || x < this.scale.x[0] || x > this.scale.x[1]) return;
    const at = Math.round(this.scale.across(x)) + 0.5;
    c.strokeStyle = ink.brand;
    c.fillStyle = ink.brand;
    c.lineWidth = 1.5;
    c.beginPath();
    c.moveTo(at, this.scale.top);
    c.lineTo(at, this.scale.bottom);
    c.stroke();
    c.beginPath();
    c.moveTo(at - 5, this.scale.top - 6);
    c.lineTo(at + 5, this.scale.top - 6);
    c.lineTo(at, this.scale.top + 1);
    c.fill();
  }

  hover(c, ink) {
    this.readout.hidden = !this.pointer;
    if (!this.pointer || this.pointer.x < this.scale.left || this.pointer.x > this.scale.right) {
      this.readout.hidden = true;
      return;
    }
    if (this.drag && Math.abs(this.pointer.x - this.drag.x) > CLICK) {
      c.fillStyle = ink.brand;
      c.globalAlpha = 0.15;
      c.fillRect(Math.min(this.drag.x, this.pointer.x), this.scale.top, Math.abs(this.pointer.x - this.drag.x), this.scale.bottom - this.scale.top);
      c.globalAlpha = 1;
    }
    const x = this.scale.back(this.pointer.x);
    c.strokeStyle = ink.muted;
    c.lineWidth = 1;
    c.setLineDash([3, 3]);
    c.beginPath();
    c.moveTo(Math.round(this.pointer.x) + 0.5, this.scale.top);
    c.lineTo(Math.round(this.pointer.x) + 0.5, this.scale.bottom);
    c.stroke();
    c.setLineDash([]);
    this.readout.replaceChildren(...this.words(x));
    const side = this.pointer.x > (this.scale.left + this.scale.right) / 2;
    this.readout.style.left = side ? "auto" : `${this.pointer.x + 14}px`;
    this.readout.style.right = side ? `${this.scale.wide - this.pointer.x + 14}px` : "auto";
  }

  words(x) {
    const rows = [make("div", { textContent: this.scale.by === "seconds" ? `${format(x, 3)} s` : `iteration ${format(Math.round(x), 0)}` })];
    for (const run of this.visible()) {
      const k = before(run[this.scale.by], x);
      if (k < 0) continue;
      rows.push(make("div", {}, swatch(run), `${run.name}: ${format(run.score[k])}, best ${format(run.best[k])}`));
    }
    const near = this.visible().flatMap((run) => (this.model.get("marks")[run.name] ?? []).map((mark) => ({ ...mark, run: run.name })))
      .map((mark) => ({ ...mark, far: Math.abs(this.scale.across(mark[this.scale.by]) - this.pointer.x) }))
      .filter((mark) => mark.far < 5)
      .sort((a, b) => a.far - b.far);
    if (near.length) rows.push(make("div", { textContent: near[0].text }));
    return rows;
  }

  // End of the longest run, in the unit of the curves.
  end() {
    const by = this.model.get("by");
    return Math.max(...this.runs.map((run) => (by === "iteration" ? run.end : run.seconds_end)), 0);
  }
}
