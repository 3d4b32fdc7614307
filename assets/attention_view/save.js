// Downloads: PNG and SVG of the picture with its title, axes, colour bar and caption; CSV of the exact weights; a page of its own.

import { drawArcs } from "./arcs.js";
import { hatchPattern } from "./colour.js";
import { drawMap } from "./heatmap.js";
import { arcsLayout, mapLayout } from "./layout.js";
import { sceneOf } from "./paint.js";
import { drawArcsOverlay, drawMapOverlay } from "./overlay.js";
import { asTraveller, drawText, fontOf, inFull, widthOf } from "./text.js";
import { VectorPen } from "./vector.js";
import { headName, roleOf, shareNote } from "./words.js";

const MARGIN = 28, NOTHING = { x: 0, y: 0 };

export function saveChoices(view) {
  const why = sceneOf(view).exact ? null : "The exact weights of this head are not here yet.";
  const choices = [{ kind: "png", label: "PNG picture" }, { kind: "svg", label: "SVG drawing" }, { kind: "csv", label: "CSV numbers", why }];
  // A page that was itself exported has no module to fetch.
  return view.host.source === null ? choices : [...choices, { kind: "html", label: "HTML page, offline" }];
}

export async function saveAs(view, kind) {
  const scene = sceneOf(view);
  const make = { png: () => pngOf(view, scene), svg: () => svgOf(view, scene), csv: () => csvOf(scene), html: () => htmlOf(view) };
  const blob = await make[kind]();
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = fileName(scene, kind);
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

export function fileName(scene, kind) {
  const plainName = (scene.payload.header.model || "attention").replace(/[^\p{L}\p{N}.-]+/gu, "-");
  const model = plainName.replace(/^[-.]+|[-.]+$/g, "").slice(0, 60);
  const version = scene.version === "after" ? "" : `-${scene.version}`;
  return `${model || "attention"}-layer-${scene.layer}-head-${scene.head}${version}.${kind}`;
}

// Every field is quoted, so that no token can break a row. One row a cell; masked cells have no weight.
export function csvOf(scene) {
  const { payload, values, masked } = scene, quote = (text) => `"${String(text).replaceAll('"', '""')}"`;
  const rows = [["query_index", "query", "key_index", "key", "weight"].map(quote).join(",")];
  payload.queries.forEach((query, q) => payload.keys.forEach((key, k) => {
    const i = q * payload.keys.length + k;
    rows.push([q, query, k, key, masked?.[i] ? "" : inFull(values[i])].map(quote).join(","));
  }));
  return new Blob([rows.join("\r\n"), "\r\n"], { type: "text/csv;charset=utf-8" });
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
  const caption = lines(captionOf(view, scene), layout.width, fontOf(11.5));
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

function lines(text, room, font) {
  const made = [];
  for (const word of text.split(/\s+/)) {
    const longer = made.length ? `${made[made.length - 1]} ${word}` : word;
    if (made.length && widthOf(longer, font) <= room) made[made.length - 1] = longer;
    else made.push(word);
  }
  return made.slice(0, 12);
}

function drawScale(pen, { theme, signed, masked }, x, y, dpr) {
  const ramp = signed ? theme.diverging : theme.ramp, font = fontOf(11), width = 200;
  for (let i = 0; i < width; i += 2) {
    pen.fillStyle = ramp.css[Math.round((i / (width - 2)) * (ramp.css.length - 1))];
    pen.fillRect(x + i, y, 2, 10);
  }
  const ends = signed ? ["−1", "0", "+1"] : ["0", "0.5", "1"];
  ends.forEach((text, i) => {
    drawText(pen, text, x + (i * width) / 2, y + 20, { font, colour: theme.quiet, align: ["left", "center", "right"][i] });
  });
  if (!masked) return;
  pen.fillStyle = hatchPattern(pen, theme, dpr);
  pen.fillRect(x + width + 24, y - 1, 16, 12);
  drawText(pen, "masked", x + width + 46, y + 5, { font, colour: theme.quiet });
}

function canvasPen(width, height) {
  const canvas = document.createElement("canvas");
  canvas.width = Math.round(width * 2);
  canvas.height = Math.round(height * 2);
  const pen = canvas.getContext("2d");
  pen.scale(2, 2);
  return pen;
}

function pngOf(view, scene) {
  const { canvas } = drawFigure(canvasPen, view, scene, 2);
  return new Promise((done) => canvas.toBlob(done, "image/png"));
}

export function svgOf(view, scene) {
  const pen = asTraveller(() => drawFigure((width, height) => new VectorPen(width, height), view, scene, 1));
  return new Blob([String(pen)], { type: "image/svg+xml" });
}

// The page holds this very module, its style and the payload; `pageTemplate` is the one that Python's export fills.
async function htmlOf(view) {
  const source = await (await fetch(import.meta.url)).text();
  const style = view.root.getRootNode().querySelector("style")?.textContent ?? "";
  const bytes = Array.from(view.payload.bytes, (byte) => String.fromCharCode(byte)).join("");
  const { title, caption, model, colours } = view.payload.header;
  const marks = { title: plain(title || model || "Attention weights"), caption: plain(caption ?? ""), style, data: btoa(bytes),
    light: pageColours(colours.light), dark: pageColours(colours.dark),
    script: source.replaceAll("</script", "<\\/script").replaceAll("<!--", "<\\!--") };
  return new Blob([pageTemplate.replace(/\{\{(\w+)\}\}/g, (_, mark) => marks[mark])], { type: "text/html" });
}

function pageColours({ paper, ink, accent }) {
  return `--st-background-color: ${paper}; --st-text-color: ${ink}; --st-primary-color: ${accent};`;
}

function plain(text) {
  return text.replace(/[&<>"]/g, (mark) => `&#${mark.charCodeAt(0)};`);
}
