/**
 * State of the browser's history entries, so that Back, Forward and a reload restore the scroll position, the focus and the
 * state of a view. It is kept as long as the tab is open.
 */

const PREFIX = "overstory.entry.";
const FOCUSABLE = "a[href], button, summary, input, select, textarea";

let shown = null;
let focused = null; // following a link within the page moves the focus away

document.addEventListener("focusin", (event) => (focused = event.target));

history.scrollRestoration = "manual"; // the browser would scroll before the view is drawn
window.addEventListener("pagehide", () => leaveEntry(document.querySelector("main")));

/** Saves the state of the entry that is left. */
export function leaveEntry(main) {
  if (!shown) return;
  shown.kept.top = window.scrollY;
  shown.kept.focus = focusOf(main);
  try {
    sessionStorage.setItem(PREFIX + shown.id, JSON.stringify(shown.kept));
  } catch {
    // storage is full or forbidden: Back then starts at the top
  }
}

/** Returns the current history entry: `{id, kept}`. */
export function entryNow() {
  const id = history.state?.entry ?? Date.now().toString(36) + Math.random().toString(36).slice(2, 8);
  if (id !== history.state?.entry) history.replaceState({ ...history.state, entry: id }, "");
  shown = { id, kept: read(id) };
  window.scrollTo(0, 0);
  return shown;
}

/** Restores scroll position and focus of an entry once its view is drawn. */
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

/** Finds the element with the same text, since elements before it may have changed. */
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
