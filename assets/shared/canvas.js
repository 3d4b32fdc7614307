// Canvases that are drawn again only where something has changed, at the screen's own resolution.

// True when any of the inputs differs from the last time under this name.
export function changed(cache, name, ...inputs) {
  const before = cache[name];
  cache[name] = inputs;
  return !before || inputs.some((input, i) => input !== before[i]);
}

export function clean(canvas, width, height, dpr) {
  const w = Math.round(width * dpr), h = Math.round(height * dpr);
  if (canvas.width !== w || canvas.height !== h) {
    canvas.width = w;
    canvas.height = h;
    canvas.style.width = `${width}px`;
    canvas.style.height = `${height}px`;
  }
  const pen = canvas.getContext("2d", { willReadFrequently: true });
  pen.setTransform(1, 0, 0, 1, 0, 0);
  pen.clearRect(0, 0, w, h);
  pen.setTransform(dpr, 0, 0, dpr, 0, 0);
  return pen;
}
