/** A job: its task, progress, result and problems. */

import { Problem, follow, get, remove } from "../../api.js";
import { h, replace } from "../../dom.js";
import { coded, failed } from "../../states.js";
import { moment, words } from "../../words.js";
import { attempt } from "./parts.js";

const text = words.manage.jobs;
const ENDED = new Set(["done", "failed", "cancelled"]);
const UNFINISHED = ["running", "queued"];
/** Milliseconds until a job is requested again if the service was not reached. */
const AGAIN_MILLISECONDS = 2000;

export const hasEnded = (job) => ENDED.has(job.state);

/** Shows a job and follows it until it ends; `ended` is called with its final state. */
export function followed(context, job, ended = null) {
  const place = h("article", { class: "job", "aria-live": "off" }); // only its end is announced, not each step
  const said = h("div", { "aria-live": "polite" });
  let last = job;
  draw(job);
  if (!hasEnded(job)) watch();
  return h("div", { class: "job-place" }, place, said);

  function draw(now) {
    last = now;
    const had = place.contains(document.activeElement);
    fill(context, place, now, hasEnded(now) ? null : () => attempt(said, async () => draw(await remove(`/v1/jobs/${now.id}`, { signal: context.signal }))));
    if (had) place.querySelector("button, summary")?.focus({ preventScroll: true });
  }

  /** Follows the job until it ends, also across restarts of the service. */
  async function watch() {
    while (!hasEnded(last)) {
      try {
        for await (const { event, data } of follow(`/v1/jobs/${job.id}/events`, { signal: context.signal })) if (event === "job") draw(data);
      } catch (error) {
        if (error.name === "AbortError") return;
        if (!(error instanceof Problem) || !error.isOffline) return void replace(said, failed(error));
      }
      if (!hasEnded(last)) await new Promise((resolve) => setTimeout(resolve, AGAIN_MILLISECONDS));
      if (context.signal.aborted) return;
    }
    context.say(`${text.kinds[last.kind]}: ${text.states[last.state]}`);
    ended?.(last);
  }
}

/**
 * Returns the running and queued jobs of a corpus, or of all corpora, each followed. Includes jobs of other users.
 *
 * @param {(job: object) => void} ended called with each job that ends.
 */
export async function unfinished(context, { corpus = "", but = [], ended = null } = {}) {
  if (!context.may("write")) return [];
  const found = await Promise.all(UNFINISHED.map((state) => get("/v1/jobs", { corpus, state }, { signal: context.signal })));
  const jobs = new Map(found.flatMap((each) => each.jobs).map((job) => [job.id, job]));
  return [...jobs.values()].filter((job) => !but.includes(job.id)).map((job) => h("div", { class: "card" }, followed(context, job, ended)));
}

/** Draws a job into an element. */
function fill(context, place, job, cancel) {
  place.className = `job job-${job.state}`;
  const files = job.input?.files?.length;
  const systems = job.input?.systems;
  const about = [text.of(job.corpus), systems?.length ? text.forSystems(systems) : "", files ? text.files(files) : "", job.by ? text.by(job.by) : "", moment(job.created)].filter(Boolean).join(" · ");
  replace(
    place,
    h("div", { class: "job-head" }, h("h2", null, text.kinds[job.kind] ?? job.kind), h("span", { class: "chip" }, text.states[job.state])),
    h("p", { class: "quiet", dir: "auto" }, about),
    job.state === "running" && job.progress && progress(job.progress),
    job.waits && !hasEnded(job) && h("p", { class: "quiet" }, job.waits),
    job.problem && trouble(new Problem(job.problem)),
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

const trouble = ({ detail, remedy }) => h("div", { class: "trouble" }, h("p", { dir: "auto" }, h("strong", null, coded(detail))), remedy && h("p", { dir: "auto" }, coded(remedy)));

function result({ loaded, indexed }) {
  return [
    loaded && h("p", null, text.loaded(loaded)),
    loaded?.broken_count > 0 && named(text.broken(loaded.broken_count), loaded.broken.map(text.ofFile), "trouble"),
    loaded?.skipped_count > 0 && named(text.skipped(loaded.skipped_count), loaded.skipped.map(text.ofSkipped), "quiet"),
    loaded?.notes?.length > 0 && h("ul", { class: "quiet" }, loaded.notes.map((each) => h("li", { dir: "auto" }, typeof each === "string" ? each : JSON.stringify(each)))),
    (indexed?.done.length > 0 || indexed?.notes.length > 0) &&
      h("details", null, h("summary", null, text.details), h("ul", null, [...indexed.done, ...indexed.notes].map((each) => h("li", { dir: "auto" }, each)))),
  ];
}

/** Files with their problems and remedies. */
const named = (title, each, kind) =>
  h("div", { class: kind }, h("p", null, h("strong", null, title)), h("ul", null, each.map((one) => h("li", { dir: "auto" }, coded(one)))));
