// Tokens and numbers as they are written. Every token is drawn literally: canvas text or textContent, never markup.

const HOST_FACE = '"Source Sans", ';
const FACES = HOST_FACE + 'system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif';

export function fontOf(size, weight = 400) {
  return `${weight} ${size}px ${FACES}`;
}

let ruler;
const widths = new Map();

// For a drawing that travels without the host's font: measures and writes with what every machine has.
let travelling = false;

export function travellingFont(font) {
  return font.replace(HOST_FACE, "");
}

export function asTraveller(draw) {
  travelling = true;
  widths.clear();
  try {
    return draw();
  } finally {
    travelling = false;
    widths.clear();
  }
}

// After a font has arrived every width is another.
export function forgetWidths() {
  widths.clear();
}

export function widthOf(text, font) {
  const name = `${font}\n${text}`;
  let width = widths.get(name);
  if (width === undefined) {
    if (widths.size > 20000) widths.clear();
    ruler ??= document.createElement("canvas").getContext("2d");
    ruler.font = travelling ? travellingFont(font) : font;
    width = ruler.measureText(text).width;
    widths.set(name, width);
  }
  return width;
}

export function widest(tokens, font) {
  let width = 0;
  for (const token of tokens) width = Math.max(width, widthOf(token, font));
  return width;
}

// Whole graphemes, so that an emoji family or a letter with its marks is never cut in two.
function graphemes(text) {
  if (!globalThis.Intl?.Segmenter) return Array.from(text);
  return Array.from(new Intl.Segmenter(undefined, { granularity: "grapheme" }).segment(text), (part) => part.segment);
}

export function shorten(text, font, room) {
  if (widthOf(text, font) <= room) return text;
  const parts = graphemes(text.length > 400 ? text.slice(0, 400) : text);
  let low = 0, high = parts.length;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (widthOf(parts.slice(0, middle).join("") + "…", font) <= room) low = middle;
    else high = middle - 1;
  }
  return parts.slice(0, low).join("") + "…";
}

const RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;

export function directionOf(text) {
  const letter = /\p{L}/u.exec(text);
  return letter && RIGHT_TO_LEFT.test(letter[0]) ? "rtl" : "ltr";
}

// align is a side of the screen ("left", "right", "center") whichever way the script runs.
export function drawText(ctx, text, x, y, { font, colour, align = "left", room = Infinity, direction = directionOf(text) }) {
  ctx.font = font;
  ctx.fillStyle = colour;
  ctx.textAlign = align;
  ctx.textBaseline = "middle";
  ctx.direction = direction;
  ctx.fillText(room === Infinity ? text : shorten(text, font, room), x, y);
}

const sign = (text) => text.replace("-", "−");

// Three significant digits; 0 and 1 stay what they are.
export function brief(value) {
  if (value === 0) return "0";
  if (Math.abs(value) >= 1e-4) return sign(String(value.toPrecision(3)));
  return sign(value.toExponential(2));
}

// The shortest decimal that reads back as the same float32.
export function inFull(value) {
  for (let digits = 1; digits < 9; digits++) {
    const text = value.toPrecision(digits);
    if (Math.fround(Number(text)) === Math.fround(value)) return String(Number(text));
  }
  return String(Number(value.toPrecision(9)));
}

// Inside a cell: fixed decimals, so that a column of them can be compared.
export function inCell(value, decimals) {
  return sign(value.toFixed(decimals));
}

export function quoted(token) {
  return `“${token}”`;
}
