/** Documents of a corpus: add, filter, disable and delete, a page at a time. */

import { Problem, corpusPath, get, post, remove } from "../../api.js";
import { freshId, h, replace } from "../../dom.js";
import { go, link } from "../../router.js";
import { empty, failed, waiting } from "../../states.js";
import { sure } from "../../sure.js";
import { valueText } from "../../values.js";
import { number, words } from "../../words.js";
import { unfinished } from "./job.js";
import { attempt, below, literal, removed, table } from "./parts.js";
import { uploading } from "./upload.js";

const DOCUMENTS = 50;
const MOST_METADATA = 4;
const LONGEST_VALUE = 60;
/** Metadata of loaders that the table shows elsewhere or not at all. */
const INNER = new Set(["page_starts", "file_name", "folder"]);
const text = words.manage.documents;

export async function show(context, body) {
  const { corpus, params } = context;
  context.title(text.title);
  const counted = context.corpora.find((each) => each.name === corpus);
  const said = h("div", { "aria-live": "polite", class: "said" });
  const list = h("section", { class: "documents", "aria-label": text.title });
  const lead = h("p", { class: "lead" }, counted ? text.lead(counted.documents) : "");
  const recount = async () => {
    const now = (await context.refreshCorpora()).find((each) => each.name === corpus);
    if (now) replace(lead, text.lead(now.documents));
  };
  const again = async () => {
    await recount();
    await showPage(context, list, said, { again, recount });
  };
  const upload = context.may("write") ? uploading(context, again) : null;
  const jobs = h("div", { class: "unfinished" });
  body.append(
    h("h1", { tabindex: "-1" }, text.title),
    lead,
    upload?.element ?? "",
    jobs,
    counted?.documents || !context.may("write") || params.get("where") ? filter(context) : "",
    said,
    list,
  );
  const shown = showPage(context, list, said, { again, recount });
  jobs.append(...(await unfinished(context, { corpus, but: upload?.jobs ?? [], ended: again })));
  await shown;
}

/** Draws a page of documents. `again` redraws everything, `recount` only the number of documents. */
async function showPage(context, place, said, { again, recount }) {
  const { corpus, params, signal } = context;
  const [where, cursor] = [params.get("where") ?? "", params.get("cursor") ?? ""];
  replace(place, waiting());
  let found;
  try {
    found = await get(corpusPath(corpus, "documents"), { where, cursor, limit: DOCUMENTS }, { signal });
  } catch (error) {
    if (error.name === "AbortError") return;
    if (error instanceof Problem && error.status === 404 && !where) {
      return void replace(place, empty(text.empty, context.may("write") ? text.emptyMeans : text.emptyReadOnly));
    }
    return void replace(place, failed(error, () => showPage(context, place, said, { again, recount })));
  }
  if (!found.documents.length) {
    const all = h("a", { class: "button", href: link("manage", corpus, ["documents"]) }, text.clear);
    if (cursor) return void replace(place, empty(text.noneHere, "", h("a", { class: "button", href: link("manage", corpus, ["documents"], { where }) }, text.first)));
    const nothing = empty(text.empty, context.may("write") ? text.emptyMeans : text.emptyReadOnly);
    return void replace(place, where ? empty(text.none, text.noneMeans, all) : nothing);
  }
  const next = found.next && h("a", { class: "button", href: link("manage", corpus, ["documents"], { where, cursor: found.next }) }, text.later);
  const first = cursor && h("a", { class: "button", href: link("manage", corpus, ["documents"], { where }) }, text.first);
  replace(
    place,
    table(context.may("write") ? text.columns : text.columns.slice(0, -1), found.documents.map((each) => row(context, each, said, { again, recount })), {
      caption: text.caption,
      figures: [1],
    }),
    (next || first) && h("nav", { class: "pages", "aria-label": text.title }, first, next),
  );
}

