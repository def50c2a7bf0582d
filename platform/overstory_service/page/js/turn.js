/** A question with its answer: text, sources and details. */

import { loaded } from "./api.js";
import { h, replace } from "./dom.js";
import { formatted, statementsOf } from "./formatted.js";
import { marked, placeIn, shortened } from "./marking.js";
import { link } from "./router.js";
import { openSource } from "./source.js";
import { coded, failed } from "./states.js";
import { words } from "./words.js";

const NEAREST_SHOWN = 3;
/** Passages to search when fewer gave no answer. */
const MORE_PASSAGES = 20;
const EXCERPT_CHARACTERS = 260;
const LINES_OF_A_PART = 8;
/** Kinds of results shown below an answer. Paths are shown by See why, excerpts as passages. */
const PARTS_SHOWN = ["report", "relation", "entity", "subgraph"];
const MOST_PARTS = 8;

/**
 * @param {object} turn `{question, asked, answer, seconds}`
 * @param {(changed?: object) => void} again asks the question again, with changes to the request.
 * @param {(question: string) => void} change puts a question into the input field.
 * @param {object} open which parts are expanded: read first, then kept up to date.
 * @returns {{element: Element, opened: Promise}} `opened` resolves once the expanded parts are drawn.
 */
export function turnOf(context, turn, { again, change, isLast = false, open: opens = {} }) {
  const { answer } = turn;
  const isAnswer = answer.state === "answered" || answer.state === "uncited";
  const open = ({ corpus, ...wanted }) => openSource(corpus || context.corpus, wanted);
  const remembered = answer.evidence.parts.filter((part) => part.kind === "answer");
  const parts = answer.evidence.parts.filter((part) => PARTS_SHOWN.includes(part.kind));
  const more = parts.length > 0 && h("details", { class: "parts", open: opens.parts }, h("summary", null, words.ask.alsoFound(parts.length)), partList("", parts, answer, open));
  if (more) more.addEventListener("toggle", () => (opens.parts = more.open));
  const { elements, opened } = actions(context, turn, again, open, opens);
  const element = h(
    "article",
    { class: isLast ? "turn is-last" : "turn" },
    h("h2", { class: "question", dir: "auto" }, turn.question),
    answer.follow_up && askedAs(answer.question, again, change),
    isAnswer ? answerText(answer, open) : refusal(turn, open, again),
    answer.unsupported.length > 0 && h("p", { class: "warning", dir: "auto" }, words.ask.unsupported(answer.unsupported)),
    isAnswer && meant(turn, again),
    notesOf(answer),
    isAnswer && sources(answer, open),
    remembered.length > 0 && partList(words.ask.remembered, remembered, answer, open),
    more,
    h("p", { class: "meta quiet" }, metaOf(context, turn).map((text) => h("span", null, text))),
    elements,
  );
  return { element, opened };
}

/** Shows how a follow-up question was completed, with two ways to correct it. */
function askedAs(question, again, change) {
  return h(
    "div",
    { class: "asked-as quiet" },
    h("p", { dir: "auto" }, words.ask.askedAs(question)),
    h(
      "p",
      null,
      h("button", { type: "button", class: "plain", title: words.ask.asTypedMeans, on: { click: () => again({ alone: true }) } }, words.ask.asTyped),
      h("button", { type: "button", class: "plain", on: { click: () => change(question) } }, words.ask.change),
    ),
  );
}

/** The answer, with each citation number as a button that opens the source. */
function answerText(answer, open) {
  const cite = (number) => {
    const citation = answer.citations.find((each) => each.number === number);
    if (!citation) return null;
    return h(
      "button",
      {
        type: "button",
        class: "cite",
        "aria-label": words.ask.citation(number, citation.title),
        title: citation.title,
        on: { click: () => open(wantedOf(answer, citation)) },
      },
      String(number),
    );
  };
  return h(
    "div",
    { class: answer.state === "uncited" ? "answer is-uncited" : "answer" },
    answer.guess && h("p", { class: "guess", dir: "auto" }, answer.confidence != null && [h("span", { class: "quiet" }, words.ask.perhaps), " "], h("strong", null, answer.guess)),
    answer.state === "uncited" && h("p", { class: "warning" }, words.ask.uncited),
    h("div", { class: "answer-text" }, formatted(textWithoutGuess(answer), cite)),
  );
}

/** Removes the guess from the start of an extractive answer, because it is shown above. */
function textWithoutGuess(answer) {
  if (!answer.guess) return answer.text;
  const lines = answer.text.split("\n");
  return lines[0].includes(answer.guess) && lines.length > 1 && lines[0].length < answer.guess.length + 40 && !/\[\d+\]/.test(lines[0])
    ? lines.slice(1).join("\n")
    : answer.text;
}

