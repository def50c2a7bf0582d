/**
 * The shell: session, list of corpora, header, and the view that the address names.
 */

import { Problem, get, heard, loaded, remove, root } from "./api.js";
import { questionsOf } from "./asking.js";
import { h, replace } from "./dom.js";
import { entryNow, leaveEntry, restoreEntry } from "./entries.js";
import { go, link, placeOf } from "./router.js";
import { empty, failed, waiting, whileEmpty } from "./states.js";
import { language, words } from "./words.js";

/** Views by their name in addresses, loaded on demand. Each module exports `view(context)`. */
const VIEWS = {
  ask: () => import("./views/ask.js"),
  document: () => import("./views/document.js"),
  explore: () => import("./views/explore.js"),
  manage: () => import("./views/manage.js"),
};
/** Views that work without a corpus. */
const WITHOUT_CORPUS = new Set(["manage"]);
const NAVIGATION = ["ask", "explore", "manage"];
/** Milliseconds until an unreachable service is tried again. */
const AGAIN_MILLISECONDS = 3000;
/** Prefix of the page's keys in local storage. It differs between services on the same host. */
const KEPT = `overstory${root}.`;

const state = { session: null, corpora: [], deleted: new Set(), wasSignedIn: false, leave: new AbortController(), whenReached: null, look: 0 };

const header = h("header", { class: "top" });
const mark = brandMark();
const banner = h("p", { class: "banner", role: "status", hidden: true }, words.offline.banner);
const main = h("main", { id: "main", tabindex: "-1" });
const spoken = h("div", { class: "spoken", "aria-live": "polite", role: "status" });

document.documentElement.lang = language;
document.body.append(
  h("a", { class: "skip", href: "#main", on: { click: skip } }, words.skip),
  header,
  banner,
  main,
  spoken,
);

heard.addEventListener("unreached", () => {
  if (banner.hidden) lookSoon();
  banner.hidden = false;
});
heard.addEventListener("reached", () => {
  banner.hidden = true;
  state.whenReached?.();
});
heard.addEventListener("answered", ({ detail: question }) => {
  renderHeader(placeOf(location.hash));
  replace(spoken, question.problem ? words.ask.failedMeanwhile(question.asked.question) : words.ask.answeredMeanwhile(question.asked.question));
});
heard.addEventListener("signedout", () => {
  if (state.session?.by === "cookie") state.wasSignedIn = true;
  if (state.session) begin();
});
window.addEventListener("hashchange", show);
window.addEventListener("online", lookForService);
begin();

/** Tries to reach the service until it succeeds, then shows the view that could not be shown. */
async function lookForService() {
  if (banner.hidden) return;
  try {
    await get("/healthz");
  } catch (error) {
    if (error.isOffline) lookSoon();
  }
}

function lookSoon() {
  clearTimeout(state.look);
  state.look = setTimeout(lookForService, AGAIN_MILLISECONDS);
}

/** Shows an error in place of the view, and tries again once the service can be reached. */
function failedView(error, again) {
  replace(main, failed(error, again));
  if (error.isOffline) state.whenReached = again;
}

/** Requests the session, and shows the view that the address names. */
async function begin() {
  state.session = state.whenReached = null;
  replace(main, waiting());
  try {
    await enter(await get("/v1/session"));
  } catch (error) {
    if (error instanceof Problem && error.status === 401) await signIn();
    else failedView(error, begin);
  }
}

async function enter(session) {
  state.session = session;
  state.wasSignedIn = false;
  await readCorpora();
  await show();
}

/** Reloads the list of corpora. Deleted corpora are no longer offered, even if the address names one. */
async function readCorpora() {
  const before = state.corpora;
  state.corpora = (await get("/v1/corpora")).corpora;
  for (const each of before) state.deleted.add(each.name);
  for (const each of state.corpora) state.deleted.delete(each.name);
}

async function signIn() {
  const { view } = await loaded(() => import("./views/sign_in.js"));
  renderHeader({ view: "", corpus: "" });
  await view(contextOf({ view: "", corpus: "", path: [], params: new URLSearchParams() }));
}

async function signOut() {
  heard.dispatchEvent(new CustomEvent("left"));
  await remove("/v1/session").catch(() => {});
  forgetKept();
  sessionStorage.clear();
  location.hash = "";
  await begin();
}

/** Deletes the page's data in local storage, because conversations contain texts of documents. */
function forgetKept() {
  for (const name of Object.keys(localStorage)) if (name.startsWith(KEPT)) localStorage.removeItem(name);
}

/** Shows the view that the address names. */
async function show() {
  if (!state.session) return;
  const place = placeOf(location.hash);
  const corpus = place.corpus || chosenCorpus();
  if (!place.view) return go(link("ask", corpus), { replacing: true });
  if (!place.corpus && corpus) return go(link(place.view, corpus, place.path, Object.fromEntries(place.params)), { replacing: true });
  leaveEntry(main);
  keptAs(`${KEPT}corpus`).write(corpus);
  const context = contextOf(place);
  renderHeader(place);
  const known = state.corpora.some((each) => each.name === place.corpus);
  if (!(place.view in VIEWS)) {
    return void main.append(
      empty(words.unknown.title, words.unknown.detail, h("a", { class: "button", href: link("ask", corpus) }, words.unknown.action)),
    );
  }
  if (!known && !WITHOUT_CORPUS.has(place.view)) return void main.append(withoutCorpus(place.corpus));
  try {
    await whileEmpty(main, async () => {
      const { view } = await loaded(VIEWS[place.view]);
      if (!context.signal.aborted) await view(context);
    });
    if (!context.signal.aborted) restoreEntry(main);
  } catch (error) {
    if (context.signal.aborted || error.name === "AbortError") return;
    if (!error.isOffline) console.error(error);
    failedView(error, show);
  }
}

