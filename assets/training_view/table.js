// The pictures as a table: step, loss, accuracy, and the best head of each role.

import { bestWords, count, factsAt, percent, shortNumber } from "./words.js";
import { element } from "../shared/element.js";

export function fillTable({ recording, parts }) {
  const { roles } = recording;
  const cell = (tag, text, scope) => element(tag, scope ? { scope, textContent: text } : { textContent: text });
  const names = ["step", "loss", "accuracy", ...roles.map(({ name }) => `best head: ${name}`)];
  const head = element("tr", {}, ...names.map((name) => cell("th", name, "col")));
  const number = (value, write) => (Number.isFinite(value) ? write(value) : "–");
  const rows = recording.pictureStep.map((_, picture) => {
    const { step, loss, accuracy } = factsAt(recording, picture);
    return element("tr", {}, cell("th", count(step), "row"), cell("td", number(loss, shortNumber)), cell("td", number(accuracy, percent)),
      ...roles.map((role) => cell("td", bestWords(role, picture))));
  });
  const caption = element("caption", { textContent: `${recording.header.name}: ${count(recording.pictures)} pictures` });
  parts.table.replaceChildren(element("table", {}, caption, element("thead", {}, head), element("tbody", {}, ...rows)));
}
