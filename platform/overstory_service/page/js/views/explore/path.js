/** Paths between two entities, with the sentences of each step. */

import { Problem, corpusPath, get } from "../../api.js";
import { h } from "../../dom.js";
import { marked } from "../../marking.js";
import { relationText } from "../../relations.js";
import { go, link } from "../../router.js";
import { empty, failed, waiting } from "../../states.js";
import { words } from "../../words.js";
import { field } from "./editing.js";
import { browserButton, entityLink, notes, placeOf, rangesOf, timeOf } from "./parts.js";

const PATHS = 3;
const text = words.explore.path;

export async function show(context, body) {
  const { corpus, params, signal } = context;
  context.title(text.title);
  const [start, end] = [params.get("start") ?? "", params.get("end") ?? ""];
  body.append(h("h1", { tabindex: "-1" }, text.title), h("p", { class: "lead" }, text.lead), form(context, start, end));
  if (!start || !end) return;
  const wait = waiting();
  body.append(wait);
  let found;
  try {
    found = await get(corpusPath(corpus, "paths"), { start, end, k: PATHS }, { signal });
  } catch (error) {
    if (!(error instanceof Problem) || error.isOffline || error.status === 401) throw error;
    return void body.append(failed(error));
  } finally {
    wait.remove();
  }
  body.append(
    h("div", { class: "actions" }, browserButton(context, { name: found.start, other: found.end })),
    notes(found.notes) ?? "",
    found.paths.length ? h("ol", { class: "paths" }, found.paths.map((each, at) => path(corpus, each, at))) : empty(text.none, text.noneMeans),
  );
}

function form(context, start, end) {
  const [from, to] = [field(context, text.start, "", { value: start, suggest: true }), field(context, text.end, "", { value: end, suggest: true })];
  const search = (event) => {
    event.preventDefault();
    go(link("explore", context.corpus, ["path"], { start: from.input.value.trim(), end: to.input.value.trim() }));
  };
  const swap = () => ([from.input.value, to.input.value] = [to.input.value, from.input.value]);
  return h(
    "form",
    { class: "explore-form", role: "search", on: { submit: search } },
    from.element,
    h("button", { type: "button", on: { click: swap } }, text.swap),
    to.element,
    h("button", { class: "primary" }, text.action),
  );
}

function path(corpus, found, at) {
  return h(
    "li",
    { class: "card path" },
    h("h2", null, text.path(at + 1, found.steps.length)),
    h("p", { class: "path-names" }, found.names.map((name, place) => [place ? h("span", { "aria-hidden": "true", class: "arrow" }, " → ") : "", entityLink(corpus, name)])),
    h("ol", { class: "steps" }, found.steps.map((each) => step(corpus, each))),
  );
}

/** A step of a path, with sentences that link to their document. */
function step(corpus, each) {
  const relation = each.kind === "fact" ? relationText(each.predicate, each.sentences[0], each.subject) : each.predicate;
  const said =
    each.kind === "fact" || each.kind === "link"
      ? h("p", { class: "triple", dir: "auto" }, `${each.subject} – ${relation}${each.link_text ? ` (${each.link_text})` : ""} – ${each.object}`)
      : null;
  return h(
    "li",
    null,
    h("h3", { dir: "auto" }, `${each.start} → ${each.end}`),
    h("p", { class: "quiet" }, text.kinds[each.kind] ?? each.kind),
    said,
    timeOf(each),
    each.sentences.map((sentence) => h("blockquote", { dir: "auto" }, marked(sentence, rangesOf(sentence, [each.start, each.end])))),
    placeOf(corpus, each, each.sentences),
    each.more > 0 && h("p", { class: "quiet" }, text.further(each.more)),
  );
}
