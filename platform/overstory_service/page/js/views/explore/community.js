/** A community: its report with supporting passages, the communities inside, and its members. */

import { Problem, corpusPath, get } from "../../api.js";
import { h, replace } from "../../dom.js";
import { link } from "../../router.js";
import { words } from "../../words.js";
import { browserButton, communityAddress, entityLink, notes, pages, passageItem, passageLink, sizeText, typeText } from "./parts.js";

/** Communities and members per page. */
const SHOWN = 50;
const NAMES_SHOWN = 4;
const text = words.explore.community;

export async function show(context, body, [tree = "", community = ""]) {
  const { corpus, params, signal } = context;
  const first = Math.max(0, Number(params.get("first")) || 0);
  const asked = get(corpusPath(corpus, "tree"), { tree, node: community, limit: SHOWN, first, sentences: false }, { signal });
  const [found, report] = await Promise.all([asked, community && !first ? reportOf(context, tree, community) : null]);
  const shown = found.community;
  const isWhole = shown.level === 0;
  const title = isWhole ? `${text.whole} ${found.tree}` : titleOf(shown);
  context.title(title);
  replace(
    body,
    !isWhole && way(corpus, found),
    h("h1", { tabindex: "-1", dir: "auto" }, title),
    h(
      "p",
      { class: "quiet" },
      [sizeText(shown.unit, shown.size), shown.inside !== null && !isWhole ? text.inside(shown.inside) : ""].filter(Boolean).join(" · "),
    ),
    report ? reportPart(corpus, report) : !first && !isWhole && about(corpus, shown),
    h("div", { class: "actions" }, browserButton(context, isWhole ? { tree: found.tree } : { tree: found.tree, community: shown.id })),
    notes(found.notes),
    below(corpus, found, first),
    members(corpus, found, first),
  );
  nameWay(context, found, body);
  if (!isWhole && !first && !report) showSentences(context, found, body.querySelector(".middle-sentences"));
  if (!shown.communities.length && !membersOf(shown).length) body.append(h("p", { class: "quiet" }, text.nothing));
}

const titleOf = (community) => community.title || text.untitled(community.names.slice(0, NAMES_SHOWN).map((each) => each.name).join(", "));

/** Returns the report, or null if the community has none. */
async function reportOf({ corpus, signal }, tree, community) {
  const { trees } = await get(corpusPath(corpus, "trees"), {}, { signal });
  if (!trees.some((each) => each.name === tree && each.reports)) return null;
  const found = await get(corpusPath(corpus, "reports", community), { tree }, { signal });
  return found.community.by ? found : null;
}

function way(corpus, found) {
  return h(
    "nav",
    { class: "way-up", "aria-label": text.way },
    h(
      "ol",
      null,
      h("li", null, h("a", { href: communityAddress(corpus, found.tree) }, `${text.whole} ${found.tree}`)),
      found.above.map((id) => h("li", null, h("a", { href: communityAddress(corpus, found.tree, id), dir: "auto", dataset: { community: id } }, id.slice(0, 8)))),
    ),
  );
}

/** Replaces the ids of the communities above by titles, which the response lacks. */
async function nameWay({ corpus, signal }, { tree, above }, body) {
  const links = body.querySelectorAll(".way-up [data-community]");
  for (const [at, node] of above.entries()) {
    try {
      const { community } = await get(corpusPath(corpus, "tree"), { tree, node, limit: 1, sentences: false }, { signal });
      replace(links[at], titleOf(community));
    } catch (error) {
      if (!(error instanceof Problem) && error.name !== "AbortError") throw error; // the link works with the id, too
    }
  }
}

function reportPart(corpus, report) {
  const { community } = report;
  return h(
    "section",
    { class: "card report" },
    h("h2", null, text.report),
    h("p", { class: "quiet" }, `${text.rating(community.rating)} · ${text.by(community.by)}`),
    h("p", { dir: "auto" }, community.summary),
    report.findings.length > 0 && h("h3", null, text.findings),
    h("ol", { class: "findings" }, report.findings.map((each) => finding(corpus, each))),
    notes(report.notes),
  );
}

