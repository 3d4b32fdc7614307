// Downloads: PNG and SVG of curves and picture with title and caption, CSV of the curves or of the chosen head, a page of its own.

import { drawCharts } from "./charts.js";
import { drawChartsOver } from "./charts_over.js";
import { drawRight, headScene, rightCells, rightName, tileGrid, tilesOf } from "./film.js";
import { chartsOf, layoutCharts } from "./panels.js";
import { wholePayload } from "./whole.js";
import { count, headWords, kindName, rolesOf, stateWords } from "./words.js";
import { drawNumbers } from "../attention_view/grid.js";
import { drawCells, drawMap } from "../attention_view/heatmap.js";
import { mapLayout } from "../attention_view/layout.js";
import { readTheme } from "../shared/colour.js";
import { csvBlob, download, drawScale, fileStem, pageBlob, pngBlob, svgBlob, wrapped } from "../shared/saving.js";
import { drawText, fontOf, inFull } from "../shared/text.js";

const PAGE_MARGIN = 28, CURVES = 460, BETWEEN = 36, STILL = { x: 0, y: 0 };

export function saveChoices(view) {
  const film = view.recording.film(view.selection.kind), why = film?.frames[view.time.at] ? null : "There is no picture yet.";
  const choices = [{ kind: "png", label: "PNG picture" }, { kind: "svg", label: "SVG drawing" },
    { kind: "curves", label: "CSV of the curves" }, { kind: "head", label: "CSV of this head, this step", why }];
  // A page that was itself exported has no module to fetch.
  return view.host.source === null ? choices : [...choices, { kind: "html", label: "HTML page, offline" }];
}

export async function saveAs(view, kind) {
  const draw = (makePen, dpr) => drawPage(makePen, view, dpr), { recording } = view, { header } = recording;
  const make = { png: () => pngBlob(draw), svg: () => svgBlob(draw), curves: () => curvesCsv(recording), head: () => headCsv(view),
    html: () => pageBlob(pageTemplate, { root: view.root, address: import.meta.url, header,
      bytes: wholePayload(recording, view.selection), title: header.title || header.name || "A training run" }) };
  download(await make[kind](), fileName(view, kind));
}

function fileName({ recording, selection, time }, kind) {
  const stem = fileStem(recording.header.name, "training"), { layer, head } = selection;
  const picture = time.at < 0 ? "" : `-step-${recording.pictureStep[time.at]}`;
  if (kind === "curves") return `${stem}-curves.csv`;
  if (kind === "head") return `${stem}-${selection.kind}-layer-${layer}-head-${head}${picture}.csv`;
  return `${stem}${kind === "html" ? "" : picture}.${kind}`;
}

const numberOf = (value) => (Number.isFinite(value) ? inFull(value) : Number.isNaN(value) ? "" : value > 0 ? "inf" : "-inf");

// One row a step. Accuracy and roles stand where a picture was taken.
export function curvesCsv(recording) {
  const { rows, pictureStep, roles, accuracy } = recording, pictures = new Map(pictureStep.map((step, i) => [step, i]));
  const heads = roles.flatMap((role) => Array.from({ length: role.layers * role.heads }, (_, at) => (
    { role, at, name: `${role.name}: layer ${Math.floor(at / role.heads)} head ${at % role.heads}` })));
  const made = [["step", "loss", "gradient_norm", "learning_rate", "accuracy", ...heads.map(({ name }) => name)]];
  const add = (step, numbers) => {
    const picture = pictures.get(step);
    pictures.delete(step);
    const seen = picture === undefined ? Array(heads.length + 1).fill("")
      : [numberOf(accuracy[picture]), ...heads.map(({ role, at }) => numberOf(role.values[picture][at]))];
    made.push([step, ...numbers, ...seen]);
  };
  rows.step.forEach((step, i) => add(step, [rows.loss[i], rows.gradient_norm[i], rows.learning_rate[i]].map(numberOf)));
  for (const step of [...pictures.keys()]) add(step, ["", "", ""]);
  return csvBlob([made[0], ...made.slice(1).sort((one, other) => one[0] - other[0])]);
}

// One row a cell; masked cells have no weight. Weights are bytes / 255: three decimals tell any two of them apart.
export function headCsv({ recording, selection, time }) {
  const { kind, layer, head } = selection, film = recording.film(kind), { values } = headScene(film, time.at, layer, head, null);
  const made = [["step", "query_index", "query", "key_index", "key", "weight"]];
  film.queries.forEach((query, q) => film.keys.forEach((key, k) => {
    const i = q * film.keys.length + k;
    made.push([recording.pictureStep[time.at], q, query, k, key, film.masked?.[i] ? "" : values[i].toFixed(3)]);
  }));
  return csvBlob(made);
}

