/**
 * The HTTP API (docs/http.md), as the page asks it. Every answer that is none is a `Problem` with a remedy.
 */

import { words } from "./words.js";

/** What went wrong, in words for people. `status` is 0 where the service was not reached. */
export class Problem extends Error {
  constructor({ type = "", title = "", status = 0, detail = "", remedy = "" }, retryAfter = 0) {
    super(detail || title);
    this.type = type;
    this.title = title;
    this.status = status;
    this.detail = detail;
    this.remedy = remedyOf(type, remedy);
    this.retryAfter = retryAfter;
  }

  get isOffline() {
    return this.status === 0;
  }
}

/** What to do here: what the service says of it names requests and commands. */
function remedyOf(type, said) {
  const ours = words.remedies[type.split(":").at(-1)];
  return typeof ours === "function" ? ours(said) : (ours ?? said);
}

/** Sent with every request: no page of another place can send it, so that the cookie alone is good for nothing. */
const OWN = { "X-Overstory-Page": "1" };

/**
 * The page hears `signedout` of a request for which a token is needed, `unreached`, `reached` of the service, `left` when
 * somebody signs out, and `answered` of a question (`asking.js`) that nobody looks at.
 */
export const heard = new EventTarget();

/** The path below which a proxy has the service, without a slash at its end: this file is `/page/js/api.js` there. */
export const root = new URL("../..", import.meta.url).pathname.slice(0, -1);

/** The path of a corpus, and what is below it: `corpusPath("a/b", "documents", id)`. */
export function corpusPath(corpus, ...parts) {
  return ["/v1/corpora", corpus, ...parts].map((part, at) => (at ? encodeURIComponent(part) : part)).join("/");
}

/** A path with parameters; those that are null, undefined or "" are left out. */
export function withParams(path, params = {}) {
  const kept = Object.entries(params).filter(([, value]) => value !== null && value !== undefined && value !== "");
  return kept.length ? `${path}?${new URLSearchParams(kept)}` : path;
}

/** GET, as JSON. */
export async function get(path, params = {}, { signal } = {}) {
  return (await answered(withParams(path, params), { signal })).json();
}

/** POST of JSON; null where the answer has no body. */
export async function post(path, body = {}, { signal } = {}) {
  return bodyOf(await answered(path, { ...withJson(body), signal }));
}

/** DELETE; null where the answer has no body. */
export async function remove(path, { signal } = {}) {
  return bodyOf(await answered(path, { method: "DELETE", signal }));
}

/**
 * POST of a form with files.
 *
 * @param {(sent: number, all: number) => void} onProgress hears bytes.
 */
export function upload(path, form, { onProgress, signal } = {}) {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest(); // fetch does not say how much was sent
    request.open("POST", root + path);
    for (const [name, value] of Object.entries(OWN)) request.setRequestHeader(name, value);
    request.responseType = "json";
    if (onProgress) request.upload.addEventListener("progress", (event) => onProgress(event.loaded, event.total));
    request.addEventListener("load", () => {
      told("reached");
      if (request.status < 300) resolve(request.response);
      else reject(problem(request.status, request.response, request.getResponseHeader("Retry-After")));
    });
    request.addEventListener("error", () => reject(unreached()));
    request.addEventListener("abort", () => reject(new DOMException("aborted", "AbortError")));
    signal?.addEventListener("abort", () => request.abort());
    request.send(form);
  });
}

/** A part of the page that is loaded when it is first needed. Browsers say nothing that can be told from another fault. */
export async function loaded(load) {
  try {
    return await load();
  } catch (error) {
    await get("/healthz");
    throw error;
  }
}

/** The server-sent events of a POST, each `{event, data}` with the data read as JSON. */
export async function* stream(path, body, { signal } = {}) {
  yield* events(await answered(path, { ...withJson(body), signal }));
}

/** Likewise of a GET, as of a job. */
export async function* follow(path, { signal } = {}) {
  yield* events(await answered(path, { signal }));
}

async function* events(answer) {
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  try {
    for (;;) {
      const { done, value } = await reader.read();
      rest = (rest + (value ?? "")).replaceAll("\r\n", "\n");
      for (let end = rest.indexOf("\n\n"); end >= 0; end = rest.indexOf("\n\n")) {
        const found = event(rest.slice(0, end));
        rest = rest.slice(end + 2);
        if (found) yield found;
      }
      if (done) return;
    }
  } catch (error) {
    throw error.name === "AbortError" ? error : unreached();
  } finally {
    reader.cancel().catch(() => {});
  }
}

function event(lines) {
  let name = "message";
  const data = [];
  for (const line of lines.split("\n")) {
    if (line.startsWith("event:")) name = line.slice(6).trim();
    else if (line.startsWith("data:")) data.push(line.slice(5).replace(/^ /, ""));
  }
  return data.length ? { event: name, data: JSON.parse(data.join("\n")) } : null;
}

function withJson(body) {
  return { method: "POST", body: JSON.stringify(body), headers: { "Content-Type": "application/json" } };
}

async function bodyOf(answer) {
  return answer.status === 204 ? null : answer.json();
}

async function answered(path, { headers = {}, ...given }) {
  let answer;
  try {
    answer = await fetch(root + path, { ...given, headers: { ...OWN, ...headers }, credentials: "same-origin" });
  } catch (error) {
    throw error.name === "AbortError" ? error : unreached();
  }
  told("reached");
  if (answer.ok) return answer;
  const body = await answer.json().catch(() => null);
  throw problem(answer.status, body, answer.headers.get("Retry-After"));
}

function problem(status, body, retryAfter) {
  const found = new Problem({ title: words.failed.title, ...body, status }, Number(retryAfter) || 0);
  if (status === 401) told("signedout", found);
  return found;
}

function unreached() {
  told("unreached");
  return new Problem({ title: words.offline.title, detail: words.offline.detail, remedy: words.offline.remedy });
}

function told(what, detail = null) {
  heard.dispatchEvent(new CustomEvent(what, { detail }));
}
