/** An entity: aliases, facts with sentences, related entities, passages and editing. */

import { Problem, corpusPath, get } from "../../api.js";
import { h, replace } from "../../dom.js";
import { marked } from "../../marking.js";
import { relationText } from "../../relations.js";
import { link } from "../../router.js";
import { empty, waiting } from "../../states.js";
import { words } from "../../words.js";
import { editing } from "./editing.js";
import { neighbourhood, relatedList } from "./neighbourhood.js";
import { browserButton, entityAddress, entityLink, notes, passageItem, placeOf, rangesOf, typeText } from "./parts.js";

const FACTS = 50;
const FACTS_SHOWN = 6;
const PASSAGES = 20;
const text = words.explore.entity;

export async function show(context, body, [name = ""]) {
  const { corpus } = context;
  context.title(name);
  const found = await read(context, body, name);
  if (!found) return;
  context.title(found.name);
  const marks = [found.name, ...found.aliases];
  const passages = h("section", { class: "name-passages" });
  replace(
    body,
    h("h1", { tabindex: "-1", dir: "auto" }, found.name),
    h("p", { class: "quiet" }, text.about(typeText(found.type), found.passages)),
    found.aliases.length > 0 &&
      h("p", null, `${text.aliases} `, found.aliases.map((each) => [h("span", { class: "chip", dir: "auto" }, each), " "])),
    h(
      "div",
      { class: "actions" },
      h("a", { class: "button", href: link("explore", corpus, ["path"], { start: found.name }) }, text.pathFrom),
      browserButton(context, { name: found.name }),
    ),
    notes(found.notes),
    facts(corpus, found, marks),
    around(corpus, found),
    passages,
    editing(context, found.name),
  );
  await showPassages(context, passages, found, marks, Math.max(0, Number(context.params.get("first")) || 0));
  if (context.params.get("first")) passages.scrollIntoView();
}

/** Loads an entity. If it is unknown, shows similar names and returns null. */
async function read({ corpus, signal }, body, name) {
  try {
    return await get(corpusPath(corpus, "name"), { name, limit: FACTS }, { signal });
  } catch (error) {
    if (!(error instanceof Problem) || error.status !== 404) throw error;
    const nearest = suggestions(error.remedy);
    body.append(
      empty(
        text.unknown(name),
        nearest.length ? text.perhaps : error.remedy,
        nearest.map((each) => h("a", { class: "button", href: entityAddress(corpus, each), dir: "auto" }, each)),
        h("a", { class: "button", href: link("explore", corpus) }, text.all),
      ),
    );
    return null;
  }
}

/** Returns the names quoted in a remedy: "Did you mean 'Ezer Weizman' or 'Weizmann'?" */
const suggestions = (remedy) => [...remedy.matchAll(/'([^']+)'|"([^"]+)"/g)].map((each) => each[1] ?? each[2]);

function facts(corpus, found, marks) {
  const others = new Set(found.related.map((each) => each.name.toLowerCase()));
  const shown = found.facts.map((each) => fact(corpus, each, marks, others));
  return h(
    "section",
    null,
    h("h2", null, text.facts),
    found.facts.length
      ? [
          h("p", { class: "quiet" }, text.factsMeans),
          h("ul", { class: "facts" }, shown.slice(0, FACTS_SHOWN)),
          shown.length > FACTS_SHOWN &&
            h("details", null, h("summary", null, text.moreFacts(shown.length - FACTS_SHOWN)), h("ul", { class: "facts" }, shown.slice(FACTS_SHOWN))),
        ]
      : h("p", { class: "quiet" }, text.noFacts),
  );
}

function fact(corpus, { subject, predicate, object, sentence, passages, ...place }, marks, others) {
  return h(
    "li",
    { class: "card" },
    h("p", { class: "triple", dir: "auto" }, end(corpus, subject, marks, others), h("span", { class: "predicate" }, ` ${relationText(predicate, sentence, subject)} `), end(corpus, object, marks, others)),
    sentence && h("blockquote", { dir: "auto" }, marked(sentence, rangesOf(sentence, marks))),
    placeOf(corpus, place, sentence ? [sentence] : []),
    passages > 1 && h("p", { class: "quiet" }, text.stated(passages)),
  );
}

/** Subject or object of a fact, as a link if it is a related entity. */
function end(corpus, name, marks, others) {
  const isThis = marks.some((each) => each.toLowerCase() === name.toLowerCase());
  return isThis ? h("strong", null, name) : h("bdi", null, others.has(name.toLowerCase()) ? entityLink(corpus, name) : name);
}

function around(corpus, found) {
  return h(
    "section",
    null,
    h("h2", null, text.related),
    found.related.length
      ? [h("p", { class: "quiet" }, text.relatedMeans), neighbourhood(corpus, found), relatedList(corpus, found.related)]
      : h("p", { class: "quiet" }, text.noRelated),
  );
}

async function showPassages(context, place, { name, notes: said }, marks, first) {
  const { corpus, signal } = context;
  replace(place, h("h2", null, text.mentions), waiting());
  const found = await get(corpusPath(corpus, "name", "passages"), { name, first, limit: PASSAGES }, { signal });
  const step = (to, shown) => h("a", { class: "button", href: entityAddress(corpus, name, { first: to || "" }) }, shown);
  replace(
    place,
    h("h2", null, text.mentions),
    notes(found.notes.filter((each) => !said.includes(each))),
    h("ul", { class: "plain-list" }, found.passages.map((each) => passageItem(corpus, each, marks))),
    (first > 0 || found.next !== null) &&
      h(
        "nav",
        { class: "pages", "aria-label": text.mentions },
        first > 0 && step(Math.max(0, first - PASSAGES), text.earlier),
        found.passages.length > 0 && h("span", { class: "quiet" }, text.shown(first + 1, first + found.passages.length)),
        found.next !== null && step(found.next, text.later),
      ),
  );
}
