// A matrix small enough to be read: an ARIA grid of numbers on their tints.

import { entryOf } from "./colours.js";
import { keep, moved } from "./keys.js";
import { label, make, spokenName } from "./labels.js";
import { isLit, names } from "./light.js";
import { full, sharedDecimals, short } from "./numbers.js";

/** Shown text of a cell: its number, or what the mask says. */
export function cellText(item, row, column, decimals = null) {
  const index = row * item.shape[1] + column;
  return item.masked && item.masked[index] ? item.masked_text : short(item.values[index], decimals);
}

export class NumberGrid {
  constructor(item, shown, plan, actions) {
    Object.assign(this, { item, shown, actions, active: [0, 0] });
    this.cells = shown.rows.map((row) => shown.columns.map((column) => this.cell(row, column)));
    this.rowHeads = shown.rows.map((row) => make("th", "row-head", { scope: "row", role: "rowheader" }, label(item.rows[row])));
    this.columnHeads = shown.columns.map((column) => make("th", "column-head", { scope: "col", role: "columnheader" }, label(item.columns[column])));
    this.head = make("thead", "", { role: "rowgroup" }, make("tr", "", { role: "row" }, make("td", "corner"), ...this.columnHeads));
    this.body = make("tbody", "", { role: "rowgroup" }, ...this.cells.map((cells, index) => make("tr", "", { role: "row" }, this.rowHeads[index], ...cells)));
    const [rows, columns] = item.shape;
    this.table = make("table", "numbers", { role: "grid", "aria-rowcount": rows + 1, "aria-colcount": columns + 1 },
      make("caption", "unseen", {}, `${spokenName(item)}, ${rows} by ${columns}`), this.head, this.body);
    this.table.style.setProperty("--rows", shown.rows.length);
    this.table.classList.toggle("compact", plan.compact);
    this.rowHeads[0].classList.add("bracket-left");
    this.cells[0].at(-1).classList.add("bracket-right");
    this.element = make("div", "frame", {}, this.table);
    this.cells[0][0].tabIndex = 0;
    this.listen();
  }

  cell(row, column) {
    const cell = make("td", "cell", { role: "gridcell", "aria-rowindex": row + 2, "aria-colindex": column + 2 });
    cell.tabIndex = -1;
    cell.at = [row, column];
    if (!this.item.editable) cell.setAttribute("aria-readonly", "true");
    return cell;
  }

  listen() {
    const { key } = this.item;
    const cellOf = (event) => event.target.closest("td.cell");
    this.table.onpointerover = (event) => this.actions.point(key, cellOf(event)?.at ?? null);
    this.table.onpointerleave = () => this.actions.point(key, null);
    // These two have no on* property; the table is built once, so that they are added once.
    this.table.addEventListener("focusin", (event) => {
      const cell = cellOf(event);
      if (!cell) return;
      this.roveTo(cell);
      this.actions.focus(key, cell.at);
    });
    this.table.addEventListener("focusout", () => this.actions.focus(key, null));
    this.table.onclick = (event) => cellOf(event) && event.target.tagName !== "INPUT" && this.actions.select(key, cellOf(event).at);
    this.table.ondblclick = (event) => cellOf(event) && event.target.tagName !== "INPUT" && this.edit(cellOf(event));
    this.table.onkeydown = (event) => this.press(event);
  }

  press(event) {
    const cell = event.target.closest("td.cell");
    if (!cell || event.target !== cell) return;
    const next = moved(event, this.active, [this.shown.rows.length, this.shown.columns.length]);
    if (next) {
      keep(event);
      this.cells[next[0]][next[1]].focus();
    } else if (event.key === "Enter" && this.item.editable) {
      keep(event);
      this.edit(cell);
    } else if (event.key === "Enter" || event.key === " ") {
      keep(event);
      this.actions.select(this.item.key, cell.at);
    } else if (this.item.editable && /^[0-9.+-]$/.test(event.key) && !event.ctrlKey && !event.metaKey && !event.altKey) {
      keep(event);
      this.edit(cell, event.key);
    }
  }

