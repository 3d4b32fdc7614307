// A matrix too large for numbers: tinted cells on a canvas, with a grid of one live cell for keys and screen readers.

import { entryOf } from "./colours.js";
import { keep, moved } from "./keys.js";
import { label, make, spokenName } from "./labels.js";
import { isLit, names } from "./light.js";
import { full } from "./numbers.js";
import { cellText } from "./number_grid.js";

export class TintGrid {
  constructor(item, shown, plan, actions) {
    Object.assign(this, { item, shown, plan, actions, active: [0, 0], focused: false });
    this.canvas = make("canvas", "", { "aria-hidden": "true" });
    this.width = shown.columns.length * plan.cell[0];
    this.height = shown.rows.length * plan.cell[1];
    Object.assign(this.canvas.style, { width: `${this.width}px`, height: `${this.height}px` });
    this.rowHeads = this.headings(shown.rows, item.rows, plan.cell[1], 12, "top");
    this.columnHeads = this.headings(shown.columns, item.columns, plan.cell[0], plan.upright ? 13 : 26, "left");
    this.head = make("div", plan.upright ? "tint-columns upright" : "tint-columns", { "aria-hidden": "true" }, ...this.columnHeads.values());
    this.head.style.width = `${this.width}px`;
    if (plan.upright) this.head.style.height = `${plan.upright}px`;
    this.body = make("div", "tint-body", {}, this.canvas);
    Object.assign(this.body.style, { width: `${this.width}px`, height: `${this.height}px` });
    this.liveHead = make("span", "", { role: "columnheader" });
    this.liveRow = make("span", "", { role: "rowheader" });
    this.liveCell = make("span", "", { role: "gridcell", id: `cell-${encodeURIComponent(item.key)}` });
    this.grid = make("div", "tint", {
      role: "grid", tabindex: "0", "aria-label": `${spokenName(item)}, ${item.shape[0]} by ${item.shape[1]}`,
      "aria-rowcount": item.shape[0] + 1, "aria-colcount": item.shape[1] + 1, "aria-activedescendant": `cell-${encodeURIComponent(item.key)}`,
    },
    make("div", "unseen", { role: "row", "aria-rowindex": 1 }, this.liveHead),
    make("div", "unseen", { role: "row" }, this.liveRow, this.liveCell),
    make("div", "tint-rows", { "aria-hidden": "true" }, ...this.rowHeads.values()), this.head, this.body);
    this.element = make("div", "frame", {}, this.grid);
    this.listen();
    this.sayActive();
  }

  /** Labels of every k-th row or column, so that they do not touch: Map of index -> element. */
  headings(indices, names, size, room, side) {
    const every = Math.max(1, Math.ceil(room / size - 0.25));
    const heads = new Map();
    indices.forEach((index, place) => {
      if (place % every) return;
      const head = make("span", "tint-head", {}, label(names[index]));
      head.style[side] = `${(place + 0.5) * size}px`;
      heads.set(index, head);
    });
    return heads;
  }

  listen() {
    const { key } = this.item;
    const at = (event) => {
      const box = this.canvas.getBoundingClientRect();
      const place = (offset, size, count) => Math.min(Math.max(Math.floor(offset / size), 0), count - 1);
      return [this.shown.rows[place(event.clientY - box.top, this.plan.cell[1], this.shown.rows.length)],
        this.shown.columns[place(event.clientX - box.left, this.plan.cell[0], this.shown.columns.length)]];
    };
    this.canvas.onpointermove = (event) => {
      const [row, column] = at(event);
      this.canvas.title = this.tooltip(row, column);
      this.actions.point(key, [row, column]);
    };
    this.canvas.onpointerleave = () => this.actions.point(key, null);
    this.canvas.onclick = (event) => {
      const cell = at(event);
      this.active = [this.shown.rows.indexOf(cell[0]), this.shown.columns.indexOf(cell[1])];
      this.sayActive();
      this.actions.select(key, cell);
    };
    this.grid.onfocus = () => { this.focused = true; this.actions.focus(key, this.activeCell()); };
    this.grid.onblur = () => { this.focused = false; this.actions.focus(key, null); };
    this.grid.onkeydown = (event) => {
      const next = moved(event, this.active, [this.shown.rows.length, this.shown.columns.length]);
      if (next) {
        keep(event);
        this.active = next;
        this.sayActive();
        this.actions.focus(key, this.activeCell());
      } else if (event.key === "Enter" || event.key === " ") {
        keep(event);
        this.actions.select(key, this.activeCell());
      }
    };
  }

  tooltip(row, column) {
    const index = row * this.item.shape[1] + column;
    const number = this.item.masked && this.item.masked[index] ? "masked" : full(this.item.values[index]);
    return `${this.item.rows[row]}, ${this.item.columns[column]}: ${number}`;
  }

  activeCell() {
    return [this.shown.rows[this.active[0]], this.shown.columns[this.active[1]]];
  }

