// What is to be drawn: one head's numbers after choice of head, of before / after / difference, and of the links to show.

import { visibleLinks } from "./threshold.js";

// version: "after", "before" or "difference" (after - before, signed). Cells of `keep` that are 0 are left blank.
export function makeScene(payload, selection, version, share) {
  const { layer, head } = selection;
  const after = payload.picture(layer, head), before = payload.before(layer, head);
  const shown = before ? version : "after";
  const signed = shown === "difference";
  const values = shown === "before" ? before : signed ? after.values.map((weight, i) => weight - before[i]) : after.values;
  const nq = payload.queries.length, nk = payload.keys.length, masked = payload.masked(layer);
  // A stretched thumbnail repeats its cells, so sums over it mean nothing: no threshold until the exact weights are here.
  const links = after.exact && !signed ? visibleLinks(values, nq, nk, share) : null;
  return {
    payload, layer, head, values, signed, masked, exact: after.exact, version: shown, hasBefore: Boolean(before),
    links, keep: links && share < 1 ? links.keep : null, empty: emptyRows(after.values, masked, nq, nk),
  };
}

// Rows in which nothing may be read: Uint8Array [query], or null where there is none.
function emptyRows(values, masked, nq, nk) {
  const empty = new Uint8Array(nq);
  let any = false;
  for (let q = 0; q < nq; q++) {
    let open = false;
    for (let i = q * nk; i < (q + 1) * nk && !open; i++) open = masked ? !masked[i] : values[i] !== 0;
    if (!open) { empty[q] = 1; any = true; }
  }
  return any ? empty : null;
}
