/**
 * Addresses within the page: `#/VIEW/CORPUS/PATH…?PARAMETERS`, all percent-encoded, so that every place has a link.
 * The part after `#` is not sent to the server and not logged.
 */

/** Returns the place of an address: `{view, corpus, path, params}`; `view` is "" if the address has none. */
export function placeOf(hash) {
  const [way, query = ""] = hash.replace(/^#\/?/, "").split(/\?(.*)/s);
  const [view = "", corpus = "", ...path] = way.split("/").map(decoded);
  return { view, corpus, path: path.filter(Boolean), params: new URLSearchParams(query) };
}

/** Returns the address of a place. Parameters that are null, undefined or "" are left out, and lists are repeated. */
export function link(view, corpus = "", path = [], params = {}) {
  const way = [view, corpus, ...path].map(encodeURIComponent).join("/").replace(/\/+$/, "");
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(params)) {
    for (const each of Array.isArray(value) ? value : [value]) {
      if (each !== null && each !== undefined && each !== "") query.append(name, each);
    }
  }
  return `#/${way}${query.size ? `?${query}` : ""}`;
}

/** Goes to a place. With `replacing`, changes the address without a new history entry. */
export function go(address, { replacing = false } = {}) {
  if (replacing) {
    history.replaceState(history.state, "", address);
    window.dispatchEvent(new HashChangeEvent("hashchange"));
  } else {
    location.hash = address;
  }
}

function decoded(part) {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
