/** Files into a corpus: by drag and drop or a button, with how far they are sent, and the job that loads them. */

import { corpusPath, upload } from "../../api.js";
import { freshId, h, replace } from "../../dom.js";
import { failed } from "../../states.js";
import { words } from "../../words.js";
import { followed } from "./job.js";

const text = words.keep.documents;

/** The place for files. `changed` is called when a job has ended. */
export function uploading(context, changed) {
  const [files, metadata, index] = [freshId("files"), freshId("metadata"), freshId("index")];
  const input = h("input", { id: files, type: "file", multiple: true, class: "spoken", on: { change: () => send([...input.files]) } });
  const values = h("input", { id: metadata, placeholder: text.metadataExample, spellcheck: "false", autocomplete: "off", dir: "ltr" });
  const indexes = h("input", { id: index, type: "checkbox", checked: true });
  const progress = h("div", { class: "sending", "aria-live": "polite" });
  const zone = h(
    "div",
    { class: "drop" },
    h("p", null, `${text.drop} `, h("label", { for: files, class: "button primary choose" }, text.choose), input),
    h("p", { class: "quiet" }, text.uploadMeans),
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
  return h(
    "section",
    { class: "upload card", "aria-label": text.upload },
    zone,
    h(
      "details",
      null,
      h("summary", null, text.options),
      h("div", { class: "labelled" }, h("label", { for: metadata }, text.metadata), values),
      h("p", { class: "quiet" }, text.metadataMeans),
      h("p", null, indexes, " ", h("label", { for: index }, text.index)),
    ),
    progress,
  );

  async function send(chosen) {
    input.value = "";
    if (!chosen.length) return;
    const form = new FormData();
    const given = values.value.trim();
    if (given && !isObject(given)) return void replace(progress, failed({ status: 400, title: words.failed.title, detail: text.badMetadata }));
    if (given) form.append("metadata", given);
    form.append("index", String(indexes.checked));
    for (const each of chosen) form.append("files", each, each.webkitRelativePath || each.name);
    const stop = new AbortController();
    context.signal.addEventListener("abort", () => stop.abort(), { once: true });
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
      replace(progress, followed(context, job, changed));
    } catch (error) {
      if (context.signal.aborted) return;
      replace(progress, error.name === "AbortError" ? h("p", null, text.stopped) : failed(error));
    }
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
