import { empty } from "../states.js";
import { words } from "../words.js";

/** Ask a question. */
export async function view(context) {
  context.title(words.ask.title);
  context.main.append(empty(words.soon.title, words.soon.detail));
}
