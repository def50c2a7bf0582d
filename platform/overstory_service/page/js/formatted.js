/**
 * Answers as elements. Of the Markdown that models write, only headings, lists, bold and code are rendered. Links and images
 * stay plain text, because a model could use them to leak the question.
 */

import { h } from "./dom.js";

const INLINE = /\*\*([^*\n]+)\*\*|`([^`\n]+)`|\[(\d+)\]/g;

/**
 * @param {string} text
 * @param {(number: number) => Node} cite returns the element for a citation number.
 * @param {number} level level of the topmost heading.
 */
export function formatted(text, cite, level = 3) {
  const blocks = [];
  let list = null;
  for (const line of text.split("\n")) {
    const heading = /^#{1,6}\s+(.*)/.exec(line);
    const item = /^\s*(?:[-*•]|(\d+)[.)])\s+(.*)/.exec(line);
    if (item) {
      const tag = item[1] ? "ol" : "ul";
      if (list?.localName !== tag) blocks.push((list = h(tag, tag === "ol" ? { start: item[1] } : null)));
      list.append(h("li", { dir: "auto" }, inline(item[2], cite)));
      continue;
    }
    list = null;
    if (heading) blocks.push(h(`h${level}`, { dir: "auto" }, inline(heading[1], cite)));
    else if (line.trim()) blocks.push(h("p", { dir: "auto" }, inline(line, cite)));
  }
  return blocks;
}

function inline(text, cite) {
  const nodes = [];
  let at = 0;
  for (const found of text.matchAll(INLINE)) {
    const [whole, bold, code, number] = found;
    nodes.push(text.slice(at, found.index));
    if (bold !== undefined) nodes.push(h("strong", null, inline(bold, cite)));
    else if (code !== undefined) nodes.push(h("code", null, code));
    else nodes.push(cite(Number(number)) ?? whole);
    at = found.index + whole.length;
  }
  nodes.push(text.slice(at));
  return nodes;
}

/** Returns the statements of an answer that end with a certain citation number. */
export function statementsOf(text, number) {
  const found = [];
  for (const line of text.split("\n")) {
    let from = 0;
    for (const { 0: numbers, index } of line.matchAll(/(?:\[\d+\]\s*)+/g)) {
      const before = line.slice(from, index).trim();
      if (numbers.includes(`[${number}]`) && before) found.push(before);
      from = index + numbers.length;
    }
  }
  return found;
}
