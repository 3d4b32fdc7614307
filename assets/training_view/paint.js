// One animation frame: lay out, write the words, redraw those canvases whose input has changed.

import { drawCharts } from "./charts.js";
import { drawChartsOver, headingWidth } from "./charts_over.js";
import { drawRight, headScene, rightCells, rightName, tileGrid, tilesOf } from "./film.js";
import { chartsOf, layoutCharts } from "./panels.js";
import { fillStatus, fillTime, fillWords } from "./fill.js";
import { fillTable } from "./table.js";
import { drawGrid } from "../attention_view/grid.js";
import { drawMap } from "../attention_view/heatmap.js";
import { GAP, mapLayout } from "../attention_view/layout.js";
import { drawMapOverlay } from "../attention_view/overlay.js";
import { changed, clean } from "../shared/canvas.js";
import { readTheme } from "../shared/colour.js";

const WIDE = 820, BESIDE = 340, LEAST_PITCH = 32, LEAST_MAP = 300, NOWHERE = { x: 0, y: 0 };

export function paint(view) {
  const { recording, root, parts, cache, time, selection } = view;
  const theme = readTheme(root, recording.header), dpr = window.devicePixelRatio || 1;
  view.theme = theme;
  applyTheme(view, theme);
  const film = recording.film(selection.kind), room = arrange(view, film);
  paintCurves(view, theme, dpr, room);
  if (film?.frames[time.at]) paintFilm(view, film, theme, dpr, room);
  if (changed(cache, "status", recording.version, theme)) fillStatus(view, theme);
  if (changed(cache, "time", recording.version, time.at, time.playing, time.speed, time.follow)) fillTime(view);
  if (changed(cache, "words", recording.version, time.at, selection.kind, selection.layer, selection.head, view.hover, view.right, view.log)) {
    fillWords(view, film);
  }
  if (!parts.table.hidden && changed(cache, "table", recording.version)) fillTable(view);
}

function applyTheme({ root, cache }, theme) {
  if (!changed(cache, "themed", theme)) return;
  for (const name of ["paper", "ink", "quiet", "line", "accent", "query", "key", "hatch"]) root.style.setProperty(`--av-${name}`, theme[name]);
  root.style.setProperty("--av-ramp", theme.ramp.gradient);
  root.style.setProperty("--tv-run", theme.series[0]);
  root.style.colorScheme = theme.dark ? "dark" : "light";
}

// Curves and picture beside each other, or the picture under the curves. Sizes in CSS pixels.
function arrange(view, film) {
  const { recording, width, root, parts, cache } = view, { height } = recording.header;
  const shape = film && [film.kind, film.layers, film.heads, film.queries.length, film.keys.length].join();
  const dpr = window.devicePixelRatio || 1;
  if (!changed(cache, "arranged", width, height, shape, film, dpr)) return cache.room;
  const wide = film && width >= WIDE;
  root.classList.toggle("wide", Boolean(wide));
  root.classList.toggle("narrow", width < 560);
  parts.picture.classList.toggle("without-film", !film);
  const right = wide ? Math.round((width - GAP) * (width > 1100 ? 0.58 : 0.56)) : width;
  const curves = wide ? width - GAP - right : width;
  parts.curves.style.width = `${curves}px`;
  const room = { curves, right, wide, chartHeight: wide ? height + 130 : 0 };
  if (film) Object.assign(room, arrangeFilm(film, right, height));
  return (cache.room = room);
}

// The heads beside the map where that leaves it enough, else above it; together no higher than `height`.
function arrangeFilm(film, width, height) {
  const { queries, keys } = film, dpr = window.devicePixelRatio || 1;
  const tall = tileGrid(film, Math.min(width * 0.42, width - 20 - BESIDE), height - 20), left = width - tall.width - 20;
  const wideMap = keys.length > 1.5 * queries.length && left < keys.length * 14 + 90;
  const beside = left >= BESIDE && tall.pitch >= LEAST_PITCH && !wideMap;
  const grid = beside ? tall : tileGrid(film, width, Math.min(height * 0.4, film.layers * 62 + 20));
  const mapWidth = beside ? left : width, most = beside ? height : Math.max(LEAST_MAP, height - grid.height - 12);
  const map = mapLayout({ width: mapWidth, height: Math.min(most, Math.max(LEAST_MAP, mapWidth)), queries, keys, dpr });
  return { beside, grid, map, mapWidth, mapHeight: Math.ceil(map.top + map.mapHeight + 6) };
}

function paintCurves(view, theme, dpr, room) {
  const { recording, parts, cache, log, time, selection } = view;
  if (changed(cache, "charts", recording.version, log)) cache.charts = chartsOf(recording, log);
  if (changed(cache, "chartLayout", cache.charts, room)) {
    cache.layout = layoutCharts(cache.charts, recording, { width: room.curves, height: room.chartHeight });
    parts.plots.style.height = `${cache.layout.height}px`;
    parts.log.style.left = `${headingWidth(cache.layout, cache.layout.charts[0]) + 10}px`;
  }
  const { layout } = cache;
  view.charts = layout;
  const { kind, layer, head } = selection;
  if (changed(cache, "lines", layout, theme, dpr, kind, layer, head)) {
    drawCharts(clean(parts.lines, layout.width, layout.height, dpr), layout, theme, selection);
  }
  const step = time.at < 0 ? null : recording.pictureStep[time.at];
  if (changed(cache, "cursor", layout, theme, dpr, kind, layer, head, step, view.pointedStep)) {
    drawChartsOver(clean(parts.cursor, layout.width, layout.height, dpr), layout, recording, theme, selection, step, view.pointedStep);
  }
}

function paintFilm(view, film, theme, dpr, room) {
  const { recording, parts, cache, time, selection } = view, { grid } = room, { layer, head } = selection;
  if (changed(cache, "filmRoom", room)) {
    parts.film.classList.toggle("beside", room.beside);
    parts.grid.style.cssText = `width: ${grid.width}px; height: ${grid.height}px`;
    parts.frame.style.cssText = `width: ${room.mapWidth}px; height: ${room.mapHeight}px`;
  }
  const picture = film.frames[time.at];
  if (changed(cache, "tiles", picture, grid, theme, dpr)) {
    drawGrid(clean(parts.tiles, grid.width, grid.height, dpr), tilesOf(film, time.at), grid, theme, dpr);
  }
  placeRing(parts.chosen, grid, selection);
  placeRing(parts.pointed, grid, view.pointedHead);
  view.map = room.map;
  if (changed(cache, "base", picture, view.map, theme, dpr, layer, head, view.right)) {
    view.scene = headScene(film, time.at, layer, head, theme);
    const pen = clean(parts.base, room.mapWidth, room.mapHeight, dpr);
    drawMap(pen, view.scene, view.map, NOWHERE, dpr);
    const cells = view.right.on ? rightCells(film, rightName(film, view.right.name, recording, selection)) : null;
    if (cells) drawRight(pen, cells, view.map, theme);
  }
  if (changed(cache, "over", view.map, theme, dpr, view.hover)) {
    drawMapOverlay(clean(parts.over, room.mapWidth, room.mapHeight, dpr), view.scene, view.map, NOWHERE, view.hover, null);
  }
}

function placeRing(ring, grid, at) {
  const tile = at && grid.tiles.find(({ layer, head }) => layer === at.layer && head === at.head);
  ring.hidden = !tile;
  if (!tile) return;
  ring.style.transform = `translate(${tile.x}px, ${tile.y}px)`;
  ring.style.width = ring.style.height = `${grid.size}px`;
}
