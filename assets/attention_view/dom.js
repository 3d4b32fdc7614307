// The elements, built once a mount and filled later. data-part names them for styles and tests.

import { element, part, segments } from "../shared/element.js";

export function buildDom(root) {
  const parts = {};
  const keep = (name, tag, properties, ...children) => (parts[name] = part(tag, name, properties, ...children));

  keep("layer", "select", { "aria-label": "Layer" });
  keep("heads-title", "div", {}, part("span", "heads-name", { textContent: "Heads" }),
    part("span", "heads-axes", { textContent: "layer ↓  head →" }), element("label", { className: "layer-pick" }, "Layer ", parts.layer));
  keep("tiles", "canvas");
  keep("chosen", "div", { className: "ring chosen" });
  keep("pointed", "div", { className: "ring pointed", hidden: true });
  keep("grid", "div", { tabIndex: 0, role: "application", "aria-roledescription": "grid of heads" },
    parts.tiles, parts.pointed, parts.chosen);
  keep("heads", "section", { "aria-label": "Heads" }, parts["heads-title"], parts.grid);

  keep("title", "span");
  keep("name", "span");
  keep("role", "span");
  keep("badge", "span", { textContent: "approximate", hidden: true });
  const heading = part("div", "heading", {}, parts.title, parts.name, parts.role, parts.badge);
  parts.version = segments("version", "Before or after the edits", ["after", "before", "difference"]);
  parts.zoom = segments("zoom", "Size of the cells", ["fit", "read"]);
  parts.shape = segments("shape", "Picture", ["map", "arcs"]);
  keep("menu", "div", { role: "menu", hidden: true });
  keep("save", "button", { type: "button", "aria-haspopup": "menu", "aria-expanded": "false", textContent: "Download" });
  const save = element("div", { className: "save-box" }, parts.save, parts.menu);
  const bar = part("div", "bar", {}, heading,
    element("div", { className: "controls" }, parts.version.box, parts.zoom.box, parts.shape.box, save));

  keep("line", "div");
  keep("number", "div");
  keep("readout", "div", {}, parts.line, parts.number);

  keep("base", "canvas");
  keep("over", "canvas");
  keep("pane", "div", {}, parts.base, parts.over);
  keep("spacer", "div", {}, parts.pane);
  keep("frame", "div", { tabIndex: 0, role: "application" }, parts.spacer);

  keep("scale", "div", { role: "img" }, ...["low", "mid", "high"].map((name) => element("span", { className: name })));
  keep("hatched", "span", {}, element("i", { "aria-hidden": "true" }), "masked");
  keep("share", "input", { type: "range", min: "10", max: "100", step: "1", "aria-label": "Share of each row's mass to show" });
  keep("share-value", "output");
  keep("note", "span");
  const legend = part("div", "legend", {}, parts.scale, parts.hatched,
    element("div", { className: "threshold" }, element("label", {}, "Share shown ", parts.share), parts["share-value"], parts.note));

  keep("picture", "section", { "aria-label": "Attention weights" }, bar, parts.readout, parts.frame, legend);
  keep("tip", "div", { hidden: true });
  keep("spoken", "div", { role: "status", "aria-live": "polite" });
  root.replaceChildren(parts.heads, parts.picture, parts.tip, parts.spoken);
  root.classList.remove("waiting");
  return parts;
}
