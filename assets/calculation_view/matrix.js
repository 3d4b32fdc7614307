// One matrix as a figure: name above, grid between brackets, shape and scale below.

import { label, make, matrixName } from "./labels.js";
import { NumberGrid } from "./number_grid.js";
import { sharedDecimals, short } from "./numbers.js";
import { TintGrid } from "./tint_grid.js";

/** What must be the same for a figure to be kept and only repainted. */
export function signature(item, plan) {
  const { values, masked, offset, mask_offset, lit, largest, closed, ...kept } = item;
  return JSON.stringify([kept, plan]);
}

export class MatrixFigure {
  constructor(item, plan, actions) {
    this.signature = signature(item, plan);
    const [rows, columns] = item.shape;
    const shown = plan.shown;
    this.grid = new (plan.mode === "numbers" ? NumberGrid : TintGrid)(item, shown, plan, actions);
    this.name = make("div", "name", { "aria-hidden": "true" }, matrixName(item));
    this.shape = make("div", "shape", {}, `[${rows} \u00d7 ${columns}]`);
    this.scale = make("div", "scale", {}, this.low = make("span"), this.bar = make("span", "bar"), this.high = make("span"));
    this.notes = make("div", "notes");
    this.element = make("div", `matrix role-${item.role} ${plan.mode}`, { "data-matrix": item.key },
      this.name, this.grid.element, make("div", "foot", {}, this.shape, this.scale, this.notes));
    const style = this.element.style;
    style.setProperty("--role", `var(--${item.role})`);
    style.setProperty("--heads", `${plan.heads}px`);
    style.setProperty("--cell", `${plan.cell[0]}px`);
    style.setProperty("--row", `${plan.cell[1]}px`);
    this.plan = plan;
  }

  paint(item, light, selected, colours) {
    const numbers = this.plan.mode === "numbers";
    const tint = item.tint === "none" && !numbers ? "signed" : item.tint;
    const largest = short(item.largest, numbers ? sharedDecimals(item.values, item.masked) : null);
    [this.low.textContent, this.high.textContent] = tint === "unit" ? ["0", "1"] : [`\u2212${largest}`, largest];
    this.scale.hidden = tint === "none" || (tint === "signed" && item.largest === 0);
    this.scale.title = tint === "unit" ? "tint: 0 to 1" : `tint: symmetric about 0, largest absolute value ${largest}`;
    if (!this.scale.hidden) this.bar.style.background = `linear-gradient(90deg, ${colours.bars[tint === "signed" && numbers ? "soft" : tint].join(", ")})`;
    this.notes.replaceChildren(...this.noteLines(item));
    return this.grid.paint(item, light, selected, colours);
  }

  noteLines(item) {
    const { rows, columns } = this.plan.shown;
    const lines = [];
    const hidden = rows.length < item.shape[0] || columns.length < item.shape[1];
    if (item.note) lines.push(make("div", "", {}, item.note));
    if (hidden) lines.push(make("div", "", {}, `showing ${rows.length} of ${item.shape[0]} rows, ${columns.length} of ${item.shape[1]} columns`));
    if (item.closed.length) {
      const names = item.closed.slice(0, 4).flatMap((row, index) => [index ? ", " : "", label(item.rows[row])]);
      lines.push(make("div", "", {}, "no key available: ", ...names, item.closed.length > 4 ? ` and ${item.closed.length - 4} more` : ""));
    }
    if (item.editable) lines.push(make("div", "can-edit", {}, "double-click to change"));
    return lines;
  }

  /** Equal room above and below the rows of numbers, so that all matrices of a line share one axis. */
  balance(measured) {
    const [above, below] = measured;
    this.element.style.paddingTop = `${Math.max(0, below - above)}px`;
    this.element.style.paddingBottom = `${Math.max(0, above - below)}px`;
  }

  measure() {
    const [outer, inner] = [this.element.getBoundingClientRect(), this.grid.body.getBoundingClientRect()];
    const padding = [this.element.style.paddingTop, this.element.style.paddingBottom].map((value) => parseFloat(value) || 0);
    return [inner.top - outer.top - padding[0], outer.bottom - inner.bottom - padding[1]];
  }
}
