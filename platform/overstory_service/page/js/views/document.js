import { h } from "../dom.js";
import { link } from "../router.js";
import { showSource } from "../source.js";
import { empty } from "../states.js";
import { words } from "../words.js";

/** A document, shown from a passage on; the target of citation links. */
export async function view(context) {
  const [id] = context.path;
  context.title(words.source.label);
  if (!id) return void context.main.append(empty(words.unknown.title, words.unknown.detail));
  const place = h("article", { class: "source card" });
  context.main.append(place);
  const wanted = {
    document: id,
    passage: context.params.get("passage") ?? "",
    quotations: context.params.getAll("mark"),
  };
  const heading = await showSource(place, context.corpus, wanted, { signal: context.signal, level: 1, withLink: false });
  if (!heading) return;
  context.title(heading.textContent);
  place.append(h("p", { class: "source-foot" }, h("a", { class: "button", href: link("ask", context.corpus) }, words.source.ask)));
}
