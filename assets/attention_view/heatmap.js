// The heat map of one head: query down the side, key along the top. The base is drawn once a picture, the overlay at every move.

import { hatchPattern, levelOf, luminance } from "../shared/colour.js";
import { LABEL, tickStep } from "./layout.js";
import { binStarts, spread } from "../shared/bytes.js";
import { drawText, fontOf, inCell, shorten, widthOf } from "../shared/text.js";

const SMALL = fontOf(11), TITLE = fontOf(12.5, 600);

export function drawMap(ctx, scene, map, scroll, dpr) {
  const { theme } = scene, { left, top } = map;
  clipped(ctx, left, top, map, () => {
    ctx.translate(left - scroll.x, top - scroll.y);
    drawCells(ctx, scene, map, dpr);
    if (scene.masked) paintMasked(ctx, scene, map, scroll, dpr);
    if (Math.min(map.cell.w, map.cell.h) >= 9) paintGaps(ctx, map, theme);
    if (map.cell.w >= 34 && map.cell.h >= 19) paintValues(ctx, scene, map, scroll);
    paintEmptyRows(ctx, scene, map);
  });
  outline(ctx, map, scroll, theme);
  drawText(ctx, "key →", left, 10, { font: TITLE, colour: theme.key });
  drawText(ctx, "query ↓", left - 10, top - 10, { font: TITLE, colour: theme.query, align: "right" });
  drawRowLabels(ctx, scene, map, scroll);
  drawColumnLabels(ctx, scene, map, scroll);
}

// Weight 0 has the colour of the paper: without its edge a sparse map would have no shape.
function outline(ctx, map, scroll, theme) {
  ctx.save();
  ctx.beginPath();
  ctx.rect(map.left - 1, map.top - 1, map.width - map.left + 1, map.height - map.top + 1);
  ctx.clip();
  ctx.strokeStyle = theme.line;
  ctx.lineWidth = 1;
  ctx.strokeRect(map.left - scroll.x - 0.5, map.top - scroll.y - 0.5, map.mapWidth + 1, map.mapHeight + 1);
  ctx.restore();
}

function clipped(ctx, left, top, map, draw) {
  ctx.save();
  ctx.beginPath();
  ctx.rect(left, top, map.width - left, map.height - top);
  ctx.clip();
  draw();
  ctx.restore();
}

export function drawCells(ctx, scene, map, dpr) {
  const { mapWidth, mapHeight, nq, nk } = map;
  // In a vector file a page of a million rectangles helps nobody: 256 a side, pooled like everything that is too small to see.
  const most = ctx.vector ? () => 256 : (size) => Math.max(1, Math.floor(size * dpr));
  const levels = pooledLevels(scene, Math.min(nq, most(mapHeight)), Math.min(nk, most(mapWidth)));
  const ramp = scene.signed ? scene.theme.diverging : scene.theme.ramp;
  if (ctx.vector) { paintRectangles(ctx, levels, ramp, map); return; }
  const tile = document.createElement("canvas");
  tile.width = levels.cols;
  tile.height = levels.rows;
  const pen = tile.getContext("2d"), image = pen.createImageData(levels.cols, levels.rows);
  const pixels = new Uint32Array(image.data.buffer);
  for (let i = 0; i < pixels.length; i++) if (levels.values[i] >= 0) pixels[i] = ramp.packed[levels.values[i]];
  pen.putImageData(image, 0, 0);
  ctx.imageSmoothingEnabled = false;
  ctx.drawImage(tile, 0, 0, mapWidth, mapHeight);
}

// Runs of one colour in a row become one rectangle.
function paintRectangles(ctx, { values, rows, cols }, ramp, { mapWidth, mapHeight }) {
  const w = mapWidth / cols, h = mapHeight / rows;
  for (let r = 0; r < rows; r++) for (let c = 0, end = 0; c < cols; c = end) {
    for (end = c + 1; end < cols && values[r * cols + end] === values[r * cols + c];) end++;
    if (values[r * cols + c] < 0) continue;
    ctx.fillStyle = ramp.css[values[r * cols + c]];
    ctx.fillRect(c * w, r * h, (end - c) * w, h);
  }
}

// Colour levels [rows * cols], -1 where nothing is to be drawn (masked, or under the chosen share); pooled by greatest magnitude.
function pooledLevels({ values, masked, keep, signed, payload }, rows, cols) {
  const nq = payload.queries.length, nk = payload.keys.length;
  const down = spread(binStarts(nq, rows)), across = spread(binStarts(nk, cols));
  const best = new Float32Array(rows * cols), levels = new Int16Array(rows * cols).fill(-1);
  for (let q = 0, i = 0; q < nq; q++) for (let k = 0; k < nk; k++, i++) {
    if ((masked && masked[i]) || (keep && !keep[i])) continue;
    const bin = down[q] * cols + across[k], value = values[i];
    if (levels[bin] >= 0 && Math.abs(value) <= Math.abs(best[bin])) continue;
    best[bin] = value;
    levels[bin] = levelOf(value, signed);
  }
  return { values: levels, rows, cols };
}

