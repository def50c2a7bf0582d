import { loaded } from "../api.js";
import { h } from "../dom.js";
import { link } from "../router.js";
import { empty, whileEmpty } from "../states.js";
import { words } from "../words.js";

/** Places of Walk by the first part of their path; docs/page.md lists the addresses. */
const PLACES = {
  "": () => import("./walk/names.js"),
  name: () => import("./walk/name.js"),
  trees: () => import("./walk/trees.js"),
  tree: () => import("./walk/community.js"),
  reports: () => import("./walk/reports.js"),
  path: () => import("./walk/path.js"),
  edits: () => import("./walk/edits.js"),
};
const NAVIGATION = { names: "", trees: "trees", path: "path", edits: "edits" };
const WITHIN = { name: "", tree: "trees", reports: "trees" };

/** Walk: trees, communities, names, paths. */
export async function view(context) {
  const [place = "", ...rest] = context.path;
  context.title(words.walk.title);
  const body = h("div", { class: "walk" });
  context.main.append(navigation(context, WITHIN[place] ?? place), body);
  if (!Object.hasOwn(PLACES, place)) {
    return void body.append(
      empty(words.unknown.title, words.unknown.detail, h("a", { class: "button", href: link("walk", context.corpus) }, words.walk.title)),
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
    { class: "places", "aria-label": words.walk.places.label },
    shown.map(([name, path]) =>
      h(
        "a",
        { href: link("walk", context.corpus, path ? [path] : []), "aria-current": path === place ? "page" : null },
        words.walk.places[name],
      ),
    ),
  );
}
