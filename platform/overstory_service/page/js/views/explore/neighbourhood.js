/** A drawing of related entities. It is decorative: the list below it has the same content. */

import { h, svg } from "../../dom.js";
import { relationText } from "../../relations.js";
import { words } from "../../words.js";
import { entityAddress, entityLink } from "./parts.js";

const WIDTH = 680;
const HEIGHT = 380;
const MOST_DRAWN = 12;
const LONGEST_LABEL = 24;

/** The drawing, or null if there are too few entities. */
export function neighbourhood(corpus, found) {
  const drawn = found.related.slice(0, MOST_DRAWN);
  if (drawn.length < 2) return null;
  const [x, y] = [WIDTH / 2, HEIGHT / 2];
  const most = Math.max(...drawn.map((each) => each.statements));
  const places = drawn.map((each, at) => {
    const angle = (2 * Math.PI * at) / drawn.length - Math.PI / 2;
    return { ...each, x: x + Math.cos(angle) * WIDTH * 0.35, y: y + Math.sin(angle) * HEIGHT * 0.4 };
  });
  return svg(
    "svg",
    { class: "neighbourhood", viewBox: `0 0 ${WIDTH} ${HEIGHT}`, "aria-hidden": "true", focusable: "false" },
    places.map((each) =>
      svg("line", { x1: x, y1: y, x2: each.x, y2: each.y, "stroke-width": 1 + 4 * (each.statements / most) }),
    ),
    places.map((each) => svg("text", { class: "tie", x: (x + 2 * each.x) / 3, y: (y + 2 * each.y) / 3 }, short(relationText(each.predicates[0] ?? ""), 16))),
    places.map((each) =>
      svg("a", { href: entityAddress(corpus, each.name), tabindex: "-1" }, svg("circle", { cx: each.x, cy: each.y, r: 7 }), label(each.x, each.y, each.name)),
    ),
    svg("g", { class: "middle" }, svg("circle", { cx: x, cy: y, r: 11 }), label(x, y, found.name)),
  );
}

/** Related entities as a list, with their relations. */
export function relatedList(corpus, related) {
  return h(
    "ul",
    { class: "name-list" },
    related.map((each) =>
      h(
        "li",
        null,
        entityLink(corpus, each.name),
        h("span", { class: "quiet", dir: "auto" }, [...new Set(each.predicates.map((predicate) => relationText(predicate)))].join(", ")),
        h("span", { class: "quiet" }, words.explore.entity.times(each.statements)),
      ),
    ),
  );
}

const label = (x, y, text) => svg("text", { x, y: y + (y < HEIGHT / 2 - 20 ? -14 : 24) }, short(text, LONGEST_LABEL));

const short = (text, most) => (text.length > most ? `${[...text].slice(0, most - 1).join("")}…` : text);
