/** Manual edits of entities, with undo, and merge suggestions. */

import { corpusPath, get } from "../../api.js";
import { h, replace, replaceFocused } from "../../dom.js";
import { empty, failed, waiting } from "../../states.js";
import { moment, words } from "../../words.js";
import { edit, indexNow, postEdit } from "./editing.js";
import { entityLink } from "./parts.js";

const SUGGESTIONS = 20;
const text = words.explore.edits;

export async function show(context, body) {
  context.title(text.title);
  body.append(h("h1", { tabindex: "-1" }, text.title));
  if (!context.may("write") || context.session.filtered) return void body.append(empty(text.title, text.readOnly));
  const made = h("section", { "aria-live": "polite" });
  const said = h("div", { "aria-live": "polite" });
  const suggested = h("section", null);
  const again = () => showMade(context, made, said);
  const look = h("button", { type: "button", on: { click: () => showSuggested(context, suggested, said, again) } }, text.look);
  body.append(
    h("h2", null, text.made),
    made,
    said,
    h("h2", null, text.suggested),
    h("p", { class: "quiet" }, text.suggestedMeans),
    replace(suggested, look),
  );
  await again();
}

async function showMade(context, place, said) {
  const { corpus, signal } = context;
  const { edits } = await get(corpusPath(corpus, "entities", "edits"), {}, { signal });
  if (!edits.length) return void replaceFocused(place, h("p", { class: "quiet" }, text.none));
  replaceFocused(
    place,
    h(
      "div",
      { class: "table" },
      h(
        "table",
        null,
        h("thead", null, h("tr", null, text.columns.map((each) => (each ? h("th", { scope: "col" }, each) : h("td", null))))),
        h("tbody", null, edits.map((each) => row(each))),
      ),
    ),
    indexNow(context),
  );

  function row(made) {
    const button = h("button", { type: "button", "aria-label": words.explore.edit.undoOf(made.edit), on: { click: undo } }, words.explore.edit.undo);
    return h("tr", null, h("td", { dir: "auto" }, words.explore.edit.done[made.edit.kind](made.edit)), h("td", { class: "quiet" }, moment(made.at)), h("td", null, button));

    async function undo() {
      if (button.ariaDisabled) return;
      button.ariaDisabled = "true";
      try {
        await postEdit(context, "undo", { number: made.number });
        replace(said, h("p", null, words.explore.edit.undone));
        await showMade(context, place, said);
      } catch (error) {
        if (error.name !== "AbortError") replace(said, failed(error));
        button.ariaDisabled = null;
      }
    }
  }
}

async function showSuggested(context, place, said, again) {
  const { corpus, signal } = context;
  replace(place, waiting());
  try {
    const found = await get(corpusPath(corpus, "entities", "suggestions"), { limit: SUGGESTIONS }, { signal });
    const more = found.found - found.suggestions.length;
    replace(
      place,
      found.suggestions.length
        ? h("ul", { class: "cards suggestions" }, found.suggestions.map((each) => pair(each)))
        : h("p", { class: "quiet" }, text.noneSuggested),
      more > 0 && h("p", { class: "quiet" }, text.more(more)),
    );
  } catch (error) {
    if (error.name !== "AbortError") replace(place, failed(error, () => showSuggested(context, place, said, again)));
  }

  function pair({ name, into, reason, evidence, together, quotes }) {
    const item = h("li", { class: "card" });
    const names = { name: name.name, into: into.name };
    const asked = { names: [names.name], into: names.into };
    const decided = () => item.remove();
    const accept = () => edit(context, said, "merge", asked, () => again()).then(decided);
    return replace(
      item,
      h("h3", { dir: "auto" }, entityLink(corpus, names.name), " = ", entityLink(corpus, names.into), " ?"),
      h("p", { class: "quiet" }, [text.reasons[reason], text.evidence(evidence), together ? text.together(together) : ""].filter(Boolean).join(" · ")),
      quotes.map((each) => h("blockquote", { dir: "auto" }, each.quote)),
      h(
        "div",
        { class: "actions" },
        h("button", { type: "button", "aria-label": text.acceptOf(names.name, names.into), on: { click: accept } }, text.accept),
        h("button", { type: "button", "aria-label": text.dismissOf(names.name, names.into), on: { click: dismiss } }, text.dismiss),
      ),
    );

    async function dismiss() {
      try {
        await postEdit(context, "dismiss", asked);
        replace(said, h("p", { dir: "auto" }, text.dismissed(names.name, names.into)));
        decided();
      } catch (error) {
        if (error.name !== "AbortError") replace(said, failed(error));
      }
    }
  }
}
