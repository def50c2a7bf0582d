import { empty } from "../states.js";
import { words } from "../words.js";

/** Keep: documents, corpora, runs, models, tokens. */
export async function view(context) {
  context.title(words.keep.title);
  context.main.append(empty(words.soon.title, words.soon.detail));
}
