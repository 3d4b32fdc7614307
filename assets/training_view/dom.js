// The elements, built once a mount and filled later. data-part names them for styles and tests.

import { element, part, segments } from "../shared/element.js";

// Not plain numbers: as names of properties those would be put in an order of their own.
export const SPEEDS = ["0.5×", "1×", "2×", "4×"];

export function buildDom(root) {
  const parts = {};
  const keep = (name, tag, properties, ...children) => (parts[name] = part(tag, name, properties, ...children));

  keep("state", "span");
  keep("facts", "dl");
  keep("progress", "div", { role: "progressbar", "aria-label": "Steps done", "aria-valuemin": "0" }, keep("done", "div"));
  keep("status", "section", { "aria-label": "The run" }, part("div", "status-line", {}, parts.state, parts.facts), parts.progress);

  keep("curves", "section", { "aria-label": "Curves" }, ...curveParts(keep, parts));
  keep("picture", "section", { "aria-label": "Attention of the probe" }, ...pictureParts(keep, parts));
  keep("body", "div", {}, parts.curves, parts.picture);
  keep("timebar", "section", { "aria-label": "Time" }, ...timeParts(keep, parts));

  keep("as-table", "button", { type: "button", "aria-expanded": "false", textContent: "As a table" });
  keep("thinned", "span");
  keep("table", "div", { hidden: true, tabIndex: 0, role: "region", "aria-label": "The pictures as a table" });
  keep("below", "div", {}, parts["as-table"], parts.thinned);
  keep("tip", "div", { hidden: true });
  keep("spoken", "div", { role: "status", "aria-live": "polite" });
  root.replaceChildren(parts.status, parts.body, parts.timebar, parts.below, parts.table, parts.tip, parts.spoken);
  root.classList.remove("waiting");
  return parts;
}

function curveParts(keep, parts) {
  keep("log", "button", { type: "button", "aria-pressed": "false", textContent: "log", title: "Loss on a logarithmic axis" });
  keep("lines", "canvas");
  keep("cursor", "canvas");
  keep("plots", "div", { tabIndex: 0, role: "application", "aria-roledescription": "curves" }, parts.lines, parts.cursor, parts.log);
  return [keep("runs", "div", { hidden: true }), parts.plots];
}

function pictureParts(keep, parts) {
  keep("name", "span");
  keep("roles", "div");
  keep("kinds", "div");
  keep("menu", "div", { role: "menu", hidden: true });
  keep("save", "button", { type: "button", "aria-haspopup": "menu", "aria-expanded": "false", textContent: "Download" });
  const save = element("div", { className: "save-box" }, parts.save, parts.menu);
  const controls = keep("controls", "div", {}, parts.kinds, save);
  const bar = part("div", "bar", {}, parts.name, controls);

  keep("tiles", "canvas");
  keep("chosen", "div", { className: "ring chosen" });
  keep("pointed", "div", { className: "ring pointed", hidden: true });
  keep("grid", "div", { tabIndex: 0, role: "application", "aria-roledescription": "grid of heads" }, parts.tiles, parts.pointed, parts.chosen);
  keep("base", "canvas");
  keep("over", "canvas");
  keep("frame", "div", { tabIndex: 0, role: "application", "aria-roledescription": "attention map" }, parts.base, parts.over);
  keep("empty", "div", { hidden: true });
  keep("film", "div", {}, keep("heads", "div", {}, part("div", "heads-axes", { textContent: "layer ↓  head →" }), parts.grid), parts.frame);

  keep("line", "div");
  keep("number", "strong");
  keep("readout", "div", {}, parts.line, parts.number);
  keep("scale", "div", { role: "img", "aria-label": "Colour scale from 0 to 1" },
    ...["0", "0.5", "1"].map((text) => element("span", { textContent: text })));
  keep("hatched", "span", {}, element("i", { "aria-hidden": "true" }), "masked");
  keep("right-on", "input", { type: "checkbox", checked: true });
  keep("right-name", "select", { "aria-label": "Which right keys" });
  keep("right", "div", {}, element("label", {}, parts["right-on"], element("i", { "aria-hidden": "true" }), "right keys"), parts["right-name"]);
  keep("legend", "div", {}, parts.scale, parts.hatched, parts.right);
  keep("passage", "div", { hidden: true });
  return [bar, parts.roles, parts.film, parts.empty, parts.readout, parts.legend, parts.passage];
}

function timeParts(keep, parts) {
  keep("play", "button", { type: "button" }, element("i", { "aria-hidden": "true" }), keep("play-word", "span", { textContent: "Play" }));
  keep("slider", "input", { type: "range", min: "0", max: "0", step: "1", value: "0", "aria-label": "Picture" });
  keep("ticks", "div", { "aria-hidden": "true" });
  keep("tick-names", "div", { "aria-hidden": "true" });
  const track = part("div", "track", {}, parts.ticks, parts.slider, parts["tick-names"]);
  keep("step", "output");
  parts.speed = segments("speed", "Speed", SPEEDS.map((speed) => [speed, speed]));
  keep("live", "button", { type: "button", hidden: true, "aria-pressed": "false" }, element("i", { "aria-hidden": "true" }), "live");
  return [parts.play, track, parts.step, parts.speed.box, parts.live];
}
