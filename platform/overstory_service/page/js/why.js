/**
 * See why: how the question led to each passage, sentence by sentence, as a drawing and as a table.
 *
 * A passage is drawn once, below what contributed most to it: an entity in the question, another passage that shares an
 * entity or has a link, or its meaning and words. The table has all paths, and the share of each reason in the score.
 */

import { h, replace, svg } from "./dom.js";
import { marked, placeIn, sentencesOf, shortened } from "./marking.js";
import { entityLink } from "./views/explore/parts.js";
import { words } from "./words.js";

const SENTENCE_CHARACTERS = 240;
const PARTS_WITH_COLOURS = 6;
/** Geometry of the lines in pixels: indentation of their start, height of their end on a card, and curvature. */
const LINE_INSET = 9;
const ROW_MIDDLE = 22;
const BEND = 8;

/** The drawing and the table of an answer. Entities link to Explore in the corpus of their passage; `open` is called with a hit. */
export function whyOf(answer, corpus, open) {
  const isAnswer = answer.state === "answered" || answer.state === "uncited";
  const tree = treeOf(isAnswer ? answer.evidence : { ...answer.evidence, parts: [] }); // no path leads to a refusal
  return [
    h("h3", null, words.why.title),
    h("p", { class: "quiet" }, words.why.lead),
    drawing(answer.question, tree, corpus, open),
    table(answer.evidence, tree, open),
  ];
}

/**
 * @typedef {object} Step a step to a passage.
 * @property {Passage|null} from previous passage; null for the question.
 * @property {string} name entity that connects them; "" if only meaning and words do.
 * @property {string} how kind of the connection in words.
 * @property {string} said sentence of `from` that mentions the entity, or "".
 * @property {string} sentence sentence of the passage to which the step leads.
 */

/** Returns the passages of the evidence as a tree below the question. */
function treeOf(evidence) {
  const known = new Map([...evidence.sources, ...evidence.hits].map((hit) => [hit.chunk_id, hit]));
  const ranks = new Map(evidence.hits.map((hit, at) => [hit.chunk_id, at + 1]));
  const paths = evidence.parts.filter((part) => part.kind === "path" && part.details?.steps?.length);
  const placed = new Map();
  const roots = [];

  function put(chunk, step) {
    const hit = known.get(chunk);
    step = { ...step, said: whole(step.said, step.from?.hit), sentence: whole(step.sentence, hit) };
    const passage = { chunk, hit, rank: ranks.get(chunk) ?? null, title: step.title || hit?.title || "", step, below: [] };
    placed.set(chunk, passage);
    (step.from?.below ?? roots).push(passage);
    return passage;
  }

  /** Places the start of a path, or a passage without a path. */
  function putFirst(chunk, asked, title = "") {
    if (placed.has(chunk)) return placed.get(chunk);
    const hit = known.get(chunk);
    const name = asked || nameReason(hit)?.detail || "";
    const sentence = hit ? sentenceWith(hit, name) : "";
    return put(chunk, { from: null, name, how: name ? words.why.asked : byWords(hit), said: "", sentence, title });
  }

  for (const hit of evidence.hits) {
    if (placed.has(hit.chunk_id)) continue;
    const [best] = paths.filter((path) => path.details.steps.at(-1).target_id === hit.chunk_id).sort((a, b) => b.score - a.score);
    const direct = nameReason(hit);
    if (!best || (direct && direct.score >= best.score)) {
      putFirst(hit.chunk_id, direct?.detail ?? "");
      continue;
    }
    const [first] = best.details.steps;
    let from = putFirst(first.source_id, best.details.asked, first.source_title);
    for (const step of best.details.steps) {
      from =
        placed.get(step.target_id) ??
        put(step.target_id, {
          from,
          name: step.name,
          how: words.why.kinds[step.kind] ?? step.kind,
          said: step.kind.startsWith("link") ? step.link_text : step.source_sentence,
          sentence: step.target_sentence,
          title: step.target_title,
        });
    }
  }
  return { roots, paths, known };
}

/** Returns the complete sentence of the passage if the step has only a part of it. */
function whole(sentence, hit) {
  const place = hit && sentence ? placeIn(hit.text, sentence) : null;
  const around = place && sentencesOf(hit.text).find(([start, end]) => start <= place[0] && place[1] <= end);
  return around ? hit.text.slice(...around) : sentence;
}

function nameReason(hit) {
  return hit?.reasons.filter((each) => each.kind === "name" && each.detail).sort((a, b) => b.score - a.score)[0];
}

