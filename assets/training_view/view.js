// The training view: curves, a film of the probe's attention, a time bar. Streamlit runs the default function at each
// update; what is known of the run and what the person has set since the mount live on the root element.

import { buildDom } from "./dom.js";
import { listen } from "./interaction.js";
import { paint } from "./paint.js";
import { Playback } from "./playback.js";
import { Recording } from "./recording.js";
import { readBytes } from "../shared/bytes.js";
import { forgetWidths } from "../shared/text.js";
import { summary } from "./words.js";

const REST = 260, STALE = 3000, SPEAK = 700, ASK_AGAIN = 10_000;

export default function trainingView(component) {
  let root = component.parentElement.querySelector(".training-view");
  if (!root) {
    root = document.createElement("div");
    root.className = "training-view";
    component.parentElement.append(root);
  }
  const view = (root.view ??= new View(root));
  view.host = component;
  if (component.data?.length) view.receive(component.data);
  return () => view.dispose();
}

export class View {
  constructor(root) {
    this.root = root;
    this.parts = buildDom(root);
    this.recording = new Recording();
    this.time = new Playback();
    this.selection = { kind: null, layer: 0, head: 0 };
    this.log = false;
    this.right = { on: true, name: null };
    this.hover = null;
    this.pointedStep = null;
    this.cache = {};
    this.width = root.getBoundingClientRect().width;
    this.observer = new ResizeObserver(([entry]) => {
      const width = entry.contentRect.width;
      if (width > 0 && width !== this.width) { this.width = width; this.draw(); }
    });
    this.observer.observe(root);
    this.scheme = matchMedia("(prefers-color-scheme: dark)");
    this.scheme.onchange = () => this.draw();
    this.refont = () => { forgetWidths(); this.cache = {}; this.draw(); };
    document.fonts?.addEventListener("loadingdone", this.refont);
    listen(this);
  }

  receive(bytes) {
    const payload = readBytes(bytes), { header } = payload;
    const { recording } = this, before = recording.header, other = header.run !== recording.run;
    if (header.id === before?.id) { this.draw(); return; }
    if (!recording.take(payload)) { this.askForAll(header.run); return; }
    if (header.first_row === 0 && header.first_picture === 0) this.asked = null;
    this.time.adapt(recording, other);
    this.takeSelection(header.selection, other);
    if (other || header.state !== before.state) this.speak(0);
    this.draw();
  }

  // Once for a gap: the page answers with everything. Should that be lost, a later delta asks again.
  askForAll(run) {
    const now = performance.now();
    if (this.asked?.run === run && now - this.asked.at < ASK_AGAIN) return;
    this.asked = { run, at: now };
    this.host.setTriggerValue?.("missing", { run });
  }

  // The page's choice of head, where it is new and does not answer an older one of the person's.
  takeSelection(selection, other) {
    const film = this.recording.film(selection.kind), asked = film ? fitted(selection, film) : { ...selection };
    const news = other || !same(asked, this.asFromPage);
    this.asFromPage = asked;
    if (news && (other || !this.told || same(asked, this.told))) { this.selection = { ...asked }; this.told = null; return; }
    const own = this.recording.film(this.selection.kind);
    if (own) this.selection = fitted(this.selection, own);
  }

  // A choice of the person's: shown at once, told to the page when it has come to rest, so that a link carries it.
  choose(change) {
    const film = this.recording.film(change.kind ?? this.selection.kind);
    if (!film) return;
    this.selection = fitted({ ...this.selection, ...change }, film);
    this.hover = null;
    this.told = { ...this.selection };
    clearTimeout(this.resting);
    this.resting = setTimeout(() => {
      this.host.setStateValue?.("look", { ...this.selection });
      this.resting = setTimeout(() => { this.told = null; }, STALE);
    }, REST);
    this.speak(SPEAK);
    this.draw();
  }

  go(picture) {
    this.time.go(picture, this.recording);
    this.speak(SPEAK);
    this.draw();
  }

  togglePlay() {
    this.time.toggle(this.recording);
    if (!this.time.playing) this.speak(SPEAK);
    this.draw();
  }

  // One sentence, when things have come to rest; never at every tick.
  speak(wait, words = () => summary(this.recording, this.selection, this.time.at)) {
    clearTimeout(this.speaking);
    this.speaking = setTimeout(() => {
      if (!this.time.playing && this.recording.header) this.parts.spoken.textContent = words();
    }, wait);
  }

  set(change) {
    Object.assign(this, change);
    this.draw();
  }

  draw() {
    if (this.frame || !this.recording.header) return;
    this.frame = requestAnimationFrame((now) => {
      this.frame = 0;
      const { time, recording } = this;
      if (time.playing) { time.tick(now, recording); if (!time.playing) this.speak(SPEAK); }
      paint(this);
      Object.assign(this.root.dataset, { painted: recording.header.id, frames: recording.pictures,
        step: time.at < 0 ? recording.lastStep : recording.pictureStep[time.at] });
      if (time.playing) this.draw();
    });
  }

  dispose() {
    cancelAnimationFrame(this.frame);
    this.observer.disconnect();
    this.scheme.onchange = null;
    document.fonts?.removeEventListener("loadingdone", this.refont);
    for (const timer of [this.resting, this.speaking]) clearTimeout(timer);
    this.root.view = undefined;
  }
}

function fitted({ kind, layer, head }, film) {
  const within = (value, sides) => Math.max(0, Math.min(sides - 1, value));
  return { kind: film.kind ?? kind, layer: within(layer, film.layers), head: within(head, film.heads) };
}

function same(one, other) {
  return ["kind", "layer", "head"].every((name) => one?.[name] === other?.[name]);
}
