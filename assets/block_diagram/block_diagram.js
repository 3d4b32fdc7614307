// The block's diagram (viz_model/figures/block_diagram.py draws it): an arrow that is pressed is lit at once and told to the page.

export default function blockDiagram({ parentElement, data, setTriggerValue }) {
  const root = parentElement.querySelector(".block");
  if (root.drawn !== data) {
    const had = root.getRootNode().activeElement?.closest?.("[data-name]")?.dataset.name;
    root.innerHTML = data;
    root.drawn = data;
    arrows(root).find((arrow) => arrow.dataset.name === had)?.focus();
  }

  const choose = (arrow) => {
    if (!arrow || !root.contains(arrow)) return;
    for (const each of arrows(root)) {
      each.classList.toggle("chosen", each === arrow);
      each.setAttribute("aria-pressed", String(each === arrow));
    }
    setTriggerValue?.("arrow", arrow.dataset.name);
  };

  root.onclick = (event) => choose(event.target.closest("[data-name][role=button]"));
  root.onkeydown = (event) => {
    const arrow = event.target.closest("[data-name][role=button]");
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (!arrow || !(step || event.key === "Enter" || event.key === " ")) return;
    event.preventDefault();
    if (step) arrows(root)[arrows(root).indexOf(arrow) + step]?.focus();
    else choose(arrow);
  };
}

const arrows = (root) => [...root.querySelectorAll("[data-name][role=button]")];