function byWords(hit) {
  const found = hit?.reasons.filter((each) => each.clause).sort((a, b) => b.score - a.score)[0];
  return found ? found.clause : words.why.meaning;
}

/** Returns the sentence of a passage that mentions an entity, else the best match for the question, else the first. */
function sentenceWith(hit, name) {
  const wanted = name.toLowerCase();
  const all = sentencesOf(hit.text);
  const saying = wanted && all.find(([start, end]) => hit.text.slice(start, end).toLowerCase().includes(wanted));
  const [start, end] = saying || hit.sentence || all[0] || [0, 0];
  return hit.text.slice(start, end);
}

/** The question, entities and passages as an indented tree with lines. */
function drawing(question, tree, corpus, open) {
  const lines = svg("svg", { class: "why-lines", "aria-hidden": "true", focusable: "false" });
  const grid = h("div", { class: "why-grid" });
  const edges = [];
  const start = h("div", { class: "why-question", dir: "auto" }, h("span", { class: "why-label" }, words.why.question), question);
  grid.append(start);
  for (const passage of tree.roots) place(passage, 0, start);
  const whole = h("div", { class: "why-drawing", role: "group", "aria-label": words.why.drawing, tabindex: "0" }, lines, grid);
  const draw = () => drawLines(whole, lines, edges);
  new ResizeObserver(draw).observe(grid);
  return whole;

  /** Adds a passage with the entity that led to it, and the passages that follow from it. */
  function place(passage, depth, from) {
    const { step, hit } = passage;
    const pill = h(
      "div",
      { class: step.name ? "why-name" : "why-name is-meaning" },
      step.name ? h("strong", null, entityLink(hit?.corpus || corpus, step.name)) : null,
      h("span", { class: "quiet", dir: "auto" }, step.how),
    );
    const into = h("p", { class: "why-sentence", dir: "auto" }, withName(step.sentence, step.name));
    const card = h(
      "div",
      { class: "why-passage" },
      h(
        "p",
        { class: "why-head" },
        passage.rank !== null && h("span", { class: "why-rank" }, h("span", { class: "spoken" }, words.why.rank), String(passage.rank)),
        hit
          ? h("button", { type: "button", class: "plain", dir: "auto", on: { click: () => open(hit) } }, passage.title || words.source.untitled)
          : h("span", { dir: "auto" }, passage.title || words.source.untitled),
        hit?.corpus && h("span", { class: "quiet", dir: "auto" }, ` ${hit.corpus}`),
      ),
      into,
    );
    grid.append(pill, card);
    pill.style.setProperty("--level", String(2 * depth));
    card.style.setProperty("--level", String(2 * depth + 1));
    edges.push([from, pill], [pill, card]);
    for (const below of passage.below) {
      const { said, name } = below.step;
      if (said && said !== step.sentence) card.append(h("p", { class: "why-sentence is-leading", dir: "auto" }, withName(said, name)));
      else replace(into, withName(step.sentence, step.name, name));
      place(below, depth + 1, card);
    }
    const bar = hit && shareBar(hit);
    if (bar) card.append(bar);
  }
}

function withName(sentence, ...names) {
  const place = names.filter(Boolean).map((name) => placeIn(sentence.toLowerCase(), name.toLowerCase())).find(Boolean);
  const text = shortened(sentence, SENTENCE_CHARACTERS, place ?? null);
  return marked(text, names.filter(Boolean).map((name) => placeIn(text.toLowerCase(), name.toLowerCase())).filter(Boolean));
}

/** Draws lines from each element to its children, at their current positions. */
function drawLines(whole, lines, edges) {
  const box = whole.getBoundingClientRect();
  const isRtl = getComputedStyle(whole).direction === "rtl";
  const side = isRtl ? -1 : 1;
  lines.setAttribute("width", String(whole.scrollWidth));
  lines.setAttribute("height", String(whole.scrollHeight));
  replace(
    lines,
    edges.map(([from, to]) => {
      const a = from.getBoundingClientRect();
      const b = to.getBoundingClientRect();
      const x1 = (isRtl ? a.right : a.left) + LINE_INSET * side - box.left;
      const x2 = (isRtl ? b.right : b.left) - box.left;
      const y1 = a.bottom - box.top;
      const y2 = b.top + Math.min(b.height / 2, ROW_MIDDLE) - box.top;
      return svg("path", { d: `M${x1} ${y1}V${y2 - BEND}Q${x1} ${y2} ${x1 + BEND * side} ${y2}H${x2}` });
    }),
  );
}

