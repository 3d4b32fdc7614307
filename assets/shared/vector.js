import { travellingFont } from "./text.js";

// A pen with the part of the canvas context that the pictures use, which writes SVG: one drawing code for screen, PNG and SVG.

const ENTITIES = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };
const escape = (text) => String(text).replace(/[&<>"]/g, (mark) => ENTITIES[mark])
  // XML 1.0 has no place for control characters and lone surrogates.
  .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]|\p{Surrogate}/gu, "\ufffd");
const short = (value) => String(Math.round(value * 100) / 100);
const box = (x, y, w, h) => `x="${short(x)}" y="${short(y)}" width="${short(w)}" height="${short(h)}"`;
const ANCHORS = { left: { ltr: "start", rtl: "end" }, right: { ltr: "end", rtl: "start" }, center: { ltr: "middle", rtl: "middle" } };

export class VectorPen {
  constructor(width, height) {
    Object.assign(this, { width, height, vector: true, body: [], defs: "", clips: 0, stack: [], path: "" });
    this.state = { turn: "", groups: 0, globalAlpha: 1, lineWidth: 1, fillStyle: "#000", strokeStyle: "#000", font: "",
      textAlign: "left", direction: "ltr", dashes: "" };
    for (const name of Object.keys(this.state).slice(2)) {
      Object.defineProperty(this, name, { get: () => this.state[name], set: (value) => { this.state[name] = value; } });
    }
  }

  save() { this.stack.push({ ...this.state }); this.state.groups = 0; }
  restore() { this.body.push("</g>".repeat(this.state.groups)); this.state = this.stack.pop(); }
  open(attributes) { this.body.push(`<g ${attributes}>`); this.state.groups++; }
  translate(x, y) { this.open(`transform="translate(${short(x)} ${short(y)})"`); }
  rotate(angle) { this.open(`transform="rotate(${short((angle * 180) / Math.PI)})"`); }

  hatch(colour) {
    const lines = `<path d="M-1 1L1 -1M0 6L6 0M5 7L7 5" stroke="${colour}"/>`;
    const pattern = `<pattern id="hatch" width="6" height="6" patternUnits="userSpaceOnUse">${lines}</pattern>`;
    this.defs = pattern + this.defs.replace(/<pattern.*?<\/pattern>/, "");
    return "url(#hatch)";
  }

  beginPath() { this.path = ""; }
  moveTo(x, y) { this.path += `M${short(x)} ${short(y)}`; }
  lineTo(x, y) { this.path += `L${short(x)} ${short(y)}`; }
  bezierCurveTo(...at) { this.path += `C${at.map(short).join(" ")}`; }
  rect(x, y, w, h) { this.path += `M${short(x)} ${short(y)}h${short(w)}v${short(h)}h${short(-w)}z`; }
  roundRect(x, y, w, h, r) {
    const turn = (dx, dy) => `a${r} ${r} 0 0 1 ${short(dx)} ${short(dy)}`;
    this.path += `M${short(x + r)} ${short(y)}h${short(w - 2 * r)}${turn(r, r)}v${short(h - 2 * r)}${turn(-r, r)}`
      + `h${short(2 * r - w)}${turn(-r, -r)}v${short(2 * r - h)}${turn(r, -r)}z`;
  }

  clip() {
    this.defs += `<clipPath id="clip${++this.clips}"><path d="${this.path}"/></clipPath>`;
    this.open(`clip-path="url(#clip${this.clips})"`);
  }

  setLineDash(dashes) { this.state.dashes = dashes.join(" "); }
  line() {
    const dashes = this.state.dashes ? ` stroke-dasharray="${this.state.dashes}"` : "";
    return `stroke="${this.strokeStyle}" stroke-width="${short(this.lineWidth)}" stroke-linejoin="round"${dashes}`;
  }

  fill() { if (this.path) this.body.push(`<path d="${this.path}" fill="${this.fillStyle}"/>`); }
  stroke() {
    this.body.push(`<path d="${this.path}" fill="none" ${this.line()} opacity="${short(this.globalAlpha)}"/>`);
  }
  fillRect(x, y, w, h) {
    this.body.push(`<rect ${box(x, y, w, h)} fill="${this.fillStyle}" shape-rendering="crispEdges"/>`);
  }
  strokeRect(x, y, w, h) {
    this.body.push(`<rect ${box(x, y, w, h)} fill="none" ${this.line()}/>`);
  }

  fillText(text, x, y) {
    const anchor = ANCHORS[this.textAlign][this.direction], turn = this.direction === "rtl" ? ' direction="rtl"' : "";
    // Drawing programs differ on dominant-baseline: the middle of the small letters is worked out here.
    const low = y + 0.35 * Number(/([\d.]+)px/.exec(this.font)[1]);
    const place = `x="${short(x)}" y="${short(low)}" text-anchor="${anchor}"${turn}`;
    const look = `fill="${this.fillStyle}" style="font:${escape(travellingFont(this.font))}"`;
    this.body.push(`<text ${place} ${look}>${escape(text)}</text>`);
  }

  toString() {
    const w = short(this.width), h = short(this.height);
    return `<svg xmlns="http://www.w3.org/2000/svg" width="${w}" height="${h}" viewBox="0 0 ${w} ${h}">`
      + `<defs>${this.defs}</defs><g xml:space="preserve">${this.body.join("")}</g></svg>`;
  }
}
