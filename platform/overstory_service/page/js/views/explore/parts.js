/** What several places of Walk show: names, passages, notes, pages of a list. */

import { corpusPath, get } from "../../api.js";
import { h, replace } from "../../dom.js";
import { marked } from "../../marking.js";
import { link } from "../../router.js";
import { openSource, sourceLink } from "../../source.js";
import { coded, failed } from "../../states.js";
import { number, words } from "../../words.js";

/** The address of a name, which any view may link to. */
export const entityAddress = (corpus, name, params = {}) => link("explore", corpus, ["entity", name], params);

/** The address of a community; without one, of its tree. */
export const communityAddress = (corpus, tree, community = "", params = {}) =>
  link("explore", corpus, community ? ["tree", tree, community] : ["tree", tree], params);

export const entityLink = (corpus, name) => h("a", { href: entityAddress(corpus, name), dir: "auto" }, name);

/** "Person" of PERSON; kinds that are not known as they are. */
export const typeText = (type) => words.explore.types[type] ?? type;

/** A link to a passage in its document: a click opens it at the side, a new tab as a page of its own. */
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

/** Where a passage is from: its title, which opens it, heading and page. */
export function placeOf(corpus, passage, quotations = []) {
  const more = [passage.heading, passage.page ? words.source.page(passage.page) : ""].filter(Boolean);
  return h(
    "p",
    { class: "from quiet" },
    passageLink(corpus, passage, quotations),
    more.length > 0 && h("span", { dir: "auto" }, ` · ${more.join(" · ")}`),
  );
}

/** A passage, with these words marked. */
export function passageItem(corpus, passage, marks = []) {
  return h(
    "li",
    { class: "explore-passage" },
    h("p", { dir: "auto" }, marked(passage.text, rangesOf(passage.text, marks))),
    placeOf(corpus, passage),
  );
}

/** Where some words stand in a text, whatever their case. */
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

/** What the reader should know of a result; nothing where there is nothing. */
export function notes(texts) {
  if (!texts?.length) return null;
  return h(
    "div",
    { class: "explore-notes quiet", role: "note", "aria-label": words.explore.notes },
    h("ul", null, texts.map((each) => h("li", null, coded(each)))),
  );
}

/** A way through the pages of a list, each an address; nothing where there is one page. */
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

/** A link that opens Neo4j Browser at this place, for administrators; it is asked for when it is pressed. */
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

/** "12 names". */
export const sizeText = (unit, count) => words.explore.community.size[unit]?.(count) ?? number(count);
