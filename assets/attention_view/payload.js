// Reads the bytes that viz_model/figures/attention_view.py packs:
// uint32 length, a JSON header of that length, then raw little-endian arrays at the offsets which the header names.

const KINDS = { f4: Float32Array, u1: Uint8Array };

export function readPayload(bytes) {
  // A copy, since the host hands over a view at any offset and a Float32Array needs an aligned one.
  const own = new Uint8Array(bytes).slice();
  const length = new DataView(own.buffer).getUint32(0, true);
  const header = JSON.parse(new TextDecoder().decode(own.subarray(4, 4 + length)));
  const arrays = new Map();
  for (const { name, dtype, shape, offset } of header.arrays) {
    const size = shape.reduce((product, side) => product * side, 1);
    arrays.set(name, { shape, values: new KINDS[dtype](own.buffer, 4 + length + offset, size) });
  }
  return new Payload(header, arrays, own);
}

// First index of each of `bins` runs that share out `count` cells; the packer cuts its thumbnails by the same rule.
export function binStarts(count, bins) {
  return Uint32Array.from({ length: bins + 1 }, (_, bin) => Math.floor((bin * count) / bins));
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
      const cells = this.queries.length * this.keys.length, start = row * packed.shape[1];
      const bits = new Uint8Array(cells);
      for (let i = 0; i < cells; i++) bits[i] = 1 - ((packed.values[start + (i >> 3)] >> (7 - (i & 7))) & 1);
      this.masks.set(row, bits);
    }
    return this.masks.get(row);
  }
}

// The inverse of binStarts: the run to which each index belongs.
export function spread(starts) {
  const owner = new Uint32Array(starts[starts.length - 1]);
  for (let bin = 0; bin + 1 < starts.length; bin++) owner.fill(bin, starts[bin], starts[bin + 1]);
  return owner;
}
