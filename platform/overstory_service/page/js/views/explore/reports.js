/** Reports on the communities of a tree, most important first. */

import { corpusPath, get } from "../../api.js";
import { h } from "../../dom.js";
import { link } from "../../router.js";
import { empty } from "../../states.js";
import { words } from "../../words.js";
import { communityAddress, notes, sizeText } from "./parts.js";

const MOST_REPORTS = 100;
const text = words.explore.reports;

export async function show(context, body, [tree = ""]) {
  const { corpus, params, signal } = context;
  context.title(text.title(tree));
  const level = params.get("level");
  const found = await get(corpusPath(corpus, "reports"), { tree, level, limit: MOST_REPORTS }, { signal });
  body.append(
    h("h1", { tabindex: "-1" }, text.title(found.tree)),
    h("p", null, h("a", { href: communityAddress(corpus, found.tree) }, text.tree)),
    levels(corpus, found),
    notes(found.notes) ?? "",
  );
  if (!found.reports.length) return void body.append(empty(text.none));
  body.append(
    h(
      "ol",
      { class: "cards", role: "list" },
      found.reports.map((report) =>
        h(
          "li",
          { class: "card" },
          h("h2", { dir: "auto" }, h("a", { href: communityAddress(corpus, found.tree, report.id) }, report.title)),
          h("p", { class: "quiet" }, `${words.explore.community.rating(report.rating)} · ${sizeText(report.unit, report.size)} · ${words.explore.community.by(report.by)}`),
          h("p", { dir: "auto" }, report.summary),
        ),
      ),
    ),
  );
  const more = (found.levels[found.level - 1] ?? 0) - found.reports.length;
  if (more > 0) body.append(h("p", { class: "quiet" }, text.more(more)));
}

function levels(corpus, found) {
  if (found.levels.length < 2) return "";
  return h(
    "nav",
    { class: "pages", "aria-label": text.levels },
    found.levels.map((count, at) =>
      h(
        "a",
        {
          class: "button",
          href: link("explore", corpus, ["reports", found.tree], { level: at + 1 }),
          "aria-current": at + 1 === found.level ? "true" : null,
        },
        `${text.level(at + 1)} (${count})`,
      ),
    ),
  );
}
