/** Entities of a corpus, searchable by words and type, a page at a time. */

import { corpusPath, get } from "../../api.js";
import { h } from "../../dom.js";
import { go, link } from "../../router.js";
import { empty } from "../../states.js";
import { number, words } from "../../words.js";
import { entityLink, typeText } from "./parts.js";

const NAMES = 50;
const MOST_NAMES = 1000;
const MOST_ALIASES = 3;
const text = words.explore.entities;

export async function show(context, body) {
  const { corpus, params, signal } = context;
  context.title(text.title);
  const [like, type] = [params.get("like") ?? "", params.get("type") ?? ""];
  const limit = Math.min(MOST_NAMES, Number(params.get("limit")) || NAMES);
  const { entities: names } = await get(corpusPath(corpus, "entities"), { words: like, type, limit }, { signal });
  const address = (more) => link("explore", corpus, [], { like, type, ...more });
  body.append(h("h1", { tabindex: "-1" }, text.title), h("p", { class: "lead" }, text.lead), form(context, like, type));
  if (!names.length) {
    const manage = h("a", { class: "button", href: link("manage", corpus) }, text.manage);
    return void body.append(like || type ? empty(text.none, text.noneMeans) : empty(text.empty, text.emptyMeans, manage));
  }
  body.append(
    h(
      "div",
      { class: "table" },
      h(
        "table",
        { class: "names" },
        h("caption", null, like ? text.found : type ? text.ofKind : text.caption),
        h("thead", null, h("tr", null, text.columns.map((each, at) => h("th", { scope: "col", class: at === 2 ? "figure" : null }, each)))),
        h("tbody", null, names.map((each) => row(corpus, each))),
      ),
    ),
    names.length === limit && limit < MOST_NAMES
      ? h("p", null, h("a", { class: "button", href: address({ limit: Math.min(MOST_NAMES, limit * 4) }) }, text.more))
      : "",
  );
}

function row(corpus, name) {
  const others = name.aliases.slice(0, MOST_ALIASES).join(", ");
  return h(
    "tr",
    null,
    h("th", { scope: "row" }, entityLink(corpus, name.name)),
    h("td", null, typeText(name.type)),
    h("td", { class: "figure" }, number(name.passages)),
    h("td", { class: "quiet", dir: "auto" }, others, name.aliases.length > MOST_ALIASES && " …"),
  );
}

function form(context, like, type) {
  const field = h("input", { id: "like", type: "search", value: like, placeholder: text.likeExample, maxlength: "1000", dir: "auto", autocomplete: "off" });
  const kind = h(
    "select",
    { id: "kind" },
    h("option", { value: "" }, text.anyType),
    Object.entries(words.explore.types).map(([value, shown]) => h("option", { value, selected: value === type }, shown)),
  );
  const search = (event) => {
    event?.preventDefault();
    go(link("explore", context.corpus, [], { like: field.value.trim(), type: kind.value }));
  };
  kind.addEventListener("change", () => search());
  return h(
    "form",
    { class: "explore-form", role: "search", on: { submit: search } },
    h("div", { class: "labelled" }, h("label", { for: "like" }, text.like), field),
    h("div", { class: "labelled" }, h("label", { for: "kind" }, text.type), kind),
    h("button", { class: "primary" }, text.action),
  );
}
