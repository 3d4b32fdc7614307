// What moves over the charts: the one cursor, the step pointed at, and each chart's name with its number there.

import { dot, isBest, isChosen, runColour } from "./charts.js";
import { NAME_TEXT, SMALL_TEXT } from "./panels.js";
import { nearest } from "./recording.js";
import { drawText, fontOf, shorten, widthOf } from "../shared/text.js";
import { count, percent, shortNumber } from "./words.js";

const PLAIN = fontOf(12.5), VALUE = fontOf(12.5, 600), OTHER = fontOf(12.5, 401), LEAD = 38;

// `step`: of the cursor, null where there is none; `pointed`: the step under the pointer, or null.
export function drawChartsOver(ctx, layout, recording, theme, chosen, step, pointed) {
  const shown = pointed ?? step;
  if (pointed !== null && pointed !== step) cursorLine(ctx, layout, layout.atX(pointed), theme.quiet, 1);
  if (step !== null) cursorLine(ctx, layout, layout.atX(step), theme.accent, 1.5);
  for (const chart of layout.charts) {
    if (shown !== null) markLines(ctx, chart, layout, theme, chosen, shown);
    drawHeading(ctx, chart, layout, theme, headingParts(chart, recording, theme, chosen, shown));
  }
  drawStepNames(ctx, layout, theme, shown, pointed === null ? theme.accent : theme.quiet);
}

function cursorLine(ctx, { charts, axisY }, x, colour, width) {
  ctx.strokeStyle = colour;
  ctx.lineWidth = width;
  ctx.beginPath();
  for (const { plotTop, bottom } of charts) { ctx.moveTo(x, plotTop - 3); ctx.lineTo(x, bottom + 3); }
  ctx.moveTo(x, axisY);
  ctx.lineTo(x, axisY + 6);
  ctx.stroke();
}

// The steps under the axis, but for those that the flag would cover; then the flag itself.
function drawStepNames(ctx, layout, theme, step, colour) {
  const { axisY, left, right, ends, atX, ticks } = layout, y = axisY + 15;
  const width = step === null ? 0 : widthOf(count(step), VALUE) + 12;
  const x = step === null ? -Infinity : Math.max(left - 6, Math.min(right + ends - width, atX(step) - width / 2));
  drawText(ctx, "step", left - LEAD, y, { font: SMALL_TEXT, colour: theme.quiet });
  for (const tick of ticks) {
    const text = count(tick), half = widthOf(text, SMALL_TEXT) / 2 + 4, at = atX(tick);
    if (at + half < x || at - half > x + width) drawText(ctx, text, at, y, { font: SMALL_TEXT, colour: theme.quiet, align: "center" });
  }
  if (step === null) return;
  ctx.fillStyle = colour;
  ctx.beginPath();
  ctx.roundRect(x, axisY + 6, width, 18, 5);
  ctx.fill();
  drawText(ctx, count(step), x + width / 2, axisY + 15.5, { font: VALUE, colour: theme.onToken, align: "center" });
}

// The value of a line at a step: of the row or picture at or before it, and of none beyond its end.
export function valueAt({ x, y }, step) {
  if (!x.length || step < x[0] || step > x.at(-1) + Math.max(1, (x.at(-1) - x[0]) / x.length)) return NaN;
  return y[nearest(x, step)];
}

// The lines that speak: every run's own, and of a role's heads the chosen one and the best.
function speaking(chart, chosen) {
  if (chart.id !== "role") return chart.lines;
  const own = chart.lines.filter((line) => isChosen(line, chart, chosen));
  const best = chart.lines.filter((line) => isBest(line, chart) && !own.includes(line));
  return [...own, ...best, ...chart.lines.filter(({ run }) => run > 0)];
}

function markLines(ctx, chart, { atX }, theme, chosen, step) {
  for (const line of speaking(chart, chosen)) {
    const value = valueAt(line, step);
    if (!Number.isFinite(value)) continue;
    const x = atX(step), y = chart.scale.at(value);
    dot(ctx, x, y, 4.5, theme.paper);
    dot(ctx, x, y, 3, runColour(theme, line.run));
  }
}

// [text, colour, font] pieces: the chart's name, then the value of each line that speaks.
function headingParts(chart, recording, theme, chosen, step) {
  const write = chart.id === "accuracy" ? percent : chart.unit ? (value) => value.toFixed(2) : shortNumber;
  const parts = [[chart.title, theme.ink, NAME_TEXT]];
  if (chart.note) parts.push([chart.note, theme.quiet, PLAIN]);
  if (step === null) return parts;
  for (const line of speaking(chart, chosen)) {
    const value = valueAt(line, step);
    if (Number.isNaN(value)) continue;
    const head = chart.id === "role" ? `L${line.layer} H${line.head} ` : "", own = chart.id !== "role" || isChosen(line, chart, chosen);
    parts.push([`${head}${write(value)}`, runColour(theme, line.run), own ? VALUE : OTHER]);
  }
  return parts;
}

// How far a chart's name and note reach, for what stands beside them.
export function headingWidth({ left }, { title, note }) {
  return left - LEAD + widthOf(title, NAME_TEXT) + (note ? 8 + widthOf(note, PLAIN) : 0);
}

// The values stand at the right end of the chart, the name at its left. Where there is no room the values of other heads
// and runs give way first, then the note, then the end of the name.
function drawHeading(ctx, { top }, { left, right, ends }, theme, [name, ...rest]) {
  const y = top + 9, from = left - LEAD, end = right + ends - 4, gap = 12;
  const note = rest.find(([, , font]) => font === PLAIN), values = rest.filter((piece) => piece !== note);
  const taken = () => values.reduce((sum, [text, , font]) => sum + widthOf(text, font) + gap, 0);
  const least = Math.min(widthOf(name[0], name[2]), (end - from) * 0.4);
  while (values.length > 1 && taken() > end - from - least) {
    values.splice(values.length - 1 - Math.max(0, [...values].reverse().findIndex(([, , font]) => font === OTHER)), 1);
  }
  let x = end;
  for (const [text, colour, font] of [...values].reverse()) {
    drawText(ctx, text, x, y, { font, colour, align: "right", direction: "ltr" });
    x -= widthOf(text, font) + gap;
  }
  const words = shorten(name[0], name[2], x - from), after = from + widthOf(words, name[2]) + 8;
  drawText(ctx, words, from, y, { font: name[2], colour: name[1] });
  if (note && x - after > 40) drawText(ctx, note[0], after, y, { font: note[2], colour: note[1], room: x - after });
}
