/** The corpora: made by their first document, deleted by an administrator who types the name. */

import { corpusPath, remove } from "../../api.js";
import { freshId, h, replace } from "../../dom.js";
import { go, link } from "../../router.js";
import { empty } from "../../states.js";
import { sure } from "../../sure.js";
import { number, words } from "../../words.js";
import { attempt, table } from "./parts.js";

const text = words.keep.corpora;

export async function show(context, body) {
  context.title(text.title);
  const said = h("div", { "aria-live": "polite", class: "said" });
  const list = h("div", null);
  body.append(h("h1", { tabindex: "-1" }, text.title), h("p", { class: "lead" }, text.lead), context.may("write") ? making() : "", said, list);
  draw(context, list, said, await context.refreshCorpora());
}

function draw(context, list, said, corpora) {
  if (!corpora.length) return void replace(list, empty(text.none, context.may("write") ? text.noneMeans : ""));
  const columns = context.may("admin") ? text.columns : text.columns.slice(0, -1);
  replace(list, table(columns, corpora.map((each) => row(context, each, list, said)), { figures: [1, 2] }));
}

function row(context, corpus, list, said) {
  const erase = async () => {
    if (!(await attempt(said, () => remove(corpusPath(corpus.name), { signal: context.signal })))) return;
    replace(said, h("p", { dir: "auto" }, text.removed(corpus.name)));
    draw(context, list, said, await context.refreshCorpora());
  };
  const ask = () => sure(said, text.sure(corpus.name), erase, { typed: corpus.name, label: text.typed });
  return h(
    "tr",
    null,
    h("th", { scope: "row" }, h("a", { href: link("keep", corpus.name, ["documents"]), dir: "auto" }, corpus.name)),
    h("td", { class: "figure" }, corpus.documents === null ? "–" : number(corpus.documents)),
    h("td", { class: "figure" }, corpus.chunks === null ? "–" : number(corpus.chunks)),
    context.may("admin") &&
      h("td", { class: "row-actions" }, h("button", { type: "button", class: "plain bad", "aria-label": text.removeOf(corpus.name), on: { click: ask } }, text.remove)),
  );
}

function making() {
  const id = freshId("corpus");
  const input = h("input", { id, required: true, maxlength: "200", autocomplete: "off", spellcheck: "false", dir: "auto" });
  const submit = (event) => {
    event.preventDefault();
    if (input.value.trim()) go(link("keep", input.value.trim(), ["documents"]));
  };
  return h(
    "form",
    { class: "walk-form card", on: { submit } },
    h("div", { class: "labelled" }, h("label", { for: id }, text.make), input, h("span", { class: "quiet" }, text.nameMeans)),
    h("button", null, text.action),
  );
}
