// What is written: the run's state and numbers, the chosen head and what it does, the number under the pointer, the time.

import { DASHES, runColour } from "./charts.js";
import { rightName } from "./film.js";
import { fillPassage } from "./passage.js";
import { count, headWords, kindName, percent, rolesOf, shortNumber, stateWords } from "./words.js";
import { changed } from "../shared/canvas.js";
import { element, press, segments } from "../shared/element.js";

const TIME_HELP = "Left and Right move by one picture, Page Up and Page Down by ten, Home and End to the ends, Space plays.";

// The run as it stands, wherever the cursor is.
export function fillStatus({ recording, parts }, theme) {
  const { header, rows, accuracy } = recording, last = rows.step.length - 1, step = recording.lastStep;
  parts.state.textContent = stateWords(recording);
  parts.state.dataset.state = header.state;
  const facts = [["step", `${count(step)} / ${count(header.total_steps)}`]];
  const newest = (values) => values[last];
  if (last >= 0) facts.push(["loss", shortNumber(newest(rows.loss))]);
  if (accuracy.length && Number.isFinite(accuracy.at(-1))) facts.push(["accuracy", percent(accuracy.at(-1))]);
  if (last >= 0 && !Number.isNaN(newest(rows.gradient_norm))) facts.push(["gradient norm", shortNumber(newest(rows.gradient_norm))]);
  if (newest(rows.learning_rate) > 0) facts.push(["learning rate", shortNumber(newest(rows.learning_rate))]);
  facts.push(...Object.entries(header.status));
  parts.facts.replaceChildren(...facts.map(([name, value]) =>
    element("div", {}, element("dt", { textContent: name }), element("dd", { textContent: value }))));
  parts.done.style.width = `${Math.min(100, (100 * step) / Math.max(1, header.total_steps))}%`;
  parts.progress.setAttribute("aria-valuemax", String(header.total_steps));
  parts.progress.setAttribute("aria-valuenow", String(step));
  parts.thinned.textContent = recording.thinned ? `The curves show ${count(rows.step.length)} of ${count(recording.rowsHeld)} steps; every extreme is among them.` : "";
  fillRuns(recording, parts, theme);
}

function fillRuns({ header, compare }, parts, theme) {
  parts.runs.hidden = !compare.length;
  parts.runs.replaceChildren(...[header.name, ...compare.map(({ name }) => name)].map((name, run) => {
    const dashes = DASHES[run % DASHES.length], colour = runColour(theme, run);
    const stripes = dashes.length ? `repeating-linear-gradient(to right, ${colour} 0 ${dashes[0]}px, transparent 0 ${dashes[0] + dashes[1]}px)` : colour;
    const mark = element("i", { "aria-hidden": "true" });
    mark.style.background = stripes;
    return element("span", {}, mark, element("bdi", { textContent: name, title: name }));
  }));
}

export function fillTime({ recording, parts, time, cache }) {
  const end = recording.pictures - 1, step = time.at < 0 ? recording.lastStep : recording.pictureStep[time.at];
  parts.slider.max = String(Math.max(0, end));
  parts.slider.value = String(Math.max(0, time.at));
  parts.slider.style.setProperty("--tv-share", `${end > 0 ? (100 * time.at) / end : 0}%`);
  parts.slider.setAttribute("aria-valuetext", `step ${count(step)}`);
  for (const control of [parts.slider, parts.play]) control.disabled = end < 1;
  parts.play.dataset.playing = String(time.playing);
  parts["play-word"].textContent = time.playing ? "Pause" : "Play";
  parts.step.textContent = `step ${count(step)}`;
  press(parts.speed, `${time.speed}×`);
  const { live } = recording;
  parts.live.hidden = !live;
  parts.live.setAttribute("aria-pressed", String(live && time.follow));
  parts.live.title = time.follow ? "Shows every new picture" : "Go to the newest picture";
  if (changed(cache, "ticks", recording.version)) fillTicks(recording, parts);
}

