// One animation frame: lay out, write the words, redraw those canvases whose input has changed.

import { drawArcs } from "./arcs.js";
import { changed, clean } from "../shared/canvas.js";
import { readTheme } from "../shared/colour.js";
import { element, press } from "../shared/element.js";
import { drawGrid } from "./grid.js";
import { drawMap } from "./heatmap.js";
import { GAP, NARROW, arcsLayout, gridLayout, mapLayout } from "./layout.js";
import { drawArcsOverlay, drawMapOverlay } from "./overlay.js";
import { makeScene } from "./scene.js";
import { fillReadout, headName, roleOf, sentence, shareNote } from "./words.js";

const HELP = "Arrow keys move the chosen cell, Enter keeps it.";

export function paint(view) {
  const { payload, root, cache } = view;
  const theme = readTheme(root, payload.header), dpr = window.devicePixelRatio || 1;
  const scene = sceneOf(view);
  scene.theme = theme;
  const room = arrange(view, theme);
  paintHeads(view, theme, dpr, room);
  const layout = layoutPicture(view, dpr, room), { scroll } = view;
  view.layout = layout;
  const arcs = view.shape === "arcs";
  if (changed(cache, "base", scene, theme, layout, scroll.x, scroll.y, dpr)) {
    const pen = clean(view.parts.base, layout.width, layout.height, dpr);
    if (arcs) drawArcs(pen, scene, layout, scroll);
    else drawMap(pen, scene, layout, scroll, dpr);
  }
  const chosen = view.selection.query == null && view.selection.key == null ? null : view.selection;
  if (changed(cache, "over", scene, theme, layout, scroll.x, scroll.y, dpr, view.hover, chosen)) {
    const pen = clean(view.parts.over, layout.width, layout.height, dpr);
    (arcs ? drawArcsOverlay : drawMapOverlay)(pen, scene, layout, scroll, view.hover, chosen);
  }
  view.parts.base.style.opacity = arcs && (view.hover || chosen) ? "0.4" : "1";
  write(view, scene, theme);
}

export function sceneOf(view) {
  const { payload, selection, version, share, cache } = view;
  if (changed(cache, "scene", payload, selection.layer, selection.head, version, share)) {
    cache.madeScene = makeScene(payload, selection, version, share);
  }
  return cache.madeScene;
}

const LOWEST = 300;

// Where the two halves stand: beside each other, or the heads as a strip above the picture.
function arrange(view, theme) {
  const { payload, parts, root, width, cache } = view, { header } = payload;
  const narrow = width < NARROW, single = payload.heads.length === 1 && payload.heads[0] === 1;
  const height = narrow ? Math.min(420, header.height) : header.height;
  const strip = narrow ? view.selection.layer : null;
  const key = [width, height, narrow, single, header.heads.join(), Boolean(header.roles), strip].join("/");
  if (changed(cache, "arranged", key)) {
    cache.grid = gridLayout({ width: narrow ? width : Math.min(width * 0.38, 430), height: height + 40, heads: payload.heads,
      roles: header.roles, only: strip });
    root.classList.toggle("narrow", narrow);
    parts.heads.hidden = single;
    parts.heads.style.width = narrow ? "auto" : `${cache.grid.width}px`;
    // Square at the most: a map is as high as it is wide, and a higher frame would stand empty below it.
    cache.room = narrow || single ? width : width - cache.grid.width - GAP;
    cache.height = Math.max(Math.min(height, cache.room), Math.min(height, LOWEST));
    parts.frame.style.height = `${cache.height}px`;
    parts.grid.style.height = `${cache.grid.height}px`;
  }
  if (changed(cache, "themed", theme)) {
    for (const name of ["paper", "ink", "quiet", "line", "accent", "query", "key", "hatch"]) {
      root.style.setProperty(`--av-${name}`, theme[name]);
    }
    for (const name of ["ramp", "diverging"]) root.style.setProperty(`--av-${name}`, theme[name].gradient);
    root.style.colorScheme = theme.dark ? "dark" : "light";
  }
  return { height: cache.height, width: cache.room };
}

