// Pointer and keyboard. Everything stays in the browser but the choice of a head, which a link is to carry.

import { saveAs, saveChoices } from "./save.js";
import { cellSentence, headWords, rolesOf } from "./words.js";
import { cellAt, tileAt } from "../attention_view/layout.js";
import { element } from "../shared/element.js";
import { listenToMenu, openMenu } from "../shared/menu.js";

const ORIGIN = { x: 0, y: 0 }, REST_OF_KEYS = 400;

export function listen(view) {
  const { parts, root } = view;
  listenToTime(view);
  listenToCurves(view);
  listenToFilm(view);
  parts["as-table"].onclick = () => {
    const open = parts.table.hidden;
    parts.table.hidden = !open;
    parts["as-table"].setAttribute("aria-expanded", String(open));
    view.draw();
  };
  listenToMenu(parts, () => saveChoices(view), (kind) => saveAs(view, kind));
  root.onkeydown = (event) => timeKeys(view, event);
  root.onpointerdown = (event) => { if (!event.composedPath().includes(parts.save.parentElement)) openMenu(parts, false); };
}

function listenToTime(view) {
  const { parts, time } = view;
  parts.play.onclick = () => view.togglePlay();
  parts.slider.oninput = () => view.go(Number(parts.slider.value));
  for (const [speed, button] of Object.entries(parts.speed.buttons)) button.onclick = () => { time.speed = parseFloat(speed); view.draw(); };
  parts.live.onclick = () => view.go(view.recording.pictures - 1);
}

const MOVES = { ArrowLeft: -1, ArrowRight: 1, PageDown: -10, PageUp: 10, Home: -1e9, End: 1e9 };

// The keys of the time bar, wherever in the view the focus is, but where a control has a use of its own for them.
function timeKeys(view, event) {
  if (event.altKey || event.ctrlKey || event.metaKey || !view.recording.header || event.defaultPrevented) return;
  const [target] = event.composedPath(), name = target.tagName;
  const own = name === "SELECT" || (name === "INPUT" && target.type === "checkbox") || view.parts.menu.contains(target) || view.parts.table.contains(target);
  if (event.key === " ") {
    if (own || name === "BUTTON") return;
    event.preventDefault();
    view.togglePlay();
  } else if (event.key in MOVES && !own) {
    event.preventDefault();
    event.stopPropagation();
    view.go(view.time.at + MOVES[event.key]);
  }
}

// Moving shows the numbers there; pressing and dragging moves the time.
function listenToCurves(view) {
  const { plots, log } = view.parts;
  const stepOf = (event) => {
    const [x, y] = pointIn(plots, event), { charts } = view;
    if (!charts || y > charts.height || x < charts.left - 12 || x > charts.right + 12) return null;
    return charts.stepAt(x);
  };
  const scrub = (event) => {
    const step = stepOf(event);
    if (step !== null && view.recording.pictures) view.go(view.recording.pictureNear(step));
  };
  plots.onpointermove = (event) => {
    if (view.dragging) scrub(event);
    const step = view.dragging ? null : stepOf(event);
    if (step !== view.pointedStep) view.set({ pointedStep: step });
  };
  plots.onpointerdown = (event) => {
    if (event.button !== 0 || event.target === log) return;
    view.dragging = true;
    plots.setPointerCapture(event.pointerId);
    view.pointedStep = null;
    scrub(event);
  };
  plots.onpointerup = plots.onpointercancel = () => { view.dragging = false; };
  plots.onpointerleave = () => view.set({ pointedStep: null });
  log.onclick = () => view.set({ log: !view.log });
}

function listenToFilm(view) {
  const { parts } = view, { grid, frame } = parts;
  const film = () => view.recording.film(view.selection.kind);
  const headUnder = (event) => (view.cache.room?.grid ? tileAt(view.cache.room.grid, ...pointIn(grid, event)) : null);
  grid.onclick = (event) => { const tile = headUnder(event); if (tile) view.choose({ layer: tile.layer, head: tile.head }); };
  grid.onpointermove = (event) => {
    const tile = headUnder(event), was = view.pointedHead;
    if (tile) showTip(view, event, [element("b", { textContent: headWords(tile) }), ...roleLines(view, tile)]);
    else view.parts.tip.hidden = true;
    if (tile?.layer !== was?.layer || tile?.head !== was?.head) view.set({ pointedHead: tile && { layer: tile.layer, head: tile.head } });
  };
  grid.onpointerleave = () => { parts.tip.hidden = true; view.set({ pointedHead: null }); };
  grid.onkeydown = (event) => headKeys(view, film(), event);
  frame.onpointerdown = frame.onpointermove = (event) => {
    const cell = view.map ? cellAt(view.map, ...pointIn(frame, event), ORIGIN) : null, was = view.hover;
    if (cell?.query !== was?.query || cell?.key !== was?.key) view.set({ hover: cell });
  };
  // A finger that is lifted has left, too: what it touched stays to be read.
  frame.onpointerleave = (event) => { if (event.pointerType !== "touch") view.set({ hover: null }); };
  frame.onkeydown = (event) => cellKeys(view, film(), event);
  frame.onblur = () => view.set({ hover: null });
  parts["right-on"].onchange = () => view.set({ right: { ...view.right, on: parts["right-on"].checked } });
  parts["right-name"].onchange = () => view.set({ right: { ...view.right, name: parts["right-name"].value } });
}

const TURNS = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };

function headKeys(view, film, event) {
  const turn = TURNS[event.key];
  if (!turn || !film || event.altKey || event.ctrlKey || event.metaKey) return;
  event.preventDefault();
  event.stopPropagation();
  view.choose({ layer: view.selection.layer + turn[0], head: view.selection.head + turn[1] });
}

function cellKeys(view, film, event) {
  const turn = TURNS[event.key];
  if (event.key === "Escape") view.set({ hover: null });
  if (!turn || !film || event.altKey || event.ctrlKey || event.metaKey) return;
  event.preventDefault();
  event.stopPropagation();
  const within = (value, count) => Math.max(0, Math.min(count - 1, value)), { hover } = view;
  const query = hover ? within((hover.query ?? 0) + turn[0], film.queries.length) : 0;
  const key = hover ? within((hover.key ?? 0) + turn[1], film.keys.length) : 0;
  view.set({ hover: { query, key } });
  view.speak(REST_OF_KEYS, () => cellSentence(film, view.scene, query, key));
}

function roleLines(view, { layer, head }) {
  const { recording, selection, time } = view;
  return rolesOf(recording, recording.film(selection.kind)?.kind, layer, head, time.at)
    .map(([name, value]) => element("span", { className: "tip-role", textContent: `${name} ${value.toFixed(2)}` }));
}

function showTip(view, event, children) {
  const { tip } = view.parts, box = view.root.getBoundingClientRect();
  tip.replaceChildren(element("span", { className: "tip-words" }, ...children));
  tip.hidden = false;
  const x = event.clientX - box.left, y = event.clientY - box.top, flip = x > box.width * 0.6;
  tip.style.transform = `translate(${flip ? "-100%" : "0"}, -100%) translate(${x + (flip ? -14 : 14)}px, ${y - 10}px)`;
}

function pointIn(node, event) {
  const box = node.getBoundingClientRect();
  return [event.clientX - box.left, event.clientY - box.top];
}
