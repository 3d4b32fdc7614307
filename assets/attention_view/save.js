// Downloads: PNG and SVG of the picture with its title, axes, colour bar and caption; CSV of the exact weights; a page of its own.

import { drawArcs } from "./arcs.js";
import { drawMap } from "./heatmap.js";
import { arcsLayout, mapLayout } from "./layout.js";
import { drawArcsOverlay, drawMapOverlay } from "./overlay.js";
import { sceneOf } from "./paint.js";
import { headName, roleOf, shareNote } from "./words.js";
import { csvBlob, download, drawScale, fileStem, pageBlob, pngBlob, svgBlob, wrapped } from "../shared/saving.js";
import { drawText, fontOf, inFull } from "../shared/text.js";

const MARGIN = 28, NOTHING = { x: 0, y: 0 };

export function saveChoices(view) {
  const why = sceneOf(view).exact ? null : "The exact weights of this head are not here yet.";
  const choices = [{ kind: "png", label: "PNG picture" }, { kind: "svg", label: "SVG drawing" }, { kind: "csv", label: "CSV numbers", why }];
  // A page that was itself exported has no module to fetch.
  return view.host.source === null ? choices : [...choices, { kind: "html", label: "HTML page, offline" }];
}

export async function saveAs(view, kind) {
  const scene = sceneOf(view), { payload } = scene, draw = (makePen, dpr) => drawFigure(makePen, view, scene, dpr);
  const { header, bytes } = payload, title = header.title || header.model || "Attention weights";
  const make = { png: () => pngBlob(draw), svg: () => svgBlob(draw), csv: () => csvOf(scene),
    html: () => pageBlob(pageTemplate, { root: view.root, address: import.meta.url, header, bytes, title }) };
  download(await make[kind](), fileName(scene, kind));
}

export function fileName({ payload, layer, head, version }, kind) {
  const mark = version === "after" ? "" : `-${version}`;
  return `${fileStem(payload.header.model, "attention")}-layer-${layer}-head-${head}${mark}.${kind}`;
}

// One row a cell; masked cells have no weight.
export function csvOf({ payload, values, masked }) {
  const rows = [["query_index", "query", "key_index", "key", "weight"]];
  payload.queries.forEach((query, q) => payload.keys.forEach((key, k) => {
    const i = q * payload.keys.length + k;
    rows.push([q, query, k, key, masked?.[i] ? "" : inFull(values[i])]);
  }));
  return csvBlob(rows);
}

// The picture at a size at which its labels can be read, up to 64 tokens; beyond, as wide as a page.
function figure(view, scene) {
  const { payload } = scene, arcs = view.shape === "arcs", count = Math.max(payload.queries.length, payload.keys.length);
  const width = arcs ? 720 : 900, height = arcs ? 44 + 26 * count : Math.min(840, 260 + 24 * payload.queries.length);
  let layout = arcs ? arcsLayout({ width, height, ...payload })
    : mapLayout({ width, height, queries: payload.queries, keys: payload.keys, dpr: 2, readable: count <= 64 });
  if (layout.contentWidth > layout.width || layout.contentHeight > layout.height) {
    layout = { ...layout, width: layout.contentWidth, height: layout.contentHeight };
  }
  return { arcs, layout };
}

function drawFigure(makePen, view, scene, dpr) {
  const { arcs, layout } = figure(view, scene), { header } = scene.payload, { theme } = scene;
  const caption = wrapped(captionOf(view, scene), layout.width, fontOf(11.5));
  const width = layout.width + 2 * MARGIN, height = layout.height + 124 + caption.length * 17;
  const pen = makePen(width, height);
  pen.fillStyle = theme.paper;
  pen.fillRect(0, 0, width, height);
  const role = roleOf(scene.payload, scene), name = [header.title, headName(scene)].filter(Boolean).join(" · ");
  drawText(pen, role ? `${name} (${role})` : name, MARGIN, 30, { font: fontOf(17, 600), colour: theme.ink, room: layout.width });
  pen.save();
  pen.translate(MARGIN, 52);
  const chosen = view.selection.query == null ? null : view.selection;
  if (arcs) drawArcs(pen, { ...scene, dim: chosen !== null }, layout, NOTHING);
  else drawMap(pen, scene, layout, NOTHING, dpr);
  (arcs ? drawArcsOverlay : drawMapOverlay)(pen, scene, layout, NOTHING, null, chosen);
  pen.restore();
  drawScale(pen, scene, MARGIN, layout.height + 70, dpr);
  caption.forEach((line, i) => drawText(pen, line, MARGIN, layout.height + 114 + i * 17, { font: fontOf(11.5), colour: theme.quiet }));
  return pen;
}

function captionOf(view, scene) {
  const parts = [scene.payload.header.caption, `layer ${scene.layer}, head ${scene.head}`];
  if (scene.version !== "after") parts.push(scene.version === "before" ? "before the edits" : "after minus before");
  if (!scene.exact) parts.push("approximate");
  if (view.share < 1) parts.push(shareNote(scene, view.share));
  return parts.filter(Boolean).join(" · ");
}
