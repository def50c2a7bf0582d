/**
 * The shell: who asks, which corpora there are, the header, and the view that the address names.
 */

import { Problem, get, heard, remove } from "./api.js";
import { h, replace } from "./dom.js";
import { entryNow, leaveEntry, restoreEntry } from "./entries.js";
import { go, link, placeOf } from "./router.js";
import { empty, failed, waiting } from "./states.js";
import { language, words } from "./words.js";

/** Views by their name in addresses, loaded when they are first shown. Each module exports `view(context)`. */
const VIEWS = {
  ask: () => import("./views/ask.js"),
  document: () => import("./views/document.js"),
  walk: () => import("./views/walk.js"),
  keep: () => import("./views/keep.js"),
};
/** Those of them that are shown though there is no corpus. */
const WITHOUT_CORPUS = new Set(["keep"]);
const NAVIGATION = ["ask", "walk", "keep"];
/** Under which browsers keep what this page keeps, each with a name behind it. */
const KEPT = "overstory.";

const state = { session: null, corpora: [], deleted: new Set(), wasSignedIn: false, leave: new AbortController(), shown: "" };

const header = h("header", { class: "top" });
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

heard.addEventListener("unreached", () => (banner.hidden = false));
heard.addEventListener("reached", () => (banner.hidden = true));
heard.addEventListener("signedout", () => {
  if (state.session?.by === "cookie") state.wasSignedIn = true;
  if (state.session) begin();
});
window.addEventListener("hashchange", show);
window.addEventListener("online", () => state.session || begin());
begin();

/** Finds out who asks, and shows the place that the address names. */
async function begin() {
  state.session = null;
  replace(main, waiting());
  try {
    await enter(await get("/v1/session"));
  } catch (error) {
    if (error instanceof Problem && error.status === 401) await signIn();
    else replace(main, failed(error, begin));
  }
}

async function enter(session) {
  state.session = session;
  state.wasSignedIn = false;
  await readCorpora();
  await show();
}

/** Asks again which corpora there are; those that are no longer there are not offered, also where the address has one. */
async function readCorpora() {
  const before = state.corpora;
  state.corpora = (await get("/v1/corpora")).corpora;
  for (const each of before) state.deleted.add(each.name);
  for (const each of state.corpora) state.deleted.delete(each.name);
}

async function signIn() {
  const { view } = await import("./views/sign_in.js");
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

/** Deletes what this browser keeps for the page: conversations hold texts of documents. */
function forgetKept() {
  for (const name of Object.keys(localStorage)) if (name.startsWith(KEPT)) localStorage.removeItem(name);
}

/** Shows the place that the address names. */
async function show() {
  if (!state.session) return;
  const place = placeOf(location.hash);
  const corpus = place.corpus || chosenCorpus();
  if (!place.view) return go(link("ask", corpus), { replacing: true });
  if (!place.corpus && corpus) return go(link(place.view, corpus, place.path, Object.fromEntries(place.params)), { replacing: true });
  leaveEntry(main);
  localStorage.setItem(`${KEPT}corpus`, corpus);
  const context = contextOf(place);
  renderHeader(place);
  const known = state.corpora.some((each) => each.name === place.corpus);
  if (!(place.view in VIEWS)) {
    return void main.append(
      empty(words.unknown.title, words.unknown.detail, h("a", { class: "button", href: link("ask", corpus) }, words.unknown.action)),
    );
  }
  if (!known && !WITHOUT_CORPUS.has(place.view)) return void main.append(withoutCorpus(place.corpus));
  const wait = waiting();
  const soon = setTimeout(() => context.signal.aborted || main.childElementCount || main.append(wait), 200);
  try {
    const { view } = await VIEWS[place.view]();
    if (!context.signal.aborted) await view(context);
    if (!context.signal.aborted) restoreEntry(main);
  } catch (error) {
    if (context.signal.aborted || error.name === "AbortError") return;
    console.error(error);
    replace(main, failed(error, show));
  } finally {
    clearTimeout(soon);
    wait.remove();
  }
}

/**
 * What a view has:
 *
 * - `main`: the element to fill; it is empty.
 * - `corpus`, `path`, `params`: of the address; `place` has all of it.
 * - `session`: `{by, name, rights, filtered}`; `may("write")` says whether its rights suffice.
 * - `corpora`: `[{name, documents, chunks}]`; `refreshCorpora()` asks for them again and draws the header.
 * - `signal`: aborted when the view is left; give it to every request.
 * - `title(text)`: names the view, for the window and for screen readers.
 * - `say(text)`: has screen readers say it.
 * - `kept(name)`: `{read(), write(value)}` of what this browser keeps, for who is signed in.
 * - `entry`: an object that belongs to this entry of the browser's history, as Back finds it again.
 */
function contextOf(place) {
  state.leave.abort();
  state.leave = new AbortController();
  const isNew = state.shown !== place.view + place.corpus;
  state.shown = place.view + place.corpus;
  replace(main);
  const entry = entryNow();
  main.className = `view-${place.view || "sign-in"}`;
  if (isNew && document.activeElement !== document.body) main.focus({ preventScroll: true });
  return {
    ...place,
    place,
    main,
    session: state.session,
    corpora: state.corpora,
    signal: state.leave.signal,
    wasSignedIn: state.wasSignedIn,
    entered: enter,
    may: (rights) => ["read", "write", "admin"].indexOf(state.session.rights) >= ["read", "write", "admin"].indexOf(rights),
    refreshCorpora: async () => {
      await readCorpora();
      renderHeader(place);
      return state.corpora;
    },
    title: (text) => (document.title = [text, place.corpus, words.name].filter(Boolean).join(" · ")),
    say: (text) => replace(spoken, text),
    entry: entry.kept,
    kept: (name) => keptAs(`${KEPT}${state.session.name}.${name}`),
  };
}

/** A value that this browser keeps as JSON; `write` says whether there was room. */
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
        return false; // full, or forbidden
      }
    },
  };
}

function chosenCorpus() {
  const names = state.corpora.map((each) => each.name);
  const last = localStorage.getItem(`${KEPT}corpus`);
  return names.includes(last) ? last : (names[0] ?? "");
}

function withoutCorpus(name) {
  const keep = h("a", { class: "button", href: link("keep") }, words.noCorpora.action);
  if (!state.corpora.length) return empty(words.noCorpora.title, `${words.noCorpora.detail} ${words.noCorpora.hint}`, keep);
  const others = state.corpora.map((each) => h("a", { class: "button", href: link("ask", each.name) }, each.name));
  return empty(words.noSuchCorpus.title(name), words.noSuchCorpus.detail, others.slice(0, 12));
}

function renderHeader(place) {
  const corpus = place.corpus && !state.deleted.has(place.corpus) ? place.corpus : chosenCorpus();
  const names = state.session ? state.corpora.map((each) => each.name) : [];
  replace(
    header,
    h("a", { class: "brand", href: link("ask", corpus) }, brandMark(), h("span", null, words.name)),
    state.session &&
      h(
        "nav",
        { "aria-label": words.nav.label },
        NAVIGATION.map((view) =>
          h("a", { href: link(view, corpus), "aria-current": view === place.view ? "page" : null }, words.nav[view]),
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
}

function brandMark() {
  const image = document.createElement("img"); // the one picture: `h` sets no src
  image.src = "/page/img/mark.svg";
  image.alt = "";
  image.width = image.height = 28;
  return image;
}

function skip(event) {
  event.preventDefault();
  main.focus();
}
