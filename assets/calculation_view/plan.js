// The plan of a picture: which matrices show numbers, which show tints, how large, for the width that there is.

import { cellText } from "./number_grid.js";
import { sharedDecimals } from "./numbers.js";

const ruler = { context: null, known: new Map() };

/** Width of text in pixels in the page's own font. */
function widthOf(text, size, font) {
  const key = `${size} ${font} ${text}`;
  if (ruler.known.has(key)) return ruler.known.get(key);
  ruler.context ??= document.createElement("canvas").getContext("2d");
  ruler.context.font = `${size}px ${font}`;
  if (ruler.known.size > 5000) ruler.known.clear();
  const { width } = ruler.context.measureText(text);
  ruler.known.set(key, width);
  return width;
}

const widest = (texts, size, font) => texts.reduce((most, text) => Math.max(most, widthOf(text, size, font)), 0);
const clamp = (value, low, high) => Math.min(Math.max(value, low), high);
const BRACKETS = 34;

/** Narrower pages stack the matrices, each operator on a line of its own. */
export const STACK_BELOW = 560;

const isIndexed = (names) => names.every((name) => /^\p{L}{0,2}\d+$/u.test(name));

/** Map of matrix key -> width of the operators that stand before it. */
function operatorsOf(step, width, font) {
  const before = new Map();
  let sum = 0;
  for (const item of step.items) {
    if (item.kind === "operator") sum += Math.max(44, widthOf(item.symbol, 20, font) + 14);
    else {
      before.set(item.key, width < STACK_BELOW ? 0 : sum);
      sum = 0;
    }
  }
  return before;
}

/** Rows and columns to show: all, or only the lit ones. */
function shownOf(item, onlyLit) {
  const all = item.shape.map((count) => Array.from({ length: count }, (_, index) => index));
  if (!onlyLit || item.lit === null) return { rows: all[0], columns: all[1] };
  const cells = item.lit.cells;
  const pick = (whole, lit, fromCells) => {
    const chosen = [...new Set([...lit, ...(lit.length ? [] : fromCells)])].filter((index) => index < whole.length).sort((a, b) => a - b);
    return chosen.length ? chosen : whole;
  };
  return {
    rows: pick(all[0], item.lit.rows, item.lit.columns.length ? [] : cells.map((cell) => cell[0])),
    columns: pick(all[1], item.lit.columns, item.lit.rows.length ? [] : cells.map((cell) => cell[1])),
  };
}

/** May the matrix be shown in numbers at all, and must it, however narrow the page? */
function readable({ rows, columns }, editable) {
  const cells = rows.length * columns.length;
  return { can: columns.length <= 16 && rows.length <= 20 && cells <= 256, must: cells <= 256 && ((columns.length <= 8 && rows.length <= 16) || editable) };
}

/** Map of matrix key -> { mode, shown, cell: [width, height], heads, compact, upright, reducible }. */
export function planFor(step, width, onlyLit, font) {
  const operators = operatorsOf(step, width, font);
  const parts = step.matrices.map((item) => {
    const shown = shownOf(item, onlyLit);
    const compact = shown.columns.length > 8;
    const size = compact ? 12 : 14;
    const heads = clamp(Math.ceil(widest(shown.rows.map((row) => item.rows[row]), 13, font)) + 2, 12, compact ? 88 : 112);
    const part = { item, shown, compact, heads, operators: operators.get(item.key), ...readable(shown, item.editable) };
    if (part.can || part.must) {
      const decimals = sharedDecimals(item.values, item.masked);
      const numbers = shown.rows.flatMap((row) => shown.columns.map((column) => cellText(item, row, column, decimals)));
      const labels = widest(shown.columns.map((column) => item.columns[column]), 12, font) + 8;
      const needed = Math.max(widest(numbers, size, font) + (compact ? 12 : 18), Math.min(labels, 68));
      part.number = clamp(Math.ceil(needed), compact ? 36 : 44, 92);
      part.total = heads + BRACKETS + shown.columns.length * (part.number + 2);
    }
    return part;
  });
  const whole = parts.reduce((sum, part) => sum + (part.can ? part.total : Infinity) + part.operators, 0);
  for (const part of parts) {
    // The result of one row is what the step is about: it keeps its numbers, if need be on a line of its own.
    const isAnswer = part.item.key === step.header.result && part.shown.rows.length === 1 && part.can && part.total + part.operators <= width;
    part.mode = part.must || (part.can && whole <= width) || isAnswer ? "numbers" : "tints";
  }
  const tinted = parts.filter((part) => part.mode === "tints");
  const columns = tinted.reduce((sum, part) => sum + part.shown.columns.length, 0);
  const taken = parts.reduce((sum, part) => sum + part.operators + (part.mode === "numbers" ? part.total : part.heads + BRACKETS), 0);
  const room = width - taken;
  return new Map(parts.map((part) => [part.item.key, finish(part, room > columns * 5 ? room / columns : null, width, font)]));
}

function finish(part, share, width, font) {
  const { item, shown, mode } = part;
  const plan = { mode, shown, heads: part.heads, compact: part.compact, upright: 0 };
  const large = readable({ rows: Array(item.shape[0]), columns: Array(item.shape[1]) }, false);
  plan.reducible = item.lit !== null && !large.must && (item.lit.rows.length > 0 || item.lit.columns.length > 0 || item.lit.cells.length > 0);
  if (mode === "numbers") return Object.assign(plan, { cell: [part.number, part.compact ? 26 : 32] });
  const own = (width - part.heads - BRACKETS - part.operators) / shown.columns.length;
  const tokens = !isIndexed(shown.rows.map((row) => item.rows[row]));
  // Tokens keep room to be read; dimensions d0, d1, ... may stand closer.
  const high = (tokens ? [[20, 18], [32, 15], [64, 12], [128, 6]] : [[20, 18], [32, 12], [64, 7], [128, 5]])
    .find(([rows]) => shown.rows.length <= rows)?.[1] ?? 4;
  // The share of the line, or where that is too little the whole of a line of its own.
  const wide = Math.floor(clamp(share ?? own, 4, Math.min(18, high * 1.5)));
  const names = shown.columns.map((column) => item.columns[column]);
  const longest = widest(names, 11, font);
  // Height of the standing labels, 0 where they lie.
  plan.upright = !isIndexed(names) && longest > wide - 2 ? Math.ceil(Math.min(longest, 74)) + 8 : 0;
  return Object.assign(plan, { cell: [wide, high] });
}