function paintMasked(ctx, { masked, theme }, map, scroll, dpr) {
  const { cell, nq, nk } = map;
  ctx.beginPath();
  for (let q = 0; q < nq; q++) for (let k = 0, end = 0; k < nk; k = end) {
    for (end = k + 1; end < nk && masked[q * nk + end] === masked[q * nk + k];) end++;
    if (masked[q * nk + k]) ctx.rect(k * cell.w, q * cell.h, (end - k) * cell.w, cell.h);
  }
  ctx.fillStyle = hatchPattern(ctx, theme, dpr);
  ctx.fill();
}

function paintGaps(ctx, { cell, nq, nk, mapWidth, mapHeight }, theme) {
  ctx.fillStyle = theme.paper;
  for (let k = 1; k < nk; k++) ctx.fillRect(k * cell.w - 0.5, 0, 1, mapHeight);
  for (let q = 1; q < nq; q++) ctx.fillRect(0, q * cell.h - 0.5, mapWidth, 1);
}

function paintValues(ctx, { values, masked, keep, signed, theme, decimals: decimalsMost }, map, scroll) {
  // A picture of coarser numbers says with how many decimals they may be written.
  const { cell, nq, nk } = map, decimals = Math.min(decimalsMost ?? 3, cell.w >= 46 ? 3 : 2), font = fontOf(cell.w >= 80 ? 14 : cell.w >= 50 ? 13 : 12);
  const ramp = signed ? theme.diverging : theme.ramp;
  const light = theme.dark ? theme.ink : "#ffffff", dark = theme.dark ? "#0b0d12" : theme.ink;
  for (const q of range(scroll.y, map.height, cell.h, nq)) for (const k of range(scroll.x, map.width, cell.w, nk)) {
    const i = q * nk + k;
    if ((masked && masked[i]) || (keep && !keep[i])) continue;
    // What rounds to nothing is written quietly, so that the eye finds what is read.
    const loud = Math.abs(values[i]) >= 0.5 * 10 ** -decimals;
    const colour = !loud ? theme.quiet : luminance(ramp.css[levelOf(values[i], signed)]) > 0.24 ? dark : light;
    const x = (k + 0.5) * cell.w, y = (q + 0.5) * cell.h + 0.5;
    drawText(ctx, inCell(values[i], decimals), x, y, { font, colour, align: "center", direction: "ltr" });
  }
}

function range(from, length, size, count) {
  const first = Math.max(0, Math.floor(from / size)), last = Math.min(count, Math.ceil((from + length) / size));
  return Array.from({ length: Math.max(0, last - first) }, (_, i) => first + i);
}

function paintEmptyRows(ctx, { empty, theme }, { cell, nq, mapWidth }) {
  if (!empty || cell.h < 11) return;
  const text = "no key available", font = SMALL;
  for (let q = 0; q < nq; q++) if (empty[q]) {
    const words = shorten(text, font, mapWidth - 8), width = widthOf(words, font) + 12;
    ctx.fillStyle = theme.paper;
    ctx.fillRect(Math.max(0, (mapWidth - width) / 2), (q + 0.5) * cell.h - 8, Math.min(width, mapWidth), 16);
    drawText(ctx, words, mapWidth / 2, (q + 0.5) * cell.h + 0.5, { font, colour: theme.quiet, align: "center", direction: "ltr" });
  }
}

function drawRowLabels(ctx, { payload, theme }, map, scroll) {
  const { left, top, cell, nq } = map;
  ctx.save();
  ctx.beginPath();
  ctx.rect(0, top - 7, left, map.height - top + 7);
  ctx.clip();
  const step = map.rows === "flat" ? 1 : tickStep(cell.h, 18);
  for (const q of range(scroll.y, map.height, cell.h, nq)) if (q % step === 0) {
    const y = top + (q + 0.5) * cell.h - scroll.y;
    const word = map.rows === "flat", room = left - map.shift - 20;
    if (word) drawText(ctx, payload.queries[q], left - 10, y, { font: LABEL, colour: theme.ink, align: "right", room });
    else drawText(ctx, String(q), left - 10, y, { font: SMALL, colour: theme.quiet, align: "right" });
  }
  ctx.restore();
}

function drawColumnLabels(ctx, { payload, theme }, map, scroll) {
  const { left, cell, nk } = map, step = map.columns === "index" ? tickStep(cell.w, 34) : 1;
  ctx.save();
  ctx.beginPath();
  ctx.rect(left - 2, 0, map.width - left + 2, map.top);
  ctx.clip();
  for (const k of range(scroll.x, map.width, cell.w, nk)) if (k % step === 0) {
    atColumn(ctx, map, scroll, k, (align) => {
      if (map.columns === "index") drawText(ctx, String(k), 0, 0, { font: SMALL, colour: theme.quiet, align });
      else drawText(ctx, payload.keys[k], 0, 0, { font: LABEL, colour: theme.ink, align, room: columnRoom(map) });
    });
  }
  ctx.restore();
}

function columnRoom(map) {
  return map.columns === "flat" ? map.cell.w - 4 : map.word;
}

// Turns the pen so that a column's label is written from the origin.
export function atColumn(ctx, map, scroll, k, write) {
  const x = map.left + (k + 0.5) * map.cell.w - scroll.x;
  ctx.save();
  ctx.translate(x, map.top - { flat: 12, index: 12, slant: 9, upright: 7 }[map.columns]);
  if (map.columns === "slant") ctx.rotate(-Math.PI / 4);
  if (map.columns === "upright") ctx.rotate(-Math.PI / 2);
  write(map.columns === "flat" || map.columns === "index" ? "center" : "left");
  ctx.restore();
}