  edit(cell, typed = null) {
    const [row, column] = cell.at;
    if (this.item.editable && !(this.item.masked && this.item.masked[row * this.item.shape[1] + column])) this.actions.edit(this, cell, typed);
  }

  roveTo(cell) {
    this.cells[this.active[0]][this.active[1]].tabIndex = -1;
    this.active = [this.shown.rows.indexOf(cell.at[0]), this.shown.columns.indexOf(cell.at[1])];
    cell.tabIndex = 0;
  }

  cellAt([row, column]) {
    return this.cells[this.shown.rows.indexOf(row)]?.[this.shown.columns.indexOf(column)] ?? null;
  }

  focusCell(at) {
    this.cellAt(at)?.focus({ preventScroll: true });
  }

  /** Numbers, tints and what is lit. Returns the cells whose number is another one than before. */
  paint(item, light, selected, colours) {
    this.item = item;
    const decimals = sharedDecimals(item.values, item.masked);
    const { rows, columns } = this.shown;
    const lit = rows.map((row) => columns.map((column) => isLit(light, row, column)));
    const changed = [];
    this.cells.forEach((cells, r) => cells.forEach((cell, c) => {
      const [row, column] = cell.at;
      const index = row * item.shape[1] + column;
      const masked = Boolean(item.masked && item.masked[index]);
      const value = item.values[index];
      if (!Object.is(cell.value, value) || cell.masked !== masked || cell.decimals !== decimals) {
        if (cell.value !== undefined && !(Object.is(cell.value, value) && cell.masked === masked)) changed.push(cell);
        Object.assign(cell, { value, masked, decimals });
        cell.text ??= cell.appendChild(make("span", "number"));
        cell.text.textContent = masked ? item.masked_text : short(value, decimals);
        cell.title = masked ? "masked" : full(value);
        cell.classList.toggle("masked", masked);
        cell.classList.remove("pending");
      }
      const isOn = lit[r][c];
      const entry = entryOf(masked ? NaN : value, item.tint === "signed" ? "soft" : item.tint, item.largest, colours);
      cell.style.backgroundColor = isOn ? entry.litCss : entry.dimCss;
      cell.style.color = isOn ? entry.litText : entry.dimText;
      cell.style.boxShadow = light !== null && isOn ? edges(lit, r, c) : "";
      cell.classList.toggle("lit", light !== null && isOn);
      const chosen = selected !== null && selected[0] === row && selected[1] === column;
      cell.classList.toggle("selected", chosen);
      cell.setAttribute("aria-selected", chosen);
    }));
    this.rowHeads.forEach((head, r) => head.classList.toggle("lit", names(light, "rows", rows[r])));
    this.columnHeads.forEach((head, c) => head.classList.toggle("lit", names(light, "columns", columns[c])));
    return changed;
  }
}

/** The outline of a lit region: a line on each side whose neighbour is not lit. */
function edges(lit, r, c) {
  const sides = [];
  if (!lit[r - 1]?.[c]) sides.push("inset 0 2px 0 var(--role)");
  if (!lit[r + 1]?.[c]) sides.push("inset 0 -2px 0 var(--role)");
  if (!lit[r][c - 1]) sides.push("inset 2px 0 0 var(--role)");
  if (!lit[r][c + 1]) sides.push("inset -2px 0 0 var(--role)");
  return sides.join(",");
}

/** "row cat, column The, 0.118": what a screen reader says of a cell. */
export function spokenCell(item, [row, column]) {
  const index = row * item.shape[1] + column;
  const said = item.masked && item.masked[index] ? "masked" : short(item.values[index]).replace("\u2212", "minus ");
  return `row ${item.rows[row]}, column ${item.columns[column]}, ${said}`;
}