/**
 * Context of a view:
 *
 * - `main`: the empty element to fill.
 * - `corpus`, `path`, `params`: parts of the address; `place` has all of them.
 * - `session`: `{by, name, rights, filtered}`; `may("write")` returns true if its rights suffice.
 * - `corpora`: `[{name, documents, chunks}]`; `refreshCorpora()` reloads them and redraws the header.
 * - `signal`: aborted when the view is left; pass it to every request.
 * - `title(text)`: sets the title of the window.
 * - `say(text)`: announces a text to screen readers.
 * - `kept(name)`: `{read(), write(value)}` of a value in local storage, for the current user.
 * - `entry`: an object that is kept with this history entry.
 */
function contextOf(place) {
  state.leave.abort();
  state.leave = new AbortController();
  state.whenReached = null;
  const { session } = state;
  const isFocused = document.activeElement !== document.body && !document.activeElement.closest("header select"); // keep the focus, so that keys continue to choose
  replace(main);
  const entry = entryNow();
  main.className = `view-${place.view || "sign-in"}`;
  if (isFocused) main.focus({ preventScroll: true }); // the focused element was removed
  return {
    ...place,
    place,
    main,
    session,
    corpora: state.corpora,
    signal: state.leave.signal,
    wasSignedIn: state.wasSignedIn,
    entered: enter,
    may: (rights) => ["read", "write", "admin"].indexOf(session.rights) >= ["read", "write", "admin"].indexOf(rights),
    refreshCorpora: async () => {
      await readCorpora();
      renderHeader(place);
      return state.corpora;
    },
    title: (text) => (document.title = [text, place.corpus, words.name].filter(Boolean).join(" · ")),
    say: (text) => replace(spoken, text),
    entry: entry.kept,
    kept: (name) => keptAs(`${KEPT}${session.name}.${name}`),
  };
}

/** A JSON value in local storage; `write` returns false if there is no space. */
function keptAs(name) {
  return {
    read: () => {
      try {
        return JSON.parse(localStorage.getItem(name));
      } catch {
        return null;
      }
    },
    write: (value) => {
      try {
        if (value === null) localStorage.removeItem(name);
        else localStorage.setItem(name, JSON.stringify(value));
        return true;
      } catch {
        return false; // storage is full or forbidden
      }
    },
  };
}

function chosenCorpus() {
  const names = state.corpora.map((each) => each.name);
  const last = keptAs(`${KEPT}corpus`).read();
  return names.includes(last) ? last : (names[0] ?? "");
}

function withoutCorpus(name) {
  const manage = h("a", { class: "button", href: link("manage") }, words.noCorpora.action);
  if (!state.corpora.length) return empty(words.noCorpora.title, `${words.noCorpora.detail} ${words.noCorpora.hint}`, manage);
  const others = state.corpora.map((each) => h("a", { class: "button", href: link("ask", each.name) }, each.name));
  return empty(words.noSuchCorpus.title(name), words.noSuchCorpus.detail, others.slice(0, 12));
}

function renderHeader(place) {
  const corpus = place.corpus && !state.deleted.has(place.corpus) ? place.corpus : chosenCorpus();
  const names = state.session ? state.corpora.map((each) => each.name) : [];
  const inHeader = () => [...header.querySelectorAll("a, select, button")];
  const at = inHeader().indexOf(document.activeElement);
  replace(
    header,
    h("a", { class: "brand", href: link("ask", corpus) }, mark, h("span", null, words.name)),
    state.session &&
      h(
        "nav",
        { "aria-label": words.nav.label },
        NAVIGATION.map((view) =>
          h(
            "a",
            { href: link(view, corpus), "aria-current": view === place.view ? "page" : null },
            words.nav[view],
            view === "ask" && view !== place.view && hasNews(corpus) && h("span", { class: "news", role: "img", "aria-label": words.nav.news, title: words.nav.news }),
          ),
        ),
      ),
    names.length > 0 &&
      h(
        "label",
        { class: "corpus" },
        h("span", null, words.nav.corpus),
        h(
          "select",
          { on: { change: (event) => go(link(place.view || "ask", event.target.value)) } },
          (names.includes(corpus) ? names : [corpus, ...names]).map((name) =>
            h("option", { value: name, selected: name === corpus }, name),
          ),
        ),
      ),
    state.session?.by === "cookie" &&
      h(
        "div",
        { class: "who" },
        h("span", { title: words.nav.signedInAs(state.session.name) }, state.session.name),
        h("button", { type: "button", class: "plain", title: words.nav.signOutMeans, on: { click: signOut } }, words.nav.signOut),
      ),
  );
  inHeader()[at]?.focus();
}

/** Returns true if a question of the corpus was answered while its conversation was not shown. */
function hasNews(corpus) {
  return questionsOf({ session: state.session, corpus }).some((each) => each.hasEnded && !each.isSeen);
}

function brandMark() {
  const image = document.createElement("img"); // the only image: `h` sets no src
  image.src = `${root}/page/img/mark.svg`;
  image.alt = "";
  image.width = image.height = 28;
  return image;
}

function skip(event) {
  event.preventDefault();
  main.focus();
}
