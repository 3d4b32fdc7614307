// Which links to show: for each query the smallest set of keys whose weights reach a chosen share of that row's mass.

// weights: array [query * key]; share in 0..1. Returns {keep: Uint8Array, count, total, mass}: count of links kept, of links
// above zero, and the mean share of a row's mass that is kept (rows without any mass do not count). Ties are kept together.
export function visibleLinks(weights, queries, keys, share) {
  const keep = new Uint8Array(queries * keys);
  let count = 0, total = 0, mass = 0, rows = 0;
  const sorted = new Float64Array(keys);
  for (let q = 0; q < queries; q++) {
    const start = q * keys;
    let sum = 0;
    for (let k = 0; k < keys; k++) {
      const weight = weights[start + k];
      sorted[k] = weight;
      if (weight > 0) { sum += weight; total++; }
    }
    if (!(sum > 0)) continue;
    const least = share >= 1 ? Number.MIN_VALUE : weakestNeeded(sorted, share * sum);
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
  sorted.sort();
  let sum = 0;
  for (let i = sorted.length - 1; i >= 0; i--) {
    if (!(sorted[i] > 0)) return sorted[i + 1] ?? Infinity;
    sum += sorted[i];
    if (sum >= wanted * (1 - 1e-12)) return sorted[i];
  }
  return sorted[0];
}
