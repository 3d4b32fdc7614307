// What is written around the picture: the head's name, the number under the pointer, the share shown, sentences for a screen reader.

import { element } from "../shared/element.js";
import { brief, inFull, quoted } from "../shared/text.js";

// A token in running text: isolated, so that its own direction does not turn the sentence round it.
function token(text, kind) {
  return element("bdi", { className: `token ${kind}`, textContent: text, title: text });
}

export function headName({ layer, head }) {
  return `Layer ${layer} · Head ${head}`;
}

export function roleOf(payload, { layer, head }) {
  return payload.header.roles?.[layer]?.[head] ?? "";
}

// The line over the map: who reads whom, and how much.
export function fillReadout(parts, scene, cell, thing) {
  const { payload } = scene, line = parts.line, number = parts.number;
  if (cell?.query == null || cell.key == null) {
    const one = cell?.query ?? null, other = cell?.key ?? null;
    if (one !== null) line.replaceChildren("query ", small(one), token(payload.queries[one], "query"), rowNote(scene, one));
    else if (other !== null) line.replaceChildren("key ", small(other), token(payload.keys[other], "key"));
    else line.replaceChildren(`Point at a ${thing} to read it; click to keep it.`);
    number.replaceChildren();
    return;
  }
  const i = cell.query * payload.keys.length + cell.key;
  line.replaceChildren("query ", small(cell.query), token(payload.queries[cell.query], "query"), " reads key ",
    small(cell.key), token(payload.keys[cell.key], "key"));
  number.replaceChildren(...numberOf(scene, i));
}

function small(index) {
  return element("span", { className: "index", textContent: String(index) });
}

function rowNote(scene, query) {
  return scene.empty?.[query] ? ": no key available" : "";
}

function numberOf(scene, i) {
  const quiet = (text) => element("span", { className: "full", textContent: text });
  if (scene.masked?.[i]) return [quiet("masked: may not be read")];
  const value = scene.values[i];
  if (!scene.exact) return [element("strong", { textContent: `≈ ${value.toFixed(2)}` }), quiet("approximate")];
  const full = inFull(value), short = brief(value);
  const mark = scene.version === "after" ? "" : scene.version;
  const more = [full === short ? "" : full, mark, scene.keep && !scene.keep[i] ? "not shown at this share" : ""];
  return [element("strong", { textContent: scene.signed && value > 0 ? `+${short}` : short }),
    quiet(more.filter(Boolean).join(" · "))];
}

export function shareNote(scene, share) {
  if (scene.signed) return "difference: every link shown";
  if (!scene.links) return "approximate: every link shown";
  const { count, total, mass } = scene.links;
  if (share >= 1) return total === 1 ? "the one link, mass 1.00" : `all ${total} links, mass 1.00`;
  return `${count} of ${total} links, mass ${mass.toFixed(mass > 0.995 ? 3 : 2)}`;
}

// One sentence for the whole picture or for its chosen cell, for those who hear it.
export function sentence(scene, cell) {
  const { payload } = scene, nk = payload.keys.length;
  const start = `${headName(scene)}. `;
  if (cell?.query == null) {
    return `${start}Attention weights of ${payload.queries.length} queries over ${nk} keys, query down the side, key along the top.`;
  }
  const who = `Query ${cell.query} ${quoted(payload.queries[cell.query])}`;
  if (scene.empty?.[cell.query]) return `${start}${who}: no key available.`;
  const row = scene.values.subarray(cell.query * nk, (cell.query + 1) * nk);
  const name = (key) => `key ${key} ${quoted(payload.keys[key])} ${valueWords(scene, cell.query * nk + key)}`;
  const best = row.reduce((top, value, key) => (Math.abs(value) > Math.abs(row[top]) ? key : top), 0);
  const most = cell.key === best || scene.signed ? "" : ` It reads ${name(best)} most.`;
  return cell.key == null ? `${start}${who}.${most}` : `${start}${who} reads ${name(cell.key)}.${most}`;
}

function valueWords(scene, i) {
  if (scene.masked?.[i]) return "masked";
  return `${scene.exact ? "" : "about "}${brief(scene.values[i])}`;
}
