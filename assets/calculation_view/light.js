// Which cells are at work: the header's own choice, or those that make the cell pointed at.

const asLight = (rows, columns, cells) => ({ rows: new Set(rows), columns: new Set(columns), cells: new Set(cells.map(String)) });

/** The header's `lit` of a matrix as a light, or null where nothing is singled out. */
export function givenLight(item) {
  return item.lit === null ? null : asLight(item.lit.rows, item.lit.columns, item.lit.cells);
}

/** Is a cell lit? Without a light every cell is. */
export function isLit(light, row, column) {
  return light === null || light.rows.has(row) || light.columns.has(column) || light.cells.has(`${row},${column}`);
}

/** Is this row or column ("rows", "columns") itself what a light singles out, so that its label stands out? */
export function names(light, side, index) {
  if (light === null) return false;
  const place = side === "rows" ? 0 : 1;
  return light[side].has(index) || [...light.cells].some((cell) => Number(cell.split(",")[place]) === index);
}

/** Matrices whose row, column or cell make one cell of the result: Map of key -> light; null where no rule covers the cell. */
export function makersOf(step, key, row, column) {
  const rule = step.header.rule;
  if (rule === null || rule.result !== key) return null;
  const lights = new Map([[key, asLight([], [], [[row, column]])]]);
  // An operand of one row or one column is spread over the result, as in adding a bias.
  const within = (item) => [Math.min(row, item.shape[0] - 1), Math.min(column, item.shape[1] - 1)];
  rule.operands.forEach((operand, place) => {
    const item = step.matrices.find((matrix) => matrix.key === operand);
    if (!item) return;
    const [r, c] = within(item);
    const product = (rule.kind === "matmul" || rule.kind === "transposed-matmul") && place < 2;
    if (product && place === 0) lights.set(operand, asLight([r], [], []));
    else if (product && rule.kind === "matmul") lights.set(operand, asLight([], [c], []));
    else if (product) lights.set(operand, asLight([Math.min(column, item.shape[0] - 1)], [], []));
    else if (rule.kind === "row") lights.set(operand, asLight([r], [], []));
    else lights.set(operand, asLight([], [], [[r, c]]));
  });
  return lights;
}
