// All that is known of a run as one payload again, for a page of its own.

import { writeBytes } from "../shared/bytes.js";

export function wholePayload(recording, selection) {
  const { header, rows, pictures, films, roles, compare } = recording, entries = [];
  const put = (name, shape, values) => entries.push({ name, shape, values });
  const put1 = (name, Kind, values) => put(name, [values.length], Kind.from(values));
  const putRoles = (prefix, list, count) => list.forEach((role, i) =>
    put(`${prefix}role/${i}`, [count, role.layers, role.heads], joinedValues(Float32Array, role.values)));
  if (recording.thinned) put1("row", Int32Array, rows.index);
  put1("step", Int32Array, rows.step);
  for (const name of ["loss", "gradient_norm", "learning_rate"]) put1(name, Float32Array, rows[name]);
  put1("picture_step", Int32Array, recording.pictureStep);
  put1("accuracy", Float32Array, recording.accuracy);
  putRoles("", roles, pictures);
  for (const film of films) putFilm(put, film, pictures);
  compare.forEach((run, c) => {
    put1(`compare/${c}/step`, Int32Array, run.step);
    for (const name of ["loss", "gradient_norm"]) put1(`compare/${c}/${name}`, Float32Array, run[name]);
    put1(`compare/${c}/picture_step`, Int32Array, run.pictureStep);
    put1(`compare/${c}/accuracy`, Float32Array, run.accuracy);
    putRoles(`compare/${c}/`, run.roles, run.pictureStep.length);
  });
  // A page that lies in a folder is live no more.
  const state = recording.live ? "recorded" : header.state;
  const described = films.map(({ kind, layers, heads, queries, keys, right }) => ({ kind, layers, heads, queries, keys, right: [...right.keys()] }));
  return writeBytes({ ...header, state, first_row: 0, first_picture: 0, row_count: recording.rowsHeld, rows: recording.rowsHeld, selection,
    films: described, roles: roles.map(({ name }) => name) }, entries);
}

function putFilm(put, { kind, layers, heads, queries, keys, masked, right, frames }, pictures) {
  const nq = queries.length, nk = keys.length;
  put(`frames/${kind}`, [pictures, layers, heads, nq, nk], joinedValues(Uint8Array, frames));
  const bits = (name, flags, set) => put(name, [1, Math.ceil((nq * nk) / 8)], packBits(flags, set));
  if (masked) bits(`mask/${kind}`, masked, 0);
  [...right.values()].forEach((flags, i) => bits(`right/${kind}/${i}`, flags, 1));
}

function joinedValues(Kind, list) {
  const size = list[0]?.length ?? 0, all = new Kind(size * list.length);
  list.forEach((values, i) => all.set(values, i * size));
  return all;
}

// The inverse of unpackBits: a bit is 1 where the flag equals `set`.
function packBits(flags, set) {
  const bits = new Uint8Array(Math.ceil(flags.length / 8));
  flags.forEach((flag, i) => { if (flag === set) bits[i >> 3] |= 128 >> (i & 7); });
  return bits;
}
