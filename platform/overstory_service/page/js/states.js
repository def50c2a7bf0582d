/** What every view shows where there is nothing to show: empty, slow, failed. */

import { h } from "./dom.js";
import { words } from "./words.js";

/** After which something that is waited for is said to be slow. */
const SLOW_MILLISECONDS = 5000;
/** After which something that is waited for is said to be waited for. */
const SOON_MILLISECONDS = 200;

/** A text of ours or of the service, with what stands between backticks as code. */
export function coded(text) {
  return text.split("`").map((part, at) => (at % 2 ? h("code", null, part) : part));
}

/** A heading: the first of the place where the view has none yet. */
function heading(text) {
  return h(document.querySelector("main h1") ? "h2" : "h1", null, text);
}

/** Nothing is there: a title, what that means, and what to do about it (links, buttons). */
export function empty(title, detail = "", ...actions) {
  return h(
    "section",
    { class: "state state-empty" },
    heading(title),
    detail && h("p", null, coded(detail)),
    actions.length > 0 && h("div", { class: "state-actions" }, actions),
  );
}

/** Something is waited for; after some seconds it also says that this takes long. */
export function waiting(text = words.waiting.usual) {
  const more = h("p", { class: "state-slow", hidden: true }, words.waiting.slow);
  setTimeout(() => (more.hidden = false), SLOW_MILLISECONDS);
  return h(
    "div",
    { class: "state state-waiting", role: "status" },
    h("span", { class: "spinner", "aria-hidden": "true" }),
    h("p", null, text),
    more,
  );
}

/** Does something that fills a place; until there is something in it, the place says that it is waited for. */
export async function whileEmpty(place, fill) {
  const wait = waiting();
  wait.classList.add("is-first");
  const soon = setTimeout(() => place.childElementCount || place.append(wait), SOON_MILLISECONDS);
  try {
    return await fill();
  } finally {
    clearTimeout(soon);
    wait.remove();
  }
}

/** Something failed: what, and the remedy; with a button where it can be tried again. */
export function failed(problem, again = null, label = words.again) {
  const isOurs = problem.status !== undefined;
  return h(
    "section",
    { class: "state state-failed", role: "alert" },
    heading(isOurs ? problem.title : words.failed.title),
    h("p", { dir: "auto" }, coded(isOurs ? problem.detail : String(problem.message ?? problem))),
    problem.remedy && h("p", { class: "state-remedy", dir: "auto" }, coded(problem.remedy)),
    again && h("div", { class: "state-actions" }, h("button", { type: "button", on: { click: again } }, label)),
  );
}
