// Where things go, in CSS pixels: pure arithmetic, no drawing. `dpr` is the number of device pixels in a CSS pixel.

import { fontOf, widest } from "../shared/text.js";

export const NARROW = 640;
export const GAP = 28;
export const LABEL = fontOf(13);
const PITCH_MOST = 92, PITCH_LEAST = 12, ROLE = 15;

// The grid of heads. Wide: all layers down, heads across. `only` (a layer): that layer's heads in rows that fit the width.
export function gridLayout({ width, height, heads, roles, only = null }) {
  if (only !== null) return stripLayout(width, heads[only], only);
  const left = 24, top = 20, across = Math.max(...heads);
  const named = roles && Math.min((width - left) / across, height / heads.length - ROLE) >= 58;
  const room = (height - top) / heads.length - (named ? ROLE : 0);
  const pitch = Math.floor(Math.max(PITCH_LEAST, Math.min(PITCH_MOST, room, (width - left) / across)));
  const size = pitch - (pitch >= 40 ? 8 : pitch >= 24 ? 4 : 2), down = pitch + (named ? ROLE : 0);
  const tiles = heads.flatMap((count, layer) =>
    Array.from({ length: count }, (_, head) => ({ layer, head, x: left + head * pitch, y: top + layer * down })));
  return { tiles, size, pitch, down, left, top, named, strip: false,
    width: left + across * pitch, height: top + heads.length * down };
}

function stripLayout(width, count, layer) {
  const inRow = Math.max(1, Math.min(count, Math.floor((width + 2) / 46)));
  const pitch = Math.floor(Math.min(64, (width + 2) / inRow)), size = pitch - 6, down = size + 24;
  const tiles = Array.from({ length: count }, (_, head) => (
    { layer, head, x: 2 + (head % inRow) * pitch, y: 2 + Math.floor(head / inRow) * down }));
  return { tiles, size, pitch, down, left: 0, top: 0, named: false, strip: true,
    width, height: Math.ceil(count / inRow) * down };
}

export function tileAt(grid, x, y) {
  return grid.tiles.find((tile) => x >= tile.x && x < tile.x + grid.pitch && y >= tile.y && y < tile.y + grid.down) ?? null;
}

const COLUMNS = ["flat", "slant", "upright", "index"];
const SLANT = Math.SQRT1_2;

// The heat map in a frame of width x height. `readable` makes every label legible and lets the frame scroll.
export function mapLayout({ width, height, queries, keys, dpr, readable = false }) {
  const nq = queries.length, nk = keys.length;
  const rowWord = widest(queries, LABEL), columnWord = widest(keys, LABEL);
  const longest = Math.min(130, width * 0.3);
  for (const columns of COLUMNS) {
    const left = Math.ceil(Math.max(56, Math.min(rowWord * 1.1, longest) + 30));
    const word = Math.min(columnWord, longest, 96);
    const top = 24 + { flat: 20, slant: word * SLANT + 14, upright: word + 10, index: 22 }[columns];
    const right = columns === "slant" ? Math.max(6, word * SLANT - 6) : 6;
    const cell = cellSize(width - left - right, height - top - 6, nq, nk, dpr, readable);
    const fits = { flat: columnWord + 10, slant: 17, upright: 12, index: 0 }[columns];
    if (cell.w < fits) continue;
    const rows = cell.h >= 12 ? "flat" : "index";
    return finish({ kind: "map", columns, rows, left, top: Math.ceil(top), right, word, cell, nq, nk, width, height, readable });
  }
}

function cellSize(roomX, roomY, nq, nk, dpr, readable) {
  let w = Math.min(roomX / nk, 132), h = Math.min(roomY / nq, 104);
  if (nq === nk && nq > 24) w = h = Math.min(w, h);
  else { w = Math.min(w, Math.max(h * 1.4, 28)); h = Math.min(h, Math.max(w, 28)); }
  if (readable) { w = Math.max(w, 24); h = Math.max(h, 22); }
  const whole = (size) => (size * dpr >= 1 ? Math.floor(size * dpr) / dpr : size);
  return { w: whole(w), h: whole(h) };
}

function finish(map) {
  const { cell, nq, nk, left, top, right } = map;
  map.mapWidth = cell.w * nk;
  map.mapHeight = cell.h * nq;
  map.contentWidth = Math.max(map.width, map.readable ? left + map.mapWidth + right : 0);
  map.contentHeight = Math.max(map.height, map.readable ? top + map.mapHeight + 6 : 0);
  // A small map stands in the middle of its frame, labels and all.
  map.shift = Math.max(0, Math.floor((map.width - left - map.mapWidth - right) / 2));
  map.left = left + map.shift;
  return map;
}

// The cell under a point of the frame, or the row or column whose label is there: {query, key}, either may be null.
export function cellAt(map, x, y, scroll) {
  const { left, top, cell, nq, nk } = map;
  const inside = (value, count) => (value >= 0 && value < count ? value : null);
  const key = x < left ? null : inside(Math.floor((x - left + scroll.x) / cell.w), nk);
  const query = y < top ? null : inside(Math.floor((y - top + scroll.y) / cell.h), nq);
  if ((x >= left && key === null) || (y >= top && query === null)) return null;
  return query === null && key === null ? null : { query, key };
}

export const ARC_ROW = 26, ARC_TOP = 34;

// Two columns of tokens, one under another, links between: queries always left, keys right, whichever way the script runs.
export function arcsLayout({ width, height, queries, keys }) {
  const most = Math.min(190, width * 0.3);
  const leftWord = Math.max(44, Math.min(widest(queries, LABEL), most)), rightWord = Math.max(44, Math.min(widest(keys, LABEL), most));
  const values = 52;
  const between = Math.max(80, Math.min(340, width - leftWord - rightWord - values - 44));
  const start = Math.max(8, (width - leftWord - between - rightWord - values - 20) / 2);
  const count = Math.max(queries.length, keys.length);
  const row = Math.min(40, Math.max(ARC_ROW, Math.floor((height - ARC_TOP - 10) / count)));
  const contentHeight = Math.max(height, ARC_TOP + count * row + 10);
  const queryX = start + leftWord + 8, keyX = queryX + between;
  return { kind: "arcs", row, top: ARC_TOP, queryX, keyX, leftWord, rightWord, width, height,
    contentWidth: width, contentHeight, nq: queries.length, nk: keys.length };
}

export function atQuery(arcs, query, scroll) {
  return arcs.top + (query + 0.5) * arcs.row - scroll.y;
}

export function atKey(arcs, key, scroll) {
  return arcs.top + (key + 0.5) * arcs.row - scroll.y;
}

export function arcAt(arcs, x, y, scroll) {
  if (y < arcs.top) return null;
  const index = Math.floor((y - arcs.top + scroll.y) / arcs.row), middle = (arcs.queryX + arcs.keyX) / 2;
  if (x < middle) return index < arcs.nq ? { query: index, key: null } : null;
  return index < arcs.nk ? { query: null, key: index } : null;
}

// Round steps for index ticks: at least `room` pixels between two of them.
export function tickStep(size, room) {
  for (let scale = 1; ; scale *= 10) for (const step of [1, 2, 5]) if (step * scale * size >= room) return step * scale;
}
