// Which links to show: for each query the smallest set of keys whose weights reach a chosen share of that row's mass.

// weights: array [query * key]; share in 0..1. Returns {keep: Uint8Array, count, total, mass}: count of links kept, of links
// above zero, and the mean share of a row's mass that is kept (rows without any mass do not count). Ties are kept together.
export function visibleLinks(weights, queries, keys, share) {
  const keep = new Uint8Array(queries * keys);
  let count = 0, total = 0, mass = 0, rows = 0;
  const strong = new Float64Array(keys);
  for (let q = 0; q < queries; q++) {
    const start = q * keys;
    let sum = 0;
    for (let k = 0; k < keys; k++) {
      if (weights[start + k] > 0) { sum += weights[start + k]; total++; }
    }
    if (!(sum > 0)) continue;
    let least = Number.MIN_VALUE;
    if (share < 1) {
      // Links under an even part of what may be left out can all be left out together: only the others need sorting.
      const floor = (0.999 * (1 - share) * sum) / keys;
      let strongs = 0;
      for (let k = 0; k < keys; k++) if (weights[start + k] > floor) strong[strongs++] = weights[start + k];
      least = weakestNeeded(strong.subarray(0, strongs).sort(), share * sum);
    }
    let kept = 0;
    for (let k = 0; k < keys; k++) {
      if (weights[start + k] >= least && weights[start + k] > 0) { keep[start + k] = 1; kept += weights[start + k]; count++; }
    }
    mass += kept / sum;
    rows++;
  }
  return { keep, count, total, mass: rows ? mass / rows : 0 };
}

// The weight of the last link that is needed to reach `wanted`; every link as strong as it stays, so that order never decides.
function weakestNeeded(sorted, wanted) {
  let sum = 0;
  for (let i = sorted.length - 1; i > 0; i--) {
    sum += sorted[i];
    if (sum >= wanted * (1 - 1e-12)) return sorted[i];
  }
  return sorted[0];
}
