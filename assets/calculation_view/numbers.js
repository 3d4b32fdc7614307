// Numbers as they are read and written: three significant digits shown, the exact float32 on demand.

const MINUS = "\u2212";
const typeset = (text) => text.replace("e+", "e").replaceAll("-", MINUS);

/** Decimals with which every value of a matrix is exact within three significant digits, or null where there is no such number. */
export function sharedDecimals(values, masked) {
  for (let decimals = 0; decimals <= 2; decimals += 1) {
    const unit = 10 ** decimals;
    let exact = true;
    for (let index = 0; exact && index < values.length; index += 1) {
      if (masked && masked[index]) continue;
      const scaled = Math.abs(values[index]) * unit;
      exact = Number.isFinite(scaled) && scaled < (decimals ? 1000 : 100000)
        && Math.abs(scaled - Math.round(scaled)) <= 2e-6 * Math.max(1, scaled);
    }
    if (exact) return decimals;
  }
  return null;
}

/** 0.11832 -> "0.118". With `decimals` (see sharedDecimals) all numbers of a matrix line up. */
export function short(value, decimals = null) {
  if (Number.isNaN(value)) return "NaN";
  if (!Number.isFinite(value)) return value > 0 ? "\u221e" : `${MINUS}\u221e`;
  if (decimals !== null) {
    const fixed = value.toFixed(decimals);
    return typeset(Number(fixed) === 0 ? (0).toFixed(decimals) : fixed);
  }
  if (value === 0) return "0";
  const size = Math.abs(value);
  if (size < 0.001 || size >= 999.5) return typeset(value.toExponential(2));
  return typeset(value.toPrecision(3));
}

/** The shortest decimal that reads back as this very float32. */
export function full(value) {
  if (!Number.isFinite(value)) return short(value);
  for (let digits = 1; digits <= 9; digits += 1) {
    const text = value.toPrecision(digits);
    if (Math.fround(Number(text)) === value) return String(Number(text)).replaceAll("-", MINUS);
  }
  return String(value);
}

/** Typed text -> { value } or { problem }: one plain sentence that says what was expected. */
export function readNumber(typed, [low, high]) {
  const text = typed.trim().replaceAll(MINUS, "-");
  if (text === "") return { problem: "A number is expected here, like 0.5 or -2." };
  if (/^[+-]?\d*,\d+$/.test(text)) return { problem: `Write the decimal sign as a point: ${text.replace(",", ".").replace(/^([+-]?)\./, "$10.")}.` };
  const isNumber = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(text);
  const shown = text.length > 24 ? `${text.slice(0, 24)}\u2026` : text;
  if (!isNumber) return { problem: `\u201c${shown}\u201d is not a number; one like 0.5 or -2 is expected.` };
  const value = Number(text);
  if (value < low || value > high) {
    return { problem: `${shown} is out of range; a number from ${low.toLocaleString("en")} to ${high.toLocaleString("en")} is expected.` };
  }
  return { value };
}
