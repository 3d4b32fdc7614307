// Pointer and keyboard. Hovering stays here; a click, Enter, or keys at rest go to the server as the selection.

import { LABEL, arcAt, cellAt, tileAt } from "./layout.js";
import { sceneOf } from "./paint.js";
import { saveAs, saveChoices } from "./save.js";
import { headName, roleOf } from "./words.js";
import { element } from "../shared/element.js";
import { listenToMenu, openMenu } from "../shared/menu.js";
import { brief, directionOf, widthOf } from "../shared/text.js";

const REST = 260;

export function listen(view) {
  const { parts, root } = view;
  const { frame, grid } = parts;
  frame.onscroll = () => view.set({ scroll: { x: frame.scrollLeft, y: frame.scrollTop } });
  parts.pane.onpointermove = (event) => pointAtCell(view, event);
  parts.pane.onpointerleave = () => { hideTip(view); view.set({ hover: null }); };
  parts.pane.onclick = (event) => clickCell(view, event);
  frame.onkeydown = (event) => cellKeys(view, event);
  grid.onpointermove = (event) => pointAtHead(view, event);
  grid.onpointerleave = () => { hideTip(view); view.set({ pointed: null }); };
  grid.onclick = (event) => {
    const tile = headAt(view, event);
    if (tile) view.choose({ layer: tile.layer, head: tile.head });
  };
  grid.onkeydown = (event) => headKeys(view, event);
  parts.layer.onchange = () => chooseLayer(view, Number(parts.layer.value), 0);
  parts.share.oninput = () => view.look({ share: Number(parts.share.value) / 100 }, REST);
  for (const name of ["version", "zoom", "shape"]) {
    for (const [choice, button] of Object.entries(parts[name].buttons)) {
      button.onclick = () => {
        if (name !== "version") { frame.scrollTo(0, 0); view.scroll = { x: 0, y: 0 }; }
        if (name === "shape") view.look({ shape: choice, hover: null });
        else view.set({ [name]: choice, hover: null });
      };
    }
  }
  listenToMenu(parts, () => saveChoices(view), (kind) => saveAs(view, kind));
  root.onpointerdown = (event) => { if (!event.composedPath().includes(parts.save.parentElement)) openMenu(parts, false); };
}

function pointIn(element, event) {
  const box = element.getBoundingClientRect();
  return [event.clientX - box.left, event.clientY - box.top];
}

function find(view, event) {
  const [x, y] = pointIn(view.parts.pane, event);
  const cell = (view.shape === "arcs" ? arcAt : cellAt)(view.layout, x, y, view.scroll);
  return cell && cell.query !== null && cell.key !== null ? strongestUnder(view, cell) : cell;
}

// Where several cells share a pixel the pointer means the strongest of them, which is the one that is drawn.
function strongestUnder(view, cell) {
  const { cell: size, nq, nk } = view.layout, scene = sceneOf(view), dpr = window.devicePixelRatio || 1;
  const reach = (side) => Math.ceil(1 / (side * dpr));
  if (reach(size.w) <= 1 && reach(size.h) <= 1) return cell;
  let best = cell;
  const weight = ({ query, key }) => (scene.masked?.[query * nk + key] ? -1 : Math.abs(scene.values[query * nk + key]));
  for (let query = cell.query; query < Math.min(nq, cell.query + reach(size.h)); query++) {
    for (let key = cell.key; key < Math.min(nk, cell.key + reach(size.w)); key++) {
      if (weight({ query, key }) > weight(best)) best = { query, key };
    }
  }
  return best;
}

function pointAtCell(view, event) {
  if (!view.payload || !view.layout) return;
  const cell = find(view, event), was = view.hover;
  if (!cell) hideTip(view);
  else showCellTip(view, cell, event);
  if (cell?.query === was?.query && cell?.key === was?.key) return;
  view.set({ hover: cell });
}

function clickCell(view, event) {
  if (!view.layout) return;
  const cell = find(view, event);
  if (!cell) return;
  const { query, key } = cell, nk = view.payload.keys.length, { values } = sceneOf(view);
  if (query !== null && key !== null) { view.choose({ query, key }); return; }
  if (query !== null) {
    const row = values.subarray(query * nk, (query + 1) * nk);
    view.choose({ query, key: row.reduce((top, weight, at) => (weight > row[top] ? at : top), 0) });
    return;
  }
  let reader = 0;
  for (let q = 0; q < view.payload.queries.length; q++) if (values[q * nk + key] > values[reader * nk + key]) reader = q;
  view.choose({ query: view.selection.query ?? reader, key });
}

const STEPS = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1],
  PageUp: [-10, 0], PageDown: [10, 0], Home: [0, -1e6], End: [0, 1e6] };
