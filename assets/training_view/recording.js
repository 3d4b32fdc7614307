// What the browser has of a run: rows of numbers, pictures, films. Payloads join it by index; a gap makes it ask for all.

import { unpackBits } from "../shared/bytes.js";

const NUMBERS = ["step", "loss", "gradient_norm", "learning_rate"];

export class Recording {
  constructor() {
    this.run = null;
    this.header = null;
    this.version = 0;
  }

  // Takes a payload in. False: something between what is here and what came is missing, and nothing was taken.
  take({ header, arrays }) {
    const { run, first_row: row, first_picture: picture } = header, whole = row === 0 && picture === 0;
    if (!whole && (run !== this.run || row > this.rowsHeld || this.lacksPictures(header))) return false;
    if (whole) this.clear(header);
    this.run = run;
    this.header = header;
    this.version++;
    this.takeRows(header, arrays);
    this.takePictures(header, arrays);
    this.compare = header.compare.map((each, c) => comparedRun(each, arrays, `compare/${c}/`));
    return true;
  }

  // A film or a role may be new, or have stayed out of the last payload: then it has to come from its beginning too.
  lacksPictures({ first_picture: first, films, roles }) {
    const held = (list, name, key, values) => list.find((each) => each[key] === name)?.[values].length ?? 0;
    return this.pictures < first || films.some(({ kind }) => held(this.films, kind, "kind", "frames") < first)
      || roles.some((name) => held(this.roles, name, "name", "values") < first);
  }

  clear() {
    this.rows = { index: [], step: [], loss: [], gradient_norm: [], learning_rate: [] };
    this.rowsHeld = 0;
    this.pictureStep = [];
    this.accuracy = [];
    this.roles = [];
    this.films = [];
    this.compare = [];
  }

  get pictures() { return this.pictureStep.length; }

  takeRows(header, arrays) {
    const { rows } = this, first = header.first_row, own = arrays.get("row")?.values;
    const kept = firstAtLeast(rows.index, first);
    for (const values of Object.values(rows)) values.length = kept;
    const count = arrays.get("step").values.length;
    for (let i = 0; i < count; i++) rows.index.push(own ? own[i] : first + i);
    for (const name of NUMBERS) for (const value of arrays.get(name).values) rows[name].push(value);
    this.rowsHeld = first + header.row_count;
  }

  takePictures(header, arrays) {
    const first = header.first_picture, steps = arrays.get("picture_step").values;
    cutAndAdd(this.pictureStep, first, steps);
    cutAndAdd(this.accuracy, first, arrays.get("accuracy").values);
    for (const entry of header.films) {
      let film = this.films.find(({ kind }) => kind === entry.kind);
      if (!film) this.films.push((film = newFilm(entry, arrays)));
      cutAndAdd(film.frames, first, slices(arrays.get(`frames/${entry.kind}`)));
    }
    header.roles.forEach((name, i) => {
      const array = arrays.get(`role/${i}`);
      let role = this.roles.find((each) => each.name === name);
      if (!role) this.roles.push((role = { name, layers: array.shape[1], heads: array.shape[2], values: [] }));
      role.kind ??= kindOf(role, header, this.films);
      cutAndAdd(role.values, first, slices(array));
    });
  }

  film(kind) { return this.films.find((each) => each.kind === kind) ?? this.films[0] ?? null; }

  // The last row at or before a step; -1 where there is none.
  rowAt(step) { return firstAtLeast(this.rows.step, step + 1) - 1; }

  pictureNear(step) { return nearest(this.pictureStep, step); }

  get lastStep() { return Math.max(this.rows.step.at(-1) ?? 0, this.pictureStep.at(-1) ?? 0); }

  get live() { return ["starting", "running", "paused"].includes(this.header.state); }

  get thinned() { return this.rows.step.length < this.rowsHeld; }
}

// {layer, head, value} of a role's strongest head at a picture.
export function bestHead(role, picture) {
  const values = role.values[picture], at = values.reduce((top, value, i) => (value > values[top] ? i : top), 0);
  return { layer: Math.floor(at / role.heads), head: at % role.heads, value: values[at] };
}

export function roleValue(role, picture, layer, head) {
  return layer < role.layers && head < role.heads ? role.values[picture]?.[layer * role.heads + head] ?? NaN : NaN;
}

// First index at which a rising list reaches `value`.
function firstAtLeast(list, value) {
  let low = 0, high = list.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (list[middle] < value) low = middle + 1;
    else high = middle;
  }
  return low;
}

export function nearest(list, value) {
  const above = firstAtLeast(list, value);
  if (above === 0) return list.length ? 0 : -1;
  return above < list.length && list[above] - value < value - list[above - 1] ? above : above - 1;
}

function cutAndAdd(list, first, values) {
  list.length = first;
  for (const value of values) list.push(value);
}

// Copies, so that no payload lives on behind its pictures.
function slices({ shape, values }) {
  const size = shape.slice(1).reduce((product, side) => product * side, 1);
  return Array.from({ length: shape[0] }, (_, i) => values.slice(i * size, (i + 1) * size));
}

function newFilm(entry, arrays) {
  const { kind, queries, keys } = entry, cells = queries.length * keys.length;
  const flags = (name, wanted) => (arrays.has(name) ? unpackBits(arrays.get(name), 0, cells, wanted) : null);
  const right = new Map(entry.right.map((name, i) => [name, flags(`right/${kind}/${i}`, 1)]));
  return { ...entry, masked: flags(`mask/${kind}`, 0), right, frames: [] };
}

// The kind of attention that a role is measured on: as the page says, as the right keys say, or the model's own stack.
function kindOf(role, header, films) {
  const fits = ({ layers, heads }) => layers === role.layers && heads === role.heads;
  return header.role_kinds[role.name] ?? films.find(({ right }) => right.has(role.name))?.kind
    ?? films.find((film) => ["self", "decoder"].includes(film.kind) && fits(film))?.kind ?? films.find(fits)?.kind ?? null;
}

function comparedRun({ name, roles }, arrays, prefix) {
  const values = (part) => arrays.get(prefix + part).values;
  return { name, step: values("step"), loss: values("loss"), gradient_norm: values("gradient_norm"),
    pictureStep: values("picture_step"), accuracy: values("accuracy"),
    roles: roles.map((role, i) => {
      const { shape } = arrays.get(`${prefix}role/${i}`);
      return { name: role, layers: shape[1], heads: shape[2], values: slices(arrays.get(`${prefix}role/${i}`)) };
    }) };
}
