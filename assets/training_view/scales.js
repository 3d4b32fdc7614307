// Numbers to pixels: linear and logarithmic scales with round ticks, and lines thinned to what pixels can show.

// {at(value) -> pixels, ticks}; `low` and `high` are the ends of the axis, from y0 (low) to y1 (high).
export function linearScale(low, high, y0, y1, count) {
  const at = (value) => y0 + ((value - low) / (high - low || 1)) * (y1 - y0);
  const step = roundStep((high - low) / Math.max(1, count)), ticks = [];
  for (let i = Math.ceil(low / step - 1e-9); i * step <= high * (1 + 1e-9); i++) ticks.push(i * step || 0);
  return { at, ticks, low, high, log: false };
}

export function logScale(low, high, y0, y1, count) {
  const from = Math.log10(low), to = Math.log10(high);
  const at = (value) => (value > 0 ? y0 + ((Math.log10(value) - from) / (to - from || 1)) * (y1 - y0) : NaN);
  const every = Math.max(1, Math.ceil((to - from) / Math.max(1, count)));
  let ticks = [];
  for (let power = Math.ceil(from - 1e-9); power <= to + 1e-9; power++) if (power % every === 0) ticks.push(10 ** power);
  // Less than two powers of ten: the twos and fives between them.
  if (ticks.length < 2) {
    ticks = [];
    for (let power = Math.floor(from); power <= to; power++) for (const digit of [1, 2, 5]) ticks.push(digit * 10 ** power);
    ticks = ticks.filter((tick) => tick >= low * 0.999 && tick <= high * 1.001);
    if (ticks.length > count + 1) ticks = [ticks[0], ticks.at(-1)];
  }
  return { at, ticks, low, high, log: true };
}

export function roundStep(least) {
  const power = 10 ** Math.floor(Math.log10(least || 1));
  for (const step of [1, 2, 2.5, 5, 10]) if (step * power >= least * (1 - 1e-9)) return step * power;
  return 10 * power;
}

// The least and greatest finite number (above zero for a logarithm) of several lists; [low, high] where there is none.
export function extent(lists, log, otherwise) {
  let low = Infinity, high = -Infinity;
  for (const list of lists) for (const value of list) {
    if (!Number.isFinite(value) || (log && value <= 0)) continue;
    if (value < low) low = value;
    if (value > high) high = value;
  }
  return low <= high ? [low, high] : otherwise;
}

// A path through (x, y) in pixels, left to right. Where several points share a pixel only the extremes are visited, so
// that no spike is lost and no line takes longer than the width of its chart. What is no number leaves a gap.
export function tracePath(ctx, xs, ys, atX, atY) {
  let column = null, open = false, first, last, low, high;
  const visit = (x, y) => { if (open) ctx.lineTo(x, y); else ctx.moveTo(x, y); open = true; };
  const flush = () => {
    if (column === null) return;
    visit(first.x, first.y);
    if (high.y !== low.y) for (const point of low.i < high.i ? [low, high] : [high, low]) visit(point.x, point.y);
    if (last.i !== first.i) visit(last.x, last.y);
    column = null;
  };
  for (let i = 0; i < xs.length; i++) {
    const y = atY(ys[i]), x = atX(xs[i]);
    if (!Number.isFinite(y)) { flush(); open = false; continue; }
    const point = { i, x, y }, here = Math.round(x);
    if (here !== column) { flush(); column = here; first = low = high = point; }
    if (y < low.y) low = point;
    if (y > high.y) high = point;
    last = point;
  }
  flush();
}
