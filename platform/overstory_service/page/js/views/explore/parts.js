/** Parts shared by the places of Explore: links, passages, notes, paging. */

import { corpusPath, get } from "../../api.js";
import { h, replace } from "../../dom.js";
import { marked } from "../../marking.js";
import { link } from "../../router.js";
import { openSource, sourceLink } from "../../source.js";
import { coded, failed } from "../../states.js";
import { number, words } from "../../words.js";

/** Returns the address of an entity. */
export const entityAddress = (corpus, name, params = {}) => link("explore", corpus, ["entity", name], params);

/** Returns the address of a community, or of the tree without one. */
export const communityAddress = (corpus, tree, community = "", params = {}) =>
  link("explore", corpus, community ? ["tree", tree, community] : ["tree", tree], params);

export const entityLink = (corpus, name) => h("a", { href: entityAddress(corpus, name), dir: "auto" }, name);

/** Returns the label of an entity type, such as "Person" for PERSON; unknown types are unchanged. */
export const typeText = (type) => words.explore.types[type] ?? type;

/** A link to a passage in its document: a click opens it at the side, a new tab shows it as a page. */
export function passageLink(corpus, passage, quotations = [], ...children) {
  const wanted = { document: passage.document_id, passage: passage.chunk_id, quotations };
  return h(
    "a",
    {
      href: sourceLink(corpus, wanted),
      class: "source-link",
      dir: "auto",
      on: {
        click: (event) => {
          if (event.metaKey || event.ctrlKey || event.shiftKey || event.button) return;
          event.preventDefault();
          openSource(corpus, wanted);
        },
      },
    },
    children.length ? children : words.explore.title_(passage.title),
  );
}

/** Source of a passage: title with link, heading and page. */
export function placeOf(corpus, passage, quotations = []) {
  const more = [passage.heading, passage.page ? words.source.page(passage.page) : ""].filter(Boolean);
  return h(
    "p",
    { class: "from quiet" },
    passageLink(corpus, passage, quotations),
    more.length > 0 && h("span", { dir: "auto" }, ` · ${more.join(" · ")}`),
  );
}

/** When a fact holds and when it was said, as far as its passage says so. */
export function timeOf({ holds_from: from, holds_to: to, said_at: said, ended }) {
  const time = words.explore.time;
  const held = from ? (from === to ? from : to ? time.between(from, to) : time.since(from)) : to ? time.until(to) : ended ? time.ended : "";
  const parts = [held, said ? time.said(said) : ""].filter(Boolean);
  return parts.length > 0 && h("p", { class: "quiet" }, parts.join(", "));
}

/** A passage with some words marked. */
export function passageItem(corpus, passage, marks = []) {
  return h(
    "li",
    { class: "explore-passage" },
    h("p", { dir: "auto" }, marked(passage.text, rangesOf(passage.text, marks))),
    placeOf(corpus, passage),
  );
}

/** Returns the ranges of some words in a text, ignoring case. */
export function rangesOf(text, marks) {
  const lower = text.toLowerCase();
  if (lower.length !== text.length) return [];
  const found = [];
  for (const mark of marks.map((each) => each.toLowerCase()).filter((each) => each.length > 1)) {
    for (let at = lower.indexOf(mark); at >= 0; at = lower.indexOf(mark, at + mark.length)) {
      if (isWhole(lower, at, at + mark.length)) found.push([at, at + mark.length]);
    }
  }
  return found;
}

const isLetter = (character) => /[\p{L}\p{N}]/u.test(character ?? "");

function isWhole(text, start, end) {
  return !(isLetter(text[start - 1]) && isLetter(text[start])) && !(isLetter(text[end]) && isLetter(text[end - 1]));
}

/** Notes on a result, or null without notes. */
export function notes(texts) {
  if (!texts?.length) return null;
  return h(
    "div",
    { class: "explore-notes quiet", role: "note", "aria-label": words.explore.notes },
    h("ul", null, texts.map((each) => h("li", null, coded(each)))),
  );
}

/** Links to the previous and next page of a list, or null for a single page. */
export function pages({ first, shown, all, size, address, label }) {
  if (all <= size && !first) return null;
  const step = (to, text) => h("a", { class: "button", href: address(to) }, text);
  return h(
    "nav",
    { class: "pages", "aria-label": label },
    first > 0 && step(Math.max(0, first - size), words.explore.community.earlier),
    shown > 0 && h("span", { class: "quiet" }, words.explore.community.shown(first + 1, first + shown, all)),
    first + size < all && step(first + size, words.explore.community.later),
  );
}

/** A button for administrators that opens Neo4j Browser; its address is requested when it is pressed. */
export function browserButton(context, params) {
  if (!context.may("admin") || context.session.filtered) return null;
  const problem = h("span", { "aria-live": "polite" });
  const button = h("button", { type: "button", title: words.explore.entity.browserMeans, on: { click: open } }, words.explore.entity.browser);
  return [button, problem];

  async function open() {
    try {
      const { address } = await get(corpusPath(context.corpus, "browser"), params, { signal: context.signal });
      const shown = h("a", { href: address, target: "_blank", rel: "noopener noreferrer" }, words.explore.entity.browser);
      problem.before(shown);
      button.remove();
      shown.className = "button";
      shown.focus();
      window.open(address, "_blank", "noopener,noreferrer");
    } catch (error) {
      if (error.name !== "AbortError") replace(problem, failed(error));
    }
  }
}

/** Returns the size of a community, such as "12 entities". */
export const sizeText = (unit, count) => words.explore.community.size[unit]?.(count) ?? number(count);
