// The line under the equation: the cell at hand and, where a rule says how it is made, its arithmetic term by term.

import { label, make, matrixName, symbol } from "./labels.js";
import { full, sharedDecimals, short } from "./numbers.js";

const TERMS = 6;
const valueOf = (item, row, column) => item.values[row * item.shape[1] + column];
const isMasked = (item, row, column) => Boolean(item.masked && item.masked[row * item.shape[1] + column]);
const near = (one, other) => Math.abs(one - other) <= 1e-3 * Math.max(1, Math.abs(other));

function number(item, row, column, isFirst = false) {
  const value = valueOf(item, row, column);
  const text = short(value, sharedDecimals(item.values, item.masked));
  return make("span", "factor", { style: `color: var(--${item.role})`, title: full(value) }, value < 0 && !isFirst ? `(${text})` : text);
}

/** dots[cat, The] as text with the matrix in its colour. */
function place(item, row, column) {
  const name = make("span", "place", { style: `color: var(--${item.role})` }, matrixName(item));
  return make("span", "", {}, name, "[", label(item.rows[row]), ", ", label(item.columns[column]), "]");
}

function joined(parts, sign) {
  const shown = parts.length > TERMS + 1 ? parts.slice(0, TERMS) : parts;
  const out = shown.flatMap((part, index) => (index ? [` ${sign} `, part] : [part]));
  if (shown.length < parts.length) out.push(` ${sign} \u2026 ${parts.length - shown.length} more terms`);
  return out;
}

/** The right side of "cell = ...", as nodes; null where the numbers at hand do not give the result. */
function product(rule, operands, row, column, result) {
  const [left, right, ...added] = operands;
  const across = rule.kind === "matmul";
  const length = left.shape[1];
  const r = Math.min(row, left.shape[0] - 1);
  const terms = [];
  let sum = 0;
  for (let index = 0; index < length; index += 1) {
    const one = valueOf(left, r, index);
    const other = across ? valueOf(right, index, column) : valueOf(right, column, index);
    sum += one * other;
    terms.push(make("span", "pair", {}, number(left, r, index, index === 0), " \u00d7 ", across ? number(right, index, column) : number(right, column, index)));
  }
  for (const item of added) {
    const at = [Math.min(row, item.shape[0] - 1), Math.min(column, item.shape[1] - 1)];
    sum += valueOf(item, ...at);
    terms.push(number(item, ...at));
  }
  return near(sum, result) ? joined(terms, "+") : null;
}

function softmax(operand, row, column, result) {
  const r = Math.min(row, operand.shape[0] - 1);
  const open = Array.from({ length: operand.shape[1] }, (_, index) => index).filter((index) => !isMasked(operand, r, index));
  const most = Math.max(...open.map((index) => valueOf(operand, r, index)));
  const sum = open.reduce((total, index) => total + Math.exp(valueOf(operand, r, index) - most), 0);
  if (!near(Math.exp(valueOf(operand, r, column) - most) / sum, result)) return null;
  const power = (index) => make("span", "pair", {}, make("i", "", {}, "e"), make("sup", "", {}, short(valueOf(operand, r, index))));
  return [power(column), " \u00f7 (", ...joined(open.map(power), "+"), ")"];
}

function elementwise(step, rule, row, column) {
  const out = [];
  for (const item of step.items) {
    if (item.kind === "operator" && item.symbol === "=") break;
    if (item.kind === "operator") out.push(" ", symbol(item.symbol), " ");
    else {
      const at = [Math.min(row, item.shape[0] - 1), Math.min(column, item.shape[1] - 1)];
      out.push(isMasked(item, ...at) ? item.masked_text : number(item, ...at, out.length === 0));
    }
  }
  return out;
}

function making(step, item, row, column) {
  const { rule } = step.header;
  if (rule === null || rule.result !== item.key || isMasked(item, row, column)) return null;
  const operands = rule.operands.map((key) => step.matrices.find((matrix) => matrix.key === key));
  const result = valueOf(item, row, column);
  if (rule.kind === "matmul" || rule.kind === "transposed-matmul") return product(rule, operands, row, column, result);
  if (rule.kind === "elementwise") return elementwise(step, rule, row, column);
  const isSoftmax = step.items.some((part) => part.kind === "operator" && part.symbol.includes("softmax"));
  return isSoftmax ? softmax(operands[0], row, column, result) : null;
}

/** The whole line for a cell. */
export function readout(step, item, [row, column]) {
  const line = make("span");
  line.append(place(item, row, column), " = ");
  if (isMasked(item, row, column)) {
    line.append(item.masked_text === "masked" ? "masked" : `${item.masked_text}, masked`, item.closed.includes(row) ? ": no key available in this row" : "");
    return line;
  }
  const parts = making(step, item, row, column);
  if (parts !== null) line.append(...parts, " = ");
  line.append(make("b", "", { title: full(valueOf(item, row, column)) }, short(valueOf(item, row, column), sharedDecimals(item.values, item.masked))));
  return line;
}
