/** Trees of a corpus, and buttons that build other kinds. */

import { corpusPath, get, post } from "../../api.js";
import { h, replace, replaceFocused } from "../../dom.js";
import { link } from "../../router.js";
import { empty } from "../../states.js";
import { words } from "../../words.js";
import { followed, unfinished } from "../manage/job.js";
import { attempt } from "../manage/parts.js";
import { communityAddress } from "./parts.js";

/**
 * Systems that are offered, all without a language model, and the time that each took on the demo corpus, relative to the
 * embedding of its passages.
 */
const OFFERED = { serag: 0.5, tretriever: 2 };
/** Typical time to embed a passage on two processors, if this service has not measured it. */
const EMBEDDING_SECONDS = 0.09;
const text = words.explore.trees;

export async function show(context, body) {
  const { corpus, signal } = context;
  context.title(text.title);
  const { trees } = await get(corpusPath(corpus, "trees"), {}, { signal });
  body.append(h("h1", { tabindex: "-1" }, text.title), h("p", { class: "lead" }, text.lead));
  const mayIndex = context.may("write") && !context.session.filtered;
  if (!trees.length) body.append(empty(text.none, mayIndex ? text.noneMeans : text.noneReadOnly));
  else list(corpus, body, trees);
  const missing = Object.keys(OFFERED).filter((system) => !trees.some((tree) => tree.name.split("-")[0] === system));
  if (mayIndex && missing.length) await offer(context, body, missing, trees.length > 0);
}

function list(corpus, body, trees) {
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
          tree.reports && h("p", null, h("a", { href: link("explore", corpus, ["reports", tree.name]) }, text.reports)),
        ),
      ),
    ),
  );
}

/** Buttons that build trees, with estimated times. Running jobs are shown, also after a reload. */
async function offer(context, body, systems, areOthers) {
  const { corpus, signal } = context;
  const job = h("div", { class: "unfinished", "aria-live": "polite" });
  const offers = h("ul", { class: "cards" });
  body.append(areOthers ? h("section", null, h("h2", null, text.others), h("p", { class: "quiet" }, text.othersMean)) : "", job, offers);
  const again = async () => {
    replaceFocused(body);
    await show(context, body);
  };
  const [status, jobs] = await Promise.all([get(corpusPath(corpus), {}, { signal }), unfinished(context, { corpus, ended: again })]);
  replace(job, jobs);
  replace(offers, systems.map((system) => card(system, timeOf(status, OFFERED[system]))));

  function card(system, takes) {
    const build = h("button", { type: "button", class: "primary", "aria-label": text.buildOf(text.kinds[system]), on: { click: start } }, text.build);
    return h("li", { class: "card" }, h(areOthers ? "h3" : "h2", null, text.kinds[system]), h("p", { class: "quiet" }, takes), h("p", null, build));

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

/** Returns the estimated indexing time, from the last run if possible. */
function timeOf({ stages, corpus }, share) {
  const embedding = stages.find((each) => each.name === "embed");
  const passages = embedding?.counts.chunks;
  if (!passages) return text.takesUsually(share * EMBEDDING_SECONDS * corpus.named_chunks);
  return text.takes((share * embedding.seconds * corpus.named_chunks) / passages);
}
