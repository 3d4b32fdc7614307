// The download menu: opened by its button, walked by the arrow keys, closed by Escape or by leaving it.

import { element } from "./element.js";

export function openMenu({ save, menu }, open) {
  menu.hidden = !open;
  save.setAttribute("aria-expanded", String(open));
}

// `choices()` lists {kind, label, why it may not be taken}; `take(kind)` does what was chosen.
export function listenToMenu(parts, choices, take) {
  const { save, menu } = parts, box = save.parentElement;
  save.onclick = () => {
    const open = menu.hidden;
    if (open) {
      const chosen = (kind) => { openMenu(parts, false); save.focus(); take(kind); };
      menu.replaceChildren(...choices().map(({ kind, label, why }) => element("button", {
        type: "button", role: "menuitem", textContent: label, title: why ?? "", disabled: Boolean(why), onclick: () => chosen(kind) })));
    }
    openMenu(parts, open);
    if (open) menu.querySelector("button:not(:disabled)")?.focus();
  };
  box.onkeydown = (event) => {
    if (event.key === "Escape" && !menu.hidden) { openMenu(parts, false); save.focus(); return; }
    if (menu.hidden || (event.key !== "ArrowDown" && event.key !== "ArrowUp")) return;
    event.preventDefault();
    const items = [...menu.querySelectorAll("button:not(:disabled)")], at = items.indexOf(event.target);
    items[(at + (event.key === "ArrowDown" ? 1 : -1) + items.length) % items.length]?.focus();
  };
  box.onfocusout = (event) => { if (event.relatedTarget && !box.contains(event.relatedTarget)) openMenu(parts, false); };
}
