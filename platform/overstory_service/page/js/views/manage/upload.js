/**
 * Upload of files by drag and drop or a button, with progress, and the job that loads them. Uploads continue while another
 * view is shown. If the tab is closed or reloaded during an upload, the browser asks for confirmation.
 */

import { corpusPath, get, heard, upload } from "../../api.js";
import { freshId, h, replace } from "../../dom.js";
import { failed, waiting } from "../../states.js";
import { words } from "../../words.js";
import { followed } from "./job.js";
import { attempt } from "./parts.js";

const text = words.manage.documents;

/**
 * Uploads by corpus: element on the page, `changed` of the current view, and the resulting jobs. `stop` aborts the upload,
 * `unsent` is true after a failed one.
 */
const sending = new Map();

window.addEventListener("beforeunload", (event) => {
  if ([...sending.values()].some((each) => each.stop)) event.preventDefault();
});

heard.addEventListener("left", () => {
  for (const each of sending.values()) each.stop?.abort();
  sending.clear();
});

/** The upload form and its jobs. `changed` is called when a job has ended. */
export function uploading(context, changed) {
  const before = sending.get(context.corpus);
  const own = before?.stop || before?.unsent ? before : { place: h("div", { class: "sending", "aria-live": "polite" }), stop: null, unsent: false, jobs: [] };
  Object.assign(own, { context, changed });
  sending.set(context.corpus, own);
  const [files, metadata, encoding, index] = ["files", "metadata", "encoding", "index"].map(freshId);
  const input = h("input", { id: files, type: "file", multiple: true, class: "spoken", on: { change: () => send([...input.files]) } });
  const values = h("input", { id: metadata, placeholder: text.metadataExample, spellcheck: "false", autocomplete: "off", dir: "ltr" });
  const encoded = h("input", { id: encoding, placeholder: text.encodingExample, spellcheck: "false", autocomplete: "off", dir: "ltr" });
  const indexes = h("input", { id: index, type: "checkbox", checked: true });
  const progress = own.place;
  const zone = h(
    "div",
    { class: "drop" },
    h("p", null, `${text.drop} `, h("label", { for: files, class: "button primary choose" }, text.choose), input),
    h("p", { class: "quiet" }, text.uploadMeans),
    formats(context),
  );
  let depth = 0;
  const over = (by) => {
    depth = Math.max(0, depth + by);
    zone.classList.toggle("is-over", depth > 0);
  };
  zone.addEventListener("dragenter", (event) => (event.preventDefault(), over(1)));
  zone.addEventListener("dragleave", () => over(-1));
  zone.addEventListener("dragover", (event) => event.preventDefault());
  zone.addEventListener("drop", (event) => {
    event.preventDefault();
    over(-depth);
    send([...event.dataTransfer.files]);
  });
  const element = h(
    "section",
    { class: "upload card", "aria-label": text.upload },
    zone,
    h(
      "details",
      null,
      h("summary", null, text.options),
      h("div", { class: "labelled" }, h("label", { for: metadata }, text.metadata), values),
      h("p", { class: "quiet" }, text.metadataMeans),
      h("div", { class: "labelled" }, h("label", { for: encoding }, text.encoding), encoded),
      h("p", { class: "quiet" }, text.encodingMeans),
      h("p", null, indexes, " ", h("label", { for: index }, text.index)),
    ),
    progress,
  );
  return { element, jobs: own.jobs };

  async function send(chosen) {
    input.value = "";
    if (!chosen.length) return;
    if (own.stop) return void context.say(text.oneAtATime);
    const form = new FormData();
    const given = values.value.trim();
    if (given && !isObject(given)) return void replace(progress, failed({ status: 400, title: words.failed.title, detail: text.badMetadata }));
    if (given) form.append("metadata", given);
    if (encoded.value.trim()) form.append("encoding", encoded.value.trim());
    form.append("index", String(indexes.checked));
    for (const each of chosen) form.append("files", each, each.webkitRelativePath || each.name);
    const stop = new AbortController();
    own.stop = stop;
    own.unsent = false;
    const bar = h("progress", { max: "1", value: "0", "aria-label": text.sending(chosen.length) });
    const share = h("span", { class: "quiet" }, text.sent(0));
    const cancel = h("button", { type: "button", class: "plain", on: { click: () => stop.abort() } }, text.stop);
    replace(progress, h("div", { class: "progress" }, h("span", null, text.sending(chosen.length)), bar, share, cancel));
    const onProgress = (sent, all) => {
      if (!all) return;
      bar.value = sent / all;
      replace(share, text.sent(sent / all));
    };
    try {
      const job = await upload(corpusPath(context.corpus, "files"), form, { onProgress, signal: stop.signal });
      own.jobs.push(job.id);
      replace(progress, followed(own.context, job, () => own.changed()));
    } catch (error) {
      replace(progress, error.name === "AbortError" ? h("p", null, bar.value < 1 ? text.stopped : text.stoppedLate) : notSent(error, () => send(chosen)));
      own.unsent = error.name !== "AbortError";
    } finally {
      own.stop = null;
    }
  }
}

/** Error of an upload that did not arrive or was not confirmed, with a button to try again. */
function notSent(problem, again) {
  return failed(problem.isOffline ? { status: 0, title: text.notSent, detail: text.notSentMeans, remedy: text.notSentRemedy } : problem, again, text.sendAgain);
}

/** List of supported file types, and requirements of the others; requested when it is opened. */
function formats(context) {
  const place = h("div", null);
  const details = h("details", { class: "formats" }, h("summary", null, text.formats), place);
  details.addEventListener("toggle", () => details.open && !place.childElementCount && show());
  return details;

  async function show() {
    replace(place, waiting());
    await attempt(place, async () => {
      const { formats: found } = await get("/v1/formats", {}, { signal: context.signal });
      const codes = (suffixes) => suffixes.map((each) => [h("code", null, each), " "]);
      const line = (each) => h("li", null, codes(each.suffixes), h("span", { class: "quiet" }, `${each.problem}: ${each.remedy}`));
      const [read, unread] = [found.filter((each) => !each.problem), found.filter((each) => each.problem)];
      replace(
        place,
        h("p", null, codes(read.flatMap((each) => each.suffixes))),
        unread.length > 0 && [h("p", null, text.notRead), h("ul", null, unread.map(line))],
      );
    });
  }
}

function isObject(given) {
  try {
    const found = JSON.parse(given);
    return found !== null && typeof found === "object" && !Array.isArray(found);
  } catch {
    return false;
  }
}
