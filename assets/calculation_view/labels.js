// Text on the page: elements, tokens (always literal) and symbols such as W_Q or K^T.

/** A new element with classes, attributes and children; strings become text, never HTML. */
export function make(tag, className = "", attributes = {}, ...children) {
  const element = document.createElement(tag);
  if (className) element.className = className;
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

/** A token or index (the payload has it as it is to be seen): <bdi> keeps a right-to-left token from turning its surroundings round. */
export function label(token) {
  return make("bdi", "token", { title: token }, token);
}

/** "W_Q", "K^T", "√d_k", "softmax" -> a span, set as in a textbook: single letters slanted, words upright. */
export function symbol(markup) {
  const span = make("span", "symbol");
  for (const [, shift, braced, single, plain] of markup.matchAll(/([_^])(?:\{([^}]*)\}|(.))|([^_^]+)/gu)) {
    const target = shift ? make(shift === "_" ? "sub" : "sup") : span;
    const text = plain ?? braced ?? single;
    for (const [, word, rest] of text.matchAll(/([\p{L}]+)|([^\p{L}]+)/gu)) {
      if (word && [...word].length === 1 && shift !== "^") target.append(make("i", "", {}, word));
      else target.append(word ?? rest);
    }
    if (shift) span.append(target);
  }
  return span;
}

/** The name of a matrix: its symbol and, in brackets, the token that it belongs to: q(cat). */
export function matrixName(item) {
  const name = symbol(item.symbol);
  if (item.of !== null) name.append("(", label(item.of), ")");
  return name;
}

/** How a screen reader says the name. */
export function spokenName(item) {
  return item.of === null ? item.key : `${item.key} of ${item.of}`;
}
