/** Empty, loading and failed states, shared by all views. */

import { h } from "./dom.js";
import { words } from "./words.js";

/** Milliseconds after which a wait is shown as slow. */
const SLOW_MILLISECONDS = 5000;
/** Milliseconds after which a wait is shown at all. */
const SOON_MILLISECONDS = 200;

/** Returns a text with the parts between backticks as code. */
export function coded(text) {
  return text.split("`").map((part, at) => (at % 2 ? h("code", null, part) : part));
}

/** Returns a heading: h1 if the view has none yet. */
function heading(text) {
  return h(document.querySelector("main h1") ? "h2" : "h1", null, text);
}

/** Empty state: title, explanation and actions (links or buttons). */
export function empty(title, detail = "", ...actions) {
  return h(
    "section",
    { class: "state state-empty" },
    heading(title),
    detail && h("p", null, coded(detail)),
    actions.length > 0 && h("div", { class: "state-actions" }, actions),
  );
}

/** Loading state; after some seconds it adds that loading is slow. */
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

/** Runs a function that fills an element, and shows the loading state until the element has content. */
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

/** Failed state: error and remedy, with a button to try again if possible. */
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
