// The arcs: two columns of tokens, a link from each query to each key that it reads, as wide and as strong as its weight.

import { LABEL, atKey, atQuery } from "./layout.js";
import { drawText, fontOf } from "../shared/text.js";

const FAINTEST = 0.004, STRENGTHS = 24;

export function drawArcs(ctx, scene, arcs, scroll) {
  clipBelowTitles(ctx, arcs);
  drawLinks(ctx, scene, arcs, scroll, null);
  ctx.restore();
}

function clipBelowTitles(ctx, arcs) {
  ctx.save();
  ctx.beginPath();
  ctx.rect(0, arcs.top - 6, arcs.width, arcs.height - arcs.top + 6);
  ctx.clip();
}

export function drawTokens(ctx, scene, arcs, scroll) {
  const { payload, theme } = scene;
  clipBelowTitles(ctx, arcs);
  for (let q = 0; q < arcs.nq; q++) {
    const y = atQuery(arcs, q, scroll);
    if (outside(arcs, y)) continue;
    drawText(ctx, payload.queries[q], arcs.queryX - 8, y, { font: LABEL, colour: theme.ink, align: "right", room: arcs.leftWord });
    if (scene.empty?.[q]) drawText(ctx, "no key available", arcs.queryX + 10, y, { font: fontOf(11), colour: theme.quiet });
  }
  for (let k = 0; k < arcs.nk; k++) {
    const y = atKey(arcs, k, scroll);
    if (!outside(arcs, y)) drawText(ctx, payload.keys[k], arcs.keyX + 8, y, { font: LABEL, colour: theme.ink, room: arcs.rightWord });
  }
  ctx.restore();
  const title = fontOf(12.5, 600);
  drawText(ctx, "query", arcs.queryX - 8, 14, { font: title, colour: theme.query, align: "right" });
  drawText(ctx, "reads →", (arcs.queryX + arcs.keyX) / 2, 14, { font: fontOf(12.5), colour: theme.quiet, align: "center" });
  drawText(ctx, "key", arcs.keyX + 8, 14, { font: title, colour: theme.key });
}

function outside(arcs, y) {
  return y < arcs.top - 20 || y > arcs.height + 20;
}

// only: {query} or {key} draws that token's links at full strength, null draws all. Links of like strength share one stroke.
export function drawLinks(ctx, scene, arcs, scroll, only) {
  const { values, masked, keep, signed, theme } = scene, { nq, nk } = arcs;
  const bundles = new Map();
  for (let q = only?.query ?? 0; q < (only?.query != null ? only.query + 1 : nq); q++) {
    const y = atQuery(arcs, q, scroll);
    for (let k = only?.key ?? 0; k < (only?.key != null ? only.key + 1 : nk); k++) {
      const i = q * nk + k, size = Math.abs(values[i]);
      if (size < (only ? 1e-6 : FAINTEST) || (masked && masked[i]) || (keep && !keep[i])) continue;
      const to = atKey(arcs, k, scroll);
      if ((y < arcs.top && to < arcs.top) || (y > arcs.height && to > arcs.height)) continue;
      const strength = Math.max(1, Math.ceil(Math.min(1, size) * STRENGTHS)) * (values[i] < 0 ? -1 : 1);
      if (!bundles.has(strength)) bundles.set(strength, []);
      bundles.get(strength).push(y, to);
    }
  }
  const bend = (arcs.keyX - arcs.queryX) * 0.45, order = [...bundles.keys()].sort((a, b) => Math.abs(a) - Math.abs(b));
  for (const strength of order) {
    const share = Math.abs(strength) / STRENGTHS, ends = bundles.get(strength);
    ctx.strokeStyle = signed ? theme.diverging.css[strength < 0 ? 80 : 943] : theme.link;
    ctx.globalAlpha = (only ? Math.max(0.25, share ** 0.5) : Math.max(0.07, share ** 0.9)) * (scene.dim && !only ? 0.4 : 1);
    ctx.lineWidth = 0.8 + 5 * share;
    ctx.beginPath();
    for (let i = 0; i < ends.length; i += 2) {
      ctx.moveTo(arcs.queryX, ends[i]);
      ctx.bezierCurveTo(arcs.queryX + bend, ends[i], arcs.keyX - bend, ends[i + 1], arcs.keyX, ends[i + 1]);
    }
    ctx.stroke();
  }
  ctx.globalAlpha = 1;
}
