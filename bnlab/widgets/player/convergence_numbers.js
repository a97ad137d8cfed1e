// Numbers as they are shown, and what stands for a run. A part of player/convergence_plot.js.

const clamp = (value, low, high) => Math.max(low, Math.min(high, value));

function floats(bytes) {
  if (!bytes) return new Float64Array(0);
  // A copy: what arrives need not begin at a multiple of eight bytes.
  return new Float64Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength));
}

function format(value, digits = 2) {
  return (value + 0).toLocaleString("en-US", { minimumFractionDigits: digits, maximumFractionDigits: digits }).replace("-", "−");
}

function ticks(low, high, most) {
  if (!(high > low)) return [low];
  const rough = (high - low) / Math.max(most, 1);
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((m) => m * power).find((s) => s >= rough * 0.999);
  const found = [];
  for (let k = Math.ceil(low / step - 1e-9) + 0; k * step <= high + step * 1e-9; k += 1) found.push(k * step + 0);
  return found;
}

// Index of the last value at or before `x`, -1 when there is none.
function before(values, x) {
  let low = 0;
  let high = values.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (values[middle] <= x) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

// Runs differ in colour and in shape: not everybody sees all colours.
function swatch(run) {
  const made = make("span", { className: "bnlab-swatch", textContent: run.glyph, ariaHidden: "true" });
  made.style.color = run.colour;
  return made;
}