  sayActive() {
    const [row, column] = this.activeCell();
    this.liveHead.textContent = this.item.columns[column];
    this.liveRow.textContent = this.item.rows[row];
    this.liveCell.textContent = cellText(this.item, row, column);
    this.liveCell.parentElement.setAttribute("aria-rowindex", row + 2);
    this.liveCell.setAttribute("aria-colindex", column + 2);
  }

  focusCell([row, column]) {
    this.active = [Math.max(0, this.shown.rows.indexOf(row)), Math.max(0, this.shown.columns.indexOf(column))];
    this.sayActive();
    this.grid.focus({ preventScroll: true });
  }

  paint(item, light, selected, colours) {
    const other = this.values !== undefined && this.values !== item.values && this.values.some((value, index) => !Object.is(value, item.values[index]));
    Object.assign(this, { item, values: item.values });
    const { rows, columns } = this.shown;
    const [width, height] = this.plan.cell;
    const lit = rows.map((row) => columns.map((column) => isLit(light, row, column)));
    const density = window.devicePixelRatio || 1;
    const [across, down] = [Math.round(this.width * density), Math.round(this.height * density)];
    if (this.canvas.width !== across || this.canvas.height !== down) Object.assign(this.canvas, { width: across, height: down });
    const context = this.canvas.getContext("2d");
    this.small ??= make("canvas", "", { width: columns.length, height: rows.length });
    const pixels = new ImageData(columns.length, rows.length);
    const hatched = new Path2D();
    rows.forEach((row, r) => columns.forEach((column, c) => {
      const index = row * item.shape[1] + column;
      const masked = item.masked && item.masked[index];
      const tint = item.tint === "none" ? "signed" : item.tint;
      const entry = entryOf(masked ? NaN : item.values[index], tint, item.largest, colours);
      pixels.data.set(lit[r][c] ? entry.lit : entry.dim, (r * columns.length + c) * 4);
      pixels.data[(r * columns.length + c) * 4 + 3] = 255;
      if (masked) hatched.rect(c * width, r * height, width, height);
    }));
    this.small.getContext("2d").putImageData(pixels, 0, 0);
    context.setTransform(density, 0, 0, density, 0, 0);
    context.imageSmoothingEnabled = false;
    context.drawImage(this.small, 0, 0, this.width, this.height);
    if (item.masked) this.hatch(context, hatched, colours);
    if (Math.min(width, height) >= 8) this.rule(context, colours.background);
    if (light !== null) this.outline(context, lit, colours.roles[item.role]);
    const mark = (cell, colour) => {
      const [r, c] = [rows.indexOf(cell[0]), columns.indexOf(cell[1])];
      context.lineWidth = 2;
      context.strokeStyle = colour;
      context.strokeRect(c * width - 1, r * height - 1, width + 2, height + 2);
    };
    if (selected !== null) mark(selected, colours.accent);
    if (this.focused) mark(this.activeCell(), colours.accent);
    this.sayActive();
    this.rowHeads.forEach((head, index) => head.classList.toggle("lit", names(light, "rows", index)));
    this.columnHeads.forEach((head, index) => head.classList.toggle("lit", names(light, "columns", index)));
    return other ? [this.body] : [];
  }

  /** Diagonal lines over the masked cells, at the same angle as in the grid of numbers. */
  hatch(context, path, colours) {
    context.save();
    context.clip(path);
    context.strokeStyle = colours.hatch;
    context.lineWidth = 1;
    context.beginPath();
    for (let x = -this.height; x < this.width; x += 6) {
      context.moveTo(x, this.height);
      context.lineTo(x + this.height, 0);
    }
    context.stroke();
    context.restore();
  }

  /** Hairlines between the cells. */
  rule(context, colour) {
    const [width, height] = this.plan.cell;
    context.strokeStyle = colour;
    context.lineWidth = 1;
    context.beginPath();
    for (let c = 1; c < this.shown.columns.length; c += 1) { context.moveTo(c * width, 0); context.lineTo(c * width, this.height); }
    for (let r = 1; r < this.shown.rows.length; r += 1) { context.moveTo(0, r * height); context.lineTo(this.width, r * height); }
    context.stroke();
  }

  outline(context, lit, colour) {
    const [width, height] = this.plan.cell;
    context.strokeStyle = colour;
    context.lineWidth = 2;
    context.beginPath();
    const line = (x0, y0, x1, y1) => { context.moveTo(x0, y0); context.lineTo(x1, y1); };
    lit.forEach((cells, r) => cells.forEach((isOn, c) => {
      if (!isOn) return;
      const [left, top, right, bottom] = [c * width, r * height, (c + 1) * width, (r + 1) * height];
      if (!lit[r - 1]?.[c]) line(left, top + 1, right, top + 1);
      if (!lit[r + 1]?.[c]) line(left, bottom - 1, right, bottom - 1);
      if (!cells[c - 1]) line(left + 1, top, left + 1, bottom);
      if (!cells[c + 1]) line(right - 1, top, right - 1, bottom);
    }));
    context.stroke();
  }
}
