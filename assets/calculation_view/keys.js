// Moving through a grid by keys: the same for numbers and for tints.

/** Where an arrow, Home or End leads from a cell (indices among the shown rows and columns), or null for other keys. */
export function moved(event, [row, column], [rows, columns]) {
  const edge = event.ctrlKey || event.metaKey;
  const moves = {
    ArrowLeft: [row, column - 1],
    ArrowRight: [row, column + 1],
    ArrowUp: [row - 1, column],
    ArrowDown: [row + 1, column],
    Home: [edge ? 0 : row, 0],
    End: [edge ? rows - 1 : row, columns - 1],
    PageUp: [row - 10, column],
    PageDown: [row + 10, column],
  };
  if (event.altKey || !Object.hasOwn(moves, event.key)) return null;
  const clamp = (at, count) => Math.min(Math.max(at, 0), count - 1);
  return [clamp(moves[event.key][0], rows), clamp(moves[event.key][1], columns)];
}

/** Keep a key for the grid: the page's own arrow keys (Back, Next) must not answer too. */
export function keep(event) {
  event.preventDefault();
  event.stopPropagation();
}
