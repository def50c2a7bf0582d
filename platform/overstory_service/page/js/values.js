/** Metadata values in readable form. */

import { day, moment } from "./words.js";

/** A date as the service sends it, always with time and zone, which typed texts hardly ever have. */
const DATE = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/;
/** Time part of a stored date without a time. */
const WHOLE_DAY = /T00:00:00(?:\.0+)?(?:Z|\+00:00)$/;

/** Returns a value as text, with dates in the reader's locale. */
export function valueText(value) {
  if (Array.isArray(value)) return value.map(valueText).join(", ");
  if (value !== null && typeof value === "object") return JSON.stringify(value);
  const text = String(value);
  if (!DATE.test(text) || Number.isNaN(Date.parse(text))) return text;
  return WHOLE_DAY.test(text) ? day(text) : moment(text);
}
