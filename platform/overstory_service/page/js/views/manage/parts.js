/** What several places of Keep show. */

import { h, replace } from "../../dom.js";
import { failed } from "../../states.js";
import { words } from "../../words.js";

/** A table with headings; a heading that ends with a figure is said by its place in `figures`. */
export function table(columns, rows, { caption = "", figures = [] } = {}) {
  return h(
    "div",
    { class: "table", tabindex: "0", role: "region", "aria-label": caption || columns[0] },
    h(
      "table",
      null,
      caption && h("caption", null, caption),
      h("thead", null, h("tr", null, columns.map((each, at) => h("th", { scope: "col", class: figures.includes(at) ? "figure" : null }, each)))),
      h("tbody", null, rows),
    ),
  );
}

/** A place below a row of a table, for what is asked and said of it: who is far down in a list stays there. */
export function below(row) {
  const next = row.nextElementSibling;
  if (next?.classList.contains("row-below")) return next.firstElementChild;
  const place = h("td", { colspan: String(row.childElementCount) });
  row.after(h("tr", { class: "row-below" }, place));
  return place;
}

/** Takes a row away and says so in its place; whether the table has no other. */
export function removed(row, said) {
  const place = below(row);
  replace(place, h("p", { role: "status", dir: "auto", tabindex: "-1" }, said));
  place.firstElementChild.focus({ preventScroll: true });
  const rows = row.parentElement;
  row.remove();
  return !rows.querySelector("tr:not(.row-below)");
}

/** Does something that may fail; what goes wrong is shown with its remedy. Whether it was done. */
export async function attempt(place, action) {
  try {
    await action();
    return true;
  } catch (error) {
    if (error.name === "AbortError") return false;
    replace(place, failed(error));
    return false;
  }
}

/** A value as a filter has it. */
export function literal(value) {
  return typeof value === "string" ? `'${value.replaceAll("'", "''")}'` : String(value);
}