function drawPage(makePen, view, dpr) {
  const { recording, selection, time, log } = view, { header } = recording, theme = readTheme(view.root, header);
  const own = recording.film(selection.kind), film = own?.frames[time.at] ? own : null, picture = film && pictureLayout(film);
  const layout = layoutCharts(chartsOf(recording, log), recording, { width: CURVES, height: picture ? picture.height : 0 });
  const width = 2 * PAGE_MARGIN + CURVES + (picture ? BETWEEN + picture.width : 0), inner = width - 2 * PAGE_MARGIN;
  const caption = wrapped(captionOf(view, film), inner, fontOf(11.5)), body = Math.max(layout.height, picture?.height ?? 0);
  const height = 72 + body + 30 + caption.length * 17, pen = makePen(width, height);
  pen.fillStyle = theme.paper;
  pen.fillRect(0, 0, width, height);
  drawText(pen, header.title || header.name, PAGE_MARGIN, 32, { font: fontOf(17, 600), colour: theme.ink, room: inner });
  moved(pen, PAGE_MARGIN, 60, () => {
    drawCharts(pen, layout, theme, selection);
    drawChartsOver(pen, layout, recording, theme, selection, time.at < 0 ? null : recording.pictureStep[time.at], null);
  });
  if (picture) moved(pen, PAGE_MARGIN + CURVES + BETWEEN, 60, () => drawPicture(pen, view, film, picture, theme, dpr));
  caption.forEach((line, i) => drawText(pen, line, PAGE_MARGIN, 72 + body + 22 + i * 17, { font: fontOf(11.5), colour: theme.quiet }));
  return pen;
}

function moved(pen, x, y, draw) {
  pen.save();
  pen.translate(x, y);
  draw();
  pen.restore();
}

function pictureLayout(film) {
  const grid = tileGrid(film, 620, 400), { queries, keys } = film;
  const map = mapLayout({ width: 660, height: Math.min(900, 190 + 22 * queries.length), queries, keys, dpr: 2 });
  const top = 66, mapTop = top + grid.height + 18, scaleTop = mapTop + Math.ceil(map.top + map.mapHeight) + 16;
  return { grid, map, top, mapTop, scaleTop, width: 660, height: scaleTop + 34 };
}

function drawPicture(pen, { recording, selection, time, right }, film, { grid, map, top, mapTop, scaleTop }, theme, dpr) {
  const { kind, layer, head } = selection, step = `step ${count(recording.pictureStep[time.at])}`;
  const name = [recording.films.length > 1 ? kindName(kind) : "", headWords(selection), step].filter(Boolean).join(" · ");
  drawText(pen, name, 0, 9, { font: fontOf(14, 600), colour: theme.ink });
  const roles = rolesOf(recording, film.kind, layer, head, time.at).map(([role, value]) => `${role} ${value.toFixed(2)}`).join(" · ");
  drawText(pen, roles, 0, 31, { font: fontOf(12), colour: theme.quiet, room: 660 });
  drawText(pen, "layer ↓  head →", 0, 55, { font: fontOf(11.5), colour: theme.quiet });
  moved(pen, 0, top, () => {
    drawHeads(pen, film, time.at, grid, theme, dpr);
    const tile = grid.tiles.find((each) => each.layer === layer && each.head === head);
    pen.strokeStyle = theme.accent;
    pen.lineWidth = 2.5;
    pen.strokeRect(tile.x - 2.5, tile.y - 2.5, grid.size + 5, grid.size + 5);
  });
  const scene = headScene(film, time.at, layer, head, theme);
  moved(pen, 0, mapTop, () => {
    drawMap(pen, scene, map, STILL, dpr);
    const cells = right.on ? rightCells(film, rightName(film, right.name, recording, selection)) : null;
    if (cells) drawRight(pen, cells, map, theme);
  });
  drawScale(pen, scene, 0, scaleTop, dpr);
}

// The tiles are one image of pixels on the screen; in a file each is a small map of its own.
function drawHeads(pen, film, picture, grid, theme, dpr) {
  const side = grid.size, nq = film.queries.length, nk = film.keys.length;
  for (const { layer, head, x, y } of grid.tiles) moved(pen, x, y, () => {
    const map = { left: 0, top: 0, width: side, height: side, mapWidth: side, mapHeight: side, nq, nk, cell: { w: side / nk, h: side / nq } };
    drawCells(pen, headScene(film, picture, layer, head, theme), map, dpr);
    pen.strokeStyle = theme.line;
    pen.lineWidth = 1;
    pen.strokeRect(-0.5, -0.5, side + 1, side + 1);
  });
  drawNumbers(pen, tilesOf(film, picture), grid, theme);
}

function captionOf({ recording, selection, time }, film) {
  const { header } = recording, parts = [header.caption, header.name, `${stateWords(recording)}, ${count(recording.lastStep)} of ${count(header.total_steps)} steps`];
  if (film) parts.push(`attention (${kindName(film.kind)}) of layer ${selection.layer}, head ${selection.head} at step ${count(recording.pictureStep[time.at])}`);
  return [...new Set(parts.filter(Boolean))].join(" · ");
}
