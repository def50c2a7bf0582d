/**
 * Elements are made here and nowhere else. Whatever comes from documents, models and people becomes text nodes:
 * nothing in the page reads markup, and the policy of the page (`trusted-types 'none'`) would refuse it.
 */

const SVG = "http://www.w3.org/2000/svg";

/** Properties of elements that are set as such; all others are attributes. */
const PROPERTIES = new Set(["checked", "disabled", "hidden", "open", "selected", "value", "indeterminate", "htmlFor"]);

/** Attributes that would run or load what they name. */
const REFUSED = /^(on|srcdoc$|style$|src$|srcset$|action$|formaction$|data$)/i;

/**
 * An HTML element.
 *
 * @param {string} tag
 * @param {object|null} given attributes; `class`; `dataset`, an object; `on`, an object of listeners by event. Those
 *   that are null, undefined or false are left out.
 * @param {...(Node|string|number|Array|null|false)} children texts and nodes, in any nesting.
 */
export function h(tag, given = null, ...children) {
  return filled(document.createElement(tag), given, children);
}

/** Likewise of SVG. */
export function svg(tag, given = null, ...children) {
  return filled(document.createElementNS(SVG, tag), given, children);
}

/** Puts these children into an element in place of all that it has. */
export function replace(element, ...children) {
  element.replaceChildren(...nodes(children));
  return element;
}

/** Likewise, where what goes may have the focus: the element has it then, so that the next Tab goes on from there. */
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

/** An address that leads within the page, or to the web; nothing that runs. */
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

/** An id that no other element has, for labels and descriptions. */
export function freshId(prefix = "n") {
  made += 1;
  return `${prefix}-${made}`;
}
