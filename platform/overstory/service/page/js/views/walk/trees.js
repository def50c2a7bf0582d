/** The trees that a corpus has; where it has none, they can be made. */

import { corpusPath, get, post } from "../../api.js";
import { h, replace, replaceFocused } from "../../dom.js";
import { link } from "../../router.js";
import { empty } from "../../states.js";
import { words } from "../../words.js";
import { followed, unfinished } from "../keep/job.js";
import { attempt } from "../keep/parts.js";
import { communityAddress } from "./parts.js";

/**
 * The systems that are offered, all by rules, without a language model; and how long each took beside the embedding of the
 * same passages, on the demo corpus.
 */
const OFFERED = { serag: 0.5, tretriever: 2 };
const text = words.walk.trees;

export async function show(context, body) {
  const { corpus, signal } = context;
  context.title(text.title);
  const { trees } = await get(corpusPath(corpus, "trees"), {}, { signal });
  body.append(h("h1", { tabindex: "-1" }, text.title), h("p", { class: "lead" }, text.lead));
  if (!trees.length) return offer(context, body);
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

/** That there is none, and what makes one; a job that makes it is seen here, also after a reload. */
async function offer(context, body) {
  const { corpus, signal } = context;
  const mayIndex = context.may("write") && !context.session.filtered;
  const job = h("div", { class: "unfinished", "aria-live": "polite" });
  const offers = h("ul", { class: "cards" });
  body.append(empty(text.none, mayIndex ? text.noneMeans : text.noneReadOnly), job, mayIndex ? offers : "");
  if (!mayIndex) return;
  const again = async () => {
    replaceFocused(body);
    await show(context, body);
  };
  const [status, jobs] = await Promise.all([get(corpusPath(corpus), {}, { signal }), unfinished(context, { corpus, ended: again })]);
  replace(job, jobs);
  replace(offers, Object.entries(OFFERED).map(([system, share]) => card(system, secondsOf(status, share))));

  function card(system, seconds) {
    const build = h("button", { type: "button", class: "primary", "aria-label": text.buildOf(text.kinds[system]), on: { click: start } }, text.build);
    return h("li", { class: "card" }, h("h2", null, text.kinds[system]), seconds > 0 && h("p", { class: "quiet" }, text.takes(seconds)), h("p", null, build));

    async function start() {
      if (build.ariaDisabled) return;
      build.ariaDisabled = "true";
      const done = await attempt(job, async () => {
        const queued = await post(corpusPath(corpus, "index"), { systems: [system] }, { signal });
        replace(job, h("div", { class: "card" }, followed(context, queued, again)));
      });
      if (!done) build.ariaDisabled = null;
    }
  }
}

/** How long an index takes that takes this share of the time of embedding, by the last run of it; 0 where that is unknown. */
function secondsOf({ stages, corpus }, share) {
  const embedding = stages.find((each) => each.name === "embed");
  const passages = embedding?.counts.chunks;
  return passages ? (share * embedding.seconds * corpus.named_chunks) / passages : 0;
}
