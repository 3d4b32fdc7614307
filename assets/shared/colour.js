// Colours: the host's text and paper, and the field's own from the header, in light or dark as the paper is.

export const LEVELS = 1024;

let swatch;
function channels(colour) {
  swatch ??= document.createElement("canvas").getContext("2d");
  swatch.fillStyle = "#000";
  swatch.fillStyle = colour;
  const text = swatch.fillStyle;
  if (text[0] === "#") return [1, 3, 5].map((at) => parseInt(text.slice(at, at + 2), 16));
  return text.match(/[\d.]+/g).slice(0, 3).map(Number);
}

const hex = (rgb) => "#" + rgb.map((part) => Math.round(part).toString(16).padStart(2, "0")).join("");

// Relative luminance (WCAG 2), 0 black .. 1 white.
export function luminance(colour) {
  const [r, g, b] = channels(colour).map((part) => (part /= 255) <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4);
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

// A ramp is a list of colours at equal steps, or of [position 0..1, colour].
function stopsOf(ramp) {
  return ramp.map((stop, i) => (typeof stop === "string" ? [i / (ramp.length - 1), stop] : stop));
}

function rampOf(ramp) {
  const stops = stopsOf(ramp), points = stops.map(([, colour]) => channels(colour));
  const css = new Array(LEVELS), packed = new Uint32Array(LEVELS);
  for (let level = 0, at = 0; level < LEVELS; level++) {
    const value = level / (LEVELS - 1);
    while (at < stops.length - 2 && value > stops[at + 1][0]) at++;
    const share = Math.min(1, Math.max(0, (value - stops[at][0]) / (stops[at + 1][0] - stops[at][0])));
    const rgb = points[at].map((part, i) => Math.round(part + (points[at + 1][i] - part) * share));
    css[level] = hex(rgb);
    packed[level] = (255 << 24) | (rgb[2] << 16) | (rgb[1] << 8) | rgb[0];
  }
  const gradient = stops.map(([position, colour]) => `${colour} ${(position * 100).toFixed(1)}%`).join(", ");
  return { css, packed, gradient };
}

// Weights are read on 0..1, differences on -1..1; both ends are fixed, whatever the head.
export function levelOf(value, signed) {
  const share = signed ? (value + 1) / 2 : value;
  return share <= 0 ? 0 : share >= 1 ? LEVELS - 1 : Math.round(share * (LEVELS - 1));
}

let last;

export function readTheme(root, header) {
  const style = getComputedStyle(root);
  const own = (name, otherwise) => style.getPropertyValue(name).trim() || otherwise;
  const paper = own("--st-background-color", "#ffffff");
  const ink = own("--st-text-color", "#1c1b22");
  const accent = own("--st-primary-color", "#6d3fc0");
  const name = [paper, ink, accent, JSON.stringify(header.colours)].join("|");
  if (last?.name === name) return last;
  const dark = luminance(paper) < 0.3;
  const field = header.colours[dark ? "dark" : "light"];
  last = {
    name, dark, paper, ink, accent,
    quiet: field.muted, line: field.line, hatch: field.hatch,
    query: field.query, key: field.key, link: field.link, onToken: field.on_token,
    series: field.series,
    ramp: rampOf(field.ramp), diverging: rampOf(field.diverging),
  };
  return last;
}

// Slanted lines for cells that may not be read: a pattern of our own size, the same at every zoom.
export function hatchPattern(ctx, theme, scale) {
  if (ctx.vector) return ctx.hatch(theme.hatch);
  const side = Math.round(6 * scale), tile = document.createElement("canvas");
  tile.width = tile.height = side;
  const pen = tile.getContext("2d");
  pen.strokeStyle = theme.hatch;
  pen.lineWidth = scale;
  pen.beginPath();
  for (const shift of [-side, 0, side]) { pen.moveTo(shift, side); pen.lineTo(shift + side, 0); }
  pen.stroke();
  const pattern = ctx.createPattern(tile, "repeat");
  pattern.setTransform(new DOMMatrix().scale(1 / scale));
  return pattern;
}
