// Which part of a drawing is in view: zoom, pan, and the size of the picture. A part of graph/page/view.js.

const MARGIN = 14;
const ZOOM = { least: 0.05, most: 6, step: 1.25, fit: 1.25 };
const NARROW = 420; // pixels
const HEIGHT = { least: 180, most: 720 };
const LEGIBLE = 0.3; // scale from which names are drawn

class Camera {
  constructor(frame, drawing) {
    this.frame = frame;
    this.drawing = drawing;
    this.view = { k: 1, x: 0, y: 0 };
    this.isFitted = true; // until the user zooms, pans or drags
  }

  resize(wanted) {
    const width = this.frame.clientWidth;
    if (!width || (!this.isFitted && this.frame.style.height && !wanted)) return;
    const { width: w, height: h } = this.drawing.bounds();
    const natural = h * Math.min(1, (width - 2 * MARGIN) / w) + 2 * MARGIN;
    // In a narrow place a picture of the wanted height would be mostly empty.
    const height = wanted && (width > NARROW || natural > wanted) ? wanted : clamp(natural, HEIGHT.least, wanted || HEIGHT.most);
    this.frame.style.height = `${Math.round(height)}px`;
    if (this.isFitted) this.fit();
  }

  fit() {
    const { clientWidth: width, clientHeight: height } = this.frame;
    if (!width || !height) return;
    const { left, top, width: w, height: h } = this.drawing.bounds();
    const k = clamp(Math.min((width - 2 * MARGIN) / w, (height - 2 * MARGIN) / h), ZOOM.least, ZOOM.fit);
    this.set(k, (width - w * k) / 2 - left * k, (height - h * k) / 2 - top * k);
    this.isFitted = true;
  }

  set(k, x, y) {
    this.view = { k, x, y };
    const { world } = this.drawing;
    world.classList.toggle("bn-far", k < LEGIBLE);
    world.setAttribute("transform", `translate(${short(x)} ${short(y)}) scale(${k.toFixed(4)})`);
  }

  zoom(factor, at = [this.frame.clientWidth / 2, this.frame.clientHeight / 2]) {
    const { k, x, y } = this.view;
    const next = clamp(k * factor, ZOOM.least, ZOOM.most);
    this.isFitted = false;
    this.set(next, at[0] - ((at[0] - x) / k) * next, at[1] - ((at[1] - y) / k) * next);
  }

  pan(dx, dy) {
    this.isFitted = false;
    this.set(this.view.k, this.view.x + dx, this.view.y + dy);
  }

  // Bring a node into view.
  reveal(node) {
    const { k, x, y } = this.view;
    const [cx, cy] = [node.x * k + x, node.y * k + y];
    const [w, h] = [this.frame.clientWidth, this.frame.clientHeight];
    const [mx, my] = [Math.min(60, w / 4), Math.min(30, h / 4)];
    const [dx, dy] = [clamp(cx, mx, w - mx) - cx, clamp(cy, my, h - my) - cy];
    if (dx || dy) this.pan(dx, dy);
  }

  // Place of a pointer in the frame, and in the drawing.
  inFrame(event) {
    const box = this.frame.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
  }

  inDrawing(event) {
    const [x, y] = this.inFrame(event);
    return [(x - this.view.x) / this.view.k, (y - this.view.y) / this.view.k];
  }
}
