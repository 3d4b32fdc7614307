// What every download needs: a pen for the picture, a file for the person, a page that holds its own script and data.

import { hatchPattern } from "./colour.js";
import { asTraveller, drawText, fontOf, widthOf } from "./text.js";
import { VectorPen } from "./vector.js";

export function download(blob, name) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

// A part of a file's name: letters, digits, dots and hyphens.
export function fileStem(text, otherwise) {
  const plainName = (text || otherwise).replace(/[^\p{L}\p{N}.-]+/gu, "-");
  return plainName.replace(/^[-.]+|[-.]+$/g, "").slice(0, 60) || otherwise;
}

// Every field is quoted, so that no token can break a row.
export function csvBlob(rows) {
  const quote = (text) => `"${String(text).replaceAll('"', '""')}"`;
  return new Blob([rows.map((row) => row.map(quote).join(",")).join("\r\n"), "\r\n"], { type: "text/csv;charset=utf-8" });
}

// `draw(makePen, dpr)` returns the pen that it drew with.
export function pngBlob(draw) {
  const { canvas } = draw(canvasPen, 2);
  return new Promise((done) => canvas.toBlob(done, "image/png"));
}

export function svgBlob(draw) {
  const pen = asTraveller(() => draw((width, height) => new VectorPen(width, height), 1));
  return new Blob([String(pen)], { type: "image/svg+xml" });
}

function canvasPen(width, height) {
  const canvas = document.createElement("canvas");
  canvas.width = Math.round(width * 2);
  canvas.height = Math.round(height * 2);
  const pen = canvas.getContext("2d");
  pen.scale(2, 2);
  return pen;
}

// A caption as lines no wider than `room`.
export function wrapped(text, room, font) {
  const made = [];
  for (const word of text.split(/\s+/)) {
    const longer = made.length ? `${made[made.length - 1]} ${word}` : word;
    if (made.length && widthOf(longer, font) <= room) made[made.length - 1] = longer;
    else made.push(word);
  }
  return made.slice(0, 12);
}

// The colour bar: always drawn, its ends always written.
export function drawScale(pen, { theme, signed, masked }, x, y, dpr) {
  const ramp = signed ? theme.diverging : theme.ramp, font = fontOf(11), width = 200;
  for (let i = 0; i < width; i += 2) {
    pen.fillStyle = ramp.css[Math.round((i / (width - 2)) * (ramp.css.length - 1))];
    pen.fillRect(x + i, y, 2, 10);
  }
  const ends = signed ? ["−1", "0", "+1"] : ["0", "0.5", "1"];
  ends.forEach((text, i) => {
    drawText(pen, text, x + (i * width) / 2, y + 20, { font, colour: theme.quiet, align: ["left", "center", "right"][i] });
  });
  if (!masked) return;
  pen.fillStyle = hatchPattern(pen, theme, dpr);
  pen.fillRect(x + width + 24, y - 1, 16, 12);
  drawText(pen, "masked", x + width + 46, y + 5, { font, colour: theme.quiet });
}

// The page holds this very module, its style and the payload; `template` is the one that Python's export fills.
export async function pageBlob(template, { root, address, header, bytes, title }) {
  const source = await (await fetch(address)).text();
  const style = root.getRootNode().querySelector("style")?.textContent ?? "";
  const data = btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""));
  const marks = { title: plain(title), caption: plain(header.caption ?? ""), style, data,
    light: pageColours(header.colours.light), dark: pageColours(header.colours.dark),
    script: source.replaceAll("</script", "<\\/script").replaceAll("<!--", "<\\!--") };
  return new Blob([template.replace(/\{\{(\w+)\}\}/g, (_, mark) => marks[mark])], { type: "text/html" });
}

function pageColours({ paper, ink, accent }) {
  return `--st-background-color: ${paper}; --st-text-color: ${ink}; --st-primary-color: ${accent};`;
}

function plain(text) {
  return text.replace(/[&<>"]/g, (mark) => `&#${mark.charCodeAt(0)};`);
}
