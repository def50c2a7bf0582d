/** Corpora: created with their first document, deleted by an administrator who types the name. */

import { corpusPath, remove } from "../../api.js";
import { conversationsOf } from "../../conversations.js";
import { freshId, h, replace } from "../../dom.js";
import { go, link } from "../../router.js";
import { empty } from "../../states.js";
import { sure } from "../../sure.js";
import { number, words } from "../../words.js";
import { unfinished } from "./job.js";
import { attempt, below, removed, table } from "./parts.js";

const text = words.manage.corpora;

/** Name of a deleted corpus that the address still named, to confirm the deletion after moving to another corpus. */
let gone = "";

export async function show(context, body) {
  context.title(text.title);
  const [jobs, list] = [h("div", { class: "unfinished" }), h("div", null)];
  const note = gone && h("p", { role: "status", dir: "auto", tabindex: "-1" }, text.removed(gone));
  gone = "";
  body.append(h("h1", { tabindex: "-1" }, text.title), h("p", { class: "lead" }, text.lead), note, context.may("write") ? making() : "", jobs, list);
  if (note) note.focus();
  const again = async () => draw(context, list, await context.refreshCorpora());
  const [running] = await Promise.all([unfinished(context, { ended: again }), again()]);
  jobs.append(...running);
}

function draw(context, list, corpora) {
  if (!corpora.length) return void replace(list, empty(text.none, context.may("write") ? text.noneMeans : ""));
  const columns = context.may("admin") ? text.columns : text.columns.slice(0, -1);
  replace(list, table(columns, corpora.map((each) => row(context, each, list)), { figures: [1, 2] }));
}

function row(context, corpus, list) {
  const line = h("tr", null);
  const erase = async () => {
    if (!(await attempt(below(line), () => remove(corpusPath(corpus.name), { signal: context.signal })))) return;
    conversationsOf({ ...context, corpus: corpus.name }).forgetAll(); // conversations contain texts of the documents
    const left = await context.refreshCorpora();
    if (corpus.name === context.corpus) {
      gone = corpus.name;
      return go(link("manage", left[0]?.name ?? "", ["corpora"]), { replacing: true });
    }
    if (removed(line, text.removed(corpus.name))) draw(context, list, left);
  };
  const ask = () => sure(below(line), text.sure(corpus.name), erase, { typed: corpus.name, label: text.typed });
  return replace(
    line,
    h("th", { scope: "row" }, h("a", { href: link("manage", corpus.name, ["documents"]), dir: "auto" }, corpus.name)),
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
    if (input.value.trim()) go(link("manage", input.value.trim(), ["documents"]));
  };
  return h(
    "form",
    { class: "explore-form card", on: { submit } },
    h("div", { class: "labelled" }, h("label", { for: id }, text.make), input, h("span", { class: "quiet" }, text.nameMeans)),
    h("button", null, text.action),
  );
}
