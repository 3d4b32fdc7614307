// The payload: a length-prefixed JSON header, then the raw arrays. See viz_model/figures/calculation_view.py.

export const VERSION = 1;

/** Bytes of one step -> { header, items }, each matrix item with `values` (Float32Array) and `masked` (Uint8Array or null). */
export function decode(bytes) {
  const length = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength).getUint32(0, true);
  const header = JSON.parse(new TextDecoder().decode(bytes.subarray(4, 4 + length)));
  if (header.version !== VERSION) throw new Error(`calculation view: expected payload version ${VERSION}, got ${header.version}`);
  // A copy starts at offset 0, so that float32 views are aligned wherever the bytes came from.
  const arrays = bytes.slice(4 + length).buffer;
  for (const item of header.items) {
    if (item.kind !== "matrix") continue;
    const [rows, columns] = item.shape;
    item.values = new Float32Array(arrays, item.offset, rows * columns);
    item.masked = item.mask_offset === null ? null : new Uint8Array(arrays, item.mask_offset, rows * columns);
    item.largest = 0;
    for (const [index, value] of item.values.entries()) {
      if (Number.isFinite(value) && !(item.masked && item.masked[index])) item.largest = Math.max(item.largest, Math.abs(value));
    }
  }
  return { header, items: header.items, matrices: header.items.filter((item) => item.kind === "matrix") };
}
