// The film at a picture, as the attention view's drawing code wants it: the grid of heads, and one head large.

import { roleValue } from "./recording.js";
import { gridLayout } from "../attention_view/layout.js";

const TILE_MOST = 74;

export function frameOf(film, picture, layer, head) {
  const cells = film.queries.length * film.keys.length;
  const start = (layer * film.heads + head) * cells;
  return film.frames[picture].subarray(start, start + cells);
}

// All heads of a picture, for drawGrid. Bytes: a value is a weight times 255.
export function tilesOf(film, picture) {
  return {
    heads: Array(film.layers).fill(film.heads), layers: film.layers, header: { roles: null },
    thumbnail: (layer, head) => ({ values: frameOf(film, picture, layer, head), rows: film.queries.length,
      cols: film.keys.length, scale: 1 / 255 }),
  };
}

// One head, for drawMap. A byte carries two decimals, not three.
export function headScene(film, picture, layer, head, theme) {
  const values = Float32Array.from(frameOf(film, picture, layer, head), (byte) => byte / 255);
  return { payload: film, layer, head, values, masked: film.masked, keep: null, signed: false, exact: true, theme, decimals: 2,
    empty: film.emptyRows ??= emptyQueries(film) };
}

// Queries that may read nothing.
function emptyQueries({ masked, queries, keys }) {
  if (!masked) return null;
  const rows = Uint8Array.from(queries, (_, q) => (masked.subarray(q * keys.length, (q + 1) * keys.length).every(Boolean) ? 1 : 0));
  return rows.some(Boolean) ? rows : null;
}

export function tileGrid(film, width, height) {
  const heads = Array(film.layers).fill(film.heads);
  return gridLayout({ width: Math.min(width, 26 + film.heads * TILE_MOST), height: Math.min(height, 20 + film.layers * TILE_MOST), heads, roles: null });
}

// Which right keys are meant: the person's choice, else those of the role in which this head ends up best.
export function rightName(film, name, recording, { layer, head }) {
  if (name === "all" || film.right.has(name)) return name;
  const score = (role) => roleValue(role, role.values.length - 1, layer, head) || 0;
  const roles = recording.roles.filter((role) => role.kind === film.kind && film.right.has(role.name));
  return roles.length ? roles.reduce((best, role) => (score(role) > score(best) ? role : best)).name : "all";
}

// The right keys to outline: of one name, or of all together; null where there are none.
export function rightCells(film, name) {
  const chosen = name === "all" ? [...film.right.values()] : film.right.has(name) ? [film.right.get(name)] : [];
  if (!chosen.length) return null;
  const cells = new Uint8Array(chosen[0].length);
  for (const flags of chosen) for (let i = 0; i < cells.length; i++) cells[i] |= flags[i];
  return cells;
}

// Outlined in the colour of keys. `map` is the layout of the map that they lie on.
export function drawRight(ctx, cells, map, theme) {
  const { cell, nk, left, top } = map, side = Math.min(cell.w, cell.h);
  // Whole pixels inside the gap between cells, where there is one.
  const thick = side >= 13 ? 2 : 1, inset = thick / 2 + (side >= 9 ? 1 : 0);
  ctx.beginPath();
  for (let i = 0; i < cells.length; i++) if (cells[i]) {
    ctx.rect(left + (i % nk) * cell.w + inset, top + Math.floor(i / nk) * cell.h + inset, cell.w - 2 * inset, cell.h - 2 * inset);
  }
  ctx.lineWidth = thick;
  ctx.strokeStyle = theme.key;
  ctx.stroke();
}
