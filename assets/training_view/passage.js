// The watched example as running text, where its words have no room beside the map: the words that are read and read by.

import { changed } from "../shared/canvas.js";
import { element } from "../shared/element.js";
import { directionOf } from "../shared/text.js";

const SPECIAL = /\[[A-Z]+\]|<\/?s>/g; // Latin names in every text: they do not tell which way it runs

export function fillPassage(view, film) {
  const { parts, map, hover, cache } = view, box = parts.passage;
  box.hidden = !film?.frames.length || !map || (map.columns !== "index" && map.rows !== "index");
  if (box.hidden) return;
  if (changed(cache, "passage", film.queries, film.keys)) buildPassage(view, film, box);
  for (const token of box.querySelectorAll("bdi")) {
    token.classList.toggle("query", token.side !== "key" && hover?.query === token.at);
    token.classList.toggle("key", token.side !== "query" && hover?.key === token.at);
  }
}

function buildPassage(view, film, box) {
  const one = film.queries.length === film.keys.length && film.queries.every((word, i) => word === film.keys[i]);
  const lines = one ? [["both", "the example", film.keys]] : [["query", "queries", film.queries], ["key", "keys", film.keys]];
  box.replaceChildren(...lines.map(([side, name, tokens]) => {
    const words = element("p", { dir: directionOf(tokens.join("").replace(SPECIAL, "")) }, ...tokens.map((text, at) => tokenOfPassage(view, side, text, at)));
    return element("div", {}, element("span", { className: "passage-name", textContent: name }), words);
  }));
}

function tokenOfPassage(view, side, text, at) {
  const told = side === "key" ? { query: null, key: at } : { query: at, key: null };
  return Object.assign(element("bdi", { className: "token", textContent: text, title: `${at}` }), {
    side, at, onpointerenter: () => view.set({ hover: told }), onpointerleave: () => view.set({ hover: null }) });
}