// A tick a picture while they can be told apart, and the steps of some of them.
function fillTicks({ pictureStep }, parts) {
  const end = pictureStep.length - 1;
  parts.ticks.style.setProperty("--tv-tick", end > 0 && end <= 160 ? `calc(100% / ${end})` : "100%");
  const marks = Math.min(end, 6);
  const names = end < 1 ? [] : Array.from({ length: marks + 1 }, (_, i) => Math.round((i * end) / marks));
  parts["tick-names"].replaceChildren(...names.map((at) => {
    const name = element("span", { textContent: count(pictureStep[at]) });
    name.style.left = `${(100 * at) / end}%`;
    return name;
  }));
}

export function fillWords(view, film) {
  const { recording, parts, selection, time, cache } = view, shown = film?.frames[time.at];
  parts.log.setAttribute("aria-pressed", String(view.log));
  parts.name.textContent = film ? headWords(selection) : "";
  const roles = shown ? rolesOf(recording, film.kind, selection.layer, selection.head, time.at) : [];
  parts.roles.replaceChildren(...roles.map(([name, value]) =>
    element("span", {}, `${name} `, element("b", { textContent: value.toFixed(2) }))));
  parts.plots.setAttribute("aria-label", `Curves over the steps. ${TIME_HELP}`);
  for (const name of ["film", "readout", "legend"]) parts[name].hidden = !shown;
  parts.empty.hidden = Boolean(shown);
  parts.empty.textContent = recording.live ? "The first picture is on its way." : "No picture was taken.";
  parts.empty.style.height = `${recording.header.height}px`;
  fillPassage(view, shown && film);
  if (changed(cache, "kinds", recording.films.map(({ kind }) => kind).join(), film?.kind)) fillKinds(view, film);
  if (!shown) return;
  parts.hatched.hidden = !film.masked;
  fillRight(view, film);
  fillReadout(view, film);
  parts.frame.setAttribute("aria-label", `Attention weights of ${film.queries.length} queries over ${film.keys.length} keys, query down the side, `
    + "key along the top. Arrow keys move over the cells.");
  parts.grid.setAttribute("aria-label", `${headWords(selection)} of ${film.layers} layers with ${film.heads} heads. Arrow keys choose a head.`);
}

function fillKinds(view, film) {
  const { films } = view.recording, { parts } = view;
  parts.kinds.hidden = films.length < 2;
  if (films.length < 2) return;
  const control = segments("kind", "Kind of attention", films.map(({ kind }) => [kind, kindName(kind)]));
  for (const [kind, button] of Object.entries(control.buttons)) button.onclick = () => view.choose({ kind });
  press(control, film.kind);
  parts.kinds.replaceChildren(control.box);
}

function fillRight({ parts, right, cache, recording, selection }, film) {
  const names = [...film.right.keys()];
  parts.right.hidden = !names.length;
  parts["right-on"].checked = right.on;
  parts["right-name"].hidden = names.length < 2;
  if (changed(cache, "rightNames", film)) {
    parts["right-name"].replaceChildren(...[...names, "all"].map((name) => element("option", { value: name, textContent: name })));
  }
  parts["right-name"].value = rightName(film, right.name, recording, selection);
  parts["right-name"].disabled = !right.on;
}

function fillReadout({ parts, hover, scene }, film) {
  const token = (text, kind) => element("bdi", { className: `token ${kind}`, textContent: text, title: text });
  const index = (at) => element("span", { className: "index", textContent: String(at) });
  const query = hover?.query ?? null, key = hover?.key ?? null;
  parts.number.textContent = "";
  if (query === null && key === null) { parts.line.replaceChildren("Point at a cell to read its weight."); return; }
  const words = [];
  if (query !== null) words.push("query ", index(query), token(film.queries[query], "query"));
  if (query !== null && key !== null) words.push(" reads ");
  if (key !== null) words.push("key ", index(key), token(film.keys[key], "key"));
  parts.line.replaceChildren(...words);
  if (query === null || key === null) return;
  const at = query * film.keys.length + key;
  parts.number.textContent = film.masked?.[at] ? "masked" : scene.values[at].toFixed(2);
}
