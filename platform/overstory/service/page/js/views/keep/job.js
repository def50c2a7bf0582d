/** A job: what it does, how far it is, what came of it, and what went wrong with the remedy. */

import { follow, remove } from "../../api.js";
import { h, replace } from "../../dom.js";
import { moment, words } from "../../words.js";
import { attempt } from "./parts.js";

const text = words.keep.jobs;
const ENDED = new Set(["done", "failed", "cancelled"]);

export const hasEnded = (job) => ENDED.has(job.state);

/** A job that is followed until it ends; `ended` hears the last of it. */
export function followed(context, job, ended = null) {
  const place = h("article", { class: "job" });
  const said = h("div", { "aria-live": "polite" });
  let last = job;
  draw(job);
  if (!hasEnded(job)) watch();
  return h("div", { class: "job-place" }, place, said);

  function draw(now) {
    last = now;
    fill(context, place, now, hasEnded(now) ? null : () => attempt(said, async () => draw(await remove(`/v1/jobs/${now.id}`, { signal: context.signal }))));
  }

  async function watch() {
    const done = await attempt(said, async () => {
      for await (const { event, data } of follow(`/v1/jobs/${job.id}/events`, { signal: context.signal })) if (event === "job") draw(data);
    });
    if (done && hasEnded(last)) {
      context.say(`${text.kinds[last.kind]}: ${text.states[last.state]}`);
      ended?.(last);
    }
  }
}

/** Draws a job into an element. */
function fill(context, place, job, cancel) {
  place.className = `job job-${job.state}`;
  const files = job.input?.files?.length;
  const about = [text.of(job.corpus), files ? text.files(files) : "", text.by(job.by), moment(job.created)].filter(Boolean).join(" · ");
  replace(
    place,
    h("div", { class: "job-head" }, h("h2", null, text.kinds[job.kind] ?? job.kind), h("span", { class: "chip" }, text.states[job.state])),
    h("p", { class: "quiet", dir: "auto" }, about),
    job.state === "running" && job.progress && progress(job.progress),
    job.waits && !hasEnded(job) && h("p", { class: "quiet" }, job.waits),
    job.problem && trouble(job.problem.detail, job.problem.remedy),
    job.result && result(job.result),
    job.cancel && h("p", { class: "quiet" }, text.cancelling),
    cancel && !job.cancel && h("button", { type: "button", "aria-label": text.cancelOf(text.kinds[job.kind]), on: { click: cancel } }, text.cancel),
  );
}

function progress({ task, done, total, unit, seconds_left: left }) {
  const shown = text.progress(task, done, total, unit);
  return h(
    "div",
    { class: "progress" },
    h("span", null, shown),
    h("progress", { max: total ? String(total) : null, value: total ? String(done) : null, "aria-label": shown }),
    left !== null && left !== undefined && h("span", { class: "quiet" }, text.left(left)),
  );
}

const trouble = (detail, remedy) => h("div", { class: "trouble" }, h("p", { dir: "auto" }, h("strong", null, detail)), remedy && h("p", { dir: "auto" }, remedy));

function result({ loaded, indexed }) {
  return [
    loaded && h("p", null, text.loaded(loaded)),
    loaded?.broken_count > 0 && named(text.broken(loaded.broken_count), loaded.broken, "trouble"),
    loaded?.skipped_count > 0 && named(text.skipped(loaded.skipped_count), loaded.skipped, "quiet"),
    loaded?.notes?.length > 0 && h("ul", { class: "quiet" }, loaded.notes.map((each) => h("li", { dir: "auto" }, typeof each === "string" ? each : JSON.stringify(each)))),
    (indexed?.done.length > 0 || indexed?.notes.length > 0) &&
      h("details", null, h("summary", null, text.details), h("ul", null, [...indexed.done, ...indexed.notes].map((each) => h("li", { dir: "auto" }, each)))),
  ];
}

/** Files by their names, each with what is wrong and the remedy, as the loader said it. */
const named = (title, each, kind) => h("div", { class: kind }, h("p", null, h("strong", null, title)), h("ul", null, each.map((one) => h("li", { dir: "auto" }, one))));
