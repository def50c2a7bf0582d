/**
 * Client of the HTTP API (docs/http.md). Every error response is thrown as a `Problem` with a remedy.
 */

import { words } from "./words.js";

/** An error in words for people. `status` is 0 if the service could not be reached. */
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

/** Returns the page's own remedy, because the service's remedies name requests and commands. */
function remedyOf(type, remedy) {
  const ours = words.remedies[type.split(":").at(-1)];
  return typeof ours === "function" ? ours(remedy) : (ours ?? remedy);
}

/** Sent with every request. Foreign pages cannot send this header, so the cookie alone does not let them make requests. */
const OWN = { "X-Overstory-Page": "1" };

/**
 * Events of the page: `signedout` (a request needs a token), `unreached` and `reached` (the service), `left` (the user
 * signed out), and `answered` (a question in `asking.js` ended while it was not shown).
 */
export const heard = new EventTarget();

/** Root path of the service behind a proxy, without a final slash. This file is `/page/js/api.js` below it. */
export const root = new URL("../..", import.meta.url).pathname.slice(0, -1);

/** Returns the path of a corpus or of a resource in it, such as `corpusPath("a/b", "documents", id)`. */
export function corpusPath(corpus, ...parts) {
  return ["/v1/corpora", corpus, ...parts].map((part, at) => (at ? encodeURIComponent(part) : part)).join("/");
}

/** Returns a path with parameters. Parameters that are null, undefined or "" are left out. */
export function withParams(path, params = {}) {
  const kept = Object.entries(params).filter(([, value]) => value !== null && value !== undefined && value !== "");
  return kept.length ? `${path}?${new URLSearchParams(kept)}` : path;
}

/** Sends a GET request and returns the JSON response. */
export async function get(path, params = {}, { signal } = {}) {
  return (await answered(withParams(path, params), { signal })).json();
}

/** Sends a POST request with JSON; returns the JSON response, or null if it has no body. */
export async function post(path, body = {}, { signal } = {}) {
  return bodyOf(await answered(path, { ...withJson(body), signal }));
}

/** Sends a DELETE request; returns the JSON response, or null if it has no body. */
export async function remove(path, { signal } = {}) {
  return bodyOf(await answered(path, { method: "DELETE", signal }));
}

/**
 * Sends a POST request with a form of files.
 *
 * @param {(sent: number, all: number) => void} onProgress called with numbers of bytes.
 */
export function upload(path, form, { onProgress, signal } = {}) {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest(); // fetch does not report upload progress
    request.open("POST", root + path);
    for (const [name, value] of Object.entries(OWN)) request.setRequestHeader(name, value);
    request.responseType = "json";
    if (onProgress) request.upload.addEventListener("progress", (event) => onProgress(event.loaded, event.total));
    request.addEventListener("load", () => {
      notify("reached");
      if (request.status < 300) resolve(request.response);
      else reject(problem(request.status, request.response, request.getResponseHeader("Retry-After")));
    });
    request.addEventListener("error", () => reject(unreached()));
    request.addEventListener("abort", () => reject(new DOMException("aborted", "AbortError")));
    signal?.addEventListener("abort", () => request.abort());
    request.send(form);
  });
}

/** Loads a module on demand. Browsers do not say why loading failed, so an unreachable service is detected separately. */
export async function loaded(load) {
  try {
    return await load();
  } catch (error) {
    await get("/healthz");
    throw error;
  }
}

/** Yields the server-sent events of a POST request as `{event, data}`, with parsed data. */
export async function* stream(path, body, { signal } = {}) {
  yield* events(await answered(path, { ...withJson(body), signal }));
}

/** Yields the server-sent events of a GET request, such as the events of a job. */
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
  notify("reached");
  if (answer.ok) return answer;
  const body = await answer.json().catch(() => null);
  throw problem(answer.status, body, answer.headers.get("Retry-After"));
}

function problem(status, body, retryAfter) {
  const found = new Problem({ title: words.failed.title, ...body, status }, Number(retryAfter) || 0);
  if (status === 401) notify("signedout", found);
  return found;
}

function unreached() {
  notify("unreached");
  return new Problem({ title: words.offline.title, detail: words.offline.detail, remedy: words.offline.remedy });
}

function notify(what, detail = null) {
  heard.dispatchEvent(new CustomEvent(what, { detail }));
}
