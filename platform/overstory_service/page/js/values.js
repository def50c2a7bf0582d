/** Values of metadata for people. */

import { day, moment } from "./words.js";

/** A date as the service sends it: always with its time and zone, which no text that somebody typed is likely to have. */
const DATE = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/;
/** What a date without a time is stored as. */
const WHOLE_DAY = /T00:00:00(?:\.0+)?(?:Z|\+00:00)$/;

/** A value as a text; a date in the reader's locale. */
export function valueText(value) {
  if (Array.isArray(value)) return value.map(valueText).join(", ");
  if (value !== null && typeof value === "object") return JSON.stringify(value);
  const text = String(value);
  if (!DATE.test(text) || Number.isNaN(Date.parse(text))) return text;
  return WHOLE_DAY.test(text) ? day(text) : moment(text);
}
