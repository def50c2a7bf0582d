/**
 * All elements are created here. Text from documents, models and people becomes text nodes: the page never parses
 * markup, and its content security policy (`trusted-types 'none'`) forbids it.
 */

const SVG = "http://www.w3.org/2000/svg";

/** Names that are set as properties of the element; all other names are attributes. */
const PROPERTIES = new Set(["checked", "disabled", "hidden", "open", "selected", "value", "indeterminate", "htmlFor"]);

/** Attributes that are refused, because they would run or load their value. */
const REFUSED = /^(on|srcdoc$|style$|src$|srcset$|action$|formaction$|data$)/i;

/**
 * Creates an HTML element.
 *
 * @param {string} tag
 * @param {object|null} given attributes; `class`; `dataset`, an object; `on`, an object of listeners by event. Values
 *   that are null, undefined or false are left out.
 * @param {...(Node|string|number|Array|null|false)} children texts and nodes, nested to any depth.
 */
export function h(tag, given = null, ...children) {
  return filled(document.createElement(tag), given, children);
}

/** Creates an SVG element. */
export function svg(tag, given = null, ...children) {
  return filled(document.createElementNS(SVG, tag), given, children);
}

/** Replaces all children of an element. */
export function replace(element, ...children) {
  element.replaceChildren(...nodes(children));
  return element;
}

/** Replaces all children of an element. If one of them had the focus, the element gets it, so that Tab continues there. */
export function replaceFocused(element, ...children) {
  const had = element.contains(document.activeElement);
  replace(element, ...children);
  if (!had) return element;
  element.tabIndex = -1;
  element.focus({ preventScroll: true });
  return element;
}

function filled(element, given, children) {
  for (const [name, value] of Object.entries(given ?? {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name === "on") {
      for (const [event, listener] of Object.entries(value)) if (listener) element.addEventListener(event, listener);
    } else if (name === "dataset") {
      Object.assign(element.dataset, value);
    } else if (PROPERTIES.has(name)) {
      element[name] = value;
    } else if (name === "href") {
      element.setAttribute("href", address(String(value)));
    } else if (REFUSED.test(name)) {
      throw new Error(`no attribute ${name} is set here`);
    } else {
      element.setAttribute(name, value === true ? "" : String(value));
    }
  }
  element.append(...nodes(children));
  return element;
}

/** Returns an address within the page or on the web; refuses addresses that would run code. */
function address(text) {
  if (text.startsWith("#") || text.startsWith("/")) return text;
  return /^https?:\/\//i.test(text) ? text : "#";
}

function nodes(children) {
  return children
    .flat(Infinity)
    .filter((each) => each !== null && each !== undefined && each !== false && each !== "")
    .map((each) => (each instanceof Node ? each : document.createTextNode(String(each))));
}

let made = 0;

/** Returns an id that no other element has, for labels and descriptions. */
export function freshId(prefix = "n") {
  made += 1;
  return `${prefix}-${made}`;
}