/** A refusal: the reason, and the nearest sentences, or else the closest passages. */
function refusal(turn, open, again) {
  const { answer, asked } = turn;
  const sentences = answer.nearest.map((each) => sourceCard(citationSource(answer, each), () => open(wantedOf(answer, each))));
  const passages = answer.evidence.hits.slice(0, NEAREST_SHOWN).map((hit) => sourceCard(hitSource(hit), () => open(wantedOfHit(hit))));
  const nearest = sentences.length ? sentences : passages;
  return h(
    "section",
    { class: "refusal" },
    h("h3", null, words.ask.states[answer.state]),
    h("p", { dir: "auto" }, answer.text),
    meant(turn, again),
    nearest.length > 0 && h("h4", null, sentences.length ? words.ask.nearestSentences : words.ask.nearest),
    nearest.length > 0 && h("ol", { class: "sources" }, nearest.map((each) => h("li", null, each))),
    h("p", { class: "quiet" }, nearest.length ? words.ask.notThereMeans : words.ask.nothingMeans),
    nearest.length > 0 &&
      asked.k < MORE_PASSAGES &&
      h("button", { type: "button", on: { click: () => again({ k: MORE_PASSAGES }) } }, words.ask.askMore(MORE_PASSAGES)),
  );
}

function sources(answer, open) {
  if (!answer.citations.length) return null;
  return h(
    "section",
    { class: "cited" },
    h("h3", null, words.ask.sources),
    h(
      "ol",
      { class: "sources" },
      answer.citations.map((citation) =>
        h("li", null, sourceCard(citationSource(answer, citation), () => open(wantedOf(answer, citation)))),
      ),
    ),
  );
}

/** A source as a button: number, title, place and excerpt, with the quotation marked. */
function sourceCard({ number = null, title, places, text, ranges }, open) {
  return h(
    "button",
    { type: "button", class: "source-card", on: { click: open } },
    number !== null && h("span", { class: "source-number", "aria-hidden": "true" }, String(number)),
    h(
      "span",
      { class: "source-words" },
      h("span", { class: "source-title", dir: "auto" }, title),
      places && h("span", { class: "source-where quiet", dir: "auto" }, places),
      h("span", { class: "source-excerpt", dir: "auto" }, marked(text, ranges)),
    ),
  );
}

function citationSource(answer, citation) {
  const hit = hitOf(answer, citation.chunk_id);
  const places = placesOf(citation, hit);
  if (answer.kind === "extractive" || !hit) {
    return { number: citation.number, title: citation.title || words.source.untitled, places, text: shortened(citation.text, 2 * EXCERPT_CHARACTERS), ranges: [] };
  }
  return { ...hitSource(hit), number: citation.number, title: citation.title || words.source.untitled, places };
}

function hitSource(hit) {
  const text = shortened(hit.text, EXCERPT_CHARACTERS, hit.sentence);
  const sentence = hit.sentence && placeIn(text, shortened(hit.text.slice(...hit.sentence), EXCERPT_CHARACTERS).replace(/ …$/, ""));
  return { title: hit.title || words.source.untitled, places: placesOf(hit, hit), text, ranges: sentence ? [sentence] : [] };
}

/** Returns the place of a source: corpus if several were asked, heading, page and number of passages. */
function placesOf(place, hit) {
  const page = place.page === null || place.page === undefined ? "" : words.source.page(place.page);
  return [place.corpus, hit?.heading, page, place.passages?.length > 1 ? words.ask.onPassages(place.passages.length) : ""].filter(Boolean).join(" · ");
}

/** Returns the place that a citation leads to, for `openSource`. */
function wantedOf(answer, citation) {
  const hit = hitOf(answer, citation.chunk_id);
  return {
    corpus: citation.corpus,
    document: citation.document_id,
    passage: citation.chunk_id,
    quotations: answer.kind === "extractive" ? citation.text.split("\n").filter((line) => line.trim()) : [],
    statements: answer.kind === "extractive" ? [] : statementsOf(answer.text, citation.number),
    sentence: hit?.sentence ?? null,
  };
}

export function wantedOfHit(hit) {
  return { corpus: hit.corpus, document: hit.document_id, passage: hit.chunk_id, sentence: hit.sentence };
}

function hitOf(answer, chunk) {
  return [...answer.evidence.hits, ...answer.evidence.sources].find((each) => each.chunk_id === chunk);
}

/** Parts of the evidence, each with the passages that support it. */
function partList(title, parts, answer, open) {
  return h(
    "section",
    { class: "found-parts" },
    title && h("h3", null, title),
    h(
      "ul",
      null,
      parts.slice(0, MOST_PARTS).map((part) => {
        const [first, ...rest] = (part.details?.for_people ?? part.text).split("\n");
        const passages = part.chunks.map((chunk) => hitOf(answer, chunk)).filter(Boolean);
        return h(
          "li",
          null,
          h("p", null, h("span", { class: "chip" }, words.ask.kinds[part.kind] ?? part.kind), " ", h("strong", { dir: "auto" }, first)),
          rest.length > 0 && h("div", { class: "quiet" }, formatted(rest.slice(0, LINES_OF_A_PART).join("\n"), () => null, 4)),
          rest.length > LINES_OF_A_PART && h("p", { class: "quiet" }, words.ask.moreLines(rest.length - LINES_OF_A_PART)),
          passages.length > 0 &&
            h(
              "p",
              { class: "quiet" },
              words.ask.standsOn,
              passages.slice(0, NEAREST_SHOWN).map((hit) => [
                " ",
                h("button", { type: "button", class: "plain", dir: "auto", on: { click: () => open(wantedOfHit(hit)) } }, hit.title || words.source.untitled),
              ]),
            ),
        );
      }),
    ),
    parts.length > MOST_PARTS && h("p", { class: "quiet" }, words.ask.moreParts(parts.length - MOST_PARTS)),
  );
}

