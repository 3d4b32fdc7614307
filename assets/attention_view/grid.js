// The grid of heads: every head of every layer as a small picture, numbered, the chosen one ringed (the ring is DOM).

import { levelOf } from "../shared/colour.js";
import { drawText, fontOf } from "../shared/text.js";
import { binStarts } from "../shared/bytes.js";

export function drawGrid(ctx, payload, grid, theme, dpr) {
  // One image for all: hundreds of small ones cost a trip to the compositor each.
  const side = Math.max(1, Math.round(grid.size * dpr)), width = Math.round(grid.width * dpr);
  const image = ctx.createImageData(width, Math.round(grid.height * dpr));
  const pixels = new Uint32Array(image.data.buffer);
  for (const { layer, head, x, y } of grid.tiles) {
    const start = Math.round(y * dpr) * width + Math.round(x * dpr);
    paintThumbnail(pixels, start, width, side, payload.thumbnail(layer, head), theme.ramp.packed);
  }
  ctx.putImageData(image, 0, 0);
  ctx.beginPath();
  for (const { x, y } of grid.tiles) ctx.rect(x - 0.5, y - 0.5, grid.size + 1, grid.size + 1);
  ctx.strokeStyle = theme.line;
  ctx.lineWidth = 1;
  ctx.stroke();
  drawNumbers(ctx, payload, grid, theme);
}

// Fewer pixels than cells: the greatest weight of a pixel's cells, or a single sharp cell would vanish.
function paintThumbnail(pixels, start, width, side, { values, rows, cols, scale }, colours) {
  const down = edges(rows, side), across = edges(cols, side);
  for (let y = 0; y < side; y++) {
    if (y > 0 && down.from[y] === down.from[y - 1] && down.to[y] === down.to[y - 1]) {
      const above = start + (y - 1) * width;
      pixels.copyWithin(above + width, above, above + side);
      continue;
    }
    for (let x = 0; x < side; x++) {
      let most = 0;
      for (let r = down.from[y]; r < down.to[y]; r++) {
        for (let c = across.from[x]; c < across.to[x]; c++) if (values[r * cols + c] > most) most = values[r * cols + c];
      }
      pixels[start + y * width + x] = colours[levelOf(most * scale, false)];
    }
  }
}

function edges(count, pixels) {
  if (count > pixels) {
    const starts = binStarts(count, pixels);
    return { from: starts.subarray(0, pixels), to: starts.subarray(1) };
  }
  const from = Uint32Array.from({ length: pixels }, (_, i) => Math.floor((i * count) / pixels));
  return { from, to: from.map((start) => start + 1) };
}

export function drawNumbers(ctx, payload, grid, theme) {
  const font = fontOf(11), { size, pitch } = grid;
  if (grid.strip) {
    for (const { head, x, y } of grid.tiles) {
      drawText(ctx, String(head), x + size / 2, y + size + 10, { font, colour: theme.quiet, align: "center" });
    }
    return;
  }
  const every = pitch >= 18 ? 1 : 2;
  for (let head = 0; head < Math.max(...payload.heads); head += every) {
    drawText(ctx, String(head), grid.left + head * pitch + size / 2, 9, { font, colour: theme.quiet, align: "center" });
  }
  for (let layer = 0; layer < payload.layers; layer += grid.down >= 14 ? 1 : 2) {
    drawText(ctx, String(layer), grid.left - 8, grid.top + layer * grid.down + size / 2,
      { font, colour: theme.quiet, align: "right" });
  }
  if (!grid.named) return;
  for (const { layer, head, x, y } of grid.tiles) {
    const role = payload.header.roles?.[layer]?.[head];
    if (role) drawText(ctx, role, x, y + size + 9, { font: fontOf(10.5), colour: theme.quiet, room: pitch - 4 });
  }
}