function paintHeads(view, theme, dpr) {
  const { payload, parts, cache, selection } = view, { grid } = cache;
  if (parts.heads.hidden) return;
  if (changed(cache, "heads", payload, grid, theme, dpr)) {
    drawGrid(clean(parts.tiles, grid.width, grid.height, dpr), payload, grid, theme, dpr);
  }
  const place = (ring, at) => {
    const tile = at && grid.tiles.find(({ layer, head }) => layer === at.layer && head === at.head);
    ring.hidden = !tile;
    if (!tile) return;
    ring.style.transform = `translate(${tile.x}px, ${tile.y}px)`;
    ring.style.width = ring.style.height = `${grid.size}px`;
  };
  place(parts.chosen, selection);
  place(parts.pointed, view.pointed);
  if (changed(cache, "layers", payload.layers)) {
    const option = (_, layer) => element("option", { value: String(layer), textContent: String(layer) });
    parts.layer.replaceChildren(...payload.heads.map(option));
  }
  parts.layer.value = String(selection.layer);
}

function layoutPicture(view, dpr, { width, height }) {
  const { payload, parts, cache, shape, zoom } = view;
  if (!changed(cache, "layout", payload, width, height, dpr, shape, zoom)) return cache.picture;
  const lay = (w, h) => (shape === "arcs" ? arcsLayout({ width: w, height: h, ...payload })
    : mapLayout({ width: w, height: h, queries: payload.queries, keys: payload.keys, dpr, readable: zoom === "read" }));
  let picture = lay(width, height);
  const size = () => {
    parts.spacer.style.width = picture.contentWidth > width ? `${picture.contentWidth}px` : "100%";
    parts.spacer.style.height = `${picture.contentHeight}px`;
  };
  size();
  if (picture.contentHeight > height || picture.contentWidth > width) {
    // Only now is there a scroll bar to make room for.
    picture = lay(parts.frame.clientWidth, parts.frame.clientHeight);
    size();
  }
  parts.pane.style.width = `${picture.width}px`;
  parts.pane.style.height = `${picture.height}px`;
  const fit = shape === "map" && (zoom === "read" || picture.rows === "index" || picture.columns === "index");
  parts.zoom.box.hidden = !fit;
  return (cache.picture = picture);
}

function write(view, scene, theme) {
  const { payload, parts, selection, hover, cache } = view, { header } = payload;
  const cell = hover ?? selection;
  const thing = view.shape === "arcs" ? "token" : "cell";
  if (changed(cache, "readout", scene, cell.query, cell.key, thing)) fillReadout(parts, scene, cell, thing);
  if (!changed(cache, "words", scene, theme, selection.query, selection.key, view.shape, view.zoom, view.share)) return;
  parts.title.textContent = header.title ?? "";
  parts.title.hidden = !header.title;
  parts.name.textContent = headName(scene);
  parts.role.textContent = roleOf(payload, scene);
  parts.badge.hidden = scene.exact;
  parts.version.box.hidden = !payload.edited;
  for (const button of Object.values(parts.version.buttons)) button.disabled = !scene.hasBefore;
  press(parts.version, scene.version);
  press(parts.zoom, view.zoom);
  press(parts.shape, view.shape);
  parts.scale.classList.toggle("signed", scene.signed);
  parts.scale.setAttribute("aria-label", scene.signed ? "Colour scale from -1 to 1" : "Colour scale from 0 to 1");
  const ends = scene.signed ? ["−1", "0", "+1"] : ["0", "0.5", "1"];
  [...parts.scale.children].forEach((mark, i) => { mark.textContent = ends[i]; });
  parts.hatched.hidden = !scene.masked || view.shape === "arcs";
  parts.share.value = String(Math.round(view.share * 100));
  parts.share.disabled = !scene.links;
  parts["share-value"].textContent = `${Math.round(view.share * 100)}%`;
  parts.note.textContent = shareNote(scene, view.share);
  const spoken = sentence(scene, selection);
  if (parts.spoken.textContent !== spoken) parts.spoken.textContent = spoken;
  parts.frame.setAttribute("aria-label", `${sentence(scene, null)} ${HELP}`);
  parts.grid.setAttribute("aria-label", `${headName(scene)} of ${payload.layers} layers. Arrow keys choose a head.`);
}
