// Editing a number in place: nothing typed is lost, and what is wrong is said in one plain sentence.

import { make } from "./labels.js";
import { full, readNumber } from "./numbers.js";

export class CellEditor {
  /** `commit(item, at, value)` is told of a good number; `root` bounds the message. */
  constructor(root, commit) {
    Object.assign(this, { root, commit, cell: null });
    this.input = make("input", "editor", { type: "text", inputmode: "text", autocomplete: "off", spellcheck: "false", "aria-describedby": "problem" });
    this.message = make("div", "problem", { id: "problem", role: "alert" });
    this.message.hidden = true;
    root.append(this.message);
    this.input.onkeydown = (event) => {
      // The page's shortcuts must not see what is typed here: inside a shadow root they cannot tell that it is an input.
      event.stopPropagation();
      if (event.key === "Enter") this.finish(true);
      else if (event.key === "Escape") this.close(true);
      else return;
      event.preventDefault();
    };
    this.input.onkeyup = (event) => event.stopPropagation();
    this.input.onkeypress = (event) => event.stopPropagation();
    this.input.oninput = () => this.say("");
    this.input.onblur = () => this.cell && !this.moving && this.finish(false);
  }

  open(grid, cell, typed, limits) {
    if (this.cell === cell) return;
    if (this.cell && !this.finish(false)) {
      this.input.focus();
      return;
    }
    Object.assign(this, { grid, cell, limits });
    this.before = full(cell.value).replaceAll("\u2212", "-");
    this.input.value = typed ?? this.before;
    const [row, column] = cell.at;
    this.input.setAttribute("aria-label", `${grid.item.key}, row ${grid.item.rows[row]}, column ${grid.item.columns[column]}`);
    cell.classList.add("editing");
    cell.append(this.input);
    this.input.focus();
    if (typed === null) this.input.select();
  }

  /** Commit what was typed; false where it is not a number and so stays. */
  finish(refocus) {
    if (this.input.value.trim() === this.before) {
      this.close(refocus);
      return true;
    }
    const read = readNumber(this.input.value, this.limits);
    if (read.problem !== undefined) {
      this.say(read.problem);
      return false;
    }
    const { grid, cell } = this;
    this.close(refocus);
    this.commit(grid, cell, read.value);
    return true;
  }

  close(refocus) {
    const { cell } = this;
    this.cell = null;
    this.say("");
    this.input.remove();
    cell.classList.remove("editing");
    if (refocus) cell.focus();
  }

  say(problem) {
    this.message.textContent = problem;
    this.message.hidden = problem === "";
    this.input.setAttribute("aria-invalid", problem !== "");
    if (problem === "") return;
    const [outer, inner] = [this.root.getBoundingClientRect(), this.input.getBoundingClientRect()];
    this.message.style.top = `${inner.bottom - outer.top + 6}px`;
    this.message.style.left = `${Math.max(0, Math.min(inner.left - outer.left, outer.width - 264))}px`;
  }
}
