/**
 * What the entries of the browser's history had on the screen, so that Back, Forward and a reload return to it: how far it was
 * scrolled, what had the focus, and what a view wants to know again. It is kept for as long as the tab is open.
 */

const PREFIX = "overstory.entry.";
const FOCUSABLE = "a[href], button, summary, input, select, textarea";

let shown = null;
let focused = null; // following a link to a place in the page takes the focus off it

document.addEventListener("focusin", (event) => (focused = event.target));

history.scrollRestoration = "manual"; // the browser scrolls before the view is there
window.addEventListener("pagehide", () => leaveEntry(document.querySelector("main")));

/** Keeps what the entry that is left has on the screen. */
export function leaveEntry(main) {
  if (!shown) return;
  shown.kept.top = window.scrollY;
  shown.kept.focus = focusOf(main);
  try {
    sessionStorage.setItem(PREFIX + shown.id, JSON.stringify(shown.kept));
  } catch {
    // full, or forbidden: Back then begins at the top
  }
}

/** The entry that the browser is at: `{id, kept}`. */
export function entryNow() {
  const id = history.state?.entry ?? Date.now().toString(36) + Math.random().toString(36).slice(2, 8);
  if (id !== history.state?.entry) history.replaceState({ ...history.state, entry: id }, "");
  shown = { id, kept: read(id) };
  window.scrollTo(0, 0);
  return shown;
}

/** Scrolls to where an entry was, and gives the focus to what had it, once its view is there. */
export function restoreEntry(main) {
  const { top, focus } = shown.kept;
  if (top === undefined) return;
  if (focus) nearest(main, focus)?.focus({ preventScroll: true });
  window.scrollTo(0, top);
}

function focusOf(main) {
  const at = [...main.querySelectorAll(FOCUSABLE)].indexOf(focused);
  return at < 0 ? null : { at, text: focused.textContent };
}

/** What has the same text: there may be more or fewer elements before it than there were. */
function nearest(main, focus) {
  const alike = [...main.querySelectorAll(FOCUSABLE)].map((element, at) => ({ element, off: Math.abs(at - focus.at) }));
  const found = alike.filter(({ element, off }) => element.textContent === focus.text && (focus.text || !off));
  return found.sort((one, other) => one.off - other.off)[0]?.element;
}

function read(id) {
  try {
    return JSON.parse(sessionStorage.getItem(PREFIX + id)) ?? {};
  } catch {
    return {};
  }
}