function row(context, document, said, changed) {
  const { corpus, signal } = context;
  const title = document.title || document.source_key || document.source;
  const path = (...parts) => corpusPath(corpus, "documents", document.id, ...parts);
  const line = h("tr", { class: document.disabled ? "is-disabled" : null });
  const toggle = async () => {
    let now;
    const place = below(line);
    if (!(await attempt(place, async () => (now = await post(path(document.disabled ? "enable" : "disable"), {}, { signal }))))) return;
    replace(place);
    replace(said, h("p", { class: "spoken", dir: "auto" }, text.switched[now.disabled](title)));
    const fresh = row(context, now, said, changed);
    line.replaceWith(fresh);
    fresh.querySelector(".toggle").focus();
  };
  const erase = async () => {
    if (!(await attempt(below(line), () => remove(path(), { signal })))) return;
    const isLast = removed(line, text.removed(title));
    if (!isLast) return changed.recount();
    replace(said, h("p", { role: "status", dir: "auto", tabindex: "-1" }, text.removed(title))); // the table disappears, and with it the message in it
    said.firstElementChild.focus({ preventScroll: true });
    await changed.again();
  };
  return replace(
    line,
    h(
      "th",
      { scope: "row" },
      h("a", { href: link("document", corpus, [document.id]), dir: "auto" }, title),
      h("p", { class: "quiet source-of", dir: "auto" }, document.source_key ? `${document.source} › ${document.source_key}` : document.source),
    ),
    h("td", { class: "figure", dataset: { label: text.columns[1] } }, number(document.chunks)),
    h("td", null, metadata(document.metadata)),
    h("td", null, h("span", { class: document.disabled ? "chip off" : "quiet" }, document.disabled ? text.disabled : text.enabled)),
    context.may("write") &&
      h(
        "td",
        { class: "row-actions" },
        h(
          "button",
          {
            type: "button",
            class: "plain toggle",
            "aria-label": document.disabled ? text.enableOf(title) : text.disableOf(title),
            on: { click: toggle },
          },
          document.disabled ? text.enable : text.disable,
        ),
        h(
          "button",
          { type: "button", class: "plain bad", "aria-label": text.removeOf(title), on: { click: () => sure(below(line), text.sure(title), erase) } },
          text.remove,
        ),
      ),
  );
}

function metadata(values) {
  const kept = Object.entries(values).filter(([key]) => !INNER.has(key));
  const line = ([key, value]) => h("div", null, h("dt", { dir: "auto" }, key), h("dd", { dir: "auto" }, shortened(valueText(value))));
  if (!kept.length) return null;
  const rest = kept.slice(MOST_METADATA);
  return [
    h("dl", { class: "values" }, kept.slice(0, MOST_METADATA).map(line)),
    rest.length > 0 && h("details", null, h("summary", { class: "quiet" }, `+ ${number(rest.length)}`), h("dl", { class: "values" }, rest.map(line))),
  ];
}

const shortened = (shown) => (shown.length > LONGEST_VALUE ? `${[...shown].slice(0, LONGEST_VALUE - 1).join("")}…` : shown);

/** The filter, with a list of metadata keys. */
function filter(context) {
  const { corpus, params, signal } = context;
  const [id, where] = [freshId("where"), params.get("where") ?? ""];
  const input = h("input", { id, value: where, placeholder: text.filterExample, maxlength: "10000", autocomplete: "off", spellcheck: "false", dir: "auto" });
  const keys = h("div", { class: "keys" });
  const submit = (event) => {
    event.preventDefault();
    go(link("manage", corpus, ["documents"], { where: input.value.trim() }));
  };
  const details = h("details", null, h("summary", null, text.keys), keys);
  details.addEventListener("toggle", () => details.open && !keys.childElementCount && showKeys(), { once: false });
  return h(
    "div",
    { class: "filter" },
    h(
      "form",
      { class: "explore-form", role: "search", on: { submit } },
      h("div", { class: "labelled wide" }, h("label", { for: id }, text.filter), input),
      h("button", null, text.filterAction),
      where && h("a", { class: "button", href: link("manage", corpus, ["documents"]) }, text.clear),
    ),
    context.session.filtered ? null : details,
  );

  async function showKeys() {
    replace(keys, waiting());
    await attempt(keys, async () => {
      const found = await get(corpusPath(corpus, "metadata"), {}, { signal });
      replace(keys, h("p", { class: "quiet" }, text.keysMeans), h("ul", { class: "plain-list" }, found.keys.map(keyItem)));
    });
  }

  function keyItem(each) {
    return h(
      "li",
      null,
      h("code", { dir: "auto" }, each.key),
      h("span", { class: "quiet" }, ` ${each.type}, ${text.keyOf(each.documents)} `),
      each.examples.map((value) =>
        h("button", { type: "button", class: "plain", dir: "auto", on: { click: () => put(each, value) } }, shortened(valueText(value))),
      ),
    );
  }

  function put(each, value) {
    const key = /^[\p{L}_][\p{L}\p{N}_]*$/u.test(each.key) ? each.key : `\`${each.key}\``;
    const wanted = `${key} = ${each.type === "date" ? `'${value}'` : literal(value)}`;
    input.value = input.value.trim() ? `${input.value.trim()} AND ${wanted}` : wanted;
    input.focus();
  }
}
