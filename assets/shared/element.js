// Elements with their properties, and the two that every view has: a part with a name, a row of choices.

export function element(tag, properties = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (name.includes("-") || name === "role" || name === "for") node.setAttribute(name, value);
    else node[name] = value;
  }
  node.append(...children);
  return node;
}

// data-part names it for styles and tests.
export function part(tag, name, properties = {}, ...children) {
  return element(tag, { className: name, "data-part": name, ...properties }, ...children);
}

// choices: names, or [name, what is written].
export function segments(name, label, choices) {
  const buttons = Object.fromEntries(choices.map((choice) => {
    const [value, text] = Array.isArray(choice) ? choice : [choice, choice[0].toUpperCase() + choice.slice(1)];
    return [value, element("button", { type: "button", textContent: text, "aria-pressed": "false", "data-choice": value })];
  }));
  const box = part("div", name, { className: "segments", role: "group", "aria-label": label }, ...Object.values(buttons));
  return { box, buttons };
}

export function press({ buttons }, choice) {
  for (const [name, button] of Object.entries(buttons)) button.setAttribute("aria-pressed", String(name === choice));
}
