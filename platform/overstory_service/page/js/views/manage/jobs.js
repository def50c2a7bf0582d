/** Jobs, newest first; running jobs are followed. */

import { get } from "../../api.js";
import { h, replace } from "../../dom.js";
import { link } from "../../router.js";
import { empty, waiting } from "../../states.js";
import { words } from "../../words.js";
import { followed } from "./job.js";

const JOBS = 20;
const text = words.manage.jobs;

export async function show(context, body) {
  context.title(text.title);
  body.append(h("h1", { tabindex: "-1" }, text.title), h("p", { class: "lead" }, text.lead));
  if (!context.may("write")) return void body.append(empty(text.title, text.readOnly));
  const list = h("ol", { class: "jobs plain-list" });
  const wait = waiting();
  body.append(list, wait);
  try {
    await more(context, list, "");
  } finally {
    wait.remove();
  }
}

async function more(context, list, cursor) {
  const found = await get("/v1/jobs", { cursor, limit: JOBS }, { signal: context.signal });
  if (!found.jobs.length && !cursor) {
    const add = context.corpus && h("a", { class: "button", href: link("manage", context.corpus, ["documents"]) }, words.manage.documents.upload);
    return void list.replaceWith(empty(text.none, text.noneMeans, add || ""));
  }
  const items = found.jobs.map((job) => h("li", { class: "card", tabindex: "-1" }, followed(context, job)));
  const hadFocus = cursor && document.activeElement === document.body;
  list.append(...items);
  if (hadFocus) items[0]?.focus({ preventScroll: true }); // the pressed button was removed
  if (!found.next) return;
  const button = h("button", { type: "button", on: { click: next } }, text.more);
  const place = h("p", null, button);
  list.after(place);

  async function next() {
    button.disabled = true;
    replace(place);
    place.remove();
    await more(context, list, found.next);
  }
}
