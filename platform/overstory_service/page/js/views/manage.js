import { loaded } from "../api.js";
import { h } from "../dom.js";
import { link } from "../router.js";
import { empty, whileEmpty } from "../states.js";
import { words } from "../words.js";

/** Places of Manage by the first part of their path; docs/page.md lists the addresses. */
const PLACES = {
  documents: () => import("./manage/documents.js"),
  jobs: () => import("./manage/jobs.js"),
  runs: () => import("./manage/runs.js"),
  corpora: () => import("./manage/corpora.js"),
  tokens: () => import("./manage/tokens.js"),
};
/** Places that need a corpus. */
const OF_CORPUS = new Set(["documents", "runs"]);

/** Manage: documents, jobs, index, corpora and tokens. */
export async function view(context) {
  const [given] = context.path;
  const place = given ?? (context.corpus ? "documents" : "corpora");
  context.title(words.manage.title);
  const body = h("div", { class: "manage" });
  context.main.append(navigation(context, place), body);
  if (!Object.hasOwn(PLACES, place)) {
    return void body.append(
      empty(words.unknown.title, words.unknown.detail, h("a", { class: "button", href: link("manage", context.corpus) }, words.manage.title)),
    );
  }
  await whileEmpty(body, async () => {
    const { show } = await loaded(PLACES[place]);
    if (!context.signal.aborted) await show(context, body);
  });
}

function navigation(context, place) {
  const shown = Object.keys(PLACES)
    .filter((each) => context.corpus || !OF_CORPUS.has(each))
    .filter((each) => each !== "tokens" || context.may("admin"))
    .filter((each) => each !== "jobs" || context.may("write"));
  return h(
    "nav",
    { class: "places", "aria-label": words.manage.places.label },
    shown.map((each) =>
      h("a", { href: link("manage", context.corpus, [each]), "aria-current": each === place ? "page" : null }, words.manage.places[each]),
    ),
  );
}
