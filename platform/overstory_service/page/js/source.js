/** A stored document, shown from a passage on, with sentences marked. */

import { corpusPath, get } from "./api.js";
import { h, replace } from "./dom.js";
import { marked, nearestSentence, placeIn } from "./marking.js";
import { link } from "./router.js";
import { failed, waiting } from "./states.js";
import { valueText } from "./values.js";
import { words } from "./words.js";

/** Passages loaded at a time, around the wanted passage. */
const PASSAGES = 8;
const MOST_MARKS_IN_LINK = 4;
const LONGEST_MARK_IN_LINK = 400;

/**
 * A place in a document, and the sentences to mark.
 *
 * @typedef {object} Wanted
 * @property {string} document id of the document.
 * @property {string} passage id of a passage; "" for the start.
 * @property {string[]} quotations sentences to mark, as quoted by an answer.
 * @property {string[]} statements statements of a model; without quotations, the sentences that match them best are marked.
 * @property {[number, number]|null} sentence range in the passage, marked if nothing else is.
 */

/** Returns the address of such a place. */
export function sourceLink(corpus, { document, passage = "", quotations = [] }) {
  const marks = quotations.slice(0, MOST_MARKS_IN_LINK).map((each) => each.slice(0, LONGEST_MARK_IN_LINK));
  return link("document", corpus, [document], { passage, mark: marks });
}

/** Fills an element with a document, and scrolls to the first mark. */
export async function showSource(element, corpus, wanted, { signal, level = 2, withLink = true } = {}) {
  replace(element, waiting());
  let found;
  try {
    found = await read(corpus, wanted, signal);
  } catch (error) {
    if (error.name !== "AbortError") {
      replace(element, failed(error, () => showSource(element, corpus, wanted, { signal, level, withLink })));
    }
    return null;
  }
  const { document, passages } = found;
  const text = h("div", { class: "source-text" });
  const reader = { corpus, wanted, document, text, signal, first: passages[0]?.position ?? 0, next: found.next };
  const heading = h(`h${level}`, { tabindex: "-1", dir: "auto" }, document.title || words.source.untitled);
  const { blocks, quoted } = blocksOf(reader, passages);
  replace(
    element,
    h("header", { class: "source-head" }, heading, placeOf(document, passages, wanted), metadataOf(document)),
    note(document, wanted, quoted),
    reader.first > 0 && more(reader, words.source.before, before),
    replace(text, blocks),
    reader.next !== null && more(reader, words.source.after, after),
    withLink &&
      h("p", { class: "source-foot quiet" }, h("a", { href: sourceLink(corpus, { ...wanted, quotations: quoted }) }, words.source.open)),
  );
  (text.querySelector("mark") ?? text.querySelector(".is-wanted"))?.scrollIntoView({ block: "center" });
  return heading;
}

function read(corpus, { document, passage }, signal) {
  return get(corpusPath(corpus, "documents", document), { around: passage, limit: PASSAGES }, { signal });
}

/** Draws passages in order, without their overlaps, and with a heading where it changes. */
function blocksOf(reader, passages, before = { end: -1, heading: "", page: null }) {
  const blocks = [];
  const quoted = [];
  let last = before;
  for (const passage of passages) {
    const page = pageOf(reader.document, passage);
    if (page !== null && page !== last.page) blocks.push(h("p", { class: "source-page" }, words.source.page(page)));
    if (passage.heading && passage.heading !== last.heading) {
      blocks.push(h("p", { class: "source-heading", dir: "auto" }, passage.heading));
    }
    const isWanted = passage.chunk_id === reader.wanted.passage;
    const ranges = isWanted ? marks(passage.text, reader.wanted) : [];
    for (const [start, end] of ranges) quoted.push(passage.text.slice(start, end));
    const cut = passage.start < last.end ? Math.min(last.end - passage.start, passage.text.length) : 0;
    const shown = ranges.map(([start, end]) => [start - cut, end - cut]).filter(([, end]) => end > 0);
    const text = passage.text.slice(cut);
    if (text.trim()) {
      blocks.push(
        h(
          "p",
          { class: isWanted ? "passage is-wanted" : "passage", dir: "auto" },
          marked(text, shown.map(([start, end]) => [Math.max(0, start), end])),
        ),
      );
    }
    last = { end: Math.max(last.end, passage.end), heading: passage.heading, page };
  }
  reader.last = last;
  return { blocks, quoted };
}

