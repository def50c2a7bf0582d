/** Confirmation before an action that is hard to undo. */

import { h, replace } from "./dom.js";
import { coded } from "./states.js";
import { words } from "./words.js";

/** Asks for confirmation. The button to cancel has the focus. */
export function sure(place, question, action, { typed = "", label = "" } = {}) {
  const back = document.activeElement;
  const close = () => {
    replace(place);
    back?.isConnected && back.focus();
  };
  const yes = h("button", { class: "danger", disabled: typed !== "" }, words.sure.yes);
  const cancel = h("button", { type: "button", on: { click: close } }, words.sure.no);
  const input =
    typed &&
    h("input", {
      "aria-label": label,
      autocomplete: "off",
      spellcheck: "false",
      dir: "auto",
      on: { input: (event) => (yes.disabled = event.target.value !== typed) },
    });
  const submit = async (event) => {
    event.preventDefault();
    if (yes.ariaDisabled) return;
    yes.ariaDisabled = "true"; // a disabled button would lose the focus
    replace(yes, words.sure.working);
    try {
      await action();
    } finally {
      yes.ariaDisabled = null;
      if (yes.isConnected) replace(yes, words.sure.yes);
    }
  };
  const form = h("form", { class: place.closest(".card") ? "sure" : "sure card", role: "group", "aria-label": question, on: { submit } }, h("p", { dir: "auto" }, coded(question)), input, yes, cancel);
  form.addEventListener("keydown", (event) => event.key === "Escape" && close());
  replace(place, form);
  form.scrollIntoView({ block: "nearest" });
  (input || cancel).focus();
}
