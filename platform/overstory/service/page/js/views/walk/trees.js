/** The trees that a corpus has. */

import { corpusPath, get } from "../../api.js";
import { h } from "../../dom.js";
import { link } from "../../router.js";
import { empty } from "../../states.js";
import { words } from "../../words.js";
import { communityAddress } from "./parts.js";

const text = words.walk.trees;

export async function show(context, body) {
  const { corpus, signal } = context;
  context.title(text.title);
  const { trees } = await get(corpusPath(corpus, "trees"), {}, { signal });
  body.append(h("h1", { tabindex: "-1" }, text.title), h("p", { class: "lead" }, text.lead));
  if (!trees.length) {
    const keep = context.may("write") && h("a", { class: "button", href: link("keep", corpus, ["runs"]) }, words.walk.names.keep);
    return void body.append(empty(text.none, text.noneMeans, keep || ""));
  }
  body.append(
    h(
      "ul",
      { class: "cards" },
      trees.map((tree) =>
        h(
          "li",
          { class: "card" },
          h("h2", null, h("a", { href: communityAddress(corpus, tree.name) }, tree.title)),
          h("p", { class: "quiet" }, [text.units[tree.unit], tree.reports && text.reported].filter(Boolean).join(", ")),
          tree.reports && h("p", null, h("a", { href: link("walk", corpus, ["reports", tree.name]) }, text.reports)),
        ),
      ),
    ),
  );
}