function marks(text, { quotations = [], statements = [], sentence = null }) {
  const quoted = quotations.map((each) => placeIn(text, each)).filter(Boolean);
  if (quoted.length) return quoted;
  const stated = statements.map((each) => nearestSentence(text, each)).filter(Boolean);
  if (stated.length) return stated;
  return sentence ? [sentence] : [];
}

function note(document, wanted, quoted) {
  const notes = [];
  if (document.disabled) notes.push(words.source.disabled);
  if (wanted.passage && quoted.length) {
    const isQuoted = (wanted.quotations ?? []).length > 0;
    notes.push(isQuoted ? words.source.markedQuoted : wanted.statements?.length ? words.source.markedStated : words.source.markedNear);
  }
  return notes.length > 0 && h("p", { class: "source-note quiet" }, notes.join(" "));
}

function placeOf(document, passages, wanted) {
  const passage = passages.find((each) => each.chunk_id === wanted.passage);
  const page = passage ? pageOf(document, passage) : null;
  const parts = [
    document.source_key ? `${document.source} › ${document.source_key}` : document.source,
    page === null ? "" : words.source.page(page),
    passage?.heading ?? "",
  ];
  return h("p", { class: "source-place", dir: "auto" }, parts.filter(Boolean).join(" · "));
}

/** Returns the metadata to show; technical keys are left out. */
function metadataOf(document) {
  const kept = Object.entries(document.metadata).filter(([key]) => key !== "page_starts");
  if (!kept.length) return null;
  return h(
    "details",
    { class: "source-metadata" },
    h("summary", null, words.source.metadata),
    h("dl", null, kept.map(([key, value]) => [h("dt", { dir: "auto" }, key), h("dd", { dir: "auto" }, valueText(value))])),
  );
}

/** Returns the page number of a passage, from 1, if the document has pages. */
function pageOf(document, passage) {
  const starts = document.metadata.page_starts;
  if (!Array.isArray(starts) || !starts.length || !starts.every(Number.isInteger)) return null;
  const first = passage.start + passage.text.length - passage.text.trimStart().length;
  return starts.filter((start) => start <= first).length || null;
}

function more(reader, text, action) {
  const button = h("button", { type: "button", class: "source-more" }, text);
  button.addEventListener("click", async () => {
    button.disabled = true;
    try {
      if (!(await action(reader))) button.remove();
    } finally {
      button.disabled = false;
    }
  });
  return button;
}

async function before(reader) {
  const first = Math.max(0, reader.first - PASSAGES);
  const found = await page(reader, { first, limit: reader.first - first });
  reader.text.prepend(...blocksOf({ ...reader }, found.passages).blocks.flat());
  reader.first = first;
  return first > 0;
}

async function after(reader) {
  const found = await page(reader, { first: reader.next, limit: PASSAGES });
  reader.text.append(...blocksOf(reader, found.passages, reader.last).blocks.flat());
  reader.next = found.next;
  return found.next !== null;
}

function page(reader, range) {
  return get(corpusPath(reader.corpus, "documents", reader.document.id), range, { signal: reader.signal });
}

/** Opens a document in a dialog at the side. Closing it returns the focus to where it was opened. */
export function openSource(corpus, wanted) {
  const leave = new AbortController();
  const body = h("div", { class: "sheet-body" });
  const close = h("button", { type: "button", class: "sheet-close", "aria-label": words.close, on: { click: () => dialog.close() } }, "×");
  const dialog = h("dialog", { class: "sheet", "aria-label": words.source.label }, close, body);
  dialog.addEventListener("click", (event) => event.target === dialog && dialog.close());
  dialog.addEventListener("close", () => {
    leave.abort();
    dialog.remove();
  });
  window.addEventListener("hashchange", () => dialog.close(), { signal: leave.signal });
  document.body.append(dialog);
  dialog.showModal();
  showSource(body, corpus, wanted, { signal: leave.signal }).then((heading) => heading?.focus({ preventScroll: true }));
}
