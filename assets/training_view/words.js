// Numbers and sentences around the pictures.

import { bestHead, roleValue } from "./recording.js";
import { quoted } from "../shared/text.js";

const minus = (text) => text.replace("-", "−");

// Three significant digits, as everywhere; very small and very large ones with an exponent.
export function shortNumber(value) {
  if (Number.isNaN(value)) return "not a number";
  if (!Number.isFinite(value)) return value > 0 ? "infinity" : "−infinity";
  if (value === 0) return "0";
  const size = Math.abs(value);
  if (size < 1e-3 || size >= 1e6) return minus(value.toExponential(2).replace("e+", "e"));
  return minus(size >= 1000 ? Math.round(value).toLocaleString("en") : value.toPrecision(3));
}

// Near the ends with a decimal, and 100 % only where nothing is wrong.
export function percent(value) {
  const share = value * 100;
  if (share <= 0 || share >= 100) return `${share.toFixed(0)} %`;
  if (share > 99) return `${(Math.floor(share * 10) / 10).toFixed(1)} %`;
  return `${share.toFixed(share < 10 ? 1 : 0)} %`;
}

export const count = (value) => value.toLocaleString("en");

export const KIND_NAMES = { self: "Self-attention", encoder: "Encoder", decoder: "Decoder", cross: "Cross-attention" };

export function kindName(kind) {
  return KIND_NAMES[kind] ?? kind;
}

export function headWords({ layer, head }) {
  return `Layer ${layer} · Head ${head}`;
}

// The run's state, as a word or two that stand alone.
export function stateWords(recording) {
  const { state } = recording.header, at = count(recording.lastStep);
  if (state === "stopped") return `stopped at step ${at}`;
  if (state === "failed") return `ended at step ${at}`;
  return { starting: "starting …", done: "finished" }[state] ?? state;
}

// [name, value] of every role that is measured on this kind of attention.
export function rolesOf(recording, kind, layer, head, picture) {
  return recording.roles.filter((role) => role.kind === kind)
    .map((role) => [role.name, roleValue(role, picture, layer, head)]).filter(([, value]) => Number.isFinite(value));
}

// Loss, accuracy and so on where a picture was taken, for the table, the summary and the file.
export function factsAt(recording, picture) {
  const step = recording.pictureStep[picture], row = recording.rowAt(step), { rows } = recording;
  const exact = row >= 0 && rows.step[row] === step;
  return { step, loss: exact ? rows.loss[row] : NaN, accuracy: recording.accuracy[picture] };
}

export function summary(recording, { kind, layer, head }, picture) {
  const { header } = recording, start = `${header.name}, ${stateWords(recording)}`;
  if (picture < 0) return `${start}, step ${count(recording.lastStep)} of ${count(header.total_steps)}. No picture yet.`;
  const { step, loss, accuracy } = factsAt(recording, picture);
  const parts = [`${start}. At step ${count(step)} of ${count(header.total_steps)}`];
  if (Number.isFinite(loss)) parts.push(`loss ${shortNumber(loss)}`);
  if (Number.isFinite(accuracy)) parts.push(`accuracy ${percent(accuracy)}`);
  const roles = rolesOf(recording, kind, layer, head, picture).map(([name, value]) => `${name} ${value.toFixed(2)}`);
  const shown = recording.films.length ? ` Layer ${layer}, head ${head}${roles.length ? `: ${roles.join(", ")}` : ""}.` : "";
  return `${parts.join(", ")}.${shown}`;
}

export function cellSentence(film, { values, masked }, query, key) {
  const at = query * film.keys.length + key, weight = masked?.[at] ? "masked" : values[at].toFixed(2);
  return `Query ${query} ${quoted(film.queries[query])} reads key ${key} ${quoted(film.keys[key])}: ${weight}.`;
}

export function bestWords(role, picture) {
  const { layer, head, value } = bestHead(role, picture);
  return `L${layer} H${head} ${value.toFixed(2)}`;
}
