/** Where one text stands in another, and texts with marks. */

import { h } from "./dom.js";

/** White space and characters without a form, which quotations do not keep. */
const UNSEEN = /[\s\p{Cf}]/u;
/** What an answer adds to a sentence, such as whom a pronoun means. */
const ADDED = /\s*\[[^\]]*\]/g;

/**
 * Where a quotation stands in a text: `[start, end]`, or null. White space counts for nothing, nor do words that the
 * quotation has in square brackets.
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

/** A text as nodes with these ranges marked; they may overlap. */
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

/** The sentences of a text, each `[start, end]`. */
export function sentencesOf(text) {
  return [...new Intl.Segmenter(undefined, { granularity: "sentence" }).segment(text)]
    .map(({ index, segment }) => [index, index + segment.trimEnd().length])
    .filter(([start, end]) => end > start);
}

/** The sentence of a text that has most words of a statement, or null where none has two of them. */
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

/** A text cut at a word, so that it is no longer than so many characters; around a place where one is given. */
export function shortened(text, length, place = null) {
  const plain = text.replace(/\s+/g, " ").trim();
  if (plain.length <= length) return plain;
  const from = place ? Math.max(0, Math.min(plain.length - length, place[0] - Math.floor(length / 3))) : 0;
  const start = from ? plain.indexOf(" ", from) + 1 : 0;
  const cut = plain.slice(start, start + length).replace(/\s+\S*$/, "");
  return `${start ? "… " : ""}${cut} …`;
}