/** Returns the reasons of a hit with their shares of its score, largest first. Negative reasons have a share below 0. */
function sharesOf(hit) {
  const sums = new Map();
  for (const { kind, score } of hit.reasons) sums.set(kind, (sums.get(kind) ?? 0) + score);
  const whole = [...sums.values()].reduce((sum, score) => sum + Math.abs(score), 0) || 1;
  return [...sums].map(([kind, score]) => ({ kind, share: score / whole })).sort((a, b) => b.share - a.share);
}

/** Colours by kind, the same for all passages of the page. */
const colours = new Map();
function colourOf(kind) {
  if (!colours.has(kind)) colours.set(kind, (colours.size % PARTS_WITH_COLOURS) + 1);
  return `part-${colours.get(kind)}`;
}

function shareBar(hit) {
  const shares = sharesOf(hit).filter(({ share }) => share > 0);
  if (!shares.length) return null;
  return h(
    "div",
    { class: "share" },
    h(
      "div",
      { class: "share-bar", "aria-hidden": "true" },
      shares.map(({ kind, share }) => {
        const part = h("span", { class: colourOf(kind) });
        part.style.setProperty("flex-grow", String(Math.max(share, 0.01)));
        return part;
      }),
    ),
    h(
      "p",
      { class: "share-words quiet" },
      shares.map(({ kind, share }) =>
        h("span", null, h("span", { class: `dot ${colourOf(kind)}`, "aria-hidden": "true" }), `${words.why.reasons[kind] ?? kind} ${words.percent(share)} `),
      ),
    ),
  );
}

/** The table: each passage with all paths to it, their sentences, and its reasons with figures. */
function table(evidence, tree, open) {
  const rows = evidence.hits.map((hit, at) => {
    const ways = tree.paths.filter((path) => path.details.steps.at(-1).target_id === hit.chunk_id);
    const named = hit.reasons.filter((each) => each.kind === "name" && each.detail);
    return h(
      "tr",
      null,
      h("td", { class: "figure" }, String(at + 1)),
      h("th", { scope: "row" }, h("button", { type: "button", class: "plain", dir: "auto", on: { click: () => open(hit) } }, hit.title || words.source.untitled)),
      h(
        "td",
        null,
        h(
          "ul",
          { class: "ways" },
          named.map(({ detail }) => h("li", { dir: "auto" }, h("span", { class: "way" }, words.why.way([detail])), " ", h("q", { dir: "auto" }, withName(sentenceWith(hit, detail), detail)))),
          ways.map((path) => h("li", { dir: "auto" }, wayOf(path))),
          !named.length && !ways.length && h("li", { dir: "auto" }, h("span", { class: "way" }, byWords(hit)), " ", h("q", { dir: "auto" }, withName(sentenceWith(hit, "")))),
        ),
      ),
      h(
        "td",
        null,
        h(
          "ul",
          { class: "ways" },
          sharesOf(hit).map(({ kind, share }) =>
            h(
              "li",
              null,
              h("span", { class: "way" }, `${words.why.reasons[kind] ?? kind} ${words.percent(share)}`),
              " ",
              h("span", { class: "quiet", dir: "auto" }, hit.reasons.filter((each) => each.kind === kind).map((each) => each.detail).filter(Boolean).join("; ")),
            ),
          ),
        ),
      ),
    );
  });
  return h(
    "details",
    { class: "why-table" },
    h("summary", null, words.why.table),
    h(
      "div",
      { class: "table", tabindex: "0", role: "group", "aria-label": words.why.table },
      h(
        "table",
        null,
        h("caption", null, words.why.caption(evidence.retriever)),
        h("thead", null, h("tr", null, words.why.columns.map((text, at) => h("th", { scope: "col", class: at ? null : "figure" }, text)))),
        h("tbody", null, rows),
      ),
    ),
  );
}

/** A path through other passages: its entities, and the sentence of each passage. */
function wayOf(path) {
  const { asked, steps } = path.details;
  const names = [asked || words.why.question, steps[0].source_title, ...steps.flatMap((step) => [step.name, step.target_title])];
  return [
    h("span", { class: "way" }, words.why.way(names.filter((name, at) => name && name !== names[at - 1]))),
    steps.map((step) => [" ", h("q", { dir: "auto" }, withName(step.source_sentence, step.name)), " → ", h("q", { dir: "auto" }, withName(step.target_sentence, step.name))]),
  ];
}
