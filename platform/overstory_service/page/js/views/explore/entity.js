/** An entity: aliases, facts with sentences, related entities, passages and editing. */

import { Problem, corpusPath, get } from "../../api.js";
import { h, replace, svg } from "../../dom.js";
import { marked } from "../../marking.js";
import { relationText } from "../../relations.js";
import { link } from "../../router.js";
import { empty, waiting } from "../../states.js";
import { words } from "../../words.js";
import { editing } from "./editing.js";
import { browserButton, entityAddress, entityLink, notes, passageItem, placeOf, rangesOf, timeOf, typeText } from "./parts.js";

const FACTS = 50;
const FACTS_SHOWN = 6;
const PASSAGES = 20;
/** Size of the drawing of related entities, and its limits. */
const WIDTH = 680;
const HEIGHT = 380;
const MOST_DRAWN = 12;
const LONGEST_LABEL = 24;
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
    return await get(corpusPath(corpus, "entity"), { name, limit: FACTS }, { signal });
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
    timeOf(place),
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
  const found = await get(corpusPath(corpus, "entity", "passages"), { name, first, limit: PASSAGES }, { signal });
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

/** A drawing of related entities, or null if there are too few. It is decorative: the list has the same content. */
function neighbourhood(corpus, found) {
  const drawn = found.related.slice(0, MOST_DRAWN);
  if (drawn.length < 2) return null;
  const [x, y] = [WIDTH / 2, HEIGHT / 2];
  const most = Math.max(...drawn.map((each) => each.statements));
  const places = drawn.map((each, at) => {
    const angle = (2 * Math.PI * at) / drawn.length - Math.PI / 2;
    return { ...each, x: x + Math.cos(angle) * WIDTH * 0.35, y: y + Math.sin(angle) * HEIGHT * 0.4 };
  });
  return svg(
    "svg",
    { class: "neighbourhood", viewBox: `0 0 ${WIDTH} ${HEIGHT}`, "aria-hidden": "true", focusable: "false" },
    places.map((each) =>
      svg("line", { x1: x, y1: y, x2: each.x, y2: each.y, "stroke-width": 1 + 4 * (each.statements / most) }),
    ),
    places.map((each) => svg("text", { class: "tie", x: (x + 2 * each.x) / 3, y: (y + 2 * each.y) / 3 }, short(relationText(each.predicates[0] ?? ""), 16))),
    places.map((each) =>
      svg("a", { href: entityAddress(corpus, each.name), tabindex: "-1" }, svg("circle", { cx: each.x, cy: each.y, r: 7 }), label(each.x, each.y, each.name)),
    ),
    svg("g", { class: "middle" }, svg("circle", { cx: x, cy: y, r: 11 }), label(x, y, found.name)),
  );
}

/** Related entities as a list, with their relations. */
function relatedList(corpus, related) {
  return h(
    "ul",
    { class: "name-list" },
    related.map((each) =>
      h(
        "li",
        null,
        entityLink(corpus, each.name),
        h("span", { class: "quiet", dir: "auto" }, [...new Set(each.predicates.map((predicate) => relationText(predicate)))].join(", ")),
        h("span", { class: "quiet" }, words.explore.entity.times(each.statements)),
      ),
    ),
  );
}

const label = (x, y, text) => svg("text", { x, y: y + (y < HEIGHT / 2 - 20 ? -14 : 24) }, short(text, LONGEST_LABEL));

const short = (text, most) => (text.length > most ? `${[...text].slice(0, most - 1).join("")}…` : text);
