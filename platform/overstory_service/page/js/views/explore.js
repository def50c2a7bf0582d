import { loaded } from "../api.js";
import { h } from "../dom.js";
import { link } from "../router.js";
import { empty, whileEmpty } from "../states.js";
import { words } from "../words.js";

/** Places of Explore by the first part of their path; docs/page.md lists the addresses. */
const PLACES = {
  "": () => import("./explore/entities.js"),
  entity: () => import("./explore/entity.js"),
  trees: () => import("./explore/trees.js"),
  tree: () => import("./explore/community.js"),
  reports: () => import("./explore/reports.js"),
  path: () => import("./explore/path.js"),
  edits: () => import("./explore/edits.js"),
};
const NAVIGATION = { entities: "", trees: "trees", path: "path", edits: "edits" };
const WITHIN = { entity: "", tree: "trees", reports: "trees" };

/** Explore: entities, communities, reports, paths and edits. */
export async function view(context) {
  const [place = "", ...rest] = context.path;
  context.title(words.explore.title);
  const body = h("div", { class: "explore" });
  context.main.append(navigation(context, WITHIN[place] ?? place), body);
  if (!Object.hasOwn(PLACES, place)) {
    return void body.append(
      empty(words.unknown.title, words.unknown.detail, h("a", { class: "button", href: link("explore", context.corpus) }, words.explore.title)),
    );
  }
  await whileEmpty(body, async () => {
    const { show } = await loaded(PLACES[place]);
    if (!context.signal.aborted) await show(context, body, rest);
  });
}

function navigation(context, place) {
  const shown = Object.entries(NAVIGATION).filter(([name]) => name !== "edits" || (context.may("write") && !context.session.filtered));
  return h(
    "nav",
    { class: "places", "aria-label": words.explore.places.label },
    shown.map(([name, path]) =>
      h(
        "a",
        { href: link("explore", context.corpus, path ? [path] : []), "aria-current": path === place ? "page" : null },
        words.explore.places[name],
      ),
    ),
  );
}