const within = (value, count) => Math.max(0, Math.min(count - 1, value));

// Enter and space send what is chosen at once.
function commits(view, event) {
  if (event.key !== "Enter" && event.key !== " ") return false;
  event.preventDefault();
  view.asked ??= view.selection;
  view.commit();
  return true;
}

function cellKeys(view, event) {
  if (commits(view, event)) return;
  const step = STEPS[event.key];
  if (!step || !view.payload || event.altKey || event.ctrlKey || event.metaKey) return;
  event.preventDefault();
  event.stopPropagation();
  const { query, key } = view.selection, { queries, keys } = view.payload;
  const fresh = query == null || key == null;
  const next = fresh ? { query: query ?? 0, key: key ?? 0 }
    : { query: within(query + step[0], queries.length), key: within(key + step[1], keys.length) };
  view.hover = null;
  hideTip(view);
  view.choose(next, REST);
  follow(view, next);
}

// Scrolls the frame, when it scrolls, so that the chosen cell stays in sight.
function follow(view, { query, key }) {
  const { layout, parts: { frame } } = view;
  if (!layout || (layout.contentWidth <= layout.width && layout.contentHeight <= layout.height)) return;
  const h = layout.kind === "arcs" ? layout.row : layout.cell.h, w = layout.kind === "arcs" ? 0 : layout.cell.w;
  const roomY = layout.height - layout.top - h, roomX = layout.width - layout.left - w;
  frame.scrollTop = Math.min(query * h, Math.max(frame.scrollTop, query * h - roomY));
  if (w) frame.scrollLeft = Math.min(key * w, Math.max(frame.scrollLeft, key * w - roomX));
}

function headKeys(view, event) {
  if (commits(view, event)) return;
  const step = STEPS[event.key];
  if (!step || !view.payload || event.altKey || event.ctrlKey || event.metaKey) return;
  event.preventDefault();
  event.stopPropagation();
  const { layer, head } = view.selection, { heads } = view.payload;
  const next = within(layer + step[0], heads.length);
  view.pointed = null;
  hideTip(view);
  view.choose({ layer: next, head: within(head + step[1], heads[next]) }, REST);
}

function chooseLayer(view, layer, wait) {
  view.choose({ layer, head: within(view.selection.head, view.payload.heads[layer]) }, wait);
}

function headAt(view, event) {
  return view.cache.grid ? tileAt(view.cache.grid, ...pointIn(view.parts.grid, event)) : null;
}

function pointAtHead(view, event) {
  const tile = headAt(view, event);
  if (tile) showTip(view, event, [element("b", { textContent: headName(tile) })], roleOf(view.payload, tile));
  else hideTip(view);
  if (tile?.layer === view.pointed?.layer && tile?.head === view.pointed?.head) return;
  view.set({ pointed: tile && { layer: tile.layer, head: tile.head } });
}

// The tip names the tokens in full, however much of them the labels had to cut.
function showCellTip(view, { query, key }, event) {
  if ((query === null || key === null) && !isCut(view, query, key)) { hideTip(view); return; }
  const { payload } = view, scene = sceneOf(view), words = [];
  const mark = (text, kind) => element("bdi", { className: `token ${kind}`, textContent: text, dir: directionOf(text) });
  if (query !== null) words.push(mark(payload.queries[query], "query"));
  if (query !== null && key !== null) words.push(" → ");
  if (key !== null) words.push(mark(payload.keys[key], "key"));
  let value = "";
  if (query !== null && key !== null) {
    const i = query * payload.keys.length + key;
    value = scene.masked?.[i] ? "masked" : scene.exact ? brief(scene.values[i]) : `≈ ${scene.values[i].toFixed(2)}`;
  }
  showTip(view, event, words, value);
}

function isCut({ payload, layout }, query, key) {
  const word = query === null ? payload.keys[key] : payload.queries[query];
  const room = layout.kind === "arcs" ? (query === null ? layout.rightWord : layout.leftWord)
    : query === null ? layout.word : layout.left - layout.shift - 20;
  return widthOf(word, LABEL) > room || (layout.kind === "map" && (query === null ? layout.columns : layout.rows) === "index");
}

function showTip(view, event, words, value) {
  const { tip } = view.parts;
  tip.replaceChildren(element("span", { className: "tip-words" }, ...words),
    element("span", { className: "tip-value", textContent: value, hidden: !value }));
  tip.hidden = false;
  const box = view.root.getBoundingClientRect(), x = event.clientX - box.left, y = event.clientY - box.top;
  const flip = x > box.width * 0.6;
  tip.style.transform = `translate(${flip ? "-100%" : "0"}, -100%) translate(${x + (flip ? -14 : 14)}px, ${y - 10}px)`;
}

function hideTip(view) {
  view.parts.tip.hidden = true;
}
