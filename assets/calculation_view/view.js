// The calculation view: one step of the computation as an equation of matrices. Mounted by st.components.v2.

import { CellEditor } from "./cell_editor.js";
import { palette } from "./colours.js";
import { make, symbol } from "./labels.js";
import { givenLight, makersOf } from "./light.js";
import { MatrixFigure, signature } from "./matrix.js";
import { spokenCell } from "./number_grid.js";
import { decode } from "./payload.js";
import { planFor, STACK_BELOW } from "./plan.js";
import { readout } from "./readout.js";

class CalculationView {
  constructor(parent) {
    this.root = make("div", "calculation", { role: "group", "aria-label": "calculation" });
    this.equation = make("div", "equation");
    this.summary = make("p", "unseen");
    this.focusButton = make("button", "only-lit", { type: "button" });
    this.line = make("div", "readout");
    this.live = make("div", "unseen", { "aria-live": "polite" });
    this.root.append(this.summary, this.focusButton, this.equation, this.line, this.live);
    parent.append(this.root);
    Object.assign(this, { figures: new Map(), pointed: null, focused: null, selected: null, onlyLit: null, step: null, width: 0 });
    this.editor = new CellEditor(this.root, (grid, cell, value) => this.commit(grid, cell, value));
    this.actions = {
      point: (key, at) => this.turnTo("pointed", key, at),
      focus: (key, at) => this.turnTo("focused", key, at),
      select: (key, at) => this.select(key, at),
      edit: (grid, cell, typed) => this.editor.open(grid, cell, typed, this.step.header.limits),
    };
    this.focusButton.onclick = () => { this.onlyLit = !this.onlyLit; this.draw(); };
    this.resized = new ResizeObserver(() => {
      if (this.step && Math.abs(this.root.clientWidth - this.width) > 1) this.draw();
    });
  }

  update(step) {
    const before = this.step;
    this.step = step;
    const { header } = step;
    this.resized.observe(this.root);
    const isNewStep = before !== null && before.header.step !== header.step;
    // What Python echoes back is taken over only when it says something new: a slow answer must not undo a later click.
    const said = JSON.stringify(header.selected);
    if (said !== this.said) this.selected = header.selected && { key: header.selected.matrix, at: [header.selected.row, header.selected.column] };
    else if (isNewStep && header.selected === null) this.selected = null;
    this.said = said;
    if (isNewStep) this.pointed = null;
    if (this.onlyLit === null || isNewStep) this.onlyLit = header.focus === "start";
    this.draw(isNewStep, before !== null && !isNewStep);
  }

  /** Lay out, build what is new, paint everything. */
  draw(arrives = false, marks = false) {
    const began = performance.now();
    const { step, root } = this;
    this.width = root.clientWidth;
    root.classList.toggle("stacked", this.width < STACK_BELOW);
    this.summary.textContent = step.header.summary;
    this.colours = palette(root, step.header.colours);
    for (const [role, colour] of Object.entries(this.colours.roles)) root.style.setProperty(`--${role}`, colour);
    for (const name of ["background", "text", "muted", "hairline", "hatch", "accent"]) root.style.setProperty(`--${name}`, this.colours[name]);
    const plans = planFor(step, this.width, this.onlyLit, getComputedStyle(root).fontFamily);
    this.offerFocus(plans);
    this.build(plans);
    const changed = this.paint();
    if (arrives) this.animate([this.figures.get(step.header.result)?.grid.body], "arrives");
    if (marks) this.animate(changed, "changed");
    root.dataset.milliseconds = (performance.now() - began).toFixed(2);
    root.dataset.painted = step.header.id;
  }

  offerFocus(plans) {
    const offered = this.step.header.focus !== "none" && [...plans.values()].some((plan) => plan.reducible);
    this.focusButton.hidden = !offered;
    this.focusButton.textContent = this.onlyLit ? "Show all rows and columns" : "Show only the lit rows and columns";
    this.focusButton.setAttribute("aria-pressed", Boolean(this.onlyLit));
  }

