// Which charts there are and where they stand: loss, accuracy, gradient norm and one for each role, over one axis of steps.

import { bestHead } from "./recording.js";
import { extent, linearScale, logScale } from "./scales.js";
import { fontOf, widest } from "../shared/text.js";

export const SMALL_TEXT = fontOf(11), END_TEXT = fontOf(11, 600), NAME_TEXT = fontOf(12.5, 600);
const HEADING = 23, BELOW = 13, AXIS = 24, LEFT = 42;
const SHARES = { loss: 1.45, accuracy: 1, gradient: 0.8, role: 1 };

// Charts with their lines; what does not depend on the size. `log`: the loss on a logarithmic axis.
export function chartsOf(recording, log) {
  const { rows, pictureStep, accuracy, roles, compare, header } = recording, names = shortNames(recording);
  const others = (x, y) => compare.map((run, c) => ({ name: names[c + 1], run: c + 1, x: run[x], y: y(run) }));
  const own = (x, y) => ({ name: names[0], run: 0, x, y });
  const charts = [
    { id: "loss", title: "loss", note: "nats", log, lines: [own(rows.step, rows.loss), ...others("step", (run) => run.loss)] },
    { id: "accuracy", title: "accuracy", note: header.metric === "accuracy" ? "" : header.metric, unit: true,
      lines: [own(pictureStep, accuracy), ...others("pictureStep", (run) => run.accuracy)] },
    { id: "gradient", title: "gradient norm", note: "", log: true,
      lines: [own(rows.step, rows.gradient_norm), ...others("step", (run) => run.gradient_norm)] },
  ];
  for (const role of roles) if (role.values.length) charts.push(roleChart(role, recording));
  return charts;
}

// One line a head; of a compared run its best head in the end.
function roleChart(role, { pictureStep, compare, films }) {
  const lines = [];
  for (let layer = 0; layer < role.layers; layer++) for (let head = 0; head < role.heads; head++) {
    const y = role.values.map((values) => values[layer * role.heads + head]);
    lines.push({ run: 0, layer, head, x: pictureStep, y });
  }
  compare.forEach((run, c) => {
    const same = run.roles.find(({ name }) => name === role.name);
    if (!same?.values.length) return;
    const { layer, head } = bestHead(same, same.values.length - 1);
    const y = same.values.map((values) => values[layer * same.heads + head]);
    lines.push({ run: c + 1, layer, head, x: run.pictureStep, y });
  });
  const kind = films.length > 1 && role.kind ? `${role.kind} attention` : "";
  return { id: "role", role, title: role.name, note: kind, unit: true, lines };
}

// Everything in CSS pixels. The charts share their width and their steps; `height` is what they would like to fill.
export function layoutCharts(charts, recording, { width, height }) {
  const ends = Math.ceil(Math.min(width * 0.24, 120, Math.max(48, widest(shortNames(recording), END_TEXT) + 14)));
  const left = LEFT, right = width - ends, steps = lastOfAxis(recording);
  const shares = charts.reduce((sum, { id }) => sum + SHARES[id], 0);
  const room = height - AXIS - charts.length * (HEADING + BELOW);
  const unit = Math.min(Math.max(room / shares, 44), 92);
  const atX = (step) => left + (step / steps) * (right - left);
  let top = 0;
  const placed = charts.map((chart) => {
    const plotTop = top + HEADING, plotHeight = Math.round(unit * SHARES[chart.id]), bottom = plotTop + plotHeight;
    const scale = scaleOf(chart, bottom, plotTop, plotHeight);
    const place = { ...chart, top, plotTop, bottom, scale };
    top = bottom + BELOW;
    return place;
  });
  const ticks = linearScale(0, steps, 0, 1, Math.max(2, Math.floor((right - left) / 70))).ticks.filter(Number.isInteger);
  return { charts: placed, left, right, ends, width, height: top + AXIS - BELOW + 4, axisY: top - BELOW, steps, atX, ticks,
    stepAt: (x) => Math.max(0, Math.min(steps, Math.round(((x - left) / (right - left)) * steps))) };
}

// A live run's axis grows by doubling, so that its first steps are no sliver and the picture seldom jumps.
function lastOfAxis({ header, lastStep, live, compare }) {
  const others = compare.map((run) => run.step.at(-1) ?? 0);
  if (!live) return Math.max(1, lastStep, ...others);
  let end = Math.max(1, header.total_steps);
  while (end > 20 && end / 2 >= lastStep * 1.05) end /= 2;
  return Math.max(Math.ceil(end), lastStep, ...others);
}

// The runs' names without the parts that all of them begin with: 'seed 0', 'seed 1'. Empty for a run alone.
function shortNames({ header, compare }) {
  if (!compare.length) return [];
  const names = [header.name, ...compare.map(({ name }) => name)];
  let common = 0;
  while (names.every((name) => name.length > common && name[common] === names[0][common])) common++;
  const from = names[0].slice(0, common).lastIndexOf(", ");
  return from < 0 ? names : names.map((name) => name.slice(from + 2));
}

function scaleOf({ lines, log, unit }, y0, y1, height) {
  const count = Math.max(1, Math.floor(height / 26));
  if (unit) return linearScale(0, 1, y0, y1, height > 60 ? 2 : 1);
  const [low, high] = extent(lines.map(({ y }) => y), log, [0.1, 1]);
  if (log) return logScale(low * 0.9, Math.max(high * 1.1, low * 1.2), y0, y1, Math.min(3, count));
  return linearScale(0, high > 0 ? high * 1.04 : 1, y0, y1, Math.min(4, count));
}
