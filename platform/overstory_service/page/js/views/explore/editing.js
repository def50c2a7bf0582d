/** Editing of an entity: rename, merge, hide, and undo of each edit. */

import { Problem, corpusPath, get, post } from "../../api.js";
import { freshId, h, replace, replaceFocused } from "../../dom.js";
import { failed } from "../../states.js";
import { sure } from "../../sure.js";
import { words } from "../../words.js";

const SUGGESTED_NAMES = 8;
const SUGGEST_MILLISECONDS = 200;
const text = words.explore.edit;

/** The forms, or null if the user may not edit. */
export function editing(context, name) {
  if (!context.may("write") || context.session.filtered) return null;
  const said = h("div", { class: "edit-said", "aria-live": "polite" });
  const to = field(context, text.rename, name, { value: name });
  const into = field(context, text.merge, "", { suggest: true, but: name });
  const send = (kind, body) => edit(context, said, kind, body);
  return h(
    "details",
    { class: "card editing" },
    h("summary", null, text.title),
    h("p", { class: "quiet" }, text.lead),
    form(to, text.renameAction, () => send("rename", { names: [name], into: to.input.value.trim() })),
    form(into, text.mergeAction, () =>
      sure(said, text.sure.merge(name, into.input.value.trim()), () => send("merge", { names: [name], into: into.input.value.trim() })),
    ),
    h("p", { class: "quiet" }, text.mergeMeans),
    h(
      "div",
      { class: "actions" },
      h("button", { type: "button", class: "danger", on: { click: () => sure(said, text.sure.hide(name), () => send("hide", { names: [name] })) } }, text.hideAction),
      h("span", { class: "quiet" }, `${text.hide}: ${text.hideMeans}`),
    ),
    said,
  );
}

/** Sends an edit. */
export function postEdit(context, action, body) {
  return post(corpusPath(context.corpus, "entities", "edits"), { action, ...body }, { signal: context.signal });
}

/** Sends an edit, and shows the result with an undo button. */
export async function edit(context, said, action, body, after = null) {
  try {
    const { edits } = await postEdit(context, action, body);
    replaceFocused(
      said,
      edits.length ? edits.map((each) => h("p", { class: "edit-done", dir: "auto" }, text.done[each.edit.kind](each.edit), " ", undo(each))) : text.nothing,
      edits.length > 0 && indexNow(context),
    );
    after?.();
  } catch (error) {
    if (error.name !== "AbortError") replaceFocused(said, failed(error));
  }

  function undo(made) {
    return h(
      "button",
      {
        type: "button",
        class: "plain",
        "aria-label": text.undoOf(made.edit),
        on: {
          click: async () => {
            try {
              await postEdit(context, "undo", { number: made.number });
              replaceFocused(said, h("p", null, text.undone));
              after?.();
            } catch (error) {
              if (error.name !== "AbortError") replace(said, failed(error));
            }
          },
        },
      },
      text.undo,
    );
  }
}

/** A button that starts indexing, which applies edits. */
export function indexNow(context) {
  const place = h("p", { class: "actions" });
  const button = h("button", { type: "button", on: { click: start } }, text.index);
  return replace(place, button, h("span", { class: "quiet" }, text.indexMeans));

  async function start() {
    if (button.ariaDisabled) return;
    button.ariaDisabled = "true";
    try {
      await post(corpusPath(context.corpus, "index"), {}, { signal: context.signal });
      replaceFocused(place, h("span", null, text.queued));
    } catch (error) {
      if (error.name !== "AbortError") replaceFocused(place, failed(error));
    }
  }
}

/** A labelled input field; with `suggest`, it offers entities that match the typed words. */
export function field(context, label, placeholder, { value = "", suggest = false, but = "" } = {}) {
  const id = freshId("field");
  const list = suggest ? h("datalist", { id: `${id}-names` }) : null;
  const input = h("input", {
    id,
    value,
    placeholder,
    required: true,
    maxlength: "1000",
    dir: "auto",
    autocomplete: "off",
    list: list?.id,
  });
  if (list) offer(context, input, list, but);
  return { input, element: h("div", { class: "labelled" }, h("label", { for: id }, label), input, list) };
}

function offer(context, input, list, but) {
  let timer = 0;
  input.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(async () => {
      const like = input.value.trim();
      if (like.length < 2) return;
      try {
        const { entities: names } = await get(corpusPath(context.corpus, "entities"), { words: like, limit: SUGGESTED_NAMES }, { signal: context.signal });
        replace(list, names.filter((each) => each.name !== but).map((each) => h("option", { value: each.name })));
      } catch (error) {
        if (!(error instanceof Problem) && error.name !== "AbortError") throw error; // suggestions are optional
      }
    }, SUGGEST_MILLISECONDS);
  });
}

function form({ element }, action, send) {
  const submit = (event) => {
    event.preventDefault();
    send();
  };
  return h("form", { class: "explore-form", on: { submit } }, element, h("button", null, action));
}
