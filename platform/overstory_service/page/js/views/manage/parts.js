/** Parts shared by the places of Manage. */

import { h, replace } from "../../dom.js";
import { failed } from "../../states.js";

/** A table with headings; `figures` lists the columns with numbers. */
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

/** A place below a table row for confirmations and messages, so that readers keep their position in the list. */
export function below(row) {
  const next = row.nextElementSibling;
  if (next?.classList.contains("row-below")) return next.firstElementChild;
  const place = h("td", { colspan: String(row.childElementCount) });
  row.after(h("tr", { class: "row-below" }, place));
  return place;
}

/** Removes a row and shows a message in its place; returns true if it was the last row. */
export function removed(row, said) {
  const place = below(row);
  replace(place, h("p", { role: "status", dir: "auto", tabindex: "-1" }, said));
  place.firstElementChild.focus({ preventScroll: true });
  const rows = row.parentElement;
  row.remove();
  return !rows.querySelector("tr:not(.row-below)");
}

/** Runs an action that may fail, and shows an error with its remedy; returns true on success. */
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

/** Returns a value as a filter literal. */
export function literal(value) {
  return typeof value === "string" ? `'${value.replaceAll("'", "''")}'` : String(value);
}
