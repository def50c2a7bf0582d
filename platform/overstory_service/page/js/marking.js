/** Positions of quotations in texts, and texts with marks. */

import { h } from "./dom.js";

/** White space and invisible characters, which quotations may lack. */
const UNSEEN = /[\s\p{Cf}]/u;
/** Additions of an answer to a sentence in square brackets, such as the referent of a pronoun. */
const ADDED = /\s*\[[^\]]*\]/g;

/**
 * Returns the position of a quotation in a text as `[start, end]`, or null. White space is ignored, and so are words that
 * the quotation has in square brackets.
 */
export function placeIn(text, quotation) {
  const { letters, places } = seen(text);
  for (const wanted of [quotation, quotation.replace(ADDED, "")]) {
    const needle = seen(wanted).letters;
    if (!needle) continue;
    const at = letters.indexOf(needle);
    if (at >= 0) return [places[at], places[at + needle.length - 1] + 1];
  }
  return null;
}

function seen(text) {
  const places = [];
  let letters = "";
  for (let at = 0; at < text.length; at += 1) {
    if (UNSEEN.test(text[at])) continue;
    letters += text[at];
    places.push(at);
  }
  return { letters, places };
}

/** Returns a text as nodes with these ranges marked; ranges may overlap. */
export function marked(text, ranges) {
  const nodes = [];
  let at = 0;
  for (const [start, end] of merged(ranges)) {
    if (start > at) nodes.push(text.slice(at, start));
    nodes.push(h("mark", null, text.slice(start, end)));
    at = end;
  }
  nodes.push(text.slice(at));
  return nodes;
}

function merged(ranges) {
  const found = [];
  for (const [start, end] of [...ranges].sort((a, b) => a[0] - b[0])) {
    const last = found.at(-1);
    if (last && start <= last[1]) last[1] = Math.max(last[1], end);
    else found.push([start, end]);
  }
  return found;
}

/** Returns the sentences of a text as `[start, end]`. */
export function sentencesOf(text) {
  return [...new Intl.Segmenter(undefined, { granularity: "sentence" }).segment(text)]
    .map(({ index, segment }) => [index, index + segment.trimEnd().length])
    .filter(([start, end]) => end > start);
}

/** Returns the sentence of a text that shares most words with a statement, or null if no sentence shares two. */
export function nearestSentence(text, statement) {
  const wanted = wordsOf(statement);
  let best = null;
  let most = 1;
  for (const [start, end] of sentencesOf(text)) {
    const shared = [...wordsOf(text.slice(start, end))].filter((word) => wanted.has(word)).length;
    if (shared > most) [most, best] = [shared, [start, end]];
  }
  return best;
}

function wordsOf(text) {
  return new Set(text.toLowerCase().match(/[\p{L}\p{N}]{3,}|\p{N}+|[\p{Script=Han}]/gu) ?? []);
}

/** Cuts a text at a word boundary to a maximum length, around a range if one is given. */
export function shortened(text, length, place = null) {
  const plain = text.replace(/\s+/g, " ").trim();
  if (plain.length <= length) return plain;
  const from = place ? Math.max(0, Math.min(plain.length - length, place[0] - Math.floor(length / 3))) : 0;
  const start = from ? plain.indexOf(" ", from) + 1 : 0;
  const cut = plain.slice(start, start + length).replace(/\s+\S*$/, "");
  return `${start ? "… " : ""}${cut} …`;
}
