// The bytes that viz_model/figures/byte_layout.py writes, read and written:
// uint32 length, a JSON header of that length, then raw little-endian arrays at the offsets which the header names.

const KINDS = { f4: Float32Array, i4: Int32Array, u1: Uint8Array };

// {header, arrays: Map of name -> {shape, values}, bytes}
export function readBytes(bytes) {
  // A copy, since the host hands over a view at any offset and a Float32Array needs an aligned one.
  const own = new Uint8Array(bytes).slice();
  const length = new DataView(own.buffer).getUint32(0, true);
  const header = JSON.parse(new TextDecoder().decode(own.subarray(4, 4 + length)));
  const arrays = new Map();
  for (const { name, dtype, shape, offset } of header.arrays) {
    const size = shape.reduce((product, side) => product * side, 1);
    arrays.set(name, { shape, values: new KINDS[dtype](own.buffer, 4 + length + offset, size) });
  }
  return { header, arrays, bytes: own };
}

// The same layout again, from a header and entries {name, shape, values}.
export function writeBytes(header, entries) {
  let offset = 0;
  const described = entries.map(({ name, shape, values }) => {
    const dtype = Object.keys(KINDS).find((kind) => values instanceof KINDS[kind]), at = offset;
    offset += Math.ceil(values.byteLength / 8) * 8;
    return { name, dtype, shape, offset: at };
  });
  // ASCII only, as Python writes it: one byte a character, whatever the tokens.
  const text = JSON.stringify({ ...header, arrays: described })
    .replace(/[\u0080-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
  const length = Math.ceil((4 + text.length) / 8) * 8 - 4, own = new Uint8Array(4 + length + offset);
  new DataView(own.buffer).setUint32(0, length, true);
  own.set(new TextEncoder().encode(text.padEnd(length, " ")), 4);
  entries.forEach(({ values }, i) => {
    own.set(new Uint8Array(values.buffer, values.byteOffset, values.byteLength), 4 + length + described[i].offset);
  });
  return own;
}

// One flag a cell from bits, most significant first, row `row` of them: Uint8Array, 1 where the bit is `wanted`.
export function unpackBits({ shape, values }, row, cells, wanted) {
  const start = row * shape[1], flags = new Uint8Array(cells);
  for (let i = 0; i < cells; i++) flags[i] = ((values[start + (i >> 3)] >> (7 - (i & 7))) & 1) === wanted ? 1 : 0;
  return flags;
}

// First index of each of `bins` runs that share out `count` cells; the packer cuts its thumbnails by the same rule.
export function binStarts(count, bins) {
  return Uint32Array.from({ length: bins + 1 }, (_, bin) => Math.floor((bin * count) / bins));
}

// The inverse of binStarts: the run to which each index belongs.
export function spread(starts) {
  const owner = new Uint32Array(starts[starts.length - 1]);
  for (let bin = 0; bin + 1 < starts.length; bin++) owner.fill(bin, starts[bin], starts[bin + 1]);
  return owner;
}
