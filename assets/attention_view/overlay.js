// What moves over a picture: the crosshair on the map or the bundle of links, the lit token labels, the chosen cell.

import { atKey, atQuery } from "./layout.js";
import { atColumn } from "./heatmap.js";
import { drawLinks, drawTokens } from "./arcs.js";
import { drawText, fontOf, inCell, shorten, widthOf } from "../shared/text.js";

const STRONG = fontOf(13, 600);

// `active` is under the pointer or the keyboard, `chosen` was clicked: {query, key}, each may be null.
export function drawMapOverlay(ctx, scene, map, scroll, active, chosen) {
  const { theme } = scene, lit = active ?? chosen;
  ctx.save();
  ctx.beginPath();
  ctx.rect(map.left - 2, map.top - 2, map.width - map.left + 2, map.height - map.top + 2);
  ctx.clip();
  ctx.translate(map.left - scroll.x, map.top - scroll.y);
  if (lit?.query != null) band(ctx, 0, lit.query * map.cell.h, map.mapWidth, map.cell.h, theme.query, theme.paper);
  if (lit?.key != null) band(ctx, lit.key * map.cell.w, 0, map.cell.w, map.mapHeight, theme.key, theme.paper);
  if (chosen?.query != null && chosen.key != null) ring(ctx, map, chosen, theme, 2.5);
  if (active?.query != null && active.key != null) ring(ctx, map, active, theme, 1.5);
  ctx.restore();
  if (lit?.query != null) rowPill(ctx, scene, map, scroll, lit.query);
  if (lit?.key != null) columnPill(ctx, scene, map, scroll, lit.key);
}

function band(ctx, x, y, w, h, colour, paper) {
  const grow = Math.max(0, 3 - Math.min(w, h)) / 2;
  ctx.lineWidth = 3.5;
  ctx.strokeStyle = paper;
  ctx.strokeRect(x - grow, y - grow, w + 2 * grow, h + 2 * grow);
  ctx.lineWidth = 1.5;
  ctx.strokeStyle = colour;
  ctx.strokeRect(x - grow, y - grow, w + 2 * grow, h + 2 * grow);
}

function ring(ctx, { cell }, { query, key }, theme, thick) {
  const grow = Math.max(0, (7 - Math.min(cell.w, cell.h)) / 2);
  const box = [key * cell.w - grow, query * cell.h - grow, cell.w + 2 * grow, cell.h + 2 * grow];
  ctx.lineWidth = thick + 2.5;
  ctx.strokeStyle = theme.paper;
  ctx.strokeRect(...box);
  ctx.lineWidth = thick;
  ctx.strokeStyle = theme.ink;
  ctx.strokeRect(...box);
}

function rowPill(ctx, { payload, theme }, map, scroll, q) {
  const y = map.top + (q + 0.5) * map.cell.h - scroll.y;
  if (y < map.top - 4 || y > map.height + 4) return;
  const words = shorten(payload.queries[q], STRONG, map.left - map.shift - 22);
  pill(ctx, words, map.left - 10, y, "right", theme.query, theme);
}

function columnPill(ctx, { payload, theme }, map, scroll, k) {
  const x = map.left + (k + 0.5) * map.cell.w - scroll.x;
  if (x < map.left - 4 || x > map.width + 4) return;
  const flat = map.columns === "index" || map.columns === "flat";
  const words = shorten(payload.keys[k], STRONG, flat ? 150 : map.word + 6);
  if (!flat) { atColumn(ctx, map, scroll, k, (align) => pill(ctx, words, 0, 0, align, theme.key, theme)); return; }
  const half = widthOf(words, STRONG) / 2 + 8;
  pill(ctx, words, Math.max(half, Math.min(map.width - half, x)), map.top - 12, "center", theme.key, theme);
}

function pill(ctx, words, x, y, align, colour, theme) {
  const width = widthOf(words, STRONG) + 12, height = 19;
  const left = align === "right" ? x + 6 - width : align === "center" ? x - width / 2 : x - 6;
  ctx.fillStyle = theme.paper;
  ctx.fillRect(left - 2, y - height / 2 - 1, width + 4, height + 2);
  ctx.fillStyle = colour;
  ctx.beginPath();
  ctx.roundRect(left, y - height / 2, width, height, 5);
  ctx.fill();
  drawText(ctx, words, x, y + 0.5, { font: STRONG, colour: theme.onToken, align });
}

// Over the links: both columns of tokens, and the links of one query (or into one key) at full strength, with each weight
// beside the token at its far end.
export function drawArcsOverlay(ctx, scene, arcs, scroll, active, chosen) {
  const lit = active ?? chosen, { payload, theme } = scene, nk = arcs.nk;
  drawTokens(ctx, scene, arcs, scroll);
  if (!lit) return;
  const byKey = lit.query == null;
  ctx.save();
  ctx.beginPath();
  ctx.rect(0, arcs.top - 6, arcs.width, arcs.height - arcs.top + 6);
  ctx.clip();
  drawLinks(ctx, scene, arcs, scroll, byKey ? { key: lit.key } : { query: lit.query });
  const font = fontOf(12, 600), colour = scene.signed ? theme.ink : theme.link;
  for (let i = 0; i < (byKey ? arcs.nq : nk); i++) {
    const at = byKey ? i * nk + lit.key : lit.query * nk + i;
    if ((scene.masked && scene.masked[at]) || (scene.keep && !scene.keep[at]) || !scene.values[at]) continue;
    const strong = Math.abs(scene.values[at]) >= 0.0005, text = strong ? inCell(scene.values[at], 3) : "< 0.001";
    const y = byKey ? atQuery(arcs, i, scroll) : atKey(arcs, i, scroll);
    const shown = { font, colour: strong ? colour : theme.quiet, align: "right", direction: "ltr" };
    if (!byKey) drawText(ctx, text, arcs.keyX + arcs.rightWord + 60, y, shown);
    else { plate(ctx, text, arcs.queryX + 48, y, font, theme); drawText(ctx, text, arcs.queryX + 48, y, shown); }
  }
  if (lit.query != null) {
    const words = shorten(payload.queries[lit.query], STRONG, arcs.leftWord + 4);
    pill(ctx, words, arcs.queryX - 8, atQuery(arcs, lit.query, scroll), "right", theme.query, theme);
  }
  if (lit.key != null) {
    const words = shorten(payload.keys[lit.key], STRONG, arcs.rightWord + 4);
    pill(ctx, words, arcs.keyX + 8, atKey(arcs, lit.key, scroll), "left", theme.key, theme);
  }
  ctx.restore();
}

function plate(ctx, text, right, y, font, theme) {
  const width = widthOf(text, font) + 6;
  ctx.fillStyle = theme.paper;
  ctx.fillRect(right - width + 3, y - 8, width, 16);
}