function notesOf(answer) {
  const isMeant = (note) => Object.keys(answer.did_you_mean ?? {}).some((name) => note.includes(name) && note.includes("Did you mean"));
  const notes = [...new Set([...answer.notes, ...answer.evidence.notes])].filter((note) => !isMeant(note)); // shown as buttons instead
  return notes.length > 0 && h("ul", { class: "notes quiet" }, notes.map((note) => h("li", { dir: "auto" }, coded(note))));
}

/** Unknown names in the question, with similar names as buttons. Answers saved by old versions lack them. */
function meant({ answer }, again) {
  const unknown = Object.entries(answer.did_you_mean ?? {});
  const instead = (name, other) => {
    const question = answer.question.replace(name, () => other);
    return h("button", { type: "button", title: question, on: { click: () => again({ question, alone: true }) } }, h("bdi", null, other));
  };
  return unknown.map(([name, like]) => h("p", { class: "meant" }, words.ask.noName(name), like.map((other) => [" ", instead(name, other)])));
}

/** Details: duration, search method, tokens and cost. */
function metaOf(context, { answer, asked, seconds }) {
  const { usage: tokens, requests, remembered, cost, seconds: waited } = answer.usage;
  const texts = [words.ask.took(seconds)];
  texts.push(answer.kind === "llm" ? words.ask.writtenBy(answer.model) : words.ask.extractive);
  if (requests > 0) texts.push(words.ask.tokens(tokens.prompt_tokens, tokens.completion_tokens, tokens.estimated), words.ask.waited(waited));
  if (remembered > 0) texts.push(words.ask.fromCache(remembered));
  if (cost > 0) texts.push(words.ask.cost(cost));
  if (answer.confidence !== null) texts.push(words.ask.confidence(answer.confidence));
  texts.push(words.ask.foundBy(answer.evidence.retriever, answer.evidence.hits.length));
  if (asked.also?.length) texts.push(words.ask.askedIn([context.corpus, ...asked.also]));
  if (asked.where) texts.push(words.ask.filteredBy(asked.where));
  return texts;
}

/** Buttons of an answer, and See why. `opened` resolves once an expanded See why is drawn. */
function actions(context, turn, again, open, opens) {
  const { answer } = turn;
  const place = h("section", { class: "why", hidden: true });
  const why = h("button", { type: "button", "aria-expanded": "false", on: { click: toggle } }, words.why.open);
  const copy = h("button", { type: "button", class: "plain", on: { click: copyAnswer } }, words.ask.copy);
  const question = link("ask", context.corpus, [], { q: turn.question, retriever: turn.asked.retriever, where: turn.asked.where, also: turn.asked.also });
  const elements = [
    h(
      "div",
      { class: "turn-actions" },
      answer.evidence.hits.length > 0 && why,
      copy,
      h("button", { type: "button", class: "plain", on: { click: () => again() } }, words.ask.repeat),
      h("a", { href: question }, words.ask.linkToQuestion),
    ),
    place,
  ];
  return { elements, opened: opens.why && answer.evidence.hits.length ? toggle() : Promise.resolve() };

  async function toggle() {
    place.hidden = !place.hidden;
    opens.why = !place.hidden;
    why.setAttribute("aria-expanded", String(!place.hidden));
    replace(why, place.hidden ? words.why.open : words.why.close);
    if (place.hidden || place.childElementCount) return;
    await draw();
  }

  async function draw() {
    let whyOf;
    try {
      ({ whyOf } = await loaded(() => import("./why.js")));
    } catch (error) {
      return void replace(place, failed(error, draw));
    }
    replace(place, whyOf(answer, context.corpus, (hit) => open(wantedOfHit(hit))));
    const table = place.querySelector("details");
    table.open = Boolean(opens.table);
    table.addEventListener("toggle", () => (opens.table = table.open));
  }

  async function copyAnswer() {
    const cited = answer.citations.map((each) => `[${each.number}] ${each.title} (${[each.source, each.source_key].filter(Boolean).join("#")})`);
    try {
      await navigator.clipboard.writeText([turn.question, "", answer.text, "", ...cited].join("\n"));
      replace(copy, words.ask.copied);
    } catch {
      replace(copy, words.ask.notCopied);
    }
  }
}