/** A finding of a report, with links to the passages that support it. */
function finding(corpus, statement) {
  return h(
    "li",
    { dir: "auto" },
    h("p", null, statement.text),
    statement.names.length > 0 && h("p", { class: "chips" }, statement.names.map((each) => nameChip(corpus, each))),
    statement.passages.length > 0 &&
      h(
        "p",
        { class: "quiet" },
        `${text.standsOn} `,
        statement.passages.map((each, at) => [at ? ", " : "", passageLink(corpus, each, [statement.text])]),
      ),
  );
}

const nameChip = (corpus, name) => h("a", { class: "chip", href: link("explore", corpus, ["entity", name]), dir: "auto" }, name);

function about(corpus, community) {
  return [
    community.summary && h("p", { dir: "auto" }, community.summary),
    community.names.length > 0 &&
      h("section", null, h("h2", null, text.telling), h("p", { class: "chips" }, community.names.map((each) => nameChip(corpus, each.name)))),
    h("div", { class: "middle-sentences" }),
  ];
}

/** Adds the central sentences, which take longer, after the rest is shown. */
async function showSentences({ corpus, signal }, { tree, community }, place) {
  try {
    const { community: detailed } = await get(corpusPath(corpus, "tree"), { tree, node: community.id, limit: 1 }, { signal });
    if (!detailed.sentences.length) return;
    replace(place, h("section", null, h("h2", null, text.sentences), detailed.sentences.map((each) => h("blockquote", { dir: "auto" }, each))));
  } catch (error) {
    if (!(error instanceof Problem) && error.name !== "AbortError") throw error; // the sentences are optional
  }
}

function below(corpus, found, first) {
  const { community } = found;
  const all = community.below - community.leaves;
  if (!community.communities.length) return null;
  return h(
    "section",
    null,
    h("h2", null, text.below),
    h(
      "ul",
      { class: "cards" },
      community.communities.map((each) =>
        h(
          "li",
          { class: "card" },
          h("h3", { dir: "auto" }, h("a", { href: communityAddress(corpus, found.tree, each.id) }, titleOf(each))),
          h("p", { class: "quiet" }, sizeText(each.unit, each.size)),
          each.summary && h("p", { dir: "auto" }, each.summary),
        ),
      ),
    ),
    pager(corpus, found, first, community.communities.length, all, text.below),
  );
}

const membersOf = (community) => [...community.passages, ...community.entities, ...community.documents];

function members(corpus, found, first) {
  const { community } = found;
  const shown = membersOf(community);
  if (!shown.length) return null;
  const item = { chunk: passage, entity: name, document: documentOf }[community.unit];
  const label = text.members[community.unit];
  return h(
    "section",
    null,
    h("h2", null, label),
    h("ul", { class: community.unit === "entity" ? "name-list" : "plain-list" }, shown.map((each) => item(corpus, each))),
    pager(corpus, found, first, shown.length, community.leaves, label),
  );
}

function pager(corpus, found, first, shown, all, label) {
  const id = found.community.level ? found.community.id : "";
  const address = (to) => communityAddress(corpus, found.tree, id, { first: to || "" });
  return pages({ first, shown, all, size: SHOWN, address, label });
}

const passage = (corpus, each) => passageItem(corpus, each);

function name(corpus, each) {
  return h("li", null, entityLink(corpus, each.name), h("span", { class: "quiet" }, words.explore.entity.about(typeText(each.type), each.passages)));
}

function documentOf(corpus, each) {
  return h(
    "li",
    null,
    h("a", { href: link("document", corpus, [each.document_id]), dir: "auto" }, words.explore.title_(each.title)),
    h("span", { class: "quiet" }, ` ${words.explore.passages(each.passages)}`),
  );
}
