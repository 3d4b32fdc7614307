// The atlas of heads as a grid to choose from: the table comes as HTML from the server; a cell is picked by a click,
// or with the arrow keys and Enter.

export default function headAtlas({ data, parentElement, setTriggerValue }) {
  const root = parentElement.querySelector(".head-atlas");
  if (root.shown !== data) {
    const had = root.contains(root.getRootNode().activeElement);
    root.innerHTML = data;
    root.shown = data;
    if (had) dress(root)?.focus();
    else dress(root);
  }
  root.onclick = (event) => pick(event.target.closest("[data-head]"));
  root.onkeydown = (event) => {
    const from = event.target.closest("[data-head]");
    if (!from) return;
    if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      pick(from);
      return;
    }
    const step = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] }[event.key];
    if (!step) return;
    event.preventDefault();
    event.stopPropagation();
    const to = cell(root, +from.dataset.layer + step[0], +from.dataset.head + step[1]);
    if (!to) return;
    from.tabIndex = -1;
    to.tabIndex = 0;
    to.focus();
  };

  function pick(found) {
    if (found) setTriggerValue("picked", { layer: +found.dataset.layer, head: +found.dataset.head });
  }
}

function cell(root, layer, head) {
  return root.querySelector(`[data-layer="${layer}"][data-head="${head}"]`);
}

/** Roles for screen readers and one stop of the Tab key; gives the chosen cell. */
function dress(root) {
  const grid = root.querySelector("table");
  grid.setAttribute("role", "grid");
  root.querySelector(".glass-table").removeAttribute("tabindex"); // its cells take the keys
  const cells = [...root.querySelectorAll("[data-head]")];
  const chosen = cells.find((each) => each.hasAttribute("data-chosen")) ?? cells[0];
  for (const each of cells) {
    each.setAttribute("role", "gridcell");
    each.setAttribute("aria-selected", String(each === chosen && each.hasAttribute("data-chosen")));
    each.tabIndex = each === chosen ? 0 : -1;
  }
  return chosen;
}
