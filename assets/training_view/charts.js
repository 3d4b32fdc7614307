// The charts without the cursor: axes, lines, and names at the lines' ends. Drawn again when numbers or sizes change.

import { END_TEXT, SMALL_TEXT } from "./panels.js";
import { bestHead } from "./recording.js";
import { tracePath } from "./scales.js";
import { drawText, shorten, widthOf } from "../shared/text.js";

export const DASHES = [[], [7, 4], [2, 3], [9, 3, 2, 3], [4, 4]];

// Colour = run, chart = quantity: the run itself first, then those that it is compared with.
export function runColour(theme, run) {
  return theme.series[run % theme.series.length];
}

export function drawCharts(ctx, layout, theme, chosen) {
  for (const chart of layout.charts) {
    drawFrame(ctx, chart, layout, theme);
    drawLines(ctx, chart, layout, theme, chosen);
    drawEnds(ctx, chart, layout, theme, chosen);
  }
  drawSteps(ctx, layout, theme);
}

function drawFrame(ctx, { id, scale, plotTop, bottom, unit }, { left, right }, theme) {
  ctx.lineWidth = 1;
  ctx.strokeStyle = theme.line;
  ctx.beginPath();
  for (const tick of scale.ticks) {
    const y = Math.round(scale.at(tick)) + 0.5;
    ctx.moveTo(left, y);
    ctx.lineTo(right, y);
  }
  ctx.moveTo(left - 0.5, plotTop);
  ctx.lineTo(left - 0.5, bottom + 0.5);
  if (!scale.log && !unit) { ctx.moveTo(left, bottom + 0.5); ctx.lineTo(right, bottom + 0.5); }
  ctx.stroke();
  for (const tick of scale.ticks) {
    drawText(ctx, id === "accuracy" ? `${100 * tick} %` : tickText(tick), left - 6, scale.at(tick), { font: SMALL_TEXT, colour: theme.quiet, align: "right" });
  }
}

export function tickText(value) {
  if (value === 0) return "0";
  const size = Math.abs(value);
  if (size >= 1e4 || size < 1e-3) return value.toExponential(0).replace("e+", "e").replace("-", "−");
  return String(Number(value.toPrecision(3)));
}

function drawLines(ctx, chart, { left, right, atX }, theme, chosen) {
  ctx.save();
  ctx.beginPath();
  ctx.rect(left, chart.plotTop - 4, right - left + 4, chart.bottom - chart.plotTop + 8);
  ctx.clip();
  ctx.lineJoin = "round";
  for (const strength of [0, 1, 2]) for (const line of chart.lines) {
    if (strengthOf(line, chart, chosen) === strength) drawLine(ctx, line, chart, atX, theme, strength);
  }
  ctx.restore();
}

// 0 faint: another head; 1: another run, or the role's best head; 2: the run itself, the chosen head.
function strengthOf(line, chart, chosen) {
  if (line.run > 0) return 1;
  if (chart.id !== "role") return 2;
  if (isChosen(line, chart, chosen)) return 2;
  return isBest(line, chart) ? 1 : 0;
}

export function isChosen({ layer, head, run }, { role }, chosen) {
  return run === 0 && role.kind === chosen.kind && layer === chosen.layer && head === chosen.head;
}

export function isBest({ layer, head, run }, { role }) {
  if (run > 0 || !role.values.length) return false;
  const best = bestHead(role, role.values.length - 1);
  return best.layer === layer && best.head === head;
}

function drawLine(ctx, line, chart, atX, theme, strength) {
  ctx.strokeStyle = strength === 0 ? theme.quiet : runColour(theme, line.run);
  ctx.globalAlpha = strength === 0 ? 0.45 : 1;
  ctx.lineWidth = strength === 2 ? 2 : strength === 1 ? 1.5 : 1;
  ctx.setLineDash(DASHES[line.run % DASHES.length]);
  ctx.beginPath();
  tracePath(ctx, line.x, line.y, atX, chart.scale.at);
  ctx.stroke();
  ctx.setLineDash([]);
  // A point alone is no line, and few pictures are to be seen as such.
  const few = line.x.length === 1 || (chart.unit && line.run === 0 && strength === 2 && line.x.length <= 40);
  if (few) for (let i = 0; i < line.x.length; i++) dot(ctx, atX(line.x[i]), chart.scale.at(line.y[i]), 2, runColour(theme, line.run));
  ctx.globalAlpha = 1;
}

export function dot(ctx, x, y, radius, colour) {
  if (!Number.isFinite(y)) return;
  ctx.fillStyle = colour;
  ctx.beginPath();
  ctx.roundRect(x - radius, y - radius, 2 * radius, 2 * radius, radius);
  ctx.fill();
}

// Names where the lines end, pushed apart so that none covers another.
function drawEnds(ctx, chart, { right, ends, atX }, theme, chosen) {
  const labels = [];
  for (const line of chart.lines) {
    const text = endText(line, chart, chosen);
    if (!text) continue;
    let i = line.y.length - 1;
    while (i >= 0 && !Number.isFinite(chart.scale.at(line.y[i]))) i--;
    if (i < 0) continue;
    const strong = line.run === 0 && (chart.id !== "role" || isChosen(line, chart, chosen));
    labels.push({ text, y: chart.scale.at(line.y[i]), x: atX(line.x[i]), colour: runColour(theme, line.run), font: strong ? END_TEXT : SMALL_TEXT });
  }
  labels.sort((one, other) => one.y - other.y);
  const gap = 13, lowest = chart.bottom + 4;
  labels.forEach((label, i) => { label.at = Math.max(label.y, chart.plotTop, i ? labels[i - 1].at + gap : 0); });
  for (let i = labels.length - 1, limit = lowest; i >= 0; limit = labels[i--].at - gap) labels[i].at = Math.min(labels[i].at, limit);
  for (const { text, at, x, colour, font } of labels) {
    // While a run is young its line ends far from the margin: the name goes with it.
    const from = Math.min(x + 7, right + 7), room = right + ends - from - 2, words = shorten(text, font, Math.min(room, ends - 9));
    if (from < right) { ctx.fillStyle = theme.paper; ctx.fillRect(from - 2, at - 7, widthOf(words, font) + 4, 14); }
    drawText(ctx, words, from, at, { font, colour });
  }
}

function endText(line, chart, chosen) {
  if (chart.id === "role") {
    if (line.run > 0 || isBest(line, chart) || isChosen(line, chart, chosen)) return `L${line.layer} H${line.head}`;
    return "";
  }
  return chart.id !== "gradient" && chart.lines.length > 1 ? line.name : "";
}

function drawSteps(ctx, { axisY, atX, ticks }, theme) {
  ctx.strokeStyle = theme.line;
  ctx.lineWidth = 1;
  ctx.beginPath();
  for (const tick of ticks) { ctx.moveTo(atX(tick), axisY + 3); ctx.lineTo(atX(tick), axisY + 7); }
  ctx.stroke();
}
