// Heads by layer, tokens and masks out of the bytes that viz_model/figures/attention_payload.py packs.

import { binStarts, readBytes, spread, unpackBits } from "../shared/bytes.js";

export function readPayload(bytes) {
  const { header, arrays, bytes: own } = readBytes(bytes);
  return new Payload(header, arrays, own);
}

class Payload {
  constructor(header, arrays, bytes) {
    this.header = header;
    this.arrays = arrays;
    this.bytes = bytes;
    this.queries = header.queries;
    this.keys = header.keys ?? header.queries;
    this.layers = header.heads.length;
    this.heads = header.heads;
    this.edited = [...arrays.keys()].some((name) => name.startsWith("before/"));
    this.masks = new Map();
    this.pictures = new Map();
  }

  exact(layer, head) {
    return this.arrays.get(`weights/${layer}/${head}`)?.values ?? null;
  }

  before(layer, head) {
    return this.arrays.get(`before/${layer}/${head}`)?.values ?? null;
  }

  // One head as numbers: {values, rows, cols, scale}; values * scale are weights, pooled by max where rows < queries.
  thumbnail(layer, head) {
    const exact = this.exact(layer, head);
    if (exact) return { values: exact, rows: this.queries.length, cols: this.keys.length, scale: 1 };
    const { shape, values } = this.arrays.get("thumbnails");
    const [, rows, cols] = shape;
    const index = this.heads.slice(0, layer).reduce((sum, count) => sum + count, head);
    return { values: values.subarray(index * rows * cols, (index + 1) * rows * cols), rows, cols, scale: 1 / 255 };
  }

  // One head at full size: {values: Float32Array [query * key], exact}. Without the exact array the thumbnail is stretched.
  picture(layer, head) {
    const exact = this.exact(layer, head);
    if (exact) return { values: exact, exact: true };
    const name = `${layer}/${head}`;
    if (!this.pictures.has(name)) {
      this.pictures.clear();
      this.pictures.set(name, { values: this.stretch(this.thumbnail(layer, head)), exact: false });
    }
    return this.pictures.get(name);
  }

  stretch({ values, rows, cols, scale }) {
    const nq = this.queries.length, nk = this.keys.length;
    const row = spread(binStarts(nq, rows)), col = spread(binStarts(nk, cols));
    const full = new Float32Array(nq * nk);
    for (let q = 0; q < nq; q++) for (let k = 0; k < nk; k++) full[q * nk + k] = values[row[q] * cols + col[k]] * scale;
    return full;
  }

  // Uint8Array [query * key], 1 where the key may NOT be read; null where all may.
  masked(layer) {
    const packed = this.arrays.get("mask");
    if (!packed) return null;
    const row = packed.shape[0] === 1 ? 0 : layer;
    if (!this.masks.has(row)) {
      const bits = unpackBits(packed, row, this.queries.length * this.keys.length, 0);
      this.masks.set(row, bits);
    }
    return this.masks.get(row);
  }
}
