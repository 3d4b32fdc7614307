// The attention view: linked grid of heads, heat map and arcs. Streamlit runs the default function at each update; what the
// person has set since the mount (picture, share, zoom) lives on the root element, so that new weights never undo it.

import { buildDom } from "./dom.js";
import { readPayload } from "./payload.js";
import { listen } from "./interaction.js";
import { forgetWidths } from "../shared/text.js";
import { paint } from "./paint.js";

const STALE = 3000;

export default function attentionView(component) {
  let root = component.parentElement.querySelector(".attention-view");
  if (!root) {
    root = document.createElement("div");
    root.className = "attention-view";
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
    this.payload = null;
    this.selection = null;
    this.hover = null;
    this.shape = "map";
    this.version = "after";
    this.zoom = "fit";
    this.share = 1;
    this.told = null;
    this.cache = {};
    // Kept by the scroll event: asking the frame would force a layout in every frame drawn.
    this.scroll = { x: 0, y: 0 };
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
    const payload = readPayload(bytes), { header } = payload, old = this.payload?.header;
    if (header.id !== old?.id) {
      this.payload = payload;
      this.takeLook(header, old);
      if (header.text !== old?.text) this.hover = null;
      if (!this.answersAnOlderAsk(header, old)) this.adopt(header.selection);
    }
    this.draw();
  }

  // Picture and share as the server has them, unless it has yet to answer what the person set here.
  takeLook(header, old) {
    if (this.told) {
      if (header.view === this.told.view && header.share === this.told.share) this.told = null;
      return;
    }
    if (header.view !== old?.view) this.shape = header.view;
    if (header.share !== old?.share) this.share = header.share;
  }

  // Picture or share set here: shown at once, told to the server when it has come to rest, so that a link carries it.
  look(change, wait = 0) {
    this.set(change);
    this.told = { view: this.shape, share: this.share };
    clearTimeout(this.settling);
    this.settling = setTimeout(() => {
      this.host.setStateValue?.("look", this.told);
      this.settling = setTimeout(() => { this.told = null; }, STALE);
    }, wait);
  }

  // Two clicks in quick succession: the answer to the first must not pull the person back from the second.
  answersAnOlderAsk(header, old) {
    if (!this.asked || old?.text !== header.text) return false;
    return !sameSelection(header.selection, this.asked);
  }

  adopt(selection) {
    clearTimeout(this.patience);
    this.asked = null;
    this.selection = { ...selection };
  }

  // A choice of the person's: shown at once, told to the server now or when the keys have come to rest.
  choose(change, wait = 0) {
    this.selection = { ...this.selection, ...change };
    this.asked = this.selection;
    clearTimeout(this.resting);
    if (wait) this.resting = setTimeout(() => this.commit(), wait);
    else this.commit();
    this.draw();
  }

  commit() {
    clearTimeout(this.resting);
    if (!this.asked) return;
    this.asked = this.selection;
    clearTimeout(this.patience);
    this.patience = setTimeout(() => this.settle(), STALE);
    this.host.setStateValue?.("selection", { ...this.selection });
  }

  // The server had its time: what it last sent is what holds.
  settle() {
    if (this.asked && this.host.setStateValue && !sameSelection(this.payload.header.selection, this.asked)) {
      this.adopt(this.payload.header.selection);
      this.draw();
    }
    this.asked = null;
  }

  set(change) {
    Object.assign(this, change);
    this.draw();
  }

  draw() {
    if (this.frame || !this.payload) return;
    this.frame = requestAnimationFrame(() => {
      this.frame = 0;
      paint(this);
      this.root.dataset.painted = this.payload.header.id;
    });
  }

  dispose() {
    cancelAnimationFrame(this.frame);
    this.observer.disconnect();
    this.scheme.onchange = null;
    document.fonts?.removeEventListener("loadingdone", this.refont);
    for (const timer of [this.resting, this.patience, this.settling]) clearTimeout(timer);
    this.root.view = undefined;
  }
}

export function sameSelection(one, other) {
  return ["layer", "head", "query", "key"].every((name) => (one[name] ?? null) === (other[name] ?? null));
}
