// Colours: the header's role table joined with the page's own theme, and text that always stands out from its tint.

const probe = { context: null, key: null, palette: null };

/** Any CSS colour -> [red, green, blue], 0..255. */
export function rgb(colour) {
  probe.context ??= document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  probe.context.fillStyle = "#000000";
  probe.context.fillStyle = colour;
  const text = probe.context.fillStyle;
  if (text.startsWith("#")) return [1, 3, 5].map((at) => parseInt(text.slice(at, at + 2), 16));
  return text.match(/[\d.]+/g).slice(0, 3).map(Number);
}

export const css = ([red, green, blue]) => `rgb(${Math.round(red)} ${Math.round(green)} ${Math.round(blue)})`;
const mix = (one, other, share) => one.map((channel, index) => channel + (other[index] - channel) * share);

function luminance(colour) {
  const [red, green, blue] = colour.map((channel) => {
    const part = channel / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

export function contrast(one, other) {
  const [low, high] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (high + 0.05) / (low + 0.05);
}

const BLACK = [0, 0, 0];
const WHITE = [255, 255, 255];
const READABLE = 4.5;

function textOn(background, wished) {
  const choices = [...wished, BLACK, WHITE];
  return choices.find((colour) => contrast(colour, background) >= READABLE)
    ?? choices.reduce((best, colour) => (contrast(colour, background) > contrast(best, background) ? colour : best));
}

function along(stops, share) {
  const place = Math.min(Math.max(share, 0), 1) * (stops.length - 1);
  const index = Math.min(Math.floor(place), stops.length - 2);
  return mix(stops[index], stops[index + 1], place - index);
}

const STEPS = 255;

/** 256 entries of a ramp, each with its text colour, lit and dimmed. */
function table(stops, page) {
  const entries = [];
  // Dimmed text is as quiet as it can be and still be read.
  const quieter = [0, 0.15, 0.3, 0.45, 0.6, 0.8, 1].map((share) => mix(page.muted, page.text, share));
  for (let step = 0; step <= STEPS; step += 1) {
    const lit = along(stops, step / STEPS);
    const dim = mix(lit, page.background, 0.78);
    entries.push({
      lit, litCss: css(lit), litText: css(textOn(lit, [page.text, page.background])),
      dim, dimCss: css(dim), dimText: css(textOn(dim, quieter)),
    });
  }
  return entries;
}

/** Everything that painting needs, from the header's colours and the page's --st-* variables; computed anew only when these change. */
export function palette(root, colours) {
  const style = getComputedStyle(root);
  const names = ["--st-background-color", "--st-text-color", "--st-primary-color"];
  const key = JSON.stringify([names.map((name) => style.getPropertyValue(name)), colours]);
  if (probe.key !== key) Object.assign(probe, { key, palette: compute(style, colours) });
  return probe.palette;
}

function compute(style, colours) {
  const read = (name, otherwise) => rgb(style.getPropertyValue(name).trim() || otherwise);
  const background = read("--st-background-color", "#ffffff");
  const dark = luminance(background) < 0.2;
  const text = read("--st-text-color", dark ? "#f2f2f5" : "#22242c");
  let share = 0.5;
  while (share > 0 && contrast(mix(text, background, share), background) < 5) share -= 0.02;
  const page = { background, text, muted: mix(text, background, share) };
  const chosen = colours[dark ? "dark" : "light"];
  const signed = chosen.signed.map(rgb);
  // Behind numbers the signed ramp is laid on thinner: the number is what is read.
  const soft = signed.map((stop) => mix(stop, background, 0.45));
  const roles = {};
  for (const role of ["query", "key", "value", "attention"]) roles[role] = chosen[role];
  roles.signed = css(text);
  roles.plain = css(text);
  return {
    dark, roles,
    background: css(background), text: css(text), muted: css(page.muted),
    hairline: css(mix(text, background, 0.86)), hatch: chosen.hatch,
    accent: style.getPropertyValue("--st-primary-color").trim() || roles.query,
    unit: table(chosen.unit.map(rgb), page),
    signed: table(signed, page),
    soft: table(soft, page),
    none: table([background, background], page),
    bars: { unit: chosen.unit, signed: chosen.signed, soft: soft.map(css) },
  };
}

/** The entry of a value: 0..1 on the attention ramp, symmetric about 0 on the signed one. */
export function entryOf(value, tint, largest, colours) {
  if (tint === "none" || !Number.isFinite(value)) return colours.none[0];
  const share = tint === "unit" ? value : 0.5 + (largest > 0 ? value / largest / 2 : 0);
  return colours[tint][Math.round(Math.min(Math.max(share, 0), 1) * STEPS)];
}