  build(plans) {
    const { step } = this;
    const outline = JSON.stringify([step.items.map((item) => (item.kind === "matrix" ? signature(item, plans.get(item.key)) : item)), this.width < STACK_BELOW]);
    if (outline === this.outline) return;
    this.outline = outline;
    const hadFocus = this.focused;
    const figures = new Map();
    for (const item of step.matrices) {
      const old = this.figures.get(item.key);
      const plan = plans.get(item.key);
      figures.set(item.key, old && old.signature === signature(item, plan) ? old : new MatrixFigure(item, plan, this.actions));
    }
    this.figures = figures;
    this.focused = null;
    this.equation.replaceChildren(...this.terms());
    if (this.editor.cell && !this.editor.cell.isConnected) this.editor.close(false);
    this.unbalanced = true;
    const figure = hadFocus && figures.get(hadFocus.key);
    if (figure) figure.grid.focusCell(hadFocus.at);
  }

  /** Each matrix with the operators before it: the two never part at a line's end. */
  terms() {
    const terms = [];
    let term = make("div", "term");
    for (const item of this.step.items) {
      if (item.kind === "operator") {
        const operator = make("div", `operator${/^\p{L}/u.test(item.symbol) ? " word" : ""}`, { "aria-label": item.spoken, role: "img" });
        operator.append(symbol(item.symbol));
        term.append(operator);
      } else {
        term.append(this.figures.get(item.key).element);
        terms.push(term);
        term = make("div", "term");
      }
    }
    if (term.childElementCount) terms.push(term);
    return terms;
  }

  paint() {
    const { step } = this;
    const at = this.pointed ?? this.focused ?? this.selected;
    const made = at && makersOf(step, at.key, ...at.at);
    const changed = [];
    for (const item of step.matrices) {
      const light = made?.get(item.key) ?? givenLight(item);
      const selected = this.selected?.key === item.key ? this.selected.at : null;
      changed.push(...this.figures.get(item.key).paint(item, light, selected, this.colours));
    }
    const item = at && step.matrices.find((matrix) => matrix.key === at.key);
    if (item && at.at[0] < item.shape[0] && at.at[1] < item.shape[1]) this.line.replaceChildren(readout(step, item, at.at));
    else this.line.replaceChildren(make("span", "hint", {}, this.hint()));
    if (this.unbalanced) {
      const measured = step.matrices.map((matrix) => this.figures.get(matrix.key).measure());
      step.matrices.forEach((matrix, index) => this.figures.get(matrix.key).balance(this.width < STACK_BELOW ? [0, 0] : measured[index]));
      this.unbalanced = false;
    }
    return changed;
  }

  hint() {
    if (this.step.header.hint) return this.step.header.hint;
    const isTinted = [...this.figures.values()].some((figure) => figure.plan.mode === "tints");
    return `Hover or select a cell to ${isTinted ? "read its number and " : ""}see how ${isTinted ? "it" : "its number"} is made.`;
  }

  turnTo(what, key, at) {
    const now = this[what];
    if (at === null ? now === null : now?.key === key && now.at[0] === at[0] && now.at[1] === at[1]) return;
    this[what] = at === null ? null : { key, at };
    if (what === "focused" && at !== null) {
      const item = this.step.matrices.find((matrix) => matrix.key === key);
      this.live.textContent = spokenCell(item, at);
    }
    this.paint();
  }

  select(key, at) {
    this.selected = { key, at };
    this.paint();
    this.send.state("cell", { matrix: key, row: at[0], column: at[1] });
  }

  commit(grid, cell, value) {
    const { item } = grid;
    const [row, column] = cell.at;
    // Shown at once; the next payload brings the truth.
    item.values[row * item.shape[1] + column] = value;
    this.animate(this.paint(), "changed");
    this.send.trigger("edit", { matrix: item.key, row, column, value });
  }

  /** Restart a short CSS animation; view.css drops it under prefers-reduced-motion. */
  animate(elements, name) {
    for (const element of elements) {
      if (!element) continue;
      element.classList.remove(name);
      void element.offsetWidth;
      element.classList.add(name);
      element.onanimationend = () => element.classList.remove(name);
    }
  }
}

export default function (component) {
  const { data, parentElement, setStateValue, setTriggerValue } = component;
  const view = (parentElement.calculationView ??= new CalculationView(parentElement));
  view.send = { state: setStateValue, trigger: setTriggerValue };
  view.update(decode(data));
  // A clean-up may come late, from an update that was overtaken: only a view that has left the page lets go.
  return () => { if (!view.root.isConnected) view.resized.disconnect(); };
}
