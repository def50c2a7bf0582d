import { empty } from "../states.js";
import { words } from "../words.js";

/** Walk: trees, communities, names, paths. */
export async function view(context) {
  context.title(words.walk.title);
  context.main.append(empty(words.soon.title, words.soon.detail));
}
